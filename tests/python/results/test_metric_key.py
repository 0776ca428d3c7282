"""Keys of metrics."""

import pytest

import hopscope
from hopscope.errors import UsageError
from hopscope.metric_key import LASTING, SIGNED, MetricKey, parse


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("latency.mean", MetricKey("latency", "all", "mean")),
        ("latency[short].p99", MetricKey("latency", "short", "p99")),
        ("burst time.mean", MetricKey("burst time", "all", "mean")),
        ("throughput", MetricKey("throughput", "all", None)),
    ],
)
def test_a_key_names_metric_class_and_statistic(text: str, key: MetricKey):
    assert parse(text) == key
    assert str(key) == text


@pytest.mark.parametrize("text", ["", ".mean", "latency[].mean", "latency.", "latency[short", "a.b.c"])
def test_anything_else_is_refused_with_an_example(text: str):
    with pytest.raises(UsageError, match=r"latency\[short\]\.p99"):
        parse(text)


def test_the_metrics_that_are_read_by_name_are_metrics_of_runs():
    run = hopscope.run("arpanet-row", set={"duration": "1 s"})
    assert SIGNED | set(LASTING) <= {row["name"] for row in run.summary.fields["metrics"]}
