"""Samples of paused runs: the growth of each backlog. A run continues for the next sample."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscope import _core, engine
from hopscope.progress import Progress
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.planning.capacity.saturation import Search

# A run is sampled when it has delivered these parts of its messages. Each sample counts from a quarter of
# that on, which cuts off the start.
LENGTHS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
SINCE = 1 / 4
# Where runs stop to be counted.
_MARKS = sorted({*LENGTHS, *(SINCE * length for length in LENGTHS)})
# Runs that may continue are kept in memory up to this many ports and hosts in all, some hundred bytes each.
# Others start again, with the same result.
MOST_PLACES_KEPT = 1_000_000


@dataclass(frozen=True)
class Look:
    """The growth of the backlog as a share of what was offered meanwhile."""

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
        """Its counts if it is in a deadlock: they will not change any more."""
        return next((counts for counts in self.counts.values() if counts[2]), None)

    def look(self, length: float) -> Look:
        """The sample at this part. In a deadlock, or without an offer, the growth is all of it."""
        offered, delivered, deadlocked = self.counts[length]
        before, delivered_before, _ = self.counts[SINCE * length]
        new = offered - before
        goes_on = new > 0 and not deadlocked
        return Look(1 - (delivered - delivered_before) / new if goes_on else 1.0, deadlocked)


def look_at(
    wanted: Sequence[tuple["Search", float]], messages: int, progress: Progress | None = None
) -> None:
    """Continue the runs of each search at its load to the next of the lengths, of this many messages.

    Their samples are added to the search's looks.
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
    """Bits offered and delivered at this many delivered messages, and whether there is a deadlock.

    Runs elsewhere are whole ones, which end at the same event.
    """
    if not engine.runs_elsewhere():
        return engine.go_on([run.paused for run in runs], messages, progress)
    whole = f'measure={{ messages = {messages}, warmup = "none" }}'
    scenarios = [run.scenario.with_overrides([whole]) for run in runs]
    ended = engine.sweep(scenarios, progress)
    return [_counts_of(RunResult.of(scenario, run)) for scenario, run in zip(scenarios, ended, strict=True)]


def _counts_of(run: RunResult) -> tuple[int, int, bool]:
    """The same for a whole run, from its rates in Gbit/s: rounded, they are the counted bits.

    A deadlock has no rates.
    """
    seconds = run.summary.data["measured"]["span_s"]

    def bits(name: str) -> int:
        rate = run.summary.find(name)
        return 0 if rate is None else round(rate.value * 1e9 * seconds)

    return bits("offered"), bits("throughput"), run.outcome == Outcome.DEADLOCK


def keep_no_more(open_runs: Iterable[SeededRun], other_runs: Iterable[SeededRun]) -> None:
    """Free the memory of runs that will not continue, and of those that are too many to keep."""
    for run in other_runs:
        run.paused.set_aside()
    kept = 0
    for run in open_runs:
        kept += run.paused.places
        if kept > MOST_PLACES_KEPT:
            run.paused.set_aside()


def _scenarios(search: "Search", load: float) -> list["Scenario"]:
    return [search.scenario.with_overrides([f"traffic.load={load}", f"seed={seed}"]) for seed in search.seeds]
