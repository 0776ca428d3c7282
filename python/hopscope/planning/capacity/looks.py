"""Looks at runs under way: how much the backlog of each has grown. For the next look a run goes on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscope import _core, engine
from hopscope.planning.goals.goal import DEADLOCK
from hopscope.results.run import RunResult
from hopscope.watching import Progress

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.planning.capacity.saturation import Search

# A run is looked at when it has delivered these parts of its messages. Each look counts what has come since
# a quarter of that, which cuts off the start.
LENGTHS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
SINCE = 1 / 4
# Where runs stop to be counted.
_MARKS = sorted({*LENGTHS, *(SINCE * length for length in LENGTHS)})
# Runs that may go on are kept in memory for networks of so many ports and hosts together, some hundred bytes
# each. What is more begins anew, which comes to the same.
MOST_PLACES_KEPT = 1_000_000


@dataclass(frozen=True)
class Look:
    """How much the backlog grew, as a share of what was offered meanwhile."""

    grown: float
    deadlocked: bool = False


class SeededRun:
    """A run at a load with a seed, and the bits offered and delivered at parts of its messages."""

    def __init__(self, scenario: "Scenario") -> None:
        """A run that has not begun."""
        self.scenario = scenario
        self.paused = _core.PausedRun(scenario)
        self.counts: dict[float, tuple[int, int, bool]] = {}

    @property
    def deadlock(self) -> tuple[int, int, bool] | None:
        """What it has come to where it is in a deadlock: it will never come to more."""
        return next((counts for counts in self.counts.values() if counts[2]), None)

    def look(self, length: float) -> Look:
        """What has come up to this part. In a deadlock, or where nothing was offered, all of it grew."""
        offered, delivered, deadlocked = self.counts[length]
        before, delivered_before, _ = self.counts[SINCE * length]
        new = offered - before
        goes_on = new > 0 and not deadlocked
        return Look(1 - (delivered - delivered_before) / new if goes_on else 1.0, deadlocked)


def look_at(
    wanted: Sequence[tuple["Search", float]], messages: int, progress: Progress | None = None
) -> None:
    """Have the runs of each search at its load go on to the next of the lengths of so many messages.

    What they have come to is added to the search's looks.
    """
    until = []
    for search, load in wanted:
        if load not in search.runs:
            search.runs[load] = [SeededRun(scenario) for scenario in _scenarios(search, load)]
            search.looks[load] = []
        length = LENGTHS[len(search.looks[load])]
        until += [(run, length) for run in search.runs[load]]
    for mark in _MARKS:
        runs = [run for run, length in until if mark <= length and mark not in run.counts]
        going = [run for run in runs if run.deadlock is None]
        counted = iter(_counts(going, max(round(mark * messages), 1), progress))
        for run in runs:
            run.counts[mark] = run.deadlock or next(counted)
    looks = iter([run.look(length) for run, length in until])
    for search, load in wanted:
        search.looks[load].append([next(looks) for _ in search.runs[load]])


def _counts(
    runs: Sequence[SeededRun], messages: int, progress: Progress | None
) -> list[tuple[int, int, bool]]:
    """Bits offered and delivered when so many messages have been delivered, and whether there is a deadlock.

    Runs elsewhere are whole ones, which end at the same event.
    """
    if not engine.runs_elsewhere():
        return engine.go_on([run.paused for run in runs], messages, progress)
    whole = f'measure={{ messages = {messages}, warmup = "none" }}'
    scenarios = [run.scenario.with_overrides([whole]) for run in runs]
    ended = engine.sweep(scenarios, progress)
    return [_counts_of(RunResult.of(scenario, run)) for scenario, run in zip(scenarios, ended, strict=True)]


def _counts_of(run: RunResult) -> tuple[int, int, bool]:
    """The same of a whole run, from its rates in Gbit/s: rounded, they are the bits that it counted.

    A deadlock has no rates.
    """
    seconds = run.summary.data["measured"]["span_s"]

    def bits(name: str) -> int:
        rate = run.summary.find(name)
        return 0 if rate is None else round(rate.value * 1e9 * seconds)

    return bits("offered"), bits("throughput"), run.outcome == DEADLOCK


def keep_no_more(open_runs: Iterable[SeededRun], other_runs: Iterable[SeededRun]) -> None:
    """Free the memory of runs that will not go on, and of those that are too many to be kept."""
    for run in other_runs:
        run.paused.set_aside()
    kept = 0
    for run in open_runs:
        kept += run.paused.places
        if kept > MOST_PLACES_KEPT:
            run.paused.set_aside()


def _scenarios(search: "Search", load: float) -> list["Scenario"]:
    return [search.scenario.with_overrides([f"traffic.load={load}", f"seed={seed}"]) for seed in search.seeds]
