"""`hopscope advise`: the routes, or the link to add, that would carry more."""

from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import means as of_means
from hopscope.cli import options

if TYPE_CHECKING:
    from hopscope.planning.advice import Advice


@click.command("advise", short_help="Find better routes, a better root or an added link.")
@options.scenario
@click.option("--add-link", is_flag=True, help="Also try to add one link between switches with free ports.")
@click.option(
    "--ports",
    type=click.IntRange(1, 65_000),
    help="Ports per switch.  [default: those of the file or the family]",
)
@options.search
@of_means.performing
@options.as_json
@options.quiet
def command(**asked: Any) -> int:
    """Search for the routes, and with --add-link the extra link, of highest capacity.

    Every up*/down* root is a candidate, also for a scenario with tables or rules of its own; shortest paths
    are one where they cannot deadlock. All are compared by analysis, and the best by simulation.
    """
    from hopscope.cli.searching import search
    from hopscope.planning.advice import advise

    return search("searching for better roots", advise, table, **asked)


def table(result: "Advice") -> str:
    """The candidates that were simulated, and the advice."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned
    from hopscope.numerals import count
    from hopscope.planning import words

    looked = f"{count(result.roots)} routings compared by analysis"
    if result.add_link:
        ports = result.analysed["ports"]
        size = (
            count(ports["most"])
            if ports["least"] == ports["most"]
            else f"{ports['least']} to {ports['most']}"
        )
        looked += f", and {count(result.links)} of {count(result.possible_links)} possible extra links"
        looked += f" between switches of {size} ports ({ports['known_from']})"
    return "\n".join(
        [
            click.style(result.title, bold=True),
            *facts.lines(result.analysed),
            looked + "; the best by simulation, after the current one",
            "",
            aligned(words.CANDIDATE_COLUMNS, words.candidates(result), right=(2, 4)),
            "",
            conclusion(result),
        ]
    )


def conclusion(result: "Advice") -> str:
    """The advice in a sentence."""
    from hopscope.planning import words

    best, now = result.best, result.now
    if best is now:
        kept = f"{now.root} as the root" if now.root else "the routes"
        return f"Keep {kept}: no simulated candidate has significantly more capacity."
    link = f" and a link {' - '.join(best.between)}" if best.between else ""
    more = words.gain(best.saturation.gain_over(now.saturation))
    routes = f"{best.root} as the root" if best.root else best.routes
    became = f"{now.saturation} becomes {best.saturation}, {more}"
    return f"Best: {routes}{link}: {became}.\nTo apply it: {best.apply}"
