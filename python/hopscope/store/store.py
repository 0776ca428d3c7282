"""The store: runs by scenario hash, seed and version, failures, and records of experiments."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopscope.errors import UsageError
from hopscope.results import shapes
from hopscope.results.archived import ArchivedRun, DamagedError
from hopscope.store.places import Folder, Memory, NotAFileError, Place, StoreError, place_of

MARKER = "store.json"
MARKED = {"hopscope store": 1}
MARKER_TEXT = json.dumps(MARKED) + "\n"
RUNS = "runs/"
FAILED = "failed/"
EXPERIMENTS = "experiments/"

_RUN_PATH = re.compile(r"(?P<version>[^/]+)/[0-9a-f]{2}/(?P<hash>[0-9a-f]{64})-(?P<seed>\d+)")


@dataclass(frozen=True, slots=True, order=True)
class RunKey:
    """The key of a run: the hash of its scenario (without title and seed), its seed, the version."""

    hash: str
    seed: int
    version: str

    @property
    def path(self) -> str:
        """Its path within the runs."""
        return f"{self.version}/{self.hash[:2]}/{self.hash}-{self.seed}"

    @classmethod
    def of_path(cls, path: str) -> "RunKey | None":
        """The key of such a path; None for a file not written by hopscope."""
        found = _RUN_PATH.fullmatch(path)
        return None if found is None else cls(found["hash"], int(found["seed"]), found["version"])


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed run: its scenario and seed, the reason, and the command that repeats it."""

    name: str
    hash: str
    seed: int
    cause: str
    message: str
    command: str


class Store:
    """Stored runs. Methods raise StoreError if the place cannot be reached or is full."""

    def __init__(self, place: Place) -> None:
        """Use the store at this place; nothing is written yet."""
        self.place = place

    @property
    def where(self) -> str | None:
        """The value that reaches it from another process; None if there is none."""
        return self.place.where

    def begin(self) -> None:
        """Make sure that it can be written, and mark it as a store."""
        if not self.is_marked():
            self.place.write(MARKER, MARKER_TEXT.encode())

    def is_there(self) -> bool:
        """Whether it is a store, as seen from here."""
        return self.place.has(MARKER)

    def is_marked(self) -> bool:
        """Whether it is a store that this program reads. Raises StoreError for another mark."""
        text = self.place.read(MARKER)
        if text is None:
            return False
        try:
            marked = json.loads(text)
        except (ValueError, RecursionError):
            marked = None
        if marked != MARKED:
            raise StoreError(
                f"`{MARKER}` in `{self.where}` is not that of a store that this version of hopscope reads; "
                f"expected {json.dumps(MARKED)}",
                "nothing in it is changed: name another place, or remove the file if a crash has damaged it",
            )
        return True

    def runs(self, version: str | None = None) -> Iterator[RunKey]:
        """The keys of all runs, or of those of one version."""
        prefix = RUNS if version is None else f"{RUNS}{version}/"
        for name in self.place.names(prefix):
            key = RunKey.of_path(name.removeprefix(RUNS).removesuffix(".zip"))
            if key is not None and name.endswith(".zip"):
                yield key

    def has(self, key: RunKey) -> bool:
        """Whether the run is stored."""
        return self.place.has(_run_name(key))

    def put(self, key: RunKey, archive: bytes) -> None:
        """Keep a run. The same run twice is harmless."""
        self.place.write(_run_name(key), archive)

    def get(self, key: RunKey) -> ArchivedRun | None:
        """The run; None if there is none. Raises DamagedError."""
        try:
            archive = self.place.read(_run_name(key))
        except NotAFileError:
            raise DamagedError from None
        if archive is None:
            return None
        run = ArchivedRun.checked(archive)
        if run.identity() != (key.hash, key.seed, key.version):
            raise DamagedError  # A copy under another name: complete, but not the requested run.
        return run

    def forget(self, key: RunKey) -> None:
        """Remove a run."""
        self.place.remove(_run_name(key))

    def fail(self, key: RunKey, failure: Failure) -> None:
        """Keep the failure of a run, until it succeeds."""
        text = json.dumps(asdict(failure), indent=1, ensure_ascii=False) + "\n"
        self.place.write(f"{FAILED}{key.path}.json", text.encode())

    def failed(self) -> Iterator[tuple[RunKey, Failure]]:
        """All failures that are kept."""
        for name in self.place.names(FAILED):
            key = RunKey.of_path(name.removeprefix(FAILED).removesuffix(".json"))
            text = self.place.read(name)
            if key is not None and text is not None:
                yield key, Failure(**_decoded(name, text, shapes.FAILURE))

    def heal(self, key: RunKey) -> None:
        """Remove a failure: the run has succeeded."""
        self.place.remove(f"{FAILED}{key.path}.json")

    def record(self, name: str, content: dict[str, Any]) -> str:
        """Keep the definition of an experiment; returns the name of its record."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
        called = f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        self.place.write(f"{EXPERIMENTS}{called}.json", text.encode())
        return called

    def experiments(self, damaged: list[str] | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """The definitions of experiments, by name.

        The names of records that cannot be read are added to `damaged`; without it, one raises UsageError.
        """
        for file in self.place.names(EXPERIMENTS):
            try:
                text = self.place.read(file)
                content = None if text is None else _experiment(file, text)
            except UsageError:
                if damaged is None:
                    raise
                damaged.append(file)
                continue
            if content is not None:
                yield file.removeprefix(EXPERIMENTS).removesuffix(".json"), content

    def damaged_records(self) -> list[str]:
        """The names of the records of experiments that cannot be read."""
        damaged: list[str] = []
        for _ in self.experiments(damaged):
            pass
        return damaged


def open_store(where: str | Path | None) -> Store:
    """The store at this place, or one in memory. Raises UsageError for an invalid place."""
    return Store(Memory() if where is None else place_of(where))


def existing_store(where: str | Path) -> Store:
    """The store at this place. Raises UsageError if there is none."""
    store = open_store(where)
    if not store.is_marked():
        raise UsageError(
            f"there is no store at `{where}`", "name a folder or URL that was given to --store before"
        )
    return store


def is_folder(store: Store) -> bool:
    """Whether its name may denote another folder on other machines."""
    return isinstance(store.place, Folder)


def _experiment(name: str, text: bytes) -> dict[str, Any]:
    """The record of an experiment. Raises UsageError."""
    content = _decoded(name, text, shapes.EXPERIMENT)
    for at, (number, *_) in enumerate(content["settings"]):
        if not 0 <= number < len(content["scenarios"]):
            raise _damaged(name, f"`settings[{at}][0]` is the number of no scenario")
    return content


def _decoded(name: str, text: bytes, shape: Mapping[str, shapes.Shape]) -> dict[str, Any]:
    """A record of the store, which may be damaged: it has these keys and no others. Raises UsageError."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as failure:
        raise _damaged(name, str(failure)) from None
    fault = shapes.fault(content, shape)
    if fault is None and len(content) > len(shape):
        fault = f"it has a key `{next(key for key in content if key not in shape)}`"
    if fault is not None:
        raise _damaged(name, fault)
    return content


def _damaged(name: str, fault: str) -> UsageError:
    return UsageError(f"`{name}` in the store is damaged: {fault}", "remove it: the next run writes it again")


def _run_name(key: RunKey) -> str:
    return f"{RUNS}{key.path}.zip"
