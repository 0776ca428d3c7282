"""Fabrics with a planted root of congestion, for a diagnosis from their port counters alone.

Loads follow from the network's own figures: the share of all messages of uniform traffic that pass a link.
"""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hopscope.cause import Cause
from hopscope.network import topology
from hopscope.planted.case import Case, Draws, at

RATE_GBIT_S = 100.0
MESSAGES = 12_000

# Small fabrics of every family, as `[network.…]` of a scenario.
NETWORKS: Mapping[str, tuple[str, ...]] = {
    "fat tree": (
        "fat-tree = { radix = 4 }",
        "fat-tree = { radix = 8, tiers = 2 }",
        "fat-tree = { radix = 6, tiers = 2, hosts_per_edge = 4 }",
    ),
    "torus": (
        "torus = { width = 5, height = 4, hosts_per_switch = 2, servers = 0 }",
        "torus = { width = 3, height = 3, hosts_per_switch = 3, servers = 0 }",
    ),
    "dragonfly": (
        "dragonfly = {}",
        "dragonfly = { routers = 3, hosts_per_router = 2, global_links = 1 }",
    ),
    "irregular": tuple(
        f"random = {{ switches = {switches}, degree = {degree}, seed = {seed}, "
        "hosts_per_switch = 3, servers = 0 }"
        for switches, degree, seed in ((8, 3, 3), (12, 3, 5), (14, 4, 7), (10, 4, 11))
    ),
}


@dataclass(frozen=True, slots=True)
class _Figures:
    """The busiest links with their shares of all messages, and the switch of each host."""

    links: tuple[tuple[str, str, float], ...]
    homes: Mapping[str, str]


@cache
def _figures(network: str) -> _Figures:
    """The figures of a network, without a simulation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.toml"
        path.write_text(_text(network, "load = 0.1"), encoding="utf-8")
        found = topology(path)
    busiest = found.figures["most_loaded_links"]
    hosts = {node["name"] for node in found.data["nodes"] if node["kind"] == "host"}
    # A host's link has its switch first.
    homes = {link["to"]: link["from"] for link in found.data["links"] if link["to"] in hosts}
    return _Figures(tuple((each["from"], each["to"], each["share"]) for each in busiest), homes)


def _text(network: str, traffic: str, frames: str = "", upgrade: str = "", kib: int = 64) -> str:
    return (
        f'model = "fabric"\n[network]\n{network}\n'
        f'[link]\nrate = "{RATE_GBIT_S:g} Gbit/s"\ndelay = "50 ns"\n[routing]\nrule = "by-family"\n'
        f'[frames]\nflow_control = {{ credits = {{ lanes = 1, buffer_per_lane = "{kib} KiB" }} }}\n{frames}'
        f'{upgrade}[traffic]\nsizes = {{ fixed = "4 KiB" }}\n{traffic}\n[measure]\nmessages = {MESSAGES}\n'
    )


def _calm_load(draws: Draws, network: str, most: float) -> float:
    """A load of uniform traffic at which the busiest link is used at most `most`."""
    figures = _figures(network)
    carried = max((share for *_, share in figures.links), default=0.0) * len(figures.homes)
    return min(draws.between(0.6, 1.0) * most / max(carried, 1.0), 0.5)


def _credits(draws: Draws) -> int:
    return draws.one_of((32, 64))


def slow_host(draws: Draws, network: str) -> Case:
    """A host takes less than is sent to it."""
    load = _calm_load(draws, network, 0.4)
    host = draws.one_of(sorted(_figures(network).homes))
    drain = draws.between(0.4, 0.8) * load * RATE_GBIT_S
    frames = f'slow_hosts = [{{ host = "{host}", drain = "{round(drain * 1000)} Mbit/s" }}]\n'
    text = _text(network, f"load = {load:.4f}", frames, kib=_credits(draws))
    return Case(f"{host} drains {drain:.1f} Gbit/s", text, Cause.SLOW_SERVICE, (at(host),))


def pause_storm(draws: Draws, network: str) -> Case:
    """A host stops its link and takes hardly anything."""
    load = _calm_load(draws, network, 0.4)
    host = draws.one_of(sorted(_figures(network).homes))
    frames = f'slow_hosts = [{{ host = "{host}", drain = "{draws.whole(1, 20)} Mbit/s" }}]\n'
    text = _text(network, f"load = {load:.4f}", frames, kib=_credits(draws))
    return Case(f"{host} stops its link", text, Cause.INTERRUPTION, (at(host),))


def slow_cable(draws: Draws, network: str) -> Case:
    """The cables between two switches came up slow, and are overloaded."""
    load = _calm_load(draws, network, 0.35)
    a, b, used = _busy_link(draws, network, load)
    speedup = max(used / draws.between(1.15, 1.5), 0.01)
    upgrade = f'[[upgrade.links]]\nbetween = ["{a}", "{b}"]\nspeedup = {speedup:.4f}\n'
    text = _text(network, f"load = {load:.4f}", upgrade=upgrade, kib=_credits(draws))
    return Case(f"slow cable {a} - {b}", text, Cause.RESOURCE, (at(a, b),))


def retrying_cable(draws: Draws, network: str) -> Case:
    """The cables between two switches retransmit too much to carry their load."""
    load = _calm_load(draws, network, 0.35)
    return _retrying(draws, network, load, *_busy_link(draws, network, load))


def retrying_host_cable(draws: Draws, network: str) -> Case:
    """The cable of a host retransmits too much to carry the host's traffic."""
    load = _calm_load(draws, network, 0.35)
    homes = _figures(network).homes
    host = draws.one_of(sorted(homes))
    return _retrying(draws, network, load, homes[host], host, load)


def _retrying(draws: Draws, network: str, load: float, a: str, b: str, used: float) -> Case:
    """The link between two nodes, with a share of failing transmissions that makes it too slow."""
    failing = min(1.0 - used / draws.between(1.15, 1.5), 0.98)
    frames = f'retrying_links = [{{ between = ["{a}", "{b}"], failing = {failing:.4f} }}]\n'
    text = _text(network, f"load = {load:.4f}", frames, kib=_credits(draws))
    return Case(f"cable {a} - {b} retries", text, Cause.LOSS, (at(a, b),))


def incast(draws: Draws, network: str) -> Case:
    """Several hosts send to one more than its link carries; a few others talk among themselves."""
    homes = _figures(network).homes
    hosts = draws.shuffled(sorted(homes))
    hot, rest = hosts[0], hosts[1:]
    senders = rest[: draws.whole(3, 6)]
    each = draws.between(1.15, 1.5) / len(senders)
    flows = [(sender, hot, each) for sender in senders]
    others = rest[len(senders) :][:6]
    flows += [(host, others[(i + 1) % len(others)], 0.1) for i, host in enumerate(others)]
    listed = ", ".join(f'{{ from = "{a}", to = "{b}", load = {load:.4f} }}' for a, b, load in flows)
    traffic = f"load = 0.1\npattern = {{ flows = [{listed}] }}"
    text = _text(network, traffic, kib=_credits(draws))
    return Case(f"{len(senders)} hosts to {hot}", text, Cause.RESOURCE, (at(homes[hot], hot),))


def healthy(draws: Draws, network: str) -> Case:
    """Uniform traffic that the fabric carries with ease."""
    load = _calm_load(draws, network, 0.45)
    return Case("uniform traffic", _text(network, f"load = {load:.4f}", kib=_credits(draws)), Cause.HEALTHY)


def _busy_link(draws: Draws, network: str, load: float) -> tuple[str, str, float]:
    """A link among the busiest, by its ends, and how much of it uniform traffic uses."""
    figures = _figures(network)
    a, b, share = draws.one_of(figures.links[:6])
    return a, b, share * len(figures.homes) * load


FabricPlant = Callable[[Draws, str], Case]
"""A function that plants one kind of root in a fabric."""

PLANTS: tuple[FabricPlant, ...] = (
    slow_host,
    pause_storm,
    slow_cable,
    retrying_cable,
    retrying_host_cable,
    incast,
    healthy,
)
