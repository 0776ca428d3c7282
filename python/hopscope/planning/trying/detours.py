"""A fault after which what is left carries too little: what is sent again follows from that."""

from collections.abc import Sequence
from dataclasses import replace

from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.goals.goal import SATURATED
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Trial

# What is full, by its cause.
OF_LINKS = (Cause.OVERLOAD, Cause.RESOURCE)


def of_detour(why: Explanation, listed: Sequence[Relaxation], trials: Sequence[Trial]) -> Trial:
    """The first trial; as the fault and the links that are full because of it, where it was told as losses.

    Queues grow at these links, since all that the fault cut off goes there. So acknowledgments are late, and
    frames are sent again that were not lost: the copies come after the fault, and are no cause of their own.
    """
    first = trials[0]
    mended = next((each for each in listed if each.happens and each.mends and each.set == first.set), None)
    full = next((each for each in trials[1:] if each.candidate.cause in OF_LINKS and each.is_sure), None)
    is_told = first.candidate.cause is Cause.LOSS and first.is_sure and why.data["outcome"] == SATURATED
    if not is_told or mended is None or full is None:
        return first
    words = f"{mended.mends} What is left is full. {full.candidate.sentence}"
    candidate = replace(first.candidate, cause=Cause.INTERRUPTION, sentence=words)
    return replace(first, candidate=candidate)
