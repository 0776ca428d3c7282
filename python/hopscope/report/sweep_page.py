"""The page about a sweep."""

from typing import TYPE_CHECKING

from hopscope.numerals import with_unit
from hopscope.overrides import toml_text
from hopscope.report import changes, headline, network_map, sections, sweep_figures, why
from hopscope.report.page import Cell, Page
from hopscope.results.outcome import Outcome
from hopscope.results.points import no_number

if TYPE_CHECKING:
    from hopscope.results.sweep import SweepPoint, SweepResult


def page(sweep: "SweepResult") -> Page:
    """The page."""
    first = sweep.first.summary
    runs = len(sweep.runs())
    seeds = (
        f"seed {sweep.seeds[0]}" if len(sweep.seeds) == 1 else f"seeds {sweep.seeds[0]} to {sweep.seeds[-1]}"
    )
    made = Page(
        "sweep",
        f"{first.fields['model']} · sweep over {', '.join(sweep.over)} · {runs} runs · {seeds}",
        sweep.title,
        headline.of_sweep(sweep),
    )
    note = "The bands are 95 % confidence intervals. A saturated network has no mean latency."
    made.figures("Curves", note, sweep_figures.curves(sweep))
    if first.ledger():
        over = "" if len(sweep.seeds) == 1 else " over all seeds"
        note = f"Shares of the mean message lifetime{over}: waits in warm colours, service in cool ones."
        made.figures("Where the time went", note, [sweep_figures.shares(sweep)])
    shown = headline.reference(sweep)
    run = shown.runs[0]
    where = f" at {changes.setting(shown.set)}"
    if len(sweep.seeds) > 1:
        where += f", in the run of seed {run.seed}"
    why.of_sweep(made, sweep, run, where)
    _points(made, sweep)
    sections.notes(made, sweep.notes)
    network_map.add(made, run, where)
    sections.busiest_resources(made, run, where)
    first_point = changes.setting(sweep.points[0].set)
    sections.scenario(made, sweep.first, f"Scenario of the first point ({first_point})")
    made.footer = sections.origin(sweep.first)
    return made


def _points(page: Page, sweep: "SweepResult") -> None:
    """One row per point: settings, rounds, throughput, delays, and outcomes unless all are complete."""
    first = sweep.first.summary
    keys = first.main_keys()
    titles = [with_unit(key.replace(".", ", "), sections.unit_of(first, key)) for key in keys]
    rows: list[list[Cell]] = []
    for point in sweep.points:
        settings: list[Cell] = [(toml_text(value).strip('"'), "number") for value in point.set.values()]
        rows.append([*settings, *(_figure(point, key) for key in keys), point.outcome])
    columns = [*sweep.over, *titles, "outcome"]
    if all(point.outcome is Outcome.COMPLETE for point in sweep.points):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    page.table("All points", "Values with their 95 % confidence intervals.", columns, rows)


def _figure(point: "SweepPoint", key: str) -> Cell:
    found = point.find(key)
    return (no_number(point.outcome), "number interval") if found is None else (found.numbers, "number")
