"""Topologies and flows of the RDMA simulators in ns-3: HPCC's form, and SimAI's with its servers.

A topology begins with the numbers of nodes, switches and links (HPCC), or of nodes, GPUs per server, switches
of servers, switches, links and the kind of GPU (SimAI). The numbers of the switches follow, then a line per
link: two nodes, rate, delay, error rate. A flow file begins with the number of flows; a line has sender,
receiver, priority, port, bytes, and the second at which it starts.
"""

import math
from collections.abc import Sequence

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import delay, rate
from hopscope.importing.source import Source, Word
from hopscope.numerals import amount, listed

_HPCC, _SIMAI = 3, 6
_LINK, _FLOW = 5, 6
_NAMED = 4
_A_FLOW = "sender, receiver, priority, port, bytes and the second of its start"


def looks_like(text: str) -> bool:
    """Whether the first line has the numbers of a topology."""
    words = text.lstrip().split("\n", 1)[0].split()
    return (len(words) == _HPCC and all(w.isdigit() for w in words)) or (
        len(words) == _SIMAI and all(w.isdigit() for w in words[: _SIMAI - 1])
    )


def read(source: Source) -> Cabling:
    """The cables of a topology. Nodes that are not switches are hosts."""
    lines = source.words()
    head = [
        source.whole(word.text, "how many nodes, switches and links there are", word.at)
        for word in lines[0][: _SIMAI - 1]
    ]
    nodes, links = head[0], head[-1]
    switches = head[1] if len(head) == _HPCC else head[2] + head[3]
    numbers, rest = _switches(source, lines[1:], switches, nodes)
    if len(rest) < links:
        raise source.fault(f"{len(rest)} of {links} links", "all links", len(source.text), "is it cut short?")
    cables, lossy = [], []
    for words in rest[:links]:
        if len(words) < _LINK - 1:
            raise source.fault(_quoted(words), "two nodes, rate, delay, error rate", words[0].at)
        ends = [_node(source, word, nodes) for word in words[:2]]
        speed, lag = rate(source, words[2].text, words[2].at), delay(source, words[3].text, words[3].at)
        cables.append(Cable((End(f"n{ends[0]}"), End(f"n{ends[1]}")), words[0].at, speed, lag))
        if len(words) >= _LINK and _is_lossy(source, words[_LINK - 1]):
            lossy.append(f"n{ends[0]} - n{ends[1]}")
    losing = amount(len(lossy), "link loses", "links lose")
    # The links stay: a file of cables cannot contain their error rates.
    notes = [f"error rates are ignored: {losing} frames at random: {listed(lossy, _NAMED)}"] if lossy else []
    cabled = {end.node for cable in cables for end in cable.ends}
    return Cabling(cables, frozenset(cabled - {f"n{number}" for number in numbers}), notes)


def _quoted(words: Sequence[Word]) -> str:
    """A line as messages quote it."""
    return f'"{" ".join(word.text for word in words)}"'


def _is_lossy(source: Source, word: Word) -> bool:
    """Whether an error rate, the share of frames that are lost, is above 0."""
    try:
        share = float(word.text)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise source.fault(f'"{word.text}" is no error rate', "a share from 0 to 1, such as 0.001", word.at)
    return share > 0


def _switches(
    source: Source, lines: Sequence[Sequence[Word]], count: int, nodes: int
) -> tuple[set[int], Sequence[Sequence[Word]]]:
    """The numbers of the switches, which may be on several lines, and the lines after them."""
    found: set[int] = set()
    for number, words in enumerate(lines):
        if len(found) >= count:
            return found, lines[number:]
        found |= {_node(source, word, nodes) for word in words}
    if len(found) < count:
        raise source.fault(
            f"{len(found)} of {count} switches", "the numbers of all switches", len(source.text)
        )
    return found, []


def _node(source: Source, word: Word, nodes: int) -> int:
    expected = f"a node, a number from 0 to {nodes - 1}"
    if (number := source.whole(word.text, expected, word.at)) >= nodes:
        raise source.fault(f'"{word.text}" is no node', expected, word.at)
    return number


def looks_like_flows(text: str) -> bool:
    """Whether the first line is a number alone, and the next a flow."""
    lines = [line.split() for line in text.splitlines()[:3] if line.split()]
    return len(lines) > 1 and len(lines[0]) == 1 and lines[0][0].isdigit() and len(lines[1]) == _FLOW


def read_flows(source: Source) -> tuple[str, int]:
    """The flows as hopscope's flow list, and their number."""
    (count, *_), *rest = source.words()
    wanted = source.whole(count.text, "the number of flows", count.at)
    if len(rest) < wanted:
        raise source.fault(
            f"{len(rest)} of {wanted} flows", "all flows", len(source.text), "is it cut short?"
        )
    rows = ["from,to,size,start"]
    for words in rest[:wanted]:
        if len(words) < _FLOW:
            raise source.fault(_quoted(words), _A_FLOW, words[0].at)
        near, far, _, _, size = (source.whole(word.text, _A_FLOW, word.at) for word in words[: _FLOW - 1])
        if near == far:
            raise source.fault(f"a flow from {near} to itself", "two nodes", words[1].at)
        if size == 0:
            raise source.fault("a flow of 0 bytes", "at least 1 byte", words[_FLOW - 2].at)
        rows.append(f"n{near},n{far},{size} B,{_start_ns(source, words[_FLOW - 1])} ns")
    return "\n".join(rows) + "\n", wanted


def _start_ns(source: Source, word: Word) -> int:
    try:
        start_s = float(word.text)
    except ValueError:
        start_s = math.nan
    if not 0 <= start_s < math.inf:
        raise source.fault(f'the start "{word.text[:20]}"', "a second from 0 on, such as 2.0", word.at)
    return round(start_s * 1e9)
