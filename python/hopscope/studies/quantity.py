"""What a cell or a line of a figure measures, whatever its kind."""

from typing import Protocol

from hopscope.estimate import Estimate
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured

SATURATED = Measured(None, None, None, "", "saturated")


class Quantity(Protocol):
    """Something that a study can measure.

    It says which settings it still needs and, once none is missing, what they show.
    """

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings to simulate before `measure`, as far as is known now."""

    def measure(self, evidence: Evidence) -> Measured:
        """The measurement, once nothing is missing."""


def measured(found: Estimate | None) -> Measured:
    """An estimate as a measurement; none is saturation."""
    return SATURATED if found is None else Measured(found.value, found.low, found.high, found.unit)


def comparable(found: Measured) -> float:
    """The value for comparing: saturation stands above every number."""
    return float("inf") if found.value is None else found.value


def estimate_of(found: Measured) -> Estimate | None:
    """A measurement as an estimate; None where it has no number."""
    if found.value is None or found.low is None or found.high is None:
        return None
    return Estimate(found.value, found.low, found.high, found.unit, 0)
