"""Numbers as people read them: few digits, a thin grouping, no exponent where it can be helped."""

import math
from collections.abc import Sequence

UNITLESS = frozenset({"", "1", "fraction", "ratio"})
"""The units of metrics that are not printed: those of counts and of shares."""

SIGNIFICANT_DIGITS = 4
TENFOLD = 9.0
"""The change from which on a relative change is told as so many times as much: 900 %."""
LONGEST_WHOLE_NUMBER = 1e7
LEAST_MS = 0.1
_MS_PER_S = 1000.0
_US_PER_MS = 1000.0
_MS_WITH_THREE_DIGITS = 100.0


def number(value: float, digits: int = SIGNIFICANT_DIGITS) -> str:
    """`value` with about `digits` significant digits: 31.24, 0.7112, 1 030."""
    if not math.isfinite(value):
        return "infinite" if value > 0 else "-infinite" if value < 0 else "undefined"
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if abs(value) >= LONGEST_WHOLE_NUMBER or magnitude < -digits:
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

    What cannot be below `least` is shown from there on. An end without a bound is told and has no number; `n`
    is how many messages the value comes from, where that is known.
    """
    half_width = (high - low) / 2
    if half_width == 0:
        return f"{number(value)} {unit}".rstrip()
    if math.isinf(low) and math.isinf(high):
        return f"{f'{number(value)} {unit}'.rstrip()} ({'one message' if n == 1 else 'too few messages'})"
    digits = SIGNIFICANT_DIGITS
    if value and math.isfinite(half_width):
        digits = min(max(math.ceil(math.log10(abs(value) / half_width)) + 1, 3), 5)
    shown = max(low, least) if value >= least else low
    ends = f"{number(shown, digits)}, {number(high, digits)}"
    if math.isinf(high):
        ends = f"at least {number(shown, digits)}"
    elif math.isinf(shown):
        ends = f"at most {number(high, digits)}"
    return f"{number(value, digits)} [{ends}] {unit}".rstrip()


def percent(share: float) -> str:
    """A share of one as whole percents; a small but real share is not called nothing."""
    if 0 < share < 0.005:  # noqa: PLR2004 - what rounds to nothing
        return "<1 %"
    # A difference of what is alike may be a little less than nothing: z makes that 0.
    return f"{100 * share:z.0f} %"


def duration(us: float, micro: str = "us") -> str:
    """A time in microseconds as people say it: 12 us, 9.1 ms, 2.8 s. In pages `micro` is "µs"."""
    ms = us / _US_PER_MS
    if ms >= _MS_PER_S:
        return f"{number(ms / _MS_PER_S, 2)} s"
    if ms >= LEAST_MS:
        return f"{number(ms, 3 if ms >= _MS_WITH_THREE_DIGITS else 2)} ms"
    return f"{number(us, 2)} {micro}"


def joined(parts: list[str]) -> str:
    """The parts as "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def listed(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first `most` of the names, and how many more there are: "a, b and 3 more"."""
    more = len(names) - most
    return between.join(names[:most]) + (f" and {count(more)} more" if more > 0 else "")
