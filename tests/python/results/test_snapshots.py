"""The state of the net at instants, as frames."""

from pathlib import Path

import polars as pl

import hopscope


def _of(frame: pl.DataFrame, quantity: str) -> pl.DataFrame:
    return frame.filter(pl.col("quantity") == quantity)


def test_the_state_at_instants_is_a_frame(tmp_path: Path):
    values = {"duration": "10 s", "measure.snapshots": ["2 s", "4.5 s"]}
    run = hopscope.run("arpanet-row", set=values, out=tmp_path / "row")
    assert run.network is not None
    imps = {node["name"] for node in run.network["nodes"]}
    frame = run.snapshots
    assert frame["at_ps"].unique().sort().to_list() == [2 * 10**12, 45 * 10**11]
    # Every IMP knows a way to every other, by one of its neighbours.
    routes = _of(frame, "delay estimate")
    assert len(routes) == 2 * len(imps) * (len(imps) - 1)
    neighbours = {(link["from"], link["to"]) for link in run.network["links"]}
    both = neighbours | {(to, start) for start, to in neighbours}
    assert {(row["place"], row["next"]) for row in routes.to_dicts()} <= both
    # The sender keeps its table of six busy, and what the tables hold never exceeds it.
    leaders = _of(frame, "pending leader table")
    assert 0 < leaders["value"].max() <= 6
    assert hopscope.read(tmp_path / "row").snapshots.equals(frame)


def test_without_them_there_are_none():
    assert hopscope.run("arpanet-row", set={"duration": "5 s"}).snapshots.is_empty()
