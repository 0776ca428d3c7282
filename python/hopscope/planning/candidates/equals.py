"""Places that are equally bad, relieved together: the relief of one alone only moves the queue to the next.

They are processors, hosts and units that are about as busy as a named one. Links and lines are in `rows`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from hopscope import kinds
from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.rows import at_once, in_words
from hopscope.thresholds import ALIKE, SCARCE

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation

# The nature of resources that are busy with one message at a time, unlike buffers and windows.
WORKS = "works"
# The size of a change that each of several places has.
TWICE = "x2"


def equally_busy(changes: Sequence[Relaxation], why: "Explanation") -> Iterator[Relaxation]:
    """The places without ends that are as busy as a named one, each twice as fast, together.

    Messages that pass one of them sooner wait at the next one instead. A sending host is in no list of busy
    resources: it counts as one if it is named.
    """
    busy = {
        (root["place"], root["id"]): root["pressure"]
        for root in why.roots
        if root["id"] in _working() and not root["ends"] and root.get("place")
    }
    seen: set[frozenset[str]] = set()
    for candidate in why.candidates:
        if candidate.cause is not Cause.RESOURCE or len(candidate.nodes) != 1:
            continue
        own = _faster(changes, candidate.nodes[0], candidate.id)
        used = busy.get((candidate.nodes[0], candidate.id), max(busy.values(), default=0.0))
        if own is None or used < SCARCE:
            continue
        others = [key for key, pressure in busy.items() if pressure >= ALIKE * used]
        found = [own, *(_faster(changes, place, kind) for place, kind in others)]
        parts = list({each.set: each for each in found if each is not None}.values())
        row = frozenset(each.place or "" for each in parts)
        if len(parts) > 1 and row not in seen:
            seen.add(row)
            yield _together(parts)


def _together(parts: Sequence[Relaxation]) -> Relaxation:
    """The changes of several places at once, in their own words."""
    together = at_once(parts, "", "places")
    curve = tuple(
        replace(step, label=_words(parts, step.amount), cost=in_words(_costs(parts, step.amount)))
        for step in together.curve
    )
    chosen = next(step for step in curve if step.amount == TWICE)
    row = frozenset(frozenset({each.place or ""}) for each in parts)
    place = in_words([each.place or "" for each in parts])
    return replace(
        together,
        label=chosen.label,
        set=chosen.set,
        cost=chosen.cost,
        place=place,
        curve=curve,
        joins=frozenset(),
        row=row,
        speeds=frozenset(),
    )


def _words(parts: Sequence[Relaxation], amount: str) -> str:
    return in_words([step.label for part in parts for step in part.curve if step.amount == amount])


def _costs(parts: Sequence[Relaxation], amount: str) -> list[str]:
    return [step.cost for part in parts for step in part.curve if step.amount == amount]


def _faster(changes: Sequence[Relaxation], place: str, kind: str | None) -> Relaxation | None:
    """The change that makes the service of a place faster, and not its line; None if there is none."""
    sized = (each for each in changes if each.place == place and any(s.amount == TWICE for s in each.curve))
    own = (
        each
        for each in sized
        if each.rate_of is None and (kind in each.speeds or each.cause is Cause.SLOW_SERVICE)
    )
    return next(own, None)


@cache
def _working() -> frozenset[str]:
    """The ids of the kinds of resources that work."""
    return frozenset(kind["id"] for kind in kinds.table()["resources"] if kind["nature"] == WORKS)
