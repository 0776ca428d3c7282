"""How studies and runs of the ARPANET are told: bands, limits, units, legends, names of runs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from hopscope.cli.run import _times
from hopscope.cli.study import LEGEND, filled
from hopscope.studies.definition import load, study_names
from hopscope.studies.published import PublishedCell
from hopscope.studies.quantities import Band
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
    assert "bands without a line" in chart["title"]["subtitle"]


def test_every_figure_is_drawn_and_told(trial: tuple[StudyResult, Path]):
    result, folder = trial
    assert [caption for caption, _, _ in result.tables] == [
        "Throughput (kbit/s) by hops; in brackets what was published",
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
    assert told.count("predicts: nothing was") == 1
    assert "Throughput (kbit/s) by hops; in brackets what was published:" in told
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


def test_times_of_a_run_are_in_one_unit():
    assert _times([573_495.0, None, 1_234.0]) == ["573 ms", "", "1.23 ms"]
    assert _times([9_950.0, 80.0]) == ["9 950 us", "80.0 us"]


def test_the_bands_of_carried_studies_are_over_traffic():
    figures = [(name, figure) for name in study_names() for figure in load(name).figures]
    bands = {
        (name, series.label)
        for name, figure in figures
        for series in getattr(figure, "series", ())
        if any(isinstance(quantity, Band) for _, quantity in series.points)
    }
    assert {name for name, _ in bands} >= {"ko/fig3", "ko/fig9", "ko/feb75"}
    assert all("traffic 0 to 1.5 times" in label for _, label in bands)
