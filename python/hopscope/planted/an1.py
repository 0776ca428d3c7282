"""Cut-through fabrics (AN1): what is planted follows from the loads of trees, with one route per pair."""

from hopscope.cause import Cause
from hopscope.planted.case import Case, Draws, at
from hopscope.planted.ring import busiest_pairs_at_root
from hopscope.planted.tree import Tree, with_random_flows, with_slow_receiver, with_slow_trunk

RATE_MBIT_S = 100.0
PAIRS = 3


def _text(
    network: str,
    traffic: str,
    *,
    switch: str = "",
    routing: str = "",
    besides: str = "",
    messages: int = 6000,
) -> str:
    tables = "".join(
        f"[{name}]\n{body}\n" for name, body in (("switch", switch), ("routing", routing)) if body
    )
    return (
        f'model = "fabric"\n{network}{tables}{besides}[traffic]\n{traffic}\n'
        f"[measure]\nmessages = {messages}\n"
    )


def _sizes(draws: Draws) -> str:
    size = draws.whole(400, 1400)
    return draws.one_of((f'sizes = {{ fixed = "{size} B" }}', f'sizes = {{ exponential = "{size} B" }}'))


def _of_tree(draws: Draws, tree: Tree, switch: str = "", messages: int = 6000) -> str:
    # Packets of one length: the longest exponential ones would not fit into a FIFO.
    traffic = f'load = 0.1\nsizes = {{ fixed = "{draws.whole(400, 1400)} B" }}\n{tree.pattern()}'
    network = tree.text(RATE_MBIT_S, f"{draws.whole(100, 1000)} ns")
    return _text(network, traffic, switch=switch, messages=messages)


def slow_trunk(draws: Draws) -> Case:
    """A cable between switches is slower than the rest, and nearly always busy."""
    used = draws.between(0.8, 1.3)
    tree, (a, b) = with_slow_trunk(draws, 0.3, used)
    return Case(f"slow trunk {a} - {b}, load {used:.2f}", _of_tree(draws, tree), Cause.RESOURCE, (at(a, b),))


def slow_receiver(draws: Draws) -> Case:
    """Several send to a host whose link is slow."""
    used = draws.between(0.8, 1.3)
    tree, hot = with_slow_receiver(draws, 0.3, used, draws.whole(2, 4))
    place = at(tree.hosts[hot], hot)
    return Case(f"slow receiver {hot}, load {used:.2f}", _of_tree(draws, tree), Cause.RESOURCE, (place,))


def receiver_behind_trunk(draws: Draws) -> Case:
    """A slow receiver behind a trunk that is slowish itself, but not what limits."""
    names = draws.names(9)
    switches, hosts = names[:3], names[3:]
    near, far = switches[0], switches[1]
    homes = dict.fromkeys(hosts[:3], near) | {hosts[3]: far, hosts[4]: far, hosts[5]: switches[2]}
    tree = Tree(switches, [(near, far), (far, switches[2])], homes)
    hot, cold = hosts[3], hosts[4]
    receiver = draws.between(0.15, 0.25)
    tree.flows = [(host, hot, receiver * draws.between(1.15, 1.4) / 2) for host in hosts[:2]]
    tree.flows.append((hosts[2], cold, 0.05))
    tree.rates = {hot: receiver, (near, far): receiver * draws.between(1.8, 2.4)}
    return Case(
        f"slow receiver {hot} behind a slowish trunk", _of_tree(draws, tree), Cause.RESOURCE, (at(far, hot),)
    )


def slow_switches(draws: Draws) -> Case:
    """The routers of all switches, or their crossbars, take far longer than a packet does."""
    tree = with_random_flows(draws, draws.one_of((0.02, 0.1, 0.3)))
    part = draws.one_of(("decision", "setup"))
    us = draws.whole(200, 900)
    text = _of_tree(draws, tree, f'{part} = "{us} us"\nfifo = "unbounded"', messages=4000)
    return Case(f"{part} of {us} us", text, Cause.SLOW_SERVICE)


def flapping_link(draws: Draws) -> Case:
    """A link of a ring goes down and comes back: the network closes each time."""
    count = draws.whole(4, 7)
    down, length = draws.whole(60, 150), draws.whole(50, 120)
    first = draws.whole(0, count - 1)
    a, b = f"s{first}", f"s{(first + 1) % count}"
    faults = "".join(
        f'[[faults]]\nat = "{at_ms} ms"\nlink = ["{a}", "{b}"]\ngoes = "{goes}"\n'
        for at_ms, goes in ((down, "down"), (down + length, "up"))
    )
    load = draws.between(0.05, 0.12)
    network = f"[network.ring]\nswitches = {count}\nhosts_per_switch = 2\n"
    messages = round(load * 2 * count * 1e8 / 8000 * draws.between(0.7, 0.9))
    text = _text(network, f"load = {load:.3f}", besides=faults, messages=messages)
    text += 'warmup = "0 s"\n'
    return Case(f"link {a} - {b} fails and comes back", text, Cause.INTERRUPTION, (at(a, b),))


def silent_end(draws: Draws) -> Case:
    """A switch fails and comes back."""
    count = draws.whole(5, 8)
    down, length = draws.whole(60, 120), draws.whole(80, 160)
    failing = f"s{draws.whole(1, count - 1)}"
    faults = "".join(
        f'[[faults]]\nat = "{at_ms} ms"\nswitch = "{failing}"\ngoes = "{goes}"\n'
        for at_ms, goes in ((down, "down"), (down + length, "up"))
    )
    load = draws.between(0.05, 0.12)
    network = f"[network.ring]\nswitches = {count}\nhosts_per_switch = 2\n"
    messages = round(load * 2 * count * 1e8 / 8000 * draws.between(0.7, 0.9))
    text = _text(network, f"load = {load:.3f}", besides=faults, messages=messages) + 'warmup = "0 s"\n'
    return Case(f"switch {failing} fails and comes back", text, Cause.INTERRUPTION, (at(failing),))


def heads_contend(draws: Draws) -> Case:
    """One switch with input FIFOs under uniform traffic that its links could carry, and its heads cannot."""
    hosts = draws.whole(10, 20)
    load = draws.between(0.6, 0.85)
    network = f"[network.star]\narms = 0\nhosts_at_hub = {hosts}\n"
    fifo = draws.one_of(('fifo = "unbounded"', 'fifo = { bytes = "8192 B" }'))
    text = _text(network, f'load = {load:.3f}\nsizes = {{ fixed = "1000 B" }}', switch=fifo, messages=8000)
    return Case(f"heads contend, {hosts} hosts at {load:.2f}", text, Cause.BLOCKING, (at("hub"),))


def root_of_ring(draws: Draws) -> Case:
    """Up*/down* routes of a ring: the link opposite the root carries little, its own links most."""
    count, per_switch = draws.whole(6, 11), draws.whole(1, 2)
    pairs = busiest_pairs_at_root(count)
    load = draws.between(0.75, 0.95) * (count * per_switch - 1) / (per_switch * per_switch * pairs)
    network = f"[network.ring]\nswitches = {count}\nhosts_per_switch = {per_switch}\n"
    switch = draws.one_of(('fifo = "unbounded"\ndiscipline = "output"', ""))
    text = _text(network, f'load = {load:.4f}\nobserved = "always"', switch=switch)
    return Case(f"root of a ring of {count}", text, Cause.ROUTE_CONCENTRATION, (at("s0"),))


def long_among_short(draws: Draws) -> Case:
    """A cable with spare time, on which rare long packets make the short ones of others wait."""
    names = draws.names(2 + 2 * PAIRS)
    near, far, senders, receivers = names[0], names[1], names[2 : 2 + PAIRS], names[2 + PAIRS :]
    hosts = [*((host, near) for host in senders), *((host, far) for host in receivers)]
    listed = ", ".join(f'{{ name = "{host}", at = "{switch}" }}' for host, switch in hosts)
    flows = ", ".join(f'{{ from = "{a}", to = "{b}" }}' for a, b in zip(senders, receivers, strict=True))
    network = (
        f'[network.custom]\nswitches = ["{near}", "{far}"]\n'
        f'links = [{{ between = ["{near}", "{far}"] }}]\nhosts = [{listed}]\n'
    )
    sizes = (
        f'bimodal = {{ short = "{draws.whole(100, 400)} B", long = "{draws.whole(30, 80)} kB", '
        f"short_share = {draws.between(0.985, 0.995):.4f} }}"
    )
    load = draws.between(0.35, 0.5) / PAIRS
    traffic = f"load = {load:.4f}\nsizes = {{ {sizes} }}\npattern = {{ flows = [{flows}] }}"
    text = _text(network, traffic, switch='fifo = "unbounded"', messages=20_000)
    places = (at(near, far), *(at(host, near) for host in senders))
    return Case("long packets among short ones", text, Cause.VARIABILITY, places)


def single_path(draws: Draws) -> Case:
    """Two equal paths, of which every packet takes the same one."""
    names = draws.names(4)
    left, right, x, y = names
    hosts = draws.names(4)
    load = draws.between(0.43, 0.48)
    network = (
        f'[network.custom]\nswitches = ["{x}", "{y}", "{left}", "{right}"]\n'
        f'links = [{{ between = ["{left}", "{x}"] }}, {{ between = ["{x}", "{right}"] }}, '
        f'{{ between = ["{left}", "{y}"] }}, {{ between = ["{y}", "{right}"] }}]\n'
        f'hosts = [{{ name = "{hosts[0]}", at = "{left}" }}, {{ name = "{hosts[1]}", at = "{left}" }}, '
        f'{{ name = "{hosts[2]}", at = "{right}" }}]\n'
    )
    flows = ", ".join(f'{{ from = "{host}", to = "{hosts[2]}" }}' for host in hosts[:2])
    # The receiver's own link must not be what limits.
    network = network.replace(f'at = "{right}" }}', f'at = "{right}", rate = "400 Mbit/s" }}')
    text = _text(
        network,
        f"load = {load:.3f}\npattern = {{ flows = [{flows}] }}",
        routing='choice = "single-path"\nrule = "shortest"',
        switch='fifo = "unbounded"',
    )
    return Case(
        f"one of two ways, load {load:.2f}", text, Cause.ROUTE_CONCENTRATION, (at(left, x), at(left, y))
    )


def window(draws: Draws) -> Case:
    """Long transfers that may have one packet or two under way, over long cables."""
    names = draws.names(5)
    window_size = draws.whole(1, 2)
    # A packet takes 120 us to send: the round trip is over twice the transmission time of the window.
    delay = window_size * draws.whole(200, 600)
    network = (
        f'[network.custom]\nswitches = ["{names[0]}", "{names[1]}"]\n'
        f'links = [{{ between = ["{names[0]}", "{names[1]}"], delay = "{delay} us" }}]\n'
        f'hosts = [{{ name = "{names[2]}", at = "{names[0]}" }}, '
        f'{{ name = "{names[3]}", at = "{names[1]}" }}]\n'
    )
    traffic = (
        f"load = {draws.between(0.04, 0.08):.3f}\n"
        f'pattern = {{ flows = [{{ from = "{names[2]}", to = "{names[3]}" }}] }}\n'
        f'bursts = {{ packet_share = 1.0, size = "150000 B", window = {window_size} }}'
    )
    text = _text(network, traffic, switch='fifo = "unbounded"', messages=4000)
    return Case(
        f"window {window_size} over {delay} us", text, Cause.WINDOW, (at(names[2], names[3]), at(names[2]))
    )


def deadlock(draws: Draws) -> Case:
    """Shortest routes round a ring with small FIFOs, crowded."""
    width, height = draws.whole(4, 6), draws.whole(3, 5)
    network = f"[network.torus]\nwidth = {width}\nheight = {height}\nhosts_per_switch = 3\nservers = 0\n"
    text = _text(
        network,
        f'load = "saturated"\npattern = "uniform"\n{_sizes(draws)}',
        routing='rule = "shortest"',
        messages=20_000,
    )
    return Case(f"torus {width}x{height}, shortest routes", text, Cause.CIRCULAR_WAIT)


def overload(draws: Draws) -> Case:
    """Hosts that always have something to send, behind a switch that stops none of them."""
    hosts = draws.whole(4, 12)
    network = f"[network.star]\narms = 0\nhosts_at_hub = {hosts}\n"
    text = _text(
        network,
        'load = "saturated"\npattern = { permutation = "neighbour" }',
        switch='fifo = "unbounded"\ndiscipline = "output"',
    )
    return Case(f"{hosts} hosts always send", text, Cause.OVERLOAD)


def healthy_tree(draws: Draws) -> Case:
    """No hop carries over 30 % of its rate."""
    tree = with_random_flows(draws, draws.between(0.05, 0.3))
    return Case("healthy tree", _of_tree(draws, tree), Cause.HEALTHY)


def healthy_family(draws: Draws) -> Case:
    """A family of networks at light load."""
    network = draws.one_of(
        (
            "[network.torus]\nservers = 0\n",
            "[network.hypercube]\nservers = 0\n",
            "[network.mstage]\n",
            "[network.floors]\n",
            "[network.corefringe]\n",
        )
    )
    pattern = "client-server" if "servers" not in network else "uniform"
    load = draws.between(0.02, 0.05) if pattern == "uniform" else draws.between(0.05, 0.2)
    text = _text(network, f'load = {load:.3f}\npattern = "{pattern}"')
    return Case(f"healthy, {network.splitlines()[0]}", text, Cause.HEALTHY)


PLANTS = (
    slow_trunk,
    slow_receiver,
    receiver_behind_trunk,
    slow_switches,
    flapping_link,
    silent_end,
    heads_contend,
    root_of_ring,
    long_among_short,
    single_path,
    window,
    deadlock,
    overload,
    healthy_tree,
    healthy_family,
)
