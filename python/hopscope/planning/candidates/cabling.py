"""Repairs of cabling: cables that a fabric lacks by its family, and cables at a wrong switch."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.numerals import amount, listed
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.variants import changed
from hopscope.planning.kinds import NodeKind

if TYPE_CHECKING:
    from hopscope._core import Scenario

MENDED = ("upgrade.mend_cables=true",)
PLACED = ("upgrade.place_missing_switches=true",)
# The kinds of anomaly of a fabric that lacks cables.
LACKING = frozenset({"missing-link", "misplaced-link"})
ABSENT = frozenset({"missing-switch"})
# The causes where cables are missing: packets wait for the others, and behind one another.
RELIEVES = frozenset({Cause.BLOCKING, Cause.PATH_COLLISION, Cause.ROUTE_CONCENTRATION})
# At most this many pairs of switches are named, then the number of others.
NAMED = 2


def mended_cabling(scenario: "Scenario") -> Iterator[Relaxation]:
    """All cables as the fabric's family has them, if the fabric's file differs.

    A hand-written network has no anomalies: fewer cables may be intended there. A cable that the family has
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


def is_mended_by(scenario: "Scenario", overrides: Sequence[str]) -> bool:
    """Whether overrides add just the cables that the repaired cabling adds, if that is offered too."""
    if next(mended_cabling(scenario), None) is None:
        return False
    networks = changed(scenario, overrides), changed(scenario, MENDED)
    between = [_between_switches(each) for each in networks if not isinstance(each, str)]
    return len(between) == len(networks) and between[0] == between[1]


def missing_switches(scenario: "Scenario") -> Iterator[Relaxation]:
    """A switch for each that is probably missing: the ports for it in switches below are empty.

    A hand-written network has no anomalies: it has the switches that it is meant to have.
    """
    facts = json.loads(scenario.topology_json() or "{}").get("facts")
    odd = [each["words"] for each in facts["anomalies"] if each["kind"] in ABSENT] if facts else []
    placed = changed(scenario, PLACED) if odd else ""
    if isinstance(placed, str):
        return
    before, after = _between_switches(scenario), _between_switches(placed)
    cables = (after - before).total()
    count = len(_switches(after) - _switches(before))
    if not count:
        return
    yield Relaxation(
        "the missing switch in place" if count == 1 else f"the {count} missing switches in place",
        PLACED,
        f"{amount(count, 'switch', 'switches')} and {amount(cables, 'cable', 'cables')}",
        Cause.RESOURCE,
        None,
        also=RELIEVES,
        mends=f"Cabling: {'; '.join(odd[:NAMED])}.",
    )


def load_of_today(scenario: "Scenario") -> list[str]:
    """The override that keeps the load where mended cabling would change it; none where nothing does.

    A fabric's file alone has a load that is assumed from what the fabric carries as it is cabled.
    """
    facts = json.loads(scenario.topology_json() or "{}").get("facts")
    is_odd = facts is not None and any(each["kind"] in LACKING | ABSENT for each in facts["anomalies"])
    if not is_odd or scenario.is_given("traffic.load"):
        return []
    mended, today = changed(scenario, (*MENDED, *PLACED)), _load(scenario)
    is_other = not isinstance(mended, str) and _load(mended) != today
    return [f"traffic.load={today}"] if is_other else []


def _load(scenario: "Scenario") -> Any:
    return json.loads(scenario.canonical_json()).get("traffic", {}).get("load")


def _switches(pairs: Counter[tuple[str, str]]) -> set[str]:
    """The switches that cables join."""
    return {name for pair in pairs for name in pair}


def _named(pairs: Sequence[tuple[str, str]], levels: Mapping[str, int]) -> str:
    """The first pairs of switches, the lower one of each first, then the number of others."""
    lower_first = (sorted(pair, key=lambda name: (-levels[name], name)) for pair in pairs)
    return listed(list(dict.fromkeys(" - ".join(pair) for pair in lower_first)), NAMED)


def _between_switches(scenario: "Scenario") -> Counter[tuple[str, str]]:
    """The number of cables between two switches, by sorted names: repaired cables may change levels."""
    topology = json.loads(scenario.topology_json() or '{"nodes": [], "links": []}')
    hosts = {node["name"] for node in topology["nodes"] if node["kind"] == NodeKind.HOST}
    pairs = ((link["from"], link["to"]) for link in topology["links"])
    joined = (sorted(pair) for pair in pairs if not hosts & set(pair))
    return Counter((one, other) for one, other in joined)


def _levels(scenario: "Scenario") -> dict[str, int]:
    """The distance of each node from the roots."""
    nodes = json.loads(scenario.topology_json() or '{"nodes": []}')["nodes"]
    return {node["name"]: node["level"] or 0 for node in nodes}
