"""Every verb of the command line in a plain install: what each does, wholly or up to the extra it names.

`python tests/python/plain_install.py` runs them with the hopscope of its own environment, in an empty
folder; the tests run them with all other libraries hidden.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FEW = ("--set", "measure.messages=2000")


@dataclass(frozen=True)
class Step:
    """A command line, the extra that it names (none: it does its work), its exit code, and what it leaves."""

    words: tuple[str, ...]
    extra: str | None = None
    code: int | None = None
    leaves: tuple[str, ...] = ()

    @property
    def verb(self) -> str:
        return self.words[0]

    @property
    def expected(self) -> int:
        return self.code if self.code is not None else 2 if self.extra else 0


EXPERIMENT = """name = "loads"
scenarios = ["queueing-mm1"]
[set]
"measure.messages" = 2000
[over]
"arrivals.load" = [0.2, 0.4]
"""

CABLES = "device a,device b\nh1,s1\ns1,s2\nh2,s2\n"
LAB = "topology:\n  nodes:\n  links:\n"

# In order: later ones read what earlier ones have left.
STEPS = (
    Step(("scenarios",)),
    Step(("show", "queueing-mm1")),
    Step(("init", "mine.toml"), leaves=("mine.toml",)),
    Step(("schema",)),
    Step(("completion", "bash")),
    Step(("new-model", "token-ring"), code=2),
    Step(("topology", "an1-mstage", "--svg", "net.svg"), leaves=("net.svg",)),
    Step(("run", "an1-mstage", *FEW, "--out", "run"), "frames", 0, ("run/summary.json", "run/why.json")),
    Step(("run", "queueing-mm1", *FEW, "--no-report", "--json", "--out", "bare"), leaves=("bare/run.json",)),
    Step(
        ("sweep", "queueing-mm1", *FEW, "--over", "arrivals.load=0.2,0.4", "--out", "sweep"),
        leaves=("sweep/metrics.csv", "sweep/sweep.json", "sweep/report.html"),
    ),
    Step(("explain", "run")),
    Step(("view", "run"), "view"),
    Step(("view", "run", "--export", "page.html"), "frames"),
    Step(("trace", "an1-mstage", "--perfetto", "lives.pftrace"), "trace"),
    Step(("check", "ib-torus-updn")),
    Step(("routes", "ib-torus-updn", "--out", "tables.lfts"), leaves=("tables.lfts",)),
    Step(("capacity", "an1-mstage", "--bounds")),
    Step(("advise", "an1-tandem", "--messages", "1000")),
    Step(("compare", "queueing-mm1", "queueing-md1", *FEW, "--seeds", "2")),
    Step(("experiment", "loads.toml", "--store", "kept")),
    Step(("store", "ls", "kept")),
    Step(("store", "export", "kept", "--out", "table"), "frames"),
    Step(("store", "ls", "s3://bucket/kept"), "s3"),
    Step(("sweep", "queueing-mm1", "--over", "arrivals.load=0.2,0.4", "--on", "ray"), "ray"),
    Step(("study", "an1/table3", "--quick"), "frames"),
    Step(("storm", "--cases", "2")),
    Step(("pup", "--help")),
    Step(("diagnose", "--help")),
    Step(("import", "cables.csv", "--out", "fabric.csv"), leaves=("fabric.csv",)),
    Step(("import", "lab.yml"), "yaml"),
)

Run = Callable[..., subprocess.CompletedProcess[str]]


def begin(folder: Path) -> None:
    """Put into an empty folder what the steps read."""
    (folder / "loads.toml").write_text(EXPERIMENT, encoding="utf-8")
    (folder / "cables.csv").write_text(CABLES, encoding="utf-8")
    (folder / "lab.yml").write_text(LAB, encoding="utf-8")


def complaints(step: Step, done: "subprocess.CompletedProcess[str]", folder: Path) -> list[str]:
    """What a step should have done and has not."""
    named = set(re.findall(r"pip install 'hopscope\[(\w+)\]'", done.stderr))
    wanted = {step.extra} if step.extra else set()
    found = []
    if done.returncode != step.expected:
        found.append(f"exit code {done.returncode}, not {step.expected}: {done.stderr}")
    if named != wanted:
        found.append(f"names the extras {sorted(named)}, not {sorted(wanted)}: {done.stderr}")
    found += [f"left no {name}" for name in step.leaves if not (folder / name).exists()]
    return [f"hopscope {' '.join(step.words)}: {words}" for words in found]


def main() -> int:
    """Run every step with the hopscope of this environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin(folder)
        found = []
        for step in STEPS:
            line = [sys.executable, "-m", "hopscope", *step.words]
            done = subprocess.run(line, capture_output=True, text=True, cwd=folder, check=False)
            found += complaints(step, done, folder)
    print("\n".join(found) or f"{len(STEPS)} command lines do what a plain install should")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
