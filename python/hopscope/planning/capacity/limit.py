"""The switch that limits a saturated network, from the engine's explanation of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.ids import HoldId
from hopscope.results.run import RunResult


@dataclass(frozen=True)
class Limit:
    """The switch at which back-pressure begins, and its busiest output.

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
    """The limiting switch of a run; None if nothing was carried."""
    found = run.explain().back_pressure
    if found is None:
        return None
    link = f"{found['switch']} - {found['to']}"
    measured = (found["utilisation"], found["stops"], found["is_stopped"], found["link_is_full"])
    set_up = _set_up(run.summary.resources, (found["switch"], found["to"]))
    return Limit(found["switch"], link, found["to_host"], *measured, load, set_up, found["to"])


def _set_up(rows: Sequence[Mapping[str, Any]], ends: tuple[str, str]) -> float:
    """The share of time in which the crossbar is set up for the busiest output between two nodes."""
    outputs = [row for row in rows if tuple(row.get("ends", ())) == ends]
    busiest = max(outputs, key=lambda row: row["utilisation"], default={})
    return sum(part["occupancy"] for part in busiest.get("held_in", ()) if part["id"] == HoldId.SET_UP)
