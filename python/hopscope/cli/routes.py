"""`hopscope routes`: forwarding tables for a fabric."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from hopscope.cli import options
from hopscope.cli.terminal import show_json

ENGINES = ("up-down", "shortest", "d-mod-k", "dimension-order")


@click.command("routes", short_help="Compute a fabric's forwarding tables.")
@options.fabric
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="Routing engine.",
)
@options.roots
@options.to_write("--out", words="File to write, replaced if it exists.  [default: stdout]")
@options.as_json
@options.quiet
def command(
    source: str,
    overrides: Sequence[str],
    allow_files: bool,
    engine: str,
    roots: Sequence[str],
    root_guids: str | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Compute forwarding tables and write them as `opensm -R file -U FILE` loads them.

    up-down is deadlock-free on any fabric; shortest is not. d-mod-k is for fat trees only. dimension-order is
    for meshes, tori and hypercubes; on any other fabric it goes by port numbers, as OpenSM's dor does.
    `hopscope check` says whether the tables are safe. FABRIC is as for that command.
    """
    from hopscope import atomic, forwarding_tables
    from hopscope.cli import facts
    from hopscope.cli.talk import say
    from hopscope.engine import files_of, load

    if out is not None:
        atomic.check_replaceable(out, "--out", [source, root_guids])
    scenario = load(source, overrides, allow_files=allow_files, network_alone=True)
    if out is not None:
        atomic.check_replaceable(out, "--out", files_of(source, scenario))
    sections = forwarding_tables.route_sections(scenario, engine=engine, roots=roots, root_guids=root_guids)
    if (told := sections.facts_json) is not None:
        for line in facts.anomalies({"facts": json.loads(told)}):
            say(line, quiet)
    if out is None and as_json:
        show_json({"engine": engine, "tables": b"".join(sections).decode()})
        return 0
    if out is None:
        sys.stdout.buffer.writelines(sections)
        return 0
    with atomic.new_file(out, "--out") as partial, partial.open("wb") as file:
        file.writelines(sections)
    if as_json:
        show_json({"engine": engine, "file": str(out)})
    say(f"written to {out}", quiet)
    return 0
