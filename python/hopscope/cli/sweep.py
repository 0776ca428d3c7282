"""`hopscope sweep`: simulate a scenario over a range of values."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.execution import execution_options, unfinished

if TYPE_CHECKING:
    from hopscope.experiments.execution import Execution
    from hopscope.overrides import Value
    from hopscope.results.sweep import SweepPoint, SweepResult


@click.command("sweep", short_help="Simulate a scenario over a range of values.")
@options.scenario
@click.option(
    "--over",
    "swept",
    metavar="PATH=V1,V2,...",
    multiple=True,
    required=True,
    help="Values to sweep over, or FROM..TO:STEP; several make a grid.",
)
@options.seeds(1, "Runs per point, with consecutive seeds.", most=None)
@execution_options
@options.results
def command(
    source: str,
    overrides: Sequence[str],
    swept: Sequence[str],
    execution: "Execution",
    out: Path | None,
    report: bool,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Simulate a scenario over a range of values, on all cores or on a cluster.

    The same command continues a stopped sweep.

    For example: hopscope sweep an1-mstage --over traffic.load=0.1..0.7:0.1
    """
    from hopscope import atomic, engine, simulation
    from hopscope.cli.talk import keep, progress, tell
    from hopscope.results.folder import default_folder
    from hopscope.results.outcome import Outcome
    from hopscope.results.run import REPORT_FILE

    over = read_over(swept)
    scenario = engine.load(source, overrides, asked["seed"], allow_files=asked["allow_files"])
    folder = out or default_folder(scenario.name, scenario.seed, "sweep")
    atomic.check(folder, "--out")
    atomic.check_store((folder, "--out"), (execution.store, "--store"))

    def text(kept: Path | None) -> str:
        data = {"folder": kept and str(kept), **_data(result)}
        return json.dumps(data, indent=1) if as_json else table(result)

    # Results are in the store until they are complete in the folder.
    with unfinished(folder, execution, (scenario.hash, scenario.seed, *swept)) as with_store:
        with progress(f"sweeping {scenario.name}", quiet) as bar:
            how = {"set": overrides, "execution": with_store, "progress": bar, **asked}
            result = simulation.sweep(source, over, **how)
        kept = keep(lambda: result.save(folder, report=False, or_next=out is None), lambda: text(None))
    tell(kept, text(kept), [lambda: result.report(kept / REPORT_FILE)] if report else [], quiet)
    return 1 if any(point.outcome is Outcome.DEADLOCK for point in result.points) else 0


def table(result: "SweepResult") -> str:
    """One row per point: settings, throughput, delays, where the time went; then notes."""
    from hopscope.cli.table import aligned, titled
    from hopscope.overrides import toml_text
    from hopscope.results import shares

    first = result.first.summary
    keys = first.main_keys()
    titles = [titled(key, first.metric_row(key)["unit"]) for key in keys]
    rows = [
        [
            *(toml_text(value).strip('"') for value in point.set.values()),
            *(_figure(point, key) for key in keys),
            shares.in_words(point),
        ]
        for point in result.points
    ]
    numeric = range(len(result.over) + len(keys))
    seeds = (
        f"seed {result.seeds[0]}"
        if len(result.seeds) == 1
        else f"{len(result.seeds)} seeds from {result.seeds[0]}"
    )
    words = f"{first.fields['model']}, {seeds}; values with 95 % confidence intervals"
    return "\n".join(
        [
            click.style(result.title, bold=True),
            words,
            "",
            aligned([*result.over, *titles, "where the time went"], rows, right=numeric),
            *below(result.notes),
        ]
    )


def below(notes: Sequence[str]) -> list[str]:
    """The lines below a table of points: an empty one, then the doubts about its figures."""
    return ["", *(f"note: {note}" for note in notes)] if notes else []


def _figure(point: "SweepPoint", key: str) -> str:
    from hopscope.results.points import no_number

    found = point.find(key)
    return no_number(point.outcome) if found is None else found.numbers


def read_over(swept: Sequence[str]) -> "dict[str, list[Value]]":
    """The swept paths with their values; a path may be named once."""
    from hopscope.errors import UsageError
    from hopscope.grid import parse_over

    over: dict[str, list[Value]] = {}
    for text in swept:
        path, values = parse_over(text)
        if path in over:
            raise UsageError(f"`{path}` is swept over twice", "name all its values in one --over")
        over[path] = values
    return over


def _data(result: "SweepResult") -> dict[str, Any]:
    """The sweep as data: each point with its metrics over all seeds, doubts, and the ledger of its first."""
    from hopscope.results.points import doubts_of

    points = []
    for point in result.points:
        metrics = []
        for row, key in zip(point.summary.fields["metrics"], point.summary.keys(), strict=True):
            found = point.find(key)
            numbers = None if found is None else {**found.to_data(), "n": found.n}
            metrics.append(
                {
                    "name": row["name"],
                    "class": row["class"],
                    "statistic": row["statistic"],
                    "unit": row["unit"],
                    "estimate": numbers,
                }
            )
        hashes = [run.summary.fields["result_hash"] for run in point.runs]
        points.append(
            {
                "set": dict(point.set),
                "outcome": point.outcome,
                "doubts": doubts_of(point.summaries, point.short),
                "metrics": metrics,
                "ledger": point.summary.fields["ledger"],
                "result_hashes": hashes,
            }
        )
    first = result.first.summary.fields
    return {
        "hopscope": first["hopscope"],
        "name": result.name,
        "title": result.title,
        "over": result.over,
        "seeds": result.seeds,
        "points": points,
    }
