"""Quantities that should stand in an order."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from hopscope.numerals import UNITLESS
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import Quantity, comparable, lacking_number
from hopscope.studies.verdict import WIDENED, Measured


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
        pairs = zip(self.names, self.relations, self.names[1:], strict=False)
        lacking = lacking_number(values.values())
        if lacking is not None and lacking.is_empty:
            return replace(lacking, is_open=True)
        answers = [_stands(values[low], relation, values[high], self.slack) for low, relation, high in pairs]
        words = ", ".join(f"{name.replace('_', ' ')} {_with_unit(values[name])}" for name in self.names)
        holds = None if None in answers else all(answers)
        if False in answers:
            holds = False
        has_bare = any(part.is_bare for part in values.values())
        return Measured(None, None, None, "", words, holds, is_open=holds is None, has_bare=has_bare)


RELATIONS: Mapping[str, Callable[[float, float, float], bool]] = {
    "<": lambda low, high, _: low < high,
    "<<": lambda low, high, _: 2 * low <= high and low < high,
    "~": lambda low, high, slack: low == high or abs(low - high) <= slack * min(low, high),
    "<~": lambda low, high, slack: low <= high * (1 + slack),
}

# The distance of a relation from changing, for numbers, and the weight of each of the two in it.
MARGINS: Mapping[str, Callable[[float, float, float], tuple[float, float, float]]] = {
    "<": lambda low, high, _: (high - low, 1.0, 1.0),
    "<<": lambda low, high, _: (high - 2 * low, 2.0, 1.0),
    "~": lambda low, high, slack: (slack * min(low, high) - abs(low - high), 1.0, 1.0),
    "<~": lambda low, high, slack: (high * (1 + slack) - low, 1.0, 1 + slack),
}


def _stands(first: Measured, relation: str, second: Measured, slack: float) -> bool | None:
    """Whether a relation holds; None if the intervals leave it open."""
    low, high = comparable(first), comparable(second)
    holds = RELATIONS[relation](low, high, slack)
    if math.isinf(low) or math.isinf(high):
        return holds
    margin, of_low, of_high = MARGINS[relation](low, high, slack)
    reach = WIDENED * math.hypot(of_low * _half(first), of_high * _half(second))
    return holds if abs(margin) >= reach else None


def _half(found: Measured) -> float:
    """Half the width of the interval; 0 without one."""
    if found.is_exact or found.low is None or found.high is None:
        return 0.0
    return (found.high - found.low) / 2


def _with_unit(measured: Measured) -> str:
    if measured.value is None:
        return measured.words
    unit = "" if measured.unit in UNITLESS else measured.unit
    return f"{measured.value:.4g} {unit}".rstrip()
