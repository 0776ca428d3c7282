"""Whether a measurement agrees with the published cell, by the role that published/README.md gives the cell.

The judgement does not depend on how a value was measured, and a miss stays a miss.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from hopscope.studies.published import PublishedCell, Role

Verdict = Literal["within", "miss", "undecided", "not judged"]
Region = tuple[float, float]

ROUNDING = 1e-9  # relative: the last bit of a float is no difference

# A run that leaves a cell undecided is made twice, four times and eight times as long, and judged each time.
# For the interval to hold in 95 of 100 cells over all four tests, it is wider than for one test: 2.42
# standard deviations for 1.96, by the method of S. J. Pocock, "Group sequential methods in the design and
# analysis of clinical trials", Biometrika 64(2), 1977, for tests at these lengths.
LENGTHENED = (2, 4, 8)
DEVIATIONS = 2.42
WIDENED = DEVIATIONS / 1.96
# Runs are made longer if the longest ones decide the cell with at least this probability.
LEAST_CHANCE = 1 / 3

_RANGE = re.compile(r"(-?[\d.]+(?:e-?\d+)?)\.\.(-?[\d.]+(?:e-?\d+)?)")


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurement for a cell.

    `value` with its 95 % interval, or no value, and then `words` say why ("saturated"). `holds` is the answer
    of a yes-or-no cell, such as an order; `is_open` says that intervals leave it open. With `is_exact`, `low`
    and `high` are the extremes of a spread, not an interval of the value.

    With `is_empty` there is no number because no such event happened. `is_certain` says that the value is no
    estimate: a longer run would not change it. `has_bare` says that the answer uses a value without an
    interval. `n` is the number of observations of the value, if known.
    """

    value: float | None
    low: float | None
    high: float | None
    unit: str
    words: str = ""
    holds: bool | None = None
    is_open: bool = False
    is_exact: bool = False
    is_empty: bool = False
    is_certain: bool = False
    has_bare: bool = False
    n: int = 0
    can_be_negative: bool = True

    @property
    def is_bare(self) -> bool:
        """Whether it is a run's value without an interval, of unknown accuracy."""
        if self.value is None or self.has_bare or self.is_certain:
            return self.has_bare
        return self.is_exact or self.low is None or self.high is None or self.low == self.high


def judge(cell: PublishedCell, measured: Measured) -> Verdict:
    """The verdict of a cell: undecided if the interval contains the limit."""
    if measured.is_open:
        return "undecided"
    if measured.holds is not None:
        return "within" if measured.holds else "miss"
    if cell.is_for is Role.SPREAD:
        return _inside_spread(cell, measured)
    rule = _RULES.get(cell.is_for)
    if rule is None:
        return "not judged"
    if measured.value is None:
        return "undecided" if measured.is_empty else "miss"
    region = rule(cell)
    return "not judged" if region is None else _side(region, measured)


def judge_rough(cell: PublishedCell, measured: Measured) -> Verdict:
    """The verdict by runs shorter than the study's own, where values without intervals decide nothing."""
    verdict = judge(cell, measured)
    if verdict == "not judged" or cell.is_for is Role.SPREAD:
        return verdict
    return "undecided" if measured.is_bare else verdict


def is_worth_lengthening(cell: PublishedCell, measured: Measured, times: int) -> bool:
    """Whether the longest runs may decide an undecided cell; those so far are `times` as long as at first.

    The expected difference between the mean of the longest runs and the present one follows from their errors
    (stochastic curtailment of interim analyses). Without an interval nothing can be predicted. Runs that are
    not made decide nothing, so they cause no wrong verdict.
    """
    if judge(cell, measured) != "undecided":
        return False
    needed = _times_needed(cell, measured)
    if needed is None or math.isnan(needed):
        return True
    done = times / LENGTHENED[-1]
    apart = DEVIATIONS / math.sqrt(needed)
    moves = NormalDist(sigma=math.sqrt(1 - done))
    beyond = DEVIATIONS * math.sqrt(done)
    chance = moves.cdf(apart - beyond) + moves.cdf(-apart - beyond)
    return chance >= LEAST_CHANCE


def lacking(cell: PublishedCell, measured: Measured) -> str:
    """What an undecided cell lacks."""
    if measured.is_empty:
        return f"{measured.words}; a longer run may decide"
    if judge(cell, measured) != "undecided":
        return "no interval in a quick run; run without --quick"
    needed = _times_needed(cell, measured)
    if needed is None:
        return "two of its values are too close to order them"
    if math.isnan(needed):
        return "too few messages for an interval"
    if needed > MOST_TIMES**2:
        return "the value lies at the tolerance limit"
    times = math.ceil(needed)
    return f"the interval includes the tolerance limit; runs about {times} times as long would decide"


def _times_needed(cell: PublishedCell, measured: Measured) -> float | None:
    """The factor by which runs must be longer for an undecided cell's interval to exclude the limit.

    None for a cell without a number; NaN if the interval is unbounded.
    """
    region = _region(cell)
    if region is None or measured.value is None:
        return None
    value, (low, high) = measured.value, _ends(measured)
    apart = min(abs(value - edge) for edge in region)
    reach = max(high - value, value - low)
    if math.isinf(reach):
        return math.nan
    return (reach / apart) ** 2 if apart else math.inf


def _region(cell: PublishedCell) -> Region | None:
    """The values that agree with a cell, if its role requires a number."""
    rule = _RULES.get(cell.is_for)
    return None if rule is None else rule(cell)


def _ends(measured: Measured) -> Region:
    """The interval by which a cell is judged."""
    value = measured.value or 0.0
    if measured.is_exact or measured.low is None or measured.high is None:
        return value, value
    return value - WIDENED * (value - measured.low), value + WIDENED * (measured.high - value)


def _side(region: Region, measured: Measured) -> Verdict:
    low, high = _ends(measured)
    if region[0] <= low and high <= region[1]:
        return "within"
    return "miss" if high < region[0] or region[1] < low else "undecided"


def published_range(cell: PublishedCell) -> tuple[float, float] | None:
    """The range that a cell's role or value names."""
    found = _RANGE.search(cell.role) or _RANGE.search(cell.value)
    return None if found is None else (float(found[1]), float(found[2]))


def _near(cell: PublishedCell) -> Region | None:
    published = cell.number
    if published is None:
        return None
    reach = (cell.tolerance + ROUNDING) * abs(published)
    return published - reach, published + reach


def _in_range(cell: PublishedCell) -> Region | None:
    found = published_range(cell)
    if found is None:
        return None
    low, high = found
    return low - cell.tolerance * abs(low), high + cell.tolerance * abs(high)


def _at_most(cell: PublishedCell) -> Region | None:
    published = cell.number
    return None if published is None else (-math.inf, published + cell.tolerance * abs(published))


def _at_least(cell: PublishedCell) -> Region | None:
    published = cell.number
    return None if published is None else (published - cell.tolerance * abs(published), math.inf)


def _equal(cell: PublishedCell) -> Region:
    """The value is the largest relative difference among the things that should be equal."""
    return -cell.tolerance, cell.tolerance


def _inside_spread(cell: PublishedCell, measured: Measured) -> Verdict:
    """The published value lies between the extremes that were measured."""
    if measured.value is None:
        return "undecided" if measured.is_empty else "miss"
    published = cell.number
    if published is None or measured.low is None or measured.high is None:
        return "not judged"
    return "within" if measured.low <= published <= measured.high else "miss"


MOST_TIMES = 100  # the largest ratio to the precision for which a number of runs is given
# The values that agree with a cell of each role; cells of other roles are not judged by a number.
_RULES: Mapping[Role, Callable[[PublishedCell], Region | None]] = {
    Role.CALIBRATES: _near,
    Role.PREDICTS: _near,
    Role.EXACT_ORDER: lambda _: None,  # asks for an order, not for a number
    Role.EXACT: _near,
    Role.RANGE: _in_range,
    Role.UPPER_RANGE: _in_range,
    Role.UPPER_BOUND: _at_most,
    Role.LOWER_BOUND: _at_least,
    Role.EQUAL: _equal,
}
