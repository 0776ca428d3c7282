"""Fabrics of frames (RoCE, InfiniBand): what is planted follows from the loads of trees and shared links."""

from itertools import pairwise

from hopscope.cause import Cause
from hopscope.planted.case import Case, Draws, at
from hopscope.planted.ring import busiest_pairs_at_root
from hopscope.planted.tree import Tree, with_random_flows, with_slow_receiver, with_slow_trunk

RATE_MBIT_S = 100_000.0
PAIRS = 3
POWER_OF_TWO = 8
CREDITS = 'flow_control = {{ credits = {{ lanes = {lanes}, buffer_per_lane = "{kib} KiB" }} }}\n'


def _text(
    network: str, frames: str, offered: str, messages: int = 4000, routing: str = 'rule = "shortest"'
) -> str:
    return (
        f'model = "fabric"\n{network}[routing]\n{routing}\n[frames]\n{frames}{offered}\n'
        f"[measure]\nmessages = {messages}\n"
    )


def _control(draws: Draws) -> str:
    return draws.one_of(("", CREDITS.format(lanes=1, kib=draws.one_of((32, 64)))))


def _traffic(body: str, size: str = "16 KiB") -> str:
    return f'[traffic]\nsizes = {{ fixed = "{size}" }}\n{body}'


def _of_tree(draws: Draws, tree: Tree, frames: str, size: str = "16 KiB") -> str:
    network = tree.text(RATE_MBIT_S, f"{draws.whole(50, 300)} ns")
    return _text(network, frames, _traffic(f"load = 0.1\n{tree.pattern()}", size))


def slow_trunk(draws: Draws) -> Case:
    """A cable between switches is slower than the rest, and nearly always busy."""
    used = draws.between(0.85, 1.3)
    tree, (a, b) = with_slow_trunk(draws, 0.3, used)
    text = _of_tree(draws, tree, _control(draws))
    return Case(f"slow trunk {a} - {b}, load {used:.2f}", text, Cause.RESOURCE, (at(a, b),))


def slow_receiver(draws: Draws) -> Case:
    """Several send to a host whose link is slow."""
    used = draws.between(0.85, 1.3)
    tree, hot = with_slow_receiver(draws, 0.3, used, draws.whole(2, 5))
    text = _of_tree(draws, tree, _control(draws))
    return Case(f"slow receiver {hot}, load {used:.2f}", text, Cause.RESOURCE, (at(tree.hosts[hot], hot),))


def receiver_behind_trunk(draws: Draws) -> Case:
    """A slow receiver behind a trunk that is slowish itself, but not what limits."""
    names = draws.names(7)
    near, far, hosts = names[0], names[1], names[2:]
    homes = dict.fromkeys(hosts[:3], near) | {hosts[3]: far, hosts[4]: far}
    tree = Tree([near, far], [(near, far)], homes)
    receiver = draws.between(0.2, 0.3)
    tree.flows = [(host, hosts[3], receiver * draws.between(1.15, 1.4) / 2) for host in hosts[:2]]
    tree.flows.append((hosts[2], hosts[4], 0.05))
    tree.rates = {hosts[3]: receiver, (near, far): receiver * draws.between(1.8, 2.4)}
    text = _of_tree(draws, tree, _control(draws))
    return Case(
        f"slow receiver {hosts[3]} behind a slowish trunk", text, Cause.RESOURCE, (at(far, hosts[3]),)
    )


def _leaves(
    draws: Draws, balancing: str, load: float, spines: int, per_leaf: int
) -> tuple[str, list[str], list[str]]:
    names = draws.names(2 + spines + 2 * per_leaf)
    left, right, inner = names[0], names[1], names[2 : 2 + spines]
    senders, receivers = names[2 + spines : 2 + spines + per_leaf], names[2 + spines + per_leaf :]
    links = ", ".join(f'{{ between = ["{leaf}", "{spine}"] }}' for leaf in (left, right) for spine in inner)
    hosts = ", ".join(
        f'{{ name = "{name}", at = "{leaf}" }}'
        for leaf, names in ((left, senders), (right, receivers))
        for name in names
    )
    switches = ", ".join(f'"{name}"' for name in (*inner, left, right))
    flows = ", ".join(f'{{ from = "{a}", to = "{b}" }}' for a, b in zip(senders, receivers, strict=True))
    network = (
        f"[network.custom]\nswitches = [{switches}]\nlinks = [{links}]\nhosts = [{hosts}]\n"
        '[link]\nrate = "100 Gbit/s"\ndelay = "100 ns"\n'
    )
    offered = _traffic(f"load = {load:.3f}\npattern = {{ flows = [{flows}] }}")
    return _text(network, f'balancing = "{balancing}"\n', offered), [left, right], inner


def collision(draws: Draws) -> Case:
    """ECMP: flows of half a link's rate, as many as uplinks; hashing puts two or more on one uplink."""
    spines = draws.whole(2, 4)
    # With as many flows as uplinks a collision is likely; whether there is one the case's own seed decides.
    text, (left, _), inner = _leaves(draws, "flow-hash", draws.between(0.46, 0.5), spines, spines + 1)
    return Case(
        f"{spines + 1} flows over {spines} uplinks",
        text,
        Cause.PATH_COLLISION,
        tuple(at(left, x) for x in inner),
    )


def sprayed(draws: Draws) -> Case:
    """The same flows, lighter and sprayed: nothing collides."""
    spines = draws.whole(2, 4)
    text, _, _ = _leaves(draws, "round-robin-spray", draws.between(0.2, 0.3), spines, spines)
    return Case(f"{spines} flows sprayed over {spines} uplinks", text, Cause.HEALTHY)


def too_few_lanes(draws: Draws) -> Case:
    """Two classes share one lane: messages for a slow host block the others. Separate lanes would help."""
    names = draws.names(12)
    near, far, hot, cold = names[:4]
    senders = names[4 : 4 + draws.whole(4, 6)]
    slow = draws.between(0.1, 0.2)
    hosts = ", ".join(f'{{ name = "{name}", at = "{near}" }}' for name in senders)
    network = (
        f'[network.custom]\nswitches = ["{near}", "{far}"]\nlinks = [{{ between = ["{near}", "{far}"] }}]\n'
        f'hosts = [{hosts}, {{ name = "{hot}", at = "{far}", rate = "{round(slow * 1e5)} Mbit/s" }}, '
        f'{{ name = "{cold}", at = "{far}" }}]\n[link]\nrate = "100 Gbit/s"\ndelay = "100 ns"\n'
    )
    each = slow * draws.between(0.85, 0.93) / 2
    light = 0.5 / (len(senders) - 2)
    flows = [
        f'{{ from = "{name}", to = "{hot}", load = {each:.4f}, class = "bulk" }}' for name in senders[:2]
    ]
    flows += [
        f'{{ from = "{name}", to = "{cold}", load = {light:.4f}, class = "urgent" }}' for name in senders[2:]
    ]
    offered = _traffic(f"load = 0.1\npattern = {{ flows = [{', '.join(flows)}] }}", "8 KiB")
    text = _text(network, CREDITS.format(lanes=1, kib=32), offered, messages=6000)
    return Case("two classes in one lane", text, Cause.LANES, (at(near, far), at(far), at(near)))


def heads_contend(draws: Draws) -> Case:
    """One switch with credits and one lane, under uniform traffic beyond the head-of-line limit."""
    hosts, load = draws.whole(8, 16), draws.between(0.62, 0.8)
    network = f'[network.star]\narms = 0\nhosts_at_hub = {hosts}\n[link]\nrate = "100 Gbit/s"\n'
    text = _text(
        network, CREDITS.format(lanes=1, kib=32), _traffic(f"load = {load:.3f}", "4 KiB"), messages=8000
    )
    return Case(f"heads contend, {hosts} hosts at {load:.2f}", text, Cause.BLOCKING, (at("hub"),))


def small_credits(draws: Draws) -> Case:
    """A lane's buffer holds less than a long cable has in flight."""
    delay_us, kib = draws.between(5, 12), 32
    names = draws.names(10)
    switches, hosts = names[:3], names[3:9]
    links = ", ".join(
        f'{{ between = ["{a}", "{b}"], delay = "{delay_us:.1f} us" }}' for a, b in pairwise(switches)
    )
    homes = ", ".join(
        f'{{ name = "{name}", at = "{switches[0 if at < PAIRS else -1]}" }}' for at, name in enumerate(hosts)
    )
    flows = ", ".join(f'{{ from = "{hosts[at]}", to = "{hosts[at + PAIRS]}" }}' for at in range(PAIRS))
    listed = ", ".join(f'"{name}"' for name in switches)
    network = (
        f"[network.custom]\nswitches = [{listed}]\n"
        f"links = [{links}]\nhosts = [{homes}]\n"
        '[link]\nrate = "100 Gbit/s"\ndelay = "100 ns"\n'
    )
    limit = kib * 1024 * 8 / (2 * delay_us * 1e-6) / 1e11
    load = draws.between(0.95, 1.2) * limit / PAIRS
    text = _text(
        network,
        CREDITS.format(lanes=1, kib=kib),
        _traffic(f"load = {load:.4f}\npattern = {{ flows = [{flows}] }}"),
    )
    places = tuple(at(a, b) for a, b in pairwise(switches))
    return Case(f"{kib} KiB of credits over {delay_us:.1f} us", text, Cause.WINDOW, places)


def slow_switches(draws: Draws) -> Case:
    """The pipelines of all switches take a hundred times as long as a frame does."""
    us = draws.whole(50, 400)
    tree = with_random_flows(draws, draws.between(0.1, 0.3))
    text = _of_tree(draws, tree, f'latency = "{us} us"\nbuffer = {{ size = "256 MB" }}\n')
    return Case(f"switch latency {us} us", text, Cause.SLOW_SERVICE)


def incast(draws: Draws) -> Case:
    """Rare incasts: the link to the receiver is full during one, and idle otherwise."""
    senders, size = draws.whole(8, 24), draws.whole(8, 32)
    network = f'[network.star]\narms = 0\nhosts_at_hub = {senders + 1}\n[link]\nrate = "100 Gbit/s"\n'
    busy_us = senders * size * 1024 * 8 / 1e5
    every = busy_us / draws.between(0.08, 0.25)
    offered = (
        f'[[flows]]\nrounds = 0\nevery = "{every:.1f} us"\n'
        f'pattern = {{ incast = {{ senders = {senders}, size = "{size} KiB", receiver = "h0" }} }}'
    )
    text = _text(network, "", offered)
    return Case(f"{senders} answers of {size} KiB at once", text, Cause.RESOURCE, (at("hub", "h0"),))


def slow_recovery(draws: Draws) -> Case:
    """DCQCN whose rates hardly recover after a mark."""
    senders = draws.whole(3, 6)
    names = draws.names(senders + 1)
    network = (
        '[network.custom]\nswitches = ["hub"]\nhosts = ['
        + ", ".join(f'{{ name = "{name}", at = "hub" }}' for name in names)
        + ']\n[link]\nrate = "100 Gbit/s"\ndelay = "100 ns"\n'
    )
    frames = (
        'ecn = { kmin = "5 KB", kmax = "20 KB" }\n'
        f'dcqcn = {{ rate_timer = "{draws.whole(10, 30)} ms", byte_counter = "1 GB" }}\n'
    )
    flows = ", ".join(f'{{ from = "{name}", to = "{names[0]}" }}' for name in names[1:])
    offered = _traffic(
        f"load = {draws.between(0.7, 0.85) / senders:.3f}\npattern = {{ flows = [{flows}] }}", "1000 KB"
    )
    places = tuple(at(name) for name in names[1:])
    return Case(
        f"rates of {senders} senders do not recover",
        _text(network, frames, offered, messages=2000),
        Cause.RATE_CONTROL,
        places,
        alike=True,
    )


def _star_to_one(draws: Draws, senders: int, delay: str) -> tuple[list[str], str, str]:
    """Names with the receiver first, the network, and the flows to it."""
    names = draws.names(senders + 1)
    hosts = ", ".join(f'{{ name = "{name}", at = "hub" }}' for name in names)
    network = (
        f'[network.custom]\nswitches = ["hub"]\nhosts = [{hosts}]\n'
        f'[link]\nrate = "100 Gbit/s"\ndelay = "{delay}"\n'
    )
    flows = ", ".join(f'{{ from = "{name}", to = "{names[0]}" }}' for name in names[1:])
    return names, network, f"pattern = {{ flows = [{flows}] }}"


def small_flow_window(draws: Draws) -> Case:
    """Windows of a few frames, where a round trip holds many times as much."""
    delay_us, frames = draws.between(5, 15), draws.whole(1, 3)
    senders = draws.whole(2, 4)
    names, network, pattern = _star_to_one(draws, senders, f"{delay_us:.1f} us")
    window = f"{4 * frames} KiB"
    control = (
        'ecn = { kmin = "100 KB", kmax = "100 KB", pmax = 1 }\n'
        f'rate_control = {{ dctcp = {{ initial = "{window}", least = "{window}", most = "{window}" }} }}\n'
    )
    # A message takes a round trip for each of its windows. Hosts are offered twice what one of them carries,
    # so that some message always waits for its window.
    carries = frames * 4096 * 8 / (4 * delay_us * 1e-6) / 1e11
    offered = _traffic(f"load = {draws.between(1.7, 2.5) * carries:.5f}\n{pattern}", "1024 KB")
    places = tuple(at(name) for name in names[1:])
    text = _text(network, control, offered, messages=1000)
    return Case(f"windows of {window} over {delay_us:.1f} us", text, Cause.WINDOW, places, alike=True)


def low_marks(draws: Draws) -> Case:
    """Switches mark from one frame on, so that DCQCN cuts rates wherever two frames meet, at light load."""
    senders = draws.whole(3, 6)
    names, network, pattern = _star_to_one(draws, senders, "100 ns")
    frames = 'ecn = { kmin = "4 KiB", kmax = "4 KiB", pmax = 1 }\ndcqcn = {}\n'
    offered = _traffic(f"load = {draws.between(0.5, 0.6) / senders:.4f}\n{pattern}", "1000 KB")
    places = tuple(at(name) for name in names[1:])
    text = _text(network, frames, offered, messages=2000)
    return Case(f"marks from a frame on, {senders} senders", text, Cause.RATE_CONTROL, places, alike=True)


def short_queues(draws: Draws) -> Case:
    """Switches without flow control whose queues hold two frames: simultaneous frames are lost."""
    senders, kib = draws.whole(6, 10), draws.whole(8, 11)
    names, network, pattern = _star_to_one(draws, senders, "1 us")
    control = (
        f'flow_control = {{ tail-drop = {{ queue = "{kib} KiB" }} }}\n'
        f'recovery = {{ rule = "{draws.one_of(("go-back-n", "selective-repeat"))}", timeout = "1 ms" }}\n'
    )
    offered = _traffic(f"load = {draws.between(0.2, 0.35) / senders:.4f}\n{pattern}", "64 KiB")
    text = _text(network, control, offered)
    return Case(f"{senders} senders, queues of {kib} KiB", text, Cause.LOSS, (at("hub", names[0]),))


def healthy_windows(draws: Draws) -> Case:
    """Windows that hold a round trip, queues that hold a window, light load."""
    names, network, pattern = _star_to_one(draws, draws.whole(2, 5), "500 ns")
    law = draws.one_of(('hpcc = { round_trip = "10 us" }', "swift = {}", "pull = {}"))
    control = f"flow_control = {{ tail-drop = {{}} }}\nrecovery = {{}}\nrate_control = {{ {law} }}\n"
    load = draws.between(0.05, 0.2) / (len(names) - 1)
    text = _text(network, control, _traffic(f"load = {load:.4f}\n{pattern}"))
    return Case("windows with room", text, Cause.HEALTHY)


def deadlock(draws: Draws) -> Case:
    """Shortest routes round a torus, crowded."""
    size = f"width = {draws.whole(4, 6)}\nheight = {draws.whole(3, 5)}"
    network = f"[network.torus]\n{size}\nhosts_per_switch = 2\nservers = 0\n"
    offered = _traffic('load = "saturated"\npattern = "uniform"', "8000 B")
    return Case(
        "torus, shortest routes",
        _text(network, _control(draws), offered, messages=20_000),
        Cause.CIRCULAR_WAIT,
    )


def overload(draws: Draws) -> Case:
    """Hosts that always have something to send, each to one other."""
    hosts = draws.whole(4, 12)
    network = f'[network.star]\narms = 0\nhosts_at_hub = {hosts}\n[link]\nrate = "100 Gbit/s"\n'
    offered = _traffic('load = "saturated"\npattern = { permutation = "neighbour" }')
    return Case(f"{hosts} hosts always send", _text(network, "", offered), Cause.OVERLOAD)


def root_of_tables(draws: Draws) -> Case:
    """Up*/down* routes of a ring of switches."""
    count = draws.whole(6, 11)
    load = draws.between(0.75, 0.92) * (count - 1) / busiest_pairs_at_root(count)
    network = f'[network.ring]\nswitches = {count}\nhosts_per_switch = 1\n[link]\nrate = "100 Gbit/s"\n'
    # A hash gives all of a pair to one of two routes; spraying halves it, as the count of pairs does.
    frames = 'balancing = "spray"\n'
    text = _text(network, frames, _traffic(f"load = {load:.4f}"), routing='rule = "up-down"')
    return Case(f"root of a ring of {count}", text, Cause.ROUTE_CONCENTRATION, (at("s0"),))


def collision_in_family(draws: Draws) -> Case:
    """Hosts of one leaf send to those of another over hashed uplinks, which could carry all of it."""
    radix = draws.one_of((8, 12))
    offset = draws.one_of(("tornado", "bit-complement")) if radix == POWER_OF_TWO else "tornado"
    network = f'[network.fat-tree]\nradix = {radix}\ntiers = 2\n[link]\nrate = "100 Gbit/s"\n'
    load = draws.between(0.45, 0.6)
    offered = _traffic(f'load = {load:.3f}\npattern = {{ permutation = "{offset}" }}')
    return Case(
        f"{offset} over hashed uplinks, load {load:.2f}", _text(network, "", offered), Cause.PATH_COLLISION
    )


def short_flows_meet(draws: Draws) -> Case:
    """Short flows to all hosts, of which a hash makes changing ones meet on an uplink of a leaf."""
    radix = draws.one_of((8, 12))
    network = f'[network.fat-tree]\nradix = {radix}\ntiers = 2\n[link]\nrate = "100 Gbit/s"\n'
    load, kib = draws.between(0.4, 0.55), draws.whole(24, 64)
    text = _text(network, "", _traffic(f"load = {load:.3f}", f"{kib} KiB"), messages=10_000)
    return Case(f"flows of {kib} KiB over hashed uplinks, load {load:.2f}", text, Cause.PATH_COLLISION)


def slow_cable_of_family(draws: Draws) -> Case:
    """One cable of a sprayed leaf-spine fabric has fallen back to a fraction of its rate."""
    radix = draws.one_of((6, 8))
    leaf, spine = f"leaf{draws.whole(0, radix - 1)}", f"spine{draws.whole(0, radix // 2 - 1)}"
    speed = draws.between(0.1, 0.2)
    network = f'[network.fat-tree]\nradix = {radix}\ntiers = 2\n[link]\nrate = "100 Gbit/s"\n'
    upgrade = f'[upgrade]\nlinks = [{{ between = ["{leaf}", "{spine}"], speedup = {speed:.3f} }}]\n'
    offered = _traffic(f"load = {draws.between(0.2, 0.3):.3f}")
    text = _text(network + upgrade, 'balancing = "spray"\n', offered)
    return Case(f"cable {leaf} - {spine} at {speed:.2f}", text, Cause.RESOURCE, (at(leaf, spine),))


def long_among_short(draws: Draws) -> Case:
    """Links with spare time, on which rare long messages make all others wait."""
    hosts = draws.whole(5, 10)
    network = f'[network.star]\narms = 0\nhosts_at_hub = {hosts}\n[link]\nrate = "100 Gbit/s"\n'
    sizes = (
        f'bimodal = {{ short = "{draws.one_of((2, 4))} KiB", long = "{draws.whole(256, 1024)} KiB", '
        "short_share = 0.99 }"
    )
    offered = f"[traffic]\nload = {draws.between(0.4, 0.5):.3f}\nsizes = {{ {sizes} }}\n"
    return Case(
        "long messages among short ones", _text(network, "", offered, messages=10_000), Cause.VARIABILITY
    )


def healthy_tree(draws: Draws) -> Case:
    """No hop carries over 30 % of its rate."""
    tree = with_random_flows(draws, draws.between(0.05, 0.3))
    return Case("healthy tree", _of_tree(draws, tree, _control(draws)), Cause.HEALTHY)


def healthy_fat_tree(draws: Draws) -> Case:
    """A fat tree at light load."""
    load = draws.between(0.05, 0.2)
    text = _text(
        '[network.fat-tree]\nradix = 4\n[link]\nrate = "100 Gbit/s"\n', "", _traffic(f"load = {load:.3f}")
    )
    return Case(f"healthy fat tree, load {load:.2f}", text, Cause.HEALTHY)


PLANTS = (
    slow_trunk,
    slow_receiver,
    receiver_behind_trunk,
    collision,
    too_few_lanes,
    heads_contend,
    small_credits,
    slow_switches,
    incast,
    slow_recovery,
    small_flow_window,
    low_marks,
    short_queues,
    healthy_windows,
    deadlock,
    overload,
    root_of_tables,
    collision_in_family,
    short_flows_meet,
    slow_cable_of_family,
    long_among_short,
    sprayed,
    healthy_tree,
    healthy_fat_tree,
)
