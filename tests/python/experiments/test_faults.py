"""kill -9 of workers, nodes and drivers at random instants: the store ends as an undisturbed one does.

On this machine's processes, and on a real Ray of two nodes in a network namespace of its own, where only the
loopback is up. Every kill and its instant come from the printed seed.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hopscope.atomic import PARTIAL
from hopscope.experiments.definition import read_experiment
from hopscope.experiments.execution import Execution
from hopscope.experiments.perform import perform

KILLER = Path(__file__).with_name("killer.py")
NAMESPACE = ("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
SEED = "1977"
SEEDS = 400
RUNS = (
    'name = "runs"\nscenarios = ["queueing-mm1"]\nseeds = {seeds}\n[set]\n"measure.messages" = 30_000\n'
    '[over]\n"arrivals.load" = [0.3, 0.6]\n'
)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a store, without what killed processes had begun to write."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(PARTIAL))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def has_namespaces() -> bool:
    """Whether this process may have a network of its own."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0


def weather(here: Path, on: str, kills: dict[str, int], seeds: int) -> None:
    """Perform an experiment under kills, and once in peace; both stores hold the same bytes."""
    (here / "runs.toml").write_text(RUNS.format(seeds=seeds))
    isolated = NAMESPACE if on == "ray" else ()
    # Sockets have short names: the folder of a test is too deep for them.
    with tempfile.TemporaryDirectory(prefix="hopscope-", ignore_cleanup_errors=True) as sockets:
        line = [*isolated, sys.executable, str(KILLER), on, json.dumps(kills), SEED, str(here), sockets]
        # A token that another Ray has left in the home folder would be asked for here.
        home = os.environ | {"HOME": sockets}
        done = subprocess.run(line, capture_output=True, text=True, cwd=here, env=home, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == kills
    perform(read_experiment(here / "runs.toml"), Execution(here / "peace", "threads"))
    assert tree(here / "store") == tree(here / "peace")


def test_kills_of_local_workers_and_drivers_lose_nothing(here: Path):
    weather(here, "local", {"worker": 20, "driver": 5}, 80)


needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None or not has_namespaces(),
    reason="Ray and network namespaces are needed",
)


@needs_ray
def test_kills_on_a_ray_of_two_nodes_lose_nothing(here: Path):
    weather(here, "ray", {"worker": 24, "raylet": 4, "driver": 2}, 120)


@pytest.mark.long
@needs_ray
def test_hundreds_of_kills_on_a_ray_of_two_nodes_lose_nothing(here: Path):
    weather(here, "ray", {"worker": 420, "raylet": 50, "driver": 30}, 400)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_leaves_a_store_to_go_on_from(here: Path, name: str):
    (here / "runs.toml").write_text(RUNS.format(seeds=10 * SEEDS))
    code = (
        "import os, signal, threading\n"
        f"threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.{name})).start()\n"
        "from hopscope.cli import main\nmain()"
    )
    line = [sys.executable, "-c", code, "experiment", "runs.toml", "--store", "store", "--jobs", "2"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=here, check=False)
    assert done.returncode == 130, done.stderr
    store = re.escape(f"{here}/store")
    kept = rf"interrupted: at least (\d+) runs? (is|are) kept in {store}; the same command goes on from there"
    found = re.search(kept, done.stderr)
    assert found is not None, done.stderr
    assert "Traceback" not in done.stderr
    there = len(list((here / "store").rglob("*.zip")))
    assert 0 < int(found[1]) <= there
    (here / "runs.toml").write_text(RUNS.format(seeds=10))
    result = perform(read_experiment(here / "runs.toml"), Execution(here / "store", "threads"))
    # What was kept is not simulated again: every run asked for was found or is new in the store.
    made = len(list((here / "store").rglob("*.zip"))) - there
    assert result.tally.found == result.tally.expected - made > 0


STOPPED = {
    "sweep": (
        *("sweep", "queueing-mm1", "--over", "arrivals.load=0.3,0.6", "--seeds", "300"),
        *("--set", "measure.messages=30000", "--no-report"),
    ),
    "study": ("study", "an1/fig14", "--quick"),
}


@pytest.mark.parametrize("verb", STOPPED)
def test_what_was_stopped_goes_on_with_the_same_command(
    process: Callable[..., subprocess.CompletedProcess[str]], here: Path, verb: str
):
    words = (*STOPPED[verb], "--out", "results")
    driver = subprocess.Popen([sys.executable, "-m", "hopscope", *words, "--quiet"], cwd=here)
    while not list(here.rglob("*.zip")):
        if driver.poll() is not None:
            raise AssertionError(f"the {verb} ended before it was stopped")
    driver.kill()
    driver.wait()
    (left,) = here.glob("results.unfinished-*")
    assert list(left.rglob("*.zip"))
    assert not (here / "results").exists()
    done = process(*words, "--json")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)
    assert [place.name for place in here.iterdir()] == ["results"]
