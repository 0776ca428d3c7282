"""Layout of the switches of a network without positions. Deterministic, without any library.

Small networks: stress majorisation (Gansner, Koren, North, "Graph drawing by stress majorization", 2004),
which makes the drawn distance of two switches follow their distance in hops. Large ones: rows by distance
from a start switch.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MOST_SWITCHES_FOR_STRESS = 150
PAIRS_LOOKED_AT = 2_000_000  # in all rounds together; bounds the time to about a second
MOST_ROUNDS = 150
LEAST_DISTANCE = 0.6  # between switches, once laid out
JITTER = 1e-3  # parts switches that start at one place; far below the distance of 1 between neighbours

Point = tuple[float, float]


def has_places(nodes: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a network has a position for each of its switches."""
    return all(nodes[name]["x"] is not None for name in _switches(nodes))


def of_switches(
    nodes: Mapping[str, Mapping[str, Any]],
    links: Iterable[Mapping[str, Any]],
    at_most: int | None = None,
) -> dict[str, Point]:
    """The positions of a network's switches: its own, or laid out if not too many; else none."""
    switches = _switches(nodes)
    if has_places(nodes):
        return {name: (float(nodes[name]["x"]), float(nodes[name]["y"])) for name in switches}
    if at_most is not None and len(switches) > at_most:
        return {}
    known = set(switches)
    pairs = [(link["from"], link["to"]) for link in links]
    between = [pair for pair in pairs if known.issuperset(pair)]
    levels = {name: nodes[name].get("level") for name in switches}
    return _in_levels(levels, between) if _has_tiers(levels, between) else place(switches, between)


def _switches(nodes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [name for name, node in nodes.items() if node["kind"] == "switch"]


def place(names: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, Point]:
    """A position for every switch, neighbours about 1 apart; y grows downwards."""
    if not names:
        return {}
    neighbours: dict[str, list[str]] = {name: [] for name in names}
    for one, other in links:
        if one != other:
            neighbours[one].append(other)
            neighbours[other].append(one)
    if len(names) > MOST_SWITCHES_FOR_STRESS:
        return _rows(names, neighbours)
    hops = {name: _hops(name, neighbours) for name in names}
    return _levelled(names, _parted(names, _majorised(names, hops, _first_guess(names, hops))))


def _has_tiers(levels: Mapping[str, int | None], links: Sequence[tuple[str, str]]) -> bool:
    """Whether every switch has a level and every link joins two successive levels, as in a tree.

    A network that is not a tree has levels as well, by distance from a root, and links within a level.
    """
    if not links or None in levels.values():
        return False
    return all(abs((levels[one] or 0) - (levels[other] or 0)) == 1 for one, other in links)


def _in_levels(levels: Mapping[str, int | None], links: Sequence[tuple[str, str]]) -> dict[str, Point]:
    """One row for each level, the roots on top; a switch is in the middle of those below it.

    The lowest level is in the order of the network, where hosts of a rack are together.
    """
    below: dict[str, list[str]] = {name: [] for name in levels}
    for one, other in links:
        upper, lower = sorted((one, other), key=lambda name: levels[name] or 0)
        below[upper].append(lower)
    rows: dict[int, list[str]] = {}
    for name, level in levels.items():
        rows.setdefault(level or 0, []).append(name)
    widest = max(len(row) for row in rows.values())
    gap = max(1.0, widest / (3 * len(rows)))
    places: dict[str, Point] = {}
    for level in sorted(rows, reverse=True):
        row = rows[level]
        middles = {name: _middle([places[each][0] for each in below[name]]) for name in row}
        row = sorted(row, key=lambda name: middles[name])
        places |= {name: ((index + 0.5) * widest / len(row), gap * level) for index, name in enumerate(row)}
    return places


def _middle(along: Sequence[float]) -> float:
    """The mean of places; 0 of none, as of the lowest level, which keeps its order."""
    return math.fsum(along) / len(along) if along else 0.0


def _hops(start: str, neighbours: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Hops from `start` to every switch; one more than the farthest for those out of reach."""
    hops = {start: 0}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        for other in neighbours[name]:
            if other not in hops:
                hops[other] = hops[name] + 1
                waiting.append(other)
    beyond = max(hops.values()) + 1
    return {name: hops.get(name, beyond) for name in neighbours}


def _first_guess(names: Sequence[str], hops: Mapping[str, Mapping[str, int]]) -> dict[str, Point]:
    """Coordinates from the distances to two pairs of far switches, parted where they coincide."""

    def far_pair(barred: Sequence[str]) -> tuple[str, str]:
        free = [name for name in names if name not in barred] or list(names)
        one = max(free, key=lambda name: min((hops[other][name] for other in barred), default=0))
        return one, max(free, key=lambda name: hops[one][name])

    left, right = far_pair([])
    top, bottom = far_pair([left, right])
    return {
        name: (
            (hops[left][name] - hops[right][name]) / 2 + JITTER * math.cos(2.4 * index),
            (hops[top][name] - hops[bottom][name]) / 2 + JITTER * math.sin(2.4 * index),
        )
        for index, name in enumerate(names)
    }


def _majorised(
    names: Sequence[str], hops: Mapping[str, Mapping[str, int]], places: dict[str, Point]
) -> dict[str, Point]:
    """Move each switch in turn to where its distances to all others fit best (weights 1 / hops squared)."""
    for _ in range(min(MOST_ROUNDS, PAIRS_LOOKED_AT // len(names) ** 2)):
        for name in names:
            x, y = places[name]
            sum_x = sum_y = weights = 0.0
            for other in names:
                if other == name:
                    continue
                other_x, other_y = places[other]
                distance = hops[name][other]
                apart = max(math.hypot(x - other_x, y - other_y), JITTER)
                weight = 1.0 / distance**2
                sum_x += weight * (other_x + distance * (x - other_x) / apart)
                sum_y += weight * (other_y + distance * (y - other_y) / apart)
                weights += weight
            if weights:
                places[name] = (sum_x / weights, sum_y / weights)
    return places


def _parted(names: Sequence[str], places: dict[str, Point]) -> dict[str, Point]:
    """Push apart what would be drawn on top of each other."""
    for _ in range(20):
        for index, one in enumerate(names):
            for other in names[:index]:
                (x, y), (other_x, other_y) = places[one], places[other]
                apart = max(math.hypot(x - other_x, y - other_y), JITTER)
                if apart < LEAST_DISTANCE:
                    push = (LEAST_DISTANCE - apart) / 2 / apart
                    step_x, step_y = (x - other_x) * push, (y - other_y) * push
                    places[one] = (x + step_x, y + step_y)
                    places[other] = (other_x - step_x, other_y - step_y)
    return places


def _levelled(names: Sequence[str], places: Mapping[str, Point]) -> dict[str, Point]:
    """Turn the drawing so that it is widest from left to right, with the first switch on the left."""
    centre_x = sum(x for x, _ in places.values()) / len(places)
    centre_y = sum(y for _, y in places.values()) / len(places)
    moved = {name: (x - centre_x, y - centre_y) for name, (x, y) in places.items()}
    across = sum(x * x for x, _ in moved.values())
    down = sum(y * y for _, y in moved.values())
    mixed = sum(x * y for x, y in moved.values())
    angle = math.atan2(2 * mixed, across - down) / 2
    cosine, sine = math.cos(angle), math.sin(angle)
    turned = {name: (cosine * x + sine * y, cosine * y - sine * x) for name, (x, y) in moved.items()}
    if turned[names[0]][0] > 0:
        turned = {name: (-x, -y) for name, (x, y) in turned.items()}
    return turned


def _rows(names: Sequence[str], neighbours: Mapping[str, Sequence[str]]) -> dict[str, Point]:
    """One row for each distance from the best connected switch."""
    start = max(names, key=lambda name: len(neighbours[name]))
    rows: dict[int, list[str]] = {}
    for name, hops in _hops(start, neighbours).items():
        rows.setdefault(hops, []).append(name)
    widest = max(len(row) for row in rows.values())
    gap = max(1.0, widest / (3 * len(rows)))
    return {
        name: ((index + 0.5) * widest / len(row), gap * hops)
        for hops, row in rows.items()
        for index, name in enumerate(row)
    }
