"""Two designs compared seed by seed: differences, verdicts, the same numbers as a sweep, doubts."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import QUEUE
from hopscope.errors import UsageError
from hopscope.estimate import Estimate, interval_of_mean
from hopscope.experiments.compare import Comparison, Difference, _share
from hopscope.report import designs_page

TINY = {"measure.messages": 300}
TINY_QUEUE = {
    "arrivals": {"load": 0.5, "process": "poisson"},
    "station": [{"servers": 1, "service": {"exponential": "10 us"}}],
    "measure": {"messages": 300},
}


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
    assert "note: 4 of 4 runs of A and B have no upper bound of latency.p99: too few messages." in done.stdout
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


JOB = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 4}},
    "routing": {"rule": "shortest"},
    "frames": {},
    "link": {"rate": "100G"},
    "flows": [
        {
            "hosts": "all",
            "pattern": {"all-reduce": {"size": "1 MiB", "algorithm": "halving-doubling"}},
            "rounds": 2,
        }
    ],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}
FAULT = {"faults": [{"at": "20us", "link": ["leaf0", "spine0"], "goes": "down"}]}


def test_a_design_that_lost_data_is_named_beside_each_verdict_and_in_a_note():
    """Rounds count lost data as delivered: without the words the broken job looked as good as the other."""
    result = hopscope.compare(JOB, JOB, set_b=FAULT, seeds=2)
    (point,) = result.points
    found = point.difference("round.mean")
    assert list(found.lossy) == ["B"]
    assert found.in_words == f"{found.verdict}; B lost data"
    lost, unfinished, *_ = result.notes()
    assert lost == (
        "2 of 2 runs of B lost data for good: no host sends it again, and the times of rounds count it as "
        "delivered; a job that needs it would have stopped."
    )
    left, begun = (
        int(sum(run.metric(key).value for run in point.b))
        for key in ("unfinished flows.count", "flows.count")
    )
    assert left > 0
    assert unfinished == (
        f"2 of 2 runs of B have unfinished flows: {left} of {begun} flows had not ended, and latencies and "
        "slowdowns are those of the flows that ended."
    )
    doubts = result.data()[0]["doubts"]
    assert {"lost", "unfinished"} <= set(doubts["b"])
    assert not {"lost", "unfinished"} & set(doubts["a"])
    told = designs_page.page(result).data()
    assert told["headline"].endswith(
        "B lost data for good: no host sends it again, and the times of rounds count it as delivered."
    )
    (sections,) = [each for each in told["sections"] if each["heading"] == "Differences"]
    assert sections["rows"][0][0] == "round, mean (µs)"
    assert all(row[-1].endswith("; B lost data") for row in sections["rows"])


def test_dicts_without_titles_are_called_by_their_letters():
    few = {"model": "queueing", **TINY_QUEUE}
    result = hopscope.compare(few, few, set_b={"arrivals.load": 0.3}, seeds=2)
    assert (result.a, result.b_in_words) == ("A", "B with arrivals.load=0.3")
    titled = hopscope.compare(few | {"title": "old"}, few, seeds=2)
    assert repr(titled).startswith("<ComparisonResult old and B: ")


def test_a_sweep_says_where_data_was_lost():
    sweep = hopscope.sweep(JOB, {"faults": [[], FAULT["faults"]]})
    assert sweep.notes[0].startswith("1 of 2 points lost data for good (faults = [")


def test_there_is_no_verdict_without_an_interval():
    def of(*values: float, width: float = 1.0) -> Estimate:
        (value,) = set(values)
        return Estimate(value, value - width, value + width, "us", 10)

    change = interval_of_mean([-0.25, -0.25, -0.25], "us")
    measured = Difference("latency.p99", of(5.0), of(4.75), change, None)
    assert measured.verdict is Comparison.NO_INTERVAL
    exact = Difference("latency.max", of(5.0, width=0.0), of(4.75, width=0.0), change, None)
    assert exact.verdict is Comparison.LOWER
    same = Difference("latency.p99", of(5.0), of(5.0), interval_of_mean([0.0, 0.0], "us"), None)
    assert same.verdict is Comparison.SAME


def test_a_comparison_is_kept_in_a_folder_with_its_page(command: Callable[..., Result], tmp_path: Path):
    asked = ("compare", QUEUE, "queueing-md1", "--over", "arrivals.load=0.3,0.6", "--seeds", "2")
    few = ("--set", "measure.messages=300", "--metric", "latency.p50")
    done = command(*asked, *few, "--out", "kept")
    assert done.exit_code == 0, done.stderr
    assert "written to kept, report in kept/report.html" in done.stderr
    kept = Path("kept")
    runs = sorted(each.name for each in (kept / "runs").iterdir())
    assert runs[:3] == ["001-a-seed-1", "001-a-seed-2", "001-b-seed-1"]
    assert len(runs) == 8
    assert hopscope.read(kept / "runs" / runs[0]).seed == 1
    content = json.loads((kept / "comparison.json").read_text())
    assert (content["a"], content["b"], content["seeds"]) == (QUEUE, "queueing-md1", [1, 2])
    first = content["differences"][0]
    assert (first["metric"], first["set"]) == ("latency.p50", {"arrivals.load": 0.3})
    with (kept / "comparison.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == len(content["differences"])
    assert (rows[0]["metric"], rows[0]["statistic"], rows[0]["unit"]) == ("latency", "p50", "us")
    assert float(rows[0]["change"]) == first["change"]["value"]
    assert {row["verdict"] for row in rows} <= set(Comparison)
    assert "Differences" in (kept / "report.html").read_text()
    again = command(*asked, *few, "--out", "kept")
    assert again.exit_code == 2
    assert "kept" in again.stderr


def test_the_differences_are_a_frame():
    result = hopscope.compare(QUEUE, "queueing-md1", {"arrivals.load": [0.3, 1.2]}, set=TINY, seeds=2)
    table = result.to_pandas()
    assert list(table.columns) == result.metrics.columns
    assert list(table.columns[:6]) == ["arrivals.load", "metric", "class", "statistic", "unit", "unit_b"]
    mean = table[(table["metric"] == "latency") & (table["statistic"] == "mean")]
    found = result.points[0].difference("latency.mean")
    assert mean["change"].iloc[0] == found.change.value
    assert mean["change_low"].iloc[0] == found.change.low
    assert mean["verdict"].iloc[1] == Comparison.NO_NUMBER
    assert mean["change"].isna().iloc[1]


def test_a_page_of_several_settings_counts_the_verdicts():
    result = hopscope.compare(QUEUE, QUEUE, {"arrivals.load": [0.3, 0.6]}, set=TINY, seeds=2)
    told = designs_page.page(result).data()
    assert told["headline"] == (
        "Throughput: the same at 2 of 2 settings. Mean latency: the same at 2 of 2 settings."
    )
    (figures,) = [each for each in told["sections"] if each["heading"] == "Curves"]
    names = [series["name"] for series in figures["figures"][0]["series"]]
    assert names == ["mean, A", "99th percentile, A", "mean, B", "99th percentile, B"]
