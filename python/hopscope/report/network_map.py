"""The map: a network with its resources, their means, and their use over time."""

import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hopscope import kinds
from hopscope.drawing import layout
from hopscope.escaping import visible
from hopscope.results import flows
from hopscope.units import PS

if TYPE_CHECKING:
    from hopscope.report.page import Page
    from hopscope.results.run import RunResult

# Levels of a quantity on the page: more cannot be distinguished by colour, and fewer compress better.
_LEVELS = 31
_COARSE = bytes(
    0 if code == 0 else max(1, round(round(code / 255 * _LEVELS) / _LEVELS * 255)) for code in range(256)
)
# The values of the codes of the number waiting: docs/reference/run-folder.md.
_WAITING = tuple((2 ** (code / 16) - 1) / 16 for code in range(256))
_EDGES = "time"
_PS_IN_S = float(PS["s"])
_QUANTITIES = {"used": "used", "waiting": "waiting", "heldBack": "held_back"}
# The page has holders over time for at most this many of the most awaited resources.
_MOST_WITH_HOLDERS = 256
_BETWEEN = "; "
# Up to this proportion a drawing keeps it: it has a meaning on a map, a grid, a ring.
_FLAT = 3.0


def add(page: "Page", run: "RunResult", where: str = "") -> None:
    """The section with its blocks; nothing for a model without a network."""
    if run.network is None:
        return
    resources = _Resources(run)
    over_time = resources.timeline()
    name = f"timeline{len(page.blocks)}"
    page.add(
        "map",
        f"Map{where}",
        "Mean use of each link by direction, or at any instant. Select a node or a link for its resources.",
        link="Map",
        network=page.block(f"network{len(page.blocks)}", network_block(run.network, resources.rows)),
        timeline=None if over_time is None else page.block(name, over_time),
    )


def add_difference(page: "Page", one: "RunResult", other: "RunResult") -> None:
    """The map of two runs' common network, with the difference of their use; nothing if they differ."""
    if one.network is None or other.network is None:
        return
    if [node["name"] for node in one.network["nodes"]] != [node["name"] for node in other.network["nodes"]]:
        return
    before = {(row["kind"], row["place"]): row for row in _Resources(one).rows}
    rows = _Resources(other).rows
    for row in rows:
        known = before.get((row["kind"], row["place"]))
        row["used"] = round(row["used"] - (known["used"] if known else 0.0), 4)
    page.add(
        "map",
        "Map of the difference",
        "The use of each link in the second run less that in the first, in percentage points.",
        network=page.block("difference", network_block(other.network, rows)),
        timeline=None,
        difference=True,
    )


def network_block(network: Mapping[str, Any], rows: list[dict[str, Any]]) -> bytes:
    """The network and the resources at its places, as viewer/src/model/network.ts reads them."""
    nodes = network["nodes"]
    numbers = {node["name"]: number for number, node in enumerate(nodes)}
    at_node: list[list[int]] = [[] for _ in nodes]
    by_ends: dict[tuple[str, str, int | None], int] = {}
    by_place: dict[str, int] = {}
    for number, row in enumerate(rows):
        ends = row["ends"]
        if row["carries_bits"]:
            by_place.setdefault(row["place"], number)
        if ends:
            known = by_ends.get((*ends, row["port"]))
            if known is None or row["carries_bits"] > rows[known]["carries_bits"]:
                by_ends[(*ends, row["port"])] = number
        home = row["place"] if row["place"] in numbers else ends[row["is_buffer"]] if ends else None
        if home in numbers:
            at_node[numbers[home]].append(number)
    ordered = [
        sorted(mine, key=lambda number: (-rows[number]["waiting"], -rows[number]["used"])) for mine in at_node
    ]

    def of_link(source: str, port: int, target: str) -> int:
        for ends in ((source, target, port), (source, target, None)):
            if ends in by_ends:
                return by_ends[ends]
        found = by_place.get(f"{source}:{port}")
        return by_place.get(source, -1) if found is None else found

    places = _places(network)
    across = _extent(places, 0) / max(_extent(places, 1), 1e-9)
    shown = ("name", "kind", "place", "recorded", "used", "waiting", "heldBack", "lost", "holders")
    content = {
        "called": network.get("called") or "switch",
        "proportional": across < _FLAT,
        "nodes": [
            {
                "name": visible(node["name"]),
                "role": node["role"] or node["kind"],
                "x": None if (spot := places[number]) is None else spot[0],
                "y": None if spot is None else spot[1],
                "resources": ordered[number],
            }
            for number, node in enumerate(nodes)
        ],
        "links": [
            [
                numbers[link["from"]],
                numbers[link["to"]],
                visible(f"{link['from']}:{link['from_port']} - {link['to']}:{link['to_port']}"),
                of_link(link["from"], link["from_port"], link["to"]),
                of_link(link["to"], link["to_port"], link["from"]),
            ]
            for link in network["links"]
        ],
        "resources": [{key: row[key] for key in shown} for row in rows],
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


class _Resources:
    """The resources of a run: those of its summary, then those that only its timeline has."""

    def __init__(self, run: "RunResult") -> None:
        frame = run.timeline
        self._bytes: dict[tuple[str, str], tuple[bytes, bytes, bytes]] = {
            (kind, place): (used, waiting, held) for kind, place, used, waiting, held, *_ in frame.iter_rows()
        }
        # Run folders of earlier versions have no such columns.
        causes = frame.select("kind", "place", "held_in", "held") if "held" in frame.columns else None
        self._held: dict[tuple[str, str], tuple[str, bytes]] = (
            {}
            if causes is None
            else {(kind, place): (words, held) for kind, place, words, held in causes.iter_rows() if words}
        )
        self._edges = self._bytes.pop((_EDGES, ""), (b"", b"", b""))[0]
        self._keys = [(row["kind"], row["place"]) for row in run.summary.resources]
        held_back = flows.held_back_shares(run.summary.resources)
        self.rows = [_row(*each) for each in zip(run.summary.resources, held_back, strict=True)]
        listed = set(self._keys)
        for key in self._bytes:
            if key not in listed:
                self._keys.append(key)
                self.rows.append(_of_timeline(*key, *self._bytes[key]))

    def timeline(self) -> bytes | None:
        """The block of their use over time; None if the run has none, as from older versions."""
        bins = len(self._edges) // 8 - 1
        if bins < 1:
            return None
        nothing = (bytes(bins),) * len(_QUANTITIES)
        columns = zip(*(self._bytes.get(key, nothing) for key in self._keys), strict=True)
        bodies = {
            name: b"".join(column).translate(_COARSE)
            for name, column in zip(_QUANTITIES, columns, strict=True)
        }
        kept = {name: body for name, body in bodies.items() if body.strip(b"\0")}
        edges = [edge / _PS_IN_S for edge in struct.unpack(f"<{bins + 1}Q", self._edges)]
        holders = self._holders()
        head = json.dumps(
            {
                "edges_s": edges,
                "rows": len(self._keys),
                "quantities": list(kept),
                "holders": [[row, words.split(_BETWEEN)] for row, words, _ in holders],
            }
        ).encode()
        held = b"".join(bytes_ for _, _, bytes_ in holders).translate(_COARSE)
        return struct.pack("<I", len(head)) + head + b"".join(kept.values()) + held

    def _holders(self) -> list[tuple[int, str, bytes]]:
        """Causes of holding of some resources over time: number of the row, causes, their bytes."""
        found = [number for number, key in enumerate(self._keys) if key in self._held]
        found.sort(key=lambda number: (-self.rows[number]["waiting"], -self.rows[number]["used"], number))
        return [(number, *self._held_at(self._keys[number])) for number in sorted(found[:_MOST_WITH_HOLDERS])]

    def _held_at(self, key: tuple[str, str]) -> tuple[str, bytes]:
        """What the holders of a resource did, and the bytes of each: a first cause without any has all."""
        words, held = self._held[key]
        used = self._bytes[key][0]
        is_left_out = len(held) < len(used) * len(words.split(_BETWEEN))
        return words, used + held if is_left_out else held


def _row(row: Mapping[str, Any], held_back: float) -> dict[str, Any]:
    """A resource of the summary for the map; `held_back` is its share of stopped time."""
    kind = kinds.resource(row["id"])
    ends = row.get("ends")
    # Without a name of its own the engine writes the word of its kind.
    is_named = row["name"] != row["kind"]
    if not is_named:
        name = f"{row['kind']} of {row['place']}"
    else:
        name = f"{row['kind']} {row['name']}" if ends else row["name"]
    return {
        "name": visible(name),
        "kind": row["kind"],
        "place": visible(row["place"]),
        # Journeys name resources at an end of a link by the link, and all others by their place.
        "recorded": visible(row["name"] if is_named and ends else row["place"]),
        "ends": ends,
        "port": row.get("port"),
        "carries_bits": kind["carries_bits"],
        "is_buffer": not kind["carries_bits"],
        "used": round(min(1.0, row["utilisation"]), 4),
        "waiting": round(row["waiting"], 4),
        "heldBack": round(min(1.0, held_back), 4),
        "lost": row.get("refused", 0),
        "holders": _holders(row, kind),
    }


def _holders(row: Mapping[str, Any], kind: kinds.Kind) -> list[tuple[str, float]]:
    """What the holders of a resource do, with the share of the resource that they hold."""
    parts = [part for part in row.get("held_in", ()) if part["occupancy"] > 0]
    if kind["nature"] == "queue":
        # Its holders are counted and its capacity is in bytes: they share what is in use of it.
        whole = sum(part["occupancy"] for part in parts) / (row["utilisation"] or 1.0)
    else:
        whole = row["capacity"] or row["occupancy"] or 1.0
    return [(part["stage"], round(part["occupancy"] / whole, 4)) for part in parts]


def _of_timeline(kind: str, place: str, used: bytes, waiting: bytes, held: bytes) -> dict[str, Any]:
    """A resource that the summary omits because others are busier: its means over the whole run."""
    bins = max(1, len(used))
    waits = sum(_WAITING[code] for code in waiting.replace(b"\0", b"")) / bins
    return {
        "name": visible(f"{kind} {place}"),
        "kind": kind,
        "place": visible(place),
        "recorded": visible(place),
        "ends": None,
        "port": None,
        "carries_bits": kinds.carries_bits(kind),
        "is_buffer": not kinds.carries_bits(kind),
        "used": round(sum(used) / 255 / bins, 4),
        "waiting": round(waits, 4),
        "heldBack": round(sum(held) / 255 / bins, 4),
        "lost": 0,
        "holders": [],
    }


def _places(network: Mapping[str, Any]) -> list[layout.Point | None]:
    """Positions of the nodes: those of the network, or its switches as in its picture.

    The page finds a place for those without one: hosts, and all nodes of a network too large for that layout.
    """
    nodes = network["nodes"]
    named = {node["name"]: node for node in nodes}
    found = layout.of_switches(named, network["links"], layout.MOST_SWITCHES_FOR_STRESS)
    if not found or layout.has_places(named):
        return [None if node["x"] is None else (node["x"], node["y"]) for node in nodes]
    return [found.get(node["name"]) for node in nodes]


def _extent(places: list[layout.Point | None], axis: int) -> float:
    """How far the places reach along an axis."""
    along = [place[axis] for place in places if place is not None]
    return max(along) - min(along) if along else 1.0
