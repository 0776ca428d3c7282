"""Messages by source and destination, as metrics: `pair[UCLA -> RAND].mean` and `.rate`."""

import math
import re
from typing import TYPE_CHECKING

from hopscope.errors import UnknownMetricError
from hopscope.estimate import Estimate

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

_KEY = re.compile(r"pair\[(?P<source>.+) -> (?P<target>.+)\]\.(?P<statistic>mean|rate)")


def names(key: str) -> bool:
    """Whether a metric's key is about a pair."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def metric(run: "RunResult", key: str) -> Estimate | None:
    """The mean delay in ms, or the messages per minute, of a pair over all classes; None if none.

    Raises UnknownMetricError if the run does not count pairs.
    """
    found = _KEY.fullmatch(key)
    assert found is not None, "asked for what is about no pair"
    if run.pairs.is_empty():
        raise UnknownMetricError(f"the run has no metric `{key}`", "it does not tell of pairs")
    rows = [
        row
        for row in run.pairs.iter_rows(named=True)
        if row["from"] == found["source"] and row["to"] == found["target"]
    ]
    count = sum(row["messages"] for row in rows)
    if not count:
        return None
    if found["statistic"] == "rate":
        rate = sum(row["per_minute"] for row in rows)
        return Estimate(rate, rate, rate, "1/min", count, can_be_negative=False)

    def mean(column: str, absent: float) -> float:
        values = (absent if row[column] is None else row[column] for row in rows)
        return sum(row["messages"] * value for row, value in zip(rows, values, strict=True)) / count

    value, low, high = mean("delay_ms", math.nan), mean("low", -math.inf), mean("high", math.inf)
    return Estimate(value, low, high, "ms", count, can_be_negative=False)
