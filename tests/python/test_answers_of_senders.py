"""What holds a network back where senders are kept waiting before a link, a window or a tier of links."""

from typing import Any

import hopscope
from small_fabrics import fabric


def pairs(hosts: int, trunk: dict[str, Any]) -> dict[str, Any]:
    """Hosts s0, s1, ... at a and d0, d1, ... at b."""
    ends = [{"name": f"{name}{n}", "at": at} for n in range(hosts) for name, at in (("s", "a"), ("d", "b"))]
    return {"custom": {"switches": ["a", "b"], "links": [{"between": ["a", "b"], **trunk}], "hosts": ends}}


def verdict(scenario: dict[str, Any]) -> dict[str, Any]:
    """The verdict on one run."""
    return hopscope.run(scenario).explain().data["verdict"]


def test_credits_that_are_too_few_are_found_with_two_lanes_as_with_one():
    """64 KiB a lane go out in 1.3 us, and the credits come back after 20 us."""
    flows = [{"from": f"s{n}", "to": f"d{n}", "class": name} for n, name in enumerate("xy")]

    def found(lanes: int) -> dict[str, Any]:
        per_lane = {"lanes": lanes, "buffer_per_lane": "64 KiB"}
        return verdict(
            fabric(
                pairs(2, {"rate": "400 Gbit/s", "delay": "10 us"}),
                frames={"flow_control": {"credits": per_lane}},
                traffic={"load": "saturated", "sizes": {"fixed": "32 KiB"}, "pattern": {"flows": flows}},
                measure={"messages": 4_000},
            )
        )

    for lanes in (1, 2):
        assert found(lanes)["resource"] == "the credits a:0 -> b:0", found(lanes)["sentence"]


def test_a_link_that_stops_its_senders_between_packets_is_the_bottleneck():
    """Three hosts at 38 % offer more than the trunk carries."""
    flows = [{"from": f"s{n}", "to": f"d{n}"} for n in range(3)]
    switch = {
        "back_pressure": "packet-boundary",
        "fifo": {"bytes": "8 KiB"},
        "stop_above": "2 KiB",
        "urgent_above": "7 KiB",
    }
    scenario = {
        "model": "fabric",
        "network": pairs(3, {}),
        "switch": switch,
        "traffic": {"load": 0.38, "sizes": {"fixed": "1000 B"}, "pattern": {"flows": flows}},
        "measure": {"messages": 20_000},
    }
    found = verdict(scenario)
    assert (found["cause"], found["nodes"]) == ("resource", ["a", "b"]), found["sentence"]


def test_a_job_that_fills_the_links_between_switches_says_so():
    """Eight hosts a leaf share two uplinks."""
    network = {"fat-tree": {"tiers": 2, "radix": 4, "hosts_per_edge": 8}}
    exchange = {"pattern": {"all-to-all": {"size": "64 KiB", "order": "staged"}}, "rounds": 2}
    found = verdict(
        fabric(
            network,
            routing={"rule": "by-family"},
            frames={"balancing": "adaptive", "buffer": {"size": "32 MB", "alpha": 1.0}},
            flows=[{"hosts": "shuffled", **exchange}],
            measure={"messages": 1_000_000, "warmup": "none"},
        )
    )
    assert found["cause"] == "overload"
    assert found["sentence"].startswith("Oversubscription: ")


def test_a_timer_of_sna_below_the_round_trip_is_among_the_causes():
    """Three lines of 80 ms each, and a timer of 100 ms."""
    names = ["host", "n1", "n2", "end"]
    groups = [
        {
            "name": f"t{n}",
            "between": names[n : n + 2],
            "line": [{"rate": "56 kbit/s", "propagation": "80 ms"}],
            "recovery": "end",
        }
        for n in range(3)
    ]
    route = {"number": 0, "route": "er", "rule": "hdlc", "window": 14}

    def causes(timeout: str) -> list[str]:
        found = verdict(
            {
                "model": "sna",
                "node": [{"name": name, "service": {"exponential": "2 ms"}} for name in names],
                "group": groups,
                "route": [{"name": "er", "from": "host", "groups": ["t0", "t1", "t2"]}],
                "virtual_route": [{**route, "timeout": timeout}],
                "session": [{"virtual_route": 0, "size": "256 B", "gap": "120 ms"}],
                "measure": {"messages": 4_000},
            }
        )
        return [found["cause"], *(other["cause"] for other in found["runners_up"])]

    assert "loss" in causes("100 ms")
    assert "loss" not in causes("3 s")
