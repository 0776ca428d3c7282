"""How a user writes a metric: NAME[CLASS].STATISTIC, where the class "all" may be left out."""

import re
from dataclasses import dataclass
from functools import lru_cache

from hopscope.errors import UsageError

ALL_CLASSES = "all"
"""The class of a metric that covers the messages of every class."""

ROUND = "round"
"""The metric of the times of rounds: what a job is judged by."""

SIGNED = frozenset({"round trip from last bit autocorrelation"})
"""The only metrics that can be negative."""

LASTING = {"loop duration": "loop", "trap duration": "trap"}
"""Metrics of durations, and of what: without events, their mean of 0 is meaningless."""

P999 = "p999"
"""The statistic of the 99.9th percentile, which may also be written "p99.9"."""

_KEY = re.compile(
    r"(?P<name>[^\[\].]+)(\[(?P<class>[^\[\]]+)\])?(\.(?P<statistic>p99\.9|[A-Za-z0-9]+( [A-Za-z0-9]+)?))?"
)


@dataclass(frozen=True, slots=True)
class MetricKey:
    """A metric's name, message class and statistic; without a statistic: the only one that the metric has."""

    name: str
    of_class: str
    statistic: str | None

    def __str__(self) -> str:
        """The key as a user writes it."""
        of_class = "" if self.of_class == ALL_CLASSES else f"[{self.of_class}]"
        return f"{self.name}{of_class}{'' if self.statistic is None else '.' + self.statistic}"


def parse(text: str) -> MetricKey:
    """Read a key such as "latency.mean" or "latency[short].p99". Raises UsageError for anything else."""
    if not isinstance(text, str):
        raise UsageError(f"metric: {text!r} is no metric", 'name one, as in "latency.mean"')
    return _parsed(text)


@lru_cache(maxsize=256)  # the same few keys are asked of every run of a sweep
def _parsed(text: str) -> MetricKey:
    found = _KEY.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            f"`{text}` does not name a metric", "write NAME[CLASS].STATISTIC, for instance latency[short].p99"
        )
    statistic = P999 if found["statistic"] == "p99.9" else found["statistic"]
    return MetricKey(found["name"].strip(), found["class"] or "all", statistic)
