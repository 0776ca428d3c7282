"""The SVG of a credit loop: its switches on a circle, each channel an arrow with its ports."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hopscope import palette
from hopscope.drawing.element import Attributes, element, title
from hopscope.drawing.svg import FONT
from hopscope.escaping import escaped

LEAST_RADIUS = 120.0
ARC_PER_SWITCH = 110.0  # pixels along the circle
SWITCH_RADIUS = 26.0
MARGIN = 110.0

Point = tuple[float, float]


def draw(loop: Sequence[Mapping[str, Any]], heading: str) -> str:
    """A standalone SVG of the cycle: every channel waits for the next one to drain."""
    radius = max(LEAST_RADIUS, len(loop) * ARC_PER_SWITCH / math.tau)
    size = 2 * (radius + MARGIN)
    centre = size / 2
    angles = [math.tau * i / len(loop) - math.pi / 2 for i in range(len(loop))]
    places = [(centre + radius * math.cos(a), centre + radius * math.sin(a)) for a in angles]
    parts = [
        title(f"credit loop: {heading}"),
        element("rect", width="100%", height="100%", fill=palette.PAPER),
    ]
    for hop, start, end in zip(loop, places, [*places[1:], places[0]], strict=True):
        parts += _arrow(hop, start, end)
    for hop, (x, y) in zip(loop, places, strict=True):
        parts.append(element("circle", cx=x, cy=y, r=SWITCH_RADIUS, fill=palette.PAPER, stroke=palette.INK))
        parts.append(_label(hop["from"], x, y, 11.0))
    parts.append(_label("each link waits for credit on the next", centre, size - 16, 12.0))
    frame: Attributes = {"viewBox": f"0 0 {size:.0f} {size:.0f}", "width": round(size), "height": round(size)}
    look: Attributes = {"role": "img", "font_family": FONT, "font_size": 11}
    return element("svg", "\n".join(parts), xmlns="http://www.w3.org/2000/svg", **frame, **look) + "\n"


def _arrow(hop: Mapping[str, Any], start: Point, end: Point) -> Iterator[str]:
    """A line from the rim of one switch to the rim of the next, with its head and the ports at both ends."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = math.hypot(across, down)
    along, side = (across / length, down / length), (-down / length, across / length)

    def at(distance: float, aside: float) -> Point:
        return (
            start[0] + distance * along[0] + aside * side[0],
            start[1] + distance * along[1] + aside * side[1],
        )

    tip = length - SWITCH_RADIUS
    line = [at(SWITCH_RADIUS, 0), at(tip - 9, 0)]
    head = [at(tip, 0), at(tip - 10, 5), at(tip - 10, -5)]
    colour = palette.heat(1.0)
    yield element("path", d=_path(line), fill="none", stroke=colour, stroke_width=2)
    yield element("path", d=_path(head) + "Z", fill=colour)
    yield _label(str(hop["port"]), *at(SWITCH_RADIUS + 10, -11), 10.0)
    yield _label(str(hop["to_port"]), *at(tip - 10, -11), 10.0)


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _label(text: str, x: float, y: float, size: float) -> str:
    place: Attributes = {"x": x, "y": y + 0.35 * size, "text_anchor": "middle", "font_size": size}
    return element("text", escaped(text), fill=palette.INK, **place)
