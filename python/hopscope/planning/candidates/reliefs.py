"""The most likely few of all possible changes that relieve a cause."""

from collections.abc import Sequence
from dataclasses import replace

from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.relaxations import relieves
from hopscope.planning.candidates.rows import OVERHEAD
from hopscope.planning.kinds import Sort
from hopscope.results.candidate import Candidate

# At most this many changes are tried for each cause.
CHANGES = 6
# All sizes are tried of at most this many of these changes.
SIZED = 2


def reliefs(listed: Sequence[Relaxation], candidate: Candidate, most: int = CHANGES) -> list[Relaxation]:
    """The first possible changes that relieve a candidate of an explanation.

    Changes at its place precede those everywhere, and those of its class precede those that also relieve it;
    if there are too many, either get half of the places. A slow service takes ten times its usual length or
    more: it is tried with the largest size in the list. A window of bursts may be far too small: throughput
    grows with it until something else is full, so its largest size is tried as well. So is that of changes
    that reduce overhead on lines, which may be far too much.
    """
    found = [each for each in listed if relieves(each, candidate)]
    own = [each for each in found if each.cause is candidate.cause]
    further = [each for each in found if each.cause is not candidate.cause]
    least = most // 2
    chosen = [
        *_nearest(own, max(least, most - len(further))),
        *_nearest(further, max(least, most - len(own))),
    ]
    found = _nearest(chosen, most)
    if candidate.cause is Cause.SLOW_SERVICE:
        return [_at_its_largest(each) for each in found]
    if candidate.cause is Cause.WINDOW:
        sized = [each for each in found if each.sort is Sort.BURSTS and each.curve]
        return [*found, *(replace(_at_its_largest(each), is_largest=True) for each in sized)][:most]
    if candidate.id in OVERHEAD:
        sized = [each for each in found if candidate.id in each.speeds and each.curve]
        return [*found, *(replace(_at_its_largest(each), is_largest=True) for each in sized)]
    return found


def with_larger(candidate: Candidate, found: Sequence[Relaxation]) -> list[Relaxation]:
    """The changes that relieve a cause, with all sizes of those that add to a window, buffer or table.

    Each is of use only when it is large enough: a window for its round trip, a buffer for what arrives
    together, a table for all that need an entry at once. The present size does not show how much that is.
    """
    if candidate.cause not in (Cause.WINDOW, Cause.LOSS, Cause.RESOURCE):
        return [*found]
    sized = [each for each in found if each.curve and each.adds and _is_its(each, candidate)][:SIZED]
    larger = [
        replace(each, label=step.label, set=step.set, cost=step.cost, is_largest=True)
        for each in sized
        for step in each.curve
        if step.set != each.set
    ]
    return [*found, *larger]


def _is_its(change: Relaxation, candidate: Candidate) -> bool:
    """Whether a change adds to the resource of a cause; servers do not count, as they cost."""
    is_more_of_it = candidate.id in change.speeds and change.sort is not Sort.SERVERS
    return candidate.cause is not Cause.RESOURCE or is_more_of_it


def _nearest(changes: Sequence[Relaxation], most: int) -> list[Relaxation]:
    """The first of some changes, those at a place before those everywhere."""
    return sorted(changes, key=lambda each: each.place is None)[:most]


def _at_its_largest(change: Relaxation) -> Relaxation:
    if not change.curve:
        return change
    step = change.curve[-1]
    return replace(change, label=step.label, set=step.set, cost=step.cost)
