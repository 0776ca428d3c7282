"""Maintenance of a store: finding damage, removing leftovers, merging another store."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from hopscope import _core
from hopscope.results.archived import ArchivedRun, DamagedError
from hopscope.store import under_way
from hopscope.store.places import Folder
from hopscope.store.store import EXPERIMENTS, RunKey, Store

_READERS = 16
# A write takes moments: unfinished files as old as this are of killed processes.
AGE_OF_LEFT_OVERS_S = 3600.0


@dataclass(frozen=True, slots=True)
class Swept:
    """What was removed."""

    left_over: int
    damaged: int
    failures: int
    versions: int
    unused: int


def damaged(store: Store, seen: Callable[[int], None] = lambda _count: None) -> list[RunKey]:
    """The runs whose bytes differ from what was written, detected by their hash."""

    def is_damaged(key: RunKey) -> bool:
        try:
            store.get(key)
        except DamagedError:
            return True
        return False

    keys = sorted(store.runs())
    found = []
    with ThreadPoolExecutor(_READERS) as readers:
        for count, (key, is_bad) in enumerate(zip(keys, readers.map(is_damaged, keys), strict=True), start=1):
            if is_bad:
                found.append(key)
            seen(count)
    return found


def clean(store: Store, *, versions: bool = False, unused: bool = False, dry: bool = False) -> Swept:
    """Remove what killed processes have left, damaged runs, and failures of runs that have succeeded.

    With `versions`, also the runs of other versions; with `unused`, those of no experiment that is recorded.
    With `dry`, only count.
    """
    bad = set(damaged(store))
    keys = set(store.runs())
    healed = [key for key, _ in store.failed() if key in keys - bad]
    old = {key for key in keys if key.version != _core.version()} if versions else set()
    used = {row[2] for _, content in store.experiments() for row in content["settings"]} if unused else set()
    loose = {key for key in keys if key.hash not in used} if unused else set()
    left = 0
    if not dry:
        for key in bad | old | loose:
            store.forget(key)
        for key in healed:
            store.heal(key)
        gone = [word for word in under_way.words(store) if not word.is_alive]
        for word in gone:
            under_way.forget(store, word.name)
        left = len(gone)
        if isinstance(store.place, Folder):
            left += store.place.remove_left_over(AGE_OF_LEFT_OVERS_S)
    return Swept(left, len(bad), len(healed), len(old), len(loose - old))


def merge(into: Store, source: Store) -> tuple[int, list[RunKey]]:
    """Copy missing runs; returns their number, and the runs that are damaged in the source."""
    into.begin()
    there = set(into.runs())
    missing = [key for key in sorted(source.runs()) if key not in there]
    bad: list[RunKey] = []

    def take(key: RunKey) -> bool:
        try:
            run: ArchivedRun | None = source.get(key)
        except DamagedError:
            return False
        if run is not None:
            into.put(key, run.archive())
            into.heal(key)
        return True

    with ThreadPoolExecutor(_READERS) as copiers:
        bad += [key for key, whole in zip(missing, copiers.map(take, missing), strict=True) if not whole]
    for name in source.place.names(EXPERIMENTS):
        text = source.place.read(name)
        if text is not None:
            into.place.write(name, text)
    return len(missing) - len(bad), bad
