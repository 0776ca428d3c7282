"""The kinds of cells, figures and words that the studies of the ARPANET need."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from hopscope.errors import ScenarioError
from hopscope.report import study_page
from hopscope.studies.definition import load
from hopscope.studies.runner import run_all

HEAD = """
title = "A trial"
source = "None"
published = "arpanet.csv"
scenario = "arpanet-row"
set = { "duration" = "10 s", "measure.journeys" = 20 }
"""

CELLS = """
[[cell]]
id = "ko/feb75/plt"
kind = "resource"
resource = "pending leader table"
place = "source"
figure = "peak"

[[cell]]
id = "ko/alt/three"
kind = "resource"
resource = "line"
place = "no such line"

[[cell]]
id = "ko/alt/equal"
kind = "difference"
first = { kind = "constant", value = 1.25 }
second = { kind = "constant", value = 1 }

[[cell]]
id = "ko/fig3/best"
kind = "greatest"
over = { "flow[0].to" = ["2", "5"] }
of = { metric = "path length.mean" }

[[cell]]
id = "ko/fig1"
kind = "events"
messages = [3, 4]
events = ["input begins", "first packet in", "message sent", "message arrives", "RFNM arrives"]

[[cell]]
id = "ko/fig2"
kind = "events"
messages = [3, 4]
events = ["first packet in", "input begins"]

[figure]
title = "Correlation"
x_title = "lag"
y_title = "coefficient"
at = [
    { x = 1, metric = "round trip from last bit autocorrelation.lag 1" },
    { x = 2, metric = "round trip from last bit autocorrelation.lag 2" },
]

[[figure.series]]
label = "nine hops"

[[figure.series]]
label = "one hop"
at = [{ x = 1, set = { "flow[0].to" = "2" }, metric = "round trip from last bit autocorrelation.lag 1" }]

[[diagram]]
title = "One message"
message = 4
labels = { a = "input begins", b = "RFNM arrives" }
slice = { event = "message sent", after_ms = 5 }

[[why]]
heading = "Why it is slower"
against = { set = { "flow[0].to" = "2" } }
"""


def write(folder: Path, body: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(HEAD + body)
    return str(folder)


def test_every_kind_is_measured_drawn_and_told(tmp_path: Path, command: Callable[..., Result]):
    (result,) = run_all([write(tmp_path / "trial", CELLS)], out=tmp_path / "found")
    found = {cell.cell.id.removeprefix("ko/"): cell for cell in result.cells}
    assert found["feb75/plt"].measured.value == 4
    assert found["alt/three"].verdict == "within"
    assert found["alt/equal"].measured.value == 0.25
    assert found["fig3/best"].measured.value == pytest.approx(4.0)
    assert found["fig1"].measured.words == "5 events in their order for each of 2 messages"
    assert found["fig2"].verdict == "miss"
    assert found["fig2"].measured.words == "i = 3: input begins (i), not first packet in (i)"
    heads, rows = result.points
    assert heads == ["lag", "nine hops", "one hop"]
    assert [row[0] for row in rows] == ["1", "2"]
    assert rows[0][2]
    assert not rows[1][2]
    assert sorted(path.name for path in (tmp_path / "found").glob("*.svg")) == [
        "trial-time-space-1.svg",
        "trial.svg",
    ]
    page = (tmp_path / "found" / "report.html").read_text()
    assert "Why it is slower" in page
    assert "One message" in page
    told = command("study", str(tmp_path / "trial"), "--quick")
    assert "Mean message lifetime" in told.stdout


ORDER = """
[[cell]]
id = "ko/fig5"
kind = "order"
order = "near < far"
of.near = { set = { "flow[0].to" = "2" }, metric = "round trip.p50" }
of.far = { metric = "round trip.p50" }
"""
FEW = (
    """
[quick]
set = { "duration" = "1 ms" }

[[cell]]
id = "ko/fig3/1"
metric = "round trip.mean"

"""
    + ORDER
    + """
[[cell]]
id = "ko/loop/trap"
metric = "trap duration.mean"

[[cell]]
id = "ko/loop/free"
metric = "loops.count"

[[cell]]
id = "ko/feb75/rfnm"
kind = "ratio"
first = { kind = "resource", resource = "line", place = "1 -> 2" }
second = { kind = "constant", value = 0.01 }
"""
)


def test_a_quick_run_decides_nothing_where_nothing_was_measured(tmp_path: Path):
    (result,) = run_all([write(tmp_path / "trial", FEW)], quick=True)
    told = [(cell.verdict, cell.measured.words) for cell in result.cells]
    assert told[:4] == [
        ("undecided", "no message was measured"),
        ("undecided", "no message was measured"),
        ("undecided", "no trap was seen"),
        ("within", ""),
    ]
    assert told[4][0] == "undecided"
    (full,) = run_all([write(tmp_path / "trial", FEW)])
    assert [full.cells[place].verdict for place in (2, 4)] == ["undecided", "miss"]


HISTOGRAM = (
    ORDER
    + """
[histogram]
title = "Round trips"
x_title = "ms"
y_title = "messages"
series = "round trips from last bit up to this delay and above the one before (messages)"
until = 800
lines = [{ label = "near", set = { "flow[0].to" = "2" } }, { label = "far" }]
"""
)


def test_a_histogram_counts_every_message_once(tmp_path: Path):
    from hopscope.studies.evidence import Evidence

    definition = load(write(tmp_path / "trial", HISTOGRAM))
    histogram = definition.histogram
    assert histogram is not None
    evidence = Evidence()
    evidence.gather(histogram.missing(evidence))
    for _, setting in histogram.lines:
        shares = histogram.shares(setting, evidence)
        assert sum(share for _, share in shares) == pytest.approx(1)
        assert all(place <= 800 for place, _ in shares[:-1])
        assert shares[-1][0] <= 800 or shares[-1][0] == float("inf")
    (result,) = run_all([str(tmp_path / "trial")], out=tmp_path / "found")
    assert result.cells[0].verdict == "within"
    assert (tmp_path / "found" / "trial.svg").exists()


def test_the_published_tables_are_replayed_cell_by_cell():
    (result,) = run_all(["ko/tables"])
    assert [cell.measured.words for cell in result.cells] == [
        "13 of 13 cells equal",
        "13 of 13 cells equal",
        "14 of 14 cells equal",
    ]
    assert [len(rows) for _, rows in result.replays] == [13, 13, 14]


REPLAY = """
[[cell]]
id = "ko/tableI"
kind = "replay"
hold_down = "none"
imps = [{ name = "A", estimate = 0, neighbours = ["X"], cell = "d/0/X" }]
steps = [{ from = "SENDER", to = "A", estimate = 5, cell = "d + 8/0/X" }]
"""


def test_a_cell_that_differs_is_a_miss(tmp_path: Path):
    (result,) = run_all([write(tmp_path / "trial", REPLAY.replace("SENDER", "X"))])
    assert (result.cells[0].verdict, result.cells[0].measured.words) == ("miss", "1 of 2 cells equal")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (REPLAY.replace("SENDER", "Y"), "Y is no neighbour of A"),
        (
            REPLAY.replace('"none"', '"sometimes"').replace("SENDER", "X"),
            '"sometimes" is not one of the choices',
        ),
    ],
)
def test_a_replay_that_makes_no_sense_is_refused_in_words(tmp_path: Path, body: str, words: str):
    with pytest.raises(ScenarioError) as refused:
        run_all([write(tmp_path / "trial", body)])
    assert words in str(refused.value)


@pytest.mark.parametrize("name", ["ko/fig1", "ko/fig2", "ko/fig7", "ko/fig8"])
def test_the_diagrams_of_the_paper_are_drawn_and_their_cells_agree(name: str):
    (result,) = run_all([name])
    assert not result.misses
    (drawn,) = result.diagrams
    assert drawn[2].startswith("<svg")
    headings = [section["heading"] for section in study_page.page([result]).data()["sections"]]
    assert headings[:2] == [drawn[0], name]
