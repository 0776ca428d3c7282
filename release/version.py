"""The version of a release: set in every file that has it, or checked.

python release/version.py 0.2.0     set it, and head the changelog's entries with it and today's date
python release/version.py           print it; exit code 1 where two files differ
"""

import datetime
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?")
PLACES = {
    "Cargo.toml": re.compile(r'(?<=^version = ")[^"]+(?="$)', re.MULTILINE),
    "CITATION.cff": re.compile(r"(?<=^version: ).+$", re.MULTILINE),
}
RELEASED = re.compile(r"^date-released: .+\n", re.MULTILINE)
UNRELEASED = "## [Unreleased]\n"


class ReleaseError(Exception):
    """What a person has to mend before a release."""


def found(project: Path = PROJECT) -> dict[str, str]:
    """The version that each file has."""
    versions = {}
    for name, place in PLACES.items():
        match = place.search((project / name).read_text(encoding="utf-8"))
        if match is None:
            raise ReleaseError(f"{name} has no version")
        versions[name] = match[0]
    return versions


def the_one(project: Path = PROJECT) -> str:
    """The version that all files have. Raises ReleaseError where they differ."""
    versions = found(project)
    if len(set(versions.values())) > 1:
        raise ReleaseError(", ".join(f"{name} has {version}" for name, version in versions.items()))
    return next(iter(versions.values()))


def set_to(version: str, today: datetime.date, project: Path = PROJECT) -> None:
    """Write the version everywhere, and give what is unreleased in the changelog its version and date."""
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"`{version}` is no version; write 1.2.3 or 1.2.3-rc.1")
    log = project / "CHANGELOG.md"
    text = log.read_text(encoding="utf-8")
    head, heading, rest = text.partition(UNRELEASED)
    if not heading or not rest.partition("\n## ")[0].strip():
        raise ReleaseError("CHANGELOG.md has nothing under [Unreleased]")
    if f"## [{version}]" in text:
        raise ReleaseError(f"CHANGELOG.md has {version} already")
    log.write_text(f"{head}{UNRELEASED}\n## [{version}] - {today.isoformat()}\n{rest}", encoding="utf-8")
    for name, place in PLACES.items():
        path = project / name
        path.write_text(place.sub(version, path.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    citation = project / "CITATION.cff"
    cited = RELEASED.sub("", citation.read_text(encoding="utf-8"))
    line = f"version: {version}\n"
    citation.write_text(cited.replace(line, f"{line}date-released: {today.isoformat()}\n"), encoding="utf-8")


def main(words: list[str]) -> int:
    """Set the version that is given, or check the ones that are there."""
    try:
        if words:
            set_to(words[0], datetime.date.today())
            lock = ["cargo", "update", "--quiet", "--workspace", "--offline"]
            subprocess.run(lock, cwd=PROJECT, check=True)
        print(the_one())
    except ReleaseError as wrong:
        print(f"error: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
