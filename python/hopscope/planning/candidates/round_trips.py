"""Windows for the round trip of the longest path, if a law's parameter is a shorter one."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import FAR_FROM_USUAL, Relaxation
from hopscope.planning.candidates.pause_thresholds import THERE_AND_BACK, cables
from hopscope.planning.kinds import NodeKind
from hopscope.planning.quantities import in_bit_s, in_bytes, in_ps, of_ps
from hopscope.units import BITS, PS

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The laws whose windows are what a link sends in a round trip given by the scenario.
LAWS = {"hpcc": "HPCC", "nscc": "NSCC"}
STORES = "store-and-forward"

Ways = dict[str, dict[str, Decimal]]
"""The neighbours of each node, each with the idle round trip over the cable to it, ps."""


def fitting_windows(scenario: "Scenario", canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Windows for the idle round trip of the longest path, if the current ones are for less.

    A sender waits for the rest of each round trip, whatever the links could carry. A window of less than a
    frame still permits one frame, so a slightly larger one may change nothing. A window that is five times
    too small is reported as broken: there is no reason for it.
    """
    for name, constants in (canonical.get("frames", {}).get("rate_control") or {}).items():
        if name not in LAWS:
            continue
        idle = _of_longest_path(scenario, canonical)
        told = in_ps(constants["round_trip"])
        if told >= idle:
            continue
        path, takes = f"frames.rate_control.{name}.round_trip", of_ps(Decimal(f"{idle:.2e}"))
        words = (
            f"Slow setting: the windows of {LAWS[name]} are for a round trip of {constants['round_trip']} "
            f"(`{path}`), where one on the longest path of the idle network takes {takes}."
        )
        yield Relaxation(
            f"windows for a round trip of {takes}, as on the longest idle path",
            (f"{path}={toml_text(takes)}",),
            "longer queues",
            Cause.WINDOW,
            None,
            mends=words if FAR_FROM_USUAL * told <= idle else None,
        )


def in_a_round_trip(scenario: "Scenario", canonical: Mapping[str, Any]) -> Decimal:
    """What the fastest cable sends in a round trip of the longest idle path, bytes."""
    fastest = max(in_bit_s(rate) for rate, _ in cables(canonical))
    return fastest * _of_longest_path(scenario, canonical) / PS["s"] / BITS["B"]


def _of_longest_path(scenario: "Scenario", canonical: Mapping[str, Any]) -> Decimal:
    """The idle round trip of a frame and its acknowledgment between the most distant hosts, ps.

    In a tree, the host farthest from the one that is farthest from any is at the end of a longest path; in
    other networks of one that is nearly as long.
    """
    topology = json.loads(scenario.topology_json() or '{"nodes": [], "links": []}')
    hosts = [each["name"] for each in topology["nodes"] if NodeKind(each["kind"]) is NodeKind.HOST]
    if not hosts:
        return Decimal(0)
    ways = _ways(canonical, topology["links"])
    far: dict[str, Decimal] = {}
    begin = hosts[0]
    for _ in range(2):
        far = _times(ways, begin)
        begin = max(hosts, key=lambda host: far.get(host, Decimal(0)))
    # Each cable but the first has a switch before it.
    return far[begin] - _switch(canonical)


def _switch(canonical: Mapping[str, Any]) -> Decimal:
    return THERE_AND_BACK * in_ps(canonical["frames"]["latency"])


def _ways(canonical: Mapping[str, Any], links: list[Mapping[str, Any]]) -> Ways:
    """Each cable with its delay there and back, the switch before it, and a frame if each is stored."""
    usual, frames = canonical["link"], canonical["frames"]
    custom = canonical["network"].get("custom", {})
    written = {frozenset(each["between"]): each for each in custom.get("links", ())}
    written |= {frozenset((each["name"], each["at"])): each for each in custom.get("hosts", ())}
    bits = in_bytes(frames["mtu"]) * BITS["B"] if frames["forwarding"] == STORES else Decimal(0)
    found: Ways = defaultdict(dict)
    for link in links:
        one, other = link["from"], link["to"]
        own = usual | {key: value for key, value in written.get(frozenset((one, other)), {}).items() if value}
        sends = bits * PS["s"] / in_bit_s(own["rate"])
        found[one][other] = THERE_AND_BACK * in_ps(own["delay"]) + _switch(canonical) + sends
        found[other][one] = found[one][other]
    return found


def _times(ways: Ways, begin: str) -> dict[str, Decimal]:
    """The round trip to each node on the fastest path to it (Dijkstra 1959)."""
    found: dict[str, Decimal] = {}
    reached = [(Decimal(0), begin)]
    while reached:
        time, node = heappop(reached)
        if node not in found:
            found[node] = time
            for other, more in ways[node].items():
                heappush(reached, (time + more, other))
    return found
