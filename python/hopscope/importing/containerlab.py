"""containerlab's topologies: YAML with `topology.nodes` and `topology.links`."""

from collections.abc import Mapping
from typing import Any

from hopscope.extras import extra
from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.source import Source
from hopscope.numerals import amount

# Kinds of nodes that are machines, and not switches.
_MACHINES = {"linux", "host", "k8s-kind"}
# Ends of links that are not nodes of the topology.
_OUTSIDE = {"host", "mgmt-net", "macvlan", "dummy"}


def looks_like(text: str) -> bool:
    """Whether a text has a topology's headings at the beginnings of its lines."""
    lines = text.splitlines()
    has_topology = any(line.startswith("topology:") for line in lines)
    return has_topology and any(line.strip().startswith("links:") for line in lines)


def read(source: Source) -> Cabling:
    """All cables of a topology."""
    topology = source.table(_yaml(source), "the file").get("topology")
    topology = source.table(topology, "topology", "topology")
    nodes = {
        str(name): source.table(about or {}, f"node {name}", str(name))
        for name, about in source.table(topology.get("nodes"), "topology.nodes", "nodes").items()
    }
    kinds = _kinds(source, topology, nodes)
    hosts = {name for name, kind in kinds.items() if kind in _MACHINES}
    cables, left_out, begin = [], 0, 0
    for link in source.entries(topology.get("links"), "topology.links", "links"):
        told = source.table(link, "a link", "links").get("endpoints")
        ends = [_end(source, end) for end in told] if isinstance(told, list) else []
        if len(ends) != 2:  # noqa: PLR2004 - a cable's
            raise source.fault(f"the endpoints {told}", 'endpoints: ["node:port", "node:port"]', "links")
        at = max(begin, source.text.find(f"{ends[0].node}:{ends[0].port}", begin))
        if any(end.node in _OUTSIDE for end in ends):
            left_out += 1
            continue
        for end in ends:
            if end.node not in nodes:
                raise source.fault(f'no node is called "{end.node}"', "a node of topology.nodes", at)
        cables.append(Cable((ends[0], ends[1]), at))
        begin = at + 1
    leaving = amount(left_out, "link that leaves the topology is", "links that leave the topology are")
    notes = [f"{leaving} left out"] if left_out else []
    return Cabling(cables, frozenset(hosts) if hosts else None, notes)


def _kinds(
    source: Source, topology: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, str]:
    """The kind of each node: its own, else that of its group, else the usual one."""
    usual = source.table(topology.get("defaults") or {}, "topology.defaults", "defaults")
    groups = {
        str(name): source.table(about or {}, f"group {name}", str(name))
        for name, about in source.table(topology.get("groups") or {}, "topology.groups", "groups").items()
    }
    kinds = {}
    for name, about in nodes.items():
        group = groups.get(str(about.get("group") or usual.get("group", "")), {})
        kinds[name] = str(about.get("kind") or group.get("kind") or usual.get("kind", ""))
    return kinds


def _end(source: Source, end: Any) -> End:
    """An end in the short form "node:port" or the long one."""
    if isinstance(end, dict):
        return End(str(end.get("node", "")), str(end.get("interface", "")))
    node, _, port = str(end).partition(":")
    if not node or not port:
        at = source.text.find(str(end), max(0, source.text.find("links:")))
        raise source.fault(f'the endpoint "{end}"', '"node:port"', at)
    return End(node, port)


def _yaml(source: Source) -> Any:
    with extra("yaml"):
        import yaml
    with source.parser("YAML"):
        try:
            return yaml.safe_load(source.text)
        except yaml.MarkedYAMLError as wrong:
            mark = wrong.problem_mark
            raise source.fault(str(wrong.problem), "YAML", mark.index if mark else 0) from wrong
        except yaml.reader.ReaderError as wrong:
            said = f"the character U+{wrong.character:04X}"
            raise source.fault(said, "YAML, which does not allow it", wrong.position) from wrong
