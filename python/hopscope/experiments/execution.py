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
from hopscope.progress import Progress
from hopscope.results.archived import ArchivedRun, DamagedError
from hopscope.store.store import RunKey, Store, open_store

if TYPE_CHECKING:
    from hopscope._core import Scenario


# A worker with less memory cannot start.
LEAST_MEMORY_MIB = 64
# The largest time limit, within what system timers can hold.
MOST_SECONDS = 1e9


@dataclass(frozen=True, slots=True)
class Execution:
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
        """Refuse invalid values, by the argument's name."""
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
    def differs_from_default(self) -> bool:
        """Whether anything differs from this process and its memory."""
        return self != HERE


def _seconds(limit: Any) -> float:
    """A time limit in seconds. Raises UsageError for an invalid one."""
    seconds = real_number("time_limit_s", limit, "60")
    if not 0 < seconds <= MOST_SECONDS:
        raise UsageError(
            f"time_limit_s: {limit!r} is out of range",
            f"give seconds above 0, at most {MOST_SECONDS:,.0f}, as in time_limit_s=60",
        )
    return float(seconds)


HERE = Execution()


def checked(execution: Any) -> Execution:
    """The argument `execution`. Raises UsageError for anything else."""
    if not isinstance(execution, Execution):
        raise UsageError(
            f"execution: {execution!r} is no Execution",
            'give one, as in execution=Execution(store="runs/store")',
        )
    return execution


@contextmanager
def performed(execution: Execution) -> Iterator[tuple[Store, Executor]]:
    """The store and the executor; the latter ends with the block."""
    store = open_store(execution.store)
    with executor(execution.on, execution.jobs, execution.memory_limit_mib) as chosen:
        yield store, chosen


@contextmanager
def many_runs(execution: Execution) -> Iterator[None]:
    """Within the block, everything that runs many scenarios does so as `execution` says."""
    if not execution.differs_from_default:
        yield
        return
    with performed(execution) as (store, chosen):

        def elsewhere(scenarios: "Sequence[Scenario]", progress: Progress | None) -> list[ArchivedRun]:
            return run_all(scenarios, store, chosen, execution, progress)

        with engine.sweeping_with(elsewhere):
            yield


def run_all(
    scenarios: "Sequence[Scenario]",
    store: Store,
    chosen: Executor,
    execution: Execution,
    progress: Progress | None = None,
) -> list[ArchivedRun]:
    """Ensure that the runs of these scenarios are in the store; returns them in the same order.

    Raises RunsFailedError if one failed, after all others have ended.
    """
    limits = Limits(execution.time_limit_s)
    driver = Driver(store, chosen, resume=execution.resume, limits=limits, progress=progress)
    wanted = [wanted_of(scenario) for scenario in scenarios]
    driver.run(wanted, len(wanted))
    raise_failures(driver.tally, store)
    return [kept_run(store, each.key) for each in wanted]


def kept_run(store: Store, key: RunKey) -> ArchivedRun:
    """A run that was just kept. Raises UsageError if it has been damaged or removed meanwhile."""
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
