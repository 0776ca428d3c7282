"""The figure of a study: lines in the paper's axes with published marks, or bars of where the time goes."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope import palette
from hopscope.charts.style import HEIGHT, WIDTH, drawn_end, number_axis, styled
from hopscope.estimate import Estimate
from hopscope.extras import extra
from hopscope.numerals import number, percent
from hopscope.studies.definition import Figure, ShareBars
from hopscope.studies.evidence import Evidence
from hopscope.studies.kinds.noise import Noise
from hopscope.studies.kinds.spread import Band, Spread
from hopscope.studies.verdict import Measured

if TYPE_CHECKING:
    from altair.typing import ChartType

BAR_ROW = 24  # pixels
BAR_PARTS_NAMED = 4
LEGEND_COLUMNS = 3
LETTER = 6.2  # pixels of a legend's letter, more or less
LEGEND_MARK = 34  # pixels of a legend's line and the gap behind it
LONGEST_TITLE = 44  # letters beside the axis
LONGEST_NOTE = 80  # letters of a line below the title
BANDS = (Band, Noise)


def draw(figure: Figure | ShareBars, evidence: Evidence) -> "ChartType":
    """The figure; settings without a number (saturated) are left out."""
    return _bars(figure, evidence) if isinstance(figure, ShareBars) else _lines(figure, evidence)


def _bars(figure: ShareBars, evidence: Evidence) -> "ChartType":
    """One bar per setting, divided by the shares of the resources."""
    with extra("charts"):
        import altair as alt

    rows: list[dict[str, Any]] = [
        {"bar": label, "resource": resource, "share": share.value, "words": str(share), "order": order}
        for label, setting in figure.bars
        for order, (resource, share) in enumerate((evidence.shares(setting, figure.of_class) or {}).items())
    ]
    resources: list[str] = list(dict.fromkeys(row["resource"] for row in rows))
    colours = [
        (*palette.SERVICES, *palette.WAITS)[index % (len(palette.SERVICES) + len(palette.WAITS))]
        for index in range(len(resources))
    ]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(height=15)
        .encode(
            x=alt.X(
                "share:Q",
                title="share of a message's latency, with the waits",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            y=alt.Y(
                "bar:N", sort=[label for label, _ in figure.bars], title=None, axis=alt.Axis(labelLimit=260)
            ),
            order=alt.Order("order:Q"),
            color=alt.Color(
                "resource:N",
                sort=resources,
                title=None,
                scale=alt.Scale(domain=resources, range=colours),
                legend=alt.Legend(orient="top", columns=4),
            ),
            tooltip=[alt.Tooltip("bar:N"), alt.Tooltip("resource:N"), alt.Tooltip("words:N", title="share")],
        )
    )
    height = BAR_ROW * len(figure.bars)
    return styled(chart.properties(width=WIDTH, height=height, title=figure.title))


def _lines(figure: Figure, evidence: Evidence) -> "ChartType":
    """Lines with intervals and published marks."""
    with extra("charts"):
        import altair as alt

    measured, published = rows_of(figure, evidence)
    labels = [series.label for series in figure.series]
    scale = alt.Scale(
        domain=labels, range=[palette.SERIES[index % len(palette.SERIES)] for index in range(len(labels))]
    )
    legend = (
        alt.Legend(
            orient="top",
            columns=_legend_columns(labels),
            labelLimit=0,
            symbolType="stroke",
            symbolStrokeWidth=3,
            symbolOpacity=1,
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

    y_title = textwrap.wrap(figure.y_title, LONGEST_TITLE)

    def y(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title=y_title, scale=heights)

    has_bands = any(row["band"] for row in measured)
    layers = alt.layer(
        lines.transform_filter("datum.band" if has_bands else "true")
        .mark_area(opacity=0.18)
        .encode(y=y("low"), y2="high:Q"),
        # Beside a band, which is an area, an interval is drawn as a bar.
        lines.transform_filter("!datum.band" if has_bands else "false")
        .mark_rule(strokeWidth=1.5, opacity=0.6)
        .encode(y=y("low"), y2="high:Q"),
        lines.transform_filter("!datum.band").mark_line(strokeWidth=2).encode(y=y("value")),
        lines.transform_filter("!datum.band")
        .mark_point(filled=True, size=36, opacity=1)
        .encode(y=y("value"), tooltip=tooltip),
        marks.mark_point(shape="diamond", size=130, strokeWidth=1.8, opacity=1).encode(
            y=y("value"), tooltip=tooltip
        ),
    )
    title = alt.TitleParams(
        figure.title,
        subtitle=textwrap.wrap(note_of(figure, measured), LONGEST_NOTE),
        subtitleColor=palette.QUIET_INK,
        subtitleFontSize=11,
    )
    return styled(layers.properties(width=WIDTH, height=HEIGHT, title=title))


def caption(figure: Figure | ShareBars) -> str:
    """The caption of the table of a figure's points."""
    if isinstance(figure, ShareBars):
        return figure.title
    marked = any(series.published for series in figure.series)
    measured = f"{figure.y_title[:1].upper()}{figure.y_title[1:]}"
    return f"{measured} by {figure.x_title}" + ("; published values in parentheses" if marked else "")


def points(figure: Figure | ShareBars, evidence: Evidence) -> tuple[list[str], list[list[str]]]:
    """What is drawn, in words: the x and every line as columns, with the published value in parentheses.

    For bars of shares, a row for each bar with its largest parts.
    """
    if isinstance(figure, ShareBars):
        return ["", "where the time goes"], [
            [label, _largest(evidence.shares(setting, figure.of_class))] for label, setting in figure.bars
        ]
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


def _largest(shares: Mapping[str, Estimate] | None) -> str:
    if shares is None:
        return "-"
    largest = sorted(shares.items(), key=lambda pair: -pair[1].value)[:BAR_PARTS_NAMED]
    return ", ".join(f"{percent(share.value)} {resource}" for resource, share in largest)


def _in_words(found: Measured) -> str:
    return "-" if found.value is None else found.words or number(found.value, 3)


def _legend_columns(labels: Sequence[str]) -> int:
    """The number of entries that fit beside each other."""
    widest = LETTER * max(len(label) for label in labels) + LEGEND_MARK
    return max(1, min(LEGEND_COLUMNS, int(WIDTH / widest)))


def note_of(figure: Figure, rows: Sequence[Mapping[str, Any]]) -> str:
    """What the marks and bands of the figure mean."""
    quantities = [quantity for series in figure.series for _, quantity in series.points]
    band = any(isinstance(quantity, Band) for quantity in quantities)
    spread = any(isinstance(quantity, Spread) and not isinstance(quantity, Band) for quantity in quantities)
    intervals = any(row["low"] < row["high"] for row in rows if not row["band"])
    measured = "lines and dots: measured" + (" with 95 % intervals" if intervals else "")
    measured += ", wide bands: the spread" if spread else ""
    measured += "; bands without a line: minimum to maximum" if band else ""
    noise = any(isinstance(quantity, Noise) for quantity in quantities)
    measured += "; band: no significant correlation" if noise else ""
    marked = any(series.published for series in figure.series)
    return measured + ("; open diamonds: published" if marked else "")


def rows_of(figure: Figure, evidence: Evidence) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The points measured (x, value, low, high, series, band) and those published (x, value, series)."""
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
                        "low": drawn_end(found.low, found.value),
                        "high": drawn_end(found.high, found.value),
                        "series": series.label,
                        "band": isinstance(quantity, BANDS),
                    }
                )
    return measured, published
