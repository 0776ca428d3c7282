"""`hopscope compare`: two designs on the same random numbers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.execution import execution_options
from hopscope.cli.terminal import show
from hopscope.numerals import amount, relative_change

if TYPE_CHECKING:
    from hopscope.estimate import Estimate
    from hopscope.experiments.compare import ComparisonResult, Difference


@click.command("compare", short_help="Compare two scenarios on the same random numbers.")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@options.overrides
@click.option(
    "--set-b",
    "overrides_b",
    metavar="PATH=VALUE",
    multiple=True,
    help="Override a value of B only; repeatable.",
)
@options.seed
@options.allow_files
@click.option(
    "--over", "swept", metavar="PATH=V1,V2,...", multiple=True, help="Compare at each of these values."
)
@options.seeds(5, "Runs of each, with the same consecutive seeds.", least=2, most=None)
@click.option(
    "--metric", "metrics", metavar="KEY", multiple=True, help="A metric to compare, such as latency.p99."
)
@execution_options
@options.to_write("--out", metavar="DIR", words="Folder to write: the differences, the runs and a page.")
@options.as_json
@options.quiet
def command(
    a: str,
    b: str,
    overrides: Sequence[str],
    overrides_b: Sequence[str],
    swept: Sequence[str],
    metrics: Sequence[str],
    out: Path | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Compare the scenarios A and B: differences with 95 % intervals, and a verdict per metric.

    Both run with the same seeds, and differences are taken seed by seed.

    For example: hopscope compare an1-floors an1-floors-plus --over traffic.load=0.2,0.3
    """
    from hopscope import atomic
    from hopscope.cli.sweep import read_over
    from hopscope.cli.talk import keep, progress, tell
    from hopscope.experiments.compare import compare
    from hopscope.results.run import REPORT_FILE

    over = read_over(swept)
    if out is not None:
        atomic.check(out, "--out")
        atomic.check_store((out, "--out"), (asked["execution"].store, "--store"))
    how: dict[str, Any] = {"set": overrides, "set_b": overrides_b, **asked}
    with progress(f"comparing {a} and {b}", quiet) as bar:
        result = compare(a, b, over, progress=bar, **how)
    text = json.dumps(result.data(metrics), indent=1) if as_json else table(result, metrics)
    if out is None:
        show(text)
    else:
        kept = keep(lambda: result.save(out, report=False, metrics=metrics), lambda: text)
        tell(kept, text, [lambda: result.report(kept / REPORT_FILE)], quiet)
    return 1 if result.deadlocks() else 0


def table(result: "ComparisonResult", metrics: Sequence[str] = ()) -> str:
    """A row per setting and metric: both means, the difference seed by seed, the verdict; then notes."""
    from hopscope.cli.sweep import below
    from hopscope.cli.table import aligned
    from hopscope.overrides import toml_text
    from hopscope.results.points import no_number

    rows = []
    for point in result.points:
        values = [toml_text(value).strip('"') for value in point.set.values()]
        for key in metrics or point.metrics():
            found = point.difference(key)
            outcomes = [side.outcome for side in point.sides.values()]
            rows.append([*values, *_cells(found, *map(no_number, outcomes))])
    titles = [*result.over, "metric", "A", "B", "B minus A", "relative", "verdict"]
    swept = range(len(result.over))
    numeric = [*swept, *(len(result.over) + place for place in (1, 2, 3, 4))]
    seeds = f"{amount(len(result.seeds), 'seed', 'seeds')} from {result.seeds[0]}"
    return "\n".join(
        [
            click.style(f"A: {result.a}, B: {result.b_in_words}", bold=True),
            f"{seeds}, the same for both; differences seed by seed with 95 % confidence intervals",
            "",
            aligned(titles, rows, right=numeric),
            *below(result.notes(metrics)),
            *_deadlocks(result),
        ]
    )


def _deadlocks(result: "ComparisonResult") -> list[str]:
    """For each design that ends in a deadlock, the first such run, and its cycle."""
    lines = []
    for design, run in result.deadlocks().items():
        stuck = run.summary.fields["stuck"]
        lines += ["", f"{design} ends in a deadlock (seed {run.seed}): {stuck['reason']}"]
        lines += [f"  {link}" for link in stuck["cycle"]]
    return lines


def _cells(found: "Difference", no_a: str, no_b: str) -> list[str]:
    """A metric's cells: its name with the unit, or each mean with its own unit if they differ."""
    from hopscope.cli.table import titled
    from hopscope.experiments.compare import Comparison

    known = found.a or found.b
    has_one_unit = found.verdict is not Comparison.OTHER_UNITS

    def mean(of: "Estimate | None", otherwise: str) -> str:
        if of is None:
            return otherwise
        return of.numbers if has_one_unit else str(of)

    return [
        titled(found.metric, known.unit if known is not None and has_one_unit else ""),
        mean(found.a, no_a),
        mean(found.b, no_b),
        "no number" if found.change is None else found.change.numbers,
        "" if found.share is None else relative_change(found.share.value),
        found.in_words,
    ]
