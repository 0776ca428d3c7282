"""How often an explanation names what was planted in a generated corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hopscope.planted import measured
from hopscope.planted.case import Cause
from hopscope.planted.measured import Judged
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured

HEALTHY = "healthy"


@dataclass(frozen=True, slots=True)
class PlantedShare:
    """The share of a corpus that is named as it was planted: of all cases, or of the healthy ones."""

    corpus: int
    each: int
    counted: str

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "PlantedShare":
        """The quantity of an object of a definition."""
        return cls(data["corpus"], data["each"], data["counted"])

    def missing(self, _: Evidence) -> list[Setting]:
        """Nothing: a corpus is no scenario of the program, and is simulated when it is measured."""
        return []

    def measure(self, _: Evidence) -> Measured:
        """The share, exact for this corpus."""
        cases = self.cases()
        share = sum(case.is_named for case in cases) / len(cases)
        return Measured(share, share, share, "fraction")

    def cases(self) -> list[Judged]:
        """The cases that are counted."""
        cases = _explained(self.corpus, self.each)
        healthy = self.counted == HEALTHY
        return [case for case in cases if not healthy or case.planted.case.cause == Cause.HEALTHY]


@cache
def _explained(corpus: int, each: int) -> list[Judged]:
    """A corpus is simulated once, whatever is counted of it."""
    return measured.explained(corpus, each)
