"""Published cells: what a paper printed, and in which role a study may use it."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum

from hopscope import _core


class Role(StrEnum):
    """The role of a cell (published/README.md). In a file a remark may follow: "lower bound within 3 %"."""

    CALIBRATES = "calibrates"
    PREDICTS = "predicts"
    EXACT = "exact"
    EXACT_ORDER = "exact order"
    ORDER = "order"
    EQUAL = "equal"
    RANGE = "range"
    UPPER_RANGE = "upper range"
    UPPER_BOUND = "upper bound"
    LOWER_BOUND = "lower bound"
    SPREAD = "within the spread"
    SHAPE = "shape"
    PRESENT = "present"
    NOT_JUDGED = "not judged"

    @classmethod
    def of(cls, text: str) -> "Role":
        """The role that a file states. Raises ValueError if it states none: nothing would be judged."""
        stated = [role for role in cls if re.match(rf"{role}(?!\w)", text)]
        if not stated:
            raise ValueError(f'"{text}" begins with no role: {", ".join(cls)}')
        return max(stated, key=len)


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
    def is_for(self) -> Role:
        """Its role without the remark."""
        return Role.of(self.role)

    @property
    def number(self) -> float | None:
        """The value, if it is a number."""
        try:
            return float(self.value)
        except ValueError:
            return None


def cells(file: str) -> list[PublishedCell]:
    """The cells of a file of published/, in their order."""
    return [PublishedCell(**row) for row in json.loads(_core.published_cells(file))]
