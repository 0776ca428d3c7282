"""What a law of windows needs of its switches: marks and queues for what a round trip holds.

A window falls with each mark and each loss, to half of what a link has under way. Unless the queue before the
link held about a round trip of its rate when that came, the link runs empty until the window has grown again
(Appenzeller et al. 2004 for losses; Alizadeh et al. 2010, section 3.3, for a seventh of that with marks).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.marks import DCTCP, one_threshold
from hopscope.planning.candidates.pause_thresholds import in_words
from hopscope.planning.candidates.round_trips import in_a_round_trip
from hopscope.planning.quantities import in_bytes, of_kilobytes
from hopscope.results.candidate import Candidate

if TYPE_CHECKING:
    from hopscope._core import Scenario

QUEUE = "frames.flow_control.tail-drop.queue"
# DCTCP keeps a link busy with marks from this part of a round trip's data on.
PART = 7
TWICE = 2
SENTENCE_DIGITS = 3


def for_a_round_trip(
    scenario: "Scenario", causes: Sequence[tuple[Candidate, Sequence[Relaxation]]]
) -> list[tuple[Candidate, Sequence[Relaxation]]]:
    """The causes, and before a wait for windows the same because of what its marks and queues lack.

    It keeps that place only where marks or queues for a round trip help.
    """
    canonical = json.loads(scenario.canonical_json())
    frames = canonical.get("frames", {})
    if not frames.get("rate_control") or not any(each.cause is Cause.WINDOW for each, _ in causes):
        return [*causes]
    holds = in_a_round_trip(scenario, canonical)
    lacks = [*_of_marks(frames, holds), *_of_queues(frames, holds)]
    words = " ".join(words for words, _ in lacks)
    if any(never_marking(canonical)):
        least = _told(in_bytes(frames["ecn"]["kmin"]))
        words += f" Frames are marked from {least} on, more than the queue holds."
    found: list[tuple[Candidate, Sequence[Relaxation]]] = []
    for candidate, changes in causes:
        if candidate.cause is Cause.WINDOW and lacks:
            told = replace(candidate, sentence=f"{candidate.sentence} {words}")
            found.append((told, [change for _, change in lacks]))
            lacks = []
        found.append((candidate, changes))
    return found


def never_marking(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Marks from half of a queue on, where today's threshold lies above all that it may hold."""
    frames = canonical.get("frames", {})
    ecn, queue = frames.get("ecn"), _queue(frames)
    hears = frames.get("dcqcn") or frames.get("rate_control")
    if ecn is None or queue is None or not hears or in_bytes(ecn["kmin"]) < queue:
        return
    least = in_words(in_bytes(ecn["kmin"]))
    words = (
        f"Late marks: ECN marks frames from a queue of {least} on, which lies above the {in_words(queue)} "
        "that a queue holds: none is marked before others are lost."
    )
    yield replace(one_threshold(in_words(queue / TWICE), Cause.RATE_CONTROL), mends=words)


def _of_marks(frames: Mapping[str, Any], holds: Decimal) -> Iterator[tuple[str, Relaxation]]:
    """A sentence on marks that come too early for DCTCP, and marks that come later."""
    ecn, queue = frames.get("ecn"), _queue(frames)
    if ecn is None or DCTCP not in frames["rate_control"]:
        return
    today = in_bytes(ecn["kmin"])
    most = holds if queue is None else min(holds, queue / TWICE)
    if PART * today < holds and today < most:
        words = f"The threshold of {_told(today)} is {_part(today, holds)}."
        yield words, one_threshold(in_words(most), Cause.WINDOW)


def _of_queues(frames: Mapping[str, Any], holds: Decimal) -> Iterator[tuple[str, Relaxation]]:
    """A sentence on queues that hold less than a round trip, and queues that hold one."""
    queue = _queue(frames)
    if queue is None or queue >= holds:
        return
    label = f"queues of {in_words(holds)}, what a round trip holds"
    change = Relaxation(
        label, (f"{QUEUE}={toml_text(in_words(holds))}",), "longer queues", Cause.WINDOW, None, stores=True
    )
    yield f"A queue of {_told(queue)} is {_part(queue, holds)}.", change


def _part(size: Decimal, holds: Decimal) -> str:
    """How much of what a round trip holds something is, in words."""
    whole = f"what a round trip holds ({in_words(holds)})"
    return f"1/{int(holds / size)} of {whole}" if TWICE * size <= holds else f"less than {whole}"


def _told(size: Decimal) -> str:
    """A length of a queue as a sentence has it, where a frame is not rounded to a multiple."""
    return of_kilobytes(float(size) / 1000, SENTENCE_DIGITS)


def _queue(frames: Mapping[str, Any]) -> Decimal | None:
    """What the queue of an output that discards may hold, bytes; None where only memory limits it."""
    queue = frames.get("flow_control", {}).get("tail-drop", {}).get("queue")
    return None if queue is None else in_bytes(queue)
