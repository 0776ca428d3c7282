"""The instants T(1) to T(7) of messages, compared with the trace, which is recorded separately."""

from itertools import pairwise

import polars as pl
import pytest

import hopscope
from hopscope.results.run import RunResult

NAMES = [f"t{number}_ps" for number in range(1, 8)]

# RFC 619: the first table entry; the first packet in its output queue; complete at the destination; the RFNM
# sent; the RFNM back.
EVENTS = {
    "t2_ps": ("table entry made",),
    "t3_ps": ("message sent",),
    "t4_ps": ("message arrives",),
    "t5_ps": ("RFNM sent", "RFNM with ALL sent"),
    "t6_ps": ("RFNM arrives",),
}


@pytest.fixture(scope="module")
def row() -> RunResult:
    values = {"protocol.version": "3", "duration": "20 s", "measure.journeys": 60}
    return hopscope.run("arpanet-row", set=values)


def test_instants_follow_one_another_and_are_kept_once_a_message(row: RunResult):
    instants = row.instants
    assert instants.columns == ["message", "class", "from", "to", *NAMES]
    assert sorted(instants["message"].to_list()) == sorted(row.journeys["message"].unique().to_list())
    for earlier, later in pairwise(NAMES):
        assert (instants[earlier] <= instants[later]).all()


@pytest.mark.parametrize(("instant", "events"), EVENTS.items())
def test_an_instant_is_when_the_trace_has_it(row: RunResult, instant: str, events: tuple[str, ...]):
    traced = row.trace.filter(pl.col("event").is_in(events)).group_by("message").agg(pl.col("from_ps").min())
    both = row.instants.join(traced, on="message").sort("message")
    if instant == "t4_ps":
        # A message is put on the host's queue in its turn: when those sent before it are there, too.
        both = both.with_columns(pl.col("from_ps").cum_max().over("from", "to"))
    assert len(both) == len(row.instants) == 60
    assert (both[instant] == both["from_ps"]).all()


def test_a_life_begins_and_ends_with_its_first_and_last_stage(row: RunResult):
    lives = row.journeys.group_by("message").agg(pl.col("from_ps").min(), pl.col("to_ps").max())
    both = row.instants.join(lives, on="message")
    assert (both["t1_ps"] == both["from_ps"]).all()
    assert (both["t7_ps"] == both["to_ps"]).all()


def test_without_journeys_there_are_no_instants():
    assert hopscope.run("arpanet-row", set={"duration": "5 s"}).instants.is_empty()
