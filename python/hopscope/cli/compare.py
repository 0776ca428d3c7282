"""`hopscope compare`: two designs on the same random numbers."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hopscope.cli import means as of_means
from hopscope.cli import options
from hopscope.cli.terminal import show

if TYPE_CHECKING:
    from hopscope.estimate import Estimate
    from hopscope.experiments.compare import ComparisonResult
    from hopscope.experiments.elsewhere import Means


@click.command("compare", short_help="Compare two scenarios on the same random numbers.")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@options.overrides
@click.option(
    "--set-b", "overrides_b", metavar="PATH=VALUE", multiple=True, help="Override a value of B alone."
)
@options.seed
@click.option(
    "--over", "swept", metavar="PATH=V1,V2,...", multiple=True, help="Compare at each of these values."
)
@options.seeds(5, "Runs of each, with the same consecutive seeds.", least=2, most=None)
@click.option(
    "--metric", "metrics", metavar="KEY", multiple=True, help="A metric to compare, such as latency.p99."
)
@of_means.options
@options.as_json
@options.quiet
def command(  # noqa: PLR0913, PLR0917 - an argument an option
    a: str,
    b: str,
    overrides: Sequence[str],
    overrides_b: Sequence[str],
    seed: int | None,
    swept: Sequence[str],
    seeds: int,
    metrics: Sequence[str],
    means: "Means",
    as_json: bool,
    quiet: bool,
) -> int:
    """Compare the scenarios A and B: differences with 95 % intervals, and a verdict a metric.

    Both run with the same seeds, and differences are taken seed by seed.

    For example: hopscope compare an1-floors an1-floors-plus --over traffic.load=0.2,0.3
    """
    from hopscope.cli.sweep import read_over
    from hopscope.cli.talk import progress
    from hopscope.experiments.compare import compare

    over = read_over(swept)
    with progress(f"comparing {a} and {b}", quiet) as bar:
        result = compare(
            a, b, over, set=overrides, set_b=overrides_b, seed=seed, seeds=seeds, means=means, progress=bar
        )
    show(json.dumps(result.data(metrics), indent=1) if as_json else table(result, metrics))
    return 0


def table(result: "ComparisonResult", metrics: Sequence[str] = ()) -> str:
    """A row a setting and metric: both means, the difference seed by seed, the verdict."""
    from hopscope.cli.table import aligned
    from hopscope.overrides import toml_text

    rows = []
    for point in result.points:
        values = [toml_text(value).strip('"') for value in point.set.values()]
        for key in metrics or point.metrics():
            found = point.difference(key)
            share = "" if found.share is None else f"{100 * found.share.value:+.1f} %"
            known = found.a or found.b
            unit = "" if known is None else f" ({known.unit})"
            cells = (
                _interval(found.a),
                _interval(found.b),
                _interval(found.change),
                share,
                str(found.verdict),
            )
            rows.append([*values, f"{key.replace('.', ' ')}{unit}", *cells])
    titles = [*result.over, "metric", "A", "B", "B minus A", "relative", "verdict"]
    swept = range(len(result.over))
    numeric = [*swept, *(len(result.over) + place for place in (1, 2, 3, 4))]
    seeds = f"{len(result.seeds)} seeds from {result.seeds[0]}"
    return "\n".join(
        [
            click.style(f"A: {result.a}, B: {result.b}", bold=True),
            f"{seeds}, the same for both; differences seed by seed with 95 % confidence intervals",
            "",
            aligned(titles, rows, right=numeric),
        ]
    )


def _interval(found: "Estimate | None") -> str:
    return "no number" if found is None else found.numbers
