"""Simulating from Python: one scenario, a sweep over some of its values, and the ready scenarios."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from hopscope import _core, atomic, engine
from hopscope.engine import ScenarioSource
from hopscope.errors import CaptureError, Interrupted, UsageError
from hopscope.experiments.execution import HERE, Execution, checked, many_runs
from hopscope.grid import MOST_RUNS_OF_A_SWEEP, GridPoint, grid, refuse_set, something_swept
from hopscope.overrides import Overrides, Value, as_texts, whole_number
from hopscope.paths import path_of
from hopscope.progress import Progress, Watch, callback
from hopscope.progress_bar import with_bar
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepPoint, SweepResult

if TYPE_CHECKING:
    from hopscope._core import Scenario


@with_bar
def run(
    source: ScenarioSource,
    *,
    set: Overrides | None = None,  # noqa: A002 - the word of the scenario language and of the command line
    seed: SupportsIndex | None = None,
    out: str | Path | None = None,
    capture: str | Path | None = None,
    allow_files: bool = False,
    progress: Watch = None,
) -> RunResult:
    """Simulate one scenario: a file, or a ready one by name.

    `set` overrides values by path ({"traffic.load": 0.5} or ["traffic.load=0.5"]); `out` is a folder to
    write, which must not exist yet; `capture` a pcapng file for what passes on the networks, likewise. The
    files that the scenario names lie in its own folder or below, unless `allow_files`. Raises ScenarioError
    for a bad scenario, UsageError where `out` or `capture` cannot be written or the scenario has no packets
    to capture, CaptureError with the run where the capture could not be written to its end (`out` is written
    before), Interrupted on Ctrl-C. `progress` is called with the fraction done and some words, and stops the
    run where it returns False; True draws a bar.

    Examples:
        >>> import hopscope
        >>> run = hopscope.run("queueing-mm1", set={"measure.messages": 20_000}, seed=7)
        >>> run.outcome
        'complete'
        >>> run.metric("latency.mean").unit
        'us'
    """
    progress = callback(progress)
    capture = None if capture is None else path_of("capture", capture)
    if out is not None:
        out = path_of("out", out)
        atomic.check(out)
        atomic.check_outputs((out, "out"), (capture, "capture"))
    settings = as_texts(set)
    scenario = engine.load(source, settings, seed, allow_files=allow_files)
    result, lost = _simulated(scenario, settings, capture, progress)
    if out is not None:
        result.save(out)
    if lost is not None:
        raise CaptureError(lost, result)
    return result


def _simulated(
    scenario: "Scenario", settings: Sequence[str], capture: Path | None, progress: Progress | None
) -> tuple[RunResult, UsageError | None]:
    """The run, and the failure of its capture, if any.

    Raises Interrupted with the partial run, and UsageError if the capture cannot be created.
    """
    result = None
    try:
        with _capture_file(scenario, capture) as partial:
            native = engine.run(scenario, progress, partial)
            result = RunResult.of(scenario, native, settings)
            if partial is not None and native.capture_failure is not None:
                raise native.capture_failure
    except Interrupted as stopped:
        raise Interrupted(stopped.so_far and RunResult.of(scenario, stopped.so_far, settings)) from None
    except KeyboardInterrupt:
        raise Interrupted(result) from None
    except UsageError as failure:
        if result is None:
            raise
        return result, failure
    return result, None


@contextmanager
def _capture_file(scenario: "Scenario", capture: Path | None) -> Iterator[Path | None]:
    """The path to write packets to, if any are wanted: it becomes `capture` at the end."""
    if capture is None:
        yield None
        return
    if not scenario.has_wire:
        raise UsageError(
            f"`{scenario.name}` has no packets to capture; its model is `{scenario.model}`",
            "only the model `pup` has packets in bytes to capture",
        )
    atomic.check_file(capture, "capture")
    with atomic.new_file(capture, "capture") as partial:
        yield partial


@with_bar
def sweep(
    source: ScenarioSource,
    over: Mapping[str, Iterable[Value]],
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: SupportsIndex | None = None,
    seeds: SupportsIndex = 1,
    out: str | Path | None = None,
    execution: Execution = HERE,
    allow_files: bool = False,
    progress: Watch = None,
) -> SweepResult:
    """Simulate a scenario over every combination of the values in `over`, on all cores or by `execution`.

    The values of a path are a list, a range, an array, or anything else that gives them one by one. Each
    point runs with `seeds` consecutive seeds from `seed` (or the scenario's own) on. Errors are those of
    `run`, and RunsFailedError.

    Examples:
        >>> import hopscope
        >>> few = {"measure.messages": 20_000}
        >>> swept = hopscope.sweep("queueing-mm1", over={"arrivals.load": [0.2, 0.4]}, set=few)
        >>> [load for load, _ in swept.curve("latency.mean")]
        [0.2, 0.4]
        >>> swept
        <SweepResult queueing-mm1 over arrivals.load: 2 points, 1 seed>
    """
    progress, execution = callback(progress), checked(execution)
    if out is not None:
        out = path_of("out", out)
        atomic.check(out)
        atomic.check_store((out, "out"), (execution.store, "execution.store"))
    over, seeds, settings = something_swept(over), whole_number("seeds", seeds), as_texts(set)
    refuse_set(over, settings)
    base = engine.load(source, settings, seed, allow_files=allow_files)
    if not 1 <= seeds <= MOST_RUNS_OF_A_SWEEP:
        raise UsageError(f"{seeds} seeds are out of range", f"ask for 1 to {MOST_RUNS_OF_A_SWEEP}")
    points = grid(over, range(base.seed, base.seed + seeds))
    scenarios = base.with_each([[*point.overrides(), f"seed={point.seed}"] for point in points])
    try:
        with many_runs(execution):
            runs = engine.sweep(scenarios, progress)
    except Interrupted as stopped:
        finished = _finished(base.name, over, points, scenarios, stopped.so_far or [])
        raise Interrupted(finished, left=stopped.left) from None
    result = _assemble(
        base.name, over, points, [RunResult.of(*pair) for pair in zip(scenarios, runs, strict=True)]
    )
    if out is not None:
        result.save(out)
    return result


def scenarios() -> list[tuple[str, str, str]]:
    """The ready scenarios: name, model, title."""
    return _core.ready_scenarios()


def schema() -> dict[str, Any]:
    """The JSON Schema of scenarios."""
    return json.loads(_core.schema_json())


def _assemble(
    name: str, over: Mapping[str, Sequence[Value]], points: Sequence[GridPoint], runs: Sequence[RunResult]
) -> SweepResult:
    """Gather the runs of one setting, seed by seed, into its point."""
    gathered: dict[int, SweepPoint] = {}
    settings: dict[str, int] = {}
    for point, run_result in zip(points, runs, strict=True):
        place = settings.setdefault(json.dumps(point.set), len(settings))
        gathered.setdefault(place, SweepPoint(dict(point.set), [])).runs.append(run_result)
    return SweepResult(name, over, list(gathered.values()))


def _finished(
    name: str,
    over: Mapping[str, Sequence[Value]],
    points: Sequence[GridPoint],
    native: Sequence[Any],
    runs: Sequence[Any],
) -> SweepResult | None:
    """What an interrupted sweep had finished; None if nothing."""
    triples = [
        (point, RunResult.of(scenario, run))
        for point, scenario, run in zip(points, native, runs, strict=False)
    ]
    whole = [(point, result) for point, result in triples if result.outcome is not Outcome.INTERRUPTED]
    return (
        _assemble(name, over, [point for point, _ in whole], [result for _, result in whole])
        if whole
        else None
    )
