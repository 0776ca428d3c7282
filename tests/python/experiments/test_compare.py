"""Two designs compared seed by seed: differences, verdicts, the same numbers as a sweep, doubts."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

import hopscope
from conftest import QUEUE
from hopscope.errors import UsageError
from hopscope.estimate import interval_of_mean
from hopscope.experiments.compare import Comparison, _share

TINY = {"measure.messages": 300}


def test_the_interval_of_a_mean_is_students():
    # Five values by hand: mean 3, deviation sqrt(2.5), t of 4 degrees 2.7764451.
    found = interval_of_mean([1.0, 2.0, 3.0, 4.0, 5.0], "us")
    assert found.value == 3.0
    assert found.half_width == pytest.approx(2.7764451 * (2.5 / 5) ** 0.5, rel=1e-6)


def test_a_design_is_the_same_as_itself():
    same = hopscope.compare(QUEUE, QUEUE, {"arrivals.load": [0.3, 0.6]}, set=TINY, seeds=3)
    assert {row["verdict"] for row in same.data()} == {Comparison.SAME}


def test_paired_seeds_show_a_small_difference():
    """A load that is 1 % lower: by pairs the difference shows, where the intervals of both overlap."""
    common = {"measure.messages": 20_000, "arrivals.load": 0.5}
    result = hopscope.compare(QUEUE, QUEUE, set=common, set_b={"arrivals.load": 0.495}, seeds=5)
    (point,) = result.points
    found = point.difference("latency.mean")
    assert found.verdict == Comparison.LOWER
    assert found.a.low < found.b.high


def test_what_has_no_number_is_not_judged():
    result = hopscope.compare(QUEUE, QUEUE, set=TINY, set_b={"arrivals.load": 1.5}, seeds=2)
    assert {row["verdict"] for row in result.data(["latency.mean"])} == {Comparison.NO_NUMBER}


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


def test_networks_of_two_sizes_are_compared_by_host_as_well():
    """The larger network carries more without being better."""
    few = {"measure.messages": 500}
    star = {"model": "fabric", "frames": {}, "traffic": {"load": 0.2}}
    four, eight = (star | {"network": {"star": {"arms": 0, "hosts_at_hub": hosts}}} for hosts in (4, 8))
    [*_, note] = hopscope.compare(four, eight, set=few, seeds=2).notes()
    assert note.startswith(
        "A has 4 hosts and B has 8 hosts: throughput is that of all of them, for each host "
    )
    assert " Gbit/s in A and " in note
    result = hopscope.compare(four, four, set=few, seeds=2)
    assert not any("has 4 hosts" in each for each in result.notes())


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


def test_a_delay_in_ms_is_compared_with_one_in_us():
    result = hopscope.compare(QUEUE, "sna-chain", set=TINY, seeds=2)
    (point,) = result.points
    found, slow = point.difference("latency.mean"), point.sides["B"].metric("latency.mean")
    assert (found.a.unit, slow.unit, found.b.unit, found.change.unit) == ("us", "ms", "us", "us")
    assert found.b.value == pytest.approx(1_000 * slow.value)
    assert found.change.value == pytest.approx(found.b.value - found.a.value)
    assert found.verdict == Comparison.HIGHER


def test_quantities_of_two_kinds_have_no_difference(command: Callable[..., Result]):
    few = ("--set", "measure.messages=300", "--seeds", "2", "--metric", "throughput")
    done = command("compare", "an1-tandem", "sna-chain", *few)
    cells = done.stdout.splitlines()[4]
    assert cells.startswith("throughput  ")
    assert " Gbit/s " in cells
    assert " 1/s " in cells
    assert cells.split("1/s")[1].split("  ")[-1].strip() == Comparison.OTHER_UNITS
    assert "no number" in cells
    (row,) = json.loads(command("compare", "an1-tandem", "sna-chain", *few, "--json").stdout)
    assert (row["unit"], row["unit_b"]) == ("Gbit/s", "1/s")
    assert (row["change"], row["share"], row["verdict"]) == (None, None, "units differ")


def test_the_relative_change_is_the_difference_over_the_mean_beside_it():
    """Two seeds near saturation: the mean of the ratios of each seed was far from the ratio of the means."""
    common = {"measure.messages": 1_000, "arrivals.load": 0.9}
    result = hopscope.compare(QUEUE, QUEUE, set=common, set_b={"arrivals.load": 0.95}, seeds=3)
    found = result.points[0].difference("latency.p99")
    assert found.share.value == pytest.approx(found.change.value / found.a.value)
    assert found.share.low < found.share.value < found.share.high


def test_the_interval_of_a_relative_change_is_that_of_a_ratio_of_paired_means():
    # By hand: means 3 and 4, ratio 4/3; B - ratio * A is 1/3, 0 and -1/3, whose deviation is 1/3.
    share = _share([(2.0, 3.0), (3.0, 4.0), (4.0, 5.0)])
    assert share.value == pytest.approx(1 / 3)
    assert share.half_width == pytest.approx(4.3026527 * (1 / 3) / 3 / 3**0.5, rel=1e-6)
    assert _share([(0.0, 1.0), (0.0, 2.0)]) is None


def test_what_is_wrong_in_b_alone_is_told_as_of_its_option(command: Callable[..., Result]):
    for option in ("--set", "--set-b"):
        done = command("compare", QUEUE, QUEUE, option, "nope=1")
        assert done.exit_code == 2
        assert f" --> {option}:1:1\n" in done.stderr


@pytest.mark.parametrize("value", ["abc", "3"])
def test_a_seed_of_b_alone_is_refused(command: Callable[..., Result], value: str):
    done = command("compare", QUEUE, QUEUE, "--set-b", f"seed={value}", "--seeds", "2")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the seed is no path to vary\nhint: ")


@pytest.mark.parametrize("option", ["set", "set_b"])
def test_what_the_swept_values_would_replace_is_refused(option: str):
    changed = {option: {"arrivals.load": 0.5}}
    with pytest.raises(UsageError, match=r"`arrivals\.load` is swept over, and set to one value") as refused:
        hopscope.compare(QUEUE, QUEUE, {"arrivals.load": [0.2, 0.3]}, **changed)
    assert refused.value.hint == f"leave it out of `over` or of `{option}`"


def test_one_setting_is_told_in_the_singular():
    result = hopscope.compare(QUEUE, QUEUE, set=TINY, seeds=2)
    assert repr(result) == f"<ComparisonResult {QUEUE} and {QUEUE}: 1 setting, 2 seeds>"


def test_a_design_that_ends_in_a_deadlock_is_told_with_its_cycle(command: Callable[..., Result]):
    few = ("--set", "measure.messages=2000", "--seeds", "2")
    done = command("compare", "an1-tandem", "an1-deadlock", *few)
    assert done.exit_code == 1
    _, _, told = done.stdout.partition("\nB ends in a deadlock (seed 1): a cycle of ")
    assert " waits for " in told.splitlines()[2]
    assert "A ends in" not in done.stdout
    assert command("compare", "an1-tandem", "an1-tandem", *few).exit_code == 0


def test_a_finished_run_is_not_compared_and_its_scenario_is_named(command: Callable[..., Result]):
    hopscope.run(QUEUE, set=TINY, out="done")
    for pair in (("done", QUEUE), (QUEUE, "done")):
        done = command("compare", *pair)
        assert done.exit_code == 2
        assert "`done` is a finished run" in done.stderr
        assert "done/scenario.toml; `hopscope view`" in done.stderr
    # A folder of a ready scenario's name is not meant.
    hopscope.run(QUEUE, set=TINY, out=QUEUE)
    assert command("compare", QUEUE, QUEUE, "--set", "measure.messages=300").exit_code == 0
