"""Which switch holds a saturated network back, by what its links and FIFOs were seen to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.results.run import RunResult

# A link that sends for this share of the time is full: what is left are set-up times and chance.
FULL_LINK = 0.93
# What an output does that stands still for want of room further down, by how its stage begins: one for each
# machine, with the lane behind it where there are several.
STANDS_STILL = ("stopped", "paused", "without credit")
# An output that is stopped for this share of the time passes on a stop from further down.
STOPPED = 0.1


@dataclass(frozen=True)
class Limit:
    """The switch at which back-pressure begins, and its busiest output.

    `stops` is the share of time for which the links into it are stopped, on average over those used;
    `is_stopped` that of its own output that is stopped most. Both are 0 where FIFOs are unbounded, and the
    switch is then the one with the fullest FIFO.
    """

    switch: str
    link: str
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
    """Where a run's network is held back; None where nothing was carried.

    From the switch that stops its senders most, the way leads on to wherever its outputs are stopped most,
    for as long as they are stopped for a good part of the time: there back-pressure begins.
    """
    switches = {node["name"] for node in network["nodes"] if node["kind"] == "switch"}
    outputs = {ends: row for ends, row in _outputs(run, network).items() if row["acquisitions"] > 0}
    stopped = {ends: _stopped(row) for ends, row in outputs.items()}
    senders = sorted({source for source, _ in outputs if source in switches})
    if not senders:
        return None
    fifos = _fullest(run, network, switches)
    stops = {
        switch: _mean([share for (_, to), share in stopped.items() if to == switch]) for switch in senders
    }
    start = max(senders, key=lambda switch: (round(stops[switch], 6), fifos.get(switch, 0.0)))
    chosen = _source_of_pressure(
        start, {ends: share for ends, share in stopped.items() if ends[1] in stops}, stops
    )
    own = {ends: row for ends, row in outputs.items() if ends[0] == chosen}
    (_, target), busiest = max(own.items(), key=lambda entry: entry[1]["utilisation"])
    return Limit(
        chosen,
        f"{chosen} - {target}",
        target not in switches,
        busiest["utilisation"],
        stops[chosen],
        max(stopped[ends] for ends in own),
        load,
    )


def _source_of_pressure(
    start: str, stopped: Mapping[tuple[str, str], float], stops: Mapping[str, float]
) -> str:
    """The switch at the end of the way that follows the most stopped outputs.

    Where the way comes round to a switch that it has passed, those on it stop one another: of them the one
    that stops its senders most.
    """
    way = [start]
    while True:
        onwards = {to: share for (source, to), share in stopped.items() if source == way[-1]}
        chosen = max(onwards, key=lambda to: onwards[to], default=None)
        if chosen is None or onwards[chosen] < STOPPED:
            return way[-1]
        if chosen in way:
            return max(way[way.index(chosen) :], key=lambda switch: stops[switch])
        way.append(chosen)


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


def _stopped(row: Mapping[str, Any]) -> float:
    """The share of time for which an output stands still; of several lanes, the one that does most."""
    still = (part["occupancy"] for part in row.get("held_in", ()) if part["stage"].startswith(STANDS_STILL))
    return max(still, default=0.0)


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0
