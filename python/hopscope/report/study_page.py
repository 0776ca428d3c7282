"""The page about one study or several: verdicts, figures, what each study says of itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopscope.report import study_figures
from hopscope.report.page import Cell, Page
from hopscope.studies.result import COLUMNS, count_verdicts

if TYPE_CHECKING:
    from hopscope.studies.result import CellResult, StudyResult


REPLAY_COLUMNS = ("routing message", "IMP", "published", "replayed")


def page(results: "Sequence[StudyResult]") -> Page:
    """The page."""
    single = results[0] if len(results) == 1 else None
    title = single.definition.title if single else "Published tables and figures, reproduced"
    quick = " A quick run: more cells are undecided." if results[0].quick else ""
    kind = f"study {single.name}" if single else f"{len(results)} studies"
    made = Page("study", kind, title, f"{count_verdicts(results)}.{quick}")
    for result in results:
        heading = result.name if single else f"{result.name}: {result.definition.title}"
        for caption, note, drawn in result.diagrams:
            made.drawing(caption, note, drawn)
        made.table(
            heading,
            f"{result.definition.source}. {result.summary()}.",
            COLUMNS,
            [_row(cell) for cell in result.cells],
        )
        # The headings are links of the page's navigation: with several studies each names its study.
        whose = "" if single else f"{result.name}: "
        if told := result.told():
            what = "Misses and undecided cells" if result.misses else "Undecided cells"
            made.words(f"{whose}{what}", told)
        for caption, sentences in result.reasons:
            made.words(caption, sentences)
        made.figures(f"{whose}Figures", "", study_figures.drawn(result))
        _points(made, result, whose)
        for name, rows in result.replays:
            made.table(name, "Every cell as printed and as replayed.", REPLAY_COLUMNS, rows)
        if result.definition.readme:
            readme = result.definition.readme.replace("**", "")
            made.source(f"{whose}What was read, assumed and varied", readme)
    made.footer = (
        "Intervals are 95 %. A calibrating cell sets a parameter; no parameter is fitted to any other cell."
    )
    return made


def _points(page: Page, result: "StudyResult", whose: str) -> None:
    """The figure's points as a table."""
    for caption, heads, rows in result.tables:
        cells: list[list[Cell]] = [[(text, "number") for text in row] for row in rows]
        page.table(f"{whose}The figure in numbers", f"{caption}.", heads, cells)


def _row(cell: "CellResult") -> list[Cell]:
    name, published, measured, apart, role, tolerance, verdict = cell.words()
    mark = verdict.replace(" ", "-")
    return [
        name,
        (published, "number"),
        # Words are long, as those of an order: as text they are broken into lines.
        measured if cell.measured.value is None else (measured, "number"),
        (apart, "number"),
        role,
        (tolerance, "number"),
        (verdict, mark),
    ]
