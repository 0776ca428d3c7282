"""Where the members of a job are: beside one another, those that send to one another cross fewer links."""

from collections.abc import Iterator, Mapping
from typing import Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation

SHUFFLED = "shuffled"
RANDOM = "random"
# What waits for links between switches has less to wait for.
RELIEVED = frozenset({Cause.BLOCKING, Cause.PATH_COLLISION})


def in_order(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each group of flows whose members are placed by chance, with as many in the order of the network.

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
    """As many hosts in the order of the network; None where they are in it, or are chosen by name."""
    if hosts == SHUFFLED:
        return "all"
    if isinstance(hosts, Mapping) and RANDOM in hosts:
        return {"first": hosts[RANDOM]}
    return None
