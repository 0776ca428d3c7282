"""`hopscope study`: published tables and figures, measured again."""

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hopscope.cli import options
from hopscope.cli.execution import execution_options, unfinished

if TYPE_CHECKING:
    from hopscope.experiments.execution import Execution
    from hopscope.studies.kinds.planted import PlantedShare
    from hopscope.studies.result import StudyResult


WIDTH = 110
LEGEND = (
    "calibrates: one input was fitted to this value. predicts: no input was. Brackets hold 95 % intervals. "
    "miss: outside the tolerance. undecided: the interval includes the tolerance limit, also in runs up to "
    "eight times as long; or no such event happened; or a quick run has no interval."
)


@click.command("study", short_help="Reproduce published tables and figures.")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "every", is_flag=True, help="Run every study.")
@click.option("--quick", is_flag=True, help="Runs of a few seconds; more cells are undecided.")
@execution_options
@options.allow_files
@options.out
@options.as_json
@options.quiet
def command(
    names: Sequence[str],
    every: bool,
    quick: bool,
    execution: "Execution",
    allow_files: bool,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Reproduce published tables and figures and judge every cell.

    The name of a paper, such as an1 or rfc619, stands for all of its studies.

    Exit code 1 means that a cell missed. The same command continues a stopped study.
    """
    from hopscope import atomic
    from hopscope.cli.table import aligned
    from hopscope.cli.talk import keep, progress, tell
    from hopscope.errors import UsageError
    from hopscope.experiments.execution import many_runs
    from hopscope.studies import result, runner
    from hopscope.studies.definition import load, refuse_unknown, study_names, with_papers

    known = study_names()
    if every and names:
        raise UsageError(f"--all runs every study, and `{names[0]}` is named as well", "give one of the two")
    if not every and not names:
        listed = aligned(("study", "title"), [(name, load(name).title) for name in known])
        raise UsageError("name the studies to run, or give --all", f"there are:\n{listed}")
    refuse_unknown(names)
    chosen = known if every else with_papers(names)
    wanted = "studies"
    if len(set(names)) == 1:
        only = names[0] if chosen[0] in known else Path(names[0]).name
        wanted = "study-" + only.replace("/", "-")
    folder = out or atomic.free_name(Path("runs") / wanted)
    atomic.check(folder, "--out")
    atomic.check_store((folder, "--out"), (execution.store, "--store"))
    # Results are in the store until the verdicts are in the folder.
    with unfinished(folder, execution, (*chosen, quick)) as with_store:
        with many_runs(with_store), progress("measuring", quiet) as bar:
            results = runner.run_all(chosen, quick=quick, allow_files=allow_files, progress=bar)
        cells = [cell for each in results for cell in each.data()]
        text = json.dumps(cells, indent=1, ensure_ascii=False) if as_json else pages(results)
        kept = keep(lambda: result.save(results, folder, or_next=out is None), lambda: text)
    tell(kept, text, [lambda: result.draw(results, kept)], quiet)
    return 1 if any(each.misses for each in results) else 0


def filled(text: str) -> str:
    """The text in lines of the page's width, broken between words."""
    return textwrap.fill(text, WIDTH, break_on_hyphens=False)


def pages(results: "Sequence[StudyResult]") -> str:
    """Each study's cells, then all verdicts on one page if there are several studies."""
    from hopscope.cli.table import aligned
    from hopscope.studies.result import COLUMNS, count_verdicts

    lines: list[str] = [filled(LEGEND), ""]
    for each in results:
        lines += [click.style(f"{each.name}: {each.definition.title}", bold=True), each.definition.source, ""]
        lines += [aligned(COLUMNS, [cell.words() for cell in each.cells], right=(1, 2, 3, 5)), ""]
        lines += [filled(text) for text in each.told()]
        lines += [""] if each.misses or each.undecided else []
        for caption, heads, points in each.tables[:1]:
            lines += [f"{caption}:", aligned(heads, points, right=tuple(range(len(heads)))), ""]
        for name, corpus in each.confusions:
            lines += [*_confusion(name, corpus), ""]
        for heading, sentences in each.reasons:
            lines += [
                click.style(heading, bold=True),
                *(filled(text) for text in sentences),
                "",
            ]
    if len(results) > 1:
        verdicts = [(each.name, each.summary()) for each in results]
        lines += [aligned(("study", "verdicts"), verdicts), ""]
    return "\n".join([*lines, f"total: {count_verdicts(results)}"])


def _confusion(name: str, corpus: "PlantedShare") -> list[str]:
    """The planted causes against the named ones, and the missed cases."""
    from hopscope.cli.table import aligned
    from hopscope.planted import measured
    from hopscope.studies.kinds.planted import RELIEVED

    if corpus.counted == RELIEVED:
        wrong = [each for each in corpus.reliefs() if not each.is_right]
        return [
            f"{name}, corpus {corpus.corpus}, {len(corpus.reliefs())} networks with a known remedy:",
            *[filled(f"another change first: {each.case.kind}: {each.first}") for each in wrong],
        ]
    cases = corpus.cases()
    heads, rows = measured.confusion(cases)
    missed = [
        (case.planted.model, case.planted.case.name, case.planted.case.cause, case.sentence)
        for case in cases
        if not case.is_right
    ]
    return [
        f"{name}, corpus {corpus.corpus}, {len(cases)} networks:",
        aligned(heads, rows, right=tuple(range(1, len(heads)))),
        "",
        aligned(("model", "named"), measured.by_model(cases), right=(1,)),
        *[filled(f"not named: {model}, {case} ({cause}): {told}") for model, case, cause, told in missed],
    ]
