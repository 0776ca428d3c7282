"""The library of results: runs, sweeps, studies and experiments of stores, found by name."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopscope import atomic
from hopscope.errors import UsageError
from hopscope.experiments.kept import KeptExperiment, kept_experiments
from hopscope.results import folder as reading
from hopscope.results import shapes, stored
from hopscope.results.archived import DamagedError
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepResult
from hopscope.store.places import OBJECT_SCHEMES, StoreError
from hopscope.store.store import MARKER, RunKey, Store, existing_store
from hopscope.store.under_way import Word, ask_to_stop, words

_DEEPEST = 3
_MOST = 2_000
_KINDS = {"sweep.json": "sweep", "summary.json": "run", "verdicts.json": "study", MARKER: "store"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder with results: its name in the library, its kind, and where it is."""

    id: str
    kind: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Stored:
    """An experiment of a store: its name in the library, and its stored part."""

    id: str
    store: Store
    kept: KeptExperiment


class Library:
    """The visible folders and stores. What lies outside of them, even by links, does not exist."""

    def __init__(self, places: Sequence[str | Path]) -> None:
        """Raises UsageError if one of them does not exist."""
        self._roots: list[Path] = []
        self._stores: dict[str, Store] = {}
        self._unpacked = tempfile.TemporaryDirectory(prefix="hopscope-view-")
        for place in map(str, places):
            if place.startswith(OBJECT_SCHEMES):
                self._stores[place.rstrip("/")] = existing_store(place)
            elif os.path.isdir(place):
                self._roots.append(Path(place))
            else:
                raise UsageError(
                    f"there is no folder `{place}`", "give run folders, stores, or a folder that holds some"
                )

    def admit(self, folder: Path) -> str:
        """Add a folder, such as one of a run that has just ended; returns its name."""
        self._roots.append(folder)
        return next(entry.id for entry in self.entries() if entry.folder == folder)

    def entries(self) -> list[Entry]:
        """Every folder with results at present, in the order of the folders."""
        return [entry for entry in self._folders() if entry.kind != "store"]

    def only(self) -> str | None:
        """The name of the result if the one folder that was given is a result itself, not a store."""
        if len(self._roots) != 1 or self._stores:
            return None
        return next((entry.id for entry in self.entries() if entry.folder == self._roots[0]), None)

    def experiments(self) -> list[Stored]:
        """The experiments of all stores."""
        return [
            Stored(f"{name}/{kept.name}", store, kept)
            for name, store in self._each_store()
            for kept in kept_experiments(store).values()
        ]

    def experiment(self, name: str) -> Stored | None:
        """The experiment of this name, if it is one."""
        for of, store in self._each_store():
            if name.startswith(f"{of}/"):
                kept = kept_experiments(store).get(name.removeprefix(f"{of}/"))
                if kept is not None:
                    return Stored(name, store, kept)
        return None

    def under_way(self) -> list[tuple[str, Word]]:
        """The experiments under way, with their names."""
        return [
            (f"{name}/{word.experiment}", word)
            for name, store in self._each_store()
            for word in words(store)
            if word.is_alive
        ]

    def stop(self, name: str) -> bool:
        """Request the process with the entry of this name to stop; False if there is none."""
        return any(ask_to_stop(store, name) for _, store in self._each_store())

    def find(self, name: str) -> Entry:
        """The entry of this name, or a run of an experiment. Raises UsageError if there is none."""
        for entry in self.entries():
            if entry.id == name:
                return entry
        stored, _, run = name.rpartition("/")
        found = self.experiment(stored)
        key = None if found is None else next((key for key in found.kept.runs() if run == _called(key)), None)
        if found is None or key is None:
            raise UsageError(
                f"there is no result `{name}` in the folders that are open", "go back to the list"
            )
        return Entry(name, "run", self._taken_out(found.store, key))

    def run(self, name: str) -> RunResult:
        """The run of this name. Raises UsageError if it is not a run."""
        found = self.result(name)
        if not isinstance(found, RunResult):
            raise UsageError(f"`{name}` is no single run", "select a run")
        return found

    def result(self, name: str) -> RunResult | SweepResult:
        """The run or sweep of this name. Raises UsageError if it cannot be read."""
        return reading.read(self.find(name).folder)

    def _each_store(self) -> Iterator[tuple[str, Store]]:
        """The stores with their names. Raises StoreError if a named folder is a store of another program."""
        yield from self._stores.items()
        for entry in self._folders():
            if entry.kind == "store":
                try:
                    store = existing_store(entry.folder)
                except StoreError:
                    if entry.folder in self._roots:
                        raise
                    continue  # What other programs call store.json is no result.
                yield entry.id, store

    def _folders(self) -> Iterator[Entry]:
        found: set[Path] = set()
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
                found.add(folder)
                yield Entry(name, kind, folder)

    def _taken_out(self, store: Store, key: RunKey) -> Path:
        """The folder of a run, unpacked once."""
        folder = Path(self._unpacked.name) / key.version / _called(key)
        if not folder.exists():
            try:
                run = store.get(key)
            except DamagedError:
                run = None
            if run is None:
                raise UsageError(
                    f"the run {key.path} is damaged or has been removed", "perform the experiment again"
                )
            atomic.write_folder(folder, lambda partial: run.write(str(partial)))
        return folder


def _called(key: RunKey) -> str:
    return f"{key.hash}-{key.seed}"


def _within(root: Path, folder: Path, depth: int) -> Iterator[tuple[Path, str]]:
    """The results in a folder and below it; a link that leads out of `root` is not followed."""
    if atomic.is_partial(folder) or not folder.resolve().is_relative_to(root.resolve()):
        return
    kind = next((kind for file, kind in _KINDS.items() if (folder / file).is_file()), None)
    if kind is not None:
        yield folder, kind
    if depth == 0 or kind in ("run", "store"):
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


def holds_study(place: str) -> bool:
    """Whether this is the folder of a study."""
    return "://" not in place and os.path.isfile(Path(place) / "verdicts.json")


def verdicts(folder: Path) -> list[dict[str, object]]:
    """The cells of a study's folder. Raises UsageError if its file is damaged."""
    return stored.read_json(folder / "verdicts.json", shapes.VERDICTS, reading.HINT)
