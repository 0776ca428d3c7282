"""Guesses the hosts in a file that does not state them: by their cables, and by their port names."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hopscope.importing.port_names import Owner, owner
from hopscope.numerals import listed

if TYPE_CHECKING:
    from hopscope.importing.cabling import Cable, End

MOST_NAMED = 4


def hosts(cables: Sequence["Cable"], how_to_say: str) -> tuple[frozenset[str], list[str]]:
    """The nodes that are assumed to be hosts, and notes on that.

    They are those with one cable, and those with several whose ports all have names of servers and lead to
    ports of switches. A node whose ports contradict the assumption is named, with `how_to_say`: how such a
    file states the kind of a node.
    """
    ends: dict[str, list[tuple[End, End]]] = {}
    for cable in cables:
        a, b = cable.ends
        ends.setdefault(a.node, []).append((a, b))
        ends.setdefault(b.node, []).append((b, a))
    single = {node for node, of in ends.items() if len(of) == 1}
    told = {node: {owner(own.port) for own, _ in of} for node, of in ends.items()}
    servers = [node for node in ends if node not in single and told[node] == {Owner.SERVER}]
    homed = [node for node in servers if _leads_to_switches(ends[node], single)]
    notes = ["the file does not say which nodes are hosts: those with one cable are taken to be hosts"]
    if homed:
        notes[0] += f", and by the names of their ports {listed(homed, MOST_NAMED)}"
    doubts = _doubts(told, single, set(servers) - set(homed))
    return frozenset(single.union(homed)), [*notes, *doubts, *([how_to_say] if doubts else [])]


def _leads_to_switches(ends: Sequence[tuple["End", "End"]], single: set[str]) -> bool:
    return all(owner(far.port) is Owner.SWITCH and far.node not in single for _, far in ends)


def _doubts(told: Mapping[str, set[Owner | None]], single: set[str], servers: set[str]) -> list[str]:
    """The nodes whose ports contradict the assumption, if the file's port names differ."""
    seen = set().union(*told.values())
    if not {Owner.SERVER, Owner.SWITCH} <= seen:
        return []
    switches = [node for node, owners in told.items() if node in single and owners == {Owner.SWITCH}]
    found = (
        ([node for node in told if node in servers], "a switch", "servers"),
        (switches, "a host", "switches"),
    )
    return [
        f"doubtful, taken to be {taken} though the ports have names as on {others}: "
        f"{listed(nodes, MOST_NAMED)}"
        for nodes, taken, others in found
        if nodes
    ]
