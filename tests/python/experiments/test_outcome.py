"""How runs end: the worst of several is that of their point, and the words for each."""

import itertools
import json

import pytest

from hopscope.errors import UnknownMetricError
from hopscope.results import shapes
from hopscope.results.outcome import OF_RUNS, Outcome
from hopscope.results.points import over_seeds
from hopscope.results.summary import Summary


def test_the_worst_outcome_of_several_runs_is_that_of_their_point_in_any_order():
    for order in itertools.permutations((Outcome.COMPLETE, Outcome.SATURATED, Outcome.DEADLOCK)):
        assert Outcome.of_runs(order) is Outcome.DEADLOCK
    assert Outcome.of_runs([Outcome.INTERRUPTED, Outcome.UNSETTLED]) is Outcome.INTERRUPTED
    assert Outcome.of_runs([Outcome.COMPLETE] * 2) is Outcome.COMPLETE


def test_an_outcome_is_shown_as_the_text_that_it_is():
    assert (repr(Outcome.COMPLETE), f"{Outcome.COMPLETE}") == ("'complete'", "complete")
    assert json.dumps({"outcome": Outcome.COMPLETE}) == '{"outcome": "complete"}'


def test_only_a_run_that_measured_as_asked_has_no_warning():
    assert [each for each in OF_RUNS if each.warning is None] == [Outcome.COMPLETE]


def test_an_outcome_that_there_is_not_is_named_with_those_that_there_are():
    fault = shapes.fault("exploded", shapes.SUMMARY["outcome"], "outcome")
    assert fault == "`outcome` is none of complete, deadlock, interrupted, saturated, unsettled"


def with_metrics(*statistics: str) -> Summary:
    estimate = {"value": 10.0, "low": 8.0, "high": 12.0, "n": 100}
    rows = [
        {"name": "latency", "class": "all", "statistic": each, "unit": "us", "estimate": estimate}
        for each in statistics
    ]
    return Summary({"outcome": "complete", "metrics": rows})


def test_a_metric_that_one_run_lacks_is_no_number_of_the_point():
    runs = [with_metrics("mean", "p99"), with_metrics("mean")]
    for order in (runs, runs[::-1]):
        assert over_seeds("latency.p99", order, order, 2) is None
        assert over_seeds("latency.mean", order, order, 2).value == 10.0
    with pytest.raises(UnknownMetricError, match=r"no metric `latency.p50`"):
        over_seeds("latency.p50", runs, runs, 2)
