"""Graphs that networkx reads: GML, and node-link JSON.

A node is a host where its `kind`, `type` or `role` says host, server or client. An edge may have `rate`,
`bandwidth`, `capacity` or `speed` with a unit, `delay` with one, and `from_port` and `to_port`. In a directed
graph an edge each way is one cable.
"""

import json
import re
from typing import TYPE_CHECKING, Any

from hopscope.errors import UsageError
from hopscope.extras import extra
from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import delay, rate
from hopscope.importing.source import Source

if TYPE_CHECKING:
    import networkx

_GML = re.compile(r"^\s*graph\s*\[", re.MULTILINE)
# How networkx states a place: line and column, both counted from 1.
_PLACE = re.compile(r" at \((\d+), (\d+)\)$")
# How it names a node or edge: by number, from 0 on.
_COUNTED = re.compile(r"^(node|edge) #(\d+) ")
# How it refuses a second edge between two nodes, and with `multigraph 1` a second one with the same key.
_AGAIN = re.compile(r"^edge .*\(.*?(, .*)?\) is duplicated")
_HOSTS = {"host", "server", "client"}


def looks_like_gml(text: str) -> bool:
    """Whether a text has GML's outermost word: at its beginning, or before nodes and edges."""
    found = _GML.search(text)
    return found is not None and (not text[: found.start()].strip() or ("node" in text and "edge" in text))


def read_gml(source: Source) -> Cabling:
    """The edges of a GML graph, its nodes by their labels."""
    with extra("graph"):
        import networkx
    with source.parser("GML"):
        try:
            graph = networkx.parse_gml(source.text)
        except (networkx.NetworkXError, ValueError) as wrong:
            raise _no_gml(source, str(wrong).splitlines()[0]) from wrong
    return _cabling(source, graph)


def _no_gml(source: Source, said: str) -> UsageError:
    """The error of networkx for a text that is not GML, at the place that it names, if any."""
    if (counted := _COUNTED.search(said)) is not None:
        kind, number = counted.group(1), int(counted.group(2))
        begins = [each.start() for each in re.finditer(rf"\b{kind}\s*\[", source.text)]
        at = begins[number] if number < len(begins) else 0
        if (again := _AGAIN.match(said)) is not None:
            without = "write `multigraph 1` below `graph [` if each edge is a cable"
            hint = "give each edge a `key` of its own, or none" if again.group(1) else without
            return source.fault(said, "one edge between two nodes", at, hint)
        return source.fault(said, "GML", at)
    named = _PLACE.search(said)
    if named is None:
        return source.fault(said, "GML", 0)
    line, column = (int(number) for number in named.groups())
    lines = source.text.splitlines(keepends=True)
    is_end = line > len(lines)
    at = len(source.text) if is_end else sum(map(len, lines[: line - 1])) + column - 1
    return source.fault(said[: named.start()], "GML", at, "is the file cut short?" if is_end else None)


def looks_like_node_link(text: str) -> bool:
    """Whether a text is JSON with nodes and edges."""
    has_edges = '"edges"' in text or '"links"' in text
    return text.lstrip().startswith("{") and '"nodes"' in text and has_edges


def read_node_link(source: Source) -> Cabling:
    """The edges of a node-link graph."""
    told = source.table(source.json(), "the file")
    with extra("graph"):
        import networkx
    edges = "edges" if "edges" in told else "links"
    _check_rows(source, told, "nodes", "node", ("id",))
    _check_rows(source, told, edges, "edge", ("source", "target"))
    # Each edge is a cable, also where several join two nodes: networkx keeps one of those with equal keys.
    cables = [{key: value for key, value in each.items() if key != "key"} for each in told[edges]]
    told = {**told, edges: cables, "multigraph": True}
    try:
        graph = networkx.node_link_graph(told, edges=edges)
    except (networkx.NetworkXError, KeyError, TypeError, ValueError, AttributeError) as wrong:
        expected = '"nodes" with an "id" each, and edges with "source" and "target"'
        raise source.fault("no node-link graph", expected, "nodes") from wrong
    # networkx creates the nodes that an edge names.
    declared = networkx.node_link_graph({**told, edges: []}, edges=edges).nodes
    if (strange := next((node for node in graph.nodes if node not in declared), None)) is not None:
        problem = f'an edge names the node "{strange}", and "nodes" has none of this "id"'
        raise source.fault(problem, 'a node in "nodes" for either end of an edge', json.dumps(strange))
    return _cabling(source, graph)


def _check_rows(source: Source, told: dict[str, Any], name: str, kind: str, needed: tuple[str, ...]) -> None:
    """Refuse nodes or edges that are no list of objects with these keys, and name the one."""
    keys = " and ".join(f'"{key}"' for key in needed)
    expected = f"a list of objects with {keys}"
    rows = told[name]
    if not isinstance(rows, list):
        raise source.fault(f'"{name}" is no list', expected, name)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise source.fault(f"{kind} {number} is no object", expected, name)
        if (lacking := next((key for key in needed if key not in row), None)) is not None:
            raise source.fault(f'{kind} {number} has no "{lacking}"', expected, name)


def _cabling(source: Source, graph: "networkx.Graph") -> Cabling:
    names = {node: str(node) for node in graph.nodes}
    kinds = {
        names[node]: str(_first(about, "kind", "type", "role")).lower() for node, about in graph.nodes.items()
    }
    hosts = frozenset(name for name, kind in kinds.items() if kind in _HOSTS)
    cables = []
    for a, b, about in graph.edges(data=True):
        ends = End(names[a], str(about.get("from_port", ""))), End(names[b], str(about.get("to_port", "")))
        speed = str(_first(about, "rate", "bandwidth", "capacity", "speed"))
        lag = str(about.get("delay", ""))
        # Edges have no places in what networkx gives.
        cables.append(Cable(ends, 0, rate(source, speed, speed), delay(source, lag, lag) if lag else ""))
    return Cabling(cables, hosts or None, is_directed=graph.is_directed())


def _first(about: dict[str, Any], *keys: str) -> Any:
    """The first of these attributes that there is."""
    return next((about[key] for key in keys if about.get(key) not in (None, "")), "")
