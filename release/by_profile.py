"""Builds a wheel whose code is laid out by where the engine spends its time (profile-guided optimisation).

    python release/by_profile.py TARGET FOLDER -- COMMAND ... --out DIST

COMMAND builds a wheel for TARGET in the present folder. For a machine of this kind it runs twice: first for
a wheel that counts, in FOLDER, which is used in a clean environment, a run of each model; then, by what it
counted, for the one in DIST. Results do not depend on it. For another kind of machine, or without LLVM's tool
that merges counts, COMMAND runs once, and that is said.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

# Every model, each long enough for its hot paths to stand out.
RUNS: tuple[tuple[str, ...], ...] = (
    ("an1-mstage", "measure.messages=200_000"),
    ("an1-torus",),
    ("arpanet-1975-05", "duration=30 min"),
    ("queueing-mm1",),
    ("pup-busy-ethernet",),
    ("roce-fat-tree-all-reduce",),
    ("torus-7x5-credits",),
    ("dragonfly-36",),
    ("dctcp-incast",),
    ("sna-chain",),
)


class Compiler(NamedTuple):
    """The rustc of this machine: its kind of machine, the release of its LLVM, where it is installed."""

    host: str
    llvm: str
    root: Path

    @classmethod
    def found(cls) -> "Compiler":
        """The one that `rustc` calls."""
        told = _said("rustc", "-vV")
        host = re.search(r"^host: (\S+)$", told, re.MULTILINE)
        llvm = re.search(r"^LLVM version: (\d+)", told, re.MULTILINE)
        assert host, told
        assert llvm, told
        return cls(host[1], llvm[1], Path(_said("rustc", "--print", "sysroot").strip()))

    def merger(self) -> str | None:
        """What merges counts: of rustup's component llvm-tools, or of an LLVM of the same release."""
        ours = self.root / "lib/rustlib" / self.host / "bin/llvm-profdata"
        theirs = Path(f"/usr/lib/llvm-{self.llvm}/bin/llvm-profdata")
        found = next((str(place) for place in (ours, theirs) if os.access(place, os.X_OK)), None)
        return found or shutil.which(f"llvm-profdata-{self.llvm}")


def build(target: str, folder: Path, command: Sequence[str]) -> None:
    """Build the wheel, by a profile where one can be had."""
    compiler = Compiler.found()
    merger = compiler.merger()
    if target != compiler.host or merger is None:
        why = "another kind of machine" if merger else "hint: rustup component add llvm-tools"
        print(f"{target}: built without a profile ({why})", file=sys.stderr)
        _compile(command, "")
        return
    shutil.rmtree(folder, ignore_errors=True)
    counting = [*command[: command.index("--out")], "--out", str(folder)]
    _compile(counting, f"-Cprofile-generate={folder / 'counts'}")
    (wheel,) = folder.glob("*.whl")
    _use(wheel)
    profile = folder / "engine.profdata"
    subprocess.run([merger, "merge", "-o", str(profile), str(folder / "counts")], check=True)
    _compile(command, f"-Cprofile-use={profile}")


def _use(wheel: Path) -> None:
    """Run every model in a clean environment; the counts go where the wheel was told when it was built."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        venv.create(place / "clean", with_pip=True)
        python = str(place / "clean/bin/python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
        for scenario, *changes in RUNS:
            settings = [part for change in changes for part in ("--set", change)]
            line = [python, "-m", "hopscope", "run", scenario, *settings, "--no-report", "--out", scenario]
            subprocess.run(line, cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _compile(command: Sequence[str], flags: str) -> None:
    """Run the command with further flags for rustc."""
    flags = f"{os.environ.get('RUSTFLAGS', '')} {flags}".strip()
    subprocess.run(command, check=True, env={**os.environ, "RUSTFLAGS": flags} if flags else None)


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    _target, _folder, _dashes, *_command = sys.argv[1:]
    build(_target, Path(_folder).resolve(), _command)
