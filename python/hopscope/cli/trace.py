"""`hopscope trace`: messages as a trace for the Perfetto UI."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hopscope.cli import options
from hopscope.cli.terminal import show_json

if TYPE_CHECKING:
    from hopscope._core import Scenario

MOST_JOURNEYS = 1_000_000


@click.command("trace", short_help="Write a message trace for the Perfetto UI.")
@click.argument("source", metavar="SCENARIO|RUN")
@options.overrides
@options.seed
@options.allow_files
@click.option(
    "--perfetto",
    type=click.Path(path_type=Path),
    metavar="FILE",
    required=True,
    help="Write a trace that ui.perfetto.dev opens.",
)
@click.option(
    "--journeys",
    type=options.WholeNumber(1, MOST_JOURNEYS),
    default=1_000,
    show_default=True,
    help="Messages to record in full, after the warm-up.",
)
@options.as_json
@options.quiet
def command(
    source: str,
    overrides: Sequence[str],
    seed: int | None,
    allow_files: bool,
    perfetto: Path,
    journeys: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write a trace of what each message waited for and held.

    Tracks are ports and pools, slices are their waiters and holders, and arrows follow a message. SCENARIO is
    simulated until that many messages have been measured; RUN is a run folder with recorded journeys.
    """
    from hopscope import atomic
    from hopscope.cli.talk import progress, say
    from hopscope.extras import require
    from hopscope.results import perfetto as writer
    from hopscope.results.folder import is_folder
    from hopscope.results.lives import lives
    from hopscope.results.outcome import Outcome
    from hopscope.source import messages_of, result_of, scenario_of, with_texts

    require("trace")
    atomic.check_file(perfetto, "--perfetto")
    if not is_folder(source):
        scenario = scenario_of(source, overrides, seed, allow_files=allow_files)
        _check_streams(scenario)
        fewer = min(journeys, messages_of(scenario))
        overrides = with_texts(overrides, [f"measure.journeys={journeys}", f"measure.messages={fewer}"])
    with progress(f"tracing {Path(source).name}", quiet) as bar:
        result = result_of(source, overrides, seed, bar, allow_files=allow_files)
    with atomic.new_file(perfetto, "--perfetto") as partial:
        partial.write_bytes(writer.trace(result))
    if as_json:
        show_json({"file": str(perfetto), "messages": len(lives(result)), "outcome": result.outcome})
    say(f"written to {perfetto}: open it at ui.perfetto.dev", quiet)
    return 1 if result.outcome is Outcome.DEADLOCK else 0


def _check_streams(scenario: "Scenario") -> None:
    """Refuse, before simulation, a Pup scenario without recorded journeys."""
    from hopscope.errors import UsageError

    if scenario.model == "pup" and "test" not in json.loads(scenario.canonical_json()):
        raise UsageError(
            f"`{scenario.name}` has no journeys to trace: raw stations and echoes record none",
            "a [[test]] has a stream whose messages record theirs",
        )
