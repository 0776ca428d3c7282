"""`hopscope capacity`: what a network carries, and why no more."""

from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.execution import execution_options, refuse
from hopscope.cli.terminal import show

if TYPE_CHECKING:
    from hopscope.experiments.execution import Execution
    from hopscope.planning.capacity.capacity import Capacity


@click.command("capacity", short_help="Find the saturation load and its cause.")
@options.scenario
@options.search
@click.option("--bounds", "only_bounds", is_flag=True, help="Compute the bounds only; simulate nothing.")
@execution_options
@options.as_json
@options.quiet
def command(only_bounds: bool, execution: "Execution", quiet: bool, **asked: Any) -> int:
    """Bound the capacity of a network, find its saturation load, and name the cause.

    The search replaces the scenario's own load.
    """
    from hopscope.cli.searching import search
    from hopscope.errors import Interrupted
    from hopscope.experiments.execution import many_runs
    from hopscope.planning.capacity.capacity import Capacity, capacity

    if only_bounds:
        refuse("--bounds", "seeds", "messages")
    silent, asked["simulate"] = quiet or only_bounds, not only_bounds
    try:
        with many_runs(execution):
            return search("searching for saturation", capacity, table, quiet=silent, **asked)
    except Interrupted as stopped:
        bounded = stopped.so_far
        if not isinstance(bounded, Capacity):
            raise
        show(bounded.to_json() if asked["as_json"] else table(bounded))
        raise Interrupted(bounded, left="the saturation load was not found; the bounds are printed") from None


def table(result: "Capacity") -> str:
    """What was found, as text."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned, named
    from hopscope.numerals import count
    from hopscope.planning.capacity import words

    lines = [
        click.style(result.title, bold=True),
        *facts.lines({"facts": result.facts}),
        *facts.odd_routes([each.data() for each in result.odd_routes]),
        "",
        aligned(("bound", "load", "where"), words.bounds(result.bounds), right=(1,)),
    ]
    told = [*words.lost(result.bounds), *words.idle(result.bounds), *words.outages(result.outages)]
    lines += ["", *told] if told else []
    if result.saturation is None:
        return "\n".join(lines)
    seeds = result.saturation.seeds
    lines += [
        "",
        f"simulated with {count(len(seeds))} seeds from {seeds[0]}, up to {count(result.messages)} messages "
        "a run; in brackets the highest load carried and the lowest not carried, with 95 % confidence",
        "",
        named(words.findings(result)),
        "",
        aligned(("counterfactual", "saturation load", "gain"), words.compared(result), right=(2,)),
    ]
    return "\n".join(lines)
