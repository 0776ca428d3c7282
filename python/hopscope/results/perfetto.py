"""The journeys of messages as a trace that the Perfetto UI opens.

Tracks are the resources at their places, ports and pools alike; a slice is the time for which a message waits
for one or owns it; arrows (flows) lead from each slice of a message to its next. Perfetto counts in
nanoseconds, so picoseconds are rounded down.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hopscope import kinds
from hopscope.errors import UsageError
from hopscope.extras import extra
from hopscope.results.lives import Stage, lives
from hopscope.units import PS

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

PS_PER_NS = PS["ns"]
SEQUENCE = 1


def trace(run: "RunResult") -> bytes:
    """A run's journeys as a serialised Perfetto trace. Raises UsageError if the run has kept none."""
    with extra("trace"):
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent
        from perfetto.trace_builder.proto_builder import TraceProtoBuilder

    builder = TraceProtoBuilder()
    tracks = _tracks(_stages(run))
    _describe(builder, 1, run.title, None)
    identity = 1
    for place, resources in tracks.items():
        identity += 1
        group = identity
        _describe(builder, group, place, 1)
        for resource, lanes in resources.items():
            for number, lane in enumerate(lanes, start=1):
                identity += 1
                name = resource if len(lanes) == 1 else f"{resource} {number}"
                _describe(builder, identity, name, group)
                _slices(builder, identity, lane, TrackEvent)
    return builder.serialize()


def _stages(run: "RunResult") -> list[Stage]:
    """Every stage of every journey in order of time."""
    stages = [stage for life in lives(run) for stage in life.stages]
    if not stages:
        asked = run.measure.get("journeys", 0)
        raise UsageError(
            f"`{run.name}` has kept no journeys to trace",
            None if asked else "run it with --set measure.journeys=1000",
        )
    return sorted(stages, key=lambda stage: (stage["from_ps"], stage["message"]))


def _tracks(stages: Sequence[Stage]) -> dict[str, dict[str, list[list[Stage]]]]:
    """By place and by resource, waits apart from services: as many lanes as messages at once."""
    tracks: dict[str, dict[str, list[list[Stage]]]] = {}
    for stage in stages:
        name = f"{stage['resource']}, waited for" if kinds.is_wait(stage["stage"]) else stage["resource"]
        lanes = tracks.setdefault(stage["place"], {}).setdefault(name, [])
        free = next((lane for lane in lanes if lane[-1]["to_ps"] <= stage["from_ps"]), None)
        if free is None:
            lanes.append([stage])
        else:
            free.append(stage)
    return tracks


def _describe(builder: Any, identity: int, name: str, parent: int | None) -> None:
    packet = builder.add_packet()
    packet.track_descriptor.uuid = identity
    packet.track_descriptor.name = name
    if parent is not None:
        packet.track_descriptor.parent_uuid = parent


def _slices(builder: Any, track: int, lane: Sequence[Stage], kinds: Any) -> None:
    """Beginning and end of each slice, in order; the flow's number is the message's."""
    for stage in lane:
        for at_ps, kind in _ends(stage, kinds):
            packet = builder.add_packet()
            packet.timestamp = at_ps // PS_PER_NS
            packet.trusted_packet_sequence_id = SEQUENCE
            packet.track_event.type = kind
            packet.track_event.track_uuid = track
            if kind == kinds.TYPE_SLICE_BEGIN:
                packet.track_event.name = f"message {stage['message']}: {stage['stage']}"
                packet.track_event.categories.append(stage["kind"])
                # A flow's number must not be 0.
                packet.track_event.flow_ids.append(stage["message"] + 1)


def _ends(stage: Stage, kinds: Any) -> Iterator[tuple[int, int]]:
    yield stage["from_ps"], kinds.TYPE_SLICE_BEGIN
    yield stage["to_ps"], kinds.TYPE_SLICE_END
