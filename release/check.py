"""What a release is held against: its size, its metadata, and what it does in a clean environment.

    python release/check.py dist

Every wheel of this machine's kind is installed into an empty environment, once alone and once with all
extras but Ray, and used from an empty folder. The others, and the source distribution, are looked at only.
"""

import os
import platform
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
STEPS = PROJECT / "tests/python/plain_install.py"
MOST_MB = 60
MOST_PACKAGES = 10
LIST = ("--format=freeze", "--exclude=pip", "--exclude=setuptools")
EXTRAS = "charts,data,graph,s3,trace"
# One report with charts, drawn from the wheel's own files.
WHOLE = (
    "import hopscope, pathlib\n"
    "run = hopscope.run('an1-mstage', set={'measure.messages': 2000})\n"
    "assert run.metrics.height and run.save('run').joinpath('report.html').stat().st_size > 10_000\n"
)


def main(folder: Path) -> int:
    """Check everything that stands in the folder."""
    files = sorted(str(path) for path in folder.iterdir() if path.name.endswith((".whl", ".tar.gz")))
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], check=True)
    for name in files:
        if "manylinux" in name:
            subprocess.run([sys.executable, "-m", "auditwheel", "show", name], check=True)
    ours = [Path(name).resolve() for name in files if name.endswith(".whl") and _is_ours(name)]
    if not ours:
        print("error: no wheel of this machine's kind", file=sys.stderr)
        return 1
    return max(_check(wheel) for wheel in ours)


def _is_ours(name: str) -> bool:
    system = {"Linux": "linux", "Darwin": "macosx"}[platform.system()]
    return system in name and (platform.machine() in name or "universal2" in name)


def _check(wheel: Path) -> int:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        python = _environment(place / "plain", str(wheel))
        # The Makefile has pip say little, and a quiet list is empty.
        line, loud = [python, "-m", "pip", "list", *LIST], {**os.environ, "PIP_QUIET": "0"}
        packages = subprocess.run(line, capture_output=True, text=True, check=True, env=loud).stdout.split()
        megabytes = _megabytes(place / "plain")
        print(f"{wheel.name}: {len(packages)} packages, {megabytes:.1f} MB installed")
        if not 0 < len(packages) <= MOST_PACKAGES or megabytes > MOST_MB:
            print(
                f"error: not 1 to {MOST_PACKAGES} packages of at most {MOST_MB} MB",
                file=sys.stderr,
            )
            return 1
        (place / "empty").mkdir()
        done = subprocess.run([python, STEPS], cwd=place / "empty", check=False)
        if done.returncode:
            return done.returncode
        whole = _environment(place / "whole", f"{wheel}[{EXTRAS}]")
        return subprocess.run([whole, "-c", WHOLE], cwd=place / "empty", check=False).returncode


def _environment(folder: Path, requirement: str) -> str:
    """A new environment with this alone; its Python."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", requirement], check=True)
    return python


def _megabytes(folder: Path) -> float:
    """What the packages of an environment take, pip's own left out."""
    site = next(folder.glob("lib/python*/site-packages"))
    own = ("pip", "setuptools", "_distutils_hack", "pkg_resources")
    parts = [part for part in site.iterdir() if not part.name.startswith(own)]
    files = [file for part in parts for file in (part.rglob("*") if part.is_dir() else [part])]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
