"""The gain of one change, with the same random numbers as the run without it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from hopscope.estimate import Estimate, gain_words, interval_of_mean, time_gain_words
from hopscope.goal import Goal
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.goals import goal as goals
from hopscope.planning.goals.goal import Figures
from hopscope.results.outcome import Outcome

# A smaller gain is not worth its cost, however sure.
WORTH = 0.01

# Fewer seeds than these give no interval, if more were run.
FEWEST_PAIRS = 2


class Lack(StrEnum):
    """Why a change has no figure."""

    SATURATES = "saturates"
    LOCKS = "deadlocks"
    UNSETTLED = "does not settle"
    FEW = "too few messages finished"
    WAIT = "messages still wait when its runs end"


_LACKS = {Outcome.DEADLOCK: Lack.LOCKS, Outcome.SATURATED: Lack.SATURATES, Outcome.UNSETTLED: Lack.UNSETTLED}


@dataclass(frozen=True)
class Gain:
    """One change: its gain in the goal, of a time in its mean, beside those of median and tail.

    Gains are shares of the present value: 0.1 is 10 % more throughput, or 10 % less time. None is a number
    that does not exist, as the delay of a saturated network; `refused` says why the change is not possible.
    `set` repeats its `runs`, seed by seed; `base` are those without the change. `has_loop` says that routes
    have a credit loop with the change: one that remains although a deadlock should end, or a new one.
    """

    relaxation: Relaxation
    goal: Goal
    set: tuple[str, ...]
    total: Estimate | None = None
    median: Estimate | None = None
    tail: Estimate | None = None
    runs: Sequence[Figures] = ()
    base: Sequence[Figures] = ()
    refused: str | None = None
    has_loop: bool = False

    @property
    def is_worth(self) -> bool:
        """Whether the mean gain is worth having; not with a credit loop, a possible deadlock."""
        return self.total is not None and self.total.value >= WORTH and not self.has_loop

    @property
    def is_sure(self) -> bool:
        """Whether the interval of the gain excludes 0, and the gain is worth having."""
        return self.is_worth and self.total is not None and self.total.low > 0

    @property
    def is_promising(self) -> bool:
        """Whether the gain looks worth having, but its interval includes 0."""
        return self.is_worth and not self.is_sure

    @property
    def lack(self) -> Lack | None:
        """Why there is no figure; None if there is one, or if the change is not possible."""
        if self.total is not None or self.refused is not None:
            return None
        outcomes = {run.outcome for run in self.runs}
        lack = next((lack for outcome, lack in _LACKS.items() if outcome in outcomes), Lack.FEW)
        ended = lack is Lack.FEW and any(run.mean is not None and not run.has_settled for run in self.runs)
        return Lack.WAIT if self.goal.is_time and ended else lack

    @property
    def delay(self) -> float | None:
        """The remaining mean delay in us if queues grow without the change; None if they still grow.

        Such a change carries the whole offered load, and no change carries more: the delay ranks them.
        """
        means = [run.mean for run in self.runs if run.mean is not None]
        grew = self.base and goals.most(run.outcome == Outcome.SATURATED for run in self.base)
        is_whole = self.settles and len(means) == len(self.runs) and self.lack is None
        if self.goal is not Goal.THROUGHPUT or not grew or not means or not is_whole:
            return None
        return math.fsum(means) / len(means)

    @property
    def settles(self) -> bool:
        """Whether no run saturates or deadlocks."""
        return all(run.outcome not in (Outcome.SATURATED, Outcome.DEADLOCK) for run in self.runs)

    def to_data(self) -> dict[str, Any]:
        """The same as in JSON."""
        return {
            "what": self.relaxation.label,
            "cause": str(self.relaxation.cause),
            "place": self.relaxation.place or "everywhere",
            "cost": self.relaxation.cost,
            "change": list(self.relaxation.set),
            "set": list(self.set),
            "against": list(self.relaxation.against),
            "gain": _data(self.total),
            "median_gain": _data(self.median),
            "tail_gain": _data(self.tail),
            "delay_us": self.delay,
            "sure": self.is_sure,
            "refused": self.refused,
            "no_figure": self.lack,
            "credit_loop": self.has_loop,
            "runs": [
                {
                    "seed": run.seed,
                    "throughput": run.throughput,
                    "mean": run.mean,
                    "median": run.median,
                    "tail": run.tail,
                    "outcome": run.outcome,
                }
                for run in self.runs
            ],
        }


def gain(
    relaxation: Relaxation,
    goal: Goal,
    overrides: tuple[str, ...],
    base: Sequence[Figures],
    other: Sequence[Figures],
) -> Gain:
    """The gain of runs over those without the change; the seeds are the same, one by one."""
    pairs = list(zip(base, other, strict=True))
    total = _of_goal(goal, pairs, [goals.relative(goal, *pair) for pair in pairs])
    median = tail = None
    if goal.has_parts:
        median, tail = (
            _of_goal(goal, pairs, [goals.shorter(*pair, of, of) for pair in pairs])
            for of in (lambda each: each.median, lambda each: each.tail)
        )
    return Gain(relaxation, goal, overrides, total, median, tail, tuple(other), tuple(base))


def rank(gain: Gain) -> tuple[bool, bool, bool, bool, float, bool, bool, bool, float]:
    """The order of a table: by mean gain in whole per cent; changes of whole networks come last.

    A change with a credit loop comes after those without one. If the network saturates, changes that carry
    the whole offered load come first, by the remaining delay, to two digits. Among equal gains, changes under
    which nothing saturates come first, then repairs, then changes at one place, which cost less than one
    everywhere.
    """
    value = -math.inf if gain.total is None else gain.total.value
    whole = value if math.isinf(value) else round(value, 2)
    delay = gain.delay
    is_everywhere = gain.relaxation.place is None
    is_general = gain.relaxation.is_general
    return (
        gain.refused is not None,
        is_general,
        gain.has_loop,
        delay is None,
        -whole if delay is None else float(f"{delay:.2g}"),
        not gain.settles,
        gain.relaxation.mends is None,
        is_everywhere,
        -value,
    )


def paired(gains: Sequence[float]) -> Estimate:
    """The mean of gains measured with one seed each, with its 95 % interval (Student's t)."""
    if len(gains) == 1:
        return Estimate(gains[0], -math.inf, math.inf, "fraction", 1)
    return interval_of_mean(gains, "fraction")


def words(goal: Goal, gain: Estimate | None) -> str:
    """A gain with its interval, in per cent or as a factor; empty if there is none."""
    if gain is None:
        return ""
    return time_gain_words(gain) if goal.is_time else gain_words(gain)


def _of_goal(
    goal: Goal, pairs: Sequence[tuple[Figures, Figures]], gains: Sequence[float | None]
) -> Estimate | None:
    """The gain over all seeds, within what is possible.

    A seed with too few finished messages does not count, and the others do. If with some seed the changed
    network saturates or deadlocks, or messages still wait, there is no figure.
    """
    known = [gain for gain in gains if gain is not None]
    has_one = all(
        gain is not None or (two.outcome not in _LACKS and two.has_settled)
        for gain, (_, two) in zip(gains, pairs, strict=True)
    )
    if not has_one or len(known) < min(FEWEST_PAIRS, len(gains)):
        return None
    return _possible(goal, paired(known))


def _possible(goal: Goal, gain: Estimate) -> Estimate:
    """The interval without impossible values: negative throughput, or negative time.

    If it reaches that far and does not even decide between gain and loss, its other end is meaningless.
    """
    if math.isinf(gain.low):
        return gain
    is_time, is_unsure = goal.is_time, gain.low <= 0 <= gain.high
    if goal is Goal.FREEDOM:
        return replace(gain, low=max(gain.low, -1.0), high=min(gain.high, 1.0))
    if is_time and gain.high > 1:
        return replace(gain, low=-math.inf if is_unsure else gain.low, high=1.0)
    if not is_time and gain.low < -1:
        return replace(gain, low=-1.0, high=math.inf if is_unsure else gain.high)
    return gain


def _data(gain: Estimate | None) -> dict[str, float | None] | None:
    return None if gain is None else gain.to_data()
