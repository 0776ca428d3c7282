"""`hopscope explain`: why it is slow, and what would help."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import means as of_means
from hopscope.cli import options
from hopscope.cli.terminal import show

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation, WhatIf


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
@of_means.performing
@options.as_json
@options.quiet
def command(source: str, overrides: Sequence[str], as_json: bool, quiet: bool, **asked: Any) -> int:
    """Name the bottleneck and the blocking chain that leads to it.

    SCENARIO is simulated first. RUN is a folder that `hopscope run` has written.
    """
    from hopscope import explanation
    from hopscope.cli.talk import progress
    from hopscope.errors import Interrupted
    from hopscope.results.explanation import Explanation

    try:
        with progress(f"explaining {Path(source).name}", quiet) as bar:
            found = explanation.explain(source, set=overrides, progress=bar, **asked)
    except Interrupted as stopped:
        # What is known by then is printed: the explanation of the run, without what was not tried.
        if isinstance(stopped.so_far, Explanation):
            show(stopped.so_far.to_json() if as_json else table(stopped.so_far))
        raise
    show(found.to_json() if as_json else table(found))
    return 1 if found.is_deadlock else 0


def table(found: "Explanation") -> str:
    """The explanation as text."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned

    about = [click.style(found.data["title"], bold=True)] if found.data["title"] else []
    about += facts.odd(found.data.get("anomalies", []))
    about += facts.odd_routes(found.data.get("odd_routes", []))
    if "assumed" in found.data:
        about.append(found.data["assumed"])
    lines = [*about, *([""] if about else []), click.style(found.sentence, bold=True)]
    lines += [f"  {each}" for each in found.data.get("stuck", {"cycle": []})["cycle"]]
    lines += _evidence(found)
    if found.chain:
        headers = ("blocking chain, waiter to root cause", "in use", "waiting", "held by")
        lines += ["", aligned(headers, found.chain_rows(), right=(1, 2))]
    if rows := found.holder_rows():
        headers = ("mean occupancy by holder", "holder", "mean", "each", "waits for")
        lines += ["", aligned(headers, rows, right=(2, 3))]
    if found.symptoms:
        lines += ["", *(f"{symptom['name']}: {symptom['evidence']}" for symptom in found.symptoms)]
    for by, header, share in (
        ("stages", "by stage", "share of lifetime"),
        ("resources", "by resource", "share of lifetime"),
        ("places", "waiting by place", "share of waiting"),
    ):
        if rows := found.share_rows(by):
            lines += ["", aligned((header, share, "95 % interval"), rows, right=(1, 2))]
    tried = found.what_if
    if tried is not None:
        lines += ["", *what_would_help(tried)]
    return "\n".join([*lines, *facts.legend(found.data, lines)])


def what_would_help(tried: "WhatIf") -> list[str]:
    """Changes by their gain, the best one by its size, and the answer."""
    from hopscope.cli.table import aligned

    headers = tried.headers()
    gains = range(1, len(headers) - 1)
    lines = [aligned(headers, tried.rows(), right=tuple(gains)) if tried.gains else "nothing to change"]
    lines += [f"gains in {tried.goal}: means with 95 % intervals, paired by seed", *tried.notes()]
    if rows := tried.curve_rows():
        lines += ["", aligned(("the best by its size", "gain"), rows, right=(1,))]
    lines += ["", tried.sentence]
    return lines if tried.apply is None else [*lines, f"To apply it: {tried.apply}"]


def _evidence(found: "Explanation") -> list[str]:
    """What confirms the verdict, and what an operator asks next."""
    from hopscope.cli.table import aligned, named
    from hopscope.results.explanation import HEALTHY

    lines = []
    if found.confirmation is not None and (rows := found.confirmation_rows()):
        lines += ["", aligned(("cause", found.confirmation.heading), rows)]
        lines += [found.doubt] if found.doubt else []
    elif found.cause != HEALTHY and not found.is_deadlock:
        lines += ["not confirmed: no change was tried"]
    if rows := found.evidence_rows():
        lines += ["", named(rows)]
    return lines
