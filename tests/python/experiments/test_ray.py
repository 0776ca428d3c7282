"""Every way to say Ray: one of the command's own, and a cluster through its client port.

Each in a network namespace of its own, where only the loopback is up.
"""

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hopscope.errors import UsageError
from hopscope.executors import on_ray
from hopscope.experiments.definition import read_experiment
from hopscope.experiments.execution import Execution
from hopscope.experiments.perform import perform
from test_faults import NAMESPACE, RUNS, needs_ray, tree

pytestmark = needs_ray

WORLD = """
import os, subprocess, sys, tempfile, time
from pathlib import Path

sys.path.insert(0, {tests!r})
import killer

killer.loopback_up()
os.environ |= {environment!r}
line = [sys.executable, "-m", "hopscope", "experiment", "runs.toml", "--store", {store!r}, "--on", {on!r}]
with tempfile.TemporaryDirectory(prefix="hopscope-", ignore_cleanup_errors=True) as sockets:
    nodes = {nodes}
    driver = subprocess.Popen([*line, "--jobs", "2", "--quiet"])
    while {stop} and driver.poll() is None and not list(Path({store!r}).rglob("*.zip")):
        time.sleep(0.05)
    if {stop}:
        driver.terminate()
    code = driver.wait()
sys.exit(code)
"""


def isolated(
    here: Path, on: str, nodes: bool, stop: bool = False, **environment: str
) -> subprocess.CompletedProcess:
    """The command in a world of its own, with a cluster or without one; with `stop`, it gets SIGTERM soon."""
    world = WORLD.format(
        tests=str(Path(__file__).parent),
        nodes="(killer.Nodes(Path.cwd(), Path(sockets)), killer.answers(10001))" if nodes else "None",
        environment=environment,
        on=on,
        store="store",
        stop=stop,
    )
    line = [*NAMESPACE, sys.executable, "-c", world]
    # A token that another Ray has left in the home folder would be asked for here.
    home = os.environ | {"HOME": str(here)}
    return subprocess.run(line, capture_output=True, text=True, cwd=here, env=home, check=False)


@pytest.fixture
def peace(here: Path) -> dict[str, bytes]:
    """The store of a small experiment that was performed in this process."""
    (here / "runs.toml").write_text(RUNS.format(seeds=10))
    perform(read_experiment(here / "runs.toml"), Execution(here / "peace", "threads"))
    return tree(here / "peace")


def test_a_ray_of_the_commands_own(here: Path, peace: dict[str, bytes]):
    done = isolated(here, "ray", nodes=False)
    assert done.returncode == 0, done.stderr
    assert tree(here / "store") == peace


def test_sigterm_leaves_a_store_to_go_on_from(here: Path):
    """Ray has a handler of its own for SIGTERM, which would end the driver without a word."""
    (here / "runs.toml").write_text(RUNS.format(seeds=400))
    done = isolated(here, "ray", nodes=False, stop=True)
    assert done.returncode == 130, done.stderr
    kept = rf"\d+ runs? (is|are) kept in {re.escape(str(here))}/store; the same command goes on from there"
    assert re.search(kept, done.stderr)
    assert 0 < len(list((here / "store").rglob("*.zip"))) < 800


def test_a_cluster_through_its_client_port(here: Path, peace: dict[str, bytes]):
    # The client port asks for a token, which the nodes and the command get in the same way.
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    done = isolated(here, "ray://127.0.0.1:10001", nodes=True, **token)
    assert done.returncode == 0, done.stderr
    assert tree(here / "store") == peace


def test_a_cluster_that_does_not_answer_is_refused(here: Path, peace: dict[str, bytes]):
    done = isolated(here, "ray", nodes=False, RAY_ADDRESS="127.0.0.1:6390")
    assert done.returncode == 2
    assert "no Ray cluster answers at `127.0.0.1:6390`" in done.stderr
    assert "Traceback" not in done.stderr
    assert peace


class Starting:
    """A Ray whose head first aborts some connections, with one node that has this hopscope."""

    def __init__(self, aborts: int) -> None:
        self.aborts = aborts
        self.asked = 0

    def init(self, **_options: object) -> None:
        self.asked += 1
        if self.asked <= self.aborts:
            raise ConnectionAbortedError("aborted:\nTraceback\nthe agent is not up.")

    def remote(self, **_options: object) -> Callable[[object], object]:
        return lambda task: task

    def shutdown(self) -> None:
        """Nothing to end."""

    def nodes(self) -> list[dict[str, object]]:
        return [{"Alive": True, "Resources": {"CPU": 3.0}, "NodeID": "one", "NodeManagerAddress": "one"}]


def entered(monkeypatch: pytest.MonkeyPatch, ray: Starting) -> Starting:
    """This Ray in place of the real one."""
    monkeypatch.setattr(on_ray, "_knock", lambda _address: None)
    monkeypatch.setattr(on_ray.OnRay, "_check", lambda *_: None)
    monkeypatch.setattr(on_ray, "_ray", lambda: ray)
    return ray


def test_a_head_that_is_still_starting_is_asked_again(monkeypatch: pytest.MonkeyPatch):
    ray = entered(monkeypatch, Starting(aborts=2))
    assert on_ray.OnRay("ray://head:10001", jobs=None).workers == 3
    assert ray.asked == 3


def test_a_head_that_never_serves_is_told_with_its_reason(monkeypatch: pytest.MonkeyPatch):
    ray = entered(monkeypatch, Starting(aborts=9))
    with pytest.raises(UsageError, match=r"head:10001` \(the agent is not up\)"):
        on_ray.OnRay("ray://head:10001", jobs=None)
    assert ray.asked == 3
