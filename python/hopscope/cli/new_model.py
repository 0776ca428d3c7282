"""`hopscope new-model`: the skeleton of a model crate, in a source checkout."""

import os
from pathlib import Path

import click

from hopscope.cli import options
from hopscope.cli.terminal import show, show_json

_NEXT = (
    "cargo test --release -p hopscope-{name} -p hopscope-tidy",
    "make build",
    ".venv/bin/python docs/refresh.py && make fingerprints",
    "hopscope run {name}",
)


@click.command("new-model", short_help="Write the skeleton of a model crate (source checkout).")
@click.argument("name", metavar="NAME")
@options.as_json
@options.quiet
def command(name: str, as_json: bool, quiet: bool) -> int:
    """Write the skeleton of a model crate into the source checkout that you are in.

    NAME is in small letters and digits, with dashes between words, such as token-ring. The skeleton works:
    one resource with a queue, its scenario, its tests and its line in the engine. CONTRIBUTING.md says how
    to go on.
    """
    from hopscope import new_model
    from hopscope.cli.talk import say

    written = [os.path.relpath(path) for path in new_model.write(name, Path.cwd())]
    following = [step.format(name=name.replace("_", "-")) for step in _NEXT]
    if as_json:
        show_json({"files": written, "next": following})
    else:
        show("\n".join(f"wrote {path}" for path in written))
    say("next: " + "\n      ".join(following), quiet)
    return 0
