"""Charts of one run: where the time went, the delays of each class, their histogram, quantities over time."""

from typing import TYPE_CHECKING, Any

from hopscope import palette
from hopscope.charts import of_flows
from hopscope.charts.style import LEAST_SHARE, WIDTH, axis_title, span_unit, styled
from hopscope.errors import UsageError, none_such
from hopscope.extras import extra
from hopscope.numerals import number, percent
from hopscope.results.shares import folded

if TYPE_CHECKING:
    from altair.typing import ChartType

    from hopscope.results.run import RunResult

ROW_HEIGHT = 26
PANEL_WIDTH = 880
DISTRIBUTION = "up to this delay"  # in the name of a series that is a histogram of delays, not over time
MOST_BINS = 250
STATISTICS = (("p50", "median"), ("mean", "mean"), ("p99", "99th percentile"), ("max", "maximum"))
KIND_COLOURS = {"wait": palette.WAITS[0], "service": palette.SERVICES[0]}


def chart(run: "RunResult", what: str) -> "ChartType":
    """The chart of this name. Raises UsageError for an unknown name."""
    makers = {
        "shares": shares,
        "delays": delays,
        "distribution": distribution,
        "series": series,
        "completion": of_flows.completion,
        "slowdown": of_flows.slowdown,
        "rounds": of_flows.rounds,
        "pauses": of_flows.pauses,
    }
    if what not in makers:
        raise none_such(f"chart `{what}` of a run", makers)
    return makers[what](run)


def shares(run: "RunResult") -> "ChartType":
    """The mean time in each stage of a message, in order of occurrence, with its share."""
    with extra("charts"):
        import altair as alt

    rows = [
        {
            "stage": row["stage"],
            "kind": row["kind"],
            "share": row["share"],
            "words": percent(row["share"])
            + ("" if row["estimate"] is None else f" · {number(row['estimate']['value'], 3)} µs"),
            "time": None if row["estimate"] is None else row["estimate"]["value"],
        }
        for row in folded(run.summary, lambda row: row["share"] >= LEAST_SHARE)
    ]
    if not rows:
        raise UsageError("the run has no ledger", "no message was delivered")
    y = alt.Y("stage:N", sort=[row["stage"] for row in rows], title=None, axis=alt.Axis(labelLimit=220))
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "share:Q",
            title="share of a message's lifetime",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, _rounded_up(rows)]),
        ),
        y=y,
    )
    bars = base.mark_bar(height=15).encode(
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=list(KIND_COLOURS), range=list(KIND_COLOURS.values())),
        ),
        tooltip=[
            alt.Tooltip("stage:N"),
            alt.Tooltip("words:N", title="share"),
            alt.Tooltip("time:Q", title="mean (µs)", format=".4g"),
        ],
    )
    texts = base.mark_text(align="left", dx=5, color=palette.INK).encode(text="words:N")
    return styled((bars + texts).properties(width=WIDTH, height=ROW_HEIGHT * len(rows)))


def delays(run: "RunResult") -> "ChartType":
    """Median, mean, 99th percentile and maximum of the main delay for each class of messages."""
    with extra("charts"):
        import altair as alt

    name = run.summary.main_delay()
    rows = [] if name is None else delay_rows(run, name)
    if name is None or not rows:
        raise UsageError("the run has no delays to plot", "a saturated or deadlocked network has none")
    unit = run.summary.metric_row(f"{name}.mean")["unit"]
    words = [word for _, word in STATISTICS]
    y = alt.Y("class:N", sort=run.summary.classes(), title=None)
    x = alt.X("value:Q", title=axis_title(name, unit), scale=alt.Scale(type="log", nice=True))
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    line = base.mark_rule(color=palette.RULE, strokeWidth=2).encode(
        x=alt.X("min(value):Q", title=axis_title(name, unit)), x2="max(value):Q"
    )
    colour = alt.Color(
        "statistic:N", title=None, sort=words, scale=alt.Scale(domain=words, range=list(palette.SERIES))
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=x,
        color=colour,
        shape=alt.Shape("statistic:N", title=None, sort=words, scale=alt.Scale(domain=words)),
        tooltip=[alt.Tooltip("class:N"), alt.Tooltip("statistic:N"), alt.Tooltip("words:N", title=name)],
    )
    return styled(
        (line + points).properties(width=WIDTH, height=40 + ROW_HEIGHT * len({row["class"] for row in rows}))
    )


def series_rows(run: "RunResult") -> list[dict[str, Any]]:
    """Quantities over simulated time: time_s, series, value."""
    rows = [row for row in run.series.to_dicts() if DISTRIBUTION not in row["series"]]
    if not rows:
        raise UsageError("the run has no series", "it ended before anything was sampled")
    return rows


def series(run: "RunResult") -> "ChartType":
    """Quantities over simulated time, one panel each, with the end of the warm-up."""
    with extra("charts"):
        import altair as alt

    rows = series_rows(run)
    size, unit = span_unit(max(row["time_s"] for row in rows))
    rows = [{**row, "time": row["time_s"] / size} for row in rows]
    until = run.summary.fields["warmup"]["until_s"] / size
    warm = [{"until": until, "words": "end of the warm-up"}] if until > 0 else []
    panels: list[ChartType] = []
    for name in dict.fromkeys(row["series"] for row in rows):
        mine = [row for row in rows if row["series"] == name]
        line = (
            alt.Chart(alt.Data(values=mine))
            .mark_line(color=palette.ACCENT, strokeWidth=1.4)
            .encode(x=alt.X("time:Q", title=f"simulated time ({unit})"), y=alt.Y("value:Q", title=None))
        )
        rule = (
            alt.Chart(alt.Data(values=warm))
            .mark_rule(color=palette.QUIET_INK, strokeDash=[4, 3])
            .encode(x="until:Q")
        )
        if not panels:
            word = alt.Chart(alt.Data(values=warm)).mark_text(
                align="left", dx=4, dy=-8, color=palette.QUIET_INK, fontSize=10
            )
            rule += word.encode(x="until:Q", y=alt.value(10), text="words:N")
        title = alt.TitleParams(name.replace("(us)", "(µs)"), fontSize=12, fontWeight="normal", offset=6)
        panels.append((line + rule).properties(width=PANEL_WIDTH, height=100, title=title))
    return styled(alt.vconcat(*panels))


def histogram(run: "RunResult") -> tuple[str, dict[float, float]]:
    """What a histogram is of, and messages by bin (its upper end in ms); the last counts all beyond."""
    rows = [row for row in run.series.to_dicts() if DISTRIBUTION in row["series"]]
    if not rows:
        raise UsageError("the run has no histogram", "its model keeps none, or no message was delivered")
    what = rows[0]["series"].partition(f" {DISTRIBUTION}")[0]
    counts: dict[float, float] = {}
    last = rows[min(len(rows), MOST_BINS) - 1]["time_s"]
    for row in rows:
        place = 1000 * min(row["time_s"], last)
        counts[place] = counts.get(place, 0.0) + row["value"]
    return what, counts


def distribution(run: "RunResult") -> "ChartType":
    """The histogram of delays, if the model keeps one; the last bin drawn counts all beyond it."""
    with extra("charts"):
        import altair as alt

    what, counts = histogram(run)
    bins = [{"bin": place, "messages": value} for place, value in counts.items()]
    bars = alt.Chart(alt.Data(values=bins)).mark_bar(color=palette.ACCENT, width=3)
    chart = bars.encode(
        x=alt.X("bin:Q", title=f"{what} (ms)", scale=alt.Scale(domainMin=0)),
        y=alt.Y("messages:Q", title="messages"),
        tooltip=[alt.Tooltip("bin:Q", title="up to (ms)"), alt.Tooltip("messages:Q")],
    )
    return styled(chart.properties(width=PANEL_WIDTH, height=180))


def _rounded_up(rows: list[dict[str, Any]]) -> float:
    """The end of the axis of shares: room for the longest bar and the words behind it."""
    return min(1.25, 1.3 * max(row["share"] for row in rows) + 0.02)


def delay_rows(run: "RunResult", name: str) -> list[dict[str, Any]]:
    """The statistics of a delay by class of messages: class, statistic, value, words."""
    found = [
        (of_class, word, run.summary.find(f"{name}[{of_class}].{statistic}"))
        for of_class in run.summary.classes()
        for statistic, word in STATISTICS
    ]
    return [
        {"class": of_class, "statistic": word, "value": estimate.value, "words": str(estimate)}
        for of_class, word, estimate in found
        if estimate is not None and estimate.value > 0
    ]
