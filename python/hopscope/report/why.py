"""The section "Why": verdict, chain, symptoms, and the lives of a typical and of the worst message."""

from typing import TYPE_CHECKING

from hopscope.charts import of_lives
from hopscope.drawing import chain as drawing
from hopscope.errors import UsageError
from hopscope.numerals import number, percent
from hopscope.overrides import toml_text
from hopscope.report.page import Cell, Page
from hopscope.results import lives

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation
    from hopscope.results.run import RunResult
    from hopscope.results.sweep import SweepResult

HOLDERS_SHOWN = 12
US_IN_PS = 1e6


def of_run(page: Page, run: "RunResult") -> None:
    """Why this run was as slow as it was."""
    found = _explanation(run)
    if found is not None:
        _told(page, found, "")
        _holders(page, found)
        _places(page, found)
    _messages(page, run)


def of_sweep(page: Page, sweep: "SweepResult", shown: "RunResult", where: str) -> None:
    """The verdict at every point, and the chain at one of them."""
    rows: list[list[Cell]] = []
    for point in sweep.points:
        found = _explanation(point.runs[0])
        if found is None:
            return
        names = ", ".join(symptom["name"] for symptom in found.symptoms)
        rows.append([*(toml_text(value).strip('"') for value in point.set.values()), found.sentence, names])
    told = _explanation(shown)
    if told is not None:
        _told(page, told, where)
    page.table(
        "Why, point by point",
        "The verdict on the first seed's run.",
        [*sweep.over, "verdict", "symptoms"],
        rows,
    )


def _explanation(run: "RunResult") -> "Explanation | None":
    """The explanation, or None where an older version has written the folder."""
    try:
        return run.explain()
    except UsageError:
        return None


def _told(page: Page, found: "Explanation", where: str) -> None:
    lines = [
        f"{symptom['name'].capitalize()}: {symptom['evidence']}. ({symptom['source']})"
        for symptom in found.symptoms
    ]
    page.words(f"Why{where}", [found.sentence, *lines])
    if len(found.chain) > 1:
        note = "The holders of each resource wait for the next one; the last is the root cause."
        page.drawing(f"Blocking chain{where}", note, drawing.draw(found.chain))


def _holders(page: Page, found: "Explanation") -> None:
    rows: list[list[Cell]] = [
        [resource, holder, (mean, "number"), (each, "number"), waits]
        for resource, holder, mean, each, waits in found.holder_rows()
    ]
    if rows:
        columns = ("resource", "holder", "mean (share)", "each", "waits for")
        note = (
            "Mean amount held by each holder, how long each holds (by Little's law), and what it waits for."
        )
        page.table("Mean occupancy by holder", note, columns, rows)


def _places(page: Page, found: "Explanation") -> None:
    rows: list[list[Cell]] = [
        [row["place"], (percent(row["share"]), "number")] for row in found.shares("places")
    ]
    if rows:
        page.table("Waiting by place", "Shares of all waiting for resources.", ("place", "share"), rows)


def _messages(page: Page, run: "RunResult") -> None:
    """The time-space diagram of a typical and of the worst message, and who owned what in the worst wait."""
    kept = lives.lives(run)
    if not kept:
        return
    typical, worst = lives.typical_and_worst(kept)
    wait = worst.longest_wait
    instant = None if wait is None else (wait["from_ps"] + wait["to_ps"]) // 2
    named = [("typical", typical), ("worst", worst)]
    note = (
        f"Of {len(kept)} recorded messages: the one with the median lifetime and the one with the longest. "
        "Waits are in warm colours, service in cool ones. Scroll to zoom, drag to move."
    )
    page.charts([("Timeline of a message", note, of_lives.time_space(named, instant))])
    if instant is None or wait is None:
        return
    rows: list[list[Cell]] = [
        [(str(message), "number"), stage["stage"], stage["kind"], stage["resource"], stage["place"]]
        for message, stage in lives.at(kept, instant)[:HOLDERS_SHOWN]
    ]
    after = number((instant - worst.born_ps) / US_IN_PS, 4)
    note = (
        "Who held and who waited for what in the middle of its longest wait "
        f"({wait['stage']} at {wait['place']}), {after} µs after its birth: "
        "the dashed line above."
    )
    page.table(
        f"While message {worst.message} waited", note, ("message", "stage", "kind", "resource", "place"), rows
    )
