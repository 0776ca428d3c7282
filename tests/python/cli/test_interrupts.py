"""Ctrl-C and its kin: a clean stop, the figures so far, no half-written folder."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import LITTLE, QUEUE
from hopscope import engine, explanation
from hopscope.executors.choose import executor
from hopscope.experiments.driver import Driver, Wanted
from hopscope.results.run import RunResult
from hopscope.store.store import open_store

ENDLESS = ("--set", "measure.messages=1000000000000")


@pytest.fixture
def ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user presses Ctrl-C, once, as soon as a simulation has begun; all then end by themselves."""
    presses = iter([signal.SIGINT])

    def interrupt_first(simulate: Callable) -> Callable:
        def call(what: object, listen: Callable[[float, str], bool], *rest: object) -> object:
            for press in presses:
                os.kill(os.getpid(), press)
            while listen(0.0, "under way"):
                pass
            return simulate(what, listen, *rest)

        return call

    monkeypatch.setattr(engine._core, "run", interrupt_first(engine._core.run))


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupted_run_gives_what_it_has():
    with pytest.raises(hopscope.Interrupted) as stopped:
        hopscope.run(QUEUE, set={"measure.messages": 1_000_000_000})
    assert isinstance(stopped.value.so_far, RunResult)
    assert stopped.value.so_far.outcome == "interrupted"


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupted_run_leaves_the_figures_so_far(command: Callable[..., Result], here: Path):
    done = command("run", QUEUE, "--set", "measure.messages=1000000000", "--out", "stopped")
    assert done.exit_code == 130
    assert "interrupted: partial results are in stopped" in done.stderr
    assert "Traceback" not in done.stderr
    assert [place.name for place in here.iterdir()] == ["stopped"]
    kept = hopscope.read(here / "stopped")
    assert isinstance(kept, RunResult)
    assert kept.outcome == "interrupted"


def test_planning_is_interrupted_like_a_run(here: Path):
    large = "network={ dragonfly = { routers = 8, global_links = 201 } }"
    command = [sys.executable, "-m", "hopscope", "topology", "an1-torus", "--set", large, "--set"]
    planning = subprocess.Popen([*command, "traffic.pattern=uniform"], stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    planning.send_signal(signal.SIGINT)
    _, said = planning.communicate(timeout=60)
    assert planning.returncode == 130, said
    assert "interrupted" in said
    assert "Traceback" not in said
    assert list(here.iterdir()) == []


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupted_sweep_leaves_no_folder(command: Callable[..., Result], here: Path):
    endless = ("--set", "measure.messages=1000000000", "--on", "threads")
    done = command("sweep", QUEUE, "--over", "arrivals.load=0.2,0.4", *endless)
    assert done.exit_code == 130
    assert done.stderr.lstrip() == "interrupted: no run is kept\n"
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_process_stops_cleanly_on_a_signal(here: Path, name: str):
    # In the background of a shell or under nohup, tests and all that they start ignore signals.
    code = (
        "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "from hopscope import engine\nfrom hopscope.cli import main\n"
        "simulate = engine._core.run\n"
        "def interrupted(what, listen, *rest):\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "    return simulate(what, listen, *rest)\n"
        "engine._core.run = interrupted\n"
        "main()"
    )
    line = [sys.executable, "-c", code, "run", QUEUE, *ENDLESS, "--out", "stopped"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=here, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert [place.name for place in here.iterdir()] == ["stopped"]
    assert (here / "stopped" / "report.html").exists()


def test_a_signal_while_the_folder_is_written_leaves_nothing(
    command: Callable[..., Result], here: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted_half_way(run: RunResult, folder: Path) -> None:
        (folder / "summary.json").write_text("half of the")
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunResult, "write_into", interrupted_half_way)
    assert command("run", QUEUE, *LITTLE).exit_code == 130
    assert list(here.iterdir()) == []


def test_progress_is_told_and_can_stop_a_run():
    told: list[float] = []

    def once(fraction: float, words: str) -> bool:
        told.append(fraction)
        return False

    with pytest.raises(hopscope.Interrupted):
        hopscope.run(QUEUE, set={"measure.messages": 1_000_000_000_000}, progress=once)
    assert told
    assert all(0.0 <= fraction <= 1.0 for fraction in told)


def test_a_failing_progress_function_stops_the_run_and_is_heard():
    def fail(fraction: float, words: str) -> bool:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        hopscope.run(QUEUE, set={"measure.messages": 1_000_000_000_000}, progress=fail)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("module", ["click", "hopscope.errors", "hopscope.cli.run", "hopscope._core"])
def test_a_signal_while_the_program_is_still_imported_is_an_interrupt(here: Path, name: str, module: str):
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # nohup may have started the tests
        "class Finder:\n"
        "    def find_spec(self, wanted, *_):\n"
        f"        if wanted == {module!r}:\n"
        f"            os.kill(os.getpid(), signal.{name})\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from hopscope.cli import main\n"
        "main()"
    )
    line = [sys.executable, "-c", code, "run", QUEUE, "--out", "out"]
    ended = subprocess.run(line, capture_output=True, text=True, cwd=here, check=False)
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.strip().startswith("interrupted: no ")
    assert ended.stderr.strip().count("\n") == 0


@pytest.mark.parametrize(
    ("found", "words"),
    [(0, "no run is kept"), (1, "at least 1 run is kept in"), (3, "at least 3 runs are kept in")],
)
def test_an_interrupt_tells_how_many_runs_are_kept(tmp_path: Path, found: int, words: str):
    with executor("threads", 1) as threads:
        driver = Driver(open_store(tmp_path), threads)
        driver.tally.found = found

        def interrupted() -> Iterator[Wanted]:
            raise KeyboardInterrupt
            yield

        with pytest.raises(hopscope.Interrupted) as stopped:
            driver.run(interrupted())
    assert stopped.value.left.startswith(words)
    assert (str(tmp_path) in stopped.value.left) == (found > 0)


def test_an_interrupted_search_prints_the_bounds(command: Callable[..., Result], monkeypatch):
    bounds = command("capacity", "an1-tandem", "--bounds").stdout

    def stop(*_: object) -> object:
        raise hopscope.Interrupted([])

    monkeypatch.setattr(engine, "sweep", stop)
    done = command("capacity", "an1-tandem")
    assert (done.exit_code, done.stdout) == (130, bounds)
    assert done.stderr.strip() == "interrupted: the saturation load was not found; the bounds are printed"


@pytest.mark.parametrize(
    ("trying", "left", "told"),
    [
        ("confirmed", "the causes were not tried to their end, and no change", "not confirmed: interrupted"),
        (
            "tried",
            "the changes that are not listed were not tried to their end",
            "interrupted before a change",
        ),
    ],
)
def test_an_interrupted_explanation_says_what_it_lacks(
    command: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, trying: str, left: str, told: str
):
    looked = getattr(explanation, trying)

    def stop(*what: object, **how: object) -> object:
        monkeypatch.setattr(engine, "sweep", interrupt)
        return looked(*what, **how)

    def interrupt(*_: object) -> object:
        raise hopscope.Interrupted([])

    monkeypatch.setattr(explanation, trying, stop)
    done = command("explain", "queueing-tandem", *LITTLE, "--what-if")
    assert done.exit_code == 130
    assert "Bottleneck: " in done.stdout
    assert told in done.stdout
    assert "has a significant gain" not in done.stdout
    assert done.stderr.strip() == f"interrupted: {left}"
