"""The requested precision of a run (`measure.precision`), and whether it was reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.results.summary import Summary

NOT_REACHED = "precision-not-reached"
"""The doubt of a point with a run that missed it."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A missed precision: half of the interval of the mean of `delay`, as a share of the mean."""

    delay: str
    reached: float
    asked: float
    is_full: bool
    """Whether the run measured its largest number of messages."""

    def __str__(self) -> str:
        """As a note on a run."""
        way = "raise measure.messages" if self.is_full else "the run ended before"
        return (
            f"precision not reached: the mean {self.delay} is within {_per_cent(self.reached)} %, "
            f"asked {_per_cent(self.asked)} %; {way}"
        )


def shortfall(summary: Summary, measure: Mapping[str, Any]) -> Shortfall | None:
    """By how much a run missed its precision; None if it did not, or if none was requested.

    `measure` is the scenario's section of that name.
    """
    asked, delay = measure.get("precision"), summary.main_delay()
    mean = summary.find(f"{delay}.mean") if delay else None
    if asked is None or delay is None or mean is None or not mean.value:
        return None
    # It is not required of the others: they have no steady state, or were stopped.
    if not summary.outcome.has_delays:
        return None
    reached = mean.half_width / abs(mean.value)
    if reached <= asked:
        return None
    is_full = summary.fields["measured"]["messages"] >= measure["messages"]
    return Shortfall(delay, reached, asked, is_full)


def of_runs(short: list[Shortfall]) -> str:
    """By how much several runs missed it, in words."""
    delays = ", ".join(dict.fromkeys(each.delay for each in short))
    reached = _range([each.reached for each in short])
    asked = _range([each.asked for each in short])
    way = "raise measure.messages" if any(each.is_full for each in short) else "the runs ended before"
    return f"the mean {delays} is within {reached} %, asked {asked} %; {way}"


def _range(shares: list[float]) -> str:
    least, most = _per_cent(min(shares)), _per_cent(max(shares))
    return least if least == most else f"{least} to {most}"


def _per_cent(share: float) -> str:
    return f"{100 * share:.3g}"
