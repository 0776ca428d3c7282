"""Quantities that should stand in an order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import Quantity, comparable
from hopscope.studies.verdict import Measured

WITHOUT_WORDS = ("fraction", "ratio")


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
        numbers = [comparable(values[name]) for name in self.names]
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
