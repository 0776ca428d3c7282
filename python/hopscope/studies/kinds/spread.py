"""A quantity over several settings: a median between its extremes, or the extremes alone."""

import statistics
from dataclasses import dataclass, replace

from hopscope.numerals import number
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import SATURATED, Quantity, comparable, lacking_number
from hopscope.studies.verdict import Measured


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
        lacking = lacking_number(found)
        if lacking is not None and all(each.is_empty for each in found if each.value is None):
            return lacking
        values = [comparable(each) for each in found]
        if statistics.median(values) == float("inf"):
            return SATURATED
        ends = min(values), max(values)
        return Measured(statistics.median(values), *ends, found[0].unit, is_exact=True)


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
