"""The marks for nodes."""

from hopscope import palette
from hopscope.drawing.element import Attributes, element, title
from hopscope.drawing.picture import Spot

_COLOURS = {"client": "#8aa9c4", "server": "#173f66", "any": "#8aa9c4"}


def switch(x: float, y: float, radius: float, name: str) -> str:
    """A circle with the switch's name as tooltip."""
    look: Attributes = {"fill": palette.PAPER, "stroke": palette.INK, "stroke_width": 1.2}
    return element("circle", title(name), cx=x, cy=y, r=radius, **look)


def network(x: float, y: float, radius: float, name: str) -> str:
    """A broad box with the network's name as tooltip."""
    look: Attributes = {"fill": "#e8edf2", "stroke": palette.INK, "stroke_width": 1.2, "rx": 0.35 * radius}
    half: Attributes = {
        "x": x - 1.7 * radius,
        "y": y - 0.75 * radius,
        "width": 3.4 * radius,
        "height": 1.5 * radius,
    }
    return element("rect", title(name), **half, **look)


def root_ring(x: float, y: float, radius: float) -> str:
    """The ring around the root of up*/down* routes."""
    return element("circle", cx=x, cy=y, r=radius, fill="none", stroke=palette.ACCENT, stroke_width=1.6)


def host(spot: Spot, size: float) -> str:
    """A square for a server, a dot for any other host; `size` is half its width in pixels."""
    look: Attributes = {
        "fill": _COLOURS.get(spot.role, _COLOURS["any"]),
        "stroke": palette.PAPER,
        "stroke_width": 0.6,
    }
    words = title(f"{spot.name} ({spot.role})" if spot.role != "any" else spot.name)
    if spot.role == "server":
        corner: Attributes = {"x": spot.x - size, "y": spot.y - size, "width": 2 * size, "height": 2 * size}
        return element("rect", words, **corner, **look)
    return element("circle", words, cx=spot.x, cy=spot.y, r=size, **look)
