"""The tree that a release is built from: the last commit, the page as it is built, and what an index needs.

    python release/source.py FOLDER https://example.org/hopscope

An index shows README.md alone: links and pictures lead to the version's files at the project's address.
"""

import io
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from version import PROJECT, the_one

LINK = re.compile(r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
BUILT = Path("python/hopscope/report/built")
"""The page and, where `make web` has made it, the engine for pages: in every wheel, though in no commit."""
URLS = {"Homepage": "", "Source": "", "Changelog": "/blob/{tag}/CHANGELOG.md", "Issues": "/issues"}


def for_an_index(readme: str, home: str, tag: str) -> str:
    """README.md with absolute links; blocks of code stay as they are."""

    def absolute(link: re.Match[str]) -> str:
        if "://" in link["target"] or link["target"].startswith("#"):
            return link[0]
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['words']}]({home}/{kind}/{tag}/{link['target']})"

    parts, start = [], 0
    for block in FENCE.finditer(readme):
        parts += [LINK.sub(absolute, readme[start : block.start()]), block[0]]
        start = block.end()
    return "".join([*parts, LINK.sub(absolute, readme[start:])])


def with_urls(pyproject: str, home: str, tag: str) -> str:
    """pyproject.toml with the project's addresses."""
    lines = [f'{name} = "{home}{path.format(tag=tag)}"' for name, path in URLS.items()]
    scripts = "[project.scripts]\n"
    return pyproject.replace(scripts, "\n".join(["[project.urls]", *lines, "", scripts]))


def export(folder: Path, home: str) -> None:
    """Write the last commit into a new folder, ready to build."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=PROJECT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    if not (PROJECT / BUILT / "page.js").is_file():
        sys.exit("error: the page has not been built\nhint: install Node 20 or newer and run `make build`")
    shutil.copytree(PROJECT / BUILT, folder / BUILT)
    tag = f"v{the_one(folder)}"
    for name, change in (("README.md", for_an_index), ("pyproject.toml", with_urls)):
        path = folder / name
        path.write_text(change(path.read_text(encoding="utf-8"), home.rstrip("/"), tag), encoding="utf-8")


if __name__ == "__main__":
    export(Path(sys.argv[1]), sys.argv[2])
