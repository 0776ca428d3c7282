"""The one way to run many, by an executor and a store: for sweeps, studies and planning alike."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor as AnyExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope import engine
from hopscope.engine import Progress
from hopscope.errors import UsageError
from hopscope.executors.choose import executor
from hopscope.executors.executor import Executor
from hopscope.experiments.driver import Driver, Limits, raise_failures, wanted_of
from hopscope.results.archived import ArchivedRun, DamagedError
from hopscope.store.store import RunKey, Store, open_store

if TYPE_CHECKING:
    from hopscope._core import Scenario


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

    @property
    def are_asked_for(self) -> bool:
        """Whether anything differs from this process and its memory."""
        return self != HERE


HERE = Means()


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
