"""`hopscope scenarios`: the list of ready scenarios."""

import json

import click

from hopscope.cli import options
from hopscope.cli.terminal import show


@click.command("scenarios")
@options.as_json
def command(as_json: bool) -> int:
    """List the ready scenarios."""
    from hopscope import simulation
    from hopscope.cli.table import aligned

    ready = simulation.scenarios()
    if as_json:
        show(
            json.dumps(
                [dict(zip(("name", "model", "title"), entry, strict=True)) for entry in ready], indent=1
            )
        )
    else:
        show(aligned(("name", "model", "title"), ready))
    return 0
