"""Service times of a row of stations: their means, and the same work without variation."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hopscope.planning.quantities import in_ps, of_ps


def mean_ps(service: Mapping[str, Any]) -> Decimal:
    """The mean of a distribution of service times in picoseconds."""
    (value,) = service.values()
    if isinstance(value, str):
        return in_ps(value)
    if "shortest" in value:
        return (in_ps(value["shortest"]) + in_ps(value["longest"])) / 2
    if "mean" in value:
        return in_ps(value["mean"])
    short = Decimal(repr(value["short_share"]))
    return short * in_ps(value["short"]) + (1 - short) * in_ps(value["long"])


def constant(service: Mapping[str, Any]) -> dict[str, str]:
    """Service times that are all the mean of these."""
    return {"fixed": of_ps(mean_ps(service))}


def arrivals_by_gap(canonical: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arrivals that do not depend on the stations' speed; None if they do not already.

    A load is the utilisation of the busiest station: a faster station would get more arrivals.
    """
    arrivals = canonical["arrivals"]
    if "load" not in arrivals:
        return None
    busiest = max(mean_ps(station["service"]) / station["servers"] for station in canonical["station"])
    gap = of_ps(busiest / Decimal(repr(arrivals["load"])))
    return {"process": arrivals["process"], "gap": gap}


def overloaded(canonical: Mapping[str, Any]) -> list[str]:
    """The stations of a row that are offered as much as their servers can do or more, by name.

    At exactly as much the queue grows without bound as well, unless nothing varies.
    """
    arrivals = arrivals_by_gap(canonical) or canonical["arrivals"]
    gap = in_ps(arrivals["gap"])
    return [name for name, time in times_apart_ps(canonical).items() if time >= gap]


def times_apart_ps(canonical: Mapping[str, Any]) -> dict[str, Decimal]:
    """The least mean time between messages that each station of a row can serve, in picoseconds."""
    return {
        f"station {number}": mean_ps(station["service"]) / station["servers"]
        for number, station in enumerate(canonical["station"], start=1)
    }


def lacking_servers(canonical: Mapping[str, Any]) -> frozenset[str]:
    """The stations of a row with fewer servers than all others, which have equally many."""
    servers = [station["servers"] for station in canonical["station"]]
    return frozenset(
        f"station {at + 1}"
        for at, own in enumerate(servers)
        if len(others := servers[:at] + servers[at + 1 :]) > 1 and own < min(others) == max(others)
    )
