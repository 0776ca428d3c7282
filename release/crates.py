"""The crates of a release, ready for a registry of Rust.

    python release/crates.py FOLDER https://example.org/hopscope

FOLDER is a tree that release/source.py has exported. Its crates get the project's address and each other's
version, and the engine the files that it carries; those that are parts of other packages stay unpublished.
`cargo package` then makes what `cargo publish --workspace` would upload. Nothing is published here.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from version import the_one

# Parts of the Python package and of a page, and what only this project runs.
KEPT = ("crates/bindings", "crates/web", "benches", "tests/tidy")
CARRIED = ("scenarios", "studies", "published")
_OF_HOUSE = re.compile(r'^(hopscope-[a-z0-9-]+ = \{ path = "[^"]+")', re.MULTILINE)
_PUBLISH = "publish.workspace = true\n"


def manifest_of_workspace(text: str, home: str, version: str) -> str:
    """The root's Cargo.toml: an address, and a version for each crate of the house."""
    addressed = text.replace("publish = false\n", f'repository = "{home}"\n', 1)
    return _OF_HOUSE.sub(rf'\1, version = "{version}"', addressed)


def manifest_of_crate(text: str, *, kept: bool) -> str:
    """A crate's Cargo.toml: published with the project's address, or kept."""
    return text.replace(_PUBLISH, "publish = false\n" if kept else "repository.workspace = true\n", 1)


def prepare(root: Path, home: str) -> list[str]:
    """Make an exported tree ready; gives the names of the crates that are published."""
    change(root / "Cargo.toml", lambda text: manifest_of_workspace(text, home.rstrip("/"), the_one(root)))
    for folder in KEPT:
        change(root / folder / "Cargo.toml", lambda text: manifest_of_crate(text, kept=True))
    published = [path for path in sorted((root / "crates").iterdir()) if f"crates/{path.name}" not in KEPT]
    for crate in published:
        change(crate / "Cargo.toml", lambda text: manifest_of_crate(text, kept=False))
    for folder in CARRIED:
        shutil.copytree(root / folder, root / "crates/engine/carried" / folder)
    return [f"hopscope-{crate.name}" for crate in published]


def change(path: Path, to: Callable[[str], str]) -> None:
    """Write a file anew."""
    path.write_text(to(path.read_text(encoding="utf-8")), encoding="utf-8")


def main(root: Path, home: str) -> None:
    """Prepare the tree and package its crates, without compiling them once more."""
    names = prepare(root, home)
    which = [word for name in names for word in ("--package", name)]
    subprocess.run(["cargo", "package", "--no-verify", "--allow-dirty", *which], cwd=root, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
