"""What the tests share: the program in this process and in one of its own, and small runs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import hopscope
from hopscope.cli import program
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepResult

PROJECT = Path(__file__).parents[2]
QUEUE = "queueing-mm1"
NETWORK = "an1-mstage"
FEW = {"measure.messages": 20_000}
LITTLE = ("--set", "measure.messages=20000")
SLOW_SECOND = {
    "model": "queueing",
    "arrivals": {"load": 0.9},
    "station": [{"service": {"exponential": f"{us} us"}} for us in (4, 10, 4)],
    "measure": {"messages": 5_000},
}


@pytest.fixture(autouse=True, scope="session")
def hears_ctrl_c() -> Iterator[None]:
    """A shell that starts the tests in the background has them ignore Ctrl-C: here it is heard."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(here: Path) -> Callable[..., Result]:
    """The command line in this process, in an empty folder."""
    return lambda *words: CliRunner().invoke(program, list(words))


@pytest.fixture
def process(here: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line as a process of its own, in an empty folder."""

    def call(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "hopscope", *words]
        known = os.environ | environment
        return subprocess.run(line, capture_output=True, text=True, cwd=here, env=known, check=False)

    return call


@pytest.fixture
def row(tmp_path: Path) -> str:
    """The file of a row of stations, the second of them slow."""
    path = tmp_path / "row.json"
    path.write_text(json.dumps(SLOW_SECOND))
    return str(path)


@pytest.fixture(scope="session")
def queue_run() -> RunResult:
    """A small run of a single queue."""
    return hopscope.run(QUEUE, set=FEW)


@pytest.fixture(scope="session")
def network_run() -> RunResult:
    """A small run of a network."""
    return hopscope.run(NETWORK, set=FEW)


@pytest.fixture(scope="session")
def network_sweep() -> SweepResult:
    """A small sweep of a network from light load to far beyond what it can carry."""
    return hopscope.sweep(NETWORK, {"traffic.load": [0.2, 0.4, 1.0]}, set=FEW)
