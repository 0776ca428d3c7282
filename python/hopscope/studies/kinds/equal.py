"""Pairs that should agree."""

from dataclasses import dataclass

from hopscope import estimate
from hopscope.estimate import Estimate
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import SATURATED, Quantity, estimate_of, lacking_number, measured
from hopscope.studies.verdict import Measured


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
            parts = [part.measure(evidence) for part in pair]
            first, second = map(estimate_of, parts)
            if first is None or second is None:
                return lacking_number(parts) or SATURATED
            ratio = estimate.ratio(first, second)
            apart = Estimate(ratio.value - 1, ratio.low - 1, ratio.high - 1, "fraction", ratio.n)
            if worst is None or abs(apart.value) > abs(worst.value):
                worst = apart
        return SATURATED if worst is None else measured(worst)
