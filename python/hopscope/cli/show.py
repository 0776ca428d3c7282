"""`hopscope show`: a ready scenario as text."""

import click

from hopscope.cli import completion, options
from hopscope.cli.terminal import show, show_json


@click.command("show", short_help="Print a ready scenario.")
@click.argument("name", metavar="NAME", shell_complete=completion.ready_names)
@options.as_json
def command(name: str, as_json: bool) -> int:
    """Print a ready scenario with its comments.

    NAME is one of `hopscope scenarios`, or a file that such a scenario names.
    """
    from hopscope import ready_scenarios

    text = ready_scenarios.text(name)
    if as_json:
        show_json({"name": name, "text": text})
    else:
        show(text.removesuffix("\n"))
    return 0
