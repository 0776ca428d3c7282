"""The program of examples/own-rate-control, built: documents and tests run it.

It is a Cargo project of its own, so Cargo compiles the crates of hopscope for it once more: here without
optimisation, which takes a quarter of the time and gives the same results. All else is shared with hopscope's
own builds, in target/.
"""

import os
import subprocess
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
NAME = "own-rate-control"
FOLDER = PROJECT / "examples" / NAME


@cache
def built() -> Path:
    """The program's path. Raises RuntimeError where it cannot be built."""
    target = PROJECT / "target"
    crates = sorted(path.parent.name for path in (PROJECT / "crates").glob("*/Cargo.toml"))
    quick = [
        word
        for crate in crates
        for word in ("--config", f'profile.release.package."hopscope-{crate}".opt-level=0')
    ]
    line = ["cargo", "build", "--release", "--locked", *quick]
    known = os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_TERM_COLOR": "never"}
    done = subprocess.run(line, cwd=FOLDER, env=known, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(line[:4])} in {FOLDER}:\n{done.stderr}")
    return target / "release" / NAME
