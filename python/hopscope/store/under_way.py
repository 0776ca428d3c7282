"""Experiments under way: the performing process records its progress in the store, and can be stopped there.

Progress is written every two seconds and removed at the end. A killed process no longer writes it.
"""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass

from hopscope.store.places import StoreError
from hopscope.store.store import Store

UNDER_WAY = "under-way/"
_STOP = ".stop"
_WORD = ".json"
_SECONDS_BETWEEN_WORDS = 2.0
# A process without an update for this long has ended.
_SILENCE_S = 15.0


@dataclass(frozen=True, slots=True)
class Word:
    """The progress of an experiment: `name` is that of this entry, `experiment` the name of its record."""

    name: str
    experiment: str
    fraction: float
    figures: str
    host: str
    process: int
    at: float
    """When it was written, in seconds since 1970 by the clock of its machine."""

    @property
    def is_alive(self) -> bool:
        """Whether its process is still alive, as far as is known here."""
        if self.host == socket.gethostname() and not _is_there(self.process):
            return False
        return abs(time.time() - self.at) < _SILENCE_S


class Herald:
    """Records the progress of the process that performs an experiment."""

    def __init__(self, store: Store, experiment: str) -> None:
        """Nothing is written before the first interval is over: short experiments leave no trace."""
        self._store = store
        self._experiment = experiment
        self._host, self._process = socket.gethostname(), os.getpid()
        self._name = f"{experiment}.{self._host}-{self._process}"
        self._told = time.monotonic()

    def tell(self, fraction: float, figures: str) -> bool:
        """Record the progress; returns whether to continue."""
        if time.monotonic() - self._told < _SECONDS_BETWEEN_WORDS:
            return True
        self._told = time.monotonic()
        word = Word(self._name, self._experiment, fraction, figures, self._host, self._process, time.time())
        self._store.place.write(f"{UNDER_WAY}{self._name}{_WORD}", json.dumps(asdict(word)).encode())
        return not self._store.place.has(f"{UNDER_WAY}{self._name}{_STOP}")

    def end(self) -> None:
        """Remove the entry, and those of killed processes."""
        for name in [self._name, *(word.name for word in words(self._store) if not word.is_alive)]:
            forget(self._store, name)


@contextmanager
def heralded(store: Store, experiment: str) -> Iterator[Herald]:
    """Progress of an experiment is recorded within the block, and stays if the store becomes unusable."""
    herald = Herald(store, experiment)
    try:
        yield herald
    except StoreError:
        raise
    except BaseException:
        herald.end()
        raise
    herald.end()


def words(store: Store) -> Iterator[Word]:
    """All entries in a store, including those of ended processes. Invalid ones are skipped."""
    for file in store.place.names(UNDER_WAY):
        found = _decoded(store.place.read(file)) if file.endswith(_WORD) else None
        if found is not None and file == f"{UNDER_WAY}{found.name}{_WORD}":
            yield found


def _decoded(text: bytes | None) -> Word | None:
    try:
        found = Word(**json.loads(text or b""))
    except (ValueError, TypeError):
        return None
    kinds = (str, str, float, str, str, int, float)
    is_whole = all(isinstance(value, kind) for value, kind in zip(astuple(found), kinds, strict=True))
    return found if is_whole else None


def ask_to_stop(store: Store, name: str) -> bool:
    """Make the process with the entry of this name stop; False if there is none."""
    if all(word.name != name for word in words(store)):
        return False
    store.place.write(f"{UNDER_WAY}{name}{_STOP}", b"")
    return True


def forget(store: Store, name: str) -> None:
    """Remove an entry and the request to stop."""
    for ending in (_WORD, _STOP):
        store.place.remove(f"{UNDER_WAY}{name}{ending}")


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
