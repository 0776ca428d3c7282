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
@options.as_json
@options.quiet
def command(
    source: str, overrides: Sequence[str], out: Path | None, as_json: bool, quiet: bool, **asked: Any
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
        kept = _keep(stopped.so_far, out, as_json=as_json, quiet=quiet, is_whole=False)
        raise Interrupted(stopped.so_far, kept, left=_not_tried(stopped.so_far, asked)) from None
    _keep(found, out, as_json=as_json, quiet=quiet)
    return 1 if found.is_deadlock else 0


def _keep(
    found: "Explanation", out: Path | None, *, as_json: bool, quiet: bool, is_whole: bool = True
) -> Path | None:
    """Print the result, after it was written to the requested folder; returns that folder."""
    from hopscope.cli import talk
    from hopscope.results.run import REPORT_FILE

    text = found.to_json() if as_json else table(found, is_whole=is_whole)
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


def table(found: "Explanation", *, is_whole: bool = True) -> str:
    """The explanation as text; one that is not whole was interrupted."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned
    from hopscope.numerals import percent
    from hopscope.results.explanation import LEAST_PLACE

    about = [click.style(found.data["title"], bold=True)] if found.data["title"] else []
    about += facts.odd(found.data)
    about += facts.odd_routes(found.data.get("odd_routes", []))
    if "assumed" in found.data:
        about.append(found.data["assumed"])
    lines = [*about, *([""] if about else []), *bold(found.sentence)]
    lines += [f"  {each}" for each in found.data.get("stuck", {"cycle": []})["cycle"]]
    lines += _evidence(found, is_whole=is_whole)
    if found.chain:
        headers = (
            "blocking chain, waiter to root cause",
            "in use",
            "waiting (mean)",
            "held by (share of what is held)",
        )
        lines += ["", aligned(headers, found.chain_rows(), right=(1, 2))]
    if found.holders:
        lines += ["", _holders(found)]
    if found.symptoms:
        told = (f"{symptom['name']}: {symptom['evidence']}" for symptom in found.symptoms)
        lines += ["", *(line for words in told for line in wrapped(words))]
    for by, header, share in (
        ("stages", "by stage", "share of lifetime"),
        ("resources", "by resource", "share of lifetime"),
        ("places", "waiting by place", "share of waiting"),
    ):
        if found.tells(by):
            lines += ["", aligned((header, share, "95 % interval"), found.share_rows(by), right=(1, 2))]
        elif by == "places" and found.share_rows(by):
            lines += ["", f"waiting by place: spread, no place has {percent(LEAST_PLACE)} of it"]
    tried = found.what_if
    if tried is not None:
        lines += ["", *what_would_help(tried)]
    return "\n".join([*lines, *facts.legend(found.data, lines)])


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
