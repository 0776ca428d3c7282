"""The page about an experiment in a store, finished or under way."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from hopscope.numerals import amount, with_unit
from hopscope.overrides import toml_text
from hopscope.report import changes, sections
from hopscope.report.curves import Curves, place_of
from hopscope.report.page import Cell, Link, Page
from hopscope.results.points import no_number, notes_on_experiment

if TYPE_CHECKING:
    from hopscope.experiments.kept import KeptExperiment, KeptPoint
    from hopscope.results.summary import Summary

MOST_POINTS = 1_000
_MOST_FAILURES = 100


def page(kept: "KeptExperiment", known_as: str | None = None) -> Page:
    """The page. `known_as` is the server's name of the experiment; without it nothing is live or linked."""
    points = list(islice(kept.points(), MOST_POINTS))
    failures = kept.failures()
    first = next((summary for point in points for summary in point.summaries), None)
    scenarios = ", ".join(kept.scenarios)
    described = f"{scenarios} · {amount(len(kept), 'point', 'points')}"
    made = Page(
        "experiment",
        f"experiment · {described} · {amount(kept.seeds, 'seed', 'seeds')}",
        kept.name,
        _headline(kept, len(failures)),
    )
    if known_as is not None:
        made.add("under-way", "Under way", experiment=known_as)
    if failures:
        _failed(made, kept)
    if first is None:
        made.words("Points", ["No run is there yet."])
    else:
        _curves(made, kept, points, first)
        _points(made, kept, points, first, known_as)
        sections.notes(made, notes_on_experiment(points, first.main_keys()))
    made.footer = (
        f"hopscope {kept.version}. Intervals are 95 % confidence intervals, over the seeds that are there."
    )
    return made


def _headline(kept: "KeptExperiment", failed: int) -> str:
    more = max(0, kept.expected - kept.there - failed)
    sentences = [f"{kept.there} of {amount(kept.expected, 'run is', 'runs are')} in the store."]
    if failed:
        sentences.append(f"{failed} failed.")
    if more:
        sentences.append(f"{more} are still to be run.")
    return " ".join(sentences)


def _failed(page: Page, kept: "KeptExperiment") -> None:
    rows: list[list[Cell]] = [
        [each.cause, each.message, each.command] for each in kept.failures()[:_MOST_FAILURES]
    ]
    page.table("Failed runs", "The command repeats a run.", ["cause", "message", "command"], rows)


def _curves(page: Page, kept: "KeptExperiment", points: Sequence["KeptPoint"], first: "Summary") -> None:
    """Over the first path that every point sets."""
    there = [point for point in points if point.summaries]
    path = next((path for path in kept.paths if all(path in point.set for point in there)), None)
    if path is None:
        return
    curves = Curves(
        path=path,
        points=there,
        places=[place_of(point.set[path]) for point in there],
        groups=[_group(kept, point, path) for point in there],
    )
    note = "The bands are 95 % confidence intervals. A saturated network has no mean latency."
    page.figures("Curves", note, curves.main_figures(first))


def _group(kept: "KeptExperiment", point: "KeptPoint", path: str) -> str:
    """The settings of a point besides the path of the x axis."""
    words = [point.scenario] if len(kept.scenarios) > 1 else []
    others = {each: point.set[each] for each in kept.paths if each != path and each in point.set}
    return ", ".join([*words, *([changes.setting(others)] if others else [])])


def _points(
    page: Page, kept: "KeptExperiment", points: Sequence["KeptPoint"], first: "Summary", known_as: str | None
) -> None:
    keys = first.main_keys()
    titles = [with_unit(key.replace(".", ", "), sections.unit_of(first, key)) for key in keys]
    rows: list[list[Cell]] = []
    for point in points:
        settings: list[Cell] = [
            (toml_text(point.set[path]).strip('"') if path in point.set else "", "number")
            for path in kept.paths
        ]
        seeds: Cell = (f"{len(point.keys)} of {point.seeds}", "number")
        figures = [_figure(point, key) for key in keys]
        rows.append(
            [point.scenario, *settings, seeds, *figures, point.outcome or "not yet", *_run(point, known_as)]
        )
    left = len(kept) - len(points)
    more = f" {left} more points: `hopscope store export` writes all of them." if left else ""
    page.table(
        "All points",
        f"Values with their 95 % confidence intervals.{more}",
        [
            "scenario",
            *kept.paths,
            "seeds",
            *titles,
            "outcome",
            *(["first run"] if known_as is not None else []),
        ],
        rows,
    )


def _run(point: "KeptPoint", known_as: str | None) -> list[Cell]:
    """A link to the page of the point's first run."""
    if known_as is None:
        return []
    if not point.keys:
        return [""]
    key = point.keys[0]
    return [Link(f"seed {key.seed}", f"{known_as}/{key.hash}-{key.seed}")]


def _figure(point: "KeptPoint", key: str) -> Cell:
    """A metric over the stored seeds; empty if another model does not measure it."""
    if point.outcome is None or not any(summary.has(key) for summary in point.summaries):
        return ("", "number interval")
    found = point.find(key)
    return (no_number(point.outcome), "number interval") if found is None else (found.numbers, "number")
