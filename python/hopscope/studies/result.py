"""The result of a study: every cell with its verdict."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import atomic
from hopscope.escaping import visible_data
from hopscope.extras import extra
from hopscope.numerals import count, interval, joined, number
from hopscope.results import frames
from hopscope.studies.definition import Definition
from hopscope.studies.evidence import Evidence
from hopscope.studies.kinds.planted import HEALTHY, PlantedShare
from hopscope.studies.kinds.replay import Replay
from hopscope.studies.published import PublishedCell, Role
from hopscope.studies.verdict import Measured, Verdict, judge, judge_rough, lacking

if TYPE_CHECKING:
    import polars as pl
    from altair.typing import ChartType

# Roles whose values are limits, from which a distance has no meaning.
LIMITS = frozenset({Role.RANGE, Role.UPPER_RANGE, Role.UPPER_BOUND, Role.LOWER_BOUND})
LONGEST_PRINTED = 8
_DIGIT = re.compile(r"\d")
COLUMNS = ("cell", "published", "measured", "difference", "role", "tolerance", "verdict")


@dataclass(frozen=True, slots=True)
class CellResult:
    """A published cell, what was measured, and whether they agree. `reason` is given for a miss."""

    cell: PublishedCell
    measured: Measured
    verdict: Verdict
    reason: str

    def data(self) -> dict[str, Any]:
        """The cell as an object for --json."""
        found = self.measured
        published = self.cell.number
        return {
            "id": self.cell.id,
            "published": self.cell.value if published is None else published,
            "measured": found.words if found.value is None else found.value,
            "low": _finite(found.low),
            "high": _finite(found.high),
            "unit": self.cell.unit,
            "role": self.cell.role,
            "tolerance": self.cell.tolerance,
            "verdict": self.verdict,
            "lacking": self.lacking,
        }

    @property
    def lacking(self) -> str:
        """What an undecided cell lacks; empty for another cell."""
        return lacking(self.cell, self.measured) if self.verdict == "undecided" else ""

    def words(self) -> tuple[str, ...]:
        """The cell as texts in the order of COLUMNS."""
        found = self.measured
        published = self.cell.number
        shown = found.words if found.value is None else _measurement(found, self.cell.unit)
        printed = f"{self._printed()} {self.cell.unit}".strip() if self._printed() else ""
        compared = published is not None and found.value is not None and not self._is_limit()
        apart = _difference(found.value or 0.0, published or 0.0) if compared else ""
        tolerance = f"{100 * self.cell.tolerance:g} %" if self.cell.tolerance else ""
        return (self.cell.id, printed, shown, apart, self.cell.role, tolerance, self.verdict)

    def _printed(self) -> str:
        """The published value: empty for a shape; rounded if it was computed from others."""
        published = self.cell.number
        if self.cell.is_for is Role.SHAPE:
            return ""
        computed = published is not None and len(self.cell.value) > LONGEST_PRINTED
        return number(published, 3) if computed and published is not None else self.cell.value

    def _is_limit(self) -> bool:
        """Whether the value is a limit."""
        return self.cell.is_for in LIMITS


class StudyResult:
    """A study's cells, its verdicts and its figure."""

    def __init__(self, definition: Definition, evidence: Evidence, quick: bool) -> None:
        """Judge every cell of a study whose evidence is complete."""
        self.definition = definition
        self.quick = quick
        self._evidence = evidence
        self.cells = [
            CellResult(cell.published, found, judged(cell.published, found), cell.reason)
            for cell in definition.cells
            for found in [cell.quantity.measure(evidence)]
            for judged in [judge_rough if cell.is_rough else judge]
        ]

    @property
    def name(self) -> str:
        """The study's name, such as "an1/table3"."""
        return self.definition.name

    @property
    def evidence(self) -> Evidence:
        """The runs by which it was judged."""
        return self._evidence

    @property
    def misses(self) -> list[CellResult]:
        """The cells that do not agree."""
        return [cell for cell in self.cells if cell.verdict == "miss"]

    @property
    def undecided(self) -> list[CellResult]:
        """The cells whose intervals leave the verdict open when the runs have been lengthened."""
        return [cell for cell in self.cells if cell.verdict == "undecided"]

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row a cell: id, published, measured, low, high, unit, role, tolerance, verdict.

        Numbers only; see `data` for words.
        """
        with extra("frames"):
            import polars as pl

        rows = [
            cell.data() | {"published": cell.cell.number, "measured": cell.measured.value}
            for cell in self.cells
        ]
        return pl.DataFrame(
            rows,
            schema_overrides=dict.fromkeys(("published", "measured", "low", "high", "tolerance"), pl.Float64),
        )

    def data(self) -> list[dict[str, Any]]:
        """The cells as objects for --json."""
        return [cell.data() for cell in self.cells]

    def plot(self) -> "ChartType | None":
        """The study's first figure with the published values, or its histogram, if any."""
        return next(iter(self.plots()), None)

    def plots(self) -> "list[ChartType]":
        """The study's figures with the published values, or its histogram."""
        from hopscope.studies import figure

        if self.definition.histogram is not None:
            return [self.definition.histogram.draw(self._evidence)]
        return [figure.draw(drawn, self._evidence) for drawn in self.definition.figures]

    @property
    def points(self) -> tuple[list[str], list[list[str]]]:
        """The first figure's points in words: the heads of the columns, and a row for each x."""
        return self.tables[0][1:] if self.tables else ([], [])

    @cached_property
    def tables(self) -> list[tuple[str, list[str], list[list[str]]]]:
        """Every figure's points in words: what they are, the heads of the columns, and a row for each x."""
        from hopscope.studies import figure

        return [
            (figure.caption(drawn), *figure.points(drawn, self._evidence))
            for drawn in self.definition.figures
        ]

    @cached_property
    def diagrams(self) -> list[tuple[str, str, str]]:
        """Title, note and SVG of every time-space diagram."""
        return [
            (diagram.title, diagram.note, diagram.draw(self._evidence))
            for diagram in self.definition.diagrams
        ]

    @cached_property
    def reasons(self) -> list[tuple[str, list[str]]]:
        """What limited runs: headings with sentences."""
        return [(why.heading, why.words(self._evidence)) for why in self.definition.why]

    @property
    def replays(self) -> list[tuple[str, list[tuple[str, str, str, str]]]]:
        """Every replay by its cell's id: routing message, IMP, printed cell, replayed cell."""
        return [
            (cell.published.id, cell.quantity.rows())
            for cell in self.definition.cells
            if isinstance(cell.quantity, Replay)
        ]

    @property
    def confusions(self) -> list[tuple[str, PlantedShare]]:
        """Every corpus by its cell's id; one that counts healthy cases is part of another."""
        return [
            (cell.published.id, cell.quantity)
            for cell in self.definition.cells
            if isinstance(cell.quantity, PlantedShare) and cell.quantity.counted != HEALTHY
        ]

    def told(self) -> list[str]:
        """Missed and undecided cells with reasons: cells with the same reason together."""
        misses = [(miss.cell.id, self._reason(miss)) for miss in self.misses]
        undecided = [(cell.cell.id, cell.lacking) for cell in self.undecided]
        return [*_grouped(misses, "misses", "miss"), *_grouped(undecided, "is undecided", "are undecided")]

    def _reason(self, miss: CellResult) -> str:
        """The reason of a miss. Its figures are those of full runs, which a quick run must say."""
        reason = miss.reason or "the reason is not known"
        return f"in full runs: {reason}" if self.quick and _DIGIT.search(reason) else reason

    def summary(self) -> str:
        """The verdicts counted: "5 within, 1 miss"."""
        return count_verdicts([self])

    def __repr__(self) -> str:
        """One line: name and verdicts."""
        return f"<StudyResult {self.name}: {self.summary()}>"

    def _repr_html_(self) -> str:
        return frames.html(COLUMNS, [cell.words() for cell in self.cells])


def _grouped(cells: Sequence[tuple[str, str]], one: str, many: str) -> list[str]:
    """A line for each reason, in the order of the first cell that has it."""
    by_reason: dict[str, list[str]] = {}
    for name, why in cells:
        by_reason.setdefault(why, []).append(name)
    return [f"{joined(names)} {one if len(names) == 1 else many}: {why}" for why, names in by_reason.items()]


def count_verdicts(results: Sequence[StudyResult]) -> str:
    """The verdicts of several studies, counted."""
    verdicts = [cell.verdict for result in results for cell in result.cells]
    plurals: dict[Verdict, str] = {
        "within": "within",
        "miss": "misses",
        "undecided": "undecided",
        "not judged": "not judged",
    }
    counted = [(verdicts.count(verdict), verdict) for verdict in plurals]
    return ", ".join(
        f"{count} {verdict if count == 1 else plurals[verdict]}" for count, verdict in counted if count
    )


def save(results: Sequence[StudyResult], folder: Path, *, or_next: bool = False) -> Path:
    """Write the folder with verdicts.json, completely or not at all; returns its path.

    With `or_next` it becomes the first of FOLDER, FOLDER-2, FOLDER-3, ... that is not taken.
    """
    cells = [cell for result in results for cell in result.data()]
    text = json.dumps(cells, indent=1, ensure_ascii=False) + "\n"

    def fill(partial: Path) -> None:
        (partial / "verdicts.json").write_text(text, encoding="utf-8")

    return atomic.write_folder(folder, fill, or_next=or_next)


def draw(results: Sequence[StudyResult], folder: Path) -> None:
    """Write report.html and the figures as SVG into the folder that `save` has made."""
    with extra("charts"):
        import altair as alt

    from hopscope.report import study_page

    atomic.write_file(folder / "report.html", study_page.page(results).html())
    for result in results:
        name = result.name.replace("/", "-")
        for index, chart in enumerate(result.plots(), start=1):
            with atomic.new_file(folder / f"{name}{f'-{index}' if index > 1 else ''}.svg") as partial:
                alt.Chart.from_dict(visible_data(chart.to_dict())).save(str(partial), format="svg")
        for index, (_, _, drawn) in enumerate(result.diagrams, start=1):
            atomic.write_file(folder / f"{name}-time-space-{index}.svg", drawn)


def _finite(end: float | None) -> float | None:
    """An end of an interval for JSON, which has no infinity: a spread that saturates has no upper end."""
    return end if end is not None and math.isfinite(end) else None


def _measurement(found: Measured, unit: str) -> str:
    if found.value is not None and found.low == found.high == round(found.value):
        return f"{count(round(found.value))} {unit}".rstrip()
    value = found.value or 0.0
    if found.low is None or found.high is None:
        return f"{number(value)} {unit}".rstrip()
    least = -math.inf if found.can_be_negative else 0.0
    return interval(value, found.low, found.high, unit, n=found.n, least=least)


def _difference(measured: float, published: float) -> str:
    return f"{100 * (measured / published - 1):+.1f} %" if published else f"{measured - published:+.3g}"
