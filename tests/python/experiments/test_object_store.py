"""A store in a real object store: versitygw, which speaks S3, on 127.0.0.1, stopped and started in between.

It is looked for in .tools and on the path; .ci/run builds it: see CONTRIBUTING.md.
"""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from conftest import PROJECT, QUEUE
from hopscope.executors import batch
from hopscope.experiments.definition import Experiment
from hopscope.experiments.execution import Execution
from hopscope.experiments.perform import perform
from hopscope.store.store import Store, open_store
from hopscope.view.library import Library

pytest.importorskip("obstore")

PROGRAM = shutil.which("versitygw", path=str(PROJECT / ".tools")) or shutil.which("versitygw")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="versitygw is not installed: see CONTRIBUTING.md")

BUCKET = "runs"
URL = f"s3://{BUCKET}/lab/store"
EXPERIMENT = Experiment(
    [QUEUE], over={"arrivals.load": [0.2, 0.5]}, set={"measure.messages": 20_000}, seeds=15
)


class Server:
    """The object store, over a folder that stays when it is stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / BUCKET).mkdir(parents=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        line = [
            PROGRAM,
            "--quiet",
            "--port",
            f"127.0.0.1:{self.port}",
            "--access",
            "user",
            "--secret",
            "password",
        ]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([*line, "posix", "--nometa", str(self.folder)], **quiet)
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError("the object store does not start")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The object store, running, with its credentials in the environment."""
    server = Server(tmp_path / "objects")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "user")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "password")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.port}")
    server.start()
    batch._store.cache_clear()  # The server before was at another port.
    yield server
    server.stop()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a folder holds after the experiment."""
    place = tmp_path_factory.mktemp("undisturbed")
    perform(EXPERIMENT, Execution(place, "threads"))
    return held(open_store(place))


def held(store: Store) -> dict[str, bytes]:
    """Everything in a store."""
    return {name: store.place.read(name) for name in store.place.names("")}


@pytest.mark.usefixtures("server")
def test_an_object_store_holds_the_same_bytes_as_a_folder(undisturbed: dict[str, bytes]):
    result = perform(EXPERIMENT, Execution(URL, "local", 2))
    assert result.tally.done == 30
    assert held(open_store(URL)) == undisturbed
    again = perform(EXPERIMENT, Execution(URL, "local", 2))
    assert (again.tally.found, again.tally.done) == (30, 0)


@pytest.mark.parametrize("on", ["local", "threads"])
def test_an_object_store_that_goes_and_comes_back_loses_nothing(
    server: Server, undisturbed: dict[str, bytes], on: str
):
    over = threading.Event()

    def disturb() -> None:
        while not over.wait(0.3):
            server.stop()
            time.sleep(0.5)
            server.start()

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        perform(EXPERIMENT, Execution(URL, on, 2))
    finally:
        over.set()
        disturber.join()
    assert held(open_store(URL)) == undisturbed


def test_an_object_store_that_stays_away_ends_the_work_clearly(
    server: Server,
    undisturbed: dict[str, bytes],
    command: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("HOPSCOPE_STORE_PATIENCE", "1")

    def stop_when_something_is_kept() -> None:
        place = open_store(URL).place
        while not list(place.names("runs/")):
            time.sleep(0.05)
        server.stop()

    stopper = threading.Thread(target=stop_when_something_is_kept)
    stopper.start()
    load = "arrivals.load=0.2,0.5"
    endless = ("--set", "measure.messages=20000", "--seeds", "2000")
    done = command("sweep", QUEUE, "--over", load, *endless, "--store", URL, "--jobs", "2")
    stopper.join()
    assert done.exit_code == 2
    assert f"the store `{URL}` cannot be used" in done.stderr
    assert "the same command goes on from there" in done.stderr
    assert "Traceback" not in done.stderr
    server.start()
    there = set(open_store(URL).place.names("runs/"))
    assert there
    result = perform(EXPERIMENT, Execution(URL, "threads", 2))
    assert result.tally.found == len(there & set(undisturbed))
    assert undisturbed.items() <= held(open_store(URL)).items()


def test_a_damaged_object_is_found(server: Server, command: Callable[..., Result]):
    perform(EXPERIMENT, Execution(URL, "threads", 2))
    victim = min((server.folder / BUCKET).rglob("*.zip"))
    victim.write_bytes(b"x" * 99)
    done = command("store", "verify", URL)
    assert done.exit_code == 1
    assert "30 runs, 1 damaged" in done.stdout
    assert perform(EXPERIMENT, Execution(URL, "threads", 2)).tally.done == 1
    assert command("store", "verify", URL).exit_code == 0


@pytest.mark.usefixtures("server")
def test_a_bucket_that_there_is_not_is_refused(
    command: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOPSCOPE_STORE_PATIENCE", "1")
    done = command("sweep", QUEUE, "--over", "arrivals.load=0.2,0.4", "--store", "s3://elsewhere/x")
    assert done.exit_code == 2
    assert "cannot be used" in done.stderr


@pytest.mark.usefixtures("server")
def test_a_store_is_viewed_by_its_url(command: Callable[..., Result], here: Path):
    perform(EXPERIMENT, Execution(URL, "threads"))
    library = Library([URL])
    (stored,) = library.experiments()
    assert (stored.kept.there, stored.kept.expected) == (30, 30)
    key = next(iter(stored.kept.runs()))
    run = library.run(f"{stored.id}/{key.hash}-{key.seed}")
    assert run.summary.data["seed"] == key.seed
    assert library.under_way() == []
    made = command("view", URL, "--export", "page.html")
    assert made.exit_code == 0, made.output
    assert "30 of 30" in (here / "page.html").read_text(encoding="utf-8")
    missing = command("view", f"s3://{BUCKET}/nothing", "--export", "none.html")
    assert missing.exit_code == 2
    assert not (here / "none.html").exists()
