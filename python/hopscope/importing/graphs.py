"""Graphs that networkx reads: GML, and node-link JSON.

A node is a host where its `kind`, `type` or `role` says host, server or client. An edge may have `rate`,
`bandwidth`, `capacity` or `speed` with a unit, `delay` with one, and `from_port` and `to_port`. In a directed
graph an edge each way is one cable.
"""

import re
from typing import TYPE_CHECKING, Any

from hopscope.extras import extra
from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import delay, rate
from hopscope.importing.source import Source

if TYPE_CHECKING:
    import networkx

_GML = re.compile(r"^\s*graph\s*\[", re.MULTILINE)
_HOSTS = {"host", "server", "client"}


def looks_like_gml(text: str) -> bool:
    """Whether a text has GML's outermost word."""
    return _GML.search(text) is not None and "node" in text and "edge" in text


def read_gml(source: Source) -> Cabling:
    """The edges of a GML graph, its nodes by their labels."""
    with extra("graph"):
        import networkx
    with source.parser("GML"):
        try:
            graph = networkx.parse_gml(source.text)
        except (networkx.NetworkXError, ValueError) as wrong:
            raise source.fault(str(wrong).splitlines()[0], "GML", 0) from wrong
    return _cabling(source, graph)


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
    try:
        graph = networkx.node_link_graph(told, edges=edges)
    except (networkx.NetworkXError, KeyError, TypeError, ValueError, AttributeError) as wrong:
        expected = '"nodes" with an "id" each, and edges with "source" and "target"'
        raise source.fault(f"no node-link graph ({wrong})", expected, "nodes") from wrong
    return _cabling(source, graph)


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
