"""Whether a measurement agrees with the published cell, by the role that published/README.md gives the cell.

Nothing here knows how anything was measured, and a miss stays a miss.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hopscope.studies.published import PublishedCell

Verdict = Literal["within", "miss", "not judged"]

ROUNDING = 1e-9  # relative: the last bit of a float is no difference

_RANGE = re.compile(r"(-?[\d.]+(?:e-?\d+)?)\.\.(-?[\d.]+(?:e-?\d+)?)")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a study found for a cell.

    `value` with its 95 % interval (for a spread: the median between the extremes), or no value, and then
    `words` say why ("saturated"). `holds` answers a cell that asks a yes or no, such as an order.
    """

    value: float | None
    low: float | None
    high: float | None
    unit: str
    words: str = ""
    holds: bool | None = None


def judge(cell: PublishedCell, measured: Measured, quick: bool = False) -> Verdict:
    """The verdict of a cell.

    A quick run measures too little to blame: what it does not confirm is not judged.
    """
    verdict = _judge(cell, measured)
    return "not judged" if quick and verdict == "miss" else verdict


def _judge(cell: PublishedCell, measured: Measured) -> Verdict:
    if measured.holds is not None:
        return "within" if measured.holds else "miss"
    rule = next((rule for start, rule in _RULES if cell.role.startswith(start)), None)
    if rule is None:
        return "not judged"
    if measured.value is None:
        return "miss"
    agrees = rule(cell, measured.value, measured)
    return "not judged" if agrees is None else "within" if agrees else "miss"


def published_range(cell: PublishedCell) -> tuple[float, float] | None:
    """The range that a cell's role or value names."""
    found = _RANGE.search(cell.role) or _RANGE.search(cell.value)
    return None if found is None else (float(found[1]), float(found[2]))


def _near(cell: PublishedCell, value: float, _: Measured) -> bool | None:
    published = cell.number
    if published is None:
        return None
    return abs(value - published) <= cell.tolerance * abs(published) + ROUNDING * abs(published)


def _in_range(cell: PublishedCell, value: float, _: Measured) -> bool | None:
    found = published_range(cell)
    if found is None:
        return None
    low, high = found
    return low - cell.tolerance * abs(low) <= value <= high + cell.tolerance * abs(high)


def _at_most(cell: PublishedCell, value: float, _: Measured) -> bool | None:
    published = cell.number
    return None if published is None else value <= published + cell.tolerance * abs(published)


def _at_least(cell: PublishedCell, value: float, _: Measured) -> bool | None:
    published = cell.number
    return None if published is None else value >= published - cell.tolerance * abs(published)


def _inside_spread(cell: PublishedCell, _: float, measured: Measured) -> bool | None:
    published = cell.number
    if published is None or measured.low is None or measured.high is None:
        return None
    return measured.low <= published <= measured.high


def _equal(cell: PublishedCell, value: float, _: Measured) -> bool:
    """The value is the largest relative difference among the things that should be equal."""
    return abs(value) <= cell.tolerance


_RULES: tuple[tuple[str, Callable[[PublishedCell, float, Measured], bool | None]], ...] = (
    ("calibrates", _near),
    ("predicts", _near),
    ("exact order", lambda *_: None),  # asks for an order, not for a number
    ("exact", _near),
    ("range", _in_range),
    ("upper range", _in_range),
    ("upper bound", _at_most),
    ("lower bound", _at_least),
    ("within the spread", _inside_spread),
    ("equal", _equal),
)
