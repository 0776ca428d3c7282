"""A precision that a run was asked for (`measure.precision`), and whether it was reached."""

from collections.abc import Mapping
from typing import Any

from hopscope.results.summary import Summary

_ENDED = frozenset({"complete", "unsettled"})
"""The outcomes of runs that were to reach it: the others have no steady state, or were stopped."""


def missed(summary: Summary, measure: Mapping[str, Any]) -> list[str]:
    """What is to be said of a precision that was not reached; nothing where it was, or none was asked for.

    `measure` is the scenario's section of that name: the precision is half the interval of the main delay's
    mean, as a share of the mean.
    """
    asked, delay = measure.get("precision"), summary.main_delay()
    mean = summary.find(f"{delay}.mean") if delay else None
    if asked is None or mean is None or not mean.value or summary.outcome not in _ENDED:
        return []
    reached = mean.half_width / abs(mean.value)
    if reached <= asked:
        return []
    is_full = summary.fields["measured"]["messages"] >= measure["messages"]
    return [
        f"precision not reached: the mean {delay} is within {100 * reached:.3g} %, asked {100 * asked:.3g} %"
        + ("; raise measure.messages" if is_full else "; the run ended before")
    ]
