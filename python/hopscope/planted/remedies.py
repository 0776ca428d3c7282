"""Small scenarios of every model with one planted cause, and the changes that are its known remedies.

A case is drawn from a seed: where the cause is and how strong. `remedies` are beginnings of overrides: the
change that comes first is right where every one of its overrides begins with one of them. Each kind says why
its remedy is the one.
"""

import json
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope import explanation
from hopscope.planning.trying.gain import Gain
from hopscope.planning.what_if.tried import WhatIf

Scenario = dict[str, Any]


@dataclass(frozen=True)
class Curable:
    """A scenario and the overrides of its remedies."""

    kind: str
    scenario: Scenario
    remedies: tuple[str, ...]


@dataclass(frozen=True)
class Relieved:
    """A case with the change that `--what-if` puts first; None if nothing surely helps."""

    case: Curable
    first: str | None
    is_right: bool


def relieved(seed: int, each: int) -> list[Relieved]:
    """This many cases of each kind, with the change that is reported to help most."""
    found = []
    for case in cases(seed, each):
        best = best_of(case)
        first = None if best is None else best.relaxation.label
        found.append(Relieved(case, first, is_right(case, best)))
    return found


def best_of(case: Curable) -> Gain | None:
    """The change that is reported to help a case most."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        path.write_text(json.dumps(case.scenario), encoding="utf-8")
        tried = explanation.explain(path, what_if=True, confirm=False).what_if
    assert isinstance(tried, WhatIf)
    return tried.best


def is_right(case: Curable, best: Gain | None) -> bool:
    """Whether that is a known remedy, and nothing else besides."""
    return best is not None and all(each.startswith(case.remedies) for each in best.relaxation.set)


def cases(seed: int, each: int) -> Iterator[Curable]:
    """This many cases of each kind."""
    for kind, make in KINDS.items():
        for number in range(each):
            draw = random.Random(f"{kind} {seed} {number}")
            scenario, remedies = make(draw)
            yield Curable(kind, scenario, remedies)


def _row(draw: random.Random, services: list[Mapping[str, Any]], **more: Any) -> Scenario:
    return {
        "model": "queueing",
        "seed": draw.randrange(1, 1_000),
        "arrivals": {"load": round(draw.uniform(0.8, 0.93), 3)},
        "station": [{"service": service} for service in services],
        "measure": {"messages": 6_000},
        **more,
    }


def slow_station(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """The slowest station has the queue: a faster or further server there."""
    place = draw.randrange(3)
    services: list[Mapping[str, Any]] = [{"exponential": f"{draw.uniform(3, 6):.2f} us"} for _ in range(3)]
    services[place] = {"exponential": f"{draw.uniform(10, 20):.2f} us"}
    return _row(draw, services), (f"station[{place}]",)


def long_service(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Many servers, hardly any queue: only faster service shortens the time, a further server does not."""
    scenario = _row(draw, [{"fixed": "2 us"}, {"fixed": f"{draw.randrange(40, 90)} us"}])
    scenario["station"][1]["servers"] = draw.randrange(16, 32)
    scenario["arrivals"] = {"load": round(draw.uniform(0.2, 0.4), 2)}
    return scenario, ("station[1].service",)


def variable_service(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Rare long services make the queue; what shortens it is at that station."""
    place = draw.randrange(2)
    services: list[Mapping[str, Any]] = [{"fixed": "8 us"}, {"fixed": "8 us"}]
    long_us = draw.randrange(150, 300)
    services[place] = {"hyperexponential": {"short": "4 us", "long": f"{long_us} us", "short_share": 0.98}}
    scenario = _row(draw, services)
    scenario["arrivals"] = {"load": round(draw.uniform(0.5, 0.7), 2)}
    return scenario, (f"station[{place}]",)


def _arpanet(draw: random.Random, **parts: Any) -> Scenario:
    hops = draw.randrange(3, 6)
    names = [f"I{at}" for at in range(hops + 1)]
    lines = [{"between": [names[at], names[at + 1]]} for at in range(hops)]
    return {
        "model": "arpanet",
        "seed": draw.randrange(1, 1_000),
        "network": {"line": lines},
        "host": [{"name": "a", "imp": names[0]}, {"name": "b", "imp": names[-1]}],
        "flow": [{"from": "a", "to": "b", "size": "900 bit", "when": "saturated"}],
        "measure": {"messages": 800},
        **parts,
    }


def slow_line(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """One line of a path has a fraction of the rate of the others."""
    scenario = _arpanet(draw)
    place = draw.randrange(len(scenario["network"]["line"]))
    scenario["network"]["line"][place]["rate"] = f"{draw.uniform(4, 10):.1f} kbit/s"
    return scenario, (f"network.line[{place}].rate",)


def slow_receiver(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """The destination host takes long over each message."""
    scenario = _arpanet(draw)
    scenario["host"][1]["per_message"] = f"{draw.randrange(150, 400)} ms"
    return scenario, ("host[1].per_message",)


def slow_host_line(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """The destination host hangs on a slow line."""
    scenario = _arpanet(draw)
    scenario["host"][1]["rate"] = f"{draw.uniform(3, 8):.1f} kbit/s"
    return scenario, ("host[1].rate",)


def few_numbers(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """One message number over a long path: the line is idle during a round trip."""
    scenario = _arpanet(draw, protocol={"message_numbers": 1})
    for line in scenario["network"]["line"]:
        line["delay"] = f"{draw.randrange(10, 40)} ms"
    return scenario, ("protocol.message_numbers",)


def line_errors(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Lines lose packets, which are sent again after 125 ms."""
    scenario = _arpanet(draw)
    scenario["network"]["errors"] = round(draw.uniform(0.08, 0.25), 3)
    return scenario, ("network.errors", "protocol.retransmit_after")


def slow_imps(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """IMPs take tens of milliseconds for a packet."""
    kind = {"per_packet": f"{draw.randrange(50, 90)} ms", "per_word": "2 us"}
    return _arpanet(draw, processor={"h516": kind}), ("processor.h516",)


def silent_host(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """The destination accepts nothing for a while, and the path is idle meanwhile."""
    scenario = _arpanet(draw)
    scenario["host"][1]["silent"] = [
        {"from": f"{at} s", "length": f"{draw.randrange(25, 29)} s"} for at in (10, 45, 80, 115)
    ]
    scenario["measure"] = {"messages": 800, "warmup": "2 s"}
    return scenario, ("host[1].silent",)


def _pup(draw: random.Random, medium: Mapping[str, Any], **parts: Any) -> Scenario:
    """Two Ethernets joined by two gateways and a medium between."""
    networks = [
        {"name": "here", "number": 1, "medium": {"ethernet": {}}},
        {"name": "between", "number": 2, "medium": medium},
        {"name": "there", "number": 3, "medium": {"ethernet": {}}},
    ]
    ends = [("g", "here", "between"), ("h", "between", "there")]
    return {
        "model": "pup",
        "seed": draw.randrange(1, 1_000),
        "network": networks,
        "host": [
            {"name": "a", "network": "here", "address": 1},
            {"name": "b", "network": "there", "address": 1},
        ],
        "gateway": [
            {
                "name": name,
                "on": [{"network": one, "address": 100 + at}, {"network": two, "address": 110 + at}],
            }
            for at, (name, one, two) in enumerate(ends)
        ],
        "test": [{"from": "a", "to": "b", "data": "400 B"}],
        "measure": {"messages": 2_000},
        **parts,
    }


FAST_LINE = {"line": {"rate": "2 Mbit/s", "transit": "100 us"}}


def phone_line(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """A slow line between two Ethernets."""
    line = {"line": {"rate": f"{draw.uniform(5, 20):.1f} kbit/s"}}
    return _pup(draw, line), ("network[1].medium.line.rate",)


def small_window(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """One Pup outstanding over a line with a long transit: more outstanding, or a shorter transit."""
    line = {"line": {"rate": "500 kbit/s", "transit": f"{draw.randrange(150, 500)} ms"}}
    return _pup(draw, line, stream={"window": 1}), ("stream.window", "network[1].medium.line.transit")


def slow_gateways(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Gateways take long over a Pup."""
    slow = {"gateway": {"pup": f"{draw.randrange(60, 200)} ms"}}
    return _pup(draw, FAST_LINE, processing=slow), ("processing.gateway",)


def slow_hosts(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Hosts take long over a Pup."""
    slow = {"host": {"pup": f"{draw.randrange(60, 200)} ms"}}
    return _pup(draw, FAST_LINE, processing=slow), ("processing.host",)


def slow_receiver_process(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """The receiver answers late, and the sender waits for it; a larger window asks it less often."""
    stream = {"turnaround": f"{draw.randrange(500, 1_500)} ms", "window": 2}
    return _pup(draw, FAST_LINE, stream=stream), ("stream.turnaround", "stream.window", "stream.sender")


def lossy_radio(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Radio packets get lost, and streams wait for their timers."""
    radio = {"radio": {"loss": round(draw.uniform(0.1, 0.25), 3), "interval": "20 ms"}}
    return _pup(draw, radio), ("network[1].medium.radio.loss",)


def slow_radio(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Radios accept a packet rarely."""
    return _pup(draw, {"radio": {"interval": f"{draw.randrange(200, 500)} ms"}}), (
        "network[1].medium.radio.interval",
    )


def _custom(draw: random.Random, hosts: int = 3) -> Scenario:
    """Two switches with hosts at each, and a link between them."""
    return {
        "model": "fabric",
        "seed": draw.randrange(1, 1_000),
        "network": {
            "custom": {
                "switches": ["s0", "s1", "s2"],
                "links": [{"between": ["s0", "s1"]}, {"between": ["s1", "s2"]}, {"between": ["s0", "s2"]}],
                "hosts": [{"name": f"h{at}", "at": f"s{at % 3}"} for at in range(3 * hosts)],
            }
        },
        "traffic": {"load": 0.2, "pattern": "uniform", "sizes": {"exponential": "800 B"}},
        "measure": {"messages": 6_000},
    }


def slow_trunk(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """One link between switches has a fraction of the rate of the others."""
    scenario = _custom(draw)
    place = draw.randrange(3)
    link = scenario["network"]["custom"]["links"][place]
    link["rate"] = f"{draw.randrange(16, 24)} Mbit/s"
    scenario["switch"] = {"fifo": "unbounded"}
    scenario["traffic"]["load"] = round(draw.uniform(0.08, 0.12), 3)
    first, second = sorted(link["between"])
    return scenario, (f'upgrade.links=[{{ between = ["{first}", "{second}"]',)


def slow_host_of_fabric(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """All send to one host, whose own link is full."""
    scenario = _custom(draw, hosts=2)
    server = draw.randrange(6)
    scenario["network"]["custom"]["hosts"][server]["role"] = "server"
    for at, host in enumerate(scenario["network"]["custom"]["hosts"]):
        host["role"] = "server" if at == server else "client"
    load = round(draw.uniform(0.8, 0.9), 3)
    scenario["traffic"] = {"pattern": "client-to-server", "load": load, "sizes": {"fixed": "800 B"}}
    scenario["switch"] = {"decision": "0 ns", "setup": "0 ns"}
    return scenario, (f'upgrade.links=[{{ between = ["h{server}",', "upgrade.host_links")


def slow_decision(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Switches decide slowly: latency is mostly theirs."""
    scenario = _custom(draw)
    scenario["switch"] = {"decision": f"{draw.randrange(100, 250)} us"}
    scenario["traffic"]["load"] = 0.05
    return scenario, ("switch.decision",)


def slow_setup(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Outputs are held long before the first bit."""
    scenario = _custom(draw)
    scenario["switch"] = {"setup": f"{draw.randrange(100, 250)} us"}
    scenario["traffic"]["load"] = 0.05
    return scenario, ("switch.setup",)


def head_of_line(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """One switch with input FIFOs near 2 - sqrt 2, uniform traffic: queues elsewhere than at the inputs."""
    scenario = _custom(draw)
    size = {"switches": 1, "hosts_per_switch": draw.randrange(12, 24)}
    scenario["network"] = {"line": size}
    scenario["traffic"] |= {"load": round(draw.uniform(0.57, 0.62), 3), "sizes": {"fixed": "500 B"}}
    scenario["switch"] = {"decision": "0 ns", "setup": "0 ns"}
    return scenario, ("switch.discipline", "switch.fifo")


def store_and_forward(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Long packets are stored at each of several hops of a lightly loaded row."""
    scenario = _custom(draw)
    scenario["network"] = {"line": {"switches": draw.randrange(5, 8), "hosts_per_switch": 2}}
    scenario["traffic"] = {"load": 0.02, "pattern": "uniform", "sizes": {"fixed": "1900 B"}}
    scenario["switch"] = {"switching": "store-and-forward"}
    return scenario, ("switch.switching",)


def single_path(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Each pair keeps to one of many equal paths, which collide; any other choice spreads."""
    scenario = _custom(draw)
    scenario["network"] = {"fat-tree": {"radix": 4, "tiers": 3}}
    scenario["traffic"] |= {"pattern": {"permutation": "random"}, "load": round(draw.uniform(0.45, 0.6), 3)}
    scenario["routing"] = {"rule": "shortest", "choice": "single-path"}
    return scenario, ("routing.choice",)


def faults(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Links fail and come back; meanwhile packets take a longer and fuller path, and some are lost."""
    scenario = _custom(draw)
    first, second = draw.sample(["s0", "s1", "s2"], 2)
    scenario["faults"] = [
        {"at": f"{at} ms", "link": [first, second], "goes": goes}
        for at, goes in ((20, "down"), (60, "up"), (70, "down"), (110, "up"))
    ]
    scenario["traffic"]["load"] = round(draw.uniform(0.2, 0.25), 3)
    scenario["measure"] = {"messages": 10_000, "warmup": "2 ms"}
    return scenario, ("faults",)


def _frames(draw: random.Random, network: Mapping[str, Any], **parts: Any) -> Scenario:
    return {
        "model": "fabric",
        "seed": draw.randrange(1, 1_000),
        "network": network,
        "routing": {"rule": "shortest"},
        "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
        "frames": {},
        "traffic": {"load": 0.3, "pattern": "uniform", "sizes": {"fixed": "16 KiB"}},
        "measure": {"messages": 6_000},
        **parts,
    }


FAT_TREE = {"fat-tree": {"radix": 4, "tiers": 3}}


def hash_collisions(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """A permutation on a fat tree that could carry it at full load: hashed flows share links."""
    pattern = {"permutation": "transpose"}
    load = round(draw.uniform(0.4, 0.48), 3)
    traffic = {"load": load, "pattern": pattern, "sizes": {"fixed": "16 KiB"}}
    return _frames(draw, FAT_TREE, traffic=traffic), ("frames.balancing",)


def incast(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Flows of many senders meet at the link of one host."""
    flows = [
        {
            "pattern": {"incast": {"senders": draw.randrange(6, 12), "size": "64 KiB", "receiver": "h3"}},
            "every": "500 us",
            "rounds": 60,
        }
    ]
    scenario = _frames(draw, FAT_TREE, flows=flows)
    del scenario["traffic"]
    return scenario, ('upgrade.links=[{ between = ["', "upgrade.host_links")


def slow_cable(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """One cable of a leaf-spine fabric fell back to a lower rate."""
    leaves, spines = ["l0", "l1", "l2"], ["p0", "p1"]
    links: list[dict[str, Any]] = [{"between": [leaf, spine]} for leaf in leaves for spine in spines]
    slow = draw.choice(links)
    slow["rate"] = "20 Gbit/s"
    hosts = [{"name": f"{leaf}h{at}", "at": leaf} for leaf in leaves for at in range(2)]
    custom = {"switches": [*leaves, *spines], "links": links, "hosts": hosts}
    traffic = {"load": round(draw.uniform(0.2, 0.27), 3), "pattern": "uniform", "sizes": {"fixed": "16 KiB"}}
    scenario = _frames(draw, {"custom": custom}, traffic=traffic)
    scenario["frames"] = {"balancing": "spray"}
    first, second = sorted(slow["between"])
    faster = f'upgrade.links=[{{ between = ["{first}", "{second}"]'
    return scenario, (faster, "upgrade.replace_slow_cables=true", 'frames.balancing="adaptive"')


def slow_pipelines(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Short messages over switches whose pipelines take tens of microseconds."""
    traffic = {"load": 0.05, "pattern": "uniform", "sizes": {"fixed": "512 B"}}
    scenario = _frames(draw, FAT_TREE, traffic=traffic)
    scenario["frames"] = {"latency": f"{draw.randrange(10, 40)} us"}
    return scenario, ("frames.latency",)


def few_credits(draw: random.Random) -> tuple[Scenario, tuple[str, ...]]:
    """Buffers far below what a long cable holds in flight: senders wait for credit."""
    row = {"line": {"switches": 2, "hosts_per_switch": 2}}
    traffic = {"load": round(draw.uniform(0.25, 0.35), 3), "pattern": "uniform", "sizes": {"fixed": "16 KiB"}}
    scenario = _frames(draw, row, traffic=traffic)
    scenario["link"] = {"rate": "100 Gbit/s", "delay": f"{draw.randrange(3, 6)} us"}
    scenario["frames"] = {"flow_control": {"credits": {"buffer_per_lane": "24 KiB"}}}
    return scenario, ("frames.flow_control.credits.buffer_per_lane", "frames.buffer", "frames.flow_control=")


KINDS: Mapping[str, Callable[[random.Random], tuple[Scenario, tuple[str, ...]]]] = {
    make.__name__: make
    for make in (
        *(slow_station, long_service, variable_service),
        *(slow_line, slow_receiver, slow_host_line, few_numbers, line_errors, slow_imps, silent_host),
        *(
            phone_line,
            small_window,
            slow_gateways,
            slow_hosts,
            slow_receiver_process,
            lossy_radio,
            slow_radio,
        ),
        *(slow_trunk, slow_host_of_fabric, slow_decision, slow_setup, head_of_line, store_and_forward),
        *(single_path, faults),
        *(hash_collisions, incast, slow_cable, slow_pipelines, few_credits),
    )
}
