"""Cables as stated in files, and the list of cables that hopscope reads.

A node is a host if the file says so. If the file does not say it of any node, the hosts are the nodes with a
single cable and those whose ports have names of servers. A host with several cables becomes one host per
cable, `name:1`, `name:2`, as for InfiniBand.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from hopscope.importing import attached, guess
from hopscope.importing.attached import Attach
from hopscope.importing.quantities import size_of
from hopscope.importing.source import Source
from hopscope.numerals import amount

MOST_PORT = 65_534
MOST_NAMED = 3
"""The number of cables with disagreeing ends that are named; of others only the number is given."""
HEADING = "from,to,from_port,to_port,rate,delay,kind"
# A longer number is no port's.
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,9})\D*$")


@dataclass(frozen=True)
class End:
    """One end of a cable: the node, and the port by the file's name, if it has one."""

    node: str
    port: str = ""


@dataclass(frozen=True)
class Cable:
    """A cable as stated in one line. Rate and delay are as hopscope writes them; `at` is its place."""

    ends: tuple[End, End]
    at: int
    rate: str = ""
    delay: str = ""


@dataclass(frozen=True)
class Cabling:
    """All cables of a file. `hosts` are the nodes that it says are hosts; None where it says of none.

    In a directed graph, `is_directed`, an edge back is the same cable as one there. `how_to_say` explains how
    to state which nodes are hosts.
    """

    cables: Sequence[Cable]
    hosts: frozenset[str] | None
    notes: Sequence[str] = field(default_factory=tuple)
    is_directed: bool = False
    how_to_say: str = "the list has it in the column `kind`: `host` or `trunk`"


@dataclass(frozen=True)
class EdgeList:
    """The list of cables as text, its counts, and notes on it."""

    text: str
    switches: int
    hosts: int
    cables: int
    notes: Sequence[str]


def edge_list(source: Source, cabling: Cabling, attach: Sequence[Attach] = ()) -> EdgeList:
    """The list of cables that hopscope reads, with hosts attached to it as is wanted.

    Raises UsageError with the place of what is wrong.
    """
    cables, disagreements = once(source, cabling)
    if not cables:
        raise source.fault("the file has no cable between two nodes", "at least one cable", len(source.text))
    count = Counter(end.node for cable in cables for end in cable.ends)
    hosts, notes = cabling.hosts, [*cabling.notes, *disagreements]
    if hosts is None:
        hosts, said = guess.hosts(cables, cabling.how_to_say)
        notes += said
    if not set(count) - hosts:
        raise source.fault("every node is a host", "a switch that joins them", 0)
    ports = _port_numbers([end for cable in cables for end in cable.ends if end.node not in hosts])
    names = _host_names(cables, hosts, count)
    rows = [_row(source, cable, names.get(number), ports, hosts) for number, cable in enumerate(cables)]
    rows += attached.rows(cables, set(count) - hosts, attach)
    hosts_there = sum(row.endswith(",host") for row in rows)
    if not hosts_there:
        notes.append(f"no node is a host: `--hosts '{attached.EXAMPLE}'` attaches 8 to each switch called so")
    text = "\n".join([HEADING, *rows]) + "\n"
    return EdgeList(text, len(set(count) - hosts), hosts_there, len(rows), notes)


def once(source: Source, cabling: Cabling) -> tuple[list[Cable], list[str]]:
    """Each cable once, although both ends may state it, and their disagreements.

    A port with two cables is refused.
    """
    told: list[list[Cable]] = []
    by_ports: dict[frozenset[End], list[Cable]] = {}
    one_way: dict[tuple[End, End], list[list[Cable]]] = {}
    in_port: dict[End, Cable] = {}
    for cable in cabling.cables:
        a, b = cable.ends
        if a.node == b.node:
            raise source.fault(f'"{a.node}" has a cable to itself', "a cable between two nodes", cable.at)
        known = by_ports.get(frozenset(cable.ends)) if a.port and b.port else None
        if known is None and cabling.is_directed:
            known = _edge_there(one_way.get((b, a), []), cable)
        if known is not None:
            known.append(cable)
            continue
        for end in (end for end in cable.ends if end.port):
            if end in in_port:
                where = source.line(in_port[end].at)
                problem = f'port "{end.port}" of "{end.node}" has another cable on line {where}'
                raise source.fault(problem, "one cable in each port", cable.at)
            in_port[end] = cable
        told.append([cable])
        by_ports[frozenset(cable.ends)] = told[-1]
        one_way.setdefault(cable.ends, []).append(told[-1])
    differing = [lines for lines in told if any(len(_stated(lines, what)) > 1 for what in _Quantity)]
    notes = [*_repetitions(source, told), *_disagreements(source, differing)]
    return [_merged(lines) for lines in told], notes


def _repetitions(source: Source, told: Sequence[Sequence[Cable]]) -> list[str]:
    """The lines that repeat an earlier one from the same end; the other end is no repetition."""
    repeated = []
    for lines in told:
        first: dict[tuple[End, End], Cable] = {}
        for cable in lines:
            before = first.setdefault(cable.ends, cable)
            if source.line(before.at) != source.line(cable.at):
                repeated.append((before, cable))
    if not repeated:
        return []
    before, again = repeated[0]
    line, name = f"line {source.line(again.at)}", f"that of line {source.line(before.at)} ({_name(again)})"
    if len(repeated) == 1:
        return [f"{line} repeats a cable, {name}: it is taken once"]
    return [f"{len(repeated)} lines repeat a cable, such as {line} {name}: each is taken once"]


def _name(cable: Cable) -> str:
    """A cable by its ends."""
    return " - ".join(f"{end.node}:{end.port}" if end.port else end.node for end in cable.ends)


def _edge_there(waiting: list[list[Cable]], back: Cable) -> list[Cable] | None:
    """The cable that an edge back belongs to, among those with an edge in one direction so far.

    Of several between two nodes it is one of the same rate and delay, if there is one.
    """
    alike = ((there.rate, there.delay) == (back.rate, back.delay) for (there, *_) in waiting)
    at = next((number for number, is_alike in enumerate(alike) if is_alike), 0)
    return waiting.pop(at) if waiting else None


class _Quantity(StrEnum):
    """What lines state of a cable, by the name of its field."""

    RATE = "rate"
    DELAY = "delay"


def _stated(told: Sequence[Cable], what: _Quantity) -> dict[Fraction, Cable]:
    """The different rates or delays that lines state of a cable, each with the first line that does."""
    found: dict[Fraction, Cable] = {}
    for cable in told:
        if text := getattr(cable, what):
            found.setdefault(size_of(text), cable)
    return found


def _merged(told: Sequence[Cable]) -> Cable:
    """The cable stated in these lines, with the slower rate and the longer delay."""
    if len(told) == 1:
        return told[0]
    rates, delays = _stated(told, _Quantity.RATE), _stated(told, _Quantity.DELAY)
    rate = rates[min(rates)].rate if rates else ""
    return replace(told[0], rate=rate, delay=delays[max(delays)].delay if delays else "")


def _disagreements(source: Source, differing: Sequence[Sequence[Cable]]) -> list[str]:
    """The disagreements of the first of these cables, and the number of other cables."""
    notes = [_disagreement(source, lines) for lines in differing[:MOST_NAMED]]
    if more := len(differing) - len(notes):
        cables = amount(more, "more cable", "more cables")
        notes.append(f"the ends of {cables} disagree; the slower rate and the longer delay are taken")
    return notes


def _disagreement(source: Source, told: Sequence[Cable]) -> str:
    """The disagreement of the lines of a cable, and the value used."""
    several = len({source.line(cable.at) for cable in told}) > 1
    parts = []
    for what, taken in ((_Quantity.RATE, "slower"), (_Quantity.DELAY, "longer")):
        stated = _stated(told, what).values()
        if len(stated) > 1:
            places = [f" on line {source.line(cable.at)}" if several else "" for cable in stated]
            texts = [getattr(cable, what) for cable in stated]
            values = ", ".join(f"{text}{place}" for text, place in zip(texts, places, strict=True))
            parts.append(f"{values}; the {taken} is taken")
    return f"the ends of the cable {_name(told[0])} disagree: {'; '.join(parts)}"


def _port_numbers(ends: Sequence[End]) -> Mapping[End, str]:
    """The number of each port: the last one in its name, if the switch's ports differ in that."""
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
    """The name of the host at each cable: its own, with a number if it has several cables."""
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
