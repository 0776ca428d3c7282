"""The one way to run many, by an executor and a store: for sweeps, studies and planning alike."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor as AnyExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import engine
from hopscope.errors import UsageError
from hopscope.executors.choose import executor
from hopscope.executors.executor import Executor
from hopscope.experiments.driver import Driver, Limits, raise_failures, wanted_of
from hopscope.overrides import encodable, real_number, whole_number_from
from hopscope.results.archived import ArchivedRun, DamagedError
from hopscope.store.store import RunKey, Store, open_store
from hopscope.watching import Progress

if TYPE_CHECKING:
    from hopscope._core import Scenario


# A worker with less cannot even begin.
LEAST_MEMORY_MIB = 64
# What timers of the system can hold, and longer than anybody waits.
MOST_SECONDS = 1e9


@dataclass(frozen=True, slots=True)
class Means:
    """Where runs are performed and kept.

    `store` is a folder or an object store's URL (None: memory); `on` names an executor, or is one of
    `concurrent.futures`; `jobs` limits its workers. Without `resume`, runs that are kept are run again.
    """

    store: str | Path | None = None
    on: str | AnyExecutor | None = None
    jobs: int | None = None
    resume: bool = True
    time_limit_s: float | None = None
    memory_limit_mib: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant, by the argument's name."""
        if self.store is not None and (not isinstance(self.store, str | os.PathLike) or not self.store):
            raise UsageError(
                f"store: {self.store!r} is no place", 'give a folder or a URL, as in store="runs/store"'
            )
        if self.store is not None:
            encodable("store", os.fsdecode(self.store))
        if self.on is not None and not isinstance(self.on, str | AnyExecutor):
            raise UsageError(
                f"on: {self.on!r} is no executor",
                'give the name of one, as in on="threads", or one of concurrent.futures',
            )
        if self.jobs is not None:
            object.__setattr__(self, "jobs", whole_number_from("jobs", self.jobs, 1, 4))
        if not isinstance(self.resume, bool):
            raise UsageError(f"resume: {self.resume!r} is neither True nor False", "give one of the two")
        if self.time_limit_s is not None:
            object.__setattr__(self, "time_limit_s", _seconds(self.time_limit_s))
        if self.memory_limit_mib is not None:
            mib = whole_number_from("memory_limit_mib", self.memory_limit_mib, LEAST_MEMORY_MIB, 256)
            object.__setattr__(self, "memory_limit_mib", mib)

    @property
    def are_asked_for(self) -> bool:
        """Whether anything differs from this process and its memory."""
        return self != HERE


def _seconds(limit: Any) -> float:
    """A limit of time in seconds. Raises UsageError for what is none."""
    seconds = real_number("time_limit_s", limit, "60")
    if not 0 < seconds <= MOST_SECONDS:
        raise UsageError(
            f"time_limit_s: {limit!r} is out of range",
            f"give seconds above 0, at most {MOST_SECONDS:,.0f}, as in time_limit_s=60",
        )
    return float(seconds)


HERE = Means()


def checked(means: Any) -> Means:
    """The argument `means`. Raises UsageError for anything else."""
    if not isinstance(means, Means):
        raise UsageError(f"means: {means!r} are no means", 'give some, as in means=Means(store="runs/store")')
    return means


@contextmanager
def performed(means: Means) -> Iterator[tuple[Store, Executor]]:
    """The store and the executor; the latter ends with the block."""
    store = open_store(means.store)
    with executor(means.on, means.jobs, means.memory_limit_mib) as chosen:
        yield store, chosen


@contextmanager
def many_runs(means: Means) -> Iterator[None]:
    """Within the block, everything that runs many scenarios does so by these means, if any are asked for."""
    if not means.are_asked_for:
        yield
        return
    with performed(means) as (store, chosen):

        def elsewhere(scenarios: "Sequence[Scenario]", progress: Progress | None) -> list[ArchivedRun]:
            return run_all(scenarios, store, chosen, means, progress)

        with engine.sweeping_with(elsewhere):
            yield


def run_all(
    scenarios: "Sequence[Scenario]",
    store: Store,
    chosen: Executor,
    means: Means,
    progress: Progress | None = None,
) -> list[ArchivedRun]:
    """Have the runs of these scenarios in the store; gives them in the order of the scenarios.

    Raises RunsFailedError where one failed, after all others have ended.
    """
    limits = Limits(means.time_limit_s)
    driver = Driver(store, chosen, resume=means.resume, limits=limits, progress=progress)
    wanted = [wanted_of(scenario) for scenario in scenarios]
    driver.run(wanted, len(wanted))
    raise_failures(driver.tally, store)
    return [kept_run(store, each.key) for each in wanted]


def kept_run(store: Store, key: RunKey) -> ArchivedRun:
    """A run that was just kept. Raises UsageError where it has been damaged or removed meanwhile."""
    try:
        found = store.get(key)
    except DamagedError:
        store.forget(key)
        found = None
    if found is None:
        raise UsageError(
            f"the run {key.path} has been removed from the store or damaged meanwhile",
            "the same command runs it again",
        )
    return found
