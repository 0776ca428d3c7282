"""Numbers for people: few digits, thin grouping, no exponent if avoidable."""

import math
from collections.abc import Sequence
from functools import cache

UNITLESS = frozenset({"", "1", "fraction", "ratio"})
"""The units of metrics that are not printed: those of counts and of shares."""

SIGNIFICANT_DIGITS = 4
TENFOLD = 9.0
"""From this relative change on, a change is given as a factor: 900 %."""
LONGEST_WHOLE_NUMBER = 1e7
LEAST_MAGNITUDE = -4
"""The power of ten of the smallest numbers that are written out, however few their digits."""
LEAST_MEAN = 0.001
"""Means of counts and of times below this are printed as "<0.001"."""
UNKNOWN = "unknown"
"""The word for an unbounded end of an interval."""
TIME_DIGITS = 2
SUM_DIGITS = 3
"""The digits of a time that others add up to."""
_MICROSECOND = "us"


def number(value: float, digits: int = SIGNIFICANT_DIGITS) -> str:
    """`value` with about `digits` significant digits: 31.24, 0.7112, 1 030."""
    if not math.isfinite(value):
        return "infinite" if value > 0 else "-infinite" if value < 0 else "undefined"
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if abs(value) >= LONGEST_WHOLE_NUMBER or magnitude < min(-digits, LEAST_MAGNITUDE):
        return f"{value:.{digits - 1}e}"
    decimals = max(0, digits - 1 - magnitude)
    return f"{value:,.{decimals}f}".replace(",", " ")


def relative_change(share: float) -> str:
    """A relative change: "+12.3 %", "-40.0 %"; from tenfold on "12.3 times"."""
    return f"{number(1 + share, 3)} times" if share >= TENFOLD else f"{100 * share:+.1f} %"


def count(value: int) -> str:
    """A whole number with its thousands apart: 1 000 000."""
    return f"{value:,}".replace(",", " ")


def with_unit(name: str, unit: str) -> str:
    """A name with its unit, as in "latency (us)"; counts and shares need none."""
    return name if unit in UNITLESS else f"{name} ({unit})"


def amount(value: int, one: str, many: str) -> str:
    """A whole number of things: 1 link, 36 links."""
    return f"{count(value)} {one if value == 1 else many}"


def interval(
    value: float, low: float, high: float, unit: str = "", *, n: int = 0, least: float = -math.inf
) -> str:
    """A value and its interval with the digits that the interval deserves: 31.24 [30.9, 31.6] us.

    A quantity that cannot be below `least` is shown from there on. An unbounded end is `UNKNOWN`, and a
    useless interval is omitted; `n` is the number of messages of the value, if known.
    """
    half_width = (high - low) / 2
    if half_width == 0:
        return f"{number(value)} {unit}".rstrip()
    shown = max(low, least) if value >= least else low
    if math.isinf(high) and (math.isinf(shown) or shown == least):
        return f"{f'{number(value)} {unit}'.rstrip()} ({'one message' if n == 1 else 'too few messages'})"
    digits = SIGNIFICANT_DIGITS
    if value and math.isfinite(half_width):
        digits = min(max(math.ceil(math.log10(abs(value) / half_width)) + 1, 3), 5)
    ends = ", ".join(UNKNOWN if math.isinf(end) else number(end, digits) for end in (shown, high))
    return f"{number(value, digits)} [{ends}] {unit}".rstrip()


def percent(share: float) -> str:
    """A share of one as whole percents, halves away from zero; a small share above zero is "<1 %".

    The engine and the page write shares by the same rule: tests/numerals.tsv.
    """
    if 0 < share < 0.005:  # noqa: PLR2004 - what rounds to nothing
        return "<1 %"
    if not math.isfinite(share):
        return f"{share:.0f} %"
    # A difference of equal values may be slightly negative: that is 0.
    return f"{int(math.copysign(math.floor(abs(100 * share) + 0.5), share))} %"


def mean(value: float, digits: int = SUM_DIGITS) -> str:
    """The mean of a count or of a time, at least 0: a tiny value is neither 0 nor a long number."""
    return f"<{LEAST_MEAN}" if 0 < value < LEAST_MEAN else number(value, digits)


def time_unit(us: float) -> tuple[float, str]:
    """The unit in which a time in microseconds is a short number: its size in microseconds, and its name."""
    if us == 0:
        return 1.0, _MICROSECOND
    units = _time_units()
    return next((unit for unit in units if abs(us) >= unit[0]), units[-1])


@cache
def _time_units() -> tuple[tuple[float, str], ...]:
    """The units of times with their sizes in microseconds, the largest first.

    The engine knows them. It is asked for the first time, and not for a page of help.
    """
    from hopscope.units import US_PER

    return tuple((size, unit) for unit, size in reversed(US_PER.items()))


def duration(
    us: float, micro: str = _MICROSECOND, digits: int = TIME_DIGITS, like: float | None = None
) -> str:
    """A time in microseconds in a suitable unit: 12 us, 9.1 ms, 2.8 s. In pages `micro` is "µs".

    Several times in one sentence all have the unit of one of them, `like`.
    """
    size, unit = time_unit(us if like is None else like)
    return f"{number(us / size, digits)} {micro if unit == _MICROSECOND else unit}"


def joined(parts: list[str]) -> str:
    """The parts as "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def listed(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first `most` of the names, and the number of others: "a, b and 3 more"."""
    more = len(names) - most
    return between.join(names[:most]) + (f" and {count(more)} more" if more > 0 else "")
