"""The page about a study's folder whose report cannot be read: its cells with their verdicts."""

import math
from collections.abc import Mapping, Sequence

from hopscope.numerals import interval, number
from hopscope.report.page import Cell, Page

_COLUMNS = ("cell", "published", "measured", "role", "tolerance", "verdict")


def page(name: str, cells: Sequence[Mapping[str, object]]) -> Page:
    """The page of the content of verdicts.json."""
    counted = [str(cell["verdict"]) for cell in cells]
    words = ", ".join(f"{counted.count(each)} {each}" for each in dict.fromkeys(counted))
    made = Page("study", f"study {name}", f"Published and measured: {name}", f"{words}.")
    made.table("Published and measured", "Intervals are 95 %.", _COLUMNS, [_row(cell) for cell in cells])
    made.words("Figures", ["There are none: report.html is missing from the folder, or is no page."])
    return made


def _row(cell: Mapping[str, object]) -> list[Cell]:
    unit = str(cell["unit"])
    tolerance = cell["tolerance"]
    verdict = str(cell["verdict"])
    return [
        str(cell["id"]),
        (f"{_words(cell['published'])} {unit}".strip(), "number"),
        (f"{_measured(cell)} {unit}".strip(), "number"),
        str(cell["role"]),
        (f"{100 * tolerance:g} %" if isinstance(tolerance, float) and tolerance else "", "number"),
        (verdict, verdict.replace(" ", "-")),
    ]


def _words(value: object) -> str:
    return number(float(value)) if isinstance(value, int | float) else str(value or "")


def _measured(cell: Mapping[str, object]) -> str:
    value, low, high = (_finite(cell[key]) for key in ("measured", "low", "high"))
    if value is None or low is None or high is None:
        return _words(cell["measured"])
    return interval(value, low, high)


def _finite(value: object) -> float | None:
    return value if isinstance(value, int | float) and math.isfinite(value) else None
