"""`hopscope schema`: the languages of scenarios and studies."""

import json

import click

from hopscope.cli.terminal import show


@click.command("schema", short_help="Print the JSON Schema of scenarios.")
@click.option("--study", is_flag=True, help="Print the JSON Schema of study.toml instead.")
@click.option("--json", is_flag=True, expose_value=False, help="No effect: a schema is JSON.")
def command(study: bool) -> int:
    """Print the JSON Schema of scenarios, for editors and checkers."""
    from hopscope import simulation
    from hopscope.studies.schema import study_schema

    shown = study_schema() if study else simulation.schema()
    show(json.dumps(shown, indent=2, ensure_ascii=False))
    return 0
