"""Finding the load at which a scenario saturates, by simulation: several scenarios at once, on all cores.

A load is carried if the backlog surely does not grow, and not carried if it surely does. "Surely" is a
confidence of 95 %, from runs with different seeds; a load of which neither is sure is run longer, and stays
open at the longest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from hopscope import engine
from hopscope.engine import Progress
from hopscope.estimate import Estimate
from hopscope.numerals import number
from hopscope.planning.gain import paired
from hopscope.planning.goal import DEADLOCK
from hopscope.results.run import RunResult

if TYPE_CHECKING:
    from hopscope._core import Scenario

FULL = 1.0
# The search stops when the interval is this share of the load wide, or after so many rounds.
PRECISION = 0.02
MOST_ROUNDS = 14
FIRST_STEP = 0.15
LEAST_LOAD = 0.001
DIGITS = 4
# A backlog that grows by more than this share of what is offered is not carried: the engine's rule for one
# run.
GROWTH = 0.01
# Seeds are what the confidence comes from, and each run has to outlast its start.
FEWEST_SEEDS = 4
FEWEST_MESSAGES = 20_000
# Lengths of runs at one load, as parts of the longest. What grows in a short run may be a queue that fills
# up.
LENGTHS = (1 / 16, 1 / 4, 1)


class Verdict(Enum):
    """What is known of a load."""

    CARRIED = auto()
    NOT_CARRIED = auto()
    # Longer runs will tell.
    OPEN = auto()
    # The longest runs do not tell.
    UNDECIDED = auto()


@dataclass(frozen=True)
class Saturation:
    """Where a scenario saturates.

    The load `low` is carried and `high` is not, each with a confidence of 95 %; between, runs of this length
    do not tell. `high` is None where no load is known not to be carried.
    """

    low: float
    high: float | None
    seeds: tuple[int, ...]

    @property
    def load(self) -> float:
        """The middle of the interval; 1 where the full load is carried."""
        return (self.low + (FULL if self.high is None else self.high)) / 2

    def __str__(self) -> str:
        """The load with its interval."""
        if self.high is None:
            return "not at any load" if self.low == FULL else f"above {number(self.low, 3)}"
        return f"{number(self.load, 3)} [{number(self.low, 3)}, {number(self.high, 3)}]"

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {"load": self.load, "low": self.low, "high": self.high, "seeds": list(self.seeds)}

    def gain_over(self, other: "Saturation") -> float:
        """How much more this carries, as a share of the other's load."""
        return self.load / other.load - 1

    def surely_above(self, other: "Saturation") -> bool:
        """Whether the intervals do not touch."""
        return other.high is not None and self.low >= other.high


@dataclass
class Search:
    """The search for one scenario's saturation load.

    `guess` is where to look first; no load from `ceiling` on is carried, since its bounds rule it out.
    """

    scenario: "Scenario"
    guess: float
    seeds: Sequence[int]
    ceiling: float = FULL
    rounds: int = 0
    # The runs at each load looked at, seed by seed, of each length.
    runs: dict[float, list[list[RunResult]]] = field(default_factory=dict)

    def verdict(self, load: float) -> Verdict:
        """What is known of a load that was looked at.

        Growth must still be there in runs four times as long: a stable queue that fills up grows by less and
        less.
        """
        looks = self.runs[load]
        if any(run.outcome == DEADLOCK for run in looks[-1]):
            return Verdict.NOT_CARRIED
        grown = growth(looks[-1])
        if grown.high < GROWTH:
            return Verdict.CARRIED
        if len(looks) > 1 and grown.low > 0 and grown.value > GROWTH:
            return Verdict.NOT_CARRIED
        return Verdict.UNDECIDED if len(looks) == len(LENGTHS) else Verdict.OPEN

    def bracket(self) -> tuple[float | None, float | None]:
        """The highest load carried below the lowest one not carried, and that lowest."""
        verdicts = {load: self.verdict(load) for load in self.runs}
        proven = self.ceiling if self.ceiling < FULL else None
        high = min((load for load, found in verdicts.items() if found is Verdict.NOT_CARRIED), default=proven)
        carried = (load for load, found in verdicts.items() if found is Verdict.CARRIED)
        return max((load for load in carried if high is None or load < high), default=None), high

    def _edges(self) -> list[float]:
        """The ends of the interval with the undecided loads between."""
        low, high = self.bracket()
        assert low is not None, "edges of an interval with an end"
        between = sorted(
            load
            for load in self.runs
            if self.verdict(load) is Verdict.UNDECIDED and low < load < (high or load + 1)
        )
        return [low, *between, *([] if high is None else [high])]

    @property
    def done(self) -> bool:
        """Whether the interval is as narrow as was asked for, or as runs of this length allow."""
        if self.rounds == MOST_ROUNDS:
            return True
        if any(self.verdict(load) is Verdict.OPEN for load in self.runs):
            return False
        low, high = self.bracket()
        if low is None:
            return bool(self.runs) and min(self.runs) <= LEAST_LOAD
        if high is None and low < FULL and FULL not in self.runs:
            return False
        edges = self._edges()
        wide = PRECISION * edges[-1]
        return low == FULL or (len(edges) > 1 and not self._wide_gaps(edges, wide))

    def _wide_gaps(self, edges: Sequence[float], wide: float) -> list[tuple[float, float]]:
        """The first and the last gap of the interval, where they are too wide."""
        gaps = dict.fromkeys([(edges[0], edges[1]), (edges[-2], edges[-1])])
        return [gap for gap in gaps if gap[1] - gap[0] > wide]

    def next_looks(self) -> list[tuple[float, int]]:
        """The loads to look at in the next round, each with which of the lengths."""
        again = [
            (load, len(looks)) for load, looks in self.runs.items() if self.verdict(load) is Verdict.OPEN
        ]
        if again:
            return sorted(again)
        return [(load, 0) for load in self.next_loads()]

    def next_loads(self) -> list[float]:
        """The new loads to look at in the next round."""
        low, high = self.bracket()
        if not self.runs:
            guess = min(self.guess, self.ceiling)
            loads = [guess * (1 - FIRST_STEP), guess, guess * (1 + FIRST_STEP)]
        elif low is None:
            loads = [min(self.runs) * (1 - FIRST_STEP) ** (2**i) for i in range(2)]
        elif high is None and FULL not in self.runs:
            top = max(self.runs)
            loads = [top * (1 + FIRST_STEP), top * (1 + 2 * FIRST_STEP)]
        else:
            edges = self._edges()
            gaps = self._wide_gaps(edges, PRECISION * edges[-1]) if len(edges) > 1 else []
            parts = (1 / 3, 2 / 3) if len(gaps) == 1 else (1 / 2,)
            loads = [begin + (end - begin) * part for begin, end in gaps for part in parts]
        clipped = {min(max(round(load, DIGITS), LEAST_LOAD), FULL) for load in loads}
        return sorted(
            load for load in clipped - set(self.runs) if load < self.ceiling or load == FULL == self.ceiling
        )

    def seen_at(self, load: float) -> RunResult | None:
        """The first seed's longest run at a load, if it was looked at."""
        return self.runs[load][-1][0] if load in self.runs else None

    def result(self) -> Saturation:
        """What has been found."""
        low, high = self.bracket()
        return Saturation(low or 0.0, high, tuple(self.seeds))


def search(scenario: "Scenario", bounds: Mapping[str, Any], seeds: Sequence[int]) -> Search:
    """A search that begins where the analysis expects saturation and ends where it rules more out."""
    ceiling = FULL if bounds["at_most"] is None else min(FULL, bounds["at_most"])
    return Search(scenario, bounds["expected"] or FULL, seeds, ceiling)


def seeds_of(scenario: "Scenario", seeds: int) -> range:
    """The seeds of a search: as many as asked for, but enough for a confidence."""
    return range(scenario.seed, scenario.seed + max(seeds, FEWEST_SEEDS))


def find(searches: Sequence[Search], messages: int, progress: Progress | None = None) -> None:
    """Carry searches to their end, all in step, with the same seeds and at most so many messages a run."""
    longest = max(messages, FEWEST_MESSAGES)
    for number_of_round in range(MOST_ROUNDS):
        wanted = [
            (search, load, length, seed)
            for search in searches
            if not search.done
            for load, length in search.next_looks()
            for seed in search.seeds
        ]
        if not wanted:
            return
        scenarios = [
            search.scenario.with_overrides(
                [
                    f"traffic.load={load}",
                    f"seed={seed}",
                    f"measure.messages={round(longest * LENGTHS[length])}",
                ]
            )
            for search, load, length, seed in wanted
        ]
        runs = engine.sweep(scenarios, _within(progress, number_of_round, MOST_ROUNDS))
        for (search, load, length, _), scenario, run in zip(wanted, scenarios, runs, strict=True):
            looks = search.runs.setdefault(load, [])
            if len(looks) == length:
                looks.append([])
            looks[length].append(RunResult.of(scenario, run))
        for search in searches:
            search.rounds += 1


def growth(runs: Sequence[RunResult]) -> Estimate:
    """How much the backlog grew, as a share of what was offered, with its 95 % interval."""
    return paired([_grown(run) for run in runs])


def at_highest_load(search: Search) -> RunResult:
    """The first seed's run at the highest load that was looked at."""
    found = search.seen_at(max(search.runs))
    assert found is not None, "a search looks at a load"
    return found


def _grown(run: RunResult) -> float:
    """The share of what was offered that was not delivered: all of it where the run measured nothing."""
    offered, delivered = run.summary.find("offered"), run.summary.find("throughput")
    if offered is None or delivered is None or not offered.value:
        return 1.0
    return 1 - delivered.value / offered.value


def _within(progress: Progress | None, done: int, most: int) -> Progress | None:
    """Progress of one round as progress of the whole, which may end early."""
    if progress is None:
        return None
    return lambda fraction, words: progress((done + fraction) / most, f"round {done + 1}: {words}")
