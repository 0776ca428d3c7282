"""The legend below a drawing."""

from collections.abc import Iterator

from hopscope import palette
from hopscope.drawing.element import element
from hopscope.drawing.marks import host, network, root_ring, switch
from hopscope.drawing.picture import Picture, Spot
from hopscope.numerals import amount

HEIGHT = 54.0
WIDTH = 620.0
SCALE_WIDTH = 200.0
SCALE_STEPS = 50
AFTER_SCALE = 360.0


def legend(picture: Picture, measured: bool) -> Iterator[str]:
    """What the marks mean, and the colour scale where links are coloured."""
    if measured:
        yield from _colour_scale()
    x = AFTER_SCALE if measured else 0.0
    roles = {spot.role for spot in picture.spots}
    words = dict.fromkeys(spot.word for spot in picture.spots if spot.role == "switch")
    entries = [
        ("network" if word == "network" else "switch", picture.called if word == "switch" else word)
        for word in words
    ]
    entries += [("root", "root")] if picture.root else []
    entries += [
        pair for pair in (("server", "server"), ("client", "client"), ("any", "host")) if pair[0] in roles
    ]
    for mark, word in entries:
        yield _mark(mark, x + 7)
        yield _words(word, x + 19, 14.0)
        x += 34 + 6.2 * len(word)
    if picture.hidden_hosts:
        yield _words(f"{amount(picture.hidden_hosts, 'host', 'hosts')} not drawn", x, 14.0)


def _mark(mark: str, x: float) -> str:
    if mark == "switch":
        return switch(x, 10.0, 6.0, "switch")
    if mark == "network":
        return network(x, 10.0, 5.0, "network")
    if mark == "root":
        return root_ring(x, 10.0, 7.0) + switch(x, 10.0, 4.5, "root")
    return host(Spot(mark, mark, x, 10.0), 3.6)


def _colour_scale() -> Iterator[str]:
    """Steps of the heat scale with their percents."""
    step = SCALE_WIDTH / SCALE_STEPS
    for index in range(SCALE_STEPS):
        colour = palette.heat((index + 0.5) / SCALE_STEPS)
        yield element("rect", x=index * step, y=4, width=step + 0.3, height=9, fill=colour)
    for share in (0, 25, 50, 75, 100):
        yield _words(str(share), share * SCALE_WIDTH / 100, 26.0, "start" if share == 0 else "middle")
    yield _words("link utilisation (%)", SCALE_WIDTH + 16, 13.0)
    yield _words("each direction on its right-hand side", 0.0, 41.0)


def _words(words: str, x: float, y: float, anchor: str = "start") -> str:
    return element("text", words, x=x, y=y, text_anchor=anchor, fill=palette.QUIET_INK)
