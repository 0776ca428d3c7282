"""`hopscope capacity`: what a network carries, and why no more."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hopscope.cli import options

if TYPE_CHECKING:
    from hopscope.planning.capacity import Capacity


@click.command("capacity", short_help="What a network carries, and why no more.")
@options.scenario
@options.search
@click.option("--bounds", "only_bounds", is_flag=True, help="Only the bounds; simulate nothing.")
@options.as_json
@options.quiet
def command(
    source: str,
    overrides: Sequence[str],
    seed: int | None,
    seeds: int,
    messages: int,
    only_bounds: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Bound the load that a network carries, find where it saturates, and say why.

    The scenario's own load does not matter: it is what is searched.
    """
    from hopscope.cli.talk import progress
    from hopscope.planning.capacity import capacity

    with progress("searching for saturation", quiet or only_bounds) as bar:
        result = capacity(
            source,
            set=overrides,
            seed=seed,
            seeds=seeds,
            messages=messages,
            simulate=not only_bounds,
            progress=bar,
        )
    click.echo(result.to_json() if as_json else table(result))
    return 0


def table(result: "Capacity") -> str:
    """What was found, as text."""
    from hopscope.cli.table import aligned, named
    from hopscope.numerals import count
    from hopscope.planning import words

    lines = [
        click.style(result.title, bold=True),
        "",
        aligned(("bound", "load", "where"), words.bounds(result.bounds), right=(1,)),
    ]
    idle = words.idle(result.bounds)
    lines += ["", *idle] if idle else []
    if result.saturation is None:
        return "\n".join(lines)
    seeds = result.saturation.seeds
    lines += [
        "",
        f"simulated with {count(len(seeds))} seed(s) from {seeds[0]} and {count(result.messages)} messages a "
        "run; in brackets the highest load that all seeds carried and the lowest that none did",
        "",
        named(words.findings(result)),
        "",
        aligned(("counterfactual", "saturation load", "gain"), words.compared(result), right=(2,)),
    ]
    return "\n".join(lines)
