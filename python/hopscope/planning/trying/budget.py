"""What all runs of a search may cost together, and how many seeds and messages that leaves room for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscope.planning.goals.goal import DEADLOCK
from hopscope.results.run import RunResult
from hopscope.source import messages_of

if TYPE_CHECKING:
    from hopscope._core import Scenario

SEEDS = 5
MESSAGES = 20_000
FEWEST_SEEDS = 2
# All runs together have so many times the events of the explained run: ten times its cost on two cores.
TIMES_THE_RUN = 20.0
# But always so many, a few seconds' worth: runs of milliseconds would leave nothing to compare.
CHEAP_EVENTS = 40_000_000


@dataclass(frozen=True)
class Trial:
    """Runs that are compared: how many seeds from which on, and how many messages each measures at most."""

    seeds: tuple[int, ...]
    messages: int

    def overrides(self) -> list[str]:
        """What every run of the trial is set to, its seed aside."""
        return [f"measure.messages={self.messages}"]


@dataclass(frozen=True)
class Wanted:
    """Seeds and messages of a run. What somebody asked for is kept; what nobody did is at most so many."""

    seeds: int
    messages: int
    keeps_seeds: bool = False
    keeps_messages: bool = False

    @classmethod
    def of(cls, seeds: int | None, messages: int | None) -> "Wanted":
        """What was asked for; None is what nobody asked for."""
        return cls(
            SEEDS if seeds is None else seeds,
            MESSAGES if messages is None else messages,
            seeds is not None,
            messages is not None,
        )

    def at_most(self, seeds: int) -> "Wanted":
        """The same for a first look, which only chooses what to look at again: fewer and shorter runs."""
        return Wanted(min(seeds, self.seeds), self.messages)


@dataclass(frozen=True)
class Size:
    """The explained run: messages measured, events of the warm-up, and events for each message."""

    messages: int
    warmup: float
    each: float

    @classmethod
    def of(cls, scenario: "Scenario", run: RunResult | None) -> "Size":
        """That of a run; of a scenario of which no run is known, what it asks for."""
        asked = messages_of(scenario)
        if run is None or not run.summary.fields["measured"]["messages"]:
            return cls(asked, 0.0, 0.0)
        measured, events = run.summary.fields["measured"], run.summary.fields["events"]
        # Events come at an even rate, so a part of the time has that part of them.
        warmup_s = run.summary.fields["warmup"]["until_s"]
        share = warmup_s / (warmup_s + measured["span_s"])
        # Until a network locks up hardly a message may come through: more show whether a change frees it.
        whole = asked if run.outcome == DEADLOCK else min(asked, measured["messages"])
        return cls(whole, share * events, (1 - share) * events / measured["messages"])

    def cost(self, messages: int) -> float:
        """The events of a run of so many messages."""
        return self.warmup + self.each * messages

    def messages_for(self, events: float) -> int:
        """How many messages a run has with so many events."""
        return int(max(0.0, events - self.warmup) / self.each) if self.each else self.messages


class Budget:
    """The events of all runs together, and how many of them are spent.

    Runs of a scenario in which something happens at a time (`is_timed`) must not be cut off.
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
        """The events of a part of the budget, as far as they are left."""
        return min(part, self.left) * self.all

    def trial(
        self, part: float, wanted: Wanted, changes: int, fewest: int, least_seeds: int = FEWEST_SEEDS
    ) -> Trial:
        """Seeds and messages with which a scenario and so many changes cost this part of the budget.

        Runs become shorter first, down to `fewest` messages, then seeds fewer, down to `least_seeds`. What
        somebody asked for stays: then there have to be fewer changes.
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
        return Trial(self.numbers(seeds), max(least, min(each, most)))

    def numbers(self, seeds: int) -> tuple[int, ...]:
        """So many consecutive seeds, the scenario's own first."""
        return tuple(range(self.first_seed, self.first_seed + seeds))

    def fitting(self, trial: Trial, part: float, most: int) -> int:
        """How many of `most` changes fit into this part of the budget beside the scenario as it is."""
        cost = len(trial.seeds) * self.size.cost(trial.messages)
        return min(most, max(0, int(self.share(part) / cost) - 1)) if cost else most

    def spend(self, trial: Trial, scenarios: int) -> None:
        """Note what so many scenarios cost in a trial."""
        self.spent += scenarios * len(trial.seeds) * self.size.cost(trial.messages)
