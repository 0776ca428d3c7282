"""What a change is to improve, and what its gain is measured in."""

from enum import StrEnum
from typing import NewType, TypeAlias

OtherTime = NewType("OtherTime", str)
"""A time that no goal stands for, by its words: a delay of one model, or a percentile of a delay."""


class Goal(StrEnum):
    """What a change is to improve."""

    THROUGHPUT = "throughput"
    LATENCY = "latency"
    LIFE = "message life"
    COMPLETION = "completion time"
    ROUND = "round time"
    BURST = "burst time"
    FREEDOM = "runs without deadlock"
    LOSSES = "packets lost for good"

    @property
    def is_time(self) -> bool:
        """Whether less is better, judged by the mean."""
        return self in (Goal.LATENCY, Goal.LIFE, Goal.COMPLETION, Goal.ROUND, Goal.BURST)

    @property
    def has_parts(self) -> bool:
        """Whether median and 99th percentile are given beside the mean; there are too few rounds for them."""
        return self.is_time and self is not Goal.ROUND

    @property
    def metric(self) -> str:
        """The metric of a run; a flow's latency is its completion time."""
        return {Goal.COMPLETION: "latency", Goal.ROUND: "round"}.get(self, self.value)


Measure: TypeAlias = Goal | OtherTime
"""The measure of a gain."""


def measure_of(words: str) -> Measure:
    """The measure with these words, as in JSON."""
    return Goal(words) if words in frozenset(Goal) else OtherTime(words)


def measure_of_delay(metric: str) -> Measure:
    """The measure for a delay, by the name of its metric."""
    return Goal.ROUND if metric == Goal.ROUND.metric else measure_of(metric)
