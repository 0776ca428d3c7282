"""Equally full links and lines, made faster together: one alone would only move the queue.

They follow one another on a path, are the cables of one switch to others of one level, all that are slower
than their kind, or all of a kind.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.ids import HoldId, PolicyId, ResourceId
from hopscope.numerals import amount as count_of
from hopscope.numerals import listed
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation, Step, times
from hopscope.planning.candidates.repairs import Cables
from hopscope.planning.candidates.variants import added_link
from hopscope.planning.kinds import Sort
from hopscope.planning.service import overloaded, times_apart_ps
from hopscope.results.candidate import Candidate
from hopscope.thresholds import ALIKE, NEARLY_FULL, SCARCE

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation

USUAL = 2.0
# The largest factor of an upgrade.
FASTEST = 100.0
# The parameters of the rates of all links between switches, of hosts, and of both.
TIER = "upgrade.switch_links"
HOSTS = "upgrade.host_links"
ALL = "upgrade"
FEWEST_OF_A_KIND = 3
# A station counts as equally full only with at least this fraction of the other station's waiting.
LEAST_PART_OF_WAITING = 0.5
# Below this fraction of the other station's waiting, it counts as zero.
NEGLIGIBLE_PART_OF_WAITING = 0.1
# The usual number of cables is known from at least this many other switches of a kind.
PEERS = 3
# The ids of causes of overhead on lines: routing messages, responses, headers.
OVERHEAD = (HoldId.ROUTING_MESSAGES, HoldId.REPLIES, PolicyId.SEGMENTS)
# Flows of several hosts to one at once.
INCAST = "incast"
# At most this many links are named, then the number of others.
_NAMED = 3
# At most this many stations are named by number.
STATIONS_NAMED = 8
# A verdict with this many nodes is on a link.
BOTH_ENDS = 2

Ends = frozenset[str]
"""The two nodes that a link joins."""


def full_kinds(canonical: Mapping[str, Any], why: "Explanation", cables: Cables) -> frozenset[str]:
    """The parameters of the rates of a kind of links, if several are as full as the fullest.

    Then one faster link only moves the queue. If all links are equally full, hosts' included, all have to be
    faster.
    """
    used = _used(why, ResourceId.LINK)
    if _have_one_rate(canonical) and any(_is_scarce(used, ResourceId.LINK, each) for each in why.candidates):
        return frozenset({ALL})
    if _is_of_one_switch(why.verdict):
        # The links of one switch are full: faster ones elsewhere gain nothing.
        return frozenset()
    if any(_is_into_receivers(candidate) for candidate in why.candidates):
        return frozenset({HOSTS})
    most = max(used.values(), default=0.0)
    alike = [ends for ends, pressure in used.items() if pressure >= min(NEARLY_FULL, ALIKE * most)]
    kinds = {TIER if cables.are_between_switches(ends) else HOSTS for ends in alike}
    if any(_is_everywhere(ResourceId.LINK, candidate) for candidate in why.candidates):
        # Links of hosts alone are everything only if there are no links between switches.
        are_all = HOSTS in kinds and cables.has_any_between_switches
        return frozenset({ALL} if are_all else kinds or {TIER if cables.has_any_between_switches else HOSTS})
    are_many = len(alike) >= FEWEST_OF_A_KIND and len(kinds) == 1
    return frozenset(kinds if are_many and _may_be_behind(used, why) else ())


def _may_be_behind(used: Mapping[Ends, float], why: "Explanation") -> bool:
    """Whether messages wait because links are busy, or because long packets make them seem so."""
    is_varied = why.cause == Cause.VARIABILITY and why.verdict.id == ResourceId.LINK
    is_named = any(_is_scarce(used, ResourceId.LINK, candidate) for candidate in why.candidates)
    return is_varied or is_named or max(used.values(), default=0.0) >= NEARLY_FULL


def lines_together(changes: Sequence[Relaxation], why: "Explanation") -> Iterator[Relaxation]:
    """Lines as full as a named one, or all lines if the cause is everywhere, twice as fast."""
    lines = [each for each in changes if len(each.joins) == BOTH_ENDS and each.sort is Sort.LINE]
    used = _used(why, ResourceId.LINE)
    rows: list[frozenset[Ends]] = []
    if len(lines) > 1 and any(_is_everywhere(ResourceId.LINE, candidate) for candidate in why.candidates):
        together = at_once(lines, f"all {len(lines)} lines")
        yield replace(
            together, place=None, joins=frozenset(), row=frozenset(), speeds=frozenset({ResourceId.LINE})
        )
        return
    for candidate in why.candidates:
        if _is_scarce(used, ResourceId.LINE, candidate):
            rows.append(frozenset(_as_full(used, candidate)))
    for row in dict.fromkeys(rows):
        parts = [each for each in lines if each.joins in row]
        if len({each.joins for each in parts}) > 1:
            yield at_once(parts, f"lines {in_words([each.place or '' for each in parts])}")


def stations_together(
    changes: Sequence[Relaxation], why: "Explanation", canonical: Mapping[str, Any]
) -> Iterator[Relaxation]:
    """Stations as full as a named one, twice as fast: one alone leaves the others' waiting.

    Those with as much waiting, and with them those without any: messages that come as far apart as they leave
    the previous station do not wait until that one is faster.
    """
    faster_ones = {each.place or "": each for each in changes if each.sort is Sort.SERVICE}
    stations = {root["resource"]: root for root in why.roots if root["resource"] in faster_ones}
    for candidate in why.candidates:
        own = stations.get(candidate.resource or "")
        if candidate.cause is not Cause.RESOURCE or own is None or own["pressure"] < SCARCE:
            continue
        alike = sorted(
            name
            for name, root in stations.items()
            if root["pressure"] >= ALIKE * own["pressure"]
            and root["share"] >= LEAST_PART_OF_WAITING * own["share"]
        )
        apart = times_apart_ps(canonical)
        least = Decimal(repr(ALIKE)) * apart[own["resource"]]
        as_full = [name for name, time in apart.items() if name in faster_ones and time >= least]
        full = [name for name in as_full if name in alike or _waits_for_nobody(stations, name, own)]
        if len(alike) > 1:
            yield _of_stations(faster_ones, alike)
        if len(full) > 1 and full != alike:
            yield replace(_of_stations(faster_ones, full), is_largest=True)
        return


def _waits_for_nobody(stations: Mapping[str, Mapping[str, Any]], name: str, own: Mapping[str, Any]) -> bool:
    """Whether hardly anything waits at a station beside one that is as full."""
    return name not in stations or stations[name]["share"] < NEGLIGIBLE_PART_OF_WAITING * own["share"]


def _of_stations(faster_ones: Mapping[str, Relaxation], names: Sequence[str]) -> Relaxation:
    """Some stations twice as fast, which relieves each of them."""
    numbers = [name.removeprefix("station ") for name in names]
    words = f"stations {in_words(numbers, STATIONS_NAMED)}"
    together = at_once([faster_ones[name] for name in names], words, "servers")
    return replace(together, place=words, row=frozenset(frozenset({name}) for name in names))


def overloaded_together(
    changes: Sequence[Relaxation], why: "Explanation", canonical: Mapping[str, Any]
) -> Iterator[Relaxation]:
    """All overloaded stations, twice as fast.

    The first of them limits the flow to the others, which therefore seem to have spare time.
    """
    if not any(candidate.cause is Cause.OVERLOAD for candidate in why.candidates):
        return
    faster_ones = {each.place or "": each for each in changes if each.sort is Sort.SERVICE}
    full = [name for name in overloaded(canonical) if name in faster_ones]
    if len(full) > 1:
        yield _of_stations(faster_ones, full)


def limits_together(changes: Sequence[Relaxation]) -> Iterator[Relaxation]:
    """Longer queues of packet radios, in all and for each connection: either may be full."""
    of_connections = {_section(each): each for each in changes if each.sort is Sort.CONNECTION}
    for each in changes:
        other = of_connections.get(_section(each)) if each.sort is Sort.QUEUE else None
        if other is not None:
            yield replace(
                each,
                label=f"{each.label}, {other.label}",
                set=(*each.set, *other.set),
                cost=f"{each.cost}, {other.cost}",
                curve=(),
            )


def along_routes(change: Relaxation, canonical: Mapping[str, Any]) -> Relaxation:
    """A change of segments on a group of lines, which relieves each line of routes over that group.

    Messages are cut into segments where they begin, so these load the lines before and after as well.
    """
    if change.sort is not Sort.SEGMENTS:
        return change
    joined = {group["name"]: frozenset(group["between"]) for group in canonical["group"]}
    over = [
        [joined[name] for name in route["groups"]]
        for route in canonical["route"]
        if change.joins in [joined[name] for name in route["groups"]]
    ]
    return replace(change, row=frozenset(ends for route in over for ends in route))


def of_receivers(canonical: Mapping[str, Any], why: "Explanation", cables: Cables) -> Iterator[Relaxation]:
    """The links into the receivers of rounds, if the scenario names these; others have spare time."""
    patterns = [group["pattern"] for group in canonical.get("flows", ()) if INCAST in group["pattern"]]
    hosts = [pattern[INCAST].get("receiver") for pattern in patterns]
    if None in hosts or not any(_is_into_receivers(candidate) for candidate in why.candidates):
        return
    links = {ends: USUAL for host in hosts for ends in cables.of(str(host))}
    if links:
        names = in_words([" - ".join(sorted(ends)) for ends in links])
        step = faster(canonical, links, f"link{'s' if len(links) > 1 else ''} {names}", 2 * len(links))
        # The incast is reported without nodes.
        row = frozenset({frozenset[str]()})
        yield Relaxation(step.label, step.set, step.cost, Cause.RESOURCE, names, row=row)


def _have_one_rate(canonical: Mapping[str, Any]) -> bool:
    """Whether multicast requires one rate of all links: none can be faster alone."""
    pattern = canonical.get("traffic", {}).get("pattern", {})
    flows = pattern.get("flows", ()) if isinstance(pattern, Mapping) else ()
    return any(not isinstance(flow["to"], str) for flow in flows)


def links_together(
    canonical: Mapping[str, Any], why: "Explanation", cables: Cables, repaired: frozenset[Ends]
) -> Iterator[Relaxation]:
    """Links along a path, those of one switch and those slower than their kind, each row once.

    Cables that are `repaired` are replaced by changes of their own.
    """
    used = _used(why, ResourceId.LINK)
    ways = [dict.fromkeys(row, USUAL) for row in _in_a_row(why)]
    rows = [*ways]
    for candidate in why.candidates:
        if _is_scarce(used, ResourceId.LINK, candidate):
            rows += [dict.fromkeys(row, USUAL) for row in _of_a_switch(used, candidate, cables)]
            rows.append(dict.fromkeys(_all_as_full(used, candidate, cables), USUAL))
    rows.append(_slower(canonical, why, cables, repaired))
    for row in {frozenset(row): row for row in rows if len(row) > 1}.values():
        names = in_words([" - ".join(sorted(ends)) for ends in row])
        ports = 2 * sum(cables.between(ends) for ends in row)
        step = faster(canonical, row, f"links {names}", ports)
        yield Relaxation(
            step.label,
            step.set,
            step.cost,
            Cause.RESOURCE,
            names,
            joins=next(iter(row)),
            row=frozenset(row),
            # If two of them gain nearly as much, the others are not bottlenecks.
            is_largest=len(row) > BOTH_ENDS and row in ways,
        )


def _section(change: Relaxation) -> str:
    """The section of the scenario that has the parameter of a change."""
    return change.paths[0].rpartition(".")[0]


def of_one_switch(canonical: Mapping[str, Any], why: "Explanation", cables: Cables) -> Iterator[Relaxation]:
    """For a switch with full links: those that it lacks beside similar switches, and all of them faster."""
    used = _used(why, ResourceId.LINK)
    for candidate in filter(_is_of_one_switch, why.candidates):
        (switch,) = candidate.nodes
        own = cables.between_switches(switch)
        if not own:
            continue
        if lacking := cables.lacking(switch):
            yield _lacking(canonical, switch, lacking)
        fullest = max(own, key=lambda ends: used.get(ends, 0.0))
        tier = dict.fromkeys(cables.like(switch, fullest), USUAL)
        names = in_words([" - ".join(sorted(ends)) for ends in tier])
        step = faster(canonical, tier, f"links {names}", 2 * sum(map(cables.between, tier)))
        yield Relaxation(step.label, step.set, step.cost, Cause.RESOURCE, switch)


def lacking_along(canonical: Mapping[str, Any], why: "Explanation", cables: Cables) -> Iterator[Relaxation]:
    """The cables that a switch at a full link, or at the next one, lacks beside similar switches.

    All traffic of such a switch goes over the few cables that it has. So the link before it may be full as
    well, and the run names that one. With fewer than three other switches the usual number is unknown.
    """
    used = _used(why, ResourceId.LINK)
    switches: dict[str, frozenset[Ends]] = {}
    for candidate in why.candidates:
        if _is_scarce(used, ResourceId.LINK, candidate):
            way = along(candidate) or [candidate.ends]
            for switch in sorted({node for ends in way for node in ends}):
                switches.setdefault(switch, frozenset(way))
    for switch, row in switches.items():
        has_peers = bool(cables.between_switches(switch)) and len(cables.peers(switch)) >= PEERS
        if has_peers and (lacking := cables.lacking(switch)):
            yield replace(_lacking(canonical, switch, lacking), row=row)


def _lacking(canonical: Mapping[str, Any], switch: str, lacking: Sequence[tuple[str, str]]) -> Relaxation:
    """The cables that a switch lacks, added."""
    names = in_words([" - ".join(each) for each in lacking])
    return Relaxation(
        f"{count_of(len(lacking), 'link', 'links')} {names} added",
        (added_link(canonical, *lacking),),
        f"{2 * len(lacking)} ports and {count_of(len(lacking), 'cable', 'cables')}",
        Cause.RESOURCE,
        switch,
        is_lacking=True,
    )


def faster(canonical: Mapping[str, Any], factors: Mapping[Ends, float], words: str, ports: int) -> Step:
    """Some links faster, each by its own factor, the others unchanged."""
    upgraded = canonical.get("upgrade", {}).get("links", [])
    today = {frozenset(each["between"]): each["speedup"] for each in upgraded}
    made = [
        {"between": sorted(ends), "speedup": min(today.get(ends, 1.0) * factor, FASTEST)}
        for ends, factor in factors.items()
    ]
    kept = [each for each in upgraded if frozenset(each["between"]) not in factors]
    size = " or ".join(times(factor) for factor in dict.fromkeys(factors.values()))
    override = f"upgrade.links={toml_text([*kept, *made])}"
    amount = f"x{max(factors.values()):g}"
    return Step(amount, f"{words} {size} as fast", (override,), f"{ports} ports of {size} the rate")


def along(candidate: Candidate) -> list[Ends]:
    """The link of a cause with the one before it, or those after it on the path, that are as full."""
    beyond = candidate.beyond
    beside = [frozenset(ends) for ends in pairwise(beyond)]
    return list(dict.fromkeys([candidate.ends, *beside])) if beside else []


def _in_a_row(why: "Explanation") -> Iterator[list[Ends]]:
    """The link of each cause with equally full ones on its path: with all of them, and with the nearest."""
    for candidate in why.candidates:
        if way := along(candidate):
            yield way
            yield way[:BOTH_ENDS]


def _of_a_switch(used: Mapping[Ends, float], candidate: Candidate, cables: Cables) -> Iterator[list[Ends]]:
    """The links of either end of a cause's link to switches of one level, if several are as full.

    An explanation lists a limited number of links. If all of them are as full, others of the switch may be
    too.
    """
    named = candidate.ends
    if not cables.are_between_switches(named):
        return
    alike = _as_full(used, candidate)
    is_cut_off = set(used) <= set(alike)
    for switch in candidate.nodes:
        like = cables.like(switch, named)
        row = [ends for ends in like if ends in alike]
        if len(row) > 1:
            yield like if is_cut_off else row


def _all_as_full(used: Mapping[Ends, float], candidate: Candidate, cables: Cables) -> list[Ends]:
    """All links of a cause's tier that are as full as its link, wherever they are.

    Links between switches are one tier, those of hosts the other: messages for one of several busy servers
    wait for its link alone, and a faster one leaves the others waiting. None if all links that an explanation
    lists are as full: others may be too.
    """
    alike = _as_full(used, candidate)
    if set(used) <= set(alike):
        return []
    is_of_trunks = cables.are_between_switches(candidate.ends)
    return [ends for ends in alike if cables.are_between_switches(ends) == is_of_trunks]


def _slower(
    canonical: Mapping[str, Any], why: "Explanation", cables: Cables, repaired: frozenset[Ends]
) -> dict[Ends, float]:
    """All links slower than comparable ones, each with the factor to the usual rate.

    A link is as slow as a listed one if a hand-written network gives it the same rate; the link of a host, if
    the network gives that host the rate of a listed one. The old adapters of a whole rack are not unusual at
    its switch, only beside those of other racks.
    """
    slower = {
        frozenset(root["ends"]): root["times_slower"]
        for root in why.roots
        if root["ends"] and root["id"] == ResourceId.LINK and root["times_slower"]
    }
    custom = canonical["network"].get("custom", {})
    links = {frozenset(each["between"]): each.get("rate") for each in custom.get("links", [])}
    hosts = {frozenset((each["name"], each["at"])): each.get("rate") for each in custom.get("hosts", [])}
    for rates in (links, hosts):
        factors = {rates[ends]: factor for ends, factor in slower.items() if rates.get(ends)}
        slower |= {ends: factors[rate] for ends, rate in rates.items() if rate in factors}
    return {ends: factor for ends, factor in slower.items() if ends not in repaired and cables.between(ends)}


def _used(why: "Explanation", kind: ResourceId) -> dict[Ends, float]:
    """Utilisation of links or lines in their busier direction, those that cause most waiting first."""
    found: dict[Ends, float] = {}
    for root in why.roots:
        if root["ends"] and root["id"] == kind:
            ends = frozenset(root["ends"])
            found[ends] = max(found.get(ends, 0.0), root["pressure"])
    return found


def _as_full(used: Mapping[Ends, float], candidate: Candidate) -> list[Ends]:
    """The link of a cause, equally full ones beside it, and all other equally full ones."""
    own = candidate.ends
    least = ALIKE * used.get(own, 1.0)
    alike = [ends for ends, pressure in used.items() if pressure >= least]
    return list(dict.fromkeys([own, *along(candidate), *alike]))


def _is_scarce(used: Mapping[Ends, float], kind: ResourceId, candidate: Candidate) -> bool:
    """Whether a cause is a link or line of this kind that is too busy."""
    is_resource = candidate.cause is Cause.RESOURCE and candidate.id == kind
    return is_resource and used.get(candidate.ends, 0.0) >= SCARCE


def _is_everywhere(kind: ResourceId, candidate: Candidate) -> bool:
    """Whether a cause is that links or lines of this kind are equally full, without one place."""
    return candidate.cause is Cause.OVERLOAD and candidate.id == kind and not candidate.nodes


def _is_of_one_switch(candidate: Candidate) -> bool:
    """Whether a cause is that all links of one switch to others are full."""
    is_of_links = candidate.cause is Cause.OVERLOAD and candidate.id == ResourceId.LINK
    return is_of_links and len(candidate.nodes) == 1


def _is_into_receivers(candidate: Candidate) -> bool:
    """Whether a cause is the link into the receiver of each round, which may differ between rounds."""
    return candidate.cause is Cause.RESOURCE and candidate.id == ResourceId.LINK and not candidate.nodes


def at_once(parts: Sequence[Relaxation], words: str, what: str = "lines") -> Relaxation:
    """Several lines, or servers, made faster together, in each size that all of them have."""
    sizes = [{step.amount: step for step in part.curve} for part in parts]
    steps = []
    for amount in sizes[0]:
        if all(amount in each for each in sizes):
            factor = times(float(amount.removeprefix("x")))
            overrides = tuple(text for each in sizes for text in each[amount].set)
            cost = f"{len(parts)} {what} of {factor} the rate"
            steps.append(Step(amount, f"{words} {factor} as fast", overrides, cost))
    chosen = next(step for step in steps if step.amount == f"x{USUAL:g}")
    return Relaxation(
        chosen.label,
        chosen.set,
        chosen.cost,
        Cause.RESOURCE,
        words,
        tuple(steps),
        parts[0].joins,
        row=frozenset(part.joins for part in parts),
    )


def in_words(names: Iterable[str], most: int = _NAMED) -> str:
    """The names in words; of many the first ones and the number of others."""
    apart = list(dict.fromkeys(names))
    if len(apart) > most:
        return listed(apart, most - 1)
    return " and ".join(part for part in (", ".join(apart[:-1]), apart[-1]) if part)
