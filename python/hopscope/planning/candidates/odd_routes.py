"""Anomalies of a scenario's routes: a possible deadlock, or links without traffic."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.numerals import amount, count, listed
from hopscope.overrides import options
from hopscope.planning.candidates import variants
from hopscope.planning.candidates.engine_tables import MOST_ENTRIES, entries_of
from hopscope.planning.credit_loop import never_stops
from hopscope.planning.kinds import Routing
from hopscope.progress import watched

if TYPE_CHECKING:
    from hopscope._core import Scenario

# At most this many links of a credit loop are named.
NAMED = 4
# What chooses routes.
_OF_ROUTES = ("routing.rule", "routing.root", "routing.tables")
# The files that put packets on several virtual lanes.
_OF_LANES = frozenset({"path_sl", "sl2vl"})


class OddRoutes(StrEnum):
    """The kinds of anomaly of routes."""

    CREDIT_LOOP = "credit-loop"
    IDLE_LINKS = "idle-links"


@dataclass(frozen=True)
class OddRoute:
    """One anomaly of routes, in words."""

    kind: OddRoutes
    words: str

    def data(self) -> dict[str, str]:
        """The same as in JSON, like an anomaly of a fabric."""
        return {"kind": str(self.kind), "words": self.words}


def odd_routes(scenario: "Scenario", locked_up: bool = False) -> list[OddRoute]:
    """The anomalies of a scenario's routes; empty if its model has no routes.

    The loop in which packets have `locked_up` is not reported again. Links without traffic are reported if
    nobody chose the routes: for a fabric's file, and for a scenario of frames that sets neither
    `routing.rule` nor a root. AN1's own routes have a single root.
    """
    told = json.loads(scenario.topology_json() or "{}")
    if "deadlock" not in told:
        return []
    canonical = json.loads(scenario.canonical_json())
    found = []
    may_lock_up = not locked_up and not never_stops(scenario)
    if may_lock_up and (loop := _loop(scenario, canonical, told)):
        found.append(OddRoute(OddRoutes.CREDIT_LOOP, _waits(loop)))
    is_chosen = "frames" not in canonical or any(map(scenario.is_given, _OF_ROUTES))
    if (told.get("facts") or not is_chosen) and (words := _idle(scenario, canonical, told["figures"])):
        found.append(OddRoute(OddRoutes.IDLE_LINKS, words))
    if (
        "tables" in canonical["routing"]
        and entries_of(told) <= MOST_ENTRIES
        and (words := _in_part(scenario))
    ):
        found.append(OddRoute(OddRoutes.IDLE_LINKS, words))
    return found


def _in_part(scenario: "Scenario") -> str | None:
    """The switches whose tables send up by some of their links and leave others idle, in words."""
    with watched() as progress:
        _, checked = _core.check(scenario, None, None, [], None, None, None, None, progress)
    switches = [
        f"{each['switch']} sends up by {count(each['used'])} of {amount(each['links'], 'link', 'links')}"
        for each in json.loads(checked)["used_in_part"]
    ]
    if not switches:
        return None
    return (
        f"the forwarding tables leave links idle: {listed(switches, NAMED)}; `hopscope routes` spreads them"
    )


def _loop(
    scenario: "Scenario", canonical: Mapping[str, Any], told: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """The links of a credit loop, on the lanes that packets use; empty if there is none."""
    links = told["deadlock"]["cycle"]
    if not links or not _OF_LANES & set(canonical["routing"]):
        return [{**each, "port": each["from_port"]} for each in links]
    # With several lanes there may be no loop, although one lane would have one.
    with watched() as progress:
        _, checked = _core.check(scenario, None, None, [], None, None, None, None, progress)
    return json.loads(checked)["credit_loop"] or []


def _waits(loop: list[Mapping[str, Any]]) -> str:
    named = [f"{each['from']}:{each['port']} -> {each['to']}:{each['to_port']}" for each in loop[:NAMED]]
    more = f" and {len(loop) - NAMED} more" if len(loop) > NAMED else ""
    return (
        f"NOT SAFE: the routes have a credit loop of {amount(len(loop), 'link', 'links')}, each of which "
        f"waits for room at the next: {', '.join(named)}{more}; packets may deadlock there"
    )


@dataclass(frozen=True)
class AllRoots:
    """Routes over all roots of a family: their override, and the number of links that they leave idle.

    `words` say what the current routes leave idle.
    """

    change: str
    idle: int
    words: str


def with_all_roots(
    scenario: "Scenario", canonical: Mapping[str, Any], figures: Mapping[str, Any]
) -> AllRoots | None:
    """The routes of the network's family, if they use links that a single root leaves idle."""
    idle = len(figures["idle_links"])
    if not idle or figures["root"] is None or canonical["routing"]["rule"] != Routing.UP_DOWN:
        return None
    change = variants.with_rule(canonical, Routing.BY_FAMILY)
    other = variants.changed(scenario, [change])
    if isinstance(other, str):
        return None
    left = len(json.loads(other.topology_json() or "{}")["figures"]["idle_links"])
    links = amount(figures["links"], "link", "links")
    words = (
        f"{count(idle)} of {links} between switches carry nothing, because up*/down* has the single root "
        f"{figures['root']}"
    )
    return AllRoots(change, left, words) if left < idle else None


def _idle(scenario: "Scenario", canonical: Mapping[str, Any], figures: Mapping[str, Any]) -> str | None:
    """Links that a single root leaves without traffic, if the family's routes use more of them."""
    spread = with_all_roots(scenario, canonical, figures)
    if spread is None:
        return None
    uses = "uses all of them" if spread.idle == 0 else f"leaves {count(spread.idle)} without traffic"
    return f"{spread.words}; {options([spread.change])} {uses}"
