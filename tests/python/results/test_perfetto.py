"""Traces for the Perfetto UI, read back as the protocol buffers that they are.

The trace processor itself is a binary that the `perfetto` package fetches from the network, so the rules by
which it reads a trace are checked here: every slice ends on its track, in order, and flows join slices.
"""

from collections import Counter
from collections.abc import Callable

import pytest
from click.testing import Result
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

import hopscope
from hopscope import engine
from hopscope.results import perfetto

Command = Callable[..., Result]


@pytest.fixture(scope="module")
def run():
    """A run with some journeys."""
    return hopscope.run("an1-two-clients", set={"measure.messages": 2_000, "measure.journeys": 40})


@pytest.fixture(scope="module")
def packets(run):
    """Its trace, read back."""
    trace = Trace()
    trace.ParseFromString(perfetto.trace(run))
    return trace.packet


def test_every_stage_of_some_length_is_a_slice(run, packets):
    begun = [packet for packet in packets if packet.track_event.type == TrackEvent.TYPE_SLICE_BEGIN]
    stages = [row for row in run.journeys.to_dicts() if row["to_ps"] > row["from_ps"]]
    assert len(begun) == len(stages) > 100
    told = Counter((packet.timestamp, packet.track_event.name) for packet in begun)
    assert told == Counter(
        (row["from_ps"] // 1000, f"message {row['message']}: {row['stage']}") for row in stages
    )
    assert {name for packet in begun for name in packet.track_event.categories} == {"wait", "service"}


def test_slices_of_a_track_follow_one_another(packets):
    open_since: dict[int, int | None] = {}
    last: dict[int, int] = {}
    for packet in packets:
        if not packet.HasField("track_event"):
            continue
        track, now = packet.track_event.track_uuid, packet.timestamp
        assert now >= last.get(track, 0)
        last[track] = now
        if packet.track_event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert open_since.get(track) is None
            open_since[track] = now
        else:
            assert open_since[track] is not None
            open_since[track] = None
    assert set(open_since.values()) == {None}


def test_tracks_are_resources_under_their_places(run, packets):
    described = {
        packet.track_descriptor.uuid: packet.track_descriptor
        for packet in packets
        if packet.HasField("track_descriptor")
    }
    places = {track.name for track in described.values() if track.parent_uuid == 1}
    assert places == {row["place"] for row in run.journeys.to_dicts() if row["to_ps"] > row["from_ps"]}
    used = {packet.track_event.track_uuid for packet in packets if packet.HasField("track_event")}
    assert {described[described[lane].parent_uuid].name for lane in used} == places


def test_a_flow_joins_all_slices_of_a_message_and_no_others(run, packets):
    begun = [packet for packet in packets if packet.track_event.type == TrackEvent.TYPE_SLICE_BEGIN]
    joined = Counter((tuple(packet.track_event.flow_ids), packet.timestamp) for packet in begun)
    stages = [row for row in run.journeys.to_dicts() if row["to_ps"] > row["from_ps"]]
    # No flow has the number 0, so that of a message is the next one.
    assert joined == Counter(((row["message"] + 1,), row["from_ps"] // 1000) for row in stages)
    assert len({flow for flow, _ in joined}) > 10


def test_the_command_writes_a_scenario_s_trace_and_a_run_s(command: Command, here):
    little = ("--set", "measure.messages=1000")
    done = command("trace", "queueing-mm1", *little, "--perfetto", "a.pftrace", "--journeys", "50")
    assert done.exit_code == 0, done.output
    assert "ui.perfetto.dev" in done.stderr
    command("run", "queueing-mm1", *little, "--set", "measure.journeys=50", "--out", "kept", "--quiet")
    assert command("trace", "kept", "--perfetto", "b.pftrace", "--quiet").exit_code == 0
    assert (here / "b.pftrace").read_bytes() == perfetto.trace(hopscope.read(here / "kept"))


def test_stations_without_journeys_are_refused_before_they_are_simulated(
    command: Command, here, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(engine, "run", lambda *_: pytest.fail("it was simulated"))
    refused = command("trace", "pup-overloaded-ethernet", "--perfetto", "a.pftrace")
    assert (refused.exit_code, list(here.iterdir())) == (2, [])
    assert "raw stations and echoes record none" in refused.stderr


def test_a_run_that_was_asked_for_journeys_is_not_told_to_ask_for_them(command: Command, here):
    few = ("--set", "measure.messages=100", "--set", "measure.journeys=10")
    command("run", "pup-overloaded-ethernet", *few, "--out", "kept", "--quiet", "--no-report")
    refused = command("trace", "kept", "--perfetto", "a.pftrace")
    assert refused.exit_code == 2
    assert refused.stderr == "error: `kept` has kept no journeys to trace\n"


def test_what_cannot_be_traced_leaves_nothing_behind(command: Command, here):
    command("run", "queueing-mm1", "--set", "measure.messages=1000", "--out", "kept", "--quiet")
    refused = command("trace", "kept", "--perfetto", "b.pftrace")
    assert refused.exit_code == 2
    assert "measure.journeys" in refused.stderr
    assert not (here / "b.pftrace").exists()
    (here / "taken").write_text("mine")
    refused = command("trace", "queueing-mm1", "--perfetto", "taken")
    assert refused.exit_code == 2
    assert (here / "taken").read_text() == "mine"
