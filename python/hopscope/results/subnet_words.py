"""The words of an explanation of a slow subnet: what a wait is for, and who a holder in a phase is."""

from collections.abc import Mapping
from dataclasses import dataclass

from hopscope.numerals import number

SMALL_NUMBERS = (
    "no one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905 - reads better
)
LEAST_MS = 0.1
_MS_PER_S = 1000.0
_MS_WITH_THREE_DIGITS = 100.0

WAITS: Mapping[str, str] = {
    "buffer wait": "for free buffers in its IMP",
    "message block wait": "for the blocks of its pair of hosts",
    "message number wait": "for a message number",
    "packet table wait": "for an entry of the pending packet table",
    "leader table wait": "for an entry of the pending leader table",
    "allocation wait": "for buffers to be announced",
    "reassembly wait": "while its REQALL stood at the destination",
    "store-and-forward wait": "for a place among the packets that its IMP passes on",
    "channel wait": "for a place in the queue of its first line",
    "line wait": "in the queues of lines",
    "processor wait": "for the processors of IMPs",
    "retransmission wait": "to be sent again after refusals by neighbour IMPs",
    "out-of-order wait": "for buffers, having come out of order",
    "order wait": "at the destination for earlier messages",
    "host output wait": "in the queue for the host",
    "reply order wait": "for its reply's turn behind earlier replies",
    "piggy-back wait": "while its reply waited for buffers to announce",
    "reply wait": "while its reply stood in queues",
}
"""What a message waits for in each stage, after a time: "573 ms for ..."."""

OF_REPLIES: Mapping[str, str] = {
    "reply order wait": "for their turn behind earlier replies",
    "piggy-back wait": "for buffers to announce",
    "reply wait": "in queues",
}
"""The same of replies themselves, where that is shorter."""

WITHOUT_REFUSALS = {"retransmission wait": "to be sent again after errors on lines"}


@dataclass(frozen=True, slots=True)
class PoolWords:
    """How a pool is spoken of, with its `{place}` and its `{capacity}`."""

    wanted: str
    rule: str
    """How many there are, who holds one, and until when."""
    waiters: str


POOLS: Mapping[str, PoolWords] = {
    "pending leader table": PoolWords(
        "an entry of {place}'s pending leader table",
        "{place}'s pending leader table has {capacity} entries; every message under way and every request "
        "for buffers (REQALL) holds one until it is answered.",
        "messages and REQALLs",
    ),
    "pending packet table": PoolWords(
        "an entry of {place}'s pending packet table",
        "{place}'s pending packet table has {capacity} entries; every message of one packet holds one until "
        "its reply is back.",
        "messages",
    ),
    "message numbers": PoolWords(
        "a message number for {place}",
        "{place} has {capacity} message numbers; every message and every request for buffers (REQALL) "
        "holds one until it is answered.",
        "messages",
    ),
    "reassembly buffers": PoolWords(
        "eight reassembly buffers of {place}",
        "{place} has {capacity} reassembly buffers; eight are held from when they are announced to the "
        "source of a message until its host has taken it.",
        "replies and REQALLs",
    ),
}
"""The pools that messages hold while others wait."""

HOLDERS: Mapping[str, str] = {
    "unassigned allocation": "announcements not used yet",
    "REQALL": "REQALLs",
    "message being taken in": "messages being taken in",
    "message under way": "messages under way",
    "message in the queue for its host": "messages in queues for hosts",
    "reply that waits": "replies waiting at the destination",
    "reply in transit": "replies on their way back",
}
"""The holders in each phase."""

OF_HOLDERS: Mapping[str, str] = {
    "unassigned allocation": "to reach the source, and there for a message to take them",
    "REQALL": "behind earlier replies at the destination, and then for buffers there",
}
"""What those wait for whose waits are no stages of every message."""


def time(ms: float) -> str:
    """A time as people say it: 9.1 ms, 573 ms, 2.8 s."""
    if 0 < ms < LEAST_MS:
        return f"less than {LEAST_MS} ms"
    if ms >= _MS_PER_S:
        return f"{number(ms / _MS_PER_S, 2)} s"
    return f"{number(ms, 3 if ms >= _MS_WITH_THREE_DIGITS else 2)} ms"


def small(count: float) -> str:
    """A whole number in words up to twelve."""
    whole = round(count)
    return SMALL_NUMBERS[whole] if 0 < whole < len(SMALL_NUMBERS) else f"{whole}"


def listed(parts: list[str]) -> str:
    """The parts as "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def capital(text: str) -> str:
    """The text with a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]
