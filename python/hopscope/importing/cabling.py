"""Cables as files tell of them, and the list of cables that hopscope reads.

A node is a host where the file says so. Where it says of no node what it is, the nodes with a single cable
are the hosts. A host with several cables becomes one host a cable, `name:1`, `name:2`, as for InfiniBand.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from hopscope.importing.source import Source

MOST_PORT = 65_534
HEADING = "from,to,from_port,to_port,rate,delay,kind"
# A longer number is no port's.
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,9})\D*$")
_RATE = re.compile(
    r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])\s*(?:i?b(?:it)?(?:/s|ps|e)?|base.*)?)?\s*$", re.IGNORECASE
)
_UNITS = {"k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s", "t": "Tbit/s"}
_DELAY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ps|ns|us|ms|s)\s*$")


@dataclass(frozen=True)
class End:
    """One end of a cable: the node, and the port by the file's name where it has one."""

    node: str
    port: str = ""


@dataclass(frozen=True)
class Cable:
    """A cable. Rate and delay are as hopscope writes them; `at` is its place in the file."""

    ends: tuple[End, End]
    at: int
    rate: str = ""
    delay: str = ""


@dataclass(frozen=True)
class Cabling:
    """All cables of a file. `hosts` are the nodes that it says are hosts; None where it says of none."""

    cables: Sequence[Cable]
    hosts: frozenset[str] | None
    notes: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True)
class EdgeList:
    """The list of cables as text, how much it has, and what is to be said of it."""

    text: str
    switches: int
    hosts: int
    cables: int
    notes: Sequence[str]


def edge_list(source: Source, cabling: Cabling) -> EdgeList:
    """The list of cables that hopscope reads. Raises UsageError with the place of what is wrong."""
    cables = once(source, cabling.cables)
    if not cables:
        raise source.fault("the file has no cable between two nodes", "at least one cable", len(source.text))
    count = Counter(end.node for cable in cables for end in cable.ends)
    hosts, notes = cabling.hosts, list(cabling.notes)
    if hosts is None:
        hosts = frozenset(name for name, of in count.items() if of == 1)
        notes.append("the file does not say which nodes are hosts: those with one cable are taken to be")
    if not set(count) - hosts:
        raise source.fault("every node is a host", "a switch that joins them", 0)
    ports = _port_numbers([end for cable in cables for end in cable.ends if end.node not in hosts])
    names = _host_names(cables, hosts, count)
    rows = [_row(source, cable, names.get(number), ports, hosts) for number, cable in enumerate(cables)]
    attached = sum(row.endswith(",host") for row in rows)
    text = "\n".join([HEADING, *rows]) + "\n"
    return EdgeList(text, len(set(count) - hosts), attached, len(cables), notes)


def once(source: Source, cables: Sequence[Cable]) -> list[Cable]:
    """Each cable once, though both ends may tell of it; a port that two cables are in is refused."""
    found: dict[frozenset[End], Cable] = {}
    in_port: dict[End, Cable] = {}
    kept = []
    for cable in cables:
        a, b = cable.ends
        if a.node == b.node:
            raise source.fault(f'"{a.node}" has a cable to itself', "a cable between two nodes", cable.at)
        key = frozenset(cable.ends)
        if a.port and b.port and key in found:
            continue
        found[key] = cable
        for end in (end for end in cable.ends if end.port):
            if end in in_port:
                where = source.text[: in_port[end].at].count("\n") + 1
                problem = f'port "{end.port}" of "{end.node}" has another cable on line {where}'
                raise source.fault(problem, "one cable in each port", cable.at)
            in_port[end] = cable
        kept.append(cable)
    return kept


def rate(source: Source, text: str, at: int | str, unit: str = "") -> str:
    """A rate such as "100G", "25GbE" or "100Gbps" as hopscope writes it; empty for none.

    A bare number is in `unit`. Raises UsageError for what is no rate.
    """
    if not text.strip():
        return ""
    read = _RATE.match(text)
    named = _UNITS.get((read.group(2) or "").lower(), unit) if read else ""
    if read is None or not named or not 0 < float(read.group(1)) < inf:
        raise source.fault(f'"{text.strip()}" is no rate', "a rate such as 100G or 100 Gbit/s", at)
    return f"{read.group(1)} {named}"


def delay(source: Source, text: str, at: int | str) -> str:
    """A delay such as "0.001ms" as hopscope writes it. Raises UsageError for what is none."""
    read = _DELAY.match(text)
    if read is None:
        raise source.fault(f'"{text.strip()}" is no delay', "a time such as 1000ns", at)
    return f"{read.group(1)} {read.group(2)}"


def _port_numbers(ends: Sequence[End]) -> Mapping[End, str]:
    """The number of each port: the last one in its name, where the switch's ports differ in that."""
    of_switch: dict[str, list[End]] = {}
    for end in ends:
        of_switch.setdefault(end.node, []).append(end)
    numbers: dict[End, str] = {}
    for switch in of_switch.values():
        read = [_LAST_NUMBER.search(end.port) for end in switch]
        found = [int(each.group(1)) for each in read if each]
        if len(found) == len(switch) == len(set(found)) and max(found) <= MOST_PORT:
            numbers.update((end, str(port)) for end, port in zip(switch, found, strict=True))
    return numbers


def _host_names(
    cables: Sequence[Cable], hosts: frozenset[str], count: Mapping[str, int]
) -> Mapping[int, str]:
    """What the host at each cable is called: its own name, with a number where it has several cables."""
    names, so_far = {}, Counter[str]()
    for number, cable in enumerate(cables):
        for end in (end for end in cable.ends if end.node in hosts):
            so_far[end.node] += 1
            names[number] = f"{end.node}:{so_far[end.node]}" if count[end.node] > 1 else end.node
    return names


def _row(
    source: Source, cable: Cable, host: str | None, ports: Mapping[End, str], hosts: frozenset[str]
) -> str:
    """The line of a cable; a host stands first."""
    a, b = cable.ends
    if b.node in hosts:
        a, b = b, a
    if b.node in hosts:
        raise source.fault(f'the hosts "{a.node}" and "{b.node}" are cabled', "a switch at one end", cable.at)
    near = a.node if host is None else host
    for name in (near, b.node):
        if "," in name or '"' in name or not name.isprintable() or not name:
            raise source.fault(f"the name {name!r}", "a name without commas and quotation marks", cable.at)
    kind = "trunk" if host is None else "host"
    return ",".join((near, b.node, ports.get(a, ""), ports.get(b, ""), cable.rate, cable.delay, kind))
