"""A batch of runs as it travels to a worker, what a worker does with it, and what comes back."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.store.places import StoreError
from hopscope.store.store import RunKey, Store, open_store

if TYPE_CHECKING:
    from hopscope._core import Scenario

# Called with the number of a run and the part of it that is done (0..1); returning False stops the batch.
Tell = Callable[[int, float], bool]


class FailureKind(StrEnum):
    """Why a run failed."""

    PANIC = "panic"
    """An assertion of the simulator failed: a bug of hopscope."""
    TIME = "time"
    """It exceeded its time limit."""
    LOST = "lost"
    """Its worker ended, time after time: killed, crashed or out of memory."""
    REFUSED = "refused"
    """The worker cannot read the scenario, or reads another one."""


@dataclass(frozen=True, slots=True)
class Work:
    """One run: its place in the experiment, the overrides of its scenario, and its key in the store."""

    number: int
    overrides: tuple[str, ...]
    key: RunKey


@dataclass(frozen=True, slots=True)
class Batch:
    """Runs of one parcel (a scenario with its files, without overrides), and where their results go.

    `store` is what a worker opens; with None it sends the results back. `time_limit_s` applies to a run.
    `attempts` counts the workers that were lost with it.
    """

    parcel: Any
    works: tuple[Work, ...]
    store: str | None
    time_limit_s: float | None = None
    attempts: int = 0

    def only(self, works: Sequence[Work], attempts: int) -> "Batch":
        """A batch with some of its runs."""
        return replace(self, works=tuple(works), attempts=attempts)


@dataclass(frozen=True, slots=True)
class Done:
    """A run that has ended: kept by the worker, or with its `archive` to be kept, or failed."""

    work: Work
    seconds: float
    archive: bytes | None = None
    cause: FailureKind | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """A batch whose worker is lost: the reason, and the current run, if known."""

    reason: str
    at: int | None = None


Result = list[Done] | Lost


@dataclass(slots=True)
class _Watch:
    """Whether a run may go on."""

    number: int
    tell: Tell
    until: float
    late: bool = field(default=False)
    stopped: bool = field(default=False)

    def __call__(self, fraction: float, _words: str) -> bool:
        self.late = time.monotonic() > self.until
        self.stopped = not self.tell(self.number, fraction)
        return not (self.late or self.stopped)


def perform(batch: Batch, tell: Tell = lambda _number, _fraction: True) -> list[Done]:
    """Simulate a batch and keep each run as it ends; fewer are returned if `tell` stops it."""
    if (wrong := {work.key.version for work in batch.works} - {_core.version()}) != set():
        raise UsageError(
            f"a worker has hopscope {_core.version()}, the experiment was begun with {', '.join(wrong)}",
            "install the same version of hopscope on every node",
        )
    done: list[Done] = []
    like: Scenario | None = None
    for work in batch.works:
        began = time.monotonic()
        watch = _Watch(work.number, tell, began + (batch.time_limit_s or float("inf")))
        if not watch.tell(work.number, 0.0):
            break
        try:
            # A worker gets no Ctrl-C: `tell` says between runs that a batch is to end.
            scenario = _core.unpacked(batch.parcel, list(work.overrides), like, watched=False)
            like = scenario
            ended = _ended(batch, work, scenario, watch)
        except (_core.ScenarioError, _core.InternalError) as failure:
            cause = FailureKind.REFUSED if isinstance(failure, _core.ScenarioError) else FailureKind.PANIC
            ended = Done(work, 0.0, cause=cause, message=str(failure).strip())
        if ended is None:
            break
        done.append(replace(ended, seconds=time.monotonic() - began))
    return done


def _ended(batch: Batch, work: Work, scenario: "Scenario", watch: _Watch) -> Done | None:
    """Simulate and keep one run; None if it was stopped."""
    if scenario.hash != work.key.hash:
        words = "the worker reads another scenario; are its files the same on every node?"
        return Done(work, 0.0, cause=FailureKind.REFUSED, message=words)
    run = _core.run(scenario, watch)
    if watch.late:
        words = f"it took longer than {batch.time_limit_s:g} s"
        return Done(work, 0.0, cause=FailureKind.TIME, message=words)
    if watch.stopped:
        return None
    archive = run.archive()
    return Done(work, 0.0, archive=None if _kept(batch, work, archive) else archive)


def _kept(batch: Batch, work: Work, archive: bytes) -> bool:
    """Keep a run from here, if the store is accessible; otherwise it is sent back."""
    if batch.store is None:
        return False
    try:
        store = _store(batch.store)
        if store is None:
            return False
        store.put(work.key, archive)
    except (StoreError, UsageError):
        return False
    return True


@lru_cache(maxsize=4)
def _store(where: str) -> Store | None:
    """The store accessible from this process; None if not, as on a node without the folder."""
    store = open_store(where)
    return store if store.is_there() else None
