"""Placement of a job's members: neighbours that send to one another cross fewer links."""

from collections.abc import Iterator, Mapping
from typing import Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation

SHUFFLED = "shuffled"
RANDOM = "random"
# Causes that a better placement relieves besides: less traffic on links between switches.
RELIEVED = frozenset({Cause.BLOCKING, Cause.PATH_COLLISION})


def in_order(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each group of flows with randomly placed members, with as many in the order of the network.

    Generated networks number hosts switch by switch, and so do most lists of them.
    """
    for number, group in enumerate(canonical.get("flows", ())):
        ordered = _ordered(group.get("hosts"))
        if ordered is None:
            continue
        name = f" of {group['name']}" if group.get("name") else ""
        yield Relaxation(
            f"members{name} in the order of the hosts, not by chance",
            (f"flows[{number}].hosts={toml_text(ordered)}",),
            "another placement",
            Cause.RESOURCE,
            None,
            also=RELIEVED,
        )


def _ordered(hosts: Any) -> Any:
    """As many hosts in the order of the network; None if they are already, or are chosen by name."""
    if hosts == SHUFFLED:
        return "all"
    if isinstance(hosts, Mapping) and RANDOM in hosts:
        return {"first": hosts[RANDOM]}
    return None
