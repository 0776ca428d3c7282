"""Finding the load at which a scenario saturates, by simulation: several scenarios at once, on all cores.

A load is carried if the backlog surely does not grow, and not carried if it surely does. "Surely" is a
confidence of 95 %, from runs with different seeds; where neither is sure the runs go on, and the load stays
open when they have come to their end.
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
from hopscope.results.run import RunResult
from hopscope.watching import Progress

if TYPE_CHECKING:
    from hopscope._core import Scenario

FULL = 1.0
# The search stops when the interval is this share of the load wide, or in any case after so many rounds.
PRECISION = 0.02
MOST_ROUNDS = 100
# The progress shown is this share of what was left, each round: nobody knows how many there will be.
PROGRESS_A_ROUND = 0.1
# So far a search goes up, as a share of the load, while everything seems to be carried.
STEP = 0.15
LEAST_LOAD = 0.001
DIGITS = 4
# A backlog that surely grows by more than this share of what is offered is not carried, one that surely grows
# by less is: the engine's rule for one run.
GROWTH = 0.01
# Seeds are what the confidence comes from, and each run has to outlast its start.
FEWEST_SEEDS = 4
FEWEST_MESSAGES = 20_000
# The growth that lasts is twice one look less another, and so a noisy figure. It tells where the runs with
# all seeds have delivered this many messages together, as 6 seeds have at a quarter of 40 000. Just below
# saturation, loads were called not carried in up to 28 % of the cases with 20 000, in up to 6 % with 60 000.
TELLING_MESSAGES = 60_000
MOST_MESSAGES = 1_000_000_000


class Verdict(Enum):
    """What is known of a load."""

    CARRIED = auto()
    NOT_CARRIED = auto()
    # Later looks will tell.
    OPEN = auto()
    # The last look does not tell.
    UNDECIDED = auto()


@dataclass(frozen=True)
class Saturation:
    """Where a scenario saturates.

    The load `low` is carried and `high` is not, each with a confidence of 95 %; between, runs of this length
    do not tell. `high` is None where no load is known not to be carried. `deadlocked` are the seeds
    with which runs at `high` ended in a deadlock.
    """

    low: float
    high: float | None
    seeds: tuple[int, ...]
    deadlocked: tuple[int, ...] = ()

    @property
    def load(self) -> float:
        """The middle of the interval; 1 where the full load is carried."""
        return (self.low + (FULL if self.high is None else self.high)) / 2

    def __str__(self) -> str:
        """The load with its interval."""
        if self.low == 0 and self.high is not None:
            return f"below {number(self.high, 3)}"
        if self.high is None:
            return "not at any load" if self.low == FULL else f"above {number(self.low, 3)}"
        return f"{number(self.load, 3)} [{number(self.low, 3)}, {number(self.high, 3)}]"

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "load": self.load,
            "low": self.low,
            "high": self.high,
            "seeds": list(self.seeds),
            "deadlocked": list(self.deadlocked),
        }

    def gain_over(self, other: "Saturation") -> float | None:
        """How much more this carries, as a share of the other's load; None where no load was carried."""
        return self.load / other.load - 1 if other.low > 0 else None

    def surely_above(self, other: "Saturation") -> bool:
        """Whether the intervals do not touch."""
        return other.high is not None and self.low >= other.high


@dataclass
class Search:
    """The search for one scenario's saturation load.

    `guess` is where to look first; no load from `ceiling` on is carried, since its bounds rule it out. The
    longest runs deliver `messages`.
    """

    scenario: "Scenario"
    guess: float
    seeds: Sequence[int]
    ceiling: float = FULL
    messages: int = FEWEST_MESSAGES
    # At each load: of each length the looks, seed by seed.
    looks: dict[float, list[list[Look]]] = field(default_factory=dict)
    # The runs at each load, seed by seed.
    runs: dict[float, list[SeededRun]] = field(default_factory=dict)

    def verdict(self, load: float) -> Verdict:
        """What is known of a load that was looked at.

        Growth must be more than that of a queue that fills up, which two looks tell apart, one four times as
        late as the other, if they are long enough.
        """
        looks = self.looks[load]
        if any(look.deadlocked for look in looks[-1]):
            return Verdict.NOT_CARRIED
        grown = growth(looks[-1])
        if grown.high < GROWTH:
            return Verdict.CARRIED
        if self._tells_what_lasts(looks) and grown.low > GROWTH and self._lasting(load) > GROWTH:
            return Verdict.NOT_CARRIED
        return Verdict.UNDECIDED if len(looks) == len(LENGTHS) else Verdict.OPEN

    def bracket(self) -> tuple[float | None, float | None]:
        """The highest load carried below the lowest one not carried, and that lowest."""
        low, _, high = self._ends({load: self.verdict(load) for load in self.looks})
        return low, high

    def next_loads(self) -> list[float]:
        """The loads to look at in the next round: new ones, or those of which the runs are to go on.

        None are left when the interval is as narrow as was asked for, or as runs of these lengths allow.
        Short runs say between which two loads saturation lies; only the two that end a narrow interval then
        go on, the upper one first, since short runs exaggerate growth.
        """
        if not self.looks:
            expected = min(self.guess, self.ceiling)
            return self._first(expected) or self._first(expected * (1 - STEP))
        low, between, high = self._ends({load: self._likely(load) for load in self.looks})
        if low is None:
            return self._longer(high) or self._below(min(self.looks))
        higher = max(self.looks) * (1 + STEP)
        if high not in self.looks and FULL not in self.looks and (high is None or higher < high):
            return self._first(higher)
        edges = [low, *between, *([] if high is None else [high])]
        return self._longer(high) or self._first(*self._inside(edges)) or self._longer(low)

    def _likely(self, load: float) -> Verdict:
        """The verdict, or which one is likely while longer runs are still to tell."""
        found = self.verdict(load)
        if found is not Verdict.OPEN:
            return found
        return Verdict.NOT_CARRIED if self._lasting(load) > GROWTH else Verdict.CARRIED

    def _tells_what_lasts(self, looks: Sequence[Sequence[Look]]) -> bool:
        """Whether the last of these looks is long enough to tell growth that lasts from chance."""
        delivered = LENGTHS[len(looks) - 1] * self.messages * len(looks[-1])
        return _before(looks) is not None and delivered >= TELLING_MESSAGES

    def _lasting(self, load: float) -> float:
        """The growth that would last in runs without end.

        A queue close to saturation fills up like a random walk, with the square root of time: its growth, as
        a share of what is offered, falls with the square root of a run's length. The look before, after a
        quarter of that, shows how much of the growth that is, and it is taken off.
        """
        grown = growth(self.looks[load][-1]).value
        before = _before(self.looks[load])
        if before is None:
            return grown
        root = math.sqrt(SINCE)
        return min(grown, grown - (growth(before).value - grown) * root / (1 - root))

    def _ends(self, verdicts: Mapping[float, Verdict]) -> tuple[float | None, list[float], float | None]:
        """The highest load carried below the lowest one not carried, what is undecided between, and that."""
        proven = self.ceiling if self.ceiling < FULL else None
        high = min((load for load, found in verdicts.items() if found is Verdict.NOT_CARRIED), default=proven)
        below = sorted(load for load in verdicts if high is None or load < high)
        low = max((load for load in below if verdicts[load] is Verdict.CARRIED), default=None)
        undecided = (load for load in below if verdicts[load] is Verdict.UNDECIDED)
        return low, [load for load in undecided if low is None or load > low], high

    def _longer(self, load: float | None) -> list[float]:
        """A load whose runs have not told so far; nothing of one that no run has."""
        if load is None or load not in self.looks or self.verdict(load) is not Verdict.OPEN:
            return []
        return [load]

    def _first(self, *loads: float) -> list[float]:
        """Those of these loads that have no run yet and that bounds do not rule out."""
        top = self.ceiling
        clipped = {min(max(round(load, DIGITS), LEAST_LOAD), FULL) for load in loads}
        return sorted(load for load in clipped - set(self.looks) if load < top or load == FULL == top)

    def _below(self, lowest: float) -> list[float]:
        """A load below the lowest so far, where none seems to be carried: what that one's runs delivered.

        What a run delivers before a deadlock says nothing of lower loads.
        """
        if any(look.deadlocked for look in self.looks[lowest][-1]):
            return self._first(lowest / 2)
        return self._first(min(1 - self._lasting(lowest), 1 - PRECISION) * lowest)

    def _inside(self, edges: Sequence[float]) -> list[float]:
        """New loads in the middle of the first and the last gap of the interval, where they are too wide."""
        ends = dict.fromkeys([(edges[0], edges[1]), (edges[-2], edges[-1])]) if len(edges) > 1 else {}
        return [(begin + end) / 2 for begin, end in ends if end - begin > PRECISION * edges[-1]]

    def result(self) -> Saturation:
        """What has been found."""
        low, high = self.bracket()
        looks = [] if high is None or high not in self.looks else self.looks[high][-1]
        deadlocked = [seed for seed, look in zip(self.seeds, looks, strict=False) if look.deadlocked]
        return Saturation(low or 0.0, high, tuple(self.seeds), tuple(deadlocked))


def _before(looks: Sequence[Sequence[Look]]) -> Sequence[Look] | None:
    """The looks at a quarter of the length of the last ones."""
    quarter = SINCE * LENGTHS[len(looks) - 1]
    return looks[LENGTHS.index(quarter)] if quarter in LENGTHS else None


def search(scenario: "Scenario", bounds: Mapping[str, Any], seeds: Sequence[int]) -> Search:
    """A search that begins where the analysis expects saturation and ends where it rules more out."""
    ceiling = FULL if bounds["at_most"] is None else min(FULL, bounds["at_most"])
    return Search(scenario, bounds["expected"] or FULL, seeds, ceiling)


def thoroughness(seeds: SupportsIndex, messages: SupportsIndex) -> tuple[int, int]:
    """The arguments `seeds` and `messages` of a search. Raises UsageError where they are out of range."""
    return (
        whole_number_from("seeds", seeds, 1, FEWEST_SEEDS, MOST_SEEDS_ASKED),
        whole_number_from("messages", messages, FEWEST_MESSAGES_ASKED, FEWEST_MESSAGES, MOST_MESSAGES),
    )


def seeds_of(scenario: "Scenario", seeds: int) -> range:
    """The seeds of a search: as many as asked for, but enough for a confidence."""
    return range(scenario.seed, scenario.seed + max(seeds, FEWEST_SEEDS))


def find(searches: Sequence[Search], messages: int, progress: Progress | None = None) -> None:
    """Carry searches to their end, all in step, with the same seeds and at most so many messages a run."""
    for search in searches:
        search.messages = longest(messages)
    for number_of_round in range(MOST_ROUNDS):
        wanted = [(search, load) for search in searches for load in search.next_loads()]
        if not wanted:
            return
        look_at(wanted, longest(messages), _of_round(progress, number_of_round))
        keep_no_more(*_by_whether_open(searches))


def _by_whether_open(searches: Sequence[Search]) -> tuple[list[SeededRun], list[SeededRun]]:
    """The runs that may be asked to go on, and the others."""
    of_verdict: dict[bool, list[SeededRun]] = {True: [], False: []}
    for search in searches:
        for load, runs in search.runs.items():
            of_verdict[search.verdict(load) is Verdict.OPEN].extend(runs)
    return of_verdict[True], of_verdict[False]


def longest(messages: int) -> int:
    """The messages of the longest runs, where so many were asked for."""
    return max(messages, FEWEST_MESSAGES)


def growth(looks: Sequence[Look]) -> Estimate:
    """How much the backlog grew over the seeds, as a share of what was offered, with its 95 % interval."""
    return paired([look.grown for look in looks])


def run_at(search: Search, load: float, seed: int, messages: int) -> RunResult:
    """A whole run at a load with one seed."""
    overrides = [f"traffic.load={load}", f"seed={seed}", f"measure.messages={longest(messages)}"]
    scenario = search.scenario.with_overrides(overrides)
    return RunResult.of(scenario, engine.sweep([scenario])[0])


def _of_round(progress: Progress | None, before: int) -> Progress | None:
    """Progress of one round, so many rounds having gone before, as progress of the whole."""
    if progress is None:
        return None
    left = (1 - PROGRESS_A_ROUND) ** before
    return lambda fraction, words: progress(
        1 - left * (1 - PROGRESS_A_ROUND * fraction), f"round {before + 1}: {words}"
    )
