"""The pages of a library: the list of all results, and one for each of them or for two compared."""

from typing import TYPE_CHECKING

from hopscope.errors import UsageError
from hopscope.report import comparison_page, messages, run_page, sweep_page, verdicts_page
from hopscope.report.page import ENGINE, MOST_COMPRESSION, Page, engine
from hopscope.results.run import RunResult
from hopscope.view import form
from hopscope.view.library import Entry, Library, verdicts

if TYPE_CHECKING:
    from hopscope.results.sweep import SweepResult


def listing(library: Library) -> Page:
    """Every result of the folders."""
    page = Page(
        "runs",
        "hopscope",
        "Runs, sweeps and studies",
        "Select a result to see it, or two runs to compare them.",
    )
    page.add("runs", "Results", entries=[_entry(each, library) for each in library.entries()])
    return page


def of(library: Library, name: str, other: str | None = None) -> Page:
    """The page of one result, or of two runs compared."""
    if other is not None:
        return comparison_page.page(library.run(name), library.run(other), (name, other))
    entry = library.find(name)
    if entry.kind == "study":
        return verdicts_page.page(name, verdicts(entry.folder))
    result = library.result(name)
    if not isinstance(result, RunResult):
        return sweep_page.page(result)
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
    page = run_page.page(result)
    if with_engine:
        _add_engine(page, result)
    else:
        page.add("try", "Try", run="", fields=[])
    return page.html()


def _add_engine(page: Page, run: RunResult) -> None:
    """The form, with what it takes to run the scenario in the page."""
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
            "metrics": run.summary.data["metrics"],
            "hash": run.summary.data["result_hash"],
        },
    )


def _entry(entry: Entry, library: Library) -> dict[str, str]:
    """A line of the list; what cannot be read says so."""
    told = {
        "id": entry.id,
        "kind": entry.kind,
        "folder": entry.id,
        "title": entry.id,
        "outcome": "",
        "words": "",
    }
    if entry.kind == "study":
        return told
    try:
        result = library.result(entry.id)
        if isinstance(result, RunResult):
            words, outcome = result.explain().sentence, result.outcome
        else:
            words, outcome = f"over {', '.join(result.over)}", f"{len(result.points)} points"
        return {**told, "title": result.title, "outcome": outcome, "words": words}
    except Exception as failure:
        return {**told, "outcome": "cannot be read", "words": str(failure)}
