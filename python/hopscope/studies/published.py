"""Published cells: what a paper printed, and in which role a study may use it."""

import json
from dataclasses import dataclass

from hopscope import _core


@dataclass(frozen=True, slots=True)
class PublishedCell:
    """One row of published/*.csv.

    `value` is as printed there: a number, a range "0.64..1.28", or empty. `tolerance` is relative.
    """

    id: str
    quantity: str
    configuration: str
    at: str
    value: str
    unit: str
    role: str
    tolerance: float
    note: str

    @property
    def number(self) -> float | None:
        """The value, where it is a number."""
        try:
            return float(self.value)
        except ValueError:
            return None


def cells(file: str) -> list[PublishedCell]:
    """The cells of a file of published/, in their order."""
    return [PublishedCell(**row) for row in json.loads(_core.published_cells(file))]
