"""What a cell measures: a metric, a share, a crossing, a comparison of two, a spread, an order of several.

A quantity says which settings it still needs (`missing`) and, once none is missing, what they show
(`measure`).
"""

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hopscope import estimate
from hopscope.estimate import Estimate
from hopscope.numerals import number
from hopscope.overrides import Value
from hopscope.studies.evidence import TOPOLOGY, Evidence, Setting
from hopscope.studies.verdict import Measured

WITHOUT_WORDS = ("fraction", "ratio")
NORMAL_95 = 1.96
SATURATED = Measured(None, None, None, "", "saturated")


class Quantity(Protocol):
    """Something that a study can measure."""

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings to simulate before `measure`, as far as is known now."""

    def measure(self, evidence: Evidence) -> Measured:
        """The measurement, once nothing is missing."""


def _measured(found: Estimate | None) -> Measured:
    return SATURATED if found is None else Measured(found.value, found.low, found.high, found.unit)


def _number(measured: Measured) -> float:
    """The value for comparing: saturation stands above every number."""
    return float("inf") if measured.value is None else measured.value


@dataclass(frozen=True, slots=True)
class MetricAt:
    """A metric of one setting, or a figure of its network ("topology.figures.switches").

    It is measured in multiples of `per`, which is in the metric's unit.
    """

    setting: Setting
    metric: str
    per: float = 1.0

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, unless a figure of the network is all that is asked for."""
        return [] if self.metric.startswith(TOPOLOGY) or self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """The metric's estimate; "saturated" where there is none."""
        if self.metric.startswith(TOPOLOGY):
            value = evidence.figure(self.setting, self.metric)
            return Measured(value, value, value, "")
        found = evidence.metric(self.setting, self.metric)
        if found is None or self.per == 1:
            return _measured(found)
        value, low, high = (number / self.per for number in (found.value, found.low, found.high))
        return Measured(value, low, high, "fraction")


@dataclass(frozen=True, slots=True)
class ShareAt:
    """The share of a message's latency that goes into one resource, in one setting."""

    setting: Setting
    resource: str
    of_class: str

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """The share with its interval: 0 where no message needs the resource; or "saturated"."""
        shares = evidence.shares(self.setting, self.of_class)
        if shares is None:
            return SATURATED
        found = shares.get(self.resource)
        return Measured(0.0, 0.0, 0.0, "fraction") if found is None else _measured(found)


@dataclass(frozen=True, slots=True)
class Crossing:
    """The swept value at which a metric passes a threshold upwards; saturation counts as above.

    A coarse grid finds the interval, which is then quartered until it is no wider than the resolution.
    """

    at: Callable[[Value], Setting]
    grid: tuple[float, ...]
    metric: str
    threshold: float
    resolution: float

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The grid, then the quarters of the interval with the crossing."""
        return [setting for setting in map(self.at, self._places(evidence)) if setting not in evidence]

    def measure(self, evidence: Evidence) -> Measured:
        """The crossing, interpolated; its interval is that of the metric over the slope."""
        places = self._places(evidence)
        bracket = self._bracket(places, evidence)
        if bracket is None:
            side = "above" if self._above(places[0], evidence) else "below"
            return Measured(None, None, None, "", f"always {side} {self.threshold:g}")
        low, high = bracket
        before, after = (evidence.metric(self.at(place), self.metric) for place in bracket)
        if before is None or after is None:
            return Measured((low + high) / 2, low, high, "")
        slope = (after.value - before.value) / (high - low)
        value = low + (self.threshold - before.value) / slope
        spread = max(before.half_width, after.half_width) / slope
        return Measured(value, value - spread, value + spread, "")

    def _places(self, evidence: Evidence) -> list[float]:
        """The grid and the refinements that the evidence so far asks for."""
        places = list(self.grid)
        while all(self.at(place) in evidence for place in places):
            bracket = self._bracket(places, evidence)
            if bracket is None or bracket[1] - bracket[0] <= self.resolution:
                break
            low, high = bracket
            places = sorted([*places, *(round(low + (high - low) * part / 4, 9) for part in (1, 2, 3))])
        return places

    def _bracket(self, places: Sequence[float], evidence: Evidence) -> tuple[float, float] | None:
        for low, high in itertools.pairwise(places):
            if not self._above(low, evidence) and self._above(high, evidence):
                return low, high
        return None

    def _above(self, place: float, evidence: Evidence) -> bool:
        found = evidence.metric(self.at(place), self.metric)
        return found is None or found.value > self.threshold


@dataclass(frozen=True, slots=True)
class Compared:
    """Two quantities against each other: their difference or their ratio."""

    first: Quantity
    second: Quantity
    how: Callable[[Estimate, Estimate], Estimate]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What either still needs."""
        return self.first.missing(evidence) + self.second.missing(evidence)

    def measure(self, evidence: Evidence) -> Measured:
        """The comparison; "saturated" where either has no number."""
        parts = [_estimate(part.measure(evidence)) for part in (self.first, self.second)]
        if parts[0] is None or parts[1] is None:
            return SATURATED
        return _measured(self.how(parts[0], parts[1]))


@dataclass(frozen=True, slots=True)
class Spread:
    """A quantity over several settings, such as placements: the median between the least and the largest."""

    parts: tuple[Quantity, ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What any part still needs."""
        return [setting for part in self.parts for setting in part.missing(evidence)]

    def measure(self, evidence: Evidence) -> Measured:
        """The median, with the extremes as its interval; parts without a number count as infinite."""
        found = [part.measure(evidence) for part in self.parts]
        values = [_number(each) for each in found]
        if statistics.median(values) == float("inf"):
            return SATURATED
        return Measured(statistics.median(values), min(values), max(values), found[0].unit)


@dataclass(frozen=True, slots=True)
class Band(Spread):
    """A spread over inputs that are not published: from the least to the most, with no number in between."""

    def measure(self, evidence: Evidence) -> Measured:
        """As a spread, with the two ends in words; parts without a number are beyond any number."""
        found = Spread.measure(self, evidence)
        if found.low is None or found.high is None:
            return found
        high = number(found.high, 3) if found.high < float("inf") else "saturated"
        return replace(found, words=f"{number(found.low, 3)} to {high}")


@dataclass(frozen=True, slots=True)
class Noise:
    """Between what a coefficient lies 95 times of 100 where nothing correlates: 1.96 over the root of n."""

    setting: Setting
    metric: str

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, until it has been simulated."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """0 between the two ends."""
        found = evidence.metric(self.setting, self.metric)
        if found is None or found.n == 0:
            return SATURATED
        end = NORMAL_95 / math.sqrt(found.n)
        return Measured(0.0, -end, end, "", f"{number(-end, 2)} to {number(end, 2)}")


@dataclass(frozen=True, slots=True)
class Extreme:
    """The smallest or the largest of a quantity over several settings, such as loads.

    `pick` is min or max.
    """

    parts: tuple[Quantity, ...]
    pick: Callable[..., Measured]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What any part still needs."""
        return [setting for part in self.parts for setting in part.missing(evidence)]

    def measure(self, evidence: Evidence) -> Measured:
        """The one picked, with its interval; "saturated" where any part has no number."""
        found = [part.measure(evidence) for part in self.parts]
        if any(each.value is None for each in found):
            return SATURATED
        return self.pick(found, key=_number)


@dataclass(frozen=True, slots=True)
class Equal:
    """Pairs that should agree: the largest relative difference among them."""

    pairs: tuple[tuple[Quantity, Quantity], ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What any part still needs."""
        return [setting for pair in self.pairs for part in pair for setting in part.missing(evidence)]

    def measure(self, evidence: Evidence) -> Measured:
        """The relative difference farthest from 0, with its interval."""
        worst: Estimate | None = None
        for pair in self.pairs:
            first, second = (_estimate(part.measure(evidence)) for part in pair)
            if first is None or second is None:
                return SATURATED
            ratio = estimate.ratio(first, second)
            apart = Estimate(ratio.value - 1, ratio.low - 1, ratio.high - 1, "fraction", ratio.n)
            if worst is None or abs(apart.value) > abs(worst.value):
                worst = apart
        return _measured(worst)


@dataclass(frozen=True, slots=True)
class Order:
    """Quantities that should stand in an order.

    The names are joined by "<", "<<" (at least twice), "~" (equal within `slack`) and "<~" (below or equal).
    """

    names: tuple[str, ...]
    relations: tuple[str, ...]
    parts: Mapping[str, Quantity]
    slack: float

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What any part still needs."""
        return [setting for part in self.parts.values() for setting in part.missing(evidence)]

    def measure(self, evidence: Evidence) -> Measured:
        """Whether every relation holds, with the values in words."""
        values = {name: part.measure(evidence) for name, part in self.parts.items()}
        numbers = [_number(values[name]) for name in self.names]
        holds = all(
            _stands(low, relation, high, self.slack)
            for low, relation, high in zip(numbers, self.relations, numbers[1:], strict=False)
        )
        words = ", ".join(f"{name.replace('_', ' ')} {_with_unit(values[name])}" for name in self.names)
        return Measured(None, None, None, "", words, holds)


RELATIONS: Mapping[str, Callable[[float, float, float], bool]] = {
    "<": lambda low, high, _: low < high,
    "<<": lambda low, high, _: 2 * low <= high and low < high,
    "~": lambda low, high, slack: low == high or abs(low - high) <= slack * min(low, high),
    "<~": lambda low, high, slack: low <= high * (1 + slack),
}


def _stands(low: float, relation: str, high: float, slack: float) -> bool:
    return RELATIONS[relation](low, high, slack)


def _with_unit(measured: Measured) -> str:
    if measured.value is None:
        return "saturated"
    unit = "" if measured.unit in WITHOUT_WORDS else f" {measured.unit}"
    return f"{measured.value:.4g}{unit}"


def _estimate(measured: Measured) -> Estimate | None:
    if measured.value is None or measured.low is None or measured.high is None:
        return None
    return Estimate(measured.value, measured.low, measured.high, measured.unit, 0)
