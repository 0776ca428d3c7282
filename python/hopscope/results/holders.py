"""Who owns which resource at an instant: messages, their replies and their requests, read off a trace.

Kleinrock and Opderbeck (1977) draw such slices in Figs. 2, 7 and 8. A message owns a PLT entry from the time
it is made until its RFNM is back, and eight reassembly buffers (an ALL) from the time it takes them until its
first packet is with the host. A RFNM owns its message's PLT entry, and on its way the ALL that it carries.
"""

from dataclasses import dataclass

from hopscope.results.trace import LOST, REQUESTS, Trace

ENDS = ("RFNM arrives", LOST, "message blocked")
SOURCE, NET, DESTINATION = "at the source", "on the way", "at the destination"


@dataclass(frozen=True, slots=True)
class Holder:
    """A message, RFNM, REQALL or ALL, where it is, and what it owns ("PLT", "ALL").

    `message` is nothing for an allocation that no message has taken.
    """

    kind: str
    message: int | None
    where: str
    owns: tuple[str, ...]


def at(trace: Trace, instant_ps: int) -> list[Holder]:
    """Everything that is under way at an instant, messages first, each in the order of birth."""
    born = sorted({row["message"] for row in trace.happened if row["message"] >= 0})
    messages = [holder for number in born if (holder := _message(trace, number, instant_ps)) is not None]
    requests = [
        holder
        for request in trace.requests
        if (holder := _request(request.message, request, instant_ps)) is not None
    ]
    spare = [Holder("ALL", None, SOURCE, ("ALL",))] * _spare(trace, instant_ps)
    return messages + requests + spare


def _message(trace: Trace, number: int, instant: int) -> Holder | None:
    seen = [row for row in trace.of_message(number) if row["from_ps"] <= instant]
    last = {row["event"]: row["from_ps"] for row in seen}
    if not seen or not last.keys().isdisjoint(ENDS):
        return None
    # The REQALL takes the table entry and the number that the message had acquired.
    has_entry = "table entry made" in last and not _stolen(trace, number, last["table entry made"], instant)
    plt = ("PLT",) if has_entry else ()
    if "first packet delivered" not in last:
        where = DESTINATION if "message arrives" in last else NET if "message sent" in last else SOURCE
        allocation = ("ALL",) if "allocation taken" in last else ()
        return Holder("message", number, where, (*allocation, *plt))
    carries = "RFNM with ALL sent" in last
    sent = carries or "RFNM sent" in last
    return Holder("RFNM", number, NET if sent else DESTINATION, (*(("ALL",) if carries else ()), *plt))


def _stolen(trace: Trace, number: int, made: int, instant: int) -> bool:
    sent = [request.at(*REQUESTS) for request in trace.requests if request.message == number]
    return any(at is not None and made <= at <= instant for at in sent)


def _request(message: int | None, request, instant: int) -> Holder | None:
    sent, came = request.at(*REQUESTS), request.at("REQALL arrives")
    answered, back = request.at("ALL sent"), request.at("ALL arrives", LOST)
    if sent is None or instant < sent or (back is not None and back <= instant):
        return None
    if answered is not None and answered <= instant:
        return Holder("ALL", message, NET, ("ALL", "PLT"))
    where = DESTINATION if came is not None and came <= instant else NET
    return Holder("REQALL", message, where, ("PLT",))


def _spare(trace: Trace, instant: int) -> int:
    """Allocations at the source that no message has taken."""
    count = 0
    with_allocation = {row["message"] for row in trace.happened if row["event"] == "RFNM with ALL sent"}
    for row in trace.happened:
        if row["from_ps"] > instant:
            break
        if row["event"] == "ALL arrives" or (
            row["event"] == "RFNM arrives" and row["message"] in with_allocation
        ):
            count += 1
        elif row["event"] in ("allocation taken", "GVB sent"):
            count -= 1
    return count
