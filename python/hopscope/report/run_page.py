"""The page about one run."""

from typing import TYPE_CHECKING

from hopscope.charts.style import time_words
from hopscope.metric_key import P999
from hopscope.numerals import SIGNIFICANT_DIGITS, count, number
from hopscope.report import answer, headline, messages, network_map, run_figures, sections, sites, why
from hopscope.report.page import Cell, Page
from hopscope.units import US_PER

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

# Most runs have too few messages for the far tail: a row without a number would say nothing.
ONLY_WITH_A_NUMBER = frozenset({P999})


def page(run: "RunResult", most_segments: int = messages.MOST_IN_FILE) -> Page:
    """The page, with at most this many segments of recorded messages."""
    made = short(run)
    messages.add(made, run, most_segments)
    sections.held_back(made, run)
    drawn = run_figures.drawn
    made.figures(
        "Delay by class of message",
        "Median, mean, 99th percentile and maximum.",
        drawn(run_figures.delays, run),
    )
    note = "From the last bit accepted by the source IMP to the RFNM in the host; bins of 20 ms."
    made.figures("Histogram of round trips", note, drawn(run_figures.histogram, run))
    sites.add(made, run)
    made.figures("Flows", "", drawn(run_figures.of_flow_runs, run))
    _metrics(made, run)
    sections.notes(made, run.notes)
    sections.busiest_resources(made, run, "")
    note = "The dashed line marks the end of the warm-up, which is excluded."
    if run_figures.ends_early(run):
        note += " The last interval is shorter than the others, and left out."
    made.figures("Over time", note, drawn(run_figures.over_time, run))
    sections.scenario(made, run)
    return made


def short(run: "RunResult") -> Page:
    """The answer, the map and why: shown first, and in a notebook."""
    made = Page(
        "run",
        f"{run.summary.fields['model']} · run · seed {run.seed} · {run.outcome}"
        + (f" · {run.changed}" if run.changed else ""),
        run.title,
        headline.of_run(run),
    )
    answer.add(made, run)
    sections.deadlock(made, run)
    sections.odd(made, run)
    network_map.add(made, run)
    why.of_run(made, run)
    made.footer = sections.origin(run)
    return made


def _metrics(page: Page, run: "RunResult") -> None:
    """Every metric with its interval, and the measured window."""
    rows: list[list[Cell]] = []
    for row, key in zip(run.summary.fields["metrics"], run.summary.keys(), strict=True):
        estimate = run.summary.as_told(key)
        if sites.is_tabulated(row["name"]) or (estimate is None and row["statistic"] in ONLY_WITH_A_NUMBER):
            continue
        if estimate is None:
            numbers: list[Cell] = [
                (str(run.outcome) if run.outcome.is_without_steady_state else "none", "number"),
                ("", "number interval"),
            ]
        else:
            spread = answer.spread(estimate)
            numbers = [(number(estimate.value), "number"), (spread, "number interval")]
        rows.append(
            [
                key,
                *numbers,
                answer.unit_of(run.summary, key),
                ("" if estimate is None else count(estimate.n), "number"),
            ]
        )
    measured, warm_up = run.summary.fields["measured"], run.summary.fields["warmup"]
    note = (
        f"{count(measured['messages'])} messages within {_span(measured['span_s'])} of simulated time, "
        f"from {_span(warm_up['until_s'])} on (warm-up: {warm_up['rule']}). "
        f"End of the run: {run.summary.fields['ended_because']}."
    )
    page.table("Metrics", note, ("metric", "value", "95 % interval", "unit", "observations"), rows)


def _span(seconds: float) -> str:
    """A span of simulated time."""
    return time_words(US_PER["s"] * seconds, SIGNIFICANT_DIGITS)
