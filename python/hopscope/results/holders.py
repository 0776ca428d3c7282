"""The owners of resources at an instant: messages, replies and requests, from a trace.

Kleinrock and Opderbeck (1977) draw such slices in Figs. 2, 7 and 8. A message owns a PLT entry from its
creation until its RFNM is back, and eight reassembly buffers (an ALL) from the time it takes them until its
first packet is at the host. A RFNM owns its message's PLT entry, and in transit the ALL that it carries.
"""

from dataclasses import dataclass
from enum import StrEnum

from hopscope.results.trace import LOST, REQUESTS, Trace
from hopscope.results.trace_event import TraceEvent

ENDS = (TraceEvent.RFNM_ARRIVES, LOST, TraceEvent.MESSAGE_BLOCKED)
SOURCE, NET, DESTINATION = "at the source", "on the way", "at the destination"


class HolderKind(StrEnum):
    """What may hold buffers and table entries."""

    MESSAGE = "message"
    RFNM = "RFNM"
    REQALL = "REQALL"
    ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Holder:
    """A message, RFNM, REQALL or ALL, where it is, and what it owns ("PLT", "ALL").

    `message` is nothing for an allocation that no message has taken.
    """

    kind: HolderKind
    message: int | None
    where: str
    owns: tuple[str, ...]


def at(trace: Trace, instant_ps: int) -> list[Holder]:
    """Everything under way at an instant, messages first, each in order of generation."""
    born = sorted({row["message"] for row in trace.happened if row["message"] >= 0})
    messages = [holder for number in born if (holder := _message(trace, number, instant_ps)) is not None]
    requests = [
        holder
        for request in trace.requests
        if (holder := _request(request.message, request, instant_ps)) is not None
    ]
    spare = [Holder(HolderKind.ALL, None, SOURCE, ("ALL",))] * _spare(trace, instant_ps)
    return messages + requests + spare


def _message(trace: Trace, number: int, instant: int) -> Holder | None:
    seen = [row for row in trace.of_message(number) if row["from_ps"] <= instant]
    last = {row["event"]: row["from_ps"] for row in seen}
    if not seen or not last.keys().isdisjoint(ENDS):
        return None
    # The REQALL takes the table entry and the number that the message had acquired.
    has_entry = TraceEvent.TABLED in last and not _stolen(trace, number, last[TraceEvent.TABLED], instant)
    plt = ("PLT",) if has_entry else ()
    if TraceEvent.FIRST_PACKET_DELIVERED not in last:
        where = (
            DESTINATION
            if TraceEvent.MESSAGE_ARRIVES in last
            else NET
            if TraceEvent.MESSAGE_SENT in last
            else SOURCE
        )
        allocation = ("ALL",) if TraceEvent.ALLOCATION_TAKEN in last else ()
        return Holder(HolderKind.MESSAGE, number, where, (*allocation, *plt))
    carries = TraceEvent.RFNM_WITH_ALLOCATION_SENT in last
    sent = carries or TraceEvent.RFNM_SENT in last
    return Holder(
        HolderKind.RFNM, number, NET if sent else DESTINATION, (*(("ALL",) if carries else ()), *plt)
    )


def _stolen(trace: Trace, number: int, made: int, instant: int) -> bool:
    sent = [request.at(*REQUESTS) for request in trace.requests if request.message == number]
    return any(at is not None and made <= at <= instant for at in sent)


def _request(message: int | None, request, instant: int) -> Holder | None:
    sent, came = request.at(*REQUESTS), request.at(TraceEvent.REQUEST_ARRIVES)
    answered, back = request.at(TraceEvent.ALLOCATION_SENT), request.at(TraceEvent.ALLOCATION_ARRIVES, LOST)
    if sent is None or instant < sent or (back is not None and back <= instant):
        return None
    if answered is not None and answered <= instant:
        return Holder(HolderKind.ALL, message, NET, ("ALL", "PLT"))
    where = DESTINATION if came is not None and came <= instant else NET
    return Holder(HolderKind.REQALL, message, where, ("PLT",))


def _spare(trace: Trace, instant: int) -> int:
    """Allocations at the source that no message has taken."""
    count = 0
    with_allocation = {
        row["message"] for row in trace.happened if row["event"] == TraceEvent.RFNM_WITH_ALLOCATION_SENT
    }
    for row in trace.happened:
        if row["from_ps"] > instant:
            break
        if row["event"] == TraceEvent.ALLOCATION_ARRIVES or (
            row["event"] == TraceEvent.RFNM_ARRIVES and row["message"] in with_allocation
        ):
            count += 1
        elif row["event"] in (TraceEvent.ALLOCATION_TAKEN, TraceEvent.GIVE_BACK_SENT):
            count -= 1
    return count
