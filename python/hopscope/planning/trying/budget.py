"""The budget of all runs of a search, and the seeds and messages that fit into it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.source import messages_of

if TYPE_CHECKING:
    from hopscope._core import Scenario

SEEDS = 5
MESSAGES = 20_000
FEWEST_SEEDS = 2
# The budget as a multiple of the explained run's events: ten times its time on two cores.
TIMES_THE_RUN = 20.0
# The least budget in events, a few seconds: a budget of milliseconds would leave nothing to compare.
CHEAP_EVENTS = 40_000_000


@dataclass(frozen=True)
class Effort:
    """Runs that are compared: the first seed, the number of seeds, and messages at most in each."""

    seeds: tuple[int, ...]
    messages: int

    def overrides(self) -> list[str]:
        """The overrides of every run, without its seed."""
        return [f"measure.messages={self.messages}"]


@dataclass(frozen=True)
class Wanted:
    """Seeds and messages of a run: requested numbers are kept, others are upper limits."""

    seeds: int
    messages: int
    keeps_seeds: bool = False
    keeps_messages: bool = False

    @classmethod
    def of(cls, seeds: int | None, messages: int | None) -> "Wanted":
        """The requested numbers; None is not requested."""
        return cls(
            SEEDS if seeds is None else seeds,
            MESSAGES if messages is None else messages,
            seeds is not None,
            messages is not None,
        )

    def at_most(self, seeds: int) -> "Wanted":
        """The same for a first look, which only chooses candidates for the next: fewer and shorter runs."""
        return Wanted(min(seeds, self.seeds), self.messages)


@dataclass(frozen=True)
class Size:
    """The explained run: messages measured, events of the warm-up, and events for each message."""

    messages: int
    warmup: float
    each: float

    @classmethod
    def of(cls, scenario: "Scenario", run: RunResult | None) -> "Size":
        """The size of a run; without one, that which the scenario asks for."""
        asked = messages_of(scenario)
        if run is None or not run.summary.fields["measured"]["messages"]:
            return cls(asked, 0.0, 0.0)
        measured, events = run.summary.fields["measured"], run.summary.fields["events"]
        # Events come at an even rate, so a share of the time has that share of them.
        warmup_s = run.summary.fields["warmup"]["until_s"]
        share = warmup_s / (warmup_s + measured["span_s"])
        # Before a deadlock few messages may be delivered: more show whether a change prevents it.
        whole = asked if run.outcome == Outcome.DEADLOCK else min(asked, measured["messages"])
        return cls(whole, share * events, (1 - share) * events / measured["messages"])

    def cost(self, messages: int) -> float:
        """The events of a run of this many messages."""
        return self.warmup + self.each * messages

    def messages_for(self, events: float) -> int:
        """The number of messages of a run with this many events."""
        return int(max(0.0, events - self.warmup) / self.each) if self.each else self.messages


class Budget:
    """The events of all runs together, and the number already spent.

    Runs of a scenario with timed events (`is_timed`) must not be cut off.
    """

    def __init__(self, size: Size, first_seed: int, *, is_timed: bool) -> None:
        """All of it is left at first."""
        self.size = size
        self.first_seed = first_seed
        self.is_timed = is_timed
        self.all = max(CHEAP_EVENTS, TIMES_THE_RUN * size.cost(size.messages))
        self.spent = 0.0

    @property
    def left(self) -> float:
        """The part of the budget that is left."""
        return max(0.0, 1 - self.spent / self.all)

    def share(self, part: float) -> float:
        """The events of a share of the budget, as far as they are left."""
        return min(part, self.left) * self.all

    def effort(
        self, part: float, wanted: Wanted, changes: int, fewest: int, least_seeds: int = FEWEST_SEEDS
    ) -> Effort:
        """Seeds and messages with which a scenario and its changes cost this share of the budget.

        Runs become shorter first, down to `fewest` messages, then seeds fewer, down to `least_seeds`.
        Requested numbers stay: then fewer changes fit.
        """
        events, runs = self.share(part), changes + 1
        most = wanted.messages if wanted.keeps_messages else min(wanted.messages, self.size.messages)
        most = self.size.messages if self.is_timed else most
        least = most if self.is_timed or wanted.keeps_messages else min(fewest, most)
        seeds = wanted.seeds
        least_seeds = seeds if wanted.keeps_seeds else min(least_seeds, seeds)
        while seeds > least_seeds and seeds * runs * self.size.cost(least) > events:
            seeds -= 1
        each = self.size.messages_for(events / (seeds * runs))
        return Effort(self.numbers(seeds), max(least, min(each, most)))

    def numbers(self, seeds: int) -> tuple[int, ...]:
        """This many consecutive seeds, the scenario's own first."""
        return tuple(range(self.first_seed, self.first_seed + seeds))

    def fitting(self, effort: Effort, part: float, most: int) -> int:
        """The number of changes, at most `most`, that fit into this share beside the unchanged scenario."""
        cost = len(effort.seeds) * self.size.cost(effort.messages)
        return min(most, max(0, int(self.share(part) / cost) - 1)) if cost else most

    def spend(self, effort: Effort, scenarios: int) -> None:
        """Record the cost of `scenarios` with this effort."""
        self.spent += scenarios * len(effort.seeds) * self.size.cost(effort.messages)
