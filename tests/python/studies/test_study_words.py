"""The words of studies and runs of the ARPANET: bands, limits, units, legends, names of runs."""

import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from conftest import PROJECT
from hopscope.cli.run import _told
from hopscope.cli.study import LEGEND, filled
from hopscope.studies import figure
from hopscope.studies.histogram import Histogram
from hopscope.studies.published import PublishedCell
from hopscope.studies.result import CellResult, StudyResult
from hopscope.studies.runner import run_all
from hopscope.studies.verdict import Measured, judge

HEAD = """
title = "A trial"
source = "None"
published = "arpanet.csv"
scenario = "arpanet-row"
set = { "duration" = "10 s" }

[[cell]]
id = "ko/fig3/1"
metric = "throughput.rate"
set = { "flow[0].to" = "2" }

[[cell]]
id = "ko/fig5"
kind = "order"
order = "1_hop < 9_hops"
of.1_hop = { set = { "flow[0].to" = "2" }, metric = "round trip.p50" }
of.9_hops = { metric = "round trip.p50" }
"""

BAND = """
[[figure]]
title = "Throughput"
x_title = "hops"
y_title = "throughput (kbit/s)"
metric = "throughput.rate"
at = [{ x = 1, set = { "flow[0].to" = "2" } }, { x = 9 }]

[[figure.series]]
label = "A"

[[figure.series]]
label = "numbers"
kind = "band"
over = { "protocol.message_numbers" = [1, 4] }
of = { metric = "throughput.rate" }

[[figure]]
title = "A second one"
x_title = "hops"
y_title = "round trip (ms)"
metric = "round trip.mean"
at = [{ x = 9 }]

[[why]]
heading = "Why it is slower"
name = "The long way"
against = { name = "the short one", set = { "flow[0].to" = "2" } }
"""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> tuple[StudyResult, Path]:
    folder = tmp_path_factory.mktemp("trial")
    (folder / "study.toml").write_text(HEAD + BAND)
    (result,) = run_all([str(folder)], out=folder / "found")
    return result, folder


def layers(chart: dict) -> list[dict]:
    return [layer for layer in chart["layer"] if layer["mark"]["type"] in ("line", "point", "area")]


def test_a_band_is_told_from_its_least_to_its_most(trial: tuple[StudyResult, Path]):
    heads, rows = trial[0].points
    assert heads == ["hops", "A", "numbers"]
    low, _, high = rows[1][2].partition(" to ")
    assert 0 < float(low) < float(high)


def test_a_band_has_no_line_and_no_dots(trial: tuple[StudyResult, Path]):
    chart = trial[0].plots()[0].to_dict()
    drawn = [layer for layer in layers(chart) if layer["mark"]["type"] == "line"]
    assert drawn
    assert all(layer["transform"] == [{"filter": "!datum.band"}] for layer in drawn)
    rows = next(layer for layer in layers(chart) if layer["mark"]["type"] == "area")["data"]["values"]
    assert {row["series"]: row["band"] for row in rows} == {"A": False, "numbers": True}
    assert "bands without a line" in " ".join(chart["title"]["subtitle"])


def test_every_figure_is_drawn_and_told(trial: tuple[StudyResult, Path]):
    result, folder = trial
    assert [caption for caption, _, _ in result.tables] == [
        "Throughput (kbit/s) by hops; published values in parentheses",
        "Round trip (ms) by hops",
    ]
    assert sorted(path.name for path in (folder / "found").glob("*.svg")) == [
        f"{folder.name}-2.svg",
        f"{folder.name}.svg",
    ]
    assert (folder / "found" / "report.html").read_text().count("The figure in numbers") == 2


def test_an_order_has_units_and_names_of_several_words(trial: tuple[StudyResult, Path]):
    words = trial[0].cells[1].measured.words
    near, _, far = words.partition(", ")
    assert near.startswith("1 hop ")
    assert far.startswith("9 hops ")
    assert near.endswith(" ms")


def test_a_page_says_what_its_words_mean_and_names_the_runs(
    trial: tuple[StudyResult, Path], command: Callable[..., Result]
):
    told = command("study", str(trial[1]), "--quick").stdout
    assert told.startswith(filled(LEGEND))
    assert told.count("predicts: no input was") == 1
    assert "Throughput (kbit/s) by hops; published values in parentheses:" in told
    assert "The long way carried" in told
    assert "; the short one carried" in told


def test_lines_do_not_end_inside_a_word():
    text = filled(("x" * 8 + " ") * 11 + "store-and-forward piggy-back")
    assert {word for line in text.splitlines() for word in line.split()} == {
        "x" * 8,
        "store-and-forward",
        "piggy-back",
    }


def row(value: str, role: str, measured: float, unit: str = "ratio") -> tuple[str, ...]:
    published = PublishedCell("ko/x", "", "", "", value, unit, role, 0.2, "")
    found = Measured(measured, measured, measured, unit)
    return CellResult(published, found, judge(published, found), "").words()


@pytest.mark.parametrize("role", ["upper bound", "lower bound", "range 0.2..0.4", "upper range 0.2..0.4"])
def test_the_distance_from_a_limit_is_not_told(role: str):
    assert row("0.3", role, 0.25)[3] == ""
    assert row("0.3", "predicts", 0.25)[3] == "-16.7 %"


def test_a_shape_has_no_published_number():
    assert row("0", "shape", 0.25)[1] == ""


def test_a_published_ratio_is_rounded():
    assert row("0.3333333333333333", "predicts", 0.25)[1] == "0.333 ratio"
    assert row("37.75", "predicts", 37.0, "kbit/s")[1] == "37.75 kbit/s"


def test_times_of_a_run_are_in_the_unit_of_its_delays():
    assert [_told(us, "ms") for us in (573_495.0, 1_234.0)] == ["573 ms", "1.23 ms"]
    assert [_told(us, "us") for us in (9_950.0, 80.0)] == ["9 950 us", "80.0 us"]


BANDS = ("ko/fig3", "ko/fig4", "ko/fig9", "ko/feb75")


@pytest.mark.parametrize("name", BANDS)
def test_a_band_of_traffic_is_from_none_to_one_and_a_half_times_the_scenarios(name: str):
    """Where a scenario's traffic is set again, so must its bands be: a half and 1.5 times its own."""
    table = tomllib.loads((PROJECT / f"studies/{name}/study.toml").read_text())
    scenario = tomllib.loads((PROJECT / f"scenarios/{table['scenario']}.toml").read_text())
    scale = scenario["sites"]["scale"]
    figures = table["figure"] if isinstance(table["figure"], list) else [table["figure"]]
    bands = [series for drawn in figures for series in drawn["series"] if series.get("kind") == "band"]
    assert bands
    for band in bands:
        assert "background traffic x 0 to 1.5" in band["label"]
        none, half, more = band["over"]["sites.scale"]
        assert none < scale / 1000
        assert [half, more] == pytest.approx([scale / 2, 1.5 * scale], rel=0.01)


def test_beside_a_band_intervals_are_bars(trial: tuple[StudyResult, Path]):
    chart = trial[0].plots()[0].to_dict()
    filters = {
        layer["mark"]["type"]: layer["transform"][0]["filter"]
        for layer in chart["layer"]
        if "transform" in layer
    }
    assert (filters["area"], filters["rule"]) == ("datum.band", "!datum.band")
    alone = trial[0].plots()[1].to_dict()
    filters = {
        layer["mark"]["type"]: layer["transform"][0]["filter"]
        for layer in alone["layer"]
        if "transform" in layer
    }
    assert (filters["area"], filters["rule"]) == ("true", "false")


def test_legends_and_titles_are_not_cut(trial: tuple[StudyResult, Path]):
    chart = trial[0].plots()[0].to_dict()
    legend = chart["layer"][0]["encoding"]["color"]["legend"]
    assert (legend["labelLimit"], legend["columns"]) == (0, figure.LEGEND_COLUMNS)
    assert figure._legend_columns(["a label of forty letters, or even more"]) == 1
    assert all(len(line) <= figure.LONGEST_NOTE for line in chart["title"]["subtitle"])


CORRELATION = """
[figure]
title = "Correlation"
x_title = "lag"
y_title = "coefficient"
at = [{ x = 1, metric = "round trip from last bit autocorrelation.lag 1" }]

[[figure.series]]
label = "measured"

[[figure.series]]
label = "noise"
kind = "noise"
"""


def test_noise_is_a_band_around_nothing_that_narrows_with_the_messages(tmp_path: Path):
    ends = []
    for seconds in (10, 40):
        folder = tmp_path / str(seconds)
        folder.mkdir()
        (folder / "study.toml").write_text(HEAD.replace("10 s", f"{seconds} s") + CORRELATION)
        (result,) = run_all([str(folder)])
        low, _, high = result.points[1][0][2].partition(" to ")
        assert float(low) == -float(high)
        ends.append(float(high))
        (row,) = [row for row in result.plots()[0].to_dict()["layer"][0]["data"]["values"] if row["band"]]
        assert row["value"] == 0
    assert 0 < ends[1] < 0.7 * ends[0]
    assert "intervals" not in " ".join(result.plots()[0].to_dict()["title"]["subtitle"])


GIVEN_BACK = """
set = { "flow[0].when" = { every = "1 s" }, "duration" = "1.9 s", "measure.journeys" = 10 }

[[cell]]
id = "ko/fig1"
kind = "events"
messages = [0]
events = ["input begins", "GVB sent"]

[[diagram]]
title = "One message"
message = 0
labels = { a = "first packet in", b = "message number taken", c = "table entry made", d = "GVB sent" }
"""


def test_a_control_message_that_is_labelled_last_is_shown_until_it_arrives(tmp_path: Path):
    head, _, _ = HEAD.partition("set =")
    (tmp_path / "study.toml").write_text(head + GIVEN_BACK)
    (result,) = run_all([str(tmp_path)])
    ((_, _, drawn),) = result.diagrams
    svg = "{http://www.w3.org/2000/svg}"
    lines = [line for line in ET.fromstring(drawn).iter(f"{svg}line") if line.find(f"{svg}title") is not None]
    sent = [line for line in lines if line.findtext(f"{svg}title", "").startswith("GVB")]
    lowest = max(float(line.get("y2", 0)) for line in lines)
    assert len(sent) == 9  # one a hop
    assert max(float(line.get("y2", 0)) for line in sent) == lowest
    # Three letters at one dot: two of them on stems, each in a place of its own.
    letters = {
        text.text: text.get("x") for text in ET.fromstring(drawn).iter(f"{svg}text") if text.text in "abc"
    }
    assert len(set(letters.values())) == 3


def test_what_lies_beyond_a_histogram_is_one_bar_with_its_share():
    histogram = Histogram("", "ms", "messages", "", 100.0, ())
    panel = histogram._panel(0, "9 hops", [(50.0, 0.7), (100.0, 0.2), (float("inf"), 0.1)], 0.7).to_dict()
    shown, rest, words = (layer["data"]["values"] for layer in panel["layer"])
    assert [row["bin"] for row in shown] == [50.0, 100.0]
    assert rest == words
    assert [(row["share"], row["words"]) for row in rest] == [(0.1, "10 % above 100")]
    assert panel["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 0.7]


def published(name: str) -> PublishedCell:
    return PublishedCell(name, "", "", "", "10", "ms", "predicts", 0.1, "")


def test_cells_with_one_reason_are_told_together_and_figures_of_full_runs_as_such():
    result = StudyResult.__new__(StudyResult)
    found = Measured(20.0, 19.0, 21.0, "ms")
    reasons = {"a": "a long way", "b": "a long way", "c": "19 ms with hosts that take 5 ms"}
    result.cells = [CellResult(published(name), found, "miss", why) for name, why in reasons.items()]
    nothing = Measured(None, None, None, "", "no message was measured", is_empty=True)
    result.cells.append(CellResult(published("d"), nothing, "undecided", ""))
    for quick, third in ((False, "c misses: 19 ms"), (True, "c misses: in full runs: 19 ms")):
        result.quick = quick
        told = result.told()
        assert told[0] == "a and b miss: a long way"
        assert told[1].startswith(third)
        assert told[2:] == ["d is undecided: no message was measured; a longer run may decide"]
