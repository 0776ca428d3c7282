"""`hopscope show`: a ready scenario as text."""

import click

from hopscope.cli import completion


@click.command("show", short_help="Print a ready scenario.")
@click.argument("name", metavar="NAME", shell_complete=completion.ready_names)
def command(name: str) -> int:
    """Print a ready scenario as it is written, with its comments.

    NAME is one of `hopscope scenarios`, or a file that such a scenario names.
    """
    from hopscope import ready

    click.echo(ready.text(name), nl=False)
    return 0
