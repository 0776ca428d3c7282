"""Which switch holds a saturated network back, by what its links and FIFOs were seen to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.results.run import RunResult

# A link that sends for this share of the time is full: what is left are set-up times and chance.
FULL_LINK = 0.93


@dataclass(frozen=True)
class Limit:
    """The switch at which back-pressure begins, and its busiest output.

    `stops` is the share of time for which the links into it are stopped, on average over those that are ever used;
    `is_stopped` that for its own outputs. Both are 0 where FIFOs are unbounded, and the switch is then the one
    with the fullest FIFO.
    """

    switch: str
    link: str
    link_to: str
    to_host: bool
    utilisation: float
    stops: float
    is_stopped: float
    load: float

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "switch": self.switch,
            "busiest_output": self.link,
            "to_host": self.to_host,
            "utilisation": self.utilisation,
            "links_into_it_stopped": self.stops,
            "its_links_stopped": self.is_stopped,
            "seen_at_load": self.load,
        }

    @property
    def link_is_full(self) -> bool:
        """Whether its busiest output hardly ever rests."""
        return self.utilisation >= FULL_LINK


def limit(run: RunResult, network: Mapping[str, Any], load: float) -> Limit | None:
    """Where a run's network is held back; None where nothing was carried."""
    switches = {node["name"] for node in network["nodes"] if node["kind"] == "switch"}
    outputs = _outputs(run, network)
    into: dict[str, list[float]] = {}
    out_of: dict[str, list[float]] = {}
    for (source, target), row in outputs.items():
        if row["acquisitions"] == 0:
            continue
        stopped = _held(row, "stopped")
        if target in switches:
            into.setdefault(target, []).append(stopped)
        if source in switches:
            out_of.setdefault(source, []).append(stopped)
    if not out_of:
        return None
    fifos = _fullest(run, network, switches)
    stops = {switch: _mean(into.get(switch, ())) for switch in out_of}
    stopped = {switch: _mean(shares) for switch, shares in out_of.items()}

    def pressure(switch: str) -> tuple[float, float]:
        return (round(stops[switch] - stopped[switch], 6), fifos.get(switch, 0.0))

    chosen = max(sorted(out_of), key=pressure)
    (_, target), busiest = max(
        ((ends, row) for ends, row in outputs.items() if ends[0] == chosen),
        key=lambda entry: entry[1]["utilisation"],
    )
    return Limit(
        chosen,
        f"{chosen} - {target}",
        target,
        target not in switches,
        busiest["utilisation"],
        stops[chosen],
        stopped[chosen],
        load,
    )


def _outputs(run: RunResult, network: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The outputs by sender and receiver; of parallel links the busiest."""
    far = _far_ends(network)
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in run.summary.data["resources"]:
        if row["kind"] != "output" or row["place"] not in far:
            continue
        ends = far[row["place"]]
        if ends not in found or row["utilisation"] > found[ends]["utilisation"]:
            found[ends] = row
    return found


def _far_ends(network: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Which nodes an output joins, by its place, such as "s3:4" or "h7"."""
    hosts = {node["name"] for node in network["nodes"] if node["kind"] == "host"}
    ends = {}
    for link in network["links"]:
        for near, far in (("from", "to"), ("to", "from")):
            name = link[near]
            place = name if name in hosts else f"{name}:{link[f'{near}_port']}"
            ends[place] = (name, link[far])
    return ends


def _fullest(run: RunResult, network: Mapping[str, Any], switches: set[str]) -> dict[str, float]:
    """The most that any FIFO of each switch held on average."""
    far = _far_ends(network)
    fullest: dict[str, float] = {}
    for row in run.summary.data["resources"]:
        if row["kind"] == "fifo" and row["place"] in far:
            switch = far[row["place"]][0]
            if switch in switches:
                fullest[switch] = max(fullest.get(switch, 0.0), row["occupancy"])
    return fullest


def _held(row: Mapping[str, Any], stage: str) -> float:
    return sum(part["occupancy"] for part in row.get("held_in", ()) if part["stage"] == stage)


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0
