"""A measured number with its uncertainty, and the arithmetic of independent estimates."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.numerals import TENFOLD, UNITLESS, count, interval, number, relative_change
from hopscope.units import factor

# The confidence of every interval.
CONFIDENCE = 0.95

# How many standard deviations of a normal value its interval reaches to either side, and its 95 % point.
_NORMAL_INTERVAL = 1.96
_NORMAL_POINT = 1.6449
# The decimals of a share that its words show: per cent with one decimal.
_WHOLE_PER_MILLE = 3
# A gain or loss of at most this hardly matters.
NEGLIGIBLE_GAIN = 0.05
TOO_FEW = "too few messages for an interval"


@dataclass(frozen=True, slots=True, repr=False)
class Estimate:
    """A measured value with its 95 % confidence interval.

    `unit` is as the metric names it ("us", "Gbit/s"); `n` counts the observations behind the value. For a
    quantity that cannot be negative the interval is shown from 0 on. `is_cut` says that its low end is 0 and
    was below; computations use its original width.

    Examples:
        >>> before = Estimate(31.2, 30.9, 31.5, "us", 20_000)
        >>> after = Estimate(25.1, 24.7, 25.5, "us", 20_000)
        >>> print(before - after)
        6.10 [5.60, 6.60] us
        >>> print(after / before)
        0.804 [0.790, 0.819]
        >>> float(before)
        31.2
    """

    value: float
    low: float
    high: float
    unit: str
    n: int
    can_be_negative: bool = field(default=True, compare=False)
    is_cut: bool = field(default=False, compare=False)

    @property
    def numbers(self) -> str:
        """The value with its interval, without the unit: "31.2 [30.9, 31.5]"."""
        return interval(self.value, self.low, self.high, n=self.n, least=self._least)

    @property
    def _least(self) -> float:
        return -math.inf if self.can_be_negative else 0.0

    @property
    def shown_low(self) -> float:
        """The low end as shown: at least 0 if the quantity cannot be negative."""
        return max(self.low, self._least)

    @property
    def half_width(self) -> float:
        """Half the interval's width, in the unit of the value; for a cut one, the part above the value."""
        return self.high - self.value if self.is_cut else (self.high - self.low) / 2

    def __float__(self) -> float:
        """The value alone."""
        return self.value

    def __sub__(self, other: "Estimate") -> "Estimate":
        """The difference of independent estimates: runs of other seeds or scenarios.

        Runs with the same seeds are not independent; `hopscope.compare` pairs them, and its intervals are
        narrower. Raises UsageError for another unit.
        """
        _check_units(self, other, "subtracted from")
        return difference(self, other)

    def __truediv__(self, other: "Estimate") -> "Estimate":
        """The ratio of independent estimates. Raises UsageError for another unit, ZeroDivisionError for 0."""
        _check_units(self, other, "divided by")
        return ratio(self, other)

    def __repr__(self) -> str:
        """As printed, with the number of observations."""
        return f"<Estimate {self}, n = {count(self.n)}>"

    def __str__(self) -> str:
        """The value with its interval and unit: "31.2 [30.9, 31.5] us"; counts and shares have none."""
        unit = "" if self.unit in UNITLESS else self.unit
        return interval(self.value, self.low, self.high, unit, n=self.n, least=self._least)

    def to_data(self) -> dict[str, float | None]:
        """Value and interval as in JSON; an unbounded end is null."""
        low, high = (None if math.isinf(end) else end for end in (self.low, self.high))
        return {"value": self.value, "low": low, "high": high}

    @classmethod
    def of_data(cls, data: Mapping[str, float | None], unit: str = "") -> "Estimate":
        """From data of `to_data`, for a number in this unit; the number of observations is unknown."""
        value, low, high = data["value"], data["low"], data["high"]
        assert value is not None
        return cls(value, -math.inf if low is None else low, math.inf if high is None else high, unit, 0)


def gain_words(gain: Estimate) -> str:
    """A gain in a column, with its interval: "+12.3 % [11.0, 13.6]", from tenfold on as a factor.

    If an end is unbounded the other one is "at least" or "at most", if it is useful.
    """
    value = relative_change(gain.value)
    if rules_nothing_out(gain):
        return f"{value} ({TOO_FEW})"
    if gain.value >= TENFOLD:
        return _between(value, 1 + gain.low, 1 + gain.high, _factor)
    return _between(value, gain.low, gain.high, _per_cent)


def time_gain_words(gain: Estimate) -> str:
    """A gain in a time in a column of reductions: "+40.0 % [..]", from tenfold on "12.3 times shorter [..]".

    A time that at least doubles is no gain: "none: 2.5 times as long [2.1, 2.9]".
    """
    return _as_factor(gain, "", "none: ") or gain_words(gain)


def more_words(gain: Estimate, of: str) -> str:
    """A gain in what should be large: "12.3 % more throughput [11.0, 13.6]", or less, if it is a loss.

    From tenfold on it is "12.3 times the throughput [11.0, 13.6]".
    """
    if gain.value >= TENFOLD and not rules_nothing_out(gain):
        return _between(f"{_factor(1 + gain.value)} times the {of}", 1 + gain.low, 1 + gain.high, _factor)
    return _in_words(gain, of, "more", "less")


def less_words(gain: Estimate, of: str) -> str:
    """A gain in a time: "40.0 % less latency [35.2, 45.0]", or more, if it is a loss.

    From tenfold on it is "latency 12.3 times shorter [11.0, 13.6]", and if the time at least doubles "latency
    2.5 times as long [2.1, 2.9]": a time cannot lose more than all of itself.
    """
    return _as_factor(gain, f"{of} ", f"{of} ") or _in_words(gain, of, "less", "more")


def _as_factor(gain: Estimate, shorter: str, longer: str) -> str | None:
    """A gain in a time as a factor, after the given words; None if per cent say it better."""
    if gain.value <= -1:
        words = f"{longer}{_factor(1 - gain.value)} times as long"
        if rules_nothing_out(gain):
            return f"{words} ({TOO_FEW})"
        return _between(words, 1 - gain.high, 1 - gain.low, _factor)
    tenth = 1 / (1 + TENFOLD)
    if not 1 - tenth <= gain.value < 1 or math.isinf(gain.low):
        return None
    value, low = (1 / (1 - share) for share in (gain.value, gain.low))
    high = 1 / (1 - gain.high) if gain.high < 1 else math.inf
    return _between(f"{shorter}{_factor(value)} times shorter", low, high, _factor)


def _in_words(gain: Estimate, of: str, gained: str, lost: str) -> str:
    """A change in per cent without a sign, which the word for its direction stands for."""
    is_loss = round(gain.value, _WHOLE_PER_MILLE) < 0
    if is_loss:
        gain, gained = replace(gain, value=-gain.value, low=-gain.high, high=-gain.low), lost
    value = f"{_per_cent(abs(gain.value))} % {gained} {of}"
    if rules_nothing_out(gain):
        return f"{value} ({TOO_FEW})"
    return _between(value, gain.low, gain.high, _per_cent)


def converted(estimate: Estimate, unit: str) -> Estimate | None:
    """The estimate in another unit; None if the two units are of different kinds."""
    if estimate.unit == unit:
        return estimate
    times = factor(estimate.unit, unit)
    if times is None:
        return None
    numbers = {name: times * getattr(estimate, name) for name in ("value", "low", "high")}
    return replace(estimate, unit=unit, **numbers)


def rules_nothing_out(gain: Estimate) -> bool:
    """Whether an interval is useless: an end is unbounded, and the gain may be 0.

    A loss is at most 100 %, and so is a saved time: an end near these is no bound either. Only if the other
    end is within a few per cent of 0 is it useful: the change hardly matters.
    """
    is_open = math.isinf(gain.low) != math.isinf(gain.high)
    return is_open and gain.low < -NEGLIGIBLE_GAIN and gain.high > NEGLIGIBLE_GAIN


def _between(value: str, low: float, high: float, end: Callable[[float], str]) -> str:
    """A value with the ends of its interval; an unbounded end has no number."""
    if math.isinf(low) and math.isinf(high):
        return f"{value} (1 run)"
    if math.isinf(low):
        return f"{value} [at most {end(high)}]"
    return f"{value} [at least {end(low)}]" if math.isinf(high) else f"{value} [{end(low)}, {end(high)}]"


def _factor(times: float) -> str:
    return number(times, 3)


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f}"


def _check_units(first: Estimate, second: Estimate, verb: str) -> None:
    if not isinstance(second, Estimate):
        raise TypeError(f"an estimate cannot be {verb} a {type(second).__name__}; float() gives its value")
    if first.unit != second.unit:
        raise UsageError(f"{first.unit} cannot be {verb} {second.unit}", "bring both to one unit")


def around(value: float, half_width: float, unit: str, n: int) -> Estimate:
    """The estimate with a symmetric interval."""
    return Estimate(value, value - half_width, value + half_width, unit, n)


def interval_of_mean(values: Sequence[float], unit: str) -> Estimate:
    """The mean of two or more independent values with its 95 % interval by Student's t."""
    count = len(values)
    mean = math.fsum(values) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    return around(mean, _core.student_t(CONFIDENCE, count - 1) * deviation / math.sqrt(count), unit, count)


def pooled(parts: Sequence[Estimate]) -> Estimate:
    """The mean of estimates from independent runs of the same system (equal weights), as of several seeds.

    The variances of the runs' means add. Their intervals do not include effects of a seed on a whole run: if
    the runs differ more than their intervals explain, the interval is that of their values by Student's t, if
    that is wider. A single one stays as it is, since the interval of a quantile is not symmetric.
    """
    assert parts, "nothing to pool"
    if len(parts) == 1:
        return parts[0]
    value = sum(part.value for part in parts) / len(parts)
    half_width = math.sqrt(sum(part.half_width**2 for part in parts)) / len(parts)
    if not _agree(parts):
        spread = interval_of_mean([part.value for part in parts], parts[0].unit)
        half_width = max(half_width, spread.half_width)
    mean = around(value, half_width, parts[0].unit, sum(part.n for part in parts))
    return replace(mean, can_be_negative=any(part.can_be_negative for part in parts))


def from_zero(estimate: Estimate) -> Estimate:
    """The estimate of a quantity that cannot be negative with an interval that does not begin below 0.

    Other estimates stay as they are.
    """
    if estimate.can_be_negative or estimate.low >= 0:
        return estimate
    return replace(estimate, low=0.0, is_cut=True)


def _agree(parts: Sequence[Estimate]) -> bool:
    """Whether the runs' own intervals explain the spread of their values: Cochran's test of homogeneity.

    W. G. Cochran, "The combination of estimates from different experiments", Biometrics 10(1), 1954; at 5 %.
    Values without intervals, such as maxima, agree if they are equal.
    """
    values = [part.value for part in parts]
    mean = math.fsum(values) / len(values)
    variance = math.fsum((part.half_width / _NORMAL_INTERVAL) ** 2 for part in parts) / len(parts)
    if variance == 0:
        return min(values) == max(values)
    return math.fsum((value - mean) ** 2 for value in values) / variance <= _chi_squared(len(parts) - 1)


def _chi_squared(freedom: int) -> float:
    """The 95 % point of chi-squared, 2 % too low for one degree of freedom and closer for all others.

    E. B. Wilson and M. M. Hilferty, "The distribution of chi-square", PNAS 17(12), 1931: its cube root is
    almost normal.
    """
    variance = 2 / (9 * freedom)
    return freedom * (1 - variance + _NORMAL_POINT * math.sqrt(variance)) ** 3


def difference(first: Estimate, second: Estimate) -> Estimate:
    """`first` minus `second`, for independent estimates of one unit."""
    half_width = math.hypot(first.half_width, second.half_width)
    return around(first.value - second.value, half_width, first.unit, min(first.n, second.n))


def ratio(first: Estimate, second: Estimate) -> Estimate:
    """`first` over `second`; the interval is the first-order one (relative errors add in squares).

    Raises ZeroDivisionError if the second value is 0.
    """
    value = first.value / second.value
    relative = math.hypot(
        first.half_width / first.value if first.value else 0.0, second.half_width / second.value
    )
    found = around(value, abs(value) * relative, "ratio", min(first.n, second.n))
    return replace(found, can_be_negative=first.can_be_negative or second.can_be_negative)
