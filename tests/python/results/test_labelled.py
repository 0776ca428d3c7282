"""Results for pandas and xarray, pickled, and shown."""

import math
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import hopscope
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepResult


def values(metrics: pl.DataFrame) -> list[float]:
    """The values of metrics, as pandas has them: what has no number is NaN."""
    return metrics["value"].fill_null(math.nan).to_list()


def test_a_run_for_pandas_has_the_rows_of_its_frame(network_run: RunResult):
    frame = network_run.to_pandas()
    assert list(frame.columns) == network_run.metrics.columns
    assert frame["value"].tolist() == pytest.approx(values(network_run.metrics), nan_ok=True)


def test_a_sweep_for_pandas_begins_with_what_was_swept(network_sweep: SweepResult):
    frame = network_sweep.to_pandas()
    assert list(frame.columns) == network_sweep.metrics.columns
    assert sorted(set(frame["traffic.load"])) == [0.2, 0.4, 1.0]


def test_labelled_arrays_hold_every_point_and_both_ends(network_sweep: SweepResult):
    data = network_sweep.to_xarray()
    assert dict(data.sizes) == {"traffic.load": 3, "seed": 1, "end": 3}
    for load, latency in network_sweep.curve("latency.mean"):
        found = data["latency.mean"].sel({"traffic.load": load, "seed": 1})
        if latency is None:
            assert np.isnan(found).all()
        else:
            assert found.values.tolist() == [latency.value, latency.low, latency.high]
    assert data["latency.mean"].attrs["units"] == "us"


def test_the_metrics_of_an_experiment_are_a_frame_of_pandas():
    """Without pyarrow, which no extra brings, and which the frames of polars ask for."""
    few = {"measure.messages": 2_000}
    lab = hopscope.Experiment(["queueing-mm1"], over={"arrivals.load": [0.2, 0.4]}, set=few, seeds=2)
    result = hopscope.perform(lab)
    frame = result.to_pandas()
    assert list(frame.columns) == result.metrics.columns
    assert frame["metric"].tolist() == result.metrics["metric"].to_list()
    assert frame["value"].tolist() == pytest.approx(values(result.metrics), nan_ok=True)


def test_two_swept_paths_are_two_dimensions():
    over = {"arrivals.load": [0.2, 0.4], "measure.warmup": ["none", "auto"]}
    swept = hopscope.sweep("queueing-mm1", over=over, set={"measure.messages": 2_000}, seeds=2)
    data = swept.to_xarray()["latency.mean"]
    assert data.dims == ("arrivals.load", "measure.warmup", "seed", "end")
    for point in swept.points:
        for run in point.runs:
            place = {**point.set, "seed": run.seed, "end": "value"}
            assert data.sel(place).item() == run.metric("latency.mean").value


def made() -> dict[str, Any]:
    """One of everything that a call gives."""
    few = {"measure.messages": 5_000}
    return {
        "run": hopscope.run("an1-tandem", set=few),
        "sweep": hopscope.sweep("queueing-mm1", over={"arrivals.load": [0.2, 0.4]}, set=few),
        "explanation": hopscope.explain("queueing-mm1", set=few),
        "topology": hopscope.topology("an1-torus"),
        "capacity": hopscope.capacity("an1-tandem", simulate=False),
        "check": hopscope.check("ib-torus-updn"),
        "comparison": hopscope.compare("queueing-mm1", "queueing-md1", set=few, seeds=2),
        "estimate": hopscope.run("queueing-mm1", set=few).metric("latency.mean"),
    }


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return made()


NAMES = ("run", "sweep", "explanation", "topology", "capacity", "check", "comparison", "estimate")


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_one_line_that_says_what_it_is(results: dict[str, Any], name: str):
    shown = repr(results[name])
    assert shown.startswith((f"<{type(results[name]).__name__} ", "<Explanation:"))
    assert shown.endswith(">")
    assert "\n" not in shown
    assert " object at 0x" not in shown


@pytest.mark.parametrize("name", NAMES)
def test_every_result_travels_to_another_process(results: dict[str, Any], name: str):
    back = pickle.loads(pickle.dumps(results[name]))
    assert repr(back) == repr(results[name])


@pytest.mark.parametrize(
    "name", ["run", "sweep", "explanation", "topology", "capacity", "check", "comparison"]
)
def test_a_notebook_shows_every_result(results: dict[str, Any], name: str):
    assert results[name]._repr_html_().lstrip().startswith("<")


def test_a_true_progress_is_a_bar_and_changes_nothing(capsys: pytest.CaptureFixture[str]):
    few = {"measure.messages": 5_000}
    shown = hopscope.run("queueing-mm1", set=few, progress=True)
    assert shown.metric("latency.mean") == hopscope.run("queueing-mm1", set=few).metric("latency.mean")
    assert capsys.readouterr().out == ""
