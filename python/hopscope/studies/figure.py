"""The figure of a study in the paper's axes: measured lines with intervals, published open marks."""

import math
from typing import TYPE_CHECKING, Any

from hopscope import palette
from hopscope.charts.style import HEIGHT, WIDTH, number_axis, styled
from hopscope.numerals import number
from hopscope.studies.definition import Figure
from hopscope.studies.evidence import Evidence
from hopscope.studies.quantities import Spread
from hopscope.studies.verdict import Measured

if TYPE_CHECKING:
    import altair as alt

LEGEND_COLUMNS = 3


def draw(figure: Figure, evidence: Evidence) -> "alt.LayerChart":
    """The figure; points without a number (saturated) are left out of their line."""
    import altair as alt

    measured, published = _rows(figure, evidence)
    labels = [series.label for series in figure.series]
    scale = alt.Scale(
        domain=labels, range=[palette.SERIES[index % len(palette.SERIES)] for index in range(len(labels))]
    )
    legend = (
        alt.Legend(
            orient="top", columns=LEGEND_COLUMNS, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1
        )
        if len(labels) > 1
        else None
    )
    colour = alt.Color("series:N", sort=labels, title=None, scale=scale, legend=legend)
    x = number_axis(figure.x_title, [row["x"] for row in [*measured, *published]])
    heights = alt.Scale(type="log", nice=True) if figure.log else alt.Scale(zero=True, nice=True)
    lines = alt.Chart(alt.Data(values=measured)).encode(x=x, color=colour)
    marks = alt.Chart(alt.Data(values=published)).encode(x=x, color=colour)
    tooltip = [alt.Tooltip("series:N"), alt.Tooltip("x:Q"), alt.Tooltip("value:Q", format=".4g")]

    def y(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title=figure.y_title, scale=heights)

    layers = alt.layer(
        lines.mark_area(opacity=0.18).encode(y=y("low"), y2="high:Q"),
        lines.mark_line(strokeWidth=2).encode(y=y("value")),
        lines.mark_point(filled=True, size=36, opacity=1).encode(y=y("value"), tooltip=tooltip),
        marks.mark_point(shape="diamond", size=130, strokeWidth=1.8, opacity=1).encode(
            y=y("value"), tooltip=tooltip
        ),
    )
    title = alt.TitleParams(
        figure.title, subtitle=_note(figure), subtitleColor=palette.QUIET_INK, subtitleFontSize=11
    )
    return styled(layers.properties(width=WIDTH, height=HEIGHT, title=title))


def points(figure: Figure, evidence: Evidence) -> tuple[list[str], list[list[str]]]:
    """What is drawn, in words: the x and every line as columns, with the published value in brackets."""
    heads = [figure.x_title, *(series.label or figure.y_title for series in figure.series)]
    places = list(dict.fromkeys(x for series in figure.series for x, _ in series.points))
    rows = []
    for place in places:
        cells = [f"{place:g}"]
        for series in figure.series:
            found = [quantity.measure(evidence) for x, quantity in series.points if x == place]
            printed = [value for x, value in series.published if x == place]
            words = "" if not found else _in_words(found[0])
            cells.append(f"{words} ({printed[0]:g})" if printed else words)
        rows.append(cells)
    return heads, rows


def _in_words(found: Measured) -> str:
    return "-" if found.value is None else number(found.value, 3)


def _note(figure: Figure) -> str:
    """What the marks and bands of the figure mean."""
    quantities = [quantity for series in figure.series for _, quantity in series.points]
    spread = any(isinstance(quantity, Spread) for quantity in quantities)
    measured = "lines and dots: measured with 95 % intervals" + (", wide bands: the spread" if spread else "")
    marked = any(series.published for series in figure.series)
    return measured + ("; open diamonds: published" if marked else "")


def _rows(figure: Figure, evidence: Evidence) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    measured, published = [], []
    for series in figure.series:
        published += [{"x": x, "value": value, "series": series.label} for x, value in series.published]
        for x, quantity in series.points:
            found = quantity.measure(evidence)
            if found.value is not None:
                measured.append(
                    {
                        "x": x,
                        "value": found.value,
                        "low": _drawn(found.low, found.value),
                        "high": _drawn(found.high, found.value),
                        "series": series.label,
                    }
                )
    return measured, published


def _drawn(end: float | None, value: float) -> float:
    """An end of an interval as far as it can be drawn: one without bound is left out."""
    return end if end is not None and math.isfinite(end) else value
