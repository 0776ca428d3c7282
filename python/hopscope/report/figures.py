"""Figures as data: what the page draws, and offers as CSV, SVG and PNG."""

from collections.abc import Sequence
from typing import Any

from hopscope.stage_styles import COLOURS, of_stages

Row = tuple[float, float | None] | tuple[float, float | None, float | None, float | None]
BACKGROUND = -1
"""The colour of a background series."""


def axis(title: str, **look: Any) -> dict[str, Any]:
    """An axis: `log`, `percent`, `names` of places without numbers, ends `from` and `to`."""
    return {"title": title, **look}


def series(name: str, colour: int, rows: Sequence[Row], **look: Any) -> dict[str, Any]:
    """Rows of x and y, with the ends of an interval if any (None: unbounded), and their looks.

    `line` is "solid", "dashed" or "step"; `marks` "dots", "diamonds" or "triangles"; `spread`, of the
    intervals, "band" or "bars"; `columns` draws them from the axis.
    """
    return {"name": name, "colour": colour, "rows": list(rows), **look}


def lines(
    x: dict[str, Any],
    y: dict[str, Any],
    drawn: Sequence[dict[str, Any]],
    title: str = "",
    note: str = "",
    **look: Any,
) -> dict[str, Any]:
    """Series over two axes."""
    return {"kind": "lines", "title": title, "note": note, "x": x, "y": y, "series": list(drawn), **look}


def bars(
    axis_title: str, rows: Sequence[tuple[str, float, str]], look: str, title: str = ""
) -> dict[str, Any]:
    """Bars from left to right: name, length, words."""
    drawn = [{"name": name, "value": value, "words": words, "look": look} for name, value, words in rows]
    return {"kind": "bars", "title": title, "note": "", "axis": {"title": axis_title}, "rows": drawn}


def stacked(
    axis_title: str,
    parts: Sequence[tuple[str, str]],
    rows: Sequence[tuple[str, Sequence[float]]],
    title: str = "",
) -> dict[str, Any]:
    """Bars of shares: the parts with their looks, and for each bar its name and the share of each part."""
    return {
        "kind": "stacked",
        "title": title,
        "note": "",
        "axis": {"title": axis_title},
        "parts": [{"name": name, "look": look} for name, look in parts],
        "bars": [{"name": name, "shares": list(shares)} for name, shares in rows],
    }


def stage_looks(stages: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The looks of stages (name, "wait" or "service") in order of occurrence: waits warm, services cool."""
    looks = zip(stages, of_stages(stages), strict=True)
    return [
        (name, f"{kind}{look % COLOURS}{' hatched' if look >= COLOURS else ''}")
        for (name, kind), look in looks
    ]
