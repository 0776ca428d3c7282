"""`hopscope schema`: the language of scenarios."""

import json

import click


@click.command("schema", short_help="Print the JSON Schema of scenarios.")
def command() -> int:
    """Print the JSON Schema of scenarios, for editors and checkers."""
    from hopscope import experiment

    click.echo(json.dumps(experiment.schema(), indent=2, ensure_ascii=False))
    return 0
