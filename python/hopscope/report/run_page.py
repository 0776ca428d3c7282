"""The page about one run."""

from typing import TYPE_CHECKING

from hopscope.charts import of_run
from hopscope.charts.style import unit_words
from hopscope.errors import UsageError
from hopscope.numerals import count, number
from hopscope.report import flows, headline, sections, sites, why
from hopscope.report.page import Cell, Page

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

_CHARTS = (
    (
        "shares",
        "Where the time went",
        "The stages of a message in order: waits for a resource, and service by one.",
    ),
    ("delays", "Delay by class of message", "Median, mean, 99th percentile and maximum."),
)


def html(run: "RunResult") -> str:
    """The page as text."""
    page = Page(
        f"{run.summary.data['model']} · run · seed {run.seed} · {run.outcome}"
        + (f" · {run.changed}" if run.changed else ""),
        run.title,
        headline.of_run(run),
    )
    sections.deadlock(page, run)
    entries = [
        (heading, note, chart) for what, heading, note in _CHARTS if (chart := _chart(run, what)) is not None
    ]
    if entries:
        page.charts(entries)
    why.of_run(page, run)
    sections.held_back(page, run)
    distribution = _chart(run, "distribution")
    if distribution is not None:
        page.charts(
            [
                (
                    "Histogram of round trips",
                    "From the last bit accepted by the source IMP to the RFNM in the host; bins of 20 ms.",
                    distribution,
                )
            ]
        )
    sites.add(page, run)
    flows.add(page, run)
    _metrics(page, run)
    sections.notes(page, run)
    sections.network(page, run, "")
    sections.busiest_resources(page, run, "")
    over_time = _chart(run, "series")
    if over_time is not None:
        page.charts(
            [("Over time", "The dashed line marks the end of the warm-up, which is excluded.", over_time)]
        )
    sections.scenario(page, run)
    return page.html(sections.origin(run))


def _chart(run: "RunResult", what: str):
    """The chart, or None where the run has nothing to draw it from."""
    try:
        return of_run.chart(run, what)
    except UsageError:
        return None


def _metrics(page: Page, run: "RunResult") -> None:
    """Every metric with its interval, and what they cover."""
    rows: list[list[Cell]] = []
    for row, key in zip(run.summary.data["metrics"], run.summary.keys(), strict=True):
        if sites.is_tabulated(row["name"]):
            continue
        estimate = row["estimate"]
        if estimate is None:
            numbers: list[Cell] = [
                ("saturated" if run.outcome == "saturated" else "none", "number"),
                ("", "number interval"),
            ]
        else:
            spread = (
                f"{number(estimate['low'])} to {number(estimate['high'])}"
                if estimate["low"] < estimate["high"]
                else ""
            )
            numbers = [(number(estimate["value"]), "number"), (spread, "number interval")]
        rows.append(
            [
                key,
                *numbers,
                unit_words(row["unit"]),
                ("" if estimate is None else count(estimate["n"]), "number"),
            ]
        )
    measured, warm_up = run.summary.data["measured"], run.summary.data["warmup"]
    note = (
        f"{count(measured['messages'])} messages within {number(measured['span_s'])} s of simulated time, "
        f"after a warm-up of {number(warm_up['until_s'])} s ({warm_up['rule']}). "
        f"End of the run: {run.summary.data['ended_because']}."
    )
    page.table("Metrics", note, ("metric", "value", "95 % interval", "unit", "observations"), rows)
