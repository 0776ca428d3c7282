"""A network prepared for drawing: nodes with pixel positions, links with the use of each direction."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from hopscope import kinds
from hopscope.drawing import layout

WIDTH = 960.0
MOST_HEIGHT = 620.0
LARGEST_UNIT = 130.0
MOST_STRETCH = 1.4  # of the height of a network that is twice as wide as high
MARGIN = 44.0
LEAST_ASPECT = 0.33  # height over width, so that a wide network of few rows is not drawn flat
HOST_DISTANCE = 0.36  # of the distance between neighbouring switches
MOST_HOSTS_DRAWN = 1500
MOST_LINKS_DRAWN = 6000
MOST_SWITCHES_COMPARED = 300

# The use, 0 to 1, of the channel out of a node's port, or of the line from one node to another.
Use = Mapping[tuple[str, int | str], float]


@dataclass(frozen=True, slots=True)
class Spot:
    """A node and its centre in pixels. `role` is "switch", "client", "server" or "any".

    `word` says what kind of switch it is: "switch", or "network" and "gateway" in an internet.
    """

    name: str
    role: str
    x: float
    y: float
    word: str = "switch"


@dataclass(frozen=True, slots=True)
class Wire:
    """A link between two spots, with the use of its two directions (None: not measured).

    `lane` distinguishes parallel links: 0 for a single one, else steps to the side of the middle.
    """

    one: Spot
    other: Spot
    label: str
    use: tuple[float | None, float | None]
    lane: float


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything to draw, within `width` and `height` pixels."""

    width: float
    height: float
    radius: float
    spots: list[Spot]
    wires: list[Wire]
    root: str | None
    hidden_hosts: int
    called: str


def can_be_read(network: Mapping[str, Any]) -> bool:
    """Whether a drawing of this network would be readable."""
    hosts = sum(node["kind"] == "host" for node in network["nodes"])
    hidden = hosts if hosts > MOST_HOSTS_DRAWN else 0
    return len(network["links"]) - hidden <= MOST_LINKS_DRAWN


def channel_use(resources: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int | str], float]:
    """The use of every link among the resources, by the node that sends and its port.

    If the sender is a host or has no ports, by the nodes at the ends. The lanes of a link share it, so their
    use adds up.
    """
    use: dict[tuple[str, int | str], float] = {}
    for row in resources:
        if not row.get("ends") or not kinds.resource(row["id"])["carries_bits"]:
            continue
        source, target = row["ends"]
        port = row.get("port")
        at = target if port is None else port
        use[source, at] = use.get((source, at), 0.0) + row["utilisation"]
    return use


def compose(network: Mapping[str, Any], use: Use | None = None) -> Picture:
    """Place the nodes of a network (the engine's topology object) and scale them to pixels."""
    nodes = {node["name"]: node for node in network["nodes"]}
    hosts = [name for name, node in nodes.items() if node["kind"] == "host"]
    shown = set(nodes) if len(hosts) <= MOST_HOSTS_DRAWN else set(nodes) - set(hosts)
    links = [link for link in network["links"] if link["from"] in shown and link["to"] in shown]
    places = _places({name: nodes[name] for name in nodes if name in shown}, links)
    scale = _Scale(places.values())
    spots = {
        name: Spot(name, _role(nodes[name]), *scale.pixels(places[name]), _word(nodes[name]))
        for name in places
    }
    wires = _wires(links, spots, use or {})
    radius = min(17.0, max(3.0, scale.unit * 0.24), max(3.0, 0.42 * _least_distance(spots)))
    return Picture(
        scale.width,
        scale.height,
        radius,
        list(spots.values()),
        wires,
        network["figures"].get("root"),
        len(nodes) - len(shown),
        network.get("called", "switch"),
    )


def _least_distance(spots: Mapping[str, Spot]) -> float:
    """The pixels between the two nearest switches; infinite if there are too many."""
    switches = [spot for spot in spots.values() if spot.role == "switch"]
    if len(switches) > MOST_SWITCHES_COMPARED:
        return math.inf
    pairs = combinations(switches, 2)
    return min((math.dist((one.x, one.y), (other.x, other.y)) for one, other in pairs), default=math.inf)


def _wires(links: Iterable[Mapping[str, Any]], spots: Mapping[str, Spot], use: Use) -> list[Wire]:
    """The links with their use; parallel ones side by side."""
    parallel: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for link in links:
        one, other = sorted((link["from"], link["to"]))
        parallel.setdefault((one, other), []).append(link)
    return [
        Wire(
            spots[link["from"]],
            spots[link["to"]],
            f"{link['from']}:{link['from_port']} - {link['to']}:{link['to_port']}",
            (
                use.get((link["from"], link["from_port"]), use.get((link["from"], link["to"]))),
                use.get((link["to"], link["to_port"]), use.get((link["to"], link["from"]))),
            ),
            (index - (len(group) - 1) / 2) * (1 if link["from"] <= link["to"] else -1),
        )
        for group in parallel.values()
        for index, link in enumerate(group)
    ]


def _role(node: Mapping[str, Any]) -> str:
    return "switch" if node["kind"] == "switch" else (node["role"] or "any").lower()


def _word(node: Mapping[str, Any]) -> str:
    return (node["role"] or "switch") if node["kind"] == "switch" else "host"


class _Scale:
    """From the network's own units to pixels; wide networks fill the width, small ones are not blown up."""

    def __init__(self, places: Iterable[layout.Point]) -> None:
        points = list(places) or [(0.0, 0.0)]
        self._left, self._top = min(x for x, _ in points), min(y for _, y in points)
        across = max(x for x, _ in points) - self._left
        down = max(y for _, y in points) - self._top
        room = MOST_HEIGHT - 2 * MARGIN
        self.unit = min(LARGEST_UNIT, (WIDTH - 2 * MARGIN) / max(across, 1e-9), room / max(down, 1e-9))
        stretched = MOST_STRETCH * self.unit if across > 2 * down else self.unit
        tall_enough = LEAST_ASPECT * across * self.unit / max(down, 1e-9)
        self._unit_down = min(LARGEST_UNIT, max(stretched, tall_enough), room / max(down, 1e-9))
        self.width = across * self.unit + 2 * MARGIN
        self.height = down * self._unit_down + 2 * MARGIN

    def pixels(self, place: layout.Point) -> layout.Point:
        return (
            MARGIN + (place[0] - self._left) * self.unit,
            MARGIN + (place[1] - self._top) * self._unit_down,
        )


def _places(
    nodes: Mapping[str, Mapping[str, Any]], links: Iterable[Mapping[str, Any]]
) -> dict[str, layout.Point]:
    """The positions of the network, completed where missing."""
    links = list(links)
    places = layout.of_switches(nodes, links)
    pairs = [(link["from"], link["to"]) for link in links]
    homes: dict[str, list[str]] = {}
    around: dict[str, list[float]] = {name: [] for name in places}
    for one, other in pairs:
        for near, far in ((one, other), (other, one)):
            if near in around and far in around:
                around[near].append(
                    math.atan2(places[far][1] - places[near][1], places[far][0] - places[near][0])
                )
            elif near in around:
                homes.setdefault(near, []).append(far)
    own = layout.has_places(nodes)
    for switch, hosts in homes.items():
        fan = _fan(places[switch], len(hosts), around[switch])
        for host, spot in zip(hosts, fan, strict=True):
            given = nodes[host]["x"] is not None and own
            places[host] = (float(nodes[host]["x"]), float(nodes[host]["y"])) if given else spot
    return places


def _fan(centre: layout.Point, count: int, taken: list[float]) -> list[layout.Point]:
    """`count` places around a switch within the widest gap between its links."""
    angles = sorted(taken) or [math.pi / 2]
    gaps = [
        (after - before) % math.tau or math.tau
        for before, after in zip(angles, angles[1:] + angles[:1], strict=True)
    ]
    widest = max(range(len(gaps)), key=lambda index: gaps[index])
    span = min(gaps[widest] * 0.8, 0.55 * count)
    middle = angles[widest] + gaps[widest] / 2
    steps = [0.0] if count == 1 else [span * (index / (count - 1) - 0.5) for index in range(count)]
    return [
        (
            centre[0] + HOST_DISTANCE * math.cos(middle + step),
            centre[1] + HOST_DISTANCE * math.sin(middle + step),
        )
        for step in steps
    ]
