"""What a scenario's faults take down, and from when to when."""

from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.planning.kinds import Model
from hopscope.planning.quantities import in_ps

# At most this many faults are named, then the number of others.
FAULTS_NAMED = 3


def outages(canonical: Mapping[str, Any]) -> list[str]:
    """What is down and when, a clause each: "s1 is down from 1 us on"; empty if nothing fails."""
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
    """Whether something happens during the run: a fault, new tables, an outage, a silent host."""
    if canonical["model"] == Model.ARPANET:
        is_silent = any(host.get("silent") for host in canonical.get("host", ()))
        return is_silent or bool(canonical["network"].get("outage"))
    return bool(canonical.get("faults")) or bool(canonical.get("frames", {}).get("new_tables"))


def words(clauses: Sequence[str]) -> str:
    """The first clauses, then the number of others."""
    more = f"; and {len(clauses) - FAULTS_NAMED} more" if len(clauses) > FAULTS_NAMED else ""
    return "; ".join(clauses[:FAULTS_NAMED]) + more
