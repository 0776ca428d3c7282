"""`hopscope capacity`: what a network carries, and why no more."""

from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.execution import execution_options, refuse
from hopscope.cli.terminal import show

if TYPE_CHECKING:
    from hopscope.experiments.execution import Execution
    from hopscope.planning.capacity.capacity import Capacity
    from hopscope.planning.capacity.saturation import Saturation


@click.command("capacity", short_help="Find the saturation load and its cause.")
@options.scenario
@options.search
@click.option("--bounds", "only_bounds", is_flag=True, help="Compute the bounds only, without a simulation.")
@execution_options
@options.as_json
@options.quiet
def command(only_bounds: bool, execution: "Execution", quiet: bool, **asked: Any) -> int:
    """Find the load at which a network saturates, and why; compute bounds of it.

    The search ignores the scenario's own load.
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
    from hopscope.planning.capacity import words

    lines = [click.style(result.title, bold=True)]
    if result.saturation is not None:
        lines += [
            "",
            named(words.findings(result)),
            "",
            aligned(("counterfactual", "saturation load", "gain"), words.compared(result), right=(2,)),
            *_how(result, result.saturation),
        ]
    lines += ["", aligned(("bound", "load", "where"), words.bounds(result.bounds), right=(1,))]
    told = [*words.lost(result.bounds), *words.idle(result.bounds), *words.outages(result.outages)]
    lines += ["", *told] if told else []
    about = facts.lines({"facts": result.facts})
    odd = facts.odd_routes([each.data() for each in result.odd_routes])
    return "\n".join([*lines, *(["", *odd] if odd else []), *(["", *about] if about else [])])


def _how(result: "Capacity", found: "Saturation") -> list[str]:
    """How the saturation load was found, and what its brackets mean."""
    from hopscope.numerals import amount, count

    seeds = amount(len(found.seeds), "seed", "seeds")
    return [
        f"simulated with {seeds} from {found.seeds[0]}, up to {count(result.messages)} messages per run",
        "in brackets: the highest load carried and the lowest load not carried, with 95 % confidence",
    ]
