"""The page in a real browser: every model exported, and a server behind it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hopscope
import pages

# Of each model a short run that keeps journeys; the first is the one whose map and messages are handled.
RUNS = {
    "fabric": ("an1-mstage", {"measure.messages": 3000, "measure.journeys": 300}),
    "lossless": ("dragonfly-36", {"measure.journeys": 50}),
    "arpanet": ("arpanet-1975-05", {"duration": "20 s", "measure.journeys": 200}),
    "pup": ("pup-epr-gateway", {"measure.journeys": 50}),
    "queueing": ("queueing-mm1", {"measure.messages": 3000, "measure.journeys": 50}),
}
HOSTILE = [
    "<!--<script>globalThis.wasRun=1",
    "</script>",
    '"onerror="globalThis.wasRun=1',
    "\\u001b[31m",
    "\\u202e",
    "=1+1",
]

needs_browser = pytest.mark.skipif(pages.missing_browser() is not None, reason=str(pages.missing_browser()))


def hostile(folder: Path) -> Path:
    """A scenario whose hosts have the names above."""
    hosts = ", ".join(
        f'{{ name = {json.dumps(name).replace(chr(92) * 2 + "u", chr(92) + "u")}, at = "{"ab"[n % 2]}" }}'
        for n, name in enumerate(HOSTILE)
    )
    path = folder / "hostile.toml"
    path.write_text(
        f'title = {json.dumps(HOSTILE[0])}\nmodel = "fabric"\n'
        '[network.custom]\nswitches = ["a", "b"]\nlinks = [{ between = ["a", "b"] }]\n'
        f'hosts = [{hosts}]\n[link]\nrate = "100 Mbit/s"\ndelay = "1 us"\n[routing]\nrule = "up-down"\n'
        '[traffic]\npattern = "uniform"\nload = 0.3\nsizes = { fixed = "500 B" }\n'
        "[measure]\nmessages = 2000\njourneys = 200\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the exported page of a run of every model, and of a sweep."""
    folder = tmp_path_factory.mktemp("pages")
    for name, (source, settings) in RUNS.items():
        hopscope.run(source, set=settings).report(folder / f"{name}.html")
    loads = [0.2, 0.5, 0.9]
    hopscope.sweep("an1-mstage", {"traffic.load": loads}, set={"measure.messages": 2000}).report(
        folder / "sweep.html"
    )
    hopscope.run(hostile(folder)).report(folder / "hostile.html")
    (folder / "hostile.json").write_text(json.dumps(HOSTILE), encoding="utf-8")
    return folder


@needs_browser
def test_exported_pages_hold_in_a_browser(exported: Path):
    found = pages.node_tests("exported.test.mjs", PAGES=str(exported))
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a server over one run's folder."""
    source, settings = RUNS["fabric"]
    hopscope.run(source, set=settings).save(tmp_path / "runs" / "one")
    line = [sys.executable, "-m", "hopscope", "view", "runs", "--no-browser"]
    server = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    assert server.stderr is not None
    told = re.search(r"http://\S+", server.stderr.readline())
    assert told is not None
    yield told[0]
    server.send_signal(signal.SIGINT)
    assert server.wait(timeout=20) in (0, 130)


@needs_browser
def test_a_served_page_runs_cancels_and_compares(address: str):
    found = pages.node_tests("served.test.mjs", ADDRESS=address)
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
