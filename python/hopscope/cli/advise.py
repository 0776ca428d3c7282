"""`hopscope advise`: the root, or the link to add, that would carry more."""

from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options

if TYPE_CHECKING:
    from hopscope.planning.advice import Advice


@click.command("advise", short_help="Find a better up*/down* root or an added link.")
@options.scenario
@click.option("--add-link", is_flag=True, help="Also try to add one link between switches with free ports.")
@click.option(
    "--ports", type=click.IntRange(1, 65_000), default=12, show_default=True, help="Ports per switch."
)
@options.search
@options.as_json
@options.quiet
def command(**asked: Any) -> int:
    """Search for the up*/down* root, and with --add-link the extra link, of highest capacity.

    All candidates are compared by analysis, and the best by simulation.
    """
    from hopscope.cli.searching import search
    from hopscope.planning.advice import advise

    return search("searching for better roots", advise, table, **asked)


def table(result: "Advice") -> str:
    """The candidates that were simulated, and the advice."""
    from hopscope.cli.table import aligned
    from hopscope.numerals import count
    from hopscope.planning import words

    looked = f"{count(result.roots)} roots compared by analysis"
    if result.possible_links:
        looked += f", and {count(result.links)} of {count(result.possible_links)} possible extra links"
    return "\n".join(
        [
            click.style(result.title, bold=True),
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
        return f"Keep {now.root} as the root: no simulated candidate has significantly more capacity."
    link = f" and a link {' - '.join(best.between)}" if best.between else ""
    more = words.gain(best.saturation.gain_over(now.saturation))
    return f"Best: {best.root} as the root{link}: {now.saturation} becomes {best.saturation}, {more}."
