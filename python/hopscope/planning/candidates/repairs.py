"""Repairs of a fabric: slow hosts, retrying links, slow cables, faults, new tables."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.numerals import percent
from hopscope.overrides import Override, toml_text
from hopscope.planning import faults
from hopscope.planning.candidates.changes import FAR_FROM_USUAL, Relaxation
from hopscope.planning.kinds import NodeKind
from hopscope.planning.quantities import in_bit_s, in_bytes, in_ps
from hopscope.thresholds import APART_PS

if TYPE_CHECKING:
    from hopscope._core import Scenario

SLOW_HOSTS = "slow_hosts"
RETRYING_LINKS = "retrying_links"
NEW_TABLES = "new_tables"
REPLACED = ("upgrade.replace_slow_cables=true",)
# The kinds of anomaly of cables that are slower than others of their kind.
SLOW = frozenset({"slow-link", "narrow-link"})
ANY_TRAFFIC = ["flows=[]", 'traffic={ pattern = "uniform", load = 0.1 }']
# A cable is far longer than most if its delay is at least this many times theirs: an order of magnitude.
TIMES_AS_LONG = 10
# A switch lacks a cable if all but one in this many similar switches have it.
MOST_HAVE = 4
# At most this many slow cables are named, then the number of others.
NAMED = 2


class Cables:
    """The cables of a fabric: their number between two nodes, and their ends by name."""

    def __init__(self, scenario: "Scenario") -> None:
        """Read them from the scenario's network."""
        self._count: Counter[frozenset[str]] = Counter()
        self._ends: dict[str, frozenset[str]] = {}
        topology = json.loads(scenario.topology_json() or '{"nodes": [], "links": []}')
        kinds = {node["name"]: NodeKind(node["kind"]) for node in topology["nodes"]}
        self._hosts = frozenset(name for name, kind in kinds.items() if kind is NodeKind.HOST)
        # The switches that hosts are joined to.
        self._with_hosts: set[str] = set()
        self._levels = {node["name"]: node["level"] for node in topology["nodes"]}
        for link in topology["links"]:
            ends = frozenset((link["from"], link["to"]))
            self._count[ends] += 1
            if ends & self._hosts:
                self._with_hosts |= ends - self._hosts
            # A switch is named with its port, a host without.
            here, there = ((link[end], f"{link[end]}:{link[f'{end}_port']}") for end in ("from", "to"))
            for one, other in product(here, there):
                self._ends[f"{one} - {other}"] = self._ends[f"{other} - {one}"] = ends

    def between(self, ends: frozenset[str]) -> int:
        """The number of cables between two nodes."""
        return self._count[ends]

    def are_between_switches(self, ends: frozenset[str]) -> bool:
        """Whether the cables that join two nodes have a host at neither end."""
        return not ends & self._hosts

    @property
    def has_any_between_switches(self) -> bool:
        """Whether the network has a cable with a host at neither end."""
        return any(map(self.are_between_switches, self._count))

    @property
    def have_a_ring(self) -> bool:
        """Whether switches are joined by more than one path: only then other routes exist."""
        joined = list(filter(self.are_between_switches, self._count))
        return len(joined) >= len(frozenset().union(*joined)) > 0

    def like(self, switch: str, link: frozenset[str]) -> list[frozenset[str]]:
        """The cables that join a switch to others of the level to which a link of it leads."""
        (other,) = link - {switch}
        return [
            ends
            for ends in self._count
            if switch in ends
            and self.are_between_switches(ends)
            and {self._levels[name] for name in ends - {switch}} == {self._levels[other]}
        ]

    def of(self, node: str) -> list[frozenset[str]]:
        """The cables that join a node to any other, each by its two nodes."""
        return [ends for ends in self._count if node in ends]

    def between_switches(self, switch: str) -> list[frozenset[str]]:
        """The cables that join a switch to others."""
        return [ends for ends in self._count if switch in ends and self.are_between_switches(ends)]

    def lacking(self, switch: str) -> list[tuple[str, str]]:
        """The cables of which a switch has fewer than most similar switches, each by its two ends.

        Similar switches are joined to the same switches, and have hosts if and only if it has.
        """
        like = self.peers(switch)
        found: list[tuple[str, str]] = []
        for far in sorted({each for other in like for each in self._beside(other)} - {switch}):
            have = sorted(self._count[frozenset((other, far))] for other in like if other != far)
            # All but a few have at least this many.
            usual = have[len(have) // MOST_HAVE]
            found += [(switch, far)] * (usual - self._count[frozenset((switch, far))])
        return found

    def peers(self, switch: str) -> set[str]:
        """The similar switches: joined to the same switches, and with hosts if and only if it has."""
        like = {other for each in self._beside(switch) for other in self._beside(each)} - {switch}
        return {other for other in like if (other in self._with_hosts) == (switch in self._with_hosts)}

    def _beside(self, switch: str) -> set[str]:
        """The switches that a cable joins to a switch."""
        return {other for ends in self.between_switches(switch) for other in ends - {switch}}

    def ends(self, cable: str) -> frozenset[str]:
        """The nodes that a cable joins; its name has their ports."""
        return self._ends[cable]


def slow_hosts(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each slow host without its own rate."""
    entries = canonical.get("frames", {}).get(SLOW_HOSTS, [])
    for entry in entries:
        host = entry["host"]
        yield Relaxation(
            f"host {host} drains as fast as its link",
            _without(SLOW_HOSTS, entries, entry),
            "a faster host",
            Cause.RESOURCE,
            host,
            mends=f"Slow host: {host} takes what arrives at {entry['drain']}.",
        )


def retrying_links(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each link that retries without its errors."""
    entries = canonical.get("frames", {}).get(RETRYING_LINKS, [])
    for entry in entries:
        name = " - ".join(sorted(entry["between"]))
        failing = percent(entry["failing"])
        yield Relaxation(
            f"no retries at {name}",
            _without(RETRYING_LINKS, entries, entry),
            "a good cable",
            Cause.LOSS,
            name,
            joins=frozenset(entry["between"]),
            mends=f"Retries: {failing} of the transmissions on {name} fail, and are sent again.",
        )


def failures(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """The network without its faults."""
    if down := faults.outages(canonical):
        yield Relaxation(
            "no faults",
            ("faults=[]",),
            "redundant or better hardware",
            Cause.INTERRUPTION,
            None,
            # Packets sent to a failed part are lost.
            also=frozenset({Cause.LOSS}),
            mends=f"Fault: {faults.words(down)}.",
            happens=True,
        )


def earlier_tables(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """The initial routes, if new tables replace them during the run.

    If something fails, new tables are the reaction to it: without them packets would go to the failed part.
    """
    new = canonical.get("frames", {}).get(NEW_TABLES)
    if not new or canonical.get("faults"):
        return
    first, *later = sorted(new, key=lambda each: in_ps(each["at"]))
    more = "".join(f", from {each['at']} on by {each['tables']}" for each in later[: NAMED - 1])
    yield Relaxation(
        "the routes of before the new tables",
        (f"frames.{NEW_TABLES}=[]",),
        "the earlier routes",
        Cause.ROUTE_CONCENTRATION,
        None,
        mends=f"New tables: from {first['at']} on packets go by {first['tables']}{more}.",
        happens=True,
    )


def together(each: Sequence[Relaxation]) -> Iterator[Relaxation]:
    """All repairs together, if there are several: each alone may gain little."""
    repaired: dict[str, str] = {}
    for repair in each:
        for override in repair.set:
            path, value = Override.of(override)
            # The repair of one entry of a list leaves the others: an empty list repairs all of them.
            repaired[path] = "[]" if path in repaired and value.startswith("[") else value
    if len(each) > 1:
        more = f"; and {len(each) - NAMED} more" if len(each) > NAMED else ""
        yield Relaxation(
            f"all repaired: {'; '.join(repair.label for repair in each[:NAMED])}{more}",
            tuple(f"{path}={value}" for path, value in repaired.items()),
            "the cost of each",
            Cause.RESOURCE,
            None,
            repaired=len(each),
            mends=f"{len(each)} faults: {' '.join(str(repair.mends) for repair in each[:NAMED])}",
        )


def of_one_kind(each: Sequence[Relaxation]) -> Iterator[Relaxation]:
    """All repairs of one parameter together, such as the errors of several lines: each alone may gain little.

    A message that is spared one of the faults meets the next one.
    """
    kinds: dict[tuple[Cause, str], list[Relaxation]] = {}
    for repair in each:
        if len(repair.set) == 1 and not repair.happens:
            field = repair.paths[0].rpartition(".")[2]
            kinds.setdefault((repair.cause, field), []).append(repair)
    for (cause, _), alike in kinds.items():
        for whole in together(alike):
            yield replace(whole, cause=cause, speeds=frozenset())


def slow_cables(scenario: "Scenario", advised: Mapping[str, Any] | None) -> Sequence[Mapping[str, str]]:
    """The cables slower than their kind: `cable` with its ports, its `rate` and the `usual` one.

    Flows have no load for which `advise` could compare anything; cables do not depend on the traffic.
    """
    if advised is None:
        facts = json.loads(scenario.topology_json() or "{}").get("facts")
        odd = any(each["kind"] in SLOW for each in facts["anomalies"]) if facts else False
        # Links of generated networks are equal, and there are no facts about hand-written ones.
        if not odd and "custom" not in json.loads(scenario.canonical_json())["network"]:
            return []
        advised = json.loads(scenario.with_overrides(ANY_TRAFFIC).advice_json(False) or "{}")
    return (advised.get("slow_cables") or {"cables": []})["cables"]


def replaced_cables(slow: Sequence[Mapping[str, str]], cables: Cables) -> Iterator[Relaxation]:
    """All slow cables at the usual rate of their kind."""
    if len(slow) == 1:
        (only,) = slow
        ends = cables.ends(only["cable"])
        label = f"the slow cable {only['cable']} replaced by one of {only['usual']}"
        cost = f"2 ports of {only['usual']} instead of {only['rate']}"
        place = " - ".join(sorted(ends))
        mends = f"Slow cable: {only['cable']} runs at {only['rate']}, where most have {only['usual']}."
        yield Relaxation(label, REPLACED, cost, Cause.RESOURCE, place, (), ends, mends=mends)
    elif slow:
        named = _named([each["cable"] for each in slow])
        rates = " and ".join(dict.fromkeys(each["usual"] for each in slow))
        label = f"the {len(slow)} slow cables {named} replaced by ones of {rates}"
        cost = f"{2 * len(slow)} ports of {rates}"
        mends = f"Slow cables: {named} run at less than {rates}, which most have."
        yield Relaxation(label, REPLACED, cost, Cause.RESOURCE, None, mends=mends)


def slower_than_parallel(
    canonical: Mapping[str, Any], replaced: Set[frozenset[str]], cables: Cables
) -> Iterator[Relaxation]:
    """Each listed link that is slower than those beside it, at the rate of these.

    A single link between two switches has no comparison; of links that share the same packets one may be
    slower. Links of `replaced` cables are reported there. Links of a generated network have the usual rate.
    """
    usual = canonical["link"]["rate"]
    custom = canonical["network"].get("custom", {}).get("links", [])
    listed = [
        *((f"network.custom.links[{number}]", link) for number, link in enumerate(custom)),
        *((f"added_links[{number}]", link) for number, link in enumerate(canonical.get("added_links", ()))),
    ]
    rates: dict[frozenset[str], list[str]] = {}
    for _, link in listed:
        rates.setdefault(frozenset(link["between"]), []).append(link.get("rate", usual))
    for path, link in listed:
        ends = frozenset(link["between"])
        number = max(len(rates[ends]), cables.between(ends))
        generated = [usual] * (number - len(rates[ends]))
        own, best = link.get("rate", usual), max([*rates[ends], *generated], key=in_bit_s)
        if in_bit_s(own) >= in_bit_s(best) or ends in replaced:
            continue
        name = " - ".join(sorted(ends))
        yield Relaxation(
            f"the slow one of {number} links {name} replaced by one of {best}",
            (f"{path}.rate={toml_text(best)}",),
            f"2 ports of {best} instead of {own}",
            Cause.RESOURCE,
            name,
            joins=ends,
            mends=f"Slow link: one of the {number} links {name} runs at {own}, another at {best}.",
        )


def slowed_links(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """All links that an upgrade makes slower than their cables, at the rate of the cables."""
    entries = canonical.get("upgrade", {}).get("links", [])
    slowed = [each for each in entries if each["speedup"] < 1]
    if not slowed:
        return
    named = _named([" - ".join(each["between"]) for each in slowed])
    joins = frozenset(slowed[0]["between"]) if len(slowed) == 1 else frozenset()
    words = f"link {named}" if joins else f"the {len(slowed)} links {named}"
    cable, its = ("Slow cable", "its") if joins else ("Slow cables", "their")
    kept = toml_text([each for each in entries if each["speedup"] >= 1])
    share = " and ".join(dict.fromkeys(percent(each["speedup"]) for each in slowed))
    yield Relaxation(
        f"{words} at {its} full rate",
        (f"upgrade.links={kept}",),
        "cables and ports that work",
        Cause.RESOURCE,
        " - ".join(sorted(joins)) if joins else None,
        joins=joins,
        mends=f"{cable}: {words} {'runs' if joins else 'run'} at {share} of {its} rate.",
    )


def low_stops(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """FIFOs that stop their senders far below half of their size, at half of it.

    The rest of such a FIFO holds only what comes until a stop takes effect. The FIFO is empty before the
    start takes effect, and the output idles.
    """
    switch = canonical.get("switch", {})
    fifo = switch.get("fifo")
    if "frames" in canonical or not isinstance(fifo, Mapping):
        return
    size, level = in_bytes(fifo["bytes"]), in_bytes(switch["stop_above"])
    half = int(size / 2)
    if FAR_FROM_USUAL * level > half:
        return
    urgent = f'switch.urgent_above="{int(3 * size / 4)} B"'
    yield Relaxation(
        "stops at half of a FIFO",
        (f'switch.stop_above="{half} B"', *([urgent] if in_bytes(switch["urgent_above"]) <= half else [])),
        "none",
        Cause.SLOW_SERVICE,
        None,
        mends=f"Slow setting: a FIFO of {fifo['bytes']} stops its sender above {switch['stop_above']} "
        "(`switch.stop_above`), where half of the FIFO is usual.",
    )


def far_cables(canonical: Mapping[str, Any]) -> Iterator[tuple[str, Relaxation]]:
    """Each cable of a hand-written network that is far longer than its kind: in words, and shortened.

    Cables between switches are one kind, and those of hosts another: a campus has long ones. A place without
    a shorter path is far away, and nothing is wrong with its cable; except with stop and start, as in AN1:
    FIFOs have to hold what arrives until a stop takes effect.
    """
    custom = canonical["network"].get("custom")
    if custom is None:
        return
    links = [(link["between"], link) for link in custom["links"]]
    hosts = [([host["name"], host["at"]], host) for host in custom["hosts"]]
    for part, cables in (("links", links), ("hosts", hosts)):
        if not cables:
            continue
        delays = [entry.get("delay", canonical["link"]["delay"]) for _, entry in cables]
        most = sorted(delays, key=in_ps)[(len(delays) - 1) // 2]
        for number, ((ends, _), delay) in enumerate(zip(cables, delays, strict=True)):
            least = TIMES_AS_LONG * in_ps(most)
            if in_ps(delay) <= in_ps(most) or in_ps(delay) < least:
                continue
            short = [pair for (pair, _), took in zip(cables, delays, strict=True) if in_ps(took) < least]
            is_of_frames = part == "links" and "frames" in canonical
            may_be_apart = is_of_frames and in_ps(delay) <= APART_PS
            if may_be_apart and not are_joined(ends, short):
                continue
            name = " - ".join(sorted(ends))
            words = f"Long link: the cable {name} takes {delay}, where most take {most}."
            shorter = Relaxation(
                f"a cable {name} that takes {most}",
                (f"network.custom.{part}[{number}].delay={toml_text(most)}",),
                f"a shorter way than one of {delay}",
                Cause.SLOW_SERVICE,
                name,
                joins=frozenset(ends),
            )
            yield words, shorter


def are_joined(ends: Sequence[str], cables: Sequence[Sequence[str]]) -> bool:
    """Whether a path of cables, or lines, leads from one node to the other."""
    reached, before = {ends[0]}, 0
    while before < len(reached):
        before = len(reached)
        reached.update(node for pair in cables if not reached.isdisjoint(pair) for node in pair)
    return ends[1] in reached


def _named(names: Sequence[str]) -> str:
    """The first names, then the number of others."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _without(field: str, entries: Sequence[Mapping[str, Any]], entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The override that leaves one entry of a list of frames out."""
    return (f"frames.{field}={toml_text([each for each in entries if each is not entry])}",)
