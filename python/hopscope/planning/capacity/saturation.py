"""Finding the load at which a scenario saturates, by simulation: several scenarios at once, on all cores.

A load is carried if the backlog surely does not grow, and not carried if it surely does. "Surely" is a
confidence of 95 %, from runs with different seeds; if neither is certain the runs continue, and the load
stays open when they have ended.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, SupportsIndex

from hopscope import engine
from hopscope.estimate import Estimate
from hopscope.numerals import number
from hopscope.overrides import FEWEST_MESSAGES_ASKED, MOST_SEEDS_ASKED, whole_number_from
from hopscope.planning.capacity.looks import LENGTHS, SINCE, Look, SeededRun, keep_no_more, look_at
from hopscope.planning.trying.gain import paired
from hopscope.progress import Progress
from hopscope.results.run import RunResult

if TYPE_CHECKING:
    from hopscope._core import Scenario

FULL_LOAD = 1.0
# The search stops when the interval is this share of the load wide, or after this many rounds.
PRECISION = 0.02
MOST_ROUNDS = 100
# The progress shown per round is this share of what was left: the number of rounds is unknown.
PROGRESS_A_ROUND = 0.1
# The upward step of a search, as a share of the load, while everything seems to be carried.
STEP = 0.15
LEAST_LOAD = 0.001
DIGITS = 4
# A backlog that surely grows by more than this share of what is offered is not carried, one that surely grows
# by less is: the engine's rule for one run.
GROWTH = 0.01
# The least number of seeds for a confidence interval, and of messages for a run to outlast its start.
FEWEST_SEEDS = 4
FEWEST_MESSAGES = 20_000
# Lasting growth is twice one sample less another, and so is noisy. It is used if the runs with all seeds have
# delivered this many messages together, as 6 seeds have at a quarter of 40 000. Just below saturation, loads
# were classified as not carried in up to 28 % of the cases with 20 000, in up to 6 % with 60 000.
TELLING_MESSAGES = 60_000
MOST_MESSAGES = 1_000_000_000


class LoadState(Enum):
    """What is known of a load."""

    CARRIED = auto()
    NOT_CARRIED = auto()
    # Longer runs will decide.
    OPEN = auto()
    # The longest runs do not decide.
    UNDECIDED = auto()


@dataclass(frozen=True)
class Saturation:
    """The saturation load of a scenario.

    The load `low` is carried and `high` is not, each with a confidence of 95 %; between, runs of this length
    do not decide. `high` is None if no load is known not to be carried. `deadlocked` are the seeds with which
    runs at `high` ended in a deadlock.
    """

    low: float
    high: float | None
    seeds: tuple[int, ...]
    deadlocked: tuple[int, ...] = ()

    @property
    def load(self) -> float:
        """The middle of the interval; 1 if the full load is carried."""
        return (self.low + (FULL_LOAD if self.high is None else self.high)) / 2

    def __str__(self) -> str:
        """The load with its interval."""
        if self.low == 0 and self.high is not None:
            return f"below {number(self.high, 3)}"
        if self.high is None:
            return "not at any load" if self.low == FULL_LOAD else f"above {number(self.low, 3)}"
        return f"{number(self.load, 3)} [{number(self.low, 3)}, {number(self.high, 3)}]"

    def data(self) -> dict[str, object]:
        """The same as in JSON."""
        return {
            "load": self.load,
            "low": self.low,
            "high": self.high,
            "seeds": list(self.seeds),
            "deadlocked": list(self.deadlocked),
        }

    def gain_over(self, other: "Saturation") -> float | None:
        """The gain as a share of the other's load; None if no load was carried."""
        return self.load / other.load - 1 if other.low > 0 else None

    def surely_above(self, other: "Saturation") -> bool:
        """Whether the intervals do not touch."""
        return other.high is not None and self.low >= other.high


@dataclass
class Search:
    """The search for one scenario's saturation load.

    `guess` is the first load to try; no load from `ceiling` on is carried, since its bounds exclude it. The
    longest runs deliver `messages`.
    """

    scenario: "Scenario"
    guess: float
    seeds: Sequence[int]
    ceiling: float = FULL_LOAD
    messages: int = FEWEST_MESSAGES
    # For each load and length the samples, seed by seed.
    looks: dict[float, list[list[Look]]] = field(default_factory=dict)
    # The runs at each load, seed by seed.
    runs: dict[float, list[SeededRun]] = field(default_factory=dict)

    def state(self, load: float) -> LoadState:
        """The verdict on a load that was tried.

        Growth must exceed that of a queue that fills up. Two samples distinguish them, one four times as late
        as the other, if they are long enough.
        """
        looks = self.looks[load]
        if any(look.deadlocked for look in looks[-1]):
            return LoadState.NOT_CARRIED
        grown = growth(looks[-1])
        if grown.high < GROWTH:
            return LoadState.CARRIED
        if self._tells_what_lasts(looks) and grown.low > GROWTH and self._lasting(load) > GROWTH:
            return LoadState.NOT_CARRIED
        return LoadState.UNDECIDED if len(looks) == len(LENGTHS) else LoadState.OPEN

    def bracket(self) -> tuple[float | None, float | None]:
        """The highest load carried below the lowest one not carried, and that lowest."""
        low, _, high = self._ends({load: self.state(load) for load in self.looks})
        return low, high

    def next_loads(self) -> list[float]:
        """The loads of the next round: new ones, or those whose runs are to continue.

        None are left when the interval is as narrow as requested, or as runs of these lengths allow. Short
        runs give the two loads between which saturation lies; then only the two ends of a narrow interval
        continue, the upper one first, since short runs exaggerate growth.
        """
        if not self.looks:
            expected = min(self.guess, self.ceiling)
            return self._first(expected) or self._first(expected * (1 - STEP))
        low, between, high = self._ends({load: self._likely(load) for load in self.looks})
        if low is None:
            return self._longer(high) or self._below(min(self.looks))
        higher = max(self.looks) * (1 + STEP)
        if high not in self.looks and FULL_LOAD not in self.looks and (high is None or higher < high):
            return self._first(higher)
        edges = [low, *between, *([] if high is None else [high])]
        return self._longer(high) or self._first(*self._inside(edges)) or self._longer(low)

    def _likely(self, load: float) -> LoadState:
        """The state, or the likely one if longer runs are needed to decide."""
        found = self.state(load)
        if found is not LoadState.OPEN:
            return found
        return LoadState.NOT_CARRIED if self._lasting(load) > GROWTH else LoadState.CARRIED

    def _tells_what_lasts(self, looks: Sequence[Sequence[Look]]) -> bool:
        """Whether the last of these samples is long enough to distinguish lasting growth from chance."""
        delivered = LENGTHS[len(looks) - 1] * self.messages * len(looks[-1])
        return _before(looks) is not None and delivered >= TELLING_MESSAGES

    def _lasting(self, load: float) -> float:
        """The growth that would last in runs without end.

        A queue close to saturation fills up like a random walk, with the square root of time: its growth, as
        a share of what is offered, falls with the square root of a run's length. The previous sample, after a
        quarter of that, shows how much of the growth that is, and it is subtracted.
        """
        grown = growth(self.looks[load][-1]).value
        before = _before(self.looks[load])
        if before is None:
            return grown
        root = math.sqrt(SINCE)
        return min(grown, grown - (growth(before).value - grown) * root / (1 - root))

    def _ends(self, states: Mapping[float, LoadState]) -> tuple[float | None, list[float], float | None]:
        """The highest load carried below the lowest one not carried, what is undecided between, and that."""
        proven = self.ceiling if self.ceiling < FULL_LOAD else None
        high = min((load for load, found in states.items() if found is LoadState.NOT_CARRIED), default=proven)
        below = sorted(load for load in states if high is None or load < high)
        low = max((load for load in below if states[load] is LoadState.CARRIED), default=None)
        undecided = (load for load in below if states[load] is LoadState.UNDECIDED)
        return low, [load for load in undecided if low is None or load > low], high

    def _longer(self, load: float | None) -> list[float]:
        """A load whose runs have not decided so far; empty for one without runs."""
        if load is None or load not in self.looks or self.state(load) is not LoadState.OPEN:
            return []
        return [load]

    def _first(self, *loads: float) -> list[float]:
        """Those of these loads that have no run yet and that bounds do not exclude."""
        top = self.ceiling
        clipped = {min(max(round(load, DIGITS), LEAST_LOAD), FULL_LOAD) for load in loads}
        return sorted(load for load in clipped - set(self.looks) if load < top or load == FULL_LOAD == top)

    def _below(self, lowest: float) -> list[float]:
        """A load below the lowest so far, if none seems to be carried: what that one's runs delivered.

        What a run delivers before a deadlock says nothing of lower loads.
        """
        if any(look.deadlocked for look in self.looks[lowest][-1]):
            return self._first(lowest / 2)
        return self._first(min(1 - self._lasting(lowest), 1 - PRECISION) * lowest)

    def _inside(self, edges: Sequence[float]) -> list[float]:
        """New loads in the middle of the first and the last gap of the interval, if they are too wide."""
        ends = dict.fromkeys([(edges[0], edges[1]), (edges[-2], edges[-1])]) if len(edges) > 1 else {}
        return [(begin + end) / 2 for begin, end in ends if end - begin > PRECISION * edges[-1]]

    def result(self) -> Saturation:
        """The result of the search."""
        low, high = self.bracket()
        looks = [] if high is None or high not in self.looks else self.looks[high][-1]
        deadlocked = [seed for seed, look in zip(self.seeds, looks, strict=False) if look.deadlocked]
        return Saturation(low or 0.0, high, tuple(self.seeds), tuple(deadlocked))


def _before(looks: Sequence[Sequence[Look]]) -> Sequence[Look] | None:
    """The samples at a quarter of the length of the last ones."""
    quarter = SINCE * LENGTHS[len(looks) - 1]
    return looks[LENGTHS.index(quarter)] if quarter in LENGTHS else None


def search(scenario: "Scenario", bounds: Mapping[str, Any], seeds: Sequence[int]) -> Search:
    """A search that begins where the analysis expects saturation and ends at its bound."""
    ceiling = FULL_LOAD if bounds["at_most"] is None else min(FULL_LOAD, bounds["at_most"])
    return Search(scenario, bounds["expected"] or FULL_LOAD, seeds, ceiling)


def thoroughness(seeds: SupportsIndex, messages: SupportsIndex) -> tuple[int, int]:
    """The arguments `seeds` and `messages` of a search. Raises UsageError if they are out of range."""
    return (
        whole_number_from("seeds", seeds, 1, FEWEST_SEEDS, MOST_SEEDS_ASKED),
        whole_number_from("messages", messages, FEWEST_MESSAGES_ASKED, FEWEST_MESSAGES, MOST_MESSAGES),
    )


def seeds_of(scenario: "Scenario", seeds: int) -> range:
    """The seeds of a search: as many as requested, but enough for a confidence interval."""
    return range(scenario.seed, scenario.seed + max(seeds, FEWEST_SEEDS))


def find(searches: Sequence[Search], messages: int, progress: Progress | None = None) -> None:
    """Complete searches, all in step, with the same seeds and at most this many messages per run."""
    for search in searches:
        search.messages = longest(messages)
    for number_of_round in range(MOST_ROUNDS):
        wanted = [(search, load) for search in searches for load in search.next_loads()]
        if not wanted:
            return
        look_at(wanted, longest(messages), _of_round(progress, number_of_round))
        keep_no_more(*_by_whether_open(searches))


def _by_whether_open(searches: Sequence[Search]) -> tuple[list[SeededRun], list[SeededRun]]:
    """The runs that may have to continue, and the others."""
    by_openness: dict[bool, list[SeededRun]] = {True: [], False: []}
    for search in searches:
        for load, runs in search.runs.items():
            by_openness[search.state(load) is LoadState.OPEN].extend(runs)
    return by_openness[True], by_openness[False]


def longest(messages: int) -> int:
    """The number of messages of the longest runs, if this many were requested."""
    return max(messages, FEWEST_MESSAGES)


def growth(looks: Sequence[Look]) -> Estimate:
    """The growth of the backlog over the seeds, as a share of the offer, with its 95 % interval."""
    return paired([look.grown for look in looks])


def run_at(search: Search, load: float, seed: int, messages: int) -> RunResult:
    """A whole run at a load with one seed."""
    overrides = [f"traffic.load={load}", f"seed={seed}", f"measure.messages={longest(messages)}"]
    scenario = search.scenario.with_overrides(overrides)
    return RunResult.of(scenario, engine.sweep([scenario])[0])


def _of_round(progress: Progress | None, before: int) -> Progress | None:
    """Progress of one round, after this many rounds, as progress of the whole."""
    if progress is None:
        return None
    left = (1 - PROGRESS_A_ROUND) ** before
    return lambda fraction, words: progress(
        1 - left * (1 - PROGRESS_A_ROUND * fraction), f"round {before + 1}: {words}"
    )
