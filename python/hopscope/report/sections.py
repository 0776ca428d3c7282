"""The sections that several pages share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopscope.numerals import count, mean, percent
from hopscope.planning.candidates.odd_routes import OddRoutes, odd_routes
from hopscope.report import answer
from hopscope.report.page import Cell, Page
from hopscope.results import sentences
from hopscope.results.outcome import Outcome

if TYPE_CHECKING:
    from hopscope.results.run import RunResult
    from hopscope.results.summary import Summary

RESOURCES_SHOWN = 12


def busiest_resources(page: Page, run: "RunResult", where: str) -> None:
    """The resources that cost the messages most time."""
    rows: list[list[Cell]] = [
        [
            row["name"],
            row["kind"],
            row["place"],
            (percent(row["utilisation"]), "number"),
            (mean(row["waiting"]), "number"),
            (mean(row["wait_us"]), "number"),
        ]
        for row in run.summary.busiest(RESOURCES_SHOWN)
    ]
    if rows:
        columns = ("resource", "kind", "place", "used", "waiting", "wait (µs a message)")
        which = "The resource" if len(rows) == 1 else f"The {len(rows)} resources"
        note = f"{which} that messages waited for longest{where}, with the mean number waiting."
        page.table("Longest waits", note, columns, rows)


def held_back(page: Page, run: "RunResult") -> None:
    """What blocks the source, its holders and what they wait for, if the model has such stages."""
    found = answer.explanation(run)
    if found is not None and found.data["lifetime"]["has_source"]:
        page.words("What blocks the source host", sentences.explained(run))


def scenario(page: Page, run: "RunResult", heading: str = "Scenario") -> None:
    """The whole scenario, to unfold."""
    page.source(heading, run.scenario_text, "Scenario")


def notes(page: Page, lines: Sequence[str]) -> None:
    """Notes for a reader of the figures, a paragraph per line; nothing if there are none."""
    if lines:
        page.words("Notes", [line for note in lines for line in note.split("\n")])


def odd(page: Page, run: "RunResult") -> None:
    """The anomalies of a fabric's file, and of the routes; nothing if there are none."""
    explained = answer.explanation(run)
    if explained is not None and (anomalies := explained.data.get("anomalies")):
        page.words("Anomalies in this fabric", [each["words"] for each in anomalies])
    if routes := odd_routes(run.scenario, locked_up=run.outcome is Outcome.DEADLOCK):
        unsafe = any(each.kind is OddRoutes.CREDIT_LOOP for each in routes)
        page.words("Anomalies in these routes", [each.words for each in routes], alert=unsafe)


def deadlock(page: Page, run: "RunResult") -> None:
    """The cycle of waits, if there is one."""
    stuck = run.summary.fields["stuck"]
    if stuck is not None:
        page.words("Deadlock", [stuck["reason"], *stuck["cycle"]], alert=True)


def origin(run: "RunResult") -> str:
    """Where the figures come from: version, model, seed, hashes."""
    data = run.summary.fields
    return (
        f"hopscope {data['hopscope']}, model {data['model']}, seed {data['seed']}, "
        f"{count(data['events'])} events. Scenario {data['scenario_hash']}, result {data['result_hash']}. "
        "Intervals are 95 % confidence intervals."
    )


def unit_of(summary: "Summary", key: str) -> str:
    """The unit of a metric as it is printed."""
    return answer.unit_of(summary, key)
