"""Positions of switch names: in their circles if all fit, else beside them, clear of other marks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hopscope.drawing.picture import Picture, Spot, Wire

LARGEST_LETTERS = 11.0
LEAST_LETTERS_INSIDE = 7.0
SMALLEST_LETTERS = 6.0  # pixels; smaller ones cannot be read
MOST_NAMES_OUTSIDE = 60
LETTERS_OUTSIDE = 10.0
LETTER_WIDTH = 0.58  # of the size of letters, on average
GAP = 3.0
STEPS_OF_A_WIRE = 40
# Costs of a place: what it covers, and how far it is from the first choice.
OVER_A_NAME, OVER_A_SPOT, OVER_A_WIRE, OUT_OF_FRAME = 1000.0, 100.0, 1.0, 10_000.0


@dataclass(frozen=True, slots=True)
class Label:
    """A name, centred at a point, with the size of its letters in pixels."""

    text: str
    x: float
    y: float
    size: float

    @property
    def half_width(self) -> float:
        """Half of the width that the name takes, nearly."""
        return LETTER_WIDTH * self.size * len(self.text) / 2

    def covers(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether a point lies within the name or within `margin` of it."""
        return abs(x - self.x) <= self.half_width + margin and abs(y - self.y) <= self.size / 2 + margin

    def overlaps(self, other: "Label") -> bool:
        """Whether two names touch."""
        return (
            abs(self.x - other.x) < self.half_width + other.half_width
            and abs(self.y - other.y) < (self.size + other.size) / 2
        )


def labels(picture: Picture) -> list[Label]:
    """The names of the switches of a picture; of a large one those that fit into their circles."""
    switches = [spot for spot in picture.spots if spot.role == "switch"]
    inside = [Label(spot.name, spot.x, spot.y, _fitting(spot, picture.radius)) for spot in switches]
    if len(switches) > MOST_NAMES_OUTSIDE:
        return [label for label in inside if label.size >= SMALLEST_LETTERS]
    if all(label.size >= LEAST_LETTERS_INSIDE for label in inside):
        return inside
    placed: list[Label] = []
    for spot, label in zip(switches, inside, strict=True):
        fits = spot.word == "network" and label.size >= LEAST_LETTERS_INSIDE
        placed.append(label if fits else _beside(spot, picture, placed))
    return placed


def _fitting(spot: Spot, radius: float) -> float:
    """The size of letters with which a name fits into its circle, or a network's into its broader box."""
    room = 5.6 if spot.word == "network" else 3.2
    return min(LARGEST_LETTERS, room * radius / max(len(spot.name), 1))


def _beside(spot: Spot, picture: Picture, placed: Sequence[Label]) -> Label:
    """The place around a switch that covers least."""
    at_centre = Label(spot.name, spot.x, spot.y, LETTERS_OUTSIDE)
    across = picture.radius + GAP + at_centre.half_width
    down = picture.radius + GAP + LETTERS_OUTSIDE / 2
    aside, slant = 0.7 * across, 0.9 * down
    offsets = [
        (0.0, -down),
        (0.0, down),
        (across, 0.0),
        (-across, 0.0),
        (aside, -slant),
        (-aside, -slant),
        (aside, slant),
        (-aside, slant),
    ]
    choices = [Label(spot.name, spot.x + x, spot.y + y, LETTERS_OUTSIDE) for x, y in offsets]
    return min(choices, key=lambda label: _cost(label, spot, picture, placed))


def _cost(label: Label, own: Spot, picture: Picture, placed: Sequence[Label]) -> float:
    """The cost of a name at this place: what it covers."""
    cost = OVER_A_NAME * sum(label.overlaps(other) for other in placed)
    for spot in picture.spots:
        radius = picture.radius if spot.role == "switch" else 4.0
        cost += OVER_A_SPOT * (spot is not own and label.covers(spot.x, spot.y, radius))
    cost += OVER_A_WIRE * sum(_points_under(label, wire) for wire in picture.wires)
    outside = (
        label.x - label.half_width < 0
        or label.x + label.half_width > picture.width
        or not label.size / 2 <= label.y <= picture.height - label.size / 2
    )
    return cost + OUT_OF_FRAME * outside


def _points_under(label: Label, wire: Wire) -> int:
    """The number of evenly spread points along a link that a name covers."""
    reach = math.hypot(label.half_width, label.size) + math.hypot(
        wire.other.x - wire.one.x, wire.other.y - wire.one.y
    )
    if math.hypot(label.x - wire.one.x, label.y - wire.one.y) > reach:
        return 0
    parts = [step / STEPS_OF_A_WIRE for step in range(STEPS_OF_A_WIRE + 1)]
    return sum(
        label.covers(
            wire.one.x + part * (wire.other.x - wire.one.x),
            wire.one.y + part * (wire.other.y - wire.one.y),
            1.0,
        )
        for part in parts
    )
