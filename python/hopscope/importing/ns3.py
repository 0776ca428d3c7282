"""Topologies and flows of the RDMA simulators in ns-3: HPCC's form, and SimAI's with its servers.

A topology begins with how many nodes, switches and links there are (HPCC), or nodes, GPUs a server, switches
of servers, switches, links and the kind of GPU (SimAI). Then come the numbers of the switches, and a line a
link: two nodes, rate, delay, error rate. A flow file begins with how many flows there are; a line has sender,
receiver, priority, port, bytes, and the second at which it starts.
"""

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import delay, rate
from hopscope.importing.source import Source
from hopscope.numerals import amount

_HPCC, _SIMAI = 3, 6
_LINK, _FLOW = 5, 6
_A_FLOW = "sender, receiver, priority, port, bytes and the second of its start"


def looks_like(text: str) -> bool:
    """Whether the first line has the numbers of a topology."""
    words = text.lstrip().split("\n", 1)[0].split()
    return (len(words) == _HPCC and all(w.isdigit() for w in words)) or (
        len(words) == _SIMAI and all(w.isdigit() for w in words[: _SIMAI - 1])
    )


def read(source: Source) -> Cabling:
    """The cables of a topology. What is no switch is a host."""
    lines = [(place, line.split()) for place, line in source.lines() if line.split()]
    head = [
        source.whole(word, "how many nodes, switches and links there are", lines[0][0])
        for word in lines[0][1][: _SIMAI - 1]
    ]
    nodes, links = head[0], head[-1]
    switches = head[1] if len(head) == _HPCC else head[2] + head[3]
    listed, rest = _switches(source, lines[1:], switches, nodes)
    if len(rest) < links:
        raise source.fault(f"{len(rest)} of {links} links", "all links", len(source.text), "is it cut short?")
    cables, lossy = [], 0
    for place, words in rest[:links]:
        if len(words) < _LINK - 1:
            raise source.fault(f'"{" ".join(words)}"', "two nodes, rate, delay, error rate", place)
        ends = [_node(source, word, nodes, place) for word in words[:2]]
        speed, lag = rate(source, words[2], place), delay(source, words[3], place)
        cables.append(Cable((End(f"n{ends[0]}"), End(f"n{ends[1]}")), place, speed, lag))
        lossy += len(words) >= _LINK and _is_lossy(source, words[_LINK - 1], place)
    losing = amount(lossy, "link loses", "links lose")
    notes = [f"{losing} frames at random, which is left out"] if lossy else []
    cabled = {end.node for cable in cables for end in cable.ends}
    return Cabling(cables, frozenset(cabled - {f"n{number}" for number in listed}), notes)


def _is_lossy(source: Source, word: str, place: int) -> bool:
    """Whether an error rate is above 0."""
    try:
        return float(word) > 0
    except ValueError as wrong:
        raise source.fault(f'"{word}" is no error rate', "a number such as 0 or 0.001", place) from wrong


def _switches(
    source: Source, lines: list[tuple[int, list[str]]], count: int, nodes: int
) -> tuple[set[int], list[tuple[int, list[str]]]]:
    """The numbers of the switches, which may stand on several lines, and the lines after them."""
    found: set[int] = set()
    for number, (place, words) in enumerate(lines):
        if len(found) >= count:
            return found, lines[number:]
        found |= {_node(source, word, nodes, place) for word in words}
    if len(found) < count:
        raise source.fault(
            f"{len(found)} of {count} switches", "the numbers of all switches", len(source.text)
        )
    return found, []


def _node(source: Source, word: str, nodes: int, place: int) -> int:
    expected = f"a node, a number from 0 to {nodes - 1}"
    if (number := source.whole(word, expected, place)) >= nodes:
        raise source.fault(f'"{word}" is no node', expected, place)
    return number


def looks_like_flows(text: str) -> bool:
    """Whether the first line is a number alone, and the next a flow."""
    lines = [line.split() for line in text.splitlines()[:3] if line.split()]
    return len(lines) > 1 and len(lines[0]) == 1 and lines[0][0].isdigit() and len(lines[1]) == _FLOW


def read_flows(source: Source) -> tuple[str, int]:
    """The flows as hopscope's flow list, and how many they are."""
    lines = [(place, line.split()) for place, line in source.lines() if line.split()]
    wanted, rest = source.whole(lines[0][1][0], "the number of flows", lines[0][0]), lines[1:]
    if len(rest) < wanted:
        raise source.fault(
            f"{len(rest)} of {wanted} flows", "all flows", len(source.text), "is it cut short?"
        )
    rows = ["from,to,size,start"]
    for place, words in rest[:wanted]:
        if len(words) < _FLOW:
            raise source.fault(f'"{" ".join(words)}"', _A_FLOW, place)
        source_node, to, _, _, size = (source.whole(word, _A_FLOW, place) for word in words[: _FLOW - 1])
        start_ns = _start_ns(source, words[_FLOW - 1], place)
        rows.append(f"n{source_node},n{to},{size} B,{start_ns} ns")
    return "\n".join(rows) + "\n", wanted


def _start_ns(source: Source, word: str, place: int) -> int:
    try:
        return round(float(word) * 1e9)
    except (ValueError, OverflowError) as wrong:
        raise source.fault(f'the start "{word[:20]}"', _A_FLOW, place) from wrong
