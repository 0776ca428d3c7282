"""The page in a real browser: every model exported, and a server behind it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

import hopscope
import pages
from hopscope.report import figures, widget
from hopscope.report.page import Page

# Of each model a short run that keeps journeys; the first is the one whose map and messages are handled.
RUNS = {
    "fabric": ("an1-mstage", {"measure.messages": 3000, "measure.journeys": 300}),
    "lossless": ("dragonfly-36", {"measure.journeys": 50}),
    "arpanet": ("arpanet-1975-05", {"duration": "20 s", "measure.journeys": 200}),
    "pup": ("pup-epr-gateway", {"measure.journeys": 50}),
    "queueing": ("queueing-mm1", {"measure.messages": 3000, "measure.journeys": 50}),
}
LOADS = [0.2, 0.5, 0.9]
LOOKED_AT = ("fabric", "arpanet", "sweep")
INTERRUPTED = 130
# Enough runs that it is still in progress when it is stopped.
EXPERIMENT = f"""
scenarios = ["queueing-mm1"]
seeds = 2
[set]
"measure.messages" = 3_000_000
[over]
"arrivals.load" = {[load / 1000 for load in range(1, 1000)]}
"""
# Titles longer than a line, with a word that is.
LONG = f"{'what was looked at, and ' * 8}{'why' * 60}"
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
    hopscope.sweep("an1-mstage", {"traffic.load": LOADS}, set={"measure.messages": 2000}).report(
        folder / "sweep.html"
    )
    hopscope.run(hostile(folder)).report(folder / "hostile.html")
    (folder / "hostile.json").write_text(json.dumps(HOSTILE), encoding="utf-8")
    (folder / "damaged.html").write_text(damaged().html(), encoding="utf-8")
    (folder / "intervals.html").write_text(wide_intervals().html(), encoding="utf-8")
    (folder / "parts.html").write_text(plain_parts().html(), encoding="utf-8")
    return folder


def damaged() -> Page:
    """A page of which one section lacks what its view shows."""
    page = Page("study", "study", "Damaged", "A table without rows")
    page.add("table", "Cells")
    page.words("After", ["The rest is shown."])
    return page


def wide_intervals() -> Page:
    """Intervals that go on where their axes end: below a logarithmic one, and over ends of its own."""
    rows: list[figures.Row] = [(0.3, 50.0, 40.0, 60.0), (0.6, 150.0, 0.0, None)]
    y = {
        "log": figures.axis("delay (µs)", log=True),
        "own": figures.axis("delay (µs)", **{"from": 60, "to": 100}),
    }
    page = Page("run", "run", "Intervals", "Longer than their axes")
    for spread in ("band", "bars"):
        drawn = [figures.series("", 0, rows, spread=spread)]
        for each, axis in y.items():
            page.figures(f"{spread} {each}", "", [figures.lines(figures.axis("load"), axis, drawn)])
    return page


def plain_parts() -> Page:
    """A table, a figure within a decade, a comparison, and a chain without a map."""
    page = Page("run", "run", "Parts", "Each of known values")
    chain = [
        {"resource": name, "kind": "link", "place": name, "utilisation": 0.9, "waiting": 2.0}
        | {"heldBy": "frames", "heldShare": 1.0}
        for name in ("the link a -> b", "the link b -> c")
    ]
    page.add("why", "Why", sentence="Bottleneck.", symptoms=[], chain=chain, victims=[], tried=[], whatIf=[])
    cells = [
        ("a", "<1 %", "0.28 ms", "97.9 [56.1, 140]"),
        ("b", "13 %", "41 ms", "416.1 [400.0, unknown]"),
        ("c", "2 %", "10 µs", "2 221 [1 900, 2 540]"),
        ("d", "0 %", "1.2 s", ""),
    ]
    rows = [[name, *((text, "number") for text in texts)] for name, *texts in cells]
    page.table("Busiest resources", "", ("resource", "used", "each", "delay"), rows)
    drawn = [
        figures.series("median", 0, [(1, 27.0), (2, 30.0)], marks="dots"),
        figures.series("99th percentile", 1, [(1, 40.0), (2, 49.0)], line="dashed"),
    ]
    y = figures.axis("delay (ms)", log=True)
    steps = [
        {"name": name, "from": begin, "to": end, "words": ""}
        for name, begin, end in (("first", 0, 9), ("more", 9, 12), ("less", 12, 5), ("second", 0, 5))
    ]
    waterfall = {
        "kind": "waterfall",
        "title": "",
        "note": "",
        "unit": "mean message lifetime (µs)",
        "steps": steps,
    }
    page.figures("Figures", "", [figures.lines(figures.axis("size"), y, drawn, "Delay by size"), waterfall])
    return page


@needs_browser
def test_views_of_exported_pages_do_what_a_reader_asks(exported: Path):
    found = pages.node_tests("views.test.mjs", PAGES=str(exported))
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]


@needs_browser
def test_exported_pages_hold_in_a_browser(exported: Path):
    found = pages.node_tests("exported.test.mjs", PAGES=str(exported))
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
    files_of_a_figure_agree(exported)


@needs_browser
def test_exported_pages_look_as_they_looked(exported: Path):
    found = pages.node_tests("looks.test.mjs", PAGES=str(exported), NAMES=",".join(LOOKED_AT))
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]


def files_of_a_figure_agree(folder: Path) -> None:
    """What the page gave as Parquet is what it gave as CSV; the drawings are what they are called."""
    table, columns = pl.read_csv(folder / "figure.csv"), pl.read_parquet(folder / "figure.parquet")
    assert table.columns == columns.columns
    assert len(table) == len(columns) > len(LOADS)
    for name, kind in columns.schema.items():
        if kind == pl.Float64:
            assert table[name].cast(pl.Float64).round_sig_figs(9).to_list() == (
                columns[name].round_sig_figs(9).to_list()
            )
        else:
            assert table[name].to_list() == columns[name].to_list()
    assert (folder / "figure.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")


@contextmanager
def served(folder: Path, *given: str) -> Iterator[str]:
    """The address of a server over what lies in a folder."""
    line = [sys.executable, "-m", "hopscope", "view", *given, "--no-browser"]
    server = subprocess.Popen(line, cwd=folder, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    assert server.stderr is not None
    told = re.search(r"http://\S+", server.stderr.readline())
    assert told is not None
    yield told[0]
    server.send_signal(signal.SIGINT)
    assert server.wait(timeout=20) in (0, 130)


@needs_browser
def test_a_served_page_runs_cancels_and_compares(tmp_path: Path):
    source, settings = RUNS["fabric"]
    hopscope.run(source, set=settings).save(tmp_path / "runs" / "one")
    source, settings = RUNS["queueing"]
    titled = hopscope.run(source, set={**settings, "title": LONG})
    for name in ("titled", "torn"):
        titled.save(tmp_path / "runs" / name, report=False)
    (tmp_path / "runs/torn/summary.json").write_text("{", encoding="utf-8")
    with served(tmp_path, "runs") as address:
        found = pages.node_tests("served.test.mjs", ADDRESS=address)
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]


@needs_browser
def test_an_experiment_under_way_is_followed_and_stopped_from_the_page(tmp_path: Path):
    (tmp_path / "loads.toml").write_text(EXPERIMENT, encoding="utf-8")
    line = [sys.executable, "-m", "hopscope", "experiment", "loads.toml", "--store", "store", "--quiet"]
    performing = subprocess.Popen([*line, "--jobs", "1"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while performing.poll() is None and not (tmp_path / "store" / "store.json").exists():
        time.sleep(0.05)
    with served(tmp_path, "store") as address:
        found = pages.node_tests("experiment.test.mjs", ADDRESS=address)
    told = performing.communicate(timeout=60)[1]
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
    assert performing.returncode == INTERRUPTED, told
    assert "the same command goes on from there" in told


def test_a_notebook_shows_a_run_as_a_widget_and_as_a_table_where_nothing_is_live():
    source, settings = RUNS["queueing"]
    run = hopscope.run(source, set=settings)
    shown = run._repr_mimebundle_()
    assert shown is not None
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert shown["text/html"] == run._repr_html_()
    assert shown["text/plain"] == repr(run)


@needs_browser
def test_the_widget_of_a_run_has_its_map_and_its_chain(tmp_path: Path):
    source, settings = RUNS["fabric"]
    shown = widget.of(hopscope.run(source, set=settings))
    (tmp_path / "widget.mjs").write_text(shown._esm, encoding="utf-8")
    (tmp_path / "page.html").write_text(shown.html, encoding="utf-8")
    found = pages.node_tests(
        "notebook.test.mjs", SCRIPT=str(tmp_path / "widget.mjs"), HTML=str(tmp_path / "page.html")
    )
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
