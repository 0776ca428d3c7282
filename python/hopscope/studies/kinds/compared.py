"""Two quantities against each other."""

from collections.abc import Callable
from dataclasses import dataclass

from hopscope.estimate import Estimate
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import SATURATED, Quantity, estimate_of, measured
from hopscope.studies.verdict import Measured


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
        parts = [estimate_of(part.measure(evidence)) for part in (self.first, self.second)]
        if parts[0] is None or parts[1] is None:
            return SATURATED
        return measured(self.how(parts[0], parts[1]))
