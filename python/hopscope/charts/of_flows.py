"""Charts of flows: their completion times, alone and among others, rounds, and stopped links."""

from typing import TYPE_CHECKING, Any

from hopscope import palette
from hopscope.charts.style import HEIGHT, WIDTH, styled
from hopscope.errors import UsageError
from hopscope.extras import extra
from hopscope.numerals import percent
from hopscope.results import flows

if TYPE_CHECKING:
    import altair as alt
    import polars as pl
    from altair.typing import ChartType

    from hopscope.results.run import RunResult

MOST_POINTS = 200
MOST_LINKS = 20
ROW_HEIGHT = 22
BINS_A_DECADE = 4
LEAST_IN_BIN = 20
STATISTICS = ("median", "99th percentile")


def completion_rows(run: "RunResult") -> list[dict[str, Any]]:
    """Points of the distribution of completion times: group, time in us, share of flows finished by then."""
    rows = []
    for (group,), part in _flows(run).group_by("group", maintain_order=True):
        times = ((part["ended_ps"] - part["begun_ps"]) / 1e6).sort()
        step = max(1, len(times) // MOST_POINTS)
        places = [*range(0, len(times), step), len(times) - 1]
        rows += [{"group": group, "time": times[i], "share": (i + 1) / len(times)} for i in places]
    return rows


def completion(run: "RunResult") -> "ChartType":
    """The share of fraction of flows finished, by group."""
    with extra("charts"):
        import altair as alt

    rows = completion_rows(run)
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(interpolate="step-after", strokeWidth=1.8)
        .encode(
            x=alt.X("time:Q", title="completion time (µs)", scale=alt.Scale(type="log", nice=True)),
            y=alt.Y("share:Q", title="fraction of flows finished", axis=alt.Axis(format="%")),
            color=_colour("group", list(dict.fromkeys(row["group"] for row in rows))),
        )
    )
    return styled(chart.properties(width=WIDTH, height=HEIGHT))


def slowdown_rows(run: "RunResult") -> list[dict[str, Any]]:
    """Points of the slowdown over size: size in bytes, statistic, slowdown, flows."""
    with extra("frames"):
        import polars as pl

    frame = _flows(run)
    place = (pl.col("bytes").cast(pl.Float64).log10() * BINS_A_DECADE).floor()
    binned = (
        frame.group_by(place.alias("bin"))
        .agg(
            pl.col("bytes").mean().alias("size"),
            pl.col("slowdown").quantile(0.5).alias(STATISTICS[0]),
            pl.col("slowdown").quantile(0.99).alias(STATISTICS[1]),
            pl.len().alias("flows"),
        )
        .filter(pl.col("flows") >= min(LEAST_IN_BIN, len(frame)))
        .sort("bin")
    )
    return [
        {"size": row["size"], "statistic": name, "slowdown": row[name], "flows": row["flows"]}
        for row in binned.iter_rows(named=True)
        for name in STATISTICS
    ]


def slowdown(run: "RunResult") -> "ChartType":
    """Median and 99th percentile of the slowdown over the size of flows."""
    with extra("charts"):
        import altair as alt

    rows = slowdown_rows(run)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "size:Q",
            title="size (bytes)",
            scale=alt.Scale(type="log", nice=True),
            axis=alt.Axis(format="~s"),
        ),
        y=alt.Y("slowdown:Q", title="slowdown", scale=alt.Scale(type="log", nice=True)),
        color=_colour("statistic", list(STATISTICS)),
        tooltip=[
            alt.Tooltip("statistic:N"),
            alt.Tooltip("slowdown:Q", format=".3~r"),
            alt.Tooltip("flows:Q"),
        ],
    )
    layers = base.mark_line(strokeWidth=1.8) + base.mark_point(filled=True, size=50, opacity=1)
    return styled(layers.properties(width=WIDTH, height=HEIGHT))


def round_rows(run: "RunResult") -> list[dict[str, Any]]:
    """How long each round took: group, round, time in us."""
    frame = run.rounds
    if len(frame) <= 1:
        raise UsageError("the run has no rounds to draw", "at least two of them must have finished")
    times = (frame["ended_ps"] - frame["begun_ps"]) / 1e6
    return [
        {"group": group, "round": number, "time": time}
        for group, number, time in zip(frame["group"], frame["round"], times, strict=True)
    ]


def rounds(run: "RunResult") -> "ChartType":
    """How long each round took, by group."""
    with extra("charts"):
        import altair as alt

    rows = round_rows(run)
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True, strokeWidth=1.4)
        .encode(
            x=alt.X("round:Q", title="round", axis=alt.Axis(format="d", tickMinStep=1)),
            y=alt.Y("time:Q", title="time of the round (µs)", scale=alt.Scale(zero=True)),
            color=_colour("group", list(dict.fromkeys(row["group"] for row in rows))),
        )
    )
    return styled(chart.properties(width=WIDTH, height=HEIGHT))


def pauses(run: "RunResult") -> "ChartType":
    """The links that were stopped longest, with the share of time."""
    with extra("charts"):
        import altair as alt

    most = flows.most_paused(run.summary, MOST_LINKS)
    if not most:
        raise UsageError("no link was stopped", "receivers always had room")
    rows: list[dict[str, Any]] = [
        {"link": name, "share": share, "words": percent(share)} for name, share in most
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "share:Q", title="share of time stopped", axis=alt.Axis(format="%"), scale=alt.Scale(zero=True)
        ),
        y=alt.Y("link:N", sort=[name for name, _ in most], title=None, axis=alt.Axis(labelLimit=220)),
    )
    bars = base.mark_bar(height=13, color=palette.WAITS[0])
    texts = base.mark_text(align="left", dx=5, color=palette.INK).encode(text="words:N")
    return styled((bars + texts).properties(width=WIDTH, height=ROW_HEIGHT * len(rows)))


def _flows(run: "RunResult") -> "pl.DataFrame":
    frame = run.flows
    if frame.is_empty():
        raise UsageError("the run has no flows to draw", "its scenario has none, or none finished")
    return frame


def _colour(field: str, names: list[str]) -> "alt.Color":
    with extra("charts"):
        import altair as alt

    scale = alt.Scale(
        domain=names, range=[palette.SERIES[i % len(palette.SERIES)] for i in range(len(names))]
    )
    return alt.Color(f"{field}:N", title=None, sort=names, scale=scale, legend=alt.Legend(orient="top"))
