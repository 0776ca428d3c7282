"""Charts of a sweep: a metric with its 95 % band, what is carried, and where the time goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import metric_key, palette
from hopscope.charts.style import (
    HEIGHT,
    LEAST_SHARE,
    WIDTH,
    axis_title,
    drawn_end,
    number_axis,
    path_title,
    styled,
)
from hopscope.errors import UsageError
from hopscope.extras import extra
from hopscope.overrides import Value, toml_text
from hopscope.results.outcome import Outcome
from hopscope.results.points import no_number
from hopscope.results.shares import folded

MARK_HEIGHT = 10
"""Pixels between the marks of lines that are saturated at one place."""

if TYPE_CHECKING:
    import altair as alt
    from altair.typing import ChartType

    from hopscope.results.sweep import SweepPoint, SweepResult


def curve(sweep: "SweepResult", metric: str | None = None) -> "ChartType":
    """One metric over the first swept path; further paths are coloured lines.

    Saturated points are marked at the top.
    """
    key = metric or _main_mean(sweep)
    parsed = metric_key.parse(key)
    words = (
        str(parsed)
        if parsed.of_class != "all"
        else f"{parsed.name}, {parsed.statistic}"
        if parsed.statistic
        else parsed.name
    )
    unit = sweep.first.summary.metric_row(key)["unit"]
    rows = [
        row for point in sweep.points for row in metric_rows(sweep, point, [(key, series_of(sweep, point))])
    ]
    return styled(_banded(sweep, rows, _Frame(axis_title(words, unit), legend=rest(sweep) or None)))


def delays(sweep: "SweepResult") -> "ChartType":
    """The main delay's mean and 99th percentile over the first swept path, on a logarithmic scale."""
    name = sweep.first.summary.main_delay()
    if name is None:
        raise UsageError("the model measures no delay", "plot another metric by its name")
    unit = sweep.first.summary.metric_row(f"{name}.mean")["unit"]
    wanted = [
        (f"{name}.{statistic}", words) for statistic, words in (("mean", "mean"), ("p99", "99th percentile"))
    ]
    rows = []
    for point in sweep.points:
        series = series_of(sweep, point)
        rows += metric_rows(sweep, point, [(key, f"{words} {series}".strip()) for key, words in wanted])
    return styled(_banded(sweep, rows, _Frame(axis_title(name, unit), log=True)))


def carried(sweep: "SweepResult") -> "ChartType":
    """Throughput over the first swept path, with the offered load."""
    unit = sweep.first.summary.metric_row("throughput")["unit"]
    rows, offered = [], []
    for point in sweep.points:
        series = series_of(sweep, point)
        offered.append(f"offered {series}".strip())
        rows += metric_rows(
            sweep, point, [("offered", offered[-1]), ("throughput", f"carried {series}".strip())]
        )
    return styled(_banded(sweep, rows, _Frame(axis_title("throughput", unit), quiet=tuple(offered))))


def shares(sweep: "SweepResult") -> "ChartType":
    """Where the time went: each stage's share of the mean lifetime, stacked in order."""
    with extra("charts"):
        import altair as alt

    told = visible(sweep)
    of_life = stages(sweep, told)
    colours = palette.stage_colours(of_life)
    order = {name: index for index, (name, _) in enumerate(of_life)}
    rows = [
        {
            "x": x_of(sweep, point),
            "series": series_of(sweep, point),
            "stage": row["stage"],
            "kind": row["kind"],
            "share": row["share"],
            "order": order[row["stage"]],
            "time": None if row["estimate"] is None else row["estimate"]["value"],
        }
        for point in sweep.points
        for row in folded(point, lambda row: row["stage"] in told)
    ]
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(stroke=palette.PAPER, strokeWidth=0.6)
        .encode(
            x=alt.X("x:O", title=path_title(next(iter(sweep.over))), axis=alt.Axis(labelAngle=0)),
            y=alt.Y(
                "share:Q",
                title="share of a message's lifetime",
                stack="zero",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=alt.Color("stage:N", scale=scale, title=None, sort=list(colours)),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("stage:N"),
                alt.Tooltip("kind:N"),
                alt.Tooltip("share:Q", format=".1%"),
                alt.Tooltip("time:Q", title="mean (µs)", format=".4g"),
            ],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    if rest(sweep):
        chart = chart.properties(width=WIDTH * 0.6, height=HEIGHT * 0.7).facet(
            facet=alt.Facet("series:N", title=None), columns=2
        )
    return styled(chart)


def visible(sweep: "SweepResult") -> set[str]:
    """The stages worth a colour: those that somewhere take a visible share."""
    return {row["stage"] for point in sweep.points for row in point.ledger() if row["share"] >= LEAST_SHARE}


def stages(sweep: "SweepResult", told: set[str]) -> list[tuple[str, str]]:
    """Those with their kinds in order of occurrence, and the others of each kind together."""
    of_points = [folded(point, lambda row: row["stage"] in told) for point in sweep.points]
    known = {(row["stage"], row["kind"]) for rows in of_points for row in rows}
    life = [(row["stage"], row["kind"]) for row in sweep.points[0].ledger()]
    return [each for each in life if each in known] + sorted(known - set(life))


@dataclass(frozen=True, slots=True)
class _Frame:
    """How to draw lines: the y axis, the legend's title, and the series that stay in the background."""

    y_title: str
    legend: str | None = None
    log: bool = False
    quiet: tuple[str, ...] = ()


def _banded(sweep: "SweepResult", rows: list[dict[str, Any]], frame: _Frame) -> "ChartType":
    """Lines with points and bands; a mark at the upper edge if saturation leaves no value."""
    with extra("charts"):
        import altair as alt

    names = list(dict.fromkeys(row["series"] for row in rows))
    loud = [name for name in names if name not in frame.quiet]
    colours = [
        palette.QUIET_SERIES
        if name in frame.quiet
        else palette.SERIES[loud.index(name) % len(palette.SERIES)]
        for name in names
    ]
    dashes = [[5, 4] if name in frame.quiet else [1, 0] for name in names]
    legend = (
        alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
        if len(names) > 1
        else None
    )
    colour = alt.Color(
        "series:N",
        sort=names,
        title=frame.legend,
        scale=alt.Scale(domain=names, range=colours),
        legend=legend,
    )
    dash = alt.StrokeDash(
        "series:N", sort=names, title=frame.legend, scale=alt.Scale(domain=names, range=dashes), legend=legend
    )
    y = _y_axis(rows, frame)
    tooltip = [
        alt.Tooltip("series:N"),
        alt.Tooltip("x:N", title=next(iter(sweep.over))),
        alt.Tooltip("words:N", title=frame.y_title),
    ]
    x = _x_axis(sweep, rows)
    known = alt.Chart(alt.Data(values=[row for row in rows if row["value"] is not None])).encode(
        x=x, color=colour
    )
    measured = known.transform_filter(alt.FieldOneOfPredicate(field="series", oneOf=loud))
    layers = [
        known.mark_line(strokeWidth=2).encode(y=y("value"), strokeDash=dash),
        measured.mark_area(opacity=0.18).encode(y=y("low"), y2="high:Q"),
        measured.mark_point(filled=True, size=44, opacity=1).encode(y=y("value"), tooltip=tooltip),
    ]
    missing = [row for row in rows if row["value"] is None and row["saturated"]]
    if missing:
        # If lines have names, each mark has the colour of its line.
        layers.append(_saturated_marks(missing, x, colour if frame.legend else None))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _x_axis(sweep: "SweepResult", rows: list[dict[str, Any]]) -> "alt.X":
    with extra("charts"):
        import altair as alt

    title = path_title(next(iter(sweep.over)))
    if not all(isinstance(row["x"], int | float) for row in rows):
        return alt.X("x:O", title=title, sort=None, axis=alt.Axis(labelAngle=0))
    return number_axis(title, [row["x"] for row in rows])


def _y_axis(rows: list[dict[str, Any]], frame: _Frame) -> "Callable[[str], alt.Y]":
    """The y channel for a column; a logarithmic axis has rules at 1, 2 and 5 times the powers of ten."""
    with extra("charts"):
        import altair as alt

    if not frame.log:
        return lambda column: alt.Y(f"{column}:Q", title=frame.y_title, scale=alt.Scale(zero=True, nice=True))
    edges = [
        row[end] for row in rows for end in ("low", "high") if row["value"] is not None and row[end] > 0
    ] or [1.0]
    marks = [step * 10.0**power for power in range(-9, 13) for step in (1, 2, 5)]
    first = max(mark for mark in marks if mark <= min(edges))
    last = min(mark for mark in marks if mark > max(edges))
    inside = [mark for mark in marks if first <= mark <= last]
    scale = alt.Scale(type="log", domain=[first, last])
    return lambda column: alt.Y(f"{column}:Q", title=frame.y_title, scale=scale, axis=alt.Axis(values=inside))


def _saturated_marks(rows: list[dict[str, Any]], x: Any, colour: Any) -> "ChartType":
    """Triangles at the upper edge where a line has no value, one per place or, with colours, per line."""
    with extra("charts"):
        import altair as alt

    lines = list(dict.fromkeys(row["series"] for row in rows))
    places = list(
        {
            (row["x"], "" if colour is None else row["series"]): {
                "x": row["x"],
                "series": row["series"],
                "height": 0 if colour is None else lines.index(row["series"]),
                "words": "saturated: no steady state",
            }
            for row in rows
        }.values()
    )
    tooltip = [alt.Tooltip("words:N", title=" ")]
    base = alt.Chart(alt.Data(values=places)).encode(x=x)
    layers = []
    for height in dict.fromkeys(place["height"] for place in places):
        mine = base.transform_filter(alt.FieldEqualPredicate(field="height", equal=height))
        marks = mine.mark_point(
            shape="triangle-up", filled=True, size=60, color=palette.QUIET_INK, opacity=1
        ).encode(y=alt.value(6 + MARK_HEIGHT * height), tooltip=tooltip)
        if colour is not None:
            marks = marks.encode(color=colour, tooltip=[alt.Tooltip("series:N"), *tooltip])
        layers.append(marks)
    word = alt.Chart(alt.Data(values=places[:1])).mark_text(
        dy=13, align="center", color=palette.QUIET_INK, fontSize=10, text="saturated"
    )
    lowest = 6 + MARK_HEIGHT * max(place["height"] for place in places)
    return alt.layer(*layers, word.encode(x=x, y=alt.value(lowest)))


def metric_rows(
    sweep: "SweepResult", point: "SweepPoint", wanted: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    """One row for each metric of a point that the model has."""
    rows = []
    for key, series in wanted:
        if any(run.summary.has(key) for run in point.runs):
            found = point.metric(key)
            numbers = (
                {"value": None, "low": None, "high": None}
                if found is None
                else {"value": found.value, "low": found.low, "high": drawn_end(found.high, found.value)}
            )
            words = no_number(point.outcome) if found is None else str(found)
            rows.append(
                {
                    "x": x_of(sweep, point),
                    "series": series,
                    "words": words,
                    "saturated": point.outcome is Outcome.SATURATED,
                    **numbers,
                }
            )
    return rows


def _main_mean(sweep: "SweepResult") -> str:
    name = sweep.first.summary.main_delay()
    return "throughput" if name is None else f"{name}.mean"


def x_of(sweep: "SweepResult", point: "SweepPoint") -> Value:
    """The place of a point on the first swept path."""
    value = point.set[next(iter(sweep.over))]
    return (
        value
        if isinstance(value, int | float) and not isinstance(value, bool)
        else toml_text(value).strip('"')
    )


def rest(sweep: "SweepResult") -> str:
    """The paths swept besides the first."""
    return ", ".join(list(sweep.over)[1:])


def series_of(sweep: "SweepResult", point: "SweepPoint") -> str:
    """The values of a point besides the first path's: the name of its line."""
    return ", ".join(toml_text(point.set[path]).strip('"') for path in list(sweep.over)[1:])
