"""`hopscope init`: a scenario of one's own to start from."""

import shlex
from pathlib import Path

import click

from hopscope.cli import completion, options
from hopscope.cli.terminal import show, show_json


@click.command("init", short_help="Write a scenario of your own to start from.")
@click.argument(
    "file", type=options.FilledPath(), metavar="[FILE]", default=Path("scenario.toml"), required=False
)
@click.option(
    "--from",
    "name",
    metavar="NAME|FABRIC",
    shell_complete=completion.scenarios,
    help="Start from this ready scenario, or from a fabric file.  [default: a commented leaf-spine fabric]",
)
@options.as_json
@options.quiet
def command(file: Path, name: str | None, as_json: bool, quiet: bool) -> int:
    """Write a commented scenario to FILE, by default scenario.toml, which must not exist yet.

    With --from the scenario is a copy of a ready one, with the files that it names; or the scenario that
    hopscope derives from a fabric file, with its assumptions.
    """
    from hopscope import ready_scenarios
    from hopscope.cli.talk import say

    scenario, *named = ready_scenarios.write(file, name)
    if as_json:
        show_json({"scenario": str(scenario), "files": [str(path) for path in named]})
    else:
        show("\n".join(f"wrote {path}" for path in (scenario, *named)))
    say(f"run it: {shlex.join(['hopscope', 'run', str(scenario)])}", quiet)
    return 0
