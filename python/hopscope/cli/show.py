"""`hopscope show`: a ready scenario as text."""

import click

from hopscope.cli import completion
from hopscope.cli.terminal import show


@click.command("show", short_help="Print a ready scenario.")
@click.argument("name", metavar="NAME", shell_complete=completion.ready_names)
def command(name: str) -> int:
    """Print a ready scenario as it is written, with its comments.

    NAME is one of `hopscope scenarios`, or a file that such a scenario names.
    """
    from hopscope import ready

    show(ready.text(name).removesuffix("\n"))
    return 0
