"""Finding the load at which a scenario saturates, by simulation: several scenarios at once, on all cores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hopscope import engine
from hopscope.engine import Progress
from hopscope.numerals import number
from hopscope.results.run import RunResult

if TYPE_CHECKING:
    from hopscope._core import Scenario

FULL = 1.0
# The search stops when the bracket is this share of the load wide, or after so many rounds.
PRECISION = 0.02
MOST_ROUNDS = 8
# A round looks at so many loads at once, whatever the number of cores, so that the loads, and with them the
# result, are the same everywhere.
LOADS_A_ROUND = 3
FIRST_STEP = 0.15
LEAST_LOAD = 0.001
DIGITS = 4


@dataclass(frozen=True)
class Saturation:
    """Where a scenario saturates.

    With every seed the load `low` was carried, and with every seed `high` was not: the truth lies between,
    as far as runs of this length can tell. `high` is None where even the full load was carried.
    """

    low: float
    high: float | None
    seeds: tuple[int, ...]

    @property
    def load(self) -> float:
        """The middle of the bracket; 1 where nothing saturates."""
        return FULL if self.high is None else (self.low + self.high) / 2

    def __str__(self) -> str:
        """The load with its bracket."""
        if self.high is None:
            return "not at any load"
        return f"{number(self.load, 3)} [{number(self.low, 3)}, {number(self.high, 3)}]"

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {"load": self.load, "low": self.low, "high": self.high, "seeds": list(self.seeds)}

    def gain_over(self, other: "Saturation") -> float:
        """How much more this carries, as a share of the other's load."""
        return self.load / other.load - 1

    def surely_above(self, other: "Saturation") -> bool:
        """Whether the brackets do not touch."""
        return other.high is not None and self.low >= other.high


@dataclass
class Search:
    """The search for one scenario's saturation load.

    `guess` is where to look first; no load above `ceiling` is looked at, since its bounds rule it out.
    """

    scenario: "Scenario"
    guess: float
    seeds: Sequence[int]
    ceiling: float = FULL
    rounds: int = 0
    # The runs at each load looked at, seed by seed.
    runs: dict[float, list[RunResult]] = field(default_factory=dict)

    def bracket(self) -> tuple[float | None, float | None]:
        """The highest load that every seed carried below the lowest that none did, and that lowest."""
        none = [load for load, runs in self.runs.items() if all(_exceeded(run) for run in runs)]
        high = min(none, default=None)
        every = [
            load
            for load, runs in self.runs.items()
            if not any(_exceeded(run) for run in runs) and (high is None or load < high)
        ]
        return max(every, default=None), high

    @property
    def done(self) -> bool:
        """Whether the bracket is as narrow as was asked for."""
        low, high = self.bracket()
        if low == self.ceiling or self.rounds == MOST_ROUNDS:
            return True
        return low is not None and high is not None and high - low <= PRECISION * high

    def next_loads(self) -> list[float]:
        """The loads to look at in the next round."""
        low, high = self.bracket()
        if low is not None and high is not None:
            step = (high - low) / (LOADS_A_ROUND + 1)
            loads = [low + step * (i + 1) for i in range(LOADS_A_ROUND)]
        elif low is None and high is None and not self.runs:
            guess = min(self.guess, self.ceiling)
            loads = [guess * (1 - FIRST_STEP), guess, guess * (1 + FIRST_STEP)]
        elif low is None:
            least = min(self.runs)
            loads = [least * (1 - FIRST_STEP) ** (2**i) for i in range(LOADS_A_ROUND)]
        else:
            loads = [low * (1 + FIRST_STEP * 2**i) for i in range(LOADS_A_ROUND)]
        clipped = {min(max(round(load, DIGITS), LEAST_LOAD), self.ceiling) for load in loads}
        return sorted(clipped - set(self.runs))

    def result(self) -> Saturation:
        """What has been found."""
        low, high = self.bracket()
        if high is None and self.ceiling < FULL:
            high = self.ceiling
        return Saturation(low or 0.0, high, tuple(self.seeds))


def search(scenario: "Scenario", bounds: Mapping[str, Any], seeds: Sequence[int]) -> Search:
    """A search that begins where the analysis expects saturation and ends where it rules more out."""
    ceiling = FULL if bounds["at_most"] is None else min(FULL, bounds["at_most"])
    return Search(scenario, bounds["expected"] or FULL, seeds, ceiling)


def find(searches: Sequence[Search], messages: int, progress: Progress | None = None) -> None:
    """Carry searches to their end, all in step, each with the same seeds."""
    most = MOST_ROUNDS
    for number_of_round in range(most):
        wanted = [
            (search, load, seed)
            for search in searches
            if not search.done
            for load in search.next_loads()
            for seed in search.seeds
        ]
        if not wanted:
            return
        scenarios = [
            search.scenario.with_overrides(
                [f"traffic.load={load}", f"seed={seed}", f"measure.messages={messages}"]
            )
            for search, load, seed in wanted
        ]
        runs = engine.sweep(scenarios, _within(progress, number_of_round, most))
        for (search, load, _), scenario, run in zip(wanted, scenarios, runs, strict=True):
            search.runs.setdefault(load, []).append(RunResult.of(scenario, run))
        for search in searches:
            search.rounds += 1


def _within(progress: Progress | None, done: int, most: int) -> Progress | None:
    """Progress of one round as progress of the whole, which may end early."""
    if progress is None:
        return None
    return lambda fraction, words: progress((done + fraction) / most, f"round {done + 1}: {words}")


def _exceeded(run: RunResult) -> bool:
    """Whether more was offered than was carried, or everything stalled."""
    return run.outcome in ("saturated", "deadlock")


def at_highest_load(runs: Mapping[float, Sequence[RunResult]]) -> RunResult:
    """The first run at the highest load that was looked at."""
    return runs[max(runs)][0]
