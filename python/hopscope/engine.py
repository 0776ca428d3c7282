"""The native engine, called so that the main thread stays free to hear an interrupt and to draw progress."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.errors import InternalError, Interrupted, UsageError
from hopscope.overrides import Overrides, as_texts
from hopscope.watching import Progress, watched

if TYPE_CHECKING:
    from hopscope._core import Run, Scenario

_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_BEGIN = 1.0
_SECONDS_OF_ONE_INTERRUPT = 1.0


def load(source: Any, overrides: Overrides | None = None, seed: int | None = None) -> "Scenario":
    """The scenario of a file or of a ready name, with overrides applied.

    Raises ScenarioError with place and hint.
    """
    with watched() as progress:
        return _core.load(str(source), as_texts(overrides), seed, progress)


def run(scenario: "Scenario", progress: Progress | None = None, capture: Path | None = None) -> "Run":
    """Simulate one scenario; with `capture`, write what passes on its networks to that file.

    Raises Interrupted (holding the run so far) when the user stops it, OutputError where the file fails.
    """
    path = None if capture is None else str(capture)
    return _drive(lambda report: _core.run(scenario, report, path), progress)


def sweep(scenarios: Sequence["Scenario"], progress: Progress | None = None) -> list["Run"]:
    """Simulate scenarios on all cores; the runs come in the order of the scenarios."""
    if not scenarios:
        return []
    return _drive(lambda report: _core.sweep(list(scenarios), report), progress)


def storm(
    seed: int,
    first: int = 0,
    cases: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Draw experiments from the schema and try what must hold of each, from case `first` on.

    It lasts for so many cases or seconds (Rust: crates/storm).
    Raises Interrupted (holding what was found so far).
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
        """Stop the call and wait for its result, if an interrupt has let the thread begin at all.

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
