"""The shared buffer of a switch that drops, with a limit for the queue of one output."""

import json
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.ids import ResourceId
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.pause_thresholds import in_words
from hopscope.planning.candidates.suspects import suspect
from hopscope.planning.quantities import in_bytes

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.candidate import Candidate
    from hopscope.results.explanation import Explanation

# An output may hold as much as is free: the usual limit (Choudhury and Hahne 1998).
LIMITED = ("frames.buffer.alpha=1.0",)


def unlimited(scenario: "Scenario", why: "Explanation") -> list[tuple["Candidate", list[Relaxation]]]:
    """A limit of the queue of each output, if there is none and full queues lose frames.

    Without a limit the queue of one busy output takes all of the buffer, and frames for other outputs find no
    room. A faster link at that output empties its queue, and the next one fills the buffer.
    """
    frames = json.loads(scenario.canonical_json()).get("frames", {})
    control = frames.get("flow_control", {}).get("tail-drop")
    is_shared = control is not None and "queue" not in control and "alpha" not in frames["buffer"]
    lost = next((each for each in why.candidates if each.cause is Cause.LOSS and each.nodes), None)
    if not is_shared or lost is None:
        return []
    size = in_words(in_bytes(frames["buffer"]["size"]))
    words = (
        f"Shared buffer: nothing limits what one queue may take of the {size} that all outputs of a switch "
        f"share: {lost.resource or 'one queue'} fills it, and frames for other outputs find no room."
    )
    candidate = suspect(Cause.LOSS, words, lost.nodes, lost.place, lost.weight, ResourceId.SWITCH_BUFFER)
    label = "no queue longer than what is free of the buffer (`frames.buffer.alpha`)"
    return [(candidate, [Relaxation(label, LIMITED, "none", Cause.LOSS, lost.place)])]
