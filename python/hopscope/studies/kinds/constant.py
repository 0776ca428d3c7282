"""A constant of the study."""

from dataclasses import dataclass

from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the study, to compare with."""

    value: float

    def missing(self, _: Evidence) -> list[Setting]:
        """Nothing."""
        return []

    def measure(self, _: Evidence) -> Measured:
        """The number."""
        return Measured(self.value, self.value, self.value, "", is_certain=True)
