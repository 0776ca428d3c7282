"""`hopscope run`: simulate one scenario."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options

if TYPE_CHECKING:
    from hopscope.results.run import RunResult


US_PER_MS = 1000.0


@click.command("run", cls=options.FabricCommand, short_help="Simulate a scenario.")
@options.scenario
@options.traffic
@options.results
@options.to_write("--capture", words="Write every packet to FILE (pcapng); model pup only.")
def command(
    source: str,
    overrides: Sequence[str],
    seed: int | None,
    allow_files: bool,
    traffic: str | None,
    capture: Path | None,
    quiet: bool,
    **results: Any,
) -> int:
    """Simulate a scenario: throughput, latency and where the time went.

    SCENARIO is a scenario file, the name of a ready scenario (`hopscope scenarios`), or a fabric file
    (FORMATS).
    """
    from hopscope import atomic, engine, experiment
    from hopscope.cli.talk import progress, say
    from hopscope.errors import CaptureError, Interrupted
    from hopscope.results.folder import default_folder

    overrides = options.with_traffic(overrides, traffic)
    scenario = engine.load(source, overrides, seed, allow_files=allow_files)
    out = results.pop("out")
    folder = out or default_folder(scenario.name, scenario.seed)
    atomic.check(folder)
    if capture is not None:
        atomic.check_apart(folder, capture, "--capture")
    shown = _Shown(folder, or_next=out is None, quiet=quiet, **results)
    try:
        with progress(f"simulating {scenario.name}", quiet) as bar:
            result = experiment.run(
                source, set=overrides, seed=seed, capture=capture, allow_files=allow_files, progress=bar
            )
    except Interrupted as stopped:
        # What had been simulated by then is a whole result, of outcome "interrupted", and kept.
        if stopped.so_far is None:
            raise
        raise Interrupted(stopped.so_far, shown.keep(stopped.so_far)) from None
    except CaptureError as failed:
        shown.keep(failed.result)
        raise
    shown.keep(result)
    if capture is not None:
        say(f"packets in {capture}", quiet)
    return 1 if result.outcome == "deadlock" else 0


@dataclass(frozen=True, slots=True)
class _Shown:
    """Where a run is kept, and how it is told of."""

    folder: Path
    or_next: bool
    report: bool
    as_json: bool
    quiet: bool

    def keep(self, result: "RunResult") -> Path:
        """Save a run, print it and draw its report; gives its folder."""
        from hopscope.cli.talk import keep, tell
        from hopscope.results.run import REPORT_FILE

        kept = keep(
            lambda: result.save(self.folder, report=False, or_next=self.or_next),
            lambda: self._text(result, None),
        )
        pictures = [lambda: result.report(kept / REPORT_FILE)] if self.report else []
        tell(kept, self._text(result, kept), pictures, self.quiet)
        return kept

    def _text(self, result: "RunResult", kept: Path | None) -> str:
        data = {"folder": kept and str(kept), **result.summary.data}
        return json.dumps(data, indent=1) if self.as_json else table(result)


def table(result: "RunResult") -> str:
    """What a run found, as text."""
    from hopscope.cli import flow_table
    from hopscope.cli.table import aligned, named
    from hopscope.numerals import percent

    summary = result.summary
    data = summary.data
    lines = [
        click.style(result.title, bold=True),
        *([result.changed] if result.changed else []),
        f"{data['model']}, seed {result.seed}, {result.outcome}: {data['ended_because']}",
        "",
    ]
    lines.append(named([*_figures(result), *flow_table.figures(summary)]))
    sizes = flow_table.by_size(summary)
    if sizes:
        lines += ["", sizes]
    shares = [row for row in sorted(summary.ledger(), key=lambda row: -row["share"]) if row["share"] > 0]
    delay = summary.main_delay()
    unit = summary.metric_row(f"{delay}.mean")["unit"] if delay else ""
    means = _times([None if row["estimate"] is None else row["estimate"]["value"] for row in shares], unit)
    ledger = [(row["stage"], percent(row["share"]), mean) for row, mean in zip(shares, means, strict=True)]
    if ledger:
        lines += ["", aligned(("where the time went", "share", "mean"), ledger, right=(1, 2))]
    if data["stuck"] is not None:
        lines += [
            "",
            f"deadlock: {data['stuck']['reason']}",
            *(f"  {line}" for line in data["stuck"]["cycle"]),
        ]
    lines += [f"note: {note}" for note in data["notes"]]
    return "\n".join(lines)


def _figures(result: "RunResult") -> list[tuple[str, str]]:
    """Load, throughput, delays and what they cover."""
    from hopscope.numerals import count, number

    summary = result.summary
    delay = summary.main_delay()
    rows = [
        (name, str(found))
        for name in ("load", "offered", "throughput")
        if (found := summary.find(name)) is not None
    ]
    for statistic in ("mean", "p99") if delay else ():
        if summary.has(f"{delay}.{statistic}"):
            found = summary.metric(f"{delay}.{statistic}")
            rows.append((f"{delay}, {statistic}", str(found) if found is not None else _no_delay(result)))
    measured, warm_up = summary.data["measured"], summary.data["warmup"]
    rows.append(
        (
            "measured",
            f"{count(measured['messages'])} messages in {number(measured['span_s'])} s "
            f"after a warm-up of {number(warm_up['until_s'])} s",
        )
    )
    return rows


def _times(means_us: Sequence[float | None], unit: str) -> list[str]:
    """Mean times of one table in the unit of the model's own delays: milliseconds or microseconds."""
    from hopscope.numerals import number

    unit, per_unit = ("ms", US_PER_MS) if unit == "ms" else ("us", 1.0)
    return ["" if mean is None else f"{number(mean / per_unit, 3)} {unit}" for mean in means_us]


def _no_delay(result: "RunResult") -> str:
    return "saturated: no steady-state delay" if result.outcome == "saturated" else "no message was measured"
