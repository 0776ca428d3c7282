"""What one change gained, on the same random numbers as the run without it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hopscope import _core
from hopscope.estimate import Estimate, around, gain_data, gain_words
from hopscope.planning import goal as goals
from hopscope.planning.changes import Relaxation
from hopscope.planning.goal import Figures, Goal

# Less is not worth buying, however sure it is.
WORTH = 0.01

# Of the interval of a gain.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Gain:
    """One change: its gain in the goal, and of a time also those of median and tail, as shares of today's.

    A gain of 0.1 is 10 % more throughput, or 10 % less time. None is a number that does not exist, as the
    delay of a saturated network; `refused` says why the change is not possible. `set` repeats its runs, seed
    by seed.
    """

    relaxation: Relaxation
    goal: Goal
    set: tuple[str, ...]
    total: Estimate | None = None
    median: Estimate | None = None
    tail: Estimate | None = None
    runs: Sequence[Figures] = ()
    refused: str | None = None

    @property
    def is_sure(self) -> bool:
        """Whether the interval of the gain excludes none, and the gain is worth having."""
        return self.total is not None and self.total.low > 0 and self.total.value >= WORTH

    @property
    def is_promising(self) -> bool:
        """Whether the gain looks worth having, but its interval includes none."""
        return self.total is not None and not self.is_sure and self.total.value >= WORTH

    @property
    def settles(self) -> bool:
        """Whether no run saturates or deadlocks."""
        return all(run.outcome not in (goals.SATURATED, goals.DEADLOCK) for run in self.runs)

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "what": self.relaxation.label,
            "cause": str(self.relaxation.cause),
            "place": self.relaxation.place or "everywhere",
            "cost": self.relaxation.cost,
            "change": list(self.relaxation.set),
            "set": list(self.set),
            "gain": _data(self.total),
            "median_gain": _data(self.median),
            "tail_gain": _data(self.tail),
            "sure": self.is_sure,
            "refused": self.refused,
            "runs": [
                {
                    "seed": run.seed,
                    "throughput": run.throughput,
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
    total = _paired([goals.relative(goal, *pair) for pair in pairs])
    median = tail = None
    if goal.is_time:
        median = _paired([goals.less(one.median, two.median) for one, two in pairs])
        tail = _paired([goals.less(one.tail, two.tail) for one, two in pairs])
    return Gain(relaxation, goal, overrides, total, median, tail, tuple(other))


def rank(gain: Gain) -> tuple[bool, bool, float, bool, bool, float]:
    """The order of a table: by the mean gain to the whole per cent; whole networks made faster come last.

    Of changes that gain the same, those come first under which nothing saturates, then those at one place,
    which cost less than a change everywhere.
    """
    value = -math.inf if gain.total is None else gain.total.value
    whole = value if math.isinf(value) else round(value, 2)
    is_everywhere = gain.relaxation.place is None
    is_general = gain.relaxation.is_general
    return (gain.refused is not None, is_general, -whole, not gain.settles, is_everywhere, -value)


def paired(gains: Sequence[float]) -> Estimate:
    """The mean of gains that were measured with a seed each, with its 95 % interval (Student's t)."""
    count = len(gains)
    mean = sum(gains) / count
    if count == 1:
        return Estimate(mean, -math.inf, math.inf, "fraction", 1)
    deviation = math.sqrt(sum((gain - mean) ** 2 for gain in gains) / (count - 1))
    return around(
        mean, _core.student_t(CONFIDENCE, count - 1) * deviation / math.sqrt(count), "fraction", count
    )


def words(gain: Estimate | None) -> str:
    """A gain in per cent with its interval; nothing where there is none."""
    return "" if gain is None else gain_words(gain)


def _paired(gains: Sequence[float | None]) -> Estimate | None:
    known = [gain for gain in gains if gain is not None]
    return paired(known) if known and len(known) == len(gains) else None


def _data(gain: Estimate | None) -> dict[str, float | None] | None:
    return None if gain is None else gain_data(gain)
