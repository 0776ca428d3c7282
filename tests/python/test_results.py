"""Results as frames, notes and metrics."""

import importlib
import json
import pkgutil
import types
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import hopscope
from conftest import FEW, NETWORK, QUEUE
from hopscope import Estimate, _core
from hopscope.errors import UsageError
from hopscope.results.archived import ArchivedRun
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepResult


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


def test_unknown_plots_and_paths_are_refused(network_run: RunResult, network_sweep: SweepResult):
    with pytest.raises(UsageError, match="there are: shares, delays, distribution, series"):
        network_run.plot("pie")
    with pytest.raises(UsageError, match=r"it is over traffic\.load"):
        network_sweep.curve("latency.mean", over="seed")


def test_the_library_lists_its_names():
    assert {"run", "sweep", "study", "Estimate", "ScenarioError"} <= set(dir(hopscope))
    assert all(getattr(hopscope, name) is not None for name in hopscope.__all__)
    for module in pkgutil.walk_packages(hopscope.__path__, "hopscope."):
        if module.name != "hopscope.__main__":
            importlib.import_module(module.name)
    assert not [name for name in hopscope.__all__ if isinstance(getattr(hopscope, name), types.ModuleType)]
    with pytest.raises(AttributeError):
        hopscope.nothing  # noqa: B018 - the access is the test
