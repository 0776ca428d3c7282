"""`hopscope trace`: messages as a trace for the Perfetto UI."""

from collections.abc import Sequence
from pathlib import Path

import click

from hopscope.cli import options
from hopscope.cli.terminal import show_json

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
    type=click.IntRange(1, MOST_JOURNEYS),
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
    from hopscope.results.lives import lives
    from hopscope.source import is_run, messages_of, result_of, scenario_of, with_texts

    require("trace")
    atomic.check_file(perfetto, "--perfetto")
    if not is_run(source):
        scenario = scenario_of(source, overrides, seed, allow_files=allow_files)
        fewer = min(journeys, messages_of(scenario))
        overrides = with_texts(overrides, [f"measure.journeys={journeys}", f"measure.messages={fewer}"])
    with progress(f"tracing {Path(source).name}", quiet) as bar:
        result = result_of(source, overrides, seed, bar, allow_files=allow_files)
    with atomic.new_file(perfetto, "--perfetto") as partial:
        partial.write_bytes(writer.trace(result))
    if as_json:
        show_json({"file": str(perfetto), "messages": len(lives(result)), "outcome": result.outcome})
    say(f"written to {perfetto}: open it at ui.perfetto.dev", quiet)
    return 1 if result.outcome == "deadlock" else 0
