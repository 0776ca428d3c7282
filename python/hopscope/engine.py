"""The native engine, called from threads so that the main thread handles interrupts and progress."""

import json
import os
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from hopscope import _core, scenario_data
from hopscope.errors import InternalError, Interrupted, UsageError
from hopscope.overrides import Overrides, as_texts, encodable, true_or_false, whole_number
from hopscope.progress import Progress, watched

if TYPE_CHECKING:
    from hopscope._core import PausedRun, Run, Scenario

# What is simulated: a ready scenario by name, a file, or the scenario itself as nested dicts and lists, which
# may contain graphs of networkx, frames of polars or pandas and arrays of numpy (see scenario_data).
ScenarioSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]

NAME_OF_DATA = "scenario"
"""The name of a scenario without a file."""

# Simulates scenarios elsewhere; the runs are in the order of the scenarios.
Elsewhere: TypeAlias = Callable[[Sequence["Scenario"], Progress | None], list[Any]]

_elsewhere: ContextVar[Elsewhere | None] = ContextVar("elsewhere", default=None)

_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_BEGIN = 1.0
_SECONDS_OF_ONE_INTERRUPT = 1.0


def load(
    source: "ScenarioSource | Scenario",
    overrides: Overrides | None = None,
    seed: SupportsIndex | None = None,
    *,
    allow_files: bool = False,
    study: str | None = None,
    network_alone: bool = False,
    argument: str = "source",
) -> "Scenario":
    """The scenario of a file, of a ready name or of a dict, with overrides applied.

    A scenario that is already loaded with its overrides is returned as it is.

    The files that it names lie in its own folder or below (those of a dict: in the working folder), unless
    `allow_files`. With `study`, the overrides are those of the study in this folder: what they and `source`
    name lies there. With `network_alone`, for verbs that send no traffic, no load is fitted to a fabric's
    file. `argument` is the caller's name of `source`. Raises ScenarioError with place and hint; for a dict
    the place is the path of the field. Raises UsageError if `source` or `seed` is of another type.
    """
    if isinstance(source, _core.Scenario):
        return source
    if not isinstance(source, str | os.PathLike | Mapping):
        raise UsageError(
            f"{argument}: {source!r} is no scenario", "give a file, the name of a ready scenario, or a dict"
        )
    if not isinstance(source, Mapping):
        source = encodable(argument, os.fsdecode(source))
    seed = None if seed is None else whole_number("seed", seed)
    allow_files = true_or_false("allow_files", allow_files)
    with watched() as progress:
        if isinstance(source, Mapping):
            text = scenario_data.json_text(source)
            return _core.load_data(NAME_OF_DATA, text, as_texts(overrides), seed, allow_files, progress)
        texts = as_texts(overrides)
        try:
            return _core.load(source, texts, seed, allow_files, study, network_alone, progress)
        except _core.ScenarioError:
            _point_to_import(source)
            raise


def _point_to_import(file: str) -> None:
    """Raise UsageError if a file is not a scenario but one that `hopscope import` reads."""
    if not os.path.isfile(file):
        return
    from hopscope.importing import forms

    if (slurm := forms.no_cables(Path(file))) is not None:
        raise slurm
    known_as = forms.told_by_content(Path(file))
    if known_as is not None:
        out = "cables.csv" if os.path.basename(file) != "cables.csv" else "fabric.csv"
        raise UsageError(
            f"{file}: this is a file of another tool ({known_as}), not a scenario",
            f"make a fabric of it: `hopscope import {shlex.quote(file)} --out {out}`",
        )
    if (table := forms.no_heading(Path(file))) is not None:
        raise table


def files_of(source: ScenarioSource, scenario: "Scenario") -> list[Path]:
    """The files that `scenario`, loaded from `source`, was read from: its own, and those that it names.

    A path in an override starts at the working folder. Files that come with the program are not among them.
    """
    own = Path(source) if isinstance(source, str | os.PathLike) else None
    is_file = own is not None and own.is_file()
    base = own.parent if own is not None and is_file else Path()
    named = [
        Path(path) if is_override else base / path
        for path, is_override in scenario.files()
        if is_override or is_file or isinstance(source, Mapping)
    ]
    return [own, *named] if own is not None and is_file else named


def load_run(folder: Path) -> "Scenario":
    """The scenario of a run folder, for display: it may need rules that only another program has.

    Raises ScenarioError with place and hint.
    """
    with watched() as progress:
        return _core.load_run(os.fspath(folder / "scenario.toml"), progress)


def run(scenario: "Scenario", progress: Progress | None = None, capture: Path | None = None) -> "Run":
    """Simulate one scenario; with `capture`, write what passes on its networks to that file.

    Raises Interrupted (holding the run so far) when the user stops it, OutputError if the file cannot be
    created; the run's `capture_failure` reports a disk that was full later.
    """
    path = None if capture is None else str(capture)
    return _drive(lambda report: _core.run(scenario, report, path), progress)


def sweep(scenarios: Sequence["Scenario"], progress: Progress | None = None) -> list["Run"]:
    """Simulate scenarios on all cores, or as `sweeping_with` says; runs are in the scenarios' order.

    This and `sweep_archives` are the one way to run many: sweeps, comparisons, studies and planning call it.
    """
    if not scenarios:
        return []
    elsewhere = _elsewhere.get()
    if elsewhere is not None:
        return elsewhere(scenarios, progress)
    return _drive(lambda report: _core.sweep(list(scenarios), report), progress)


def sweep_archives(scenarios: Sequence["Scenario"], progress: Progress | None = None) -> list[bytes]:
    """As `sweep`, and every run as its archive: for thousands of runs that are all kept.

    A run of a network takes megabytes, its archive tens of kB, and some ms to make.
    """
    if not scenarios:
        return []
    elsewhere = _elsewhere.get()
    if elsewhere is not None:
        return [run.archive() for run in elsewhere(scenarios, progress)]
    return _drive(lambda report: _core.sweep_archives(list(scenarios), report), progress)


def runs_elsewhere() -> bool:
    """Whether `sweep` simulates elsewhere now, as `sweeping_with` says."""
    return _elsewhere.get() is not None


def go_on(
    runs: Sequence["PausedRun"], delivered: int, progress: Progress | None = None
) -> list[tuple[int, int, bool]]:
    """Continue runs, on all cores here, until each has delivered this many messages.

    Returns for each the bits offered and delivered since it began, and whether it is in a deadlock. A run
    that has ended stays as it is.
    """
    if not runs:
        return []
    return _drive(lambda report: _core.go_on(list(runs), delivered, report), progress)


@contextmanager
def sweeping_with(elsewhere: Elsewhere | None) -> Iterator[None]:
    """Within the block, `sweep` simulates elsewhere: in other processes, on other machines.

    With None it simulates in this process, whatever is set outside: runs from elsewhere are archives, which
    have no counters of ports.
    """
    before = _elsewhere.set(elsewhere)
    try:
        yield
    finally:
        _elsewhere.reset(before)


def storm(
    seed: int,
    first: int = 0,
    cases: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Draw experiments from the schema and check the invariants of each, from case `first` on.

    It lasts for this many cases or seconds (Rust: crates/storm). Raises Interrupted (holding what was found
    so far).
    """
    try:
        return json.loads(
            _drive(lambda report: _core.storm(seed, first, cases, seconds, threads, report), progress)
        )
    except Interrupted as stopped:
        so_far = None if stopped.so_far is None else json.loads(stopped.so_far)
        raise Interrupted(so_far) from None


def replay_routing(text: str) -> list[dict[str, Any]]:
    """The routing tables of the ARPANET that listed routing messages leave behind (Rust: routing_replay.rs).

    Raises UsageError for a replay that makes no sense.
    """
    try:
        return json.loads(_core.replay_routing(text))
    except ValueError as wrong:
        raise UsageError(f"the replay cannot be read: {wrong}") from wrong


class _Simulation(threading.Thread):
    """One call of the engine in a thread of its own: it releases the interpreter while it simulates."""

    def __init__(self, call: Callable[[Callable[[float, str], bool]], Any]) -> None:
        super().__init__(daemon=True, name="simulation")
        self.latest = (0.0, "")
        self.stop_asked = False
        self.done = threading.Event()
        self.result: Any = None
        self.failure: BaseException | None = None
        self._call = call

    def run(self) -> None:
        try:
            self.result = self._call(self._listen)
        except BaseException as failure:
            self.failure = failure
        finally:
            self.done.set()

    def end(self) -> None:
        """Stop the call and wait for its result, if the thread began before the interrupt.

        One Ctrl-C may arrive twice, from the terminal and from a parent; only a later one gives up waiting.
        """
        self.stop_asked = True
        asked = time.monotonic()
        ended = False
        while not ended:
            try:
                ended = self.done.wait(_SECONDS_TO_BEGIN) or not self.is_alive()
            except KeyboardInterrupt:
                if time.monotonic() - asked > _SECONDS_OF_ONE_INTERRUPT:
                    raise

    def _listen(self, fraction: float, text: str) -> bool:
        self.latest = (fraction, text)
        return not self.stop_asked


def _drive(call: Callable[[Callable[[float, str], bool]], Any], progress: Progress | None) -> Any:
    """Run `call`, showing its progress from this thread, and stop it cleanly on an interrupt."""
    simulation = _Simulation(call)
    interrupted = False
    try:
        simulation.start()
        while not simulation.done.wait(_SECONDS_BETWEEN_LOOKS):
            if progress is not None and progress(*simulation.latest) is False:
                interrupted = simulation.stop_asked = True
    except KeyboardInterrupt:
        interrupted = True
        simulation.end()
    except BaseException:
        simulation.end()
        raise
    if simulation.failure is not None:
        _raise_in_our_words(simulation.failure)
    if interrupted:
        raise Interrupted(simulation.result)
    return simulation.result


def _raise_in_our_words(failure: BaseException) -> None:
    """A failed assertion of the engine arrives as a panic: it is an InternalError to everyone above."""
    if type(failure).__name__ in ("PanicException", "InternalError"):
        raise InternalError(str(failure)) from failure
    raise failure
