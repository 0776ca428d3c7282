"""Published cells: what a paper printed, and in which role a study may use it."""

import csv
import io
from dataclasses import dataclass

from hopscope.errors import UsageError


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


def read(text: str) -> dict[str, PublishedCell]:
    """The cells of one file by their ids."""
    cells = {}
    for row in csv.DictReader(io.StringIO(text)):
        where = row.get("at") or " ".join(row[name] for name in ("era", "words") if row.get(name))
        cell = PublishedCell(
            id=row["id"],
            quantity=row["quantity"],
            configuration=row.get("configuration", ""),
            at=where,
            value=row["value"],
            unit=row["unit"],
            role=row["role"],
            tolerance=float(row["tolerance"] or 0),
            note=row.get("note") or "",
        )
        if cell.id in cells:
            raise UsageError(f"the published cell `{cell.id}` is defined twice", "each id must be unique")
        cells[cell.id] = cell
    return cells
