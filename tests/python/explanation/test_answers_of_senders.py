"""What holds a network back where senders are kept waiting before a link, a window or a tier of links."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import hopscope
from hopscope.cause import Cause
from hopscope.results.explanation import Explanation
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


def chain(names: str, flows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Four hosts at the first of some IMPs in a row, and flows from these to the last one."""
    return {
        "model": "arpanet",
        "duration": "2 min",
        "network": {"line": [{"between": list(ends)} for ends in pairwise(names)]} | more,
        "host": [{"name": f"h{n}", "imp": names[0]} for n in range(4)],
        "flow": [{"from": f"h{n}", "to": names[-1], **flow} for n, flow in enumerate(flows)],
        "measure": {"messages": 1_000_000, "warmup": "none"},
    }


def test_long_messages_that_leave_at_the_same_instants_are_told_apart_from_a_slow_line():
    """Of eight packets some wait for others of their own message, which hides that four messages meet."""

    def found(phases: Sequence[str]) -> Explanation:
        flow = {"size": "8063 bit", "when": {"every": "4 s"}}
        return hopscope.explain(chain("ABC", [flow | {"phase": phase} for phase in phases]))

    together = found(["1 s"] * 4)
    assert together.cause == Cause.VARIABILITY, together.sentence
    assert "4 flows send at the same instants, every 4 s" in together.sentence
    first = together.confirmation.in_order[0]
    assert [change.rpartition("=")[2] for change in first.set] == ['"1 s"', '"2 s"', '"3 s"', '"4 s"']
    assert first.gain.low > 0.5
    apart = found(["1 s", "2 s", "3 s", "4 s"])
    assert "same instants" not in apart.sentence


def test_outages_of_one_imp_are_counted_together_and_synchronise_nothing():
    outages = [{"imp": "B", "from": f"{at} s", "length": "6 s"} for at in (20, 50, 80)]
    flow = {"size": "500 bit", "when": {"poisson": "0.8 s"}}
    why = hopscope.explain(chain("ABC", [flow], outage=outages))
    stops = [each for each in why.page["counts"] if "interruption" in each["what"]]
    assert stops == [{"what": "interruptions", "place": "the IMP B", "count": 3}]
    assert why.cause == Cause.INTERRUPTION, why.sentence
    assert why.data["symptoms"] == []


def test_an_outage_that_nobody_meets_is_told_and_blamed_for_nothing():
    flow = {"size": "1000 bit", "when": {"poisson": "0.1 s"}}
    net = chain("AB", [flow])
    net["network"]["line"].append({"between": ["B", "C"]})
    net["network"]["outage"] = [{"line": ["B", "C"], "from": "30 s", "length": "40 s"}]
    alone = hopscope.run(net).explain()
    assert alone.page["waiting"] > 0.2
    assert alone.cause == Cause.HEALTHY, alone.sentence
    why = hopscope.explain(net)
    assert why.cause == Cause.HEALTHY, why.sentence
    assert "the line B - C is down for 40 s" in why.sentence
