"""A whole net on one page: tables, pairs, chart and map."""

from pathlib import Path

import polars as pl
import pytest

import hopscope
from hopscope.errors import UnknownMetricError
from hopscope.report import sites
from hopscope.results.run import RunResult

SHORT = {"duration": "5 min"}


@pytest.fixture(scope="module")
def december() -> RunResult:
    return hopscope.run("arpanet-1973-12", set=SHORT)


def test_pairs_add_up_to_the_tables(december: RunResult):
    sent = december.pairs.filter(december.pairs["from"] == "SRI")
    from_sri = december.metric("round trip from[SRI].mean")
    assert from_sri is not None
    assert sent["messages"].sum() == from_sri.n
    weighted = (sent["messages"] * sent["delay_ms"]).sum() / sent["messages"].sum()
    assert weighted == pytest.approx(from_sri.value, rel=1e-9)


def test_a_pair_is_a_metric(december: RunResult):
    found = december.metric("pair[AMST -> AMES].mean")
    assert found is not None
    assert found.low < found.value < found.high
    # 74.3 messages a minute are published; five minutes hold some 350.
    rate = december.metric("pair[AMST -> AMES].rate")
    assert rate is not None
    assert rate.value == pytest.approx(74.3, rel=0.25)
    assert december.metric("pair[AMST -> Atlantis].mean") is None
    with pytest.raises(UnknownMetricError):
        hopscope.run("arpanet-idle-line", set={"duration": "1 min"}).metric("pair[A -> B].mean")


def test_a_pair_of_too_few_messages_has_no_interval():
    few = hopscope.run("arpanet-1973-12", set={"duration": "20 s"})
    ends = few.pairs.select("low", "high")
    assert not ends.select(pl.all().is_infinite().any()).row(0)[0]
    alone = few.pairs.filter(few.pairs["low"].is_null())
    assert len(alone) > 0
    assert alone["high"].is_null().all()
    assert alone["delay_ms"].is_not_null().all()
    row = alone.row(0, named=True)
    found = few.metric(f"pair[{row['from']} -> {row['to']}].mean")
    assert found is not None
    assert found.to_data()["low"] is None
    known = few.pairs.filter(few.pairs["low"].is_not_null())
    assert len(known) > 0
    assert (known["low"] <= known["delay_ms"]).all()


def test_the_page_has_tables_chart_and_map(december: RunResult, tmp_path: Path):
    text = december.report(tmp_path / "report.html").read_text(encoding="utf-8")
    for heading in ("Delay against hops", "Round trips by hops", "The three most favourite sites"):
        assert heading in text
    assert "T(5)-T(4)" in text
    # Metrics that stand in the tables are not listed again.
    assert "round trip from[SRI].mean" not in text
    drawn = december.network
    assert drawn is not None
    ucla = next(node for node in drawn["nodes"] if node["name"] == "UCLA")
    assert ucla["x"] == pytest.approx(-117.2 * 0.8)


def test_published_points_belong_to_the_month(december: RunResult):
    points = sites._published(december)
    assert {"x": 0, "series": "all messages", "value": 44.0} in points
    assert {"x": 0, "series": "without status reports", "value": 41.0} in points
    assert len(points) == 28
