"""Running studies: all points of all cells in one parallel sweep, then rounds for the cells that search."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from hopscope.errors import UsageError
from hopscope.extras import require
from hopscope.overrides import true_or_false
from hopscope.paths import path_of
from hopscope.progress import Progress, Watch, callback
from hopscope.progress_bar import with_bar
from hopscope.results import attached
from hopscope.studies import result
from hopscope.studies.definition import Definition, load
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.result import StudyResult
from hopscope.studies.verdict import LENGTHENED, is_worth_lengthening


@with_bar
def study(
    name: str | Path,
    *,
    quick: bool = False,
    out: str | Path | None = None,
    allow_files: bool = False,
    progress: Watch = None,
) -> StudyResult:
    """Run a study and judge its cells.

    `name` is one of `study_names()`, or a folder. `quick` measures roughly, within seconds. Runs that leave a
    cell undecided are made up to eight times as long, if that is likely to decide it. `out` is a folder to
    write. The scenarios and files that a study names lie in its own folder, unless `allow_files`. Raises
    UsageError for an argument of another type, ScenarioError for a study that is missing or wrong.
    """
    progress = callback(progress)
    if not isinstance(name, str | os.PathLike):
        raise UsageError(
            f"name: {name!r} is no study", 'name one, as in name="an1/table3", or give its folder'
        )
    quick, allow_files = true_or_false("quick", quick), true_or_false("allow_files", allow_files)
    return run_all([os.fspath(name)], quick=quick, out=out, allow_files=allow_files, progress=progress)[0]


def run_all(
    names: Sequence[str],
    *,
    quick: bool = False,
    out: str | Path | None = None,
    allow_files: bool = False,
    progress: Progress | None = None,
) -> list[StudyResult]:
    """Run several studies together; a point that two of them need is simulated once.

    Studies read the tables of runs. Raises MissingExtraError before any simulation if that is impossible.
    """
    require("frames")
    out = None if out is None else path_of("out", out)
    definitions = [load(name, quick, allow_files=allow_files) for name in names]
    evidence = Evidence(allow_files=allow_files)
    _complete(definitions, evidence, progress)
    for times, longer in pairwise((1, *LENGTHENED)):
        if not (wanted := _undecided(definitions, evidence, times)):
            break
        evidence.lengthen(wanted, longer, progress)
        _complete(definitions, evidence, progress)
    results = [StudyResult(definition, evidence, quick) for definition in definitions]
    if out is not None:
        kept = result.save(results, out)
        attached.warn(attached.drawn(lambda: result.draw(results, kept)))
    return results


def _complete(definitions: Sequence[Definition], evidence: Evidence, progress: Progress | None) -> None:
    """Simulate until nothing is missing."""
    while missing := _missing(definitions, evidence):
        evidence.gather(missing, progress)


def _undecided(definitions: Sequence[Definition], evidence: Evidence, times: int) -> list[Setting]:
    """The settings of undecided cells that longer runs are likely to decide.

    The runs are `times` as long as at first.
    """
    return [
        setting
        for definition in definitions
        for cell in definition.cells
        if is_worth_lengthening(cell.published, cell.quantity.measure(evidence), times)
        for setting in evidence.asked(cell.quantity.measure)
    ]


def _missing(definitions: Sequence[Definition], evidence: Evidence) -> list[Setting]:
    wanted = [
        setting
        for definition in definitions
        for cell in definition.cells
        for setting in cell.quantity.missing(evidence)
    ]
    drawn = [
        setting
        for definition in definitions
        for figure in definition.figures
        for setting in figure.missing(evidence)
    ]
    shown = [setting for definition in definitions for setting in _shown(definition, evidence)]
    return [*wanted, *drawn, *shown]


def _shown(definition: Definition, evidence: Evidence) -> Iterator[Setting]:
    """The settings that the pictures and explanations of a study still need."""
    for diagram in definition.diagrams:
        yield from diagram.missing(evidence)
    for why in definition.why:
        yield from why.missing(evidence)
    if definition.histogram is not None:
        yield from definition.histogram.missing(evidence)
