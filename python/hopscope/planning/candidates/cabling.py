"""Cables that a fabric's family has and it lacks, and such as are at a wrong switch: what is odd, mended."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.numerals import amount, listed
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.variants import changed
from hopscope.planning.kinds import NodeKind

if TYPE_CHECKING:
    from hopscope._core import Scenario

MENDED = ("upgrade.mend_cables=true",)
# What is odd about a fabric that lacks cables, by its kind.
LACKING = frozenset({"missing-link", "misplaced-link"})
# What packets wait by where some cables are too few: for these, and behind one another.
RELIEVES = frozenset({Cause.BLOCKING, Cause.PATH_COLLISION, Cause.ROUTE_CONCENTRATION})
# So many pairs of switches are named, and of more how many there are.
NAMED = 2


def mended_cabling(scenario: "Scenario") -> Iterator[Relaxation]:
    """All cables where a fabric of this family has them, where the fabric's file is odd by these.

    Of a hand-written network no oddities are told. Fewer cables may be meant there; a cable that a family has
    elsewhere is at a wrong switch.
    """
    facts = json.loads(scenario.topology_json() or "{}").get("facts")
    odd = [each["words"] for each in facts["anomalies"] if each["kind"] in LACKING] if facts else []
    is_by_hand = "custom" in json.loads(scenario.canonical_json())["network"]
    mended = changed(scenario, MENDED) if odd or is_by_hand else ""
    if isinstance(mended, str):
        return
    before, after = _between_switches(scenario), _between_switches(mended)
    come, go = (sorted(each.elements()) for each in (after - before, before - after))
    if not come or not (odd or go):
        return
    levels = _levels(mended)
    where, wrong = (_named(pairs, levels) for pairs in (come, go))
    belong = "belongs" if len(go) == 1 else "belong"
    odd = odd or [f"{amount(len(go), 'cable', 'cables')} at {wrong} {belong} to {where}"]
    if go:
        label = f"cables put right: {where}"
    else:
        label = f"the missing {'cable' if len(come) == 1 else f'{len(come)} cables'} {where} plugged in"
    joins = frozenset(come[0]) if len(set(come)) == 1 and before[come[0]] else frozenset[str]()
    yield Relaxation(
        label,
        MENDED,
        amount(len(come), "cable to be plugged in", "cables to be plugged in"),
        Cause.RESOURCE,
        " - ".join(sorted(joins)) if joins else None,
        joins=joins,
        also=RELIEVES,
        mends=f"Cabling: {'; '.join(odd[:NAMED])}.",
    )


def _named(pairs: Sequence[tuple[str, str]], levels: Mapping[str, int]) -> str:
    """The first pairs of switches, the lower one of each first, and how many more there are."""
    lower_first = (sorted(pair, key=lambda name: (-levels[name], name)) for pair in pairs)
    return listed(list(dict.fromkeys(" - ".join(pair) for pair in lower_first)), NAMED)


def _between_switches(scenario: "Scenario") -> Counter[tuple[str, str]]:
    """How many cables join two switches, by their names in order: mended cables may change their levels."""
    topology = json.loads(scenario.topology_json() or '{"nodes": [], "links": []}')
    hosts = {node["name"] for node in topology["nodes"] if node["kind"] == NodeKind.HOST}
    pairs = ((link["from"], link["to"]) for link in topology["links"])
    joined = (sorted(pair) for pair in pairs if not hosts & set(pair))
    return Counter((one, other) for one, other in joined)


def _levels(scenario: "Scenario") -> dict[str, int]:
    """How far each node is from the roots."""
    nodes = json.loads(scenario.topology_json() or '{"nodes": []}')["nodes"]
    return {node["name"]: node["level"] or 0 for node in nodes}
