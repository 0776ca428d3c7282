"""A scenario that a program has in memory, as JSON: dicts and lists, with graphs, frames and arrays.

- a graph of networkx stands for a section `network`;
- a frame of polars or pandas stands for a list of sections, a row each, such as the `pairs` of a matrix or
  the `flows` of a list: its columns are the fields, and an empty cell is a field that is not given;
- an array or a scalar of numpy stands for its numbers.
"""

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from hopscope.errors import UsageError
from hopscope.overrides import builtin, encodable, refuse_nested, whole_number_from

_SWITCHES = ("switch", "router")
_KINDS = (*_SWITCHES, "host", "client", "server")
_SHOWN = 60
"""At most this many characters of the path of a value that is nested too deep are shown."""
_ONE_LINK = "a host has one link, to a switch"
# What the attributes of edges are called, as in files of graphs (importing.graphs).
_OF_EDGES = {"rate": ("rate", "bandwidth", "capacity", "speed"), "delay": ("delay", "latency")}


def json_text(scenario: Mapping[str, Any]) -> str:
    """The scenario as the engine reads it. Raises UsageError, with the path, for an invalid value."""
    return json.dumps(_plain(scenario, ""), ensure_ascii=False)


def network_of(graph: Any, hosts_per_switch: SupportsIndex = 0) -> dict[str, Any]:
    """The section `network` for a graph of networkx, directed or not; parallel edges are parallel links.

    Nodes are switches unless their `kind` (or `type`) says host, client or server, or they have a `role`.
    Edges may have a `rate` (or `bandwidth`, `capacity`, `speed`) and a `delay` (or `latency`), with units,
    such as "100 Gbit/s". `hosts_per_switch` hosts are added to every switch. Raises UsageError for a graph
    that is no network.
    """
    count = whole_number_from("hosts_per_switch", hosts_per_switch, 0, 1)
    if not _is_of(graph, "networkx", "Graph"):
        raise UsageError(f"graph: {type(graph).__name__} is no graph", "give one of networkx")
    kinds = {node: _kind(node, data) for node, data in graph.nodes(data=True)}
    names = {node: str(node) for node in kinds}
    if len(set(names.values())) < len(names):
        raise UsageError(
            "two nodes of the graph have the same name as texts", "give every node a name of its own"
        )
    switches = [node for node, kind in kinds.items() if kind in _SWITCHES]
    hosts: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    for one, other, data in _cables(graph):
        ends = [end for end in (one, other) if kinds[end] not in _SWITCHES]
        link = _link(data)
        if not ends:
            links.append({"between": [names[one], names[other]], **link})
        elif len(ends) == 1:
            host, at = (one, other) if ends[0] == one else (other, one)
            role = kinds[host] if kinds[host] in ("client", "server") else graph.nodes[host].get("role")
            hosts.append({"name": names[host], "at": names[at], **({"role": role} if role else {}), **link})
        else:
            raise UsageError(
                f"the edge between {names[one]} and {names[other]} joins two hosts",
                _ONE_LINK,
            )
    _check_one_link(hosts, {names[node] for node, kind in kinds.items() if kind not in _SWITCHES})
    for node in switches:
        hosts += [{"name": f"{names[node]}-h{nth}", "at": names[node]} for nth in range(count)]
    return {"custom": {"switches": [names[node] for node in switches], "links": links, "hosts": hosts}}


def pairs_of(matrix: Any, hosts: Sequence[str]) -> list[dict[str, Any]]:
    """The list `traffic.pattern.matrix.pairs` for a square matrix of weights: row i sends, column j receives.

    `hosts` names rows and columns. Weights of zero are omitted. Raises UsageError if the sizes differ, a host
    is named twice, or a weight is not a number or negative.
    """
    if isinstance(hosts, str) or not isinstance(hosts, Iterable):
        raise UsageError(f"hosts: {hosts!r} are no names", 'give a list, as in hosts=["h0", "h1"]')
    hosts = list(hosts)
    _refuse_other_hosts(hosts)
    rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    rows = list(rows) if isinstance(rows, Iterable) else [None]
    if not all(isinstance(row, Iterable) and not isinstance(row, str) for row in rows):
        raise UsageError(f"matrix: {type(matrix).__name__} is no matrix", "give a list of rows, or an array")
    rows = [list(row) for row in rows]
    if len(rows) != len(hosts) or any(len(row) != len(hosts) for row in rows):
        raise UsageError(
            f"the matrix is not {len(hosts)} by {len(hosts)}", "one row and one column for each host"
        )
    return [
        {"from": hosts[i], "to": hosts[j], "weight": weight}
        for i, row in enumerate(rows)
        for j, value in enumerate(row)
        if (weight := _weight(value, f"matrix[{i}][{j}]"))
    ]


def _refuse_other_hosts(hosts: Sequence[Any]) -> None:
    """Raise UsageError for hosts without names, or with equal names."""
    for at, name in enumerate(hosts):
        if not isinstance(name, str):
            raise UsageError(f"hosts[{at}]: {name!r} is no name", "give a text")
    for name, times in Counter(hosts).items():
        if times > 1:
            raise UsageError(f"hosts: {name!r} stands there twice", "name each host once")


def _weight(value: Any, place: str) -> float:
    """A weight of a matrix. Raises UsageError for anything else."""
    weight = builtin(value)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
        raise UsageError(f"{place}: {value!r} is no weight", "give 0, or a number above it")
    return weight


def _plain(value: Any, path: str, depth: int = 0) -> Any:
    """`value` as JSON data, at this depth of nesting: texts, numbers, booleans, lists, dicts."""
    refuse_nested(depth, f"{path[:_SHOWN]}..." if len(path) > _SHOWN else path)
    if isinstance(value, str):
        return encodable(path or "the scenario", value)
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError(
                f"{path}: {value} is not a number that a scenario can hold", "give a finite number"
            )
        return value
    if isinstance(value, Mapping):
        inner = f"{path}." if path else ""
        return {
            encodable(path or "the scenario", str(key)): _plain(item, f"{inner}{key}", depth + 1)
            for key, item in value.items()
            if item is not None
        }
    if isinstance(value, os.PathLike):
        return encodable(path, os.fsdecode(value))
    if isinstance(value, list | tuple):
        return [_plain(item, f"{path}[{nth}]", depth + 1) for nth, item in enumerate(value)]
    return _plain(_foreign(value, path), path, depth)


def _foreign(value: Any, path: str) -> Any:
    """The data of an object of another library."""
    if _is_of(value, "networkx", "Graph"):
        return network_of(value)
    if _is_of(value, "polars", "DataFrame"):
        return _filled(value.to_dicts())
    if _is_of(value, "pandas", "DataFrame"):
        return _filled(value.to_dict(orient="records"))
    if hasattr(value, "tolist"):  # numpy, and a series of polars or pandas behind its to_list
        return value.tolist()
    if hasattr(value, "to_list"):
        return value.to_list()
    raise UsageError(
        f"{path or 'the scenario'}: {type(value).__name__} is not a value for a scenario",
        "use a number, a text, true or false, a list, a dict, a networkx graph, or a polars or pandas frame",
    )


def _filled(rows: Sequence[Mapping[Any, Any]]) -> list[dict[Any, Any]]:
    """The rows of a frame without their empty cells."""
    return [{column: cell for column, cell in row.items() if not _is_empty(cell)} for row in rows]


def _is_of(value: Any, library: str, name: str) -> bool:
    """Whether an object is of a library's class; False if the library is not imported."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, name))


def _is_empty(value: Any) -> bool:
    """Whether a cell of a frame is empty: None, or the not-a-number that pandas has for it.

    The attributes of a graph may come from a frame as well. Elsewhere a not-a-number is a mistake.
    """
    return value is None or (isinstance(value, float) and math.isnan(value))


def _kind(node: Any, data: Mapping[str, Any]) -> str:
    """What a node is: its `kind`, or its `type` where that is one of the kinds."""
    kind = str(data.get("kind", "host" if "role" in data else "switch")).lower()
    if kind not in _KINDS:
        raise UsageError(
            f"the node {node} of the graph has the kind {kind!r}",
            f"one of {', '.join(_KINDS)}",
        )
    named = str(data.get("type")).lower()
    return named if "kind" not in data and named in _KINDS else kind


def _cables(graph: Any) -> Iterable[tuple[Any, Any, Mapping[str, Any]]]:
    """The edges as cables: in a directed graph, two opposite edges between two nodes are one."""
    if not graph.is_directed():
        yield from graph.edges(data=True)
        return
    unpaired: dict[tuple[Any, Any], int] = {}
    for one, other, data in graph.edges(data=True):
        if unpaired.get((other, one), 0) > 0:
            unpaired[other, one] -= 1
        else:
            unpaired[one, other] = unpaired.get((one, other), 0) + 1
            yield one, other, data


def _link(data: Mapping[str, Any]) -> dict[str, Any]:
    """The rate and delay of an edge, where it has them, by any of their usual names."""
    found = {
        field: next((data[name] for name in names if not _is_empty(data.get(name))), None)
        for field, names in _OF_EDGES.items()
    }
    return {field: value for field, value in found.items() if value is not None}


def _check_one_link(hosts: Sequence[Mapping[str, Any]], wanted: set[str]) -> None:
    linked = [host["name"] for host in hosts]
    twice = sorted(name for name, links in Counter(linked).items() if links > 1)
    for problem, names in (("has more than one link", twice), ("has no link", sorted(wanted - set(linked)))):
        if names:
            raise UsageError(f"the host {names[0]} of the graph {problem}", _ONE_LINK)
