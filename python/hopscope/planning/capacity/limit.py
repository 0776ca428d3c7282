"""The link or the switch that limits a saturated network, from the engine's explanation of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.ids import HoldId, ResourceId
from hopscope.results.run import RunResult
from hopscope.thresholds import FULL_LINK


@dataclass(frozen=True)
class Limit:
    """A full link; without one the switch at which back-pressure begins, and its busiest output.

    `stops` is the mean share of time in which used links into it are stopped; `is_stopped` that of its most
    stopped output. Both are 0 if FIFOs are unbounded, and the switch is then the one with the fullest FIFO.
    `link_is_full` says whether that output is busy nearly all the time; `set_up` is the share of time in
    which the crossbar is set up for it, `to` the node that it leads to.
    """

    switch: str
    link: str
    to_host: bool
    utilisation: float
    stops: float
    is_stopped: float
    link_is_full: bool
    load: float
    set_up: float = 0.0
    to: str = ""

    @property
    def ends(self) -> frozenset[str]:
        """The two nodes that its busiest output joins."""
        return frozenset((self.switch, self.to))

    def data(self) -> dict[str, object]:
        """The same as in JSON."""
        return {
            "switch": self.switch,
            "busiest_output": self.link,
            "to_host": self.to_host,
            "utilisation": self.utilisation,
            "set_up": self.set_up,
            "links_into_it_stopped": self.stops,
            "its_links_stopped": self.is_stopped,
            "seen_at_load": self.load,
        }


def limit(run: RunResult, load: float) -> Limit | None:
    """The limiting link or switch of a run; None if nothing was carried.

    A link that is full is the limit wherever back-pressure is seen to begin: behind one slow link all links
    are stopped about as often.
    """
    found = run.explain().back_pressure
    if found is None:
        return None
    rows = run.summary.resources
    if not found["link_is_full"] and (full := _full_link(rows)) is not None:
        switch, to = full["ends"]
        to_host = any(row["ends"][0] == to for row in _links(rows) if row["port"] is None)
        measured = (full["utilisation"], 0.0, 0.0, True)
        return Limit(switch, f"{switch} - {to}", to_host, *measured, load, _set_up(rows, (switch, to)), to)
    link = f"{found['switch']} - {found['to']}"
    measured = (found["utilisation"], found["stops"], found["is_stopped"], found["link_is_full"])
    set_up = _set_up(rows, (found["switch"], found["to"]))
    return Limit(found["switch"], link, found["to_host"], *measured, load, set_up, found["to"])


def _full_link(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The busiest output of a switch, if it sends nearly all the time."""
    outputs = [row for row in _links(rows) if row["port"] is not None]
    busiest = max(outputs, key=lambda row: row["utilisation"], default=None)
    return busiest if busiest is not None and busiest["utilisation"] >= FULL_LINK else None


def _links(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The links by their sending ends; a host's has no port."""
    return [row for row in rows if row["id"] == ResourceId.LINK]


def _set_up(rows: Sequence[Mapping[str, Any]], ends: tuple[str, str]) -> float:
    """The share of time in which the crossbar is set up for the busiest output between two nodes."""
    outputs = [row for row in rows if tuple(row.get("ends", ())) == ends]
    busiest = max(outputs, key=lambda row: row["utilisation"], default={})
    return sum(part["occupancy"] for part in busiest.get("held_in", ()) if part["id"] == HoldId.SET_UP)
