"""Lines and cables slower than their kind at its usual rate, instead of twice as fast."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hopscope.overrides import at, toml_text
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.quantities import in_bit_s, of_bit_s
from hopscope.results.candidate import Candidate

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation


def at_usual_rates(
    listed: Sequence[Relaxation], canonical: Mapping[str, Any], why: "Explanation"
) -> Iterator[Relaxation]:
    """The changes, with lines that a cause reports as slower than others at the rate of these.

    A line that is slower than its kind is replaced by one like the others. None of several parallel lines is
    reported as slow alone.
    """
    slower = {root["resource"]: root["times_slower"] for root in why.roots if root["times_slower"]}
    causes = [each for each in why.candidates if each.resource in slower]
    side_by_side = Counter(each.joins for each in listed if each.rate_of is not None)
    for each in listed:
        factor = next((slower[cause.resource or ""] for cause in causes if _is_of(each, cause)), None)
        is_one = not each.joins or side_by_side[each.joins] == 1
        yield each if factor is None or not is_one else _at_rate(each, canonical, factor)


def _is_of(change: Relaxation, cause: Candidate) -> bool:
    """Whether a change is the rate of the line that a cause names."""
    is_there = change.joins == cause.ends if change.joins else change.place in cause.nodes
    return change.rate_of is not None and is_there


def _at_rate(change: Relaxation, canonical: Mapping[str, Any], factor: float) -> Relaxation:
    """A change of a rate to a multiple of the present one."""
    path = change.paths[0]
    today = at(canonical, path)
    rate = of_bit_s(round(in_bit_s(today) * Decimal(repr(factor))))
    return replace(
        change,
        label=f"{change.rate_of} at {rate}, as others are",
        set=(f"{path}={toml_text(rate)}",),
        cost=f"{rate} instead of {today}",
        curve=(),
    )
