"""The pages of a library: the list of all results, and one for each of them or for two compared."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import UsageError
from hopscope.experiments.kept import kept_experiments
from hopscope.numerals import amount
from hopscope.report import (
    answer,
    comparison_page,
    experiment_page,
    messages,
    run_page,
    sweep_page,
    verdicts_page,
)
from hopscope.report.page import ENGINE, MOST_COMPRESSION, Page, engine
from hopscope.results import tables
from hopscope.results.run import RunResult
from hopscope.store.store import Store
from hopscope.view import form
from hopscope.view.library import Entry, Library, Stored, verdicts

if TYPE_CHECKING:
    from hopscope.results.sweep import SweepResult

Values = dict[str, str]
"""The values of a scenario as text, by their paths."""
_MOST_SET = 4
_OF_STUDIES = ("drawing", "figures", "source", "table", "words")


def listing(library: Library) -> Page:
    """Every result of the folders."""
    page = Page(
        "runs",
        "hopscope",
        "Runs, sweeps, studies and experiments",
        "Select a result to see it, or two runs to compare them.",
    )
    experiments = [_experiment(each) for each in library.experiments()]
    results = [_entry(each, library) for each in library.entries()]
    _tell_apart(results)
    page.add("runs", "Results", entries=experiments + [entry for entry, _ in results])
    return page


def of(library: Library, name: str, other: str | None = None) -> Page:
    """The page of one result, or of two runs compared."""
    if other is not None:
        return comparison_page.page(library.run(name), library.run(other), (name, other))
    experiment = library.experiment(name)
    if experiment is not None:
        return experiment_page.page(experiment.kept, name)
    entry = library.find(name)
    if entry.kind == "study":
        return _study(name, entry.folder)
    result = library.result(name)
    if not isinstance(result, RunResult):
        return sweep_page.page(result)
    with tables.named(entry.folder):
        page = run_page.page(result, messages.MOST_SERVED)
    page.add(
        "try",
        "Try",
        "Change values of the scenario and run it; the new run is kept in runs/.",
        run=name,
        fields=form.fields(result),
    )
    return page


def exported(result: "RunResult | SweepResult", with_engine: bool = False) -> str:
    """The page of a result as one file. Its form needs the engine in the page, or says so."""
    if not isinstance(result, RunResult):
        if with_engine:
            raise UsageError("a sweep has no form, so its page runs nothing", "give the folder of one run")
        return sweep_page.page(result).html()
    with tables.named(result.folder):
        page = run_page.page(result)
    if with_engine:
        _add_engine(page, result)
    else:
        page.add("try", "Try", run="", fields=[])
    return page.html()


def exported_study(folder: Path) -> str:
    """The page of a study's folder as one file."""
    return _study(folder.name, folder).html()


def _study(name: str, folder: Path) -> Page:
    """The page of a study's report; if it cannot be read, the cells alone.

    The folder may come from others, so the report is read as data and nothing in it runs.
    """
    cells = verdicts(folder)
    try:
        return Page.read_back((folder / "report.html").read_text(encoding="utf-8"), _OF_STUDIES)
    except (OSError, ValueError, RecursionError):
        return verdicts_page.page(name, cells)


def _add_engine(page: Page, run: RunResult) -> None:
    """The form, with all that is needed to run the scenario in the page."""
    parcel, overrides = run.parcel()
    page.add(
        "try",
        "Try",
        "Change values of the scenario and run it: the engine is in this page.",
        run="",
        fields=form.fields(run),
        here={
            "engine": page.block(ENGINE, engine(), MOST_COMPRESSION),
            "scenario": page.block("scenario", parcel.encode()),
            "set": overrides,
            "metrics": run.summary.fields["metrics"],
            "hash": run.summary.fields["result_hash"],
        },
    )


def exported_experiment(store: Store) -> str:
    """The page of the only experiment of a store as one file. Raises UsageError if there are several."""
    kept = kept_experiments(store)
    if not kept:
        raise UsageError(
            "the store holds no experiment, which alone has a page",
            "a sweep has its page in its folder of results; `hopscope store export` writes runs as a table",
        )
    if len(kept) > 1:
        raise UsageError(
            f"the store holds {len(kept)} experiments",
            "--export writes the page of one: see the others with `hopscope view STORE`",
        )
    return experiment_page.page(next(iter(kept.values()))).html()


def _experiment(stored: Stored) -> dict[str, Any]:
    kept = stored.kept
    scenarios = ", ".join(kept.scenarios)
    return {
        "id": stored.id,
        "kind": "experiment",
        "folder": stored.id,
        "title": kept.name,
        "outcome": f"{kept.there} of {amount(kept.expected, 'run', 'runs')}",
        "words": [f"{scenarios}{' over ' if kept.paths else ''}{', '.join(kept.paths)}"],
        "set": [],
    }


def _tell_apart(results: Sequence[tuple[dict[str, Any], Values]]) -> None:
    """Give runs of one title the values in which they differ, as `--set` takes them."""
    groups: dict[str, list[tuple[dict[str, Any], Values]]] = {}
    for entry, values in results:
        if values:
            groups.setdefault(entry["title"], []).append((entry, values))
    for group in groups.values():
        paths = sorted({path for _, values in group for path in values})
        differing = [path for path in paths if len({values.get(path) for _, values in group}) > 1]
        for entry, values in group:
            told = [f"{path}={values[path]}" for path in differing if path in values]
            more = len(told) - _MOST_SET
            entry["set"] = told[:_MOST_SET] + ([f"and {more} more"] if more > 0 else [])


def _entry(entry: Entry, library: Library) -> tuple[dict[str, Any], Values]:
    """A line of the list, and for a run the values of its scenario; unreadable results are marked."""
    told: dict[str, Any] = {
        "id": entry.id,
        "kind": entry.kind,
        "folder": entry.id,
        "title": entry.id,
        "outcome": "",
        "words": [],
        "set": [],
    }
    values: Values = {}
    if entry.kind == "study":
        return told, values
    try:
        result = library.result(entry.id)
        if isinstance(result, RunResult):
            found = answer.explanation(result)
            words, outcome = answer.UNEXPLAINED if found is None else found.sentence, str(result.outcome)
            values = dict(form.texts(tomllib.loads(result.scenario_text)))
        else:
            words, outcome = f"over {', '.join(result.over)}", f"{len(result.points)} points"
        return {**told, "title": result.title, "outcome": outcome, "words": [words]}, values
    except Exception as failure:
        return {**told, "outcome": "cannot be read", "words": str(failure).split("\n")}, {}
