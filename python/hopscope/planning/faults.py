"""What a scenario's faults take down, and from when to when."""

from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.planning.quantities import in_ps

# So many are told, and of more how many there are.
TOLD = 3


def outages(canonical: Mapping[str, Any]) -> list[str]:
    """What is down and when, a clause each: "s1 is down from 1 us on"; empty where nothing fails."""
    faults = sorted(canonical.get("faults", ()), key=lambda fault: in_ps(fault["at"]))
    since: dict[str, str] = {}
    told = []
    for fault in faults:
        name = fault["switch"] if fault.get("link") is None else " - ".join(fault["link"])
        if fault["goes"] == "down":
            since.setdefault(name, fault["at"])
        elif (begin := since.pop(name, None)) is not None:
            told.append(f"{name} is down from {begin} to {fault['at']}")
    return [*told, *(f"{name} is down from {begin} on" for name, begin in since.items())]


def happen(canonical: Mapping[str, Any]) -> bool:
    """Whether something happens at a time: a fault, new tables, an outage, a host that falls silent."""
    if canonical["model"] == "arpanet":
        is_silent = any(host.get("silent") for host in canonical.get("host", ()))
        return is_silent or bool(canonical["network"].get("outage"))
    return bool(canonical.get("faults")) or bool(canonical.get("frames", {}).get("new_tables"))


def words(clauses: Sequence[str]) -> str:
    """The first clauses, and how many more there are."""
    more = f"; and {len(clauses) - TOLD} more" if len(clauses) > TOLD else ""
    return "; ".join(clauses[:TOLD]) + more
