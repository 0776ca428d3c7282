"""What is missing in the figures of a run: data that was lost for good, and flows that had not ended."""

from collections.abc import Iterable
from enum import StrEnum

from hopscope.results.summary import Summary

_GIVEN_UP = "messages given up.count"
"""Only runs in which hosts send lost data again have it."""
_UNFINISHED = "unfinished flows.count"
_NEVER_AGAIN = (
    "frames cut.count",
    "frames discarded.count",
    "frames without route.count",
    "frames dropped.count",
    "packets lost.count",
    "packets without route.count",
    "expired.count",
)
"""The counts of what is lost for good where nothing is sent again."""


class Gap(StrEnum):
    """What is missing, in the order of reports."""

    LOST = "lost"
    """Data was lost that no host sends again."""
    UNFINISHED = "unfinished"
    """Flows had not ended: their delays are unknown."""


def gaps_of(summaries: Iterable[Summary]) -> list[Gap]:
    """What is missing in any of these runs, each kind once."""
    runs = list(summaries)
    return [gap for gap in Gap if any(has_gap(gap, run) for run in runs)]


def has_gap(gap: Gap, run: Summary) -> bool:
    """Whether this is missing in a run."""
    if gap is Gap.UNFINISHED:
        return unfinished(run) > 0
    lost = (_GIVEN_UP,) if run.has(_GIVEN_UP) else _NEVER_AGAIN
    return any(_number(run, key) > 0 for key in lost)


def unfinished(run: Summary) -> int:
    """How many flows had not ended."""
    return _number(run, _UNFINISHED)


def begun(run: Summary) -> int:
    """How many flows had begun."""
    return _number(run, "flows.count")


def _number(run: Summary, key: str) -> int:
    found = run.find(key)
    return 0 if found is None else int(found.value)
