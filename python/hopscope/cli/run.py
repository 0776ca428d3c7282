"""`hopscope run`: simulate one scenario."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.run import RunResult
    from hopscope.results.summary import Summary


@click.command("run", cls=options.FabricCommand, short_help="Simulate a scenario.")
@options.scenario
@options.traffic
@options.results
@options.to_write(
    "--counters",
    metavar="DIR",
    words="Write the port counters at both ends of the measurement to DIR, in perfquery's form; [frames].",
)
@click.option(
    "--counters-at",
    metavar="TIMES",
    multiple=True,
    help="Write them at these instants instead, such as 1ms,2ms; repeatable; with pause frames also as "
    "ethtool -S does.",
)
@options.to_write("--capture", words="Write every packet to FILE (pcapng); model pup only.")
def command(
    source: str,
    overrides: Sequence[str],
    seed: int | None,
    allow_files: bool,
    traffic: str | None,
    counters: Path | None,
    counters_at: Sequence[str],
    capture: Path | None,
    quiet: bool,
    **results: Any,
) -> int:
    """Simulate a scenario: throughput, latency and where the time went.

    SCENARIO is a scenario file, the name of a ready scenario (`hopscope scenarios`), or a fabric file
    (FORMATS).
    """
    from hopscope import atomic, engine, simulation
    from hopscope.cli.talk import progress, say
    from hopscope.errors import CaptureError, Interrupted
    from hopscope.results.folder import default_folder
    from hopscope.results.outcome import Outcome

    load = partial(engine.load, source, seed=seed, allow_files=allow_files)
    scenario, overrides = _with_traffic(load, overrides, traffic)
    if counters_at:
        overrides = [*overrides, _at_instants(scenario, counters_at, counters)]
        scenario = load(overrides)
    out = results.pop("out")
    folder = out or default_folder(scenario.name, scenario.seed)
    atomic.check_outputs((folder, "--out"), (counters, "--counters"), (capture, "--capture"))
    atomic.check(folder, "--out")
    if counters is not None:
        _check_ports(scenario)
        atomic.check(counters, "--counters")
    if capture is not None:
        atomic.check_file(capture, "--capture")
    shown = _Shown(scenario, folder, or_next=out is None, quiet=quiet, **results)
    try:
        with progress(f"simulating {scenario.name}", quiet) as bar:
            result = simulation.run(
                source, set=overrides, seed=seed, capture=capture, allow_files=allow_files, progress=bar
            )
    except Interrupted as stopped:
        # What was simulated is a complete result, of outcome "interrupted", and is kept.
        if stopped.so_far is None:
            raise
        raise Interrupted(stopped.so_far, shown.keep(stopped.so_far)) from None
    except CaptureError as failed:
        shown.keep(failed.result)
        raise
    shown.keep(result)
    if counters is not None:
        written, instants = _write_counters(result, counters)
        say(f"counters in {written}", quiet)
        if instants < (asked := len(_instants(counters_at))):
            say(f"the run ended before {asked - instants} of the {asked} instants: nothing to write", quiet)
    if capture is not None:
        say(f"packets in {capture}", quiet)
    return 1 if result.outcome is Outcome.DEADLOCK else 0


def _with_traffic(
    load: "Callable[[Sequence[str]], Scenario]", overrides: Sequence[str], traffic: str | None
) -> "tuple[Scenario, list[str]]":
    """The scenario with --set and --traffic, and both as overrides. Raises ScenarioError, and UsageError."""
    from hopscope import _core

    both = options.with_traffic(overrides, traffic)
    try:
        return load(both), both
    except _core.ScenarioError:
        if traffic is not None:
            _check_traffic(load, overrides)
        raise


def _check_traffic(load: "Callable[[Sequence[str]], Scenario]", overrides: Sequence[str]) -> None:
    """Refuse --traffic, with its own message, for a valid scenario without [traffic]."""
    from hopscope import _core
    from hopscope.errors import UsageError

    try:
        scenario = load(overrides)
    except _core.ScenarioError:
        return
    sections = json.loads(scenario.canonical_json())
    if "traffic" not in sections:
        has = "it has [[flows]]" if "flows" in sections else f"its model is `{scenario.model}`"
        raise UsageError(
            f"--traffic: `{scenario.name}` has no section [traffic]; {has}",
            "--traffic sets traffic.pattern: leave it out",
        )


def _at_instants(scenario: "Scenario", instants: Sequence[str], folder: Path | None) -> str:
    """The override that makes the counters of ports be read at these instants."""
    from hopscope.errors import UsageError
    from hopscope.overrides import toml_text

    if folder is None:
        raise UsageError("--counters-at without --counters", "name the folder for the files: --counters DIR")
    _check_ports(scenario)
    return f"frames.counters_at={toml_text(_instants(instants))}"


def _check_ports(scenario: "Scenario") -> None:
    """Refuse counters for a scenario without ports that have them."""
    from hopscope.errors import UsageError

    if "frames" not in json.loads(scenario.canonical_json()):
        raise UsageError(
            f"`{scenario.name}` has no ports with counters; its model is `{scenario.model}`",
            "a fabric with [frames] has them: leave --counters out",
        )


def _instants(given: Sequence[str]) -> list[str]:
    """The instants of --counters-at, each of which may hold several."""
    return [instant.strip() for listed in given for instant in listed.split(",")]


def _write_counters(result: "RunResult", folder: Path) -> tuple[Path, int]:
    """Write the counters of a run's ports; returns the folder and the number of instants."""
    from hopscope import atomic
    from hopscope.errors import UsageError

    files = result.counters()
    if not files:
        raise UsageError("no counters to write: the run ended before the instants", "ask for earlier ones")

    def fill(partial: Path) -> None:
        for name, text in files:
            (partial / name).write_text(text)

    return atomic.write_folder(folder, fill), len({Path(name).stem for name, _ in files})


@dataclass(frozen=True, slots=True)
class _Shown:
    """Where a run is kept, and how it is shown."""

    scenario: "Scenario"
    folder: Path
    or_next: bool
    report: bool
    as_json: bool
    quiet: bool

    def keep(self, result: "RunResult") -> Path:
        """Save a run, print it and draw its report; returns its folder."""
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
        from hopscope.defaults import saturating

        found = saturating(self.scenario, result)
        if not self.as_json:
            return "\n".join([table(result, kept), *map(str, found)])
        defaults = [{"path": each.path, "value": each.value} for each in found]
        data = {
            "folder": kept and str(kept),
            **result.summary.data,
            "odd_routes": _odd_routes(result),
            "notes": result.notes,
            "saturated_by_default": defaults,
        }
        return json.dumps(data, indent=1)


def table(result: "RunResult", kept: Path | None = None) -> str:
    """The result of a run as text; `kept` is its folder, if it has one."""
    from hopscope.cli import facts, flow_table
    from hopscope.cli.table import aligned, named
    from hopscope.cli.terminal import wrapped

    summary = result.summary
    data = summary.fields
    lines = [
        click.style(result.title, bold=True),
        *([result.changed] if result.changed else []),
        f"{data['model']}, seed {result.seed}, {result.outcome}: {data['ended_because']}",
        "",
    ]
    lines.append(named([*_figures(result), *flow_table.figures(result)]))
    sizes = flow_table.by_size(summary)
    if sizes:
        lines += ["", sizes]
    if rows := _ledger(result):
        # In a run without a steady state no stage has a mean.
        columns = 3 if any(mean for *_, mean in rows) else 2
        headers = ("where the time went", "share of lifetime", "mean")[:columns]
        lines += ["", aligned(headers, [row[:columns] for row in rows], right=range(1, columns))]
    why = result.explain()
    lines += ["", *wrapped(why.sentence)]
    if why.basis is not None:
        lines += wrapped(_to_explain(kept))
    if data["stuck"] is not None:
        lines += [f"  {line}" for line in data["stuck"]["cycle"]]
    lines += facts.of_explained({**why.data, "odd_routes": _odd_routes(result)})
    lines += [line for note in _notes(result) for line in wrapped(note, "note: ")]
    return "\n".join([*lines, *facts.legend(why.data, lines)])


def _to_explain(kept: Path | None) -> str:
    """The command that tests the verdict, which is from one run."""
    command = "hopscope explain" if kept is None else f"hopscope explain {shlex.quote(str(kept))}"
    return f"To test this verdict and see what would help: {command}"


def _notes(result: "RunResult") -> list[str]:
    """The notes on a run, with one for all of its congestion trees: the others are in its folder.

    The assumptions about a fabric's file, which are a note as well, are printed apart.
    """
    from hopscope.numerals import amount, percent

    why = result.explain().data
    notes = [note for note in result.notes if note != why.get("assumed")]
    congestion = why["congestion"]
    trees = congestion.get("trees", [])
    if len(trees) <= 1:
        return notes
    told, most = {tree["note"] for tree in trees}, trees[0]
    return [
        *(note for note in notes if note not in told),
        f"congestion trees: {congestion['roots_sampled']} roots seen; most often {most['root']}, in "
        f"{percent(most['sampled'])} of samples, where it stops up to "
        f"{amount(most['stopped_links'], 'link', 'links')} and has {_victims(most['victim_flows'])}; "
        f"why.json and the report list the {len(trees)} most frequent",
    ]


def _victims(most: int) -> str:
    """The number of victim flows of a congestion tree, in words."""
    from hopscope.numerals import amount

    return f"up to {amount(most, 'victim flow', 'victim flows')}" if most else "no victim flows"


def _odd_routes(result: "RunResult") -> list[dict[str, str]]:
    """The anomalies of the routes: `kind` and `words` of each."""
    from hopscope.planning.candidates.odd_routes import odd_routes
    from hopscope.results.outcome import Outcome

    locked_up = result.outcome is Outcome.DEADLOCK
    return [each.data() for each in odd_routes(result.scenario, locked_up)]


def _figures(result: "RunResult") -> list[tuple[str, str]]:
    """Load, throughput, delays and their sample."""
    from hopscope.results.outcome import Outcome
    from hopscope.results.summary import MESSAGE_RATE, OFFERED_BEFORE

    summary = result.summary
    delay = summary.main_delay()
    rows: list[tuple[str, str]] = []
    # What has no number has one reason, and so one row.
    without: list[str] = []
    for name in ("load", "offered", "throughput"):
        found = summary.find(name)
        if name == "offered" and not summary.offers_any:
            rows.append((name, f"none: {OFFERED_BEFORE}"))
        elif found is not None:
            rows.append((name, str(replace(found, unit=MESSAGE_RATE) if found.unit == "1/s" else found)))
        elif result.outcome is Outcome.DEADLOCK and summary.has(name):
            without.append(name)
    # First the delay that the table's stages add up to, then the model's main delay if different, then the
    # time until the last receiver of a broadcast has it.
    for name in dict.fromkeys(each for each in (summary.explained_delay(), delay, "last delivery") if each):
        found_of = {key: summary.as_told(key) for key in _keys(summary, name)}
        told = {key.replace(".", ", "): found for key, found in found_of.items()}
        rows += [(key, str(found)) for key, found in told.items() if found is not None]
        lacks = [key for key, found in told.items() if found is None]
        without += lacks if len(lacks) < len(told) else [name] * bool(told)
    if without:
        rows.append((", ".join(without), summary.why_no_number()))
    return [*rows, ("measured", _measured(summary))]


def _keys(summary: "Summary", name: str) -> list[str]:
    """The mean and the 99th percentile of a delay, if the run has them."""
    return [key for key in (f"{name}.mean", f"{name}.p99") if summary.has(key)]


def _measured(summary: "Summary") -> str:
    """The number of measured messages, the simulated time, and the warm-up."""
    from hopscope.numerals import SIGNIFICANT_DIGITS, amount, duration
    from hopscope.units import US_PER

    measured, warm_up_s = summary.fields["measured"], summary.fields["warmup"]["until_s"]
    messages = amount(measured["messages"], "message", "messages")
    simulated = duration(US_PER["s"] * measured["span_s"], digits=SIGNIFICANT_DIGITS)
    before = duration(US_PER["s"] * warm_up_s, digits=SIGNIFICANT_DIGITS) if warm_up_s else None
    after = "without a warm-up" if before is None else f"after a warm-up of {before}"
    return f"{messages} in {simulated} of simulated time, {after}"


def _ledger(result: "RunResult") -> list[tuple[str, str, str]]:
    """The stages of a lifetime, longest first, with the delay that is printed first, and with the whole.

    In AN1's networks latency ends with a message's first byte, and its body follows.
    """
    from hopscope.kinds import follows_latency
    from hopscope.numerals import percent
    from hopscope.units import US_PER

    summary = result.summary
    unit = _unit(summary)
    rows = sorted(summary.ledger(), key=lambda row: -row["share"])
    rows = [row for row in rows if row["share"] > 0]
    within = sum(row["share"] for row in rows if not follows_latency(row["stage"]))
    if not within:
        return []
    told = [(row["stage"], percent(row["share"]), _mean(summary, row, unit)) for row in rows]
    delay = summary.explained_delay()
    total = summary.as_told(f"{delay}.mean") if delay else None
    if delay is not None and total is not None:
        told.append((delay, percent(within), _told(total.value * US_PER[total.unit], unit)))
    times = [time for row in rows if (time := summary.stage_us(row)) is not None]
    if any(follows_latency(row["stage"]) for row in rows) and len(times) == len(rows):
        told.append(("lifetime, to the last byte", percent(1.0), _told(sum(times), unit)))
    return told


def _unit(summary: "Summary") -> str:
    """Milliseconds if the delay printed first is in these or in seconds, else microseconds."""
    delay = summary.explained_delay()
    return "us" if delay is None or summary.metric_row(f"{delay}.mean")["unit"] not in ("ms", "s") else "ms"


def _mean(summary: "Summary", row: Mapping[str, Any], unit: str) -> str:
    """The mean time of a stage; empty if it has no value."""
    mean_us = summary.stage_us(row)
    return "" if mean_us is None else _told(mean_us, unit)


def _told(us: float, unit: str) -> str:
    """A time in the unit of the table."""
    from hopscope.numerals import number
    from hopscope.units import US_PER

    return f"{number(us / (US_PER['ms'] if unit == 'ms' else 1.0), 3)} {unit}"
