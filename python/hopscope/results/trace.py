"""Events of messages recorded by a run that keeps journeys, found by name and message.

An event is named as in "RFNM arrives (i-4)": the event, and its message, counted from a message i. A REQALL
and its answer are those that message i sent or had to wait for; "GVB sent" needs no message.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.errors import UsageError
from hopscope.results.trace_event import DATA_PACKET, TraceEvent

if TYPE_CHECKING:
    import polars as pl

REQUESTS = (TraceEvent.REQUEST_SENT, TraceEvent.SUPERFLUOUS_REQUEST_SENT)
LOST = TraceEvent.INCOMPLETE_ARRIVES
_ANSWERED = (TraceEvent.REQUEST_ARRIVES, TraceEvent.ALLOCATION_SENT, TraceEvent.ALLOCATION_ARRIVES, LOST)
_NAME = re.compile(r"(?P<event>.+?)(?: \(i(?P<offset>[+-]\d+)?\))?")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventName:
    """An event and its message, counted from message i."""

    event: str
    offset: int = 0

    @classmethod
    def parse(cls, text: str) -> "EventName":
        """The name written as "RFNM arrives (i-4)"; without brackets it is message i's own."""
        found = _NAME.fullmatch(text)
        assert found is not None
        return cls(found["event"], int(found["offset"] or 0))

    def __str__(self) -> str:
        """As it is written, in full."""
        return f"{self.event} ({relative(self.offset)})"


@dataclass(frozen=True, slots=True)
class Request:
    """A REQALL: the message that sent it, and its rows by event."""

    message: int | None
    rows: Mapping[str, Row]

    def at(self, *events: str) -> int | None:
        """The time of the first known one of these events, in picoseconds."""
        return next((self.rows[event]["from_ps"] for event in events if event in self.rows), None)


class Trace:
    """The rows of one run, in the order of time."""

    def __init__(self, frame: "pl.DataFrame") -> None:
        """`frame` is the table of a run folder; an empty one is refused with a hint."""
        if frame.is_empty():
            raise UsageError("the run kept no trace", "set measure.journeys to a number of messages")
        rows = frame.to_dicts()
        self.happened = [row for row in rows if row["from_ps"] == row["to_ps"] and row["place"] == row["to"]]
        self.passages = [row for row in rows if row["place"] != row["to"]]
        self.requests = _requests(self.happened)

    def of_message(self, message: int) -> list[Row]:
        """The events of a message, without its REQALL."""
        return [row for row in self.happened if row["message"] == message]

    def first(self, name: EventName, i: int) -> Row:
        """The first row of this event. Raises UsageError if there is none."""
        rows = self.all(name, i)
        if not rows:
            raise UsageError(f"`{name}` did not happen to message i = {i}", "choose another message")
        return rows[0]

    def all(self, name: EventName, i: int) -> list[Row]:
        """Every row of this event and message."""
        message = i + name.offset
        if name.event in (*REQUESTS, *_ANSWERED):
            mine = [request.rows for request in self.requests if request.message == message]
            # A superfluous REQALL is a REQALL, too.
            wanted = REQUESTS if name.event == REQUESTS[0] else (name.event,)
            asked = [rows[event] for rows in mine for event in wanted if event in rows]
            if asked:
                return asked
            # A discarded single-packet message is a request itself (RFC 632).
        if name.event == TraceEvent.GIVE_BACK_SENT:
            return [row for row in self.happened if row["event"] == name.event]
        return [row for row in self.of_message(message) if row["event"] == name.event]

    def in_order(self, names: Sequence[EventName], i: int) -> list[EventName]:
        """Every occurrence of these events, in order of time."""
        places = {id(row): index for index, row in enumerate(self.happened)}
        found = [(places[id(row)], name) for name in dict.fromkeys(names) for row in self.all(name, i)]
        return [name for _, name in sorted(found, key=lambda pair: pair[0])]

    def path(self) -> list[str]:
        """The places that data packets pass, from the source to the destination."""
        onward: dict[str, dict[str, int]] = {}
        for row in self.passages:
            if row["event"] == DATA_PACKET:
                ways = onward.setdefault(row["place"], {})
                ways[row["to"]] = ways.get(row["to"], 0) + 1
        reached = {to for ways in onward.values() for to in ways}
        start = next((place for place in onward if place not in reached), next(iter(onward)))
        path = [start]
        while path[-1] in onward:
            ways = {to: count for to, count in onward[path[-1]].items() if to not in path}
            if not ways:
                break
            path.append(max(ways, key=lambda to: ways[to]))
        return path


def relative(offset: int) -> str:
    """A message counted from message i: "i-4"."""
    return f"i{offset:+d}" if offset else "i"


def _requests(happened: Sequence[Row]) -> list[Request]:
    """Every REQALL with its answer: they share a message number until the answer is back."""
    holder: dict[int, int] = {}
    open_requests: dict[int, dict[str, Row]] = {}
    requests = []
    for row in happened:
        number = row["number"]
        if row["event"] == TraceEvent.NUMBER_TAKEN:
            holder[number] = row["message"]
        elif row["event"] in REQUESTS:
            open_requests[number] = {row["event"]: row}
            requests.append(Request(holder.get(number), open_requests[number]))
        elif row["event"] in _ANSWERED and row["message"] < 0 and number in open_requests:
            open_requests[number].setdefault(row["event"], row)
    return requests
