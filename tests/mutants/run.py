"""Mutation testing: a seeded sample of each crate's mutants, and which of them the tests do not kill.

    tests/mutants/run.py [--crates kernel measure ...] [--sample N] [--seed S] [--minutes M]

cargo-mutants changes one expression or function at a time and runs the tests of its crate; survivors meet
the tests of the crates that are built on it alone, and then those of the engine, which run whole scenarios.
It works in a copy of the tree, which keeps builds.
Outcomes are kept in target/mutants, one line of JSON a mutant and package of tests, so that the same command
goes on where it was stopped. A test that never ends is killed by its processor time, so that a busy machine
kills no mutant.
"""

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
KEPT = HERE / "target" / "mutants"
CRATES = (
    "kernel",
    "measure",
    "topology",
    "explain",
    "fabric",
    "queueing",
    "an1",
    "lossless",
    "arpanet",
    "pup",
    "sna",
)
"""Kernel, measurement and what is built on them: the crates whose mistakes are wrong results."""

SPEED_ONLY = ("look_ahead.rs",)
"""Files that fetch memory before it is needed: what they do changes no result, so no test can tell."""

SAMPLE = 20
SEED = 1977
ENGINE = "hopscope-engine"
BUILT_ON = {"fabric": ("hopscope-an1", "hopscope-lossless")}
"""Parts that several models share, and the models whose tests are theirs too."""

BATCH = 5
CPU_SECONDS = 120
MEMORY = 8 << 30
OUTCOMES = {"CaughtMutant": "killed", "MissedMutant": "survived", "Timeout": "killed", "Unviable": "unviable"}
MISSING = "cargo-mutants is missing: cargo install --locked cargo-mutants"
LEAST = 0.9


def main() -> int:
    """Run the sample of each crate; 1 where fewer than nine in ten of the viable mutants are killed."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--crates", nargs="+", choices=CRATES, default=CRATES)
    asked.add_argument("--sample", type=int, default=SAMPLE, help="mutants a crate")
    asked.add_argument("--seed", type=int, default=SEED)
    asked.add_argument("--minutes", type=float, default=float("inf"), help="begin no batch after so long")
    given = asked.parse_args()
    if shutil.which("cargo-mutants") is None:
        print(MISSING, file=sys.stderr)
        return 2
    until = time.monotonic() + 60 * given.minutes
    samples = {crate: sampled(crate, given.sample, given.seed) for crate in given.crates}
    own = [(crate, f"hopscope-{crate}") for crate in samples]
    built = [(crate, tests) for crate in samples for tests in BUILT_ON.get(crate, ())]
    for crate, tests in [*own, *built, *((crate, ENGINE) for crate in samples)]:
        for batch in batches(crate, samples[crate], tests):
            if time.monotonic() < until:
                tried(crate, batch, tests)
    return told(samples)


def sampled(crate: str, most: int, seed: int) -> list[str]:
    """The names of a sample of a crate's mutants, the same for a seed as long as the crate is the same."""
    line = ["cargo", "mutants", "--list", "--json", "--package", f"hopscope-{crate}"]
    listed = subprocess.run(line, cwd=HERE, check=True, capture_output=True, text=True).stdout
    names = sorted({each["name"] for each in json.loads(listed) if Path(each["file"]).name not in SPEED_ONLY})
    return sorted(random.Random(f"{crate} {seed}").sample(names, min(most, len(names))))


def batches(crate: str, names: Sequence[str], tests: str) -> Iterator[list[str]]:
    """What lives and has not met some tests yet, a few of one file each: what is stopped loses one batch."""
    known, met = outcomes(crate), outcomes(crate, tests)
    left = [name for name in names if known.get(name, "survived") == "survived" and name not in met]
    for _, found in itertools.groupby(left, key=file_of):
        of_file = list(found)
        for at in range(0, len(of_file), BATCH):
            yield of_file[at : at + BATCH]


def file_of(name: str) -> str:
    """The file that a mutant changes."""
    return name.partition(":")[0]


def copied(tree: Path) -> Path:
    """Copy what has changed into a copy of the tree, in which mutants are made; the rest keeps its time."""
    line = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(line, cwd=HERE, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in listed:
        source, copy = HERE / name, tree / name
        if not source.is_file() or (copy.is_file() and copy.read_bytes() == source.read_bytes()):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)
    return tree


def tried(crate: str, names: Sequence[str], tests: str) -> None:
    """Run mutants of a crate against the tests of a package, and keep what came out."""
    at = KEPT / "last"
    shutil.rmtree(at, ignore_errors=True)
    exact = "|".join(re.escape(name) for name in names)
    line = ["cargo", "mutants", "--in-place", "--package", f"hopscope-{crate}", "--re", f"^({exact})$"]
    # By file as well: cargo-mutants 27 runs deleted fields of structs whatever names are asked for.
    line += [
        "--file",
        file_of(names[0]),
        "--output",
        str(at),
        "--profile",
        "mutants",
        "--no-times",
        "--baseline",
        "skip",
    ]
    line += ["--timeout", "3600", "--build-timeout", "3600", "--test-package", tests]
    subprocess.run(line, cwd=copied(KEPT / "tree"), check=False, stdout=subprocess.DEVNULL, env=limited())
    told = at / "mutants.out" / "outcomes.json"
    rows = json.loads(told.read_text(encoding="utf-8"))["outcomes"] if told.exists() else []
    mutants = [row for row in rows if isinstance(row["scenario"], dict)]
    with (KEPT / f"{crate}.jsonl").open("a", encoding="utf-8") as kept:
        for row in mutants:
            name, outcome = row["scenario"]["Mutant"]["name"], OUTCOMES[row["summary"]]
            if name in names:
                kept.write(json.dumps({"mutant": name, "tests": tests, "outcome": outcome}) + "\n")


def limited() -> dict[str, str]:
    """The environment in which no test has more processor time or memory than the unchanged tree needs."""
    told = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = next(line.split()[1] for line in told.splitlines() if line.startswith("host:"))
    runner = f"CARGO_TARGET_{host.upper().replace('-', '_')}_RUNNER"
    return {**os.environ, runner: f"prlimit --cpu={CPU_SECONDS} --as={MEMORY}"}


def outcomes(crate: str, tests: str | None = None) -> dict[str, str]:
    """What is known of a crate's mutants under some tests, or in the end."""
    kept = KEPT / f"{crate}.jsonl"
    if not kept.exists():
        return {}
    rows = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    return {row["mutant"]: row["outcome"] for row in rows if tests in (None, row["tests"])}


def told(samples: dict[str, list[str]]) -> int:
    """Print a row for each crate and every survivor."""
    print("| crate | mutants | unviable | killed | survived | not yet |\n|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    survivors = []
    for crate, names in samples.items():
        known = outcomes(crate)
        counts = Counter(known.get(name, "not yet") for name in names)
        total += counts
        survivors += [name for name in names if known.get(name) == "survived"]
        columns = (counts[each] for each in ("unviable", "killed", "survived", "not yet"))
        print(f"| {crate} | {len(names)} | " + " | ".join(map(str, columns)) + " |")
    return ended(total, survivors)


def ended(total: Counter[str], survivors: Sequence[str]) -> int:
    """Print the share of viable mutants killed and every survivor; 1 where the share is too small."""
    viable = total["killed"] + total["survived"]
    share = total["killed"] / viable if viable else 1.0
    print(f"\n{total['killed']} of {viable} viable mutants killed ({100 * share:.0f} %)")
    for name in survivors:
        print(f"survived: {name}")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
