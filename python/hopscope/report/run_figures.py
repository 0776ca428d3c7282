"""The figures of one run: delays by class, their histogram, flows, quantities over time."""

import statistics
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hopscope.charts import of_flows, of_run
from hopscope.charts.style import axis_title, span_unit
from hopscope.errors import UsageError
from hopscope.numerals import percent
from hopscope.report import answer, figures
from hopscope.results import flows

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

Figure = dict[str, Any]

_FEWEST_INTERVALS = 4
_WHOLE = 0.999
"""An interval with at least this share of the usual length is complete, apart from rounding."""


def drawn(draw: Callable[["RunResult"], Sequence[Figure]], run: "RunResult") -> Sequence[Figure]:
    """The figures, or none if the run has no data for them."""
    try:
        return draw(run)
    except UsageError:
        return []


def delays(run: "RunResult") -> list[Figure]:
    """Median, mean, 99th percentile and maximum of the main delay, a line for each class of messages."""
    name = run.summary.main_delay()
    rows = [] if name is None else of_run.delay_rows(run, name)
    if name is None or not rows:
        return []
    classes = list(dict.fromkeys(row["class"] for row in rows))
    if len(classes) == 1:  # the answer has these figures
        return []
    unit = run.summary.metric_row(f"{name}.mean")["unit"]
    told = [word for _, word in of_run.STATISTICS]
    # Side by side, since values may coincide: the median with the mean, the maximum with the 99th percentile.
    series = [
        figures.series(
            of_class,
            number,
            [(told.index(row["statistic"]), row["value"]) for row in rows if row["class"] == of_class],
            line="solid",
            marks="dots",
        )
        for number, of_class in enumerate(classes)
    ]
    x = figures.axis("", names=told)
    return [figures.lines(x, figures.axis(axis_title(name, unit), log=True), series)]


def histogram(run: "RunResult") -> list[Figure]:
    """The histogram of delays, if the model keeps one."""
    what, counts = of_run.histogram(run)
    series = figures.series("messages", 0, list(counts.items()), columns=True)
    return [figures.lines(figures.axis(f"{what} (ms)"), figures.axis("messages"), [series], wide=True)]


def over_time(run: "RunResult") -> list[Figure]:
    """Quantities over simulated time, one panel each, with the end of the warm-up."""
    rows = of_run.series_rows(run)
    if (end := _short_end(rows)) is not None:
        rows = [row for row in rows if row["time_s"] < end]
    size, unit = span_unit(max(row["time_s"] for row in rows))
    until = run.summary.fields["warmup"]["until_s"]
    rules = [(until / size, "end of the warm-up")] if until > 0 else []
    panels = []
    for name in dict.fromkeys(row["series"] for row in rows):
        points = [(row["time_s"] / size, row["value"]) for row in rows if row["series"] == name]
        title = name.replace("(us)", "(µs)").replace("(1/s)", f"({answer.MESSAGE_RATE})")
        line = figures.series(title, 0, points, line="solid")
        x, y = figures.axis(f"simulated time ({unit})"), figures.axis(title)
        panels.append(figures.lines(x, y, [line], title, wide=True, rules=rules))
    return panels


def ends_early(run: "RunResult") -> bool:
    """Whether the last interval of the quantities over time is shorter than the others."""
    try:
        return _short_end(of_run.series_rows(run)) is not None
    except UsageError:
        return False


def _short_end(rows: Sequence[dict[str, Any]]) -> float | None:
    """The end of a last interval that is shorter than the others: rates over it are mostly chance.

    None if the last is as long as the others, or longer.
    """
    times = sorted({row["time_s"] for row in rows})
    if len(times) < _FEWEST_INTERVALS:
        return None
    usual = statistics.median(after - before for before, after in pairwise(times[:-1]))
    return times[-1] if times[-1] - times[-2] < _WHOLE * usual else None


def of_flow_runs(run: "RunResult") -> list[Figure]:
    """Completion times, slowdown by size, rounds, and links that were stopped."""
    if not flows.has_flows(run.summary):
        return []
    return [figure for draw in (_completion, _slowdown, _rounds, _stopped) for figure in drawn(draw, run)]


def _completion(run: "RunResult") -> list[Figure]:
    rows = of_flows.completion_rows(run)
    series = _series(rows, "group", "time", "share", line="step")
    x, y = (
        figures.axis("completion time (µs)", log=True),
        figures.axis("share of flows finished", percent=True),
    )
    note = "From the start of a flow to the arrival of its last byte."
    return [figures.lines(x, y, series, "Completion times", note)]


def _slowdown(run: "RunResult") -> list[Figure]:
    rows = of_flows.slowdown_rows(run)
    if not rows:
        return []
    series = _series(rows, "statistic", "size", "slowdown", line="solid", marks="dots")
    x, y = figures.axis("size (bytes)", log=True), figures.axis("slowdown", log=True)
    return [figures.lines(x, y, series, "Slowdown by size", "Completion time relative to an idle network.")]


def _rounds(run: "RunResult") -> list[Figure]:
    series = _series(of_flows.round_rows(run), "group", "round", "time", line="solid", marks="dots")
    x, y = figures.axis("round"), figures.axis("time of the round (µs)")
    return [figures.lines(x, y, series, "Rounds", "From the start of a round to the end of its last flow.")]


def _stopped(run: "RunResult") -> list[Figure]:
    most = flows.most_paused(run.summary, of_flows.MOST_LINKS)
    rows = [(name, share, percent(share)) for name, share in most]
    title = "Stopped links"
    return [figures.bars("share of time paused, or out of credit", rows, "wait0", title)] if rows else []


def _series(rows: Sequence[dict[str, Any]], by: str, x: str, y: str, **look: Any) -> list[Figure]:
    names = list(dict.fromkeys(row[by] for row in rows))
    return [
        figures.series(name, number, [(row[x], row[y]) for row in rows if row[by] == name], **look)
        for number, name in enumerate(names)
    ]
