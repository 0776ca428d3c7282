"""Two designs compared seed by seed: differences, verdicts, the same numbers as a sweep, doubts."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

import hopscope
from conftest import QUEUE
from hopscope.estimate import interval_of_mean
from hopscope.experiments.compare import Verdict

TINY = {"measure.messages": 300}


def test_the_interval_of_a_mean_is_students():
    # Five values by hand: mean 3, deviation sqrt(2.5), t of 4 degrees 2.7764451.
    found = interval_of_mean([1.0, 2.0, 3.0, 4.0, 5.0], "us")
    assert found.value == 3.0
    assert found.half_width == pytest.approx(2.7764451 * (2.5 / 5) ** 0.5, rel=1e-6)


def test_a_design_is_the_same_as_itself():
    same = hopscope.compare(QUEUE, QUEUE, {"arrivals.load": [0.3, 0.6]}, set=TINY, seeds=3)
    assert {row["verdict"] for row in same.data()} == {Verdict.SAME}


def test_paired_seeds_show_a_small_difference():
    """A load that is 1 % lower: by pairs the difference shows, where the intervals of both overlap."""
    common = {"measure.messages": 20_000, "arrivals.load": 0.5}
    result = hopscope.compare(QUEUE, QUEUE, set=common, set_b={"arrivals.load": 0.495}, seeds=5)
    (point,) = result.points
    found = point.difference("latency.mean")
    assert found.verdict == Verdict.LOWER
    assert found.a.low < found.b.high


def test_what_has_no_number_is_not_judged():
    result = hopscope.compare(QUEUE, QUEUE, set=TINY, set_b={"arrivals.load": 1.5}, seeds=2)
    assert {row["verdict"] for row in result.data(["latency.mean"])} == {Verdict.NO_NUMBER}


def test_a_comparison_has_the_numbers_of_a_sweep_of_the_same_runs():
    over = {"arrivals.load": [0.3, 0.7]}
    swept = hopscope.sweep(QUEUE, over, set=TINY, seeds=4)
    compared = hopscope.compare(QUEUE, "queueing-md1", over, set=TINY, seeds=4)
    for point, other in zip(swept.points, compared.points, strict=True):
        for key in ("throughput", "latency.mean", "latency.p99"):
            assert other.difference(key).a == point.metric(key)


def test_a_comparison_says_what_speaks_against_its_figures(command: Callable[..., Result]):
    few = ("--set", "measure.messages=300", "--seeds", "2")
    done = command("compare", QUEUE, "queueing-md1", *few)
    assert "note: 2 of 2 points have no upper bound of latency.p99 (A; B): too few messages." in done.stdout
    rows = json.loads(command("compare", QUEUE, "queueing-md1", *few, "--json").stdout)
    assert all("no-upper-bound" in row["doubts"][side] for row in rows for side in ("a", "b"))
    (tail,) = [row for row in rows if row["metric"] == "latency.p99"]
    assert tail["a"]["high"] is None


def test_a_comparison_shows_what_is_set_in_b_alone(command: Callable[..., Result]):
    done = command("compare", QUEUE, QUEUE, "--set-b", "arrivals.load=0.3", "--set", "measure.messages=300")
    assert done.stdout.startswith(f"A: {QUEUE}, B: {QUEUE} with arrivals.load=0.3\n")
    result = hopscope.compare(QUEUE, QUEUE, set=TINY, set_b={"arrivals.load": 0.3}, seeds=2)
    assert f"{QUEUE} with arrivals.load=0.3" in repr(result)


def test_a_comparison_as_a_table(command: Callable[..., Result]):
    done = command(
        "compare",
        QUEUE,
        QUEUE,
        "--set-b",
        "arrivals.load=0.3",
        "--set",
        "measure.messages=5000",
        "--seeds",
        "3",
    )
    assert done.exit_code == 0, done.stderr
    assert "3 seeds from 1" in done.stdout
    assert "B is lower" in done.stdout
    assert command("compare", QUEUE, QUEUE, "--seeds", "1").exit_code == 2
