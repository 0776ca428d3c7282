"""A fault after which the rest of the network carries too little; retransmissions follow from it."""

from collections.abc import Sequence
from dataclasses import replace

from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome
from hopscope.results.trial import Trial

# The causes of full links.
OF_LINKS = (Cause.OVERLOAD, Cause.RESOURCE)


def of_detour(why: Explanation, listed: Sequence[Relaxation], trials: Sequence[Trial]) -> Trial:
    """The first trial, with losses after a fault reported as the fault and its full links.

    Queues grow at these links, which carry the diverted traffic. So acknowledgments are late, and frames are
    sent again that were not lost: these copies follow from the fault, and are no cause of their own.
    """
    first = trials[0]
    mended = next((each for each in listed if each.happens and each.mends and each.set == first.set), None)
    full = next((each for each in trials[1:] if each.candidate.cause in OF_LINKS and each.is_sure), None)
    is_told = first.candidate.cause is Cause.LOSS and first.is_sure and why.outcome == Outcome.SATURATED
    if not is_told or mended is None or full is None:
        return first
    words = f"{mended.mends} What is left is full. {full.candidate.sentence}"
    candidate = replace(
        first.candidate,
        cause=Cause.INTERRUPTION,
        sentence=words,
        weight_stated=False,
        fault=mended.mends,
    )
    return replace(first, candidate=candidate)
