"""How often an explanation names what was planted in a generated corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hopscope.cause import Cause
from hopscope.planted import diagnosed, measured, remedies
from hopscope.planted.measured import Judged
from hopscope.planted.remedies import Relieved
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured

HEALTHY = "healthy"
RELIEVED = "relieved"
COUNTERS = "counters"


@dataclass(frozen=True, slots=True)
class PlantedShare:
    """The share of a corpus that is named as it was planted, of all cases or of the healthy; or relieved."""

    corpus: int
    each: int
    counted: str
    by: str = "explanation"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "PlantedShare":
        """The quantity of an object of a definition."""
        return cls(data["corpus"], data["each"], data["counted"], data["by"])

    def missing(self, _: Evidence) -> list[Setting]:
        """Nothing: a corpus has no settings, and is simulated when it is measured."""
        return []

    def measure(self, _: Evidence) -> Measured:
        """The share, exact for this corpus."""
        cases = self.reliefs() if self.counted == RELIEVED else self.cases()
        share = sum(case.is_right for case in cases) / len(cases)
        return Measured(share, share, share, "fraction", is_certain=True)

    def reliefs(self) -> list[Relieved]:
        """The cases with known remedies."""
        return _relieved(self.corpus, self.each)

    def cases(self) -> list[Judged]:
        """The cases whose causes are named."""
        cases = _judged(self.corpus, self.each, self.by)
        healthy = self.counted == HEALTHY
        return [case for case in cases if not healthy or case.planted.case.cause == Cause.HEALTHY]


@cache
def _relieved(corpus: int, each: int) -> list[Relieved]:
    """The same for remedies."""
    return remedies.relieved(corpus, each)


@cache
def _judged(corpus: int, each: int, by: str) -> list[Judged]:
    """A corpus is simulated once, for all cells that count its cases."""
    name = diagnosed.diagnosed if by == COUNTERS else measured.explained
    return name(corpus, each)
