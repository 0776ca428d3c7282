"""`hopscope experiment`: perform an experiment from a file, anywhere, and keep every run."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.execution import execution_options
from hopscope.cli.terminal import show

if TYPE_CHECKING:
    from hopscope.experiments.execution import Execution
    from hopscope.experiments.perform import Shard
    from hopscope.experiments.result import ExperimentPoint, ExperimentResult
    from hopscope.progress import Progress

STORE = "runs/store"
_MOST_ROWS = 1_000
_SECONDS_BETWEEN_LINES = 1.0


class ShardOption(click.ParamType):
    """I/N, as in 2/8."""

    name = "I/N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Shard":
        """Read it."""
        from hopscope.experiments.perform import Shard

        part, slash, of = str(value).partition("/")
        if not slash or not part.isdecimal() or not of.isdecimal():
            self.fail(f"{value!r} is no part: write I/N, as in 2/8", param, ctx)
        return Shard(int(part), int(of))


@click.command("experiment", short_help="Perform many runs from a file, on one machine or many.")
@click.argument("file", metavar="FILE")
@execution_options
@click.option("--shard", type=ShardOption(), metavar="I/N", help="Perform part I of N only.  [default: 1/1]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines: progress, failures, points.")
@options.quiet
def command(file: str, execution: "Execution", shard: "Shard | None", as_json: bool, quiet: bool) -> int:
    """Perform the experiment in FILE (TOML): scenarios, settings, seeds, precision.

    Runs in the store are not performed again, so the same command continues a stopped experiment. `hopscope
    store` shows, checks and exports the stored runs.
    """
    from dataclasses import replace

    from hopscope.cli.talk import say
    from hopscope.experiments import perform
    from hopscope.experiments.definition import read_experiment

    experiment = read_experiment(file)
    execution = replace(execution, store=execution.store or STORE)
    part = shard or perform.WHOLE
    with _listening(f"running {experiment.called}", as_json, quiet) as progress:
        result = perform.perform(experiment, execution, shard=part, progress=progress)
    if as_json:
        _print_lines(result)
    elif part != perform.WHOLE:
        show(f"part {part.part} of {part.of}: {result.tally.words()}")
    else:
        show(table(result))
    say(f"\nkept in {execution.store} as {result.called}: {result.tally.words()}", quiet)
    return _told_failures(result)


def _told_failures(result: "ExperimentResult") -> int:
    from hopscope.cli.failures import exit_code, tell

    if not result.failures:
        return 0
    tell(result.failures)
    return exit_code(result.failures)


def table(result: "ExperimentResult") -> str:
    """A row per point: scenario, settings, seeds, throughput and delays over all seeds; then notes."""
    from itertools import islice

    from hopscope.cli.sweep import below
    from hopscope.cli.table import aligned, titled
    from hopscope.overrides import toml_text
    from hopscope.results.points import notes_on_experiment

    points = list(islice(result.points(), _MOST_ROWS))
    first = next((summary for point in points for summary in point.summaries), None)
    keys = [] if first is None else first.main_keys()
    paths = result.experiment.paths
    titles = [] if first is None else [titled(key, first.metric_row(key)["unit"]) for key in keys]
    rows = [
        [
            point.scenario,
            *(toml_text(point.set[path]).strip('"') if path in point.set else "" for path in paths),
            str(len(point.seeds)),
            *(_figure(point, key) for key in keys),
        ]
        for point in points
    ]
    lines = [
        click.style(result.experiment.called, bold=True),
        "values over all seeds with 95 % confidence intervals",
        "",
        aligned(["scenario", *paths, "seeds", *titles], rows, right=range(1, 2 + len(paths) + len(keys))),
    ]
    if len(result) > _MOST_ROWS:
        lines.append(
            f"... and {len(result) - _MOST_ROWS} more points: `hopscope store export` writes all of them"
        )
    return "\n".join([*lines, *below(notes_on_experiment(points, keys))])


def _figure(point: "ExperimentPoint", key: str) -> str:
    from hopscope.errors import UnknownMetricError
    from hopscope.results.points import no_number

    try:
        found = point.metric(key)
    except UnknownMetricError:
        return ""
    return no_number(point.outcome) if found is None else found.numbers


@contextmanager
def _listening(task: str, as_json: bool, quiet: bool) -> "Iterator[Progress | None]":
    """A bar on a terminal, or lines for a machine."""
    from hopscope.cli.talk import progress

    if as_json:
        yield _lines()
    else:
        with progress(task, quiet) as bar:
            yield bar


def _lines() -> "Callable[[float, str], None]":
    told = 0.0

    def tell(fraction: float, words: str) -> None:
        nonlocal told
        if time.monotonic() - told > _SECONDS_BETWEEN_LINES:
            told = time.monotonic()
            show(json.dumps({"event": "progress", "fraction": round(fraction, 4), "words": words}))

    return tell


def _print_lines(result: "ExperimentResult") -> None:
    from dataclasses import asdict

    from hopscope.results.points import doubts_of

    for failure in result.failures:
        show(json.dumps({"event": "failed", **asdict(failure)}, ensure_ascii=False))
    for point in result.points():
        metrics = {}
        for key in point.summaries[0].keys() if point.summaries else ():
            found = point.metric(key)
            metrics[key] = None if found is None else [*found.to_data().values(), found.unit]
        words = {
            "scenario": point.scenario,
            "set": point.set,
            "seeds": list(point.seeds),
            "outcome": point.outcome,
            "doubts": doubts_of(point.summaries, point.short),
        }
        show(json.dumps({"event": "point", **words, "metrics": metrics}, ensure_ascii=False))
    tally = result.tally
    counts = {"found": tally.found, "run": tally.done, "failed": len(tally.failed)}
    show(json.dumps({"event": "ended", "store": result.store.where, "experiment": result.called, **counts}))
