"""What there is to see in the folders that were given: runs, sweeps and studies, found by their names."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopscope import atomic
from hopscope.errors import UsageError
from hopscope.results import folder as reading
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepResult

_DEEPEST = 3
_MOST = 2_000
_KINDS = {"sweep.json": "sweep", "summary.json": "run", "verdicts.json": "study"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder with results: its name in the library, its kind, and where it is."""

    id: str
    kind: str
    folder: Path


class Library:
    """The folders that may be seen. Whatever lies outside of them, links included, does not exist."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Raises UsageError where one of the folders is not there."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(
                    f"there is no folder `{folder}`", "give run folders, or a folder that holds some"
                )
        self._roots = list(folders)

    def admit(self, folder: Path) -> str:
        """Add a folder, such as one of a run that has just ended; gives its name."""
        self._roots.append(folder)
        return next(entry.id for entry in self.entries() if entry.folder == folder)

    def entries(self) -> list[Entry]:
        """Everything there is now, in the order of the folders."""
        found: dict[Path, Entry] = {}
        taken: set[str] = set()
        for root in self._roots:
            for folder, kind in _within(root, root, _DEEPEST):
                if folder in found or len(found) >= _MOST:
                    continue
                name = _name(root, folder)
                number = 2
                while name in taken:
                    name = f"{_name(root, folder)} ({number})"
                    number += 1
                taken.add(name)
                found[folder] = Entry(name, kind, folder)
        return list(found.values())

    def find(self, name: str) -> Entry:
        """The entry of this name. Raises UsageError where there is none."""
        for entry in self.entries():
            if entry.id == name:
                return entry
        raise UsageError(f"there is no result `{name}` in the folders that are open", "go back to the list")

    def run(self, name: str) -> RunResult:
        """The run of this name. Raises UsageError where it is none."""
        found = self.result(name)
        if not isinstance(found, RunResult):
            raise UsageError(f"`{name}` is no single run", "select a run")
        return found

    def result(self, name: str) -> RunResult | SweepResult:
        """The run or sweep of this name. Raises UsageError where it cannot be read."""
        return reading.read(self.find(name).folder)


def _within(root: Path, folder: Path, depth: int) -> Iterator[tuple[Path, str]]:
    """The results in a folder and below it; a link that leads out of `root` is not followed."""
    if atomic.is_partial(folder) or not folder.resolve().is_relative_to(root.resolve()):
        return
    kind = next((kind for file, kind in _KINDS.items() if (folder / file).is_file()), None)
    if kind is not None:
        yield folder, kind
    if depth == 0 or kind == "run":
        return
    try:
        below = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
    except OSError:
        return
    for each in below:
        yield from _within(root, each, depth - 1)


def _name(root: Path, folder: Path) -> str:
    inside = folder.relative_to(root)
    return root.resolve().name if inside == Path() else f"{root.resolve().name}/{inside.as_posix()}"


def verdicts(folder: Path) -> list[dict[str, object]]:
    """The cells of a study's folder. Raises UsageError where its file is damaged."""
    try:
        return json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as failure:
        raise UsageError(f"`{folder / 'verdicts.json'}` cannot be read: {failure}", reading.HINT) from None
