"""The SVG of a network: links coloured by use, switches, hosts and a legend."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hopscope import palette
from hopscope.drawing.element import Attributes, element, title
from hopscope.drawing.labels import labels
from hopscope.drawing.legend import HEIGHT as LEGEND_HEIGHT
from hopscope.drawing.legend import WIDTH as LEGEND_WIDTH
from hopscope.drawing.legend import legend
from hopscope.drawing.marks import host, network, root_ring, switch
from hopscope.drawing.picture import Picture, Spot, Use, Wire, compose
from hopscope.escaping import escaped
from hopscope.numerals import percent

LEAST_WIDTH = 620.0
LANE_WIDTH = 9.0  # pixels between the middles of parallel links
MOST_SWITCHES_TO_BEND_AROUND = 300
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"


def draw(data: Mapping[str, Any], use: Use | None = None, heading: str = "") -> str:
    """A standalone SVG of a network (`data`: the engine's topology object), coloured where `use` is known."""
    picture = compose(data, use)
    width = max(picture.width, LEAST_WIDTH)
    shift = (width - picture.width) / 2
    height = picture.height + LEGEND_HEIGHT
    parts = [
        title(heading or "network"),
        element("rect", width="100%", height="100%", fill=palette.PAPER),
        _group([*_wires(picture, use is not None), *_spots(picture), *_names(picture)], shift, 0.0),
        _group(
            list(legend(picture, use is not None)), min(shift + 16, width - LEGEND_WIDTH), picture.height + 6
        ),
    ]
    frame: Attributes = {
        "viewBox": f"0 0 {width:.0f} {height:.0f}",
        "width": round(width),
        "height": round(height),
    }
    look: Attributes = {"role": "img", "font_family": FONT, "font_size": 11}
    return element("svg", "\n".join(parts), xmlns="http://www.w3.org/2000/svg", **frame, **look) + "\n"


def _group(parts: Sequence[str], x: float, y: float) -> str:
    return element("g", "\n".join(parts), transform=f"translate({x:.1f} {y:.1f})")


def _wires(picture: Picture, measured: bool) -> Iterator[str]:
    switches = [spot for spot in picture.spots if spot.role == "switch"]
    obstacles = switches if len(switches) <= MOST_SWITCHES_TO_BEND_AROUND else []
    for wire in picture.wires:
        trunk = wire.one.role == wire.other.role == "switch"
        bend = _bend(wire, obstacles, picture.radius) + LANE_WIDTH * wire.lane if trunk else 0.0
        yield element("g", title(_words(wire)) + "".join(_lines(wire, trunk, measured, bend)))


def _lines(wire: Wire, trunk: bool, measured: bool, bend: float) -> Iterator[str]:
    """One quiet line, or one for each direction, coloured by its use."""
    if not measured:
        width = 1.6 if trunk else 0.9
        yield element("path", d=_path(wire, 0.0, bend), fill="none", stroke="#9aa5b1", stroke_width=width)
        return
    width = 2.6 if trunk else 1.5
    for side, use in ((1.0, wire.use[0]), (-1.0, wire.use[1])):
        colour = palette.RULE if use is None else palette.heat(use)
        path = _path(wire, side * width * 0.6, bend)
        yield element("path", d=path, fill="none", stroke=colour, stroke_width=width)


def _words(wire: Wire) -> str:
    there, back = wire.use
    if there is None or back is None:
        return wire.label
    return f"{wire.label}: {percent(there)} there, {percent(back)} back"


def _bend(wire: Wire, obstacles: Sequence[Spot], radius: float) -> float:
    """How far to bend a link sideways, in pixels, so that it does not run through a third switch."""
    length = math.hypot(wire.other.x - wire.one.x, wire.other.y - wire.one.y)
    if length == 0:
        return 0.0
    along_x, along_y = (wire.other.x - wire.one.x) / length, (wire.other.y - wire.one.y) / length
    for spot in obstacles:
        if spot.name in (wire.one.name, wire.other.name):
            continue
        along = (spot.x - wire.one.x) * along_x + (spot.y - wire.one.y) * along_y
        across = abs((spot.y - wire.one.y) * along_x - (spot.x - wire.one.x) * along_y)
        if 0 < along < length and across < 0.4 * radius:
            return min(0.12 * length + 2.2 * radius, 90.0)
    return 0.0


def _path(wire: Wire, offset: float, bend: float) -> str:
    """The line from one end to the other, `offset` pixels to the right of the middle."""
    across_x, across_y = wire.other.x - wire.one.x, wire.other.y - wire.one.y
    length = math.hypot(across_x, across_y) or 1.0
    right_x, right_y = -across_y / length, across_x / length
    start = (wire.one.x + offset * right_x, wire.one.y + offset * right_y)
    end = (wire.other.x + offset * right_x, wire.other.y + offset * right_y)
    if not bend:
        return f"M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}"
    middle = ((start[0] + end[0]) / 2 + bend * right_x, (start[1] + end[1]) / 2 + bend * right_y)
    return f"M{start[0]:.1f} {start[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}"


def _spots(picture: Picture) -> Iterator[str]:
    for spot in picture.spots:
        if spot.role == "switch":
            if spot.name == picture.root:
                yield root_ring(spot.x, spot.y, picture.radius + 3.5)
            mark = network if spot.word == "network" else switch
            yield mark(spot.x, spot.y, picture.radius, spot.name)
        else:
            yield host(spot, max(2.0, min(4.0, picture.radius * 0.26)))


def _names(picture: Picture) -> Iterator[str]:
    """The switches' names, over everything else."""
    for label in labels(picture):
        place: Attributes = {"x": label.x, "y": label.y + 0.35 * label.size, "text_anchor": "middle"}
        yield element("text", escaped(label.text), fill=palette.INK, font_size=label.size, **place)
