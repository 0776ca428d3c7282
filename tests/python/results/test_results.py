"""Results as frames, notes and metrics."""

import importlib
import json
import math
import pkgutil
import types
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from click.testing import Result
from polars.testing import assert_frame_equal

import hopscope
import pages
from conftest import FEW, NETWORK, QUEUE
from hopscope import Estimate, _core
from hopscope.cli.run import table
from hopscope.cli.sweep import table as sweep_table
from hopscope.errors import UsageError
from hopscope.overrides import Value
from hopscope.results.archived import ArchivedRun
from hopscope.results.outcome import Outcome
from hopscope.results.points import Place, doubts_of, no_number, notes_on, over_seeds
from hopscope.results.run import RunResult
from hopscope.results.summary import Doubt, Summary
from hopscope.results.sweep import SweepPoint, SweepResult


def delay_of(run: RunResult) -> str:
    name = run.summary.main_delay()
    assert name is not None
    return name


def test_a_metric_is_an_estimate_with_its_interval(queue_run: RunResult):
    found = queue_run.metric(f"{delay_of(queue_run)}.mean")
    assert isinstance(found, Estimate)
    assert found.low < found.value < found.high
    assert found.n > 0


def test_the_statistic_may_be_left_out_where_there_is_one(queue_run: RunResult):
    assert queue_run.metric("throughput") == queue_run.metric("throughput.rate")


def test_an_unknown_metric_names_its_neighbour(queue_run: RunResult):
    delay = delay_of(queue_run)
    with pytest.raises(LookupError, match=rf"did you mean `{delay}\.mean`"):
        queue_run.metric(f"{delay}.meen")


def test_frames_have_their_columns(network_run: RunResult):
    assert network_run.metrics.columns == [
        "metric",
        "class",
        "statistic",
        "unit",
        "value",
        "low",
        "high",
        "n",
    ]
    assert {"stage", "kind", "share"} <= set(network_run.ledger().columns)
    assert {"name", "place", "utilisation", "wait_us"} <= set(network_run.resources.columns)
    assert network_run.series.columns == ["time_s", "series", "value"]


def test_the_shares_of_a_life_add_up(network_run: RunResult):
    of_all = network_run.ledger().filter(pl.col("class") == "all")
    assert of_all["share"].sum() == pytest.approx(1.0, abs=1e-6)


def test_the_same_seed_gives_the_same_result_and_another_one_another():
    first, again, other = (hopscope.run(QUEUE, set=FEW, seed=seed).summary.data for seed in (5, 5, 6))
    assert first == again
    assert first["result_hash"] != other["result_hash"]


def test_a_saved_run_is_read_back(tmp_path: Path, network_run: RunResult):
    network_run.save(tmp_path / "run", report=False)
    again = hopscope.read(tmp_path / "run")
    assert isinstance(again, RunResult)
    assert again.summary.data == network_run.summary.data
    assert again.scenario_text == network_run.scenario_text
    assert_frame_equal(again.series, network_run.series)
    again.save(tmp_path / "copy", report=False)
    assert (tmp_path / "copy/summary.json").read_bytes() == (tmp_path / "run/summary.json").read_bytes()


def test_a_folder_with_the_resources_in_its_summary_is_read(tmp_path: Path, network_run: RunResult):
    """Versions before resources.parquet wrote them there."""
    network_run.save(tmp_path / "run", report=False)
    (tmp_path / "run/resources.parquet").unlink()
    (tmp_path / "run/summary.json").write_text(json.dumps(network_run.summary.data))
    again = hopscope.read(tmp_path / "run")
    assert isinstance(again, RunResult)
    assert again.summary.data == network_run.summary.data


@pytest.mark.parametrize(
    "source", ["an1-mstage", "mstage-frames", "arpanet-row", "pup-epr-gateway", "sna-chain"]
)
def test_an_archive_gives_the_summary_to_the_byte(source: str):
    run = _core.run(_core.load(source, []))
    assert ArchivedRun(run.archive()).summary_json() == run.summary_json()


def test_a_point_of_a_sweep_is_small(tmp_path: Path):
    """Required for an1-mstage, 456 resources, at its default length: 40 kB."""
    _core.run(_core.load("an1-mstage", [])).write(str(tmp_path))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 40_000


def test_a_sweep_has_its_paths_in_front(network_sweep: SweepResult):
    assert network_sweep.metrics.columns[:4] == ["traffic.load", "seed", "outcome", "metric"]
    assert network_sweep.metrics.schema["traffic.load"] == pl.Float64
    assert network_sweep.metrics["traffic.load"].unique(maintain_order=True).to_list() == [0.2, 0.4, 1.0]


def test_a_saturated_network_has_no_delay(network_sweep: SweepResult):
    last = network_sweep.points[-1]
    assert last.outcome == "saturated"
    assert last.metric("latency.mean") is None
    assert last.metric("throughput") is not None
    assert [value for value, _ in network_sweep.curve("latency.mean")] == [0.2, 0.4, 1.0]


def test_a_saved_sweep_is_read_back(tmp_path: Path, network_sweep: SweepResult):
    network_sweep.save(tmp_path / "sweep", report=False)
    again = hopscope.read(tmp_path / "sweep")
    assert isinstance(again, SweepResult)
    assert_frame_equal(again.metrics, network_sweep.metrics)
    listed = json.loads((tmp_path / "sweep/sweep.json").read_text())["points"]
    assert [entry["set"] for entry in listed] == [{"traffic.load": load} for load in (0.2, 0.4, 1.0)]
    assert all((tmp_path / "sweep" / entry["folder"] / "summary.json").exists() for entry in listed)


def test_seeds_are_pooled_point_by_point():
    result = hopscope.sweep(QUEUE, {"arrivals.load": [0.3, 0.5]}, set=FEW, seed=11, seeds=3)
    assert result.seeds == [11, 12, 13]
    delay = delay_of(result.first)
    point = result.points[1]
    alone = [run.metric(f"{delay}.mean") for run in point.runs]
    pooled = point.metric(f"{delay}.mean")
    assert pooled is not None
    assert pooled.value == pytest.approx(sum(each.value for each in alone if each) / 3)
    assert pooled.half_width < max(each.half_width for each in alone if each)


def doubtful(*doubts: dict[str, str]) -> Summary:
    """The summary of a run with a mean and two quantiles, and with these doubts."""
    rows = [("latency", "all", "mean"), ("latency", "all", "p99"), ("latency", "short", "p50")]
    estimate = {"value": 10.0, "low": 8.0, "high": 11.0, "n": 100}
    metrics = [
        {"name": name, "class": of_class, "statistic": statistic, "unit": "us", "estimate": estimate}
        for name, of_class, statistic in rows
    ]
    return Summary({"outcome": "complete", "metrics": metrics, "doubts": list(doubts)})


OPEN = {"kind": "no-upper-bound", "metric": "latency.p99"}
SHORT = {"kind": "correlated"}


def test_the_doubts_of_a_run_are_a_closed_set_and_older_folders_have_none():
    others = [{"kind": kind} for kind in ("growing-queue", "too-few", "transient", "of a later version")]
    found = doubtful(OPEN, SHORT, *others)
    assert found.doubts == list(Doubt)
    assert found.is_unbounded("latency.p99")
    assert found.is_unbounded("latency[all].p99")
    assert not found.is_unbounded("latency.mean")
    assert not found.is_unbounded("latency[short].p50")
    assert not found.is_unbounded("no such metric")
    assert Summary({"metrics": []}).doubts == []


def test_a_mean_has_no_upper_bound_where_one_of_its_runs_has_none():
    runs = [doubtful(), doubtful(OPEN), doubtful()]

    def pooled(key: str) -> Estimate:
        found = over_seeds(key, runs, runs, len(runs))
        assert found is not None
        return found

    assert str(pooled("latency.p99")) == "10.00 [9.134, unknown] us"
    assert pooled("latency.p99").half_width == math.inf
    assert pooled("latency.p99").to_data() == {
        "value": 10.0,
        "low": pytest.approx(9.134, abs=1e-3),
        "high": None,
    }
    assert math.isfinite(pooled("latency.mean").high)
    assert over_seeds("latency.mean", runs[:1], runs[:1], 2) is None, "a run failed"


def test_a_mean_over_seeds_that_lie_far_apart_is_the_same_in_text_and_json():
    apart = [doubtful(), doubtful()]
    for row in apart[1].fields["metrics"]:
        row["estimate"] = {"value": 100.0, "low": 99.0, "high": 101.0, "n": 100}
    found = over_seeds("latency.mean", apart, apart, 2)
    assert found is not None
    assert str(found).startswith("55.0 [0, ")
    assert found.to_data()["low"] == found.low == 0.0
    assert found.half_width == found.high - found.value


def place(value: Value, *doubts: dict[str, str], whose: str = "", path: str = "traffic.load") -> Place:
    return Place(whose, {path: value}, [doubtful(*doubts), doubtful(*doubts)])


def test_a_note_tells_for_each_doubt_of_which_points_it_is():
    points = [place(nth / 10, *([SHORT] if nth in (7, 8) else [])) for nth in range(3, 9)]
    assert notes_on(points, ["latency.mean"]) == [
        "2 of 6 points are too short (traffic.load = 0.7, 0.8): delays in successive batches are correlated, "
        "so the intervals of delays are too narrow."
    ]
    assert notes_on([place(0.3), place(0.4)], ["latency.mean"]) == []
    unsettled = [place("a", {"kind": "transient"}, whose="A"), place("a", whose="B")]
    assert notes_on(unsettled, []) == [
        "1 of 2 points did not settle (A at traffic.load = a): the start-up transient had not ended when the "
        "measurement began, so the means may be biased."
    ]
    assert notes_on([place(0.3, {"kind": "too-few"})], []) == [
        "the point has no confidence intervals: too few messages."
    ]


def test_a_note_counts_the_runs_where_not_all_are_concerned():
    mixed = Place("", {"traffic.load": 0.3}, [doubtful(), doubtful(SHORT), doubtful(OPEN, SHORT)])
    correlated, unbounded = notes_on([mixed, place(0.4, SHORT), place(0.5)], ["latency.p99"])
    assert correlated.startswith("2 of 3 points are too short, in 4 of 5 runs (traffic.load = 0.3, 0.4): ")
    assert unbounded.startswith("1 of 3 points has no upper bound of latency.p99, in 1 of 3 runs (traffic.")


def test_a_note_names_four_points_at_most():
    points = [place(nth, SHORT) for nth in range(1, 8)]
    assert "7 of 7 points are too short (traffic.load = 1, 2, 3, 4 and 3 more): " in notes_on(points, [])[0]
    mixed = [place(1, SHORT), place(2, SHORT, path="link.rate")]
    assert " (traffic.load = 1; link.rate = 2): " in notes_on(mixed, [])[0]


def test_a_quantile_that_is_not_shown_is_of_no_account():
    points = [place(0.3, OPEN), place(0.4)]
    assert notes_on(points, ["latency.mean"]) == []
    assert notes_on(points, ["latency.mean", "latency.p99"]) == [
        "1 of 2 points has no upper bound of latency.p99 (traffic.load = 0.3): too few messages."
    ]


def test_what_has_no_number_says_why():
    assert [no_number(each) for each in (Outcome.COMPLETE, Outcome.UNSETTLED)] == ["too few messages"] * 2
    assert [no_number(each) for each in (Outcome.SATURATED, Outcome.DEADLOCK)] == ["saturated", "deadlock"]


def test_a_deadlock_has_neither_rates_nor_delays_wherever_they_are_shown(tmp_path: Path):
    locked = hopscope.run("an1-deadlock")
    assert locked.outcome == "deadlock"
    (line,) = [line for line in table(locked).splitlines() if line.endswith("deadlock: no steady state")]
    assert line.removesuffix("deadlock: no steady state").strip() == "offered, throughput, latency"
    for key in ("offered", "throughput", "carried", "latency.mean"):
        assert locked.summary.metric_row(key)["estimate"] is None, key
    assert not [note for note in locked.notes if "interval" in note or "bound" in note]
    assert "deadlock: no steady state" in locked.report(tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_cycle_of_a_deadlock_stands_below_the_sentence_about_it():
    locked = hopscope.run("an1-deadlock")
    stuck = locked.summary.fields["stuck"]
    printed = table(locked).splitlines()
    sentence = printed.index(f"Deadlock: {stuck['reason']}.")
    assert printed[sentence + 1 : sentence + 1 + len(stuck["cycle"])] == [
        f"  {each}" for each in stuck["cycle"]
    ]
    assert f"deadlock: {stuck['reason']}" not in printed
    swept = hopscope.sweep("an1-deadlock", {"traffic.load": [0.4]}, set={"measure.messages": 2_000})
    row = sweep_table(swept).splitlines()[-1]
    assert row.split()[:4] == ["0.4", *["deadlock"] * len(("throughput", "mean", "p99"))]


@pytest.fixture(scope="module")
def short_sweep() -> SweepResult:
    """Runs that are too short for an upper bound of their 99th percentile."""
    return hopscope.sweep(QUEUE, {"arrivals.load": [0.5, 0.7]}, set={"measure.messages": 300}, seeds=2)


def test_a_sweep_of_short_runs_shows_its_doubts_everywhere(short_sweep: SweepResult, tmp_path: Path):
    point = short_sweep.points[1]
    assert Doubt.NO_UPPER_BOUND in doubts_of(point.summaries, point.short)
    assert point.metric("latency.p99").high == math.inf
    assert any("no upper bound of latency.p99" in note for note in short_sweep.notes)
    drawn = short_sweep.plot("latency.p99").to_json()
    assert "us (too few messages)" in drawn
    assert "Infinity" not in drawn
    page = short_sweep.report(tmp_path / "report.html").read_text(encoding="utf-8")
    document = pages.document(page)
    assert "Infinity" not in json.dumps(document)
    assert pages.section(page, "Notes")["lines"] == short_sweep.notes
    assert math.isfinite(short_sweep.to_xarray()["latency.p99"].max())


def test_a_point_of_one_short_run_has_no_upper_bound_either(short_sweep: SweepResult):
    run = short_sweep.points[1].runs[0]
    assert SweepPoint({}, [run]).metric("latency.p99").high == math.inf
    assert math.isfinite(run.metric("latency.p99").high), "the longest delay that was seen"


def test_a_table_and_a_report_are_written_where_a_stream_delivered_nothing_with_one_seed(
    command: Callable[..., Result], here: Path
):
    words = ("--over", "measure.messages=100,200", "--seeds", "2", "--out", "kept", "--json")
    done = command("sweep", "pup-busy-ethernet", *words)
    assert done.exit_code == 0, done.stderr
    rows = [row for point in json.loads(done.stdout)["points"] for row in point["metrics"]]
    kept = hopscope.read("kept")
    lacking = {key for run in kept.runs() for key in run.summary.keys()}  # noqa: SIM118 - no mapping
    lacking -= set.intersection(*(set(run.summary.keys()) for run in kept.points[0].runs))
    assert lacking
    assert [row for row in rows if row["estimate"] is None]
    assert (here / "kept" / "report.html").exists()


def test_a_grid_sweeps_texts_too():
    over = {"traffic.load": [0.2, 0.3], "switch.switching": ["cut-through", "store-and-forward"]}
    result = hopscope.sweep(NETWORK, over, set=FEW)
    assert len(result.points) == 4
    assert result.metrics.schema["switch.switching"] == pl.String


def test_what_is_neither_run_nor_sweep_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="neither a run folder nor a sweep folder"):
        hopscope.read(tmp_path)
    (tmp_path / "sweep.json").write_text('{"points": ')
    with pytest.raises(UsageError, match="cannot read"):
        hopscope.read(tmp_path)


def test_results_show_themselves_in_a_notebook(queue_run: RunResult, network_sweep: SweepResult):
    assert queue_run.title in queue_run._repr_html_()
    assert network_sweep.title in network_sweep._repr_html_()
    assert QUEUE in repr(queue_run)


@pytest.mark.parametrize("what", ["shares", "delays", "series"])
def test_a_run_plots_what_is_asked(network_run: RunResult, what: str):
    assert network_run.plot(what).to_dict()["$schema"]


def test_plots_of_a_sweep_have_a_band_and_mark_saturation(network_sweep: SweepResult):
    layers = network_sweep.plot("latency.mean").to_dict()["layer"]
    assert "area" in {layer["mark"]["type"] for layer in layers if "mark" in layer}
    assert "saturated" in json.dumps(layers)


def test_each_mark_of_saturation_says_which_line_it_is_of():
    """Of two lines that have no value at one place there are two marks, each with its line's colour."""
    over = {"arrivals.load": [0.5, 1.5], "station[0].servers": [1, 2]}
    grid = hopscope.sweep("queueing-mm1", over, set={"measure.messages": 20_000})
    *_, marked = grid.plot("latency.mean").to_dict()["layer"]
    points = [layer for layer in marked["layer"] if layer["mark"]["type"] == "point"]
    assert [layer["encoding"]["color"]["field"] for layer in points] == ["series"] * len(points)
    assert len({layer["encoding"]["y"]["value"] for layer in points}) == len(points) == 2
    # A sweep over one path has one line: its mark needs no colour.
    alone = hopscope.sweep("queueing-mm1", {"arrivals.load": [0.5, 1.5]}, set={"measure.messages": 20_000})
    *_, marked = alone.plot("latency.mean").to_dict()["layer"]
    assert "color" not in marked["layer"][0]["encoding"]


def test_series_have_a_unit_that_fits_the_run(network_run: RunResult):
    first, *others = network_run.plot("series").to_dict()["vconcat"]
    assert first["layer"][0]["encoding"]["x"]["title"] == "simulated time (ms)"
    assert "end of the warm-up" in json.dumps(first)
    assert all("text" not in str(panel["layer"][-1].get("mark")) for panel in others)


def test_unknown_plots_and_paths_are_refused(network_run: RunResult, network_sweep: SweepResult):
    with pytest.raises(UsageError, match="there are: shares, delays, distribution, series"):
        network_run.plot("pie")
    with pytest.raises(UsageError, match=r"it is over traffic\.load"):
        network_sweep.curve("latency.mean", over="seed")


def test_the_library_lists_its_names():
    assert {"run", "sweep", "study", "Estimate", "ScenarioError"} <= set(dir(hopscope))
    assert [name for name in hopscope.__all__ if not hasattr(hopscope, name)] == []
    for module in pkgutil.walk_packages(hopscope.__path__, "hopscope."):
        if module.name != "hopscope.__main__":
            importlib.import_module(module.name)
    assert not [name for name in hopscope.__all__ if isinstance(getattr(hopscope, name), types.ModuleType)]
    with pytest.raises(AttributeError):
        hopscope.nothing  # noqa: B018 - the access is the test
