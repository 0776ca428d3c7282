"""The smallest or the largest of a quantity over several settings."""

from collections.abc import Callable
from dataclasses import dataclass

from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import Quantity, comparable, lacking_number
from hopscope.studies.verdict import Measured


@dataclass(frozen=True, slots=True)
class Extreme:
    """The smallest or the largest of a quantity over several settings, such as loads.

    `pick` is min or max.
    """

    parts: tuple[Quantity, ...]
    pick: Callable[..., Measured]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What any part still needs."""
        return [setting for part in self.parts for setting in part.missing(evidence)]

    def measure(self, evidence: Evidence) -> Measured:
        """The selected one, with its interval; if any part has no number, the reason."""
        found = [part.measure(evidence) for part in self.parts]
        if (lacking := lacking_number(found)) is not None:
            return lacking
        return self.pick(found, key=comparable)
