"""Two quantities against each other."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hopscope.estimate import Estimate
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import SATURATED, Quantity, estimate_of, lacking_number, measured
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
        """The comparison; if either has no number, the reason."""
        parts = self.first.measure(evidence), self.second.measure(evidence)
        first, second = map(estimate_of, parts)
        if first is None or second is None:
            return lacking_number(parts) or SATURATED
        return replace(
            measured(self.how(first, second)),
            is_certain=all(part.is_certain for part in parts),
            has_bare=any(part.is_bare for part in parts),
        )
