"""Pup internets: what is planted follows from the time of a Pup at each place on its path."""

from hopscope.cause import Cause
from hopscope.planted.case import Case, Draws, at

FAST = '[processing.host]\npup = "0.5 ms"\nword = "0 s"\n'
MEASURE = '[measure]\nmessages = 3_000\nwarmup = "10 s"\n'


def _pair(draws: Draws, medium: str, besides: str = FAST, data: int = 200) -> tuple[str, list[str]]:
    """Two hosts on one network."""
    net, a, b = draws.names(3)
    text = (
        f'model = "pup"\n[[network]]\nname = "{net}"\nnumber = 3\nmedium = {medium}\n'
        f'[[host]]\nname = "{a}"\nnetwork = "{net}"\naddress = 1\n'
        f'[[host]]\nname = "{b}"\nnetwork = "{net}"\naddress = 2\n'
        f'[[test]]\nfrom = "{a}"\nto = "{b}"\ndata = "{data} B"\n{besides}{MEASURE}'
    )
    return text, [net, a, b]


def _joined(
    draws: Draws, medium: str, besides: str, senders: int = 1, data: int = 200
) -> tuple[str, list[str]]:
    """Two Ethernets joined by another network and two gateways."""
    west, mid, east, g1, g2, a, b = draws.names(7)
    count = f"count = {senders}\n" if senders > 1 else ""
    text = (
        f'model = "pup"\n[[network]]\nname = "{west}"\nnumber = 1\nmedium = {{ ethernet = {{}} }}\n'
        f'[[network]]\nname = "{mid}"\nnumber = 2\nmedium = {medium}\n'
        f'[[network]]\nname = "{east}"\nnumber = 3\nmedium = {{ ethernet = {{}} }}\n'
        f'[[gateway]]\nname = "{g1}"\n'
        f'on = [{{ network = "{west}", address = 200 }}, {{ network = "{mid}", address = 1 }}]\n'
        f'[[gateway]]\nname = "{g2}"\n'
        f'on = [{{ network = "{east}", address = 200 }}, {{ network = "{mid}", address = 2 }}]\n'
        f'[[host]]\nname = "{a}"\nnetwork = "{west}"\naddress = 1\n{count}'
        f'[[host]]\nname = "{b}"\nnetwork = "{east}"\naddress = 1\n{count}'
        f'[[test]]\nfrom = "{a}"\nto = "{b}"\ndata = "{data} B"\n{besides}{MEASURE}'
    )
    return text, [west, mid, east, g1, g2, a, b]


def slow_line(draws: Draws) -> Case:
    """A slow line between gateways."""
    rate = draws.one_of(("2.4", "4.8", "9.6", "14.4"))
    text, names = _joined(draws, f'{{ line = {{ rate = "{rate} kbit/s" }} }}', FAST)
    return Case(f"line of {rate} kbit/s", text, Cause.RESOURCE, (at(names[3], names[1]),))


def slow_gateways(draws: Draws) -> Case:
    """Gateways take far longer for a Pup than anything else does."""
    ms = draws.whole(20, 80)
    text, names = _joined(
        draws, '{ line = { rate = "1 Mbit/s" } }', f'{FAST}[processing.gateway]\npup = "{ms} ms"\n'
    )
    return Case(f"gateways of {ms} ms", text, Cause.RESOURCE, (at(names[3]), at(names[4])))


def slow_hosts(draws: Draws) -> Case:
    """Hosts take far longer for a Pup than the Ethernet between them does."""
    ms = draws.whole(10, 60)
    text, names = _pair(draws, "{ ethernet = {} }", f'[processing.host]\npup = "{ms} ms"\n')
    return Case(f"hosts of {ms} ms", text, Cause.RESOURCE, (at(names[1]), at(names[2])))


def slow_radio(draws: Draws) -> Case:
    """A radio that accepts a packet now and then."""
    interval = draws.whole(60, 180)
    text, names = _pair(draws, f'{{ radio = {{ interval = "{interval} ms" }} }}')
    return Case(f"radio interval {interval} ms", text, Cause.RESOURCE, (at(names[1], names[0]),))


def radio_loss(draws: Draws) -> Case:
    """A radio network that loses packets."""
    loss = draws.between(0.15, 0.4)
    text, names = _pair(draws, f'{{ radio = {{ interval = "1 ms", loss = {loss:.3f} }} }}')
    return Case(
        f"radio loss {loss:.2f}",
        text,
        Cause.LOSS,
        (at(names[0]), at(names[1], names[0]), at(names[2], names[0])),
    )


def radio_loss_of_one(draws: Draws) -> Case:
    """A radio network that loses what one gateway sends, in fragments of long Pups."""
    loss = draws.between(0.1, 0.3)
    besides = f'{FAST}[processing.gateway]\npup = "0.5 ms"\n'
    text, names = _joined(draws, "MEDIUM", besides, data=draws.one_of((200, 500)))
    medium = (
        f'{{ radio = {{ interval = "2 ms", from = [{{ station = "{names[3]}", loss = {loss:.3f} }}] }} }}'
    )
    places = (at(names[3], names[1]), at(names[1]))
    return Case(f"{names[3]} loses {loss:.2f}", text.replace("MEDIUM", medium), Cause.LOSS, places)


def busy_ethernet(draws: Draws) -> Case:
    """Fast senders on one Ethernet."""
    few, rate = draws.one_of(((4, 1.0), (4, 1.5), (10, 2.94)))
    hosts = draws.whole(few, few + 10)
    net, a, b = draws.names(3)
    text = (
        f'model = "pup"\n[[network]]\nname = "{net}"\nnumber = 3\n'
        f'medium = {{ ethernet = {{ rate = "{rate} Mbit/s" }} }}\n'
        f'[[host]]\nname = "{a}"\nnetwork = "{net}"\naddress = 1\ncount = {hosts}\n'
        f'[[host]]\nname = "{b}"\nnetwork = "{net}"\naddress = 101\ncount = {hosts}\n'
        f'[[test]]\nfrom = "{a}"\nto = "{b}"\ndata = "532 B"\n[stream]\nturnaround = "0.1 ms"\n'
        f'[processing.host]\npup = "0.1 ms"\nword = "0 s"\n{MEASURE}'
    )
    return Case(f"{hosts} fast senders on {rate} Mbit/s", text, Cause.RESOURCE, (at(net),))


def small_window(draws: Draws) -> Case:
    """A small window over a long path."""
    window, transit = draws.whole(1, 3), draws.whole(150, 500)
    medium = f'{{ line = {{ rate = "1 Mbit/s", transit = "{transit} ms" }} }}'
    text, names = _pair(draws, medium, f"{FAST}[stream]\nwindow = {window}\n")
    return Case(f"window {window} over {transit} ms", text, Cause.WINDOW, (at(names[1], names[2]),))


def slow_acknowledgment(draws: Draws) -> Case:
    """Receivers that take their time to acknowledge: a service of the round trip, no busy resource."""
    ms = draws.whole(100, 400)
    text, _ = _pair(draws, "{ ethernet = {} }", f'{FAST}[stream]\nturnaround = "{ms} ms"\n')
    return Case(f"turnaround of {ms} ms", text, Cause.SLOW_SERVICE)


def small_queues(draws: Draws) -> Case:
    """Gateways whose queues take one Pup or two, before a line slower than the senders together."""
    senders, queue = draws.whole(4, 8), draws.whole(1, 2)
    besides = f'{FAST}[processing.gateway]\npup = "0.5 ms"\nqueue = {queue}\n'
    text, names = _joined(draws, '{ line = { rate = "500 kbit/s" } }', besides, senders=senders)
    return Case(
        f"queues of {queue} for {senders} streams", text, Cause.LOSS, (at(names[3], names[1]), at(names[3]))
    )


def reordering(draws: Draws) -> Case:
    """A radio network that delays some packets, before a receiver that drops what is out of order."""
    share = draws.between(0.15, 0.35)
    extra = f'{{ share = {share:.3f}, shortest = "80 ms", longest = "150 ms" }}'
    medium = f'{{ radio = {{ interval = "2 ms", extra = {extra} }} }}'
    text, names = _pair(draws, medium)
    return Case(
        f"{share:.2f} of radio packets late",
        text,
        Cause.LOSS,
        (at(names[0]), at(names[1], names[0]), at(names[2], names[0]), at(names[2]), at(names[1], names[2])),
    )


def line_behind_gateways(draws: Draws) -> Case:
    """A slow line, with gateways that are slowish themselves."""
    besides = f'{FAST}[processing.gateway]\npup = "{draws.whole(30, 60)} ms"\n'
    text, names = _joined(draws, '{ line = { rate = "4.8 kbit/s" } }', besides)
    return Case("slow line behind slowish gateways", text, Cause.RESOURCE, (at(names[3], names[1]),))


def lost_acknowledgments(draws: Draws) -> Case:
    """A radio network that loses what the far gateway sends: acknowledgments, no data."""
    loss = draws.between(0.2, 0.35)
    besides = f'{FAST}[processing.gateway]\npup = "0.5 ms"\n'
    text, names = _joined(draws, "MEDIUM", besides)
    medium = (
        f'{{ radio = {{ interval = "2 ms", from = [{{ station = "{names[4]}", loss = {loss:.3f} }}] }} }}'
    )
    places = (at(names[4], names[1]), at(names[4]))
    return Case(f"{names[4]} loses {loss:.2f}", text.replace("MEDIUM", medium), Cause.LOSS, places)


def slow_checksums(draws: Draws) -> Case:
    """Hosts that take far longer for a Pup's checksum than the Ethernet between them does for the Pup."""
    us = draws.whole(80, 300)
    besides = f'[processing.host]\npup = "1 ms"\nword = "0 s"\nchecksum = "{us} us"\n'
    text, names = _pair(draws, "{ ethernet = {} }", besides, data=532)
    return Case(f"checksums of {us} us a word", text, Cause.RESOURCE, (at(names[1]), at(names[2])))


def loaded_ethernet(draws: Draws) -> Case:
    """Stations that only load the Ethernet, near its capacity, beside one stream."""
    stations, used = draws.whole(10, 40), draws.between(0.92, 1.1)
    text, names = _pair(draws, "{ ethernet = {} }", data=500)
    raw = (
        f'[[raw]]\nname = "noise"\nnetwork = "{names[0]}"\nstations = {stations}\nlength = "500 B"\n'
        f'offered = "{2940 * used / stations:.1f} kbit/s"\n'
    )
    return Case(f"{stations} stations load the Ethernet", text + raw, Cause.RESOURCE, (at(names[0]),))


def healthy_echoes(draws: Draws) -> Case:
    """One echo at a time on an idle Ethernet."""
    net, a, b = draws.names(3)
    text = (
        f'model = "pup"\n[[network]]\nname = "{net}"\nnumber = 3\nmedium = {{ ethernet = {{}} }}\n'
        f'[[host]]\nname = "{a}"\nnetwork = "{net}"\naddress = 1\n'
        f'[[host]]\nname = "{b}"\nnetwork = "{net}"\naddress = 2\n'
        f'[[echo]]\nfrom = "{a}"\nto = "{b}"\ndata = "{draws.whole(20, 400)} B"\n{FAST}{MEASURE}'
    )
    return Case("healthy echoes", text, Cause.HEALTHY)


PLANTS = (
    slow_line,
    slow_gateways,
    slow_hosts,
    slow_radio,
    radio_loss,
    radio_loss_of_one,
    busy_ethernet,
    small_window,
    slow_acknowledgment,
    small_queues,
    reordering,
    line_behind_gateways,
    lost_acknowledgments,
    slow_checksums,
    loaded_ethernet,
    healthy_echoes,
)
