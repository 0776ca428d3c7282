"""The blocking chain of an explanation: from the awaited resource to the root cause."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hopscope import palette
from hopscope.drawing.element import Attributes, element, title
from hopscope.drawing.svg import FONT
from hopscope.escaping import escaped
from hopscope.numerals import number, percent

WIDTH, BOX_HEIGHT, GAP, MARGIN = 640.0, 52.0, 46.0, 8.0


def draw(chain: Sequence[Mapping[str, Any]]) -> str:
    """The chain as an SVG, the waiters' resource on top; each box is coloured by the use of its resource."""
    height = 2 * MARGIN + len(chain) * BOX_HEIGHT + (len(chain) - 1) * GAP
    parts = [title("Blocking chain, waiter to root cause")]
    for at, link in enumerate(chain):
        top = MARGIN + at * (BOX_HEIGHT + GAP)
        parts += _box(link, top, at + 1 == len(chain))
        if at + 1 < len(chain):
            parts += _arrow(link, top + BOX_HEIGHT)
    frame: Attributes = {"viewBox": f"0 0 {WIDTH:.0f} {height:.0f}", "width": WIDTH, "height": height}
    look: Attributes = {"role": "img", "font_family": FONT, "font_size": 13}
    return element("svg", "\n".join(parts), xmlns="http://www.w3.org/2000/svg", **frame, **look)


def _box(link: Mapping[str, Any], top: float, is_root: bool) -> Iterator[str]:
    edge: Attributes = {
        "stroke": palette.WAITS[1] if is_root else palette.RULE,
        "stroke_width": 2 if is_root else 1,
    }
    yield element(
        "rect", x=MARGIN, y=top, width=WIDTH - 2 * MARGIN, height=BOX_HEIGHT, fill=palette.PAPER, rx=4, **edge
    )
    used = min(link["utilisation"], 1.0)
    yield element("rect", x=MARGIN, y=top, width=8, height=BOX_HEIGHT, fill=palette.heat(used), rx=2)
    name = link["resource"] + (" (root cause)" if is_root else "")
    yield element("text", escaped(name), x=MARGIN + 20, y=top + 21, fill=palette.INK, font_weight="bold")
    words = f"{percent(link['utilisation'])} in use, {number(link['waiting'], 3)} waiting on average"
    yield element("text", escaped(words), x=MARGIN + 20, y=top + 40, fill=palette.QUIET_INK)


def _arrow(link: Mapping[str, Any], top: float) -> Iterator[str]:
    x, end = MARGIN + 28, top + GAP
    yield element("line", x1=x, y1=top, x2=x, y2=end - 6, stroke=palette.QUIET_INK, stroke_width=1.5)
    points = f"{x - 5:.0f},{end - 8:.0f} {x + 5:.0f},{end - 8:.0f} {x:.0f},{end:.0f}"
    yield element("polygon", points=points, fill=palette.QUIET_INK)
    doing = (
        f"{link['held_by']} ({percent(link['held_share'])} of what is held)"
        if link["held_by"]
        else "every holder"
    )
    yield element(
        "text", escaped(f"{doing}: waits for"), x=x + 14, y=top + GAP / 2 + 4, fill=palette.QUIET_INK
    )
