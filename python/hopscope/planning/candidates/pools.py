"""Buffers of single nodes: several that are equally full, and those that stop messages for others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.numerals import percent
from hopscope.planning.candidates.changes import Relaxation, Step
from hopscope.planning.candidates.rows import in_words
from hopscope.results.candidate import Candidate
from hopscope.thresholds import ALIKE, SCARCE

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation


def pools_together(changes: Sequence[Relaxation], why: "Explanation") -> Iterator[Relaxation]:
    """More buffers at each node whose buffers are as full as the named ones.

    What one node cannot forward stays in the node before it, so more buffers at one node alone only fill.
    Nodes that send to each other hold each other's buffers.
    """
    pools = _pools(changes)
    for candidate in why.candidates:
        used = _used(why, candidate.id)
        own = used.get(candidate.place or "", 0.0)
        if candidate.cause is not Cause.RESOURCE or own < SCARCE:
            continue
        alike = [name for name, use in used.items() if use >= ALIKE * own]
        parts = [pools[name] for name in alike if name in pools and candidate.id in pools[name].speeds]
        if len(parts) > 1:
            yield _at_each(parts)


def _pools(changes: Sequence[Relaxation]) -> dict[str, Relaxation]:
    """The changes that give the pool of a single node more room, by their nodes."""
    return {each.place: each for each in changes if each.place and each.adds and each.speeds and each.curve}


def _used(why: "Explanation", kind: str | None) -> Mapping[str, float]:
    """Utilisation of the resources of a kind along the blocking chain, by place."""
    return {row["place"]: row["utilisation"] for row in why.chain if row["id"] == kind}


def _at_each(parts: Sequence[Relaxation]) -> Relaxation:
    """Several pools enlarged together, in every size that all of them have."""
    sizes = [{step.amount: step for step in part.curve} for part in parts]
    steps = [
        Step(
            amount,
            in_words([each[amount].label for each in sizes], len(sizes)),
            tuple(text for each in sizes for text in each[amount].set),
            in_words([each[amount].cost for each in sizes], len(sizes)),
        )
        for amount in sizes[0]
        if all(amount in each for each in sizes)
    ]
    chosen = next(step for step in steps if set(parts[0].set) <= set(step.set))
    return replace(
        parts[0],
        label=chosen.label,
        set=chosen.set,
        cost=chosen.cost,
        place=in_words([str(part.place) for part in parts]),
        curve=tuple(steps),
        row=frozenset(frozenset({str(part.place)}) for part in parts),
    )


def on_the_way(
    why: "Explanation", named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Buffers of a node between the first awaited resource and the full one downstream.

    A line into the node is stopped while the buffers are full, also for messages that leave by a line with
    spare time. With more buffers only messages for the full resource wait.
    """
    found = []
    pools = _pools(listed)
    for row in why.chain[1:-1]:
        more = pools.get(row["place"])
        # Resources of the named kind are tried together.
        is_named = row["id"] in [each.id for each in named]
        if more is None or row["id"] not in more.speeds or row["utilisation"] < SCARCE or is_named:
            continue
        words = f"Bottleneck: {row['resource']} ({percent(row['utilisation'])} utilised)."
        candidate = Candidate(
            Cause.RESOURCE, words, (row["place"],), row["place"], row["resource"], row["id"]
        )
        step = more.curve[-1]
        largest = replace(more, label=step.label, set=step.set, cost=step.cost, is_largest=True)
        found.append((candidate, [more, largest]))
    return found
