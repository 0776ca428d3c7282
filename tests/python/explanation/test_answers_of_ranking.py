"""The cause that is named and the change that comes first: by gain, by those who gain, and by cost."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.planning.candidates import lanes
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.candidates.repairs import earlier_tables
from hopscope.planning.trying.ranking import best_of, ranked
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Confirmation, Trial

LEAF_SPINE: dict[str, Any] = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 8}},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "routing": {"rule": "by-family"},
    "measure": {"messages": 8_000},
}
# Few long services at a station that is used half as much as one with constant services is three quarters.
RARE_AND_LONG: dict[str, Any] = {
    "model": "queueing",
    "arrivals": {"gap": "10 us"},
    "station": [
        {"service": {"fixed": "4 us"}},
        {"service": {"hyperexponential": {"short": "1 us", "long": "60 us", "short_share": 0.93}}},
        {"service": {"fixed": "7.5 us"}},
    ],
    "measure": {"messages": 50_000},
}
# Two of three stations are offered a tenth more than they can do.
TWO_OVERLOADED: dict[str, Any] = {
    "model": "queueing",
    "arrivals": {"gap": "10 us"},
    "station": [{"service": {"exponential": service}} for service in ("11.5 us", "11.2 us", "4 us")],
    "measure": {"messages": 20_000},
}
# A switch with FIFOs at its inputs, every link of which is used 60 %.
INPUT_FIFOS: dict[str, Any] = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["x"],
            "links": [],
            "hosts": [{"name": f"h{at}", "at": "x"} for at in range(8)],
        }
    },
    "traffic": {"load": 0.6, "sizes": {"fixed": "1000 B"}},
    "measure": {"messages": 30_000},
}
# Two hosts at c send to two others over the one link c - r.
ONE_WAY: dict[str, Any] = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["r", "a", "b", "c"],
            "links": [{"between": [*pair]} for pair in ("ra", "rb", "rc", "ab")],
            "hosts": [{"name": f"{at}{number}", "at": at} for at in "abc" for number in (1, 2)],
        }
    },
    "traffic": {
        "load": 0.1,
        "sizes": {"fixed": "1000 B"},
        "pattern": {
            "flows": [
                {"from": "c1", "to": "a1", "load": 0.45, "class": "ca"},
                {"from": "c2", "to": "b1", "load": 0.45, "class": "cb"},
                {"from": "a2", "to": "b2", "load": 0.3, "class": "ab"},
                {"from": "b2", "to": "a2", "load": 0.3, "class": "ab"},
            ]
        },
    },
    "measure": {"messages": 30_000},
}
# One of three links between two switches is a tenth as fast.
PARALLEL: dict[str, Any] = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["x", "y"],
            "links": [{"between": ["x", "y"]} | more for more in ({}, {}, {"rate": "10 Mbit/s"})],
            "hosts": [{"name": f"{at}{number}", "at": at} for at in "xy" for number in range(3)],
        }
    },
    "traffic": {
        "load": 0.25,
        "sizes": {"fixed": "1000 B"},
        "pattern": {"flows": [{"from": f"x{number}", "to": f"y{number}"} for number in range(3)]},
    },
    "measure": {"messages": 20_000},
}
# A ring, and rounds in which twenty hosts send to one, the same in each.
FIXED_RECEIVER = LEAF_SPINE | {
    "frames": {"balancing": "round-robin-spray"},
    "flows": [
        {
            "name": "train",
            "hosts": {"first": 16},
            "pattern": {"all-reduce": {"size": "2 MiB", "algorithm": "ring"}},
            "rounds": 6,
        },
        {
            "name": "logs",
            "pattern": {"incast": {"senders": 20, "size": "512 KiB", "receiver": "h2"}},
            "every": "1 ms",
            "rounds": 4,
        },
    ],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}
# Four long transfers of one leaf, whose ways a hash chooses, beside others that hardly load anything.
ELEPHANTS = LEAF_SPINE | {
    "frames": {"balancing": "flow-hash", "buffer": {"size": "64 MB", "alpha": 1.0}},
    "flows": [
        {
            "name": "ckpt",
            "pattern": {
                "list": {
                    "flows": [{"from": f"h{at}", "to": f"h{16 + at}", "size": "8 MiB"} for at in range(4)]
                }
            },
            "rounds": 0,
        },
        {
            "name": "rest",
            "hosts": {"named": ["h5", "h6", "h9", "h10", "h13", "h21", "h22", "h25", "h26", "h29"]},
            "pattern": {"poisson": {"load": 0.1, "sizes": {"fixed": "8 KiB"}}},
        },
    ],
    "measure": {"messages": 12_000},
}
# Messages that are on a link when it fails, and during the millisecond until routes avoid it.
FAULT = LEAF_SPINE | {
    "frames": {"reroute": "1 ms", "recovery": {"timeout": "1 ms"}},
    "flows": [{"pattern": {"poisson": {"load": 0.3, "sizes": {"fixed": "64 KiB"}}}}],
    "faults": [
        {"at": at, "link": ["leaf4", "spine0"], "goes": goes}
        for at, goes in (("3 ms", "down"), ("5 ms", "up"), ("8 ms", "down"), ("10 ms", "up"))
    ],
    "measure": {"messages": 20_000},
}
# The root of up*/down* is a switch at the edge.
ODD_ROOT: dict[str, Any] = {
    "model": "fabric",
    "network": {"random": {"switches": 16, "degree": 4, "hosts_per_switch": 2, "regular": False, "seed": 5}},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "routing": {"rule": "up-down", "root": "s15"},
    "frames": {"flow_control": {"credits": {"lanes": 1, "buffer_per_lane": "32 KiB"}}},
    "traffic": {"load": 0.2, "sizes": {"fixed": "8 KiB"}},
    "measure": {"messages": 12_000},
}

# A ring with the smaller weight, beside transfers that always have more.
UNFAIR = LEAF_SPINE | {
    "frames": {
        "balancing": "round-robin-spray",
        "scheduling": {"weighted": [1, 100]},
        "flow_control": {"pfc": {"priorities": 2}},
        "buffer": {"size": "64 MB", "alpha": 1.0},
    },
    "flows": [
        {"name": "train", "pattern": {"all-reduce": {"size": "2 MiB", "algorithm": "ring"}}, "rounds": 3},
        {"name": "backup", "pattern": {"permutation": {"size": "1 MiB", "to": "tornado"}}, "rounds": 0},
    ],
    "measure": {"messages": 7_000, "warmup": "none"},
}
# Every 20 ms 24 hosts send to one; short messages share its lane.
RARE_DUMPS = LEAF_SPINE | {
    "frames": {"balancing": "round-robin-spray", "flow_control": {"pfc": {"priorities": 1}}},
    "flows": [
        {
            "name": "dump",
            "pattern": {"incast": {"senders": 24, "size": "256 KiB", "receiver": "h0"}},
            "every": "20 ms",
            "rounds": 0,
        },
        {"name": "rpc", "pattern": {"poisson": {"load": 0.02, "sizes": {"fixed": "8 KiB"}}}},
    ],
    "measure": {"messages": 40_000},
}
# A transfer that always has more fills a line that terminals' messages need.
TERMINALS: dict[str, Any] = {
    "model": "arpanet",
    "duration": "3 min",
    "network": {"line": [{"between": [*pair]} for pair in ("AB", "BC", "CD", "DE", "EF", "BX", "CY")]},
    "host": [{"name": name, "imp": imp} for name, imp in zip("HKPQ", "AFXY", strict=True)],
    "flow": [
        {"from": "H", "to": "K", "size": "1000 bit", "when": {"poisson": "250 ms"}, "class": "user"},
        {"from": "P", "to": "Q", "size": "8063 bit", "when": "saturated", "class": "file"},
    ],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}
# Senders by DCTCP over half a millisecond, and marks from two frames on.
SHORT_QUEUES: dict[str, Any] = {
    "model": "fabric",
    "network": {"star": {"arms": 1, "hosts_per_arm": 3}},
    "link": {"rate": "10 Gbit/s", "delay": "200 us"},
    "frames": {
        "mtu": "1500 B",
        "flow_control": {"tail-drop": {}},
        "ecn": {"kmin": "3 KB", "kmax": "3 KB", "pmax": 1.0},
        "rate_control": {"dctcp": {}},
        "recovery": {"timeout": "20 ms"},
    },
    "flows": [
        {"pattern": {"list": {"flows": [{"from": f"h{at}", "to": "h0", "size": "1 MB"} for at in (1, 2)]}}}
    ],
}


def _explained(scenario: dict[str, Any]) -> tuple[Explanation, Trial]:
    """The explanation, and the first change."""
    why = hopscope.explain(scenario)
    assert why.confirmation is not None
    return why, why.confirmation.in_order[0]


@pytest.mark.parametrize(
    ("scenario", "cause", "words", "first"),
    [
        # Messages wait there too, and its relief surely gains more than that of the busier station.
        (RARE_AND_LONG, "variability", "at station 2", "constant service time at station 2"),
        (TWO_OVERLOADED, "overload", "station 1", "stations 1 and 2 twice as fast"),
        # Faster links of all hosts gain too, and no link is full: the symptom has a relief of its own.
        (INPUT_FIFOS, "blocking", "behind other packets in input buffers", "queues at the outputs"),
        # Packets that leave faster than they come gain nothing by it.
        (ONE_WAY, "resource", "the link c:0 -> r:2", "one more link c - r"),
        (PARALLEL, "resource", "10 Mbit/s", "the slow one of 3 links x - y replaced by one of 100 Mbit/s"),
        (FIXED_RECEIVER, "resource", "Incast", "link h2 - leaf0 twice as fast"),
        (ELEPHANTS, "path collision", "several flows of `ckpt`", "adaptive routing"),
        (ODD_ROOT, "route concentration", "by the root s15", "routes by family"),
    ],
)
def test_the_change_that_an_engineer_would_make_is_told_first(
    scenario: dict[str, Any], cause: str, words: str, first: str
):
    why, trial = _explained(scenario)
    assert why.cause == cause, why.sentence
    assert words in why.sentence
    assert trial.what is not None
    assert trial.what.startswith(first)
    assert trial.is_sure


def test_a_fault_that_few_messages_meet_is_judged_by_the_slowest_whatever_is_named():
    """The interval of the mean is too wide: one message of a hundred waits for a millisecond."""
    why, first = _explained(FAULT)
    assert first.what == "no faults"
    assert "less latency at the 99th percentile" in first.told
    assert why.doubt is None
    fault = "Fault: leaf4 - spine0 is down from 3 ms to 5 ms; leaf4 - spine0 is down from 8 ms to 10 ms."
    assert why.sentence.endswith(f"{fault} Rerouting takes 1 ms.")


def test_the_class_that_waits_longest_tells_where_the_mean_over_all_hides_it():
    hosts = [{"name": f"h{at}", "at": f"leaf{at // 4}"} for at in range(16)]
    hosts[13]["rate"] = "10 Gbit/s"
    leaves, spines = [f"leaf{at}" for at in range(4)], [f"spine{at}" for at in range(4)]
    links = [{"between": [leaf, spine]} for leaf in leaves for spine in spines]
    scenario = LEAF_SPINE | {
        "network": {"custom": {"switches": [*spines, *leaves], "links": links, "hosts": hosts}},
        "frames": {},
        "flows": [
            {
                "name": "big",
                "hosts": {"first": 8},
                "pattern": {"poisson": {"load": 0.3, "sizes": {"fixed": "4 KiB"}}},
            },
            {
                "name": "small",
                "pattern": {"list": {"flows": [{"from": "h9", "to": "h13", "size": "256 KiB"}]}},
                "rounds": 0,
            },
        ],
    }
    _, first = _explained(scenario)
    assert first.of_class == "small"
    assert "less round time of small" in first.told
    assert "less latency of all [" in first.told.partition("; ")[2]


def _trial(what: str, low: float, high: float, cause: str = "resource", **more: Any) -> Trial:
    gain = Estimate((low + high) / 2, low, high, "fraction", 1)
    candidate = Candidate(Cause(cause), "", more.pop("nodes", ("a", "b")), weight=0.5)
    return Trial(candidate, what, (what,), "latency", gain, **more)


@pytest.mark.parametrize(
    ("wide", "told"),
    [
        # Nearly as much by one link: that costs far less than all of them.
        (_trial("all links", 0.45, 0.55, is_wide=True), "link"),
        (_trial("all links", 0.65, 0.75, is_wide=True), "all links"),
    ],
)
def test_what_costs_most_is_told_only_where_it_gains_far_more(wide: Trial, told: str):
    assert best_of([_trial("link", 0.45, 0.5), wide]).what == told


def test_a_repair_everywhere_comes_before_faster_lines_whose_interval_overlaps():
    beside = {
        name: Estimate(at, at - 0.02, at + 0.02, "fraction", 1) for name, at in (("f", 0.47), ("r", 0.39))
    }
    faster = _trial("faster lines", 0.36, 0.59, beside=beside["f"])
    repair = _trial("no errors", 0.32, 0.46, "loss", nodes=[], repairs=True, beside=beside["r"])
    assert ranked([faster, repair])[0] is repair
    sure = _trial("faster lines", 0.48, 0.59, beside=beside["f"])
    assert ranked([sure, repair])[0] is sure


def test_a_repair_that_may_gain_nothing_takes_no_place_from_where_messages_wait():
    named = _trial("two links", -0.4, 0.2)
    aside = _trial("a cable", -0.7, 0.8, nodes=("c", "d"), repairs=True)
    aside = replace(aside, candidate=replace(aside.candidate, weight=0.0))
    assert ranked([named, aside])[0] is named
    assert ranked([named, replace(aside, candidate=named.candidate)])[0] is not named
    sure = replace(aside, gain=Estimate(0.2, 0.1, 0.3, "fraction", 1))
    assert ranked([named, sure])[0] is sure


def test_what_tells_of_no_cause_is_told_after_what_surely_helps():
    named = Trial(Candidate(Cause.VARIABILITY, "", weight=0.5), None, (), "latency", None)
    everywhere = _trial("all links", 0.5, 0.6, is_broad=True, is_wide=True)
    queues = _trial("queues at the outputs", 0.7, 0.8, "blocking")
    tried = Confirmation(1, (named, everywhere, queues))
    assert tried.in_order == (queues, everywhere, named)
    kept = Confirmation.of_data(tried.to_data())
    assert [trial.what for trial in kept.in_order] == ["queues at the outputs", "all links", None]


def _canonical(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    return json.loads(engine.load(scenario).canonical_json())


def test_lanes_served_in_turn_come_before_those_that_turn_the_tables():
    _, first = _explained(UNFAIR)
    assert (first.what, first.of_class) == ("lanes served in turn", "train")
    (turned,) = (each for each in lanes.changes_of_lanes(_canonical(UNFAIR)) if "100 : 1" in each.label)
    assert turned.label == "weights 100 : 1 instead of 1 : 100"


def test_a_lane_more_is_judged_by_the_messages_that_meet_the_other_class():
    _, first = _explained(RARE_DUMPS)
    assert first.what == "one more priority"
    assert "99th percentile" in first.goal


def test_beside_a_flow_that_always_has_more_those_who_wait_tell_what_a_change_gains():
    """All lines on the way of that flow would give it the most throughput, and the others nothing."""
    why, first = _explained(TERMINALS)
    assert (first.what, first.of_class) == ("line B - C twice as fast", "user")
    assert set(why.nodes) == {"B", "C"}


def test_dctcp_is_offered_one_threshold_and_not_those_of_red():
    scenario = engine.load(SHORT_QUEUES)
    listed = relaxations_for(scenario, hopscope.run(scenario).explain())
    marks = [each.set for each in listed if "frames.ecn.pmax" in each.paths]
    assert marks == [
        (f'frames.ecn.kmin="{at}"', f'frames.ecn.kmax="{at}"', "frames.ecn.pmax=1.0")
        for at in ("192 KB", "24 KB")
    ]


def test_new_tables_are_tried_without_unless_they_answer_a_fault():
    new = [{"at": "2 ms", "tables": "b.lfts"}, {"at": "200 us", "tables": "a.lfts"}]
    (repair,) = earlier_tables({"frames": {"new_tables": new}})
    assert repair.set == ("frames.new_tables=[]",)
    assert repair.mends == "New tables: from 200 us on packets go by a.lfts, from 2 ms on by b.lfts."
    fault = {"at": "1 ms", "link": ["a", "b"], "goes": "down"}
    assert not [*earlier_tables({"frames": {"new_tables": new}, "faults": [fault]})]


def test_a_setting_of_all_processors_is_told_with_the_one_where_it_matters():
    slow = Candidate(Cause.RESOURCE, "Slow setting: 35 ms.", id="Processor")
    busy = Candidate(Cause.RESOURCE, "Bottleneck: the processor of C.", ("C",), "C", "C", "Processor", 0.7)
    gain = Estimate(0.9, 0.88, 0.92, "fraction", 1)
    usual = Trial(slow, "the usual 1 ms", ("a=1",), "latency", gain, repairs=True, mended=1)
    named = Trial(busy, "a faster one", ("b=1",), "latency", gain)
    first = ranked([named, usual])[0].candidate
    assert (first.nodes, first.resource) == (("C",), "C")
    assert first.sentence == "Slow setting: 35 ms. Bottleneck: the processor of C."
    # A cause named by its own repair is reported once; others stay as they are.
    assert ranked([replace(named, repairs=True, mended=1), named])[0].candidate is busy
    line = replace(usual, candidate=replace(slow, id="Line"))
    assert ranked([named, line])[0].candidate.nodes == ()
