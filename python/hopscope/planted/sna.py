"""Subarea networks of SNA: what is planted follows from service times, windows and buffers."""

import itertools
from collections.abc import Callable

from hopscope.cause import Cause
from hopscope.planted.case import Case, Draws, at

MEASURE = "[measure]\nmessages = 4_000\n"


def _chain(
    draws: Draws, services: list[float], route: str, session: str, line: str = 'rate = "10 Mbit/s"'
) -> tuple[str, list[str]]:
    """Nodes in a row with these mean service times in ms, and a virtual route over them."""
    nodes = draws.names(len(services))
    text = 'model = "sna"\n'
    for node, ms in zip(nodes, services, strict=True):
        text += f'[[node]]\nname = "{node}"\nservice = {{ exponential = "{ms * 1000:.0f} us" }}\n'
    hops = list(itertools.pairwise(nodes))
    for number, (one, other) in enumerate(hops):
        text += f'[[group]]\nname = "g{number}"\nbetween = ["{one}", "{other}"]\nline = [{{ {line} }}]\n'
    groups = ", ".join(f'"g{number}"' for number in range(len(hops)))
    text += f'[[route]]\nname = "er"\nfrom = "{nodes[0]}"\ngroups = [{groups}]\n'
    text += (
        f'[[virtual_route]]\nnumber = 1\nroute = "er"\n{route}\n[[session]]\nvirtual_route = 1\n{session}\n'
    )
    return text, nodes


def small_window(draws: Draws) -> Case:
    """A window far below what a long path holds."""
    ms, window = draws.whole(150, 400), draws.whole(1, 2)
    line = f'rate = "1 Mbit/s", propagation = "{ms} ms"'
    text, nodes = _chain(draws, [2.0] * draws.whole(3, 5), f"window = {window}", "", line)
    return Case(f"window {window} over {ms} ms", text + MEASURE, Cause.WINDOW, (at(nodes[0], nodes[-1]),))


def large_window(draws: Draws) -> Case:
    """A window far above what the path holds: all of it waits at the slowest node."""
    count = draws.whole(3, 5)
    there, ms = draws.whole(0, count - 1), draws.whole(10, 40)
    services = [float(ms) if node == there else ms * draws.between(0.2, 0.4) for node in range(count)]
    text, nodes = _chain(draws, services, f"window = {draws.whole(30, 100)}", "")
    return Case(f"large window, node {there + 1} slow", text + MEASURE, Cause.RESOURCE, (at(nodes[there]),))


def low_threshold(draws: Draws) -> Case:
    """A node that reports congestion from one PIU on: windows stay at their minimum over a long path."""
    ms, count = draws.whole(150, 400), draws.whole(3, 5)
    line = f'rate = "1 Mbit/s", propagation = "{ms} ms"'
    text, nodes = _chain(draws, [2.0] * count, "least = 1\nmost = 60", "", line)
    there = draws.whole(0, count - 1)
    name = f'name = "{nodes[there]}"\n'
    text = text.replace(name, f"{name}moderate = 1\n", 1)
    # The window, or the node that keeps it small.
    places = (at(nodes[0], nodes[-1]), at(nodes[there]))
    return Case(f"node {there + 1} congested from 1 PIU on", text + MEASURE, Cause.WINDOW, places)


def _slow_printer(draws: Draws, where: str = "", further: Callable[[], str] = str) -> Case:
    """A unit that takes long for each message, behind a session with pacing and further fields."""
    ms = draws.whole(100, 500)
    session = f'unit = "printer"\npacing = {draws.whole(3, 8)}{further()}'
    text, nodes = _chain(draws, [5.0, 5.0, 5.0], "window = 20", session)
    text += f'[[unit]]\nname = "printer"\nnode = "{nodes[-1]}"\nservice = {{ fixed = "{ms} ms" }}\n'
    return Case(f"printer of {ms} ms{where}", text + MEASURE, Cause.RESOURCE, (at("printer"),))


def slow_second_stage(draws: Draws) -> Case:
    """A unit slower than all before it, behind session-level pacing in two stages."""
    return _slow_printer(draws, " behind two stages", lambda: f"\nboundary = {draws.whole(1, 4)}")


def wrong_priority(draws: Draws) -> Case:
    """Interactive messages at the priority of a batch that keeps a slow line full."""
    rate = draws.one_of(("4.8", "9.6", "19.2"))
    line = f'rate = "{rate} kbit/s"'
    text, nodes = _chain(draws, [1.0, 1.0], f"priority = 1\nwindow = {draws.whole(10, 30)}", "", line)
    text += '[[virtual_route]]\nnumber = 2\nroute = "er"\npriority = 0\n[[session]]\nvirtual_route = 2\n'
    text += 'size = "50 B"\ngap = "5 s"\n'
    return Case(f"batch before interactive at {rate}", text + MEASURE, Cause.LANES, (at(*nodes),))


def stopped_unit(draws: Draws) -> Case:
    """A unit that takes nothing for a while, again and again."""
    lasts, every = draws.whole(5, 15), draws.whole(40, 80)
    text, nodes = _chain(draws, [1.0, 1.0], "window = 255", 'unit = "printer"\ngap = "200 ms"')
    text += f'[[unit]]\nname = "printer"\nnode = "{nodes[-1]}"\nservice = {{ fixed = "5 ms" }}\n'
    text += f'stop = {{ first = "20 s", lasts = "{lasts} s", every = "{every} s" }}\n'
    return Case(f"printer stops for {lasts} s", text + MEASURE, Cause.INTERRUPTION, (at("printer"),))


def slow_unit(draws: Draws) -> Case:
    """A unit behind a boundary node that is slower than all before it, with session-level pacing."""
    return _slow_printer(draws)


def line_errors(draws: Draws) -> Case:
    """A line that loses many frames, which the end of the route asks for again."""
    errors = draws.between(0.15, 0.3)
    line = f'rate = "1 Mbit/s", propagation = "20 ms", errors = {errors:.3f}'
    route = f'rule = "hdlc"\nwindow = 7\nreject = "{draws.one_of(("go-back", "selective"))}"\ntimeout = "1 s"'
    text, nodes = _chain(draws, [1.0, 1.0], route, 'gap = "1 s"', line)
    text = text.replace("line = [{ rate", 'recovery = "end"\nline = [{ rate')
    return Case(
        f"{errors:.2f} of frames in error", text + MEASURE, Cause.LOSS, (at(*nodes), at(*nodes[::-1]))
    )


def healthy(draws: Draws) -> Case:
    """Infrequent messages over nodes with spare time."""
    count = draws.whole(2, 5)
    services = [draws.between(2, 10) for _ in range(count)]
    gap = draws.whole(100, 300)
    text, _ = _chain(draws, services, "", f'gap = "{gap} ms"')
    return Case(f"healthy, a message in {gap} ms", text + MEASURE, Cause.HEALTHY)


PLANTS = (
    small_window,
    large_window,
    low_threshold,
    wrong_priority,
    stopped_unit,
    slow_unit,
    slow_second_stage,
    line_errors,
    healthy,
)
