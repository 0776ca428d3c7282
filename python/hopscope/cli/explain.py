"""`hopscope explain`: why it is slow, and what would help."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.execution import performing
from hopscope.cli.terminal import bold, show, wrapped

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation
    from hopscope.results.what_if import WhatIf

# If a row of the table of changes would be longer, the options get a line of their own.
LONGEST_ROW = 120
GROWING_QUEUE = (
    "More is offered to some host than arrives there, so the mean latency grows with the length of the run; "
    "the notes of `hopscope run` name the host."
)


@click.command("explain", short_help="Name the bottleneck and what would help.")
@click.argument("source", metavar="SCENARIO|RUN")
@options.overrides
@options.seed
@options.allow_files
@click.option("--what-if", is_flag=True, help="Try one change at a time and rank the changes by their gain.")
@click.option(
    "--confirm/--no-confirm",
    default=True,
    help="Relieve the likeliest causes one at a time, in short runs.",
)
@options.seeds(
    None,
    "With --what-if: runs per change, with consecutive seeds.  [default: up to 5, as time allows]",
    least=2,
)
@options.messages(None, "With --what-if: messages per run.  [default: up to 20000, as time allows]")
@performing
@options.to_write(
    "--out",
    metavar="DIR",
    words="Write the run, what was tried and a page of both to DIR; must not exist yet.",
)
@click.option(
    "--details",
    is_flag=True,
    help="Print also who holds each resource, and the waiting by resource and by place.",
)
@options.as_json
@options.quiet
def command(
    source: str,
    overrides: Sequence[str],
    out: Path | None,
    details: bool,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Name the bottleneck and the blocking chain that leads to it.

    SCENARIO is simulated first. RUN is a folder that `hopscope run` has written.
    """
    from hopscope import atomic, explanation
    from hopscope.cli.talk import progress
    from hopscope.errors import Interrupted
    from hopscope.results.explanation import Explanation

    if out is not None:
        atomic.check(out, "--out")
        atomic.check_store((out, "--out"), (click.get_current_context().params["store"], "--store"))
    try:
        with progress(f"explaining {Path(source).name}", quiet) as bar:
            found = explanation.explain(source, set=overrides, progress=bar, **asked)
    except Interrupted as stopped:
        # What is known is printed: the explanation of the run, without what was not tried.
        if not isinstance(stopped.so_far, Explanation):
            raise
        so_far = stopped.so_far
        text = so_far.to_json() if as_json else table(so_far, is_whole=False, details=details)
        raise Interrupted(so_far, _keep(so_far, text, out, quiet), left=_not_tried(so_far, asked)) from None
    _keep(found, found.to_json() if as_json else table(found, details=details), out, quiet)
    return 1 if found.is_deadlock else 0


def _keep(found: "Explanation", text: str, out: Path | None, quiet: bool) -> Path | None:
    """Print the result, after it was written to the requested folder; returns that folder."""
    from hopscope.cli import talk
    from hopscope.results.run import REPORT_FILE

    if out is None or found.run is None:
        show(text)
        return None
    run = found.run.explained(found)
    kept = talk.keep(lambda: run.save(out, report=False), lambda: text)
    talk.tell(kept, text, [lambda: run.report(kept / REPORT_FILE)], quiet)
    return kept


def _not_tried(found: "Explanation", asked: Mapping[str, Any]) -> str:
    """What an interrupted explanation lacks, in words: what it has is printed."""
    if found.what_if is not None:
        return "the changes that are not listed were not tried to their end"
    return "the causes were not tried to their end" + (", and no change" if asked["what_if"] else "")


def table(found: "Explanation", *, is_whole: bool = True, details: bool = False) -> str:
    """The explanation as text, the answer first; one that is not whole was interrupted."""
    from hopscope.cli import facts
    from hopscope.results.summary import Doubt

    title = found.data["title"]
    lines = [click.style(title, bold=True), ""] if title else []
    lines += bold(found.sentence)
    lines += [f"  {each}" for each in found.data.get("stuck", {"cycle": []})["cycle"]]
    lines += _evidence(found, is_whole=is_whole)
    if found.run is not None and Doubt.GROWING_QUEUE in found.run.summary.doubts:
        lines += ["", *wrapped(GROWING_QUEUE)]
    if found.chain:
        lines += ["", _chain(found)]
    if found.further_symptoms:
        told = (f"{symptom['name']}: {symptom['evidence']}" for symptom in found.further_symptoms)
        lines += ["", *(line for words in told for line in wrapped(words))]
    lines += _shares(found, "stages", "by stage")
    if details:
        lines += ["", _holders(found)] if found.holders else []
        lines += _shares(found, "resources", "by resource")
        lines += _places(found)
    tried = found.what_if
    if tried is not None:
        lines += ["", *what_would_help(tried)]
    lines += facts.of_explained(found.data)
    return "\n".join([*lines, *facts.legend(found.data, lines)])


def _chain(found: "Explanation") -> str:
    """The blocking chain, a resource a line."""
    from hopscope.cli.table import aligned

    headers = (
        "blocking chain, waiter to root cause",
        "utilisation",
        "waiting (mean)",
        "held by (share of what is held)",
    )
    return aligned(headers, found.chain_rows(), right=(1, 2))


def _shares(found: "Explanation", by: str, header: str, of: str = "share of lifetime") -> list[str]:
    """Shares of the lifetime, or of the waiting, as a table after an empty line."""
    from hopscope.cli.table import aligned

    rows = found.share_rows(by) if found.tells(by) else []
    if not rows:
        return []
    if any(interval for *_, interval in rows):
        return ["", aligned((header, of, "95 % interval"), rows, right=(1, 2))]
    return ["", aligned((header, of), [row[:2] for row in rows], right=(1,))]


def _places(found: "Explanation") -> list[str]:
    """The waiting by place, or that no place stands out."""
    from hopscope.numerals import percent
    from hopscope.results.explanation import LEAST_PLACE

    if found.share_rows("places") and not found.tells("places"):
        return ["", f"waiting by place: no place has {percent(LEAST_PLACE)} of it"]
    return _shares(found, "places", "waiting by place", "share of waiting")


def _holders(found: "Explanation") -> str:
    """Holders with amounts and times; without times if the model does not count them."""
    from hopscope.cli.table import aligned

    lines = [
        ("mean occupancy by holder", "holder", "mean held (share)", "mean time held", "waits for"),
        *found.holder_rows(),
    ]
    is_timed = any(time for *_, time, _ in lines[1:])
    headers, *rows = lines if is_timed else [(*line[:3], line[4]) for line in lines]
    return aligned(headers, rows, right=(2, 3) if is_timed else (2,))


def what_would_help(tried: "WhatIf") -> list[str]:
    """Changes by their gain, the best one by its size, and the answer."""
    from hopscope.cli.table import aligned

    if not tried.is_whole and not any(gain.refused is None for gain in tried.gains):
        return ["interrupted before a change was tried to its end"]
    headers = tried.headers()
    gains = range(1, len(headers) - 1)
    lines = [aligned(headers, tried.rows(), right=tuple(gains)) if tried.gains else "nothing to change"]
    lines += [f"gains in {tried.goal}: means with 95 % intervals, paired by seed", *tried.notes()]
    if rows := tried.curve_rows():
        lines += ["", aligned(("the best by its size", "gain"), rows, right=(1,))]
    lines += ["", *wrapped(tried.sentence)]
    return lines if tried.apply is None else [*lines, f"To apply it: {tried.apply}"]


def _evidence(found: "Explanation", *, is_whole: bool) -> list[str]:
    """What confirms the verdict, and the evidence that an operator asks for."""
    from hopscope.cli.table import GAP, aligned, named

    lines = []
    if found.confirmation is not None and found.confirmation.trials:
        cause = max(len(trial.candidate.cause) for trial in found.confirmation.trials)
        rows = found.confirmation_rows(LONGEST_ROW - cause - len(GAP))
        lines += ["", aligned(("cause", found.confirmation.heading), rows)]
        lines += [line for words in (found.doubt or "").splitlines() for line in wrapped(words)]
    elif found.basis:
        lines += ["not confirmed: no change was tried" if is_whole else "not confirmed: interrupted"]
    if rows := found.evidence_rows():
        lines += ["", named(rows)]
    return lines
