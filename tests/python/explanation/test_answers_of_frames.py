"""Frames: old racks, small buffers of lanes, late resumes, rounds in phase, repairs that few feel."""

from typing import Any

import hopscope
from hopscope import engine
from hopscope.planning.trying.relief import gained
from hopscope.planning.trying.short_runs import simulated
from hopscope.results.trial import Trial

LEAVES = ["l0", "l1", "l2", "l3"]
SPINES = ["s0", "s1"]


def _leaf_spine(per_leaf: int = 4, old: str | None = None, delay: str = "100 ns") -> dict[str, Any]:
    """Four leaves with hosts, of which those of an `old` leaf have a quarter of the rate."""
    hosts = [{"name": f"h{leaf[1]}{nth}", "at": leaf} for leaf in LEAVES for nth in range(per_leaf)]
    slow = {"rate": "25 Gbit/s"}
    return {
        "model": "fabric",
        "network": {
            "custom": {
                "switches": LEAVES + SPINES,
                "hosts": [{**host, **(slow if host["at"] == old else {})} for host in hosts],
                "links": [{"between": [leaf, spine]} for leaf in LEAVES for spine in SPINES],
            }
        },
        "routing": {"rule": "shortest"},
        "link": {"rate": "100 Gbit/s", "delay": delay},
    }


def _trials(why: hopscope.Explanation) -> tuple[Trial, ...]:
    return () if why.confirmation is None else why.confirmation.in_order


def test_the_hosts_of_an_old_rack_are_tried_at_the_rate_of_the_others():
    why = hopscope.explain(
        _leaf_spine(old="l3")
        | {
            "frames": {},
            "flows": [{"pattern": {"all-reduce": {"size": "512 KiB", "algorithm": "ring"}}, "rounds": 8}],
            "measure": {"messages": 20_000, "warmup": "none"},
        }
    )
    assert "3 more are slow" in why.sentence
    first = _trials(why)[0]
    assert first.is_sure
    assert first.what is not None
    assert first.what.endswith("and 2 more 4 times as fast")


def test_buffers_of_lanes_are_tried_with_room_for_a_round_trip():
    why = hopscope.explain(
        _leaf_spine(2, delay="5 us")
        | {
            "frames": {"flow_control": {"credits": {"buffer_per_lane": "8 KiB"}}, "balancing": "adaptive"},
            "traffic": {"load": 0.3, "pattern": "uniform", "sizes": {"fixed": "32 KiB"}},
            "measure": {"messages": 1_000},
        }
    )
    first = _trials(why)[0]
    assert first.set == ('frames.flow_control.credits.buffer_per_lane="140 KB"',)
    assert first.ends_queues


def test_senders_that_resume_late_are_named_and_tried_with_the_default():
    scenario = _leaf_spine(3, delay="5 us") | {
        "frames": {
            "flow_control": {"pfc": {"xoff": "150 kB", "xon": "0 B"}},
            "buffer": {"size": "64 MB"},
            "balancing": "round-robin-spray",
        },
        "traffic": {"load": 0.65, "pattern": "uniform", "sizes": {"fixed": "256 KiB"}},
        "measure": {"messages": 1_500},
    }
    why = hopscope.explain(scenario)
    assert "resume only at 0 B" in why.sentence
    tried = next(trial for trial in _trials(why) if trial.set == ("frames.flow_control.pfc.xon=",))
    assert tried.is_sure
    assert (
        "resume only"
        not in hopscope.explain(scenario, set={"frames.flow_control.pfc.xon": "140 kB"}).sentence
    )


def test_rounds_of_groups_in_phase_are_shifted_before_the_link_is_made_faster():
    group = {"pattern": {"incast": {"senders": 3, "size": "250 kB", "receiver": "h00"}}, "every": "200 us"}
    hosts = [["h00", "h10", "h11", "h12"], ["h00", "h20", "h21", "h22"]]
    why = hopscope.explain(
        _leaf_spine()
        | {
            "frames": {"buffer": {"size": "32 MB", "alpha": 0.5}, "balancing": "round-robin-spray"},
            "flows": [
                {**group, "name": name, "hosts": {"named": named}, "rounds": 30}
                for name, named in zip("AB", hosts, strict=True)
            ],
            "measure": {"messages": 2_000, "warmup": "none"},
        }
    )
    assert why.sentence.startswith("In phase: rounds of `A` and `B`")
    first, *others = _trials(why)
    assert first.set == ('flows[1].start="100 us"',)
    assert [trial.candidate.cause for trial in others] == ["resource"]


def test_a_repair_is_judged_by_the_class_that_waits_longest():
    open_loop = {"load": 0.3, "sizes": {"fixed": "16 KiB"}}
    few = [f"h0{nth}" for nth in range(4)]
    many = [f"h{leaf}{nth}" for leaf in (1, 2, 3) for nth in range(4)]
    why = hopscope.explain(
        _leaf_spine()
        | {
            "frames": {
                "buffer": {"size": "32 MB", "alpha": 0.5},
                "balancing": "round-robin-spray",
                "retrying_links": [{"between": ["h00", "l0"], "failing": 0.8}],
            },
            "flows": [
                {"name": "bulk", "pattern": {"poisson": open_loop}, "hosts": {"named": many}},
                {
                    "name": "rpc",
                    "pattern": {"poisson": open_loop | {"load": 0.03}},
                    "hosts": {"named": few},
                },
            ],
            "measure": {"messages": 8_000},
        }
    )
    first = _trials(why)[0]
    assert (first.set, first.of_class) == (("frames.retrying_links=[]",), "rpc")


def _bulk_beside_rpc(drain: str) -> dict[str, Any]:
    """Bulk to a slow host, and small messages between others and to hosts of its leaf, in one lane."""
    bulk = [
        {"from": f"h{leaf}0", "to": "h30", "class": "bulk", "load": 0.03, "sizes": {"fixed": "64 KiB"}}
        for leaf in range(3)
    ]
    pairs = "h01 h11, h02 h12, h11 h21, h12 h22, h21 h31, h22 h32, h03 h33, h13 h32, h23 h31"
    rpc = [
        {"from": one, "to": other, "class": "rpc", "load": 0.05, "sizes": {"fixed": "4 KiB"}}
        for one, other in map(str.split, pairs.split(", "))
    ]
    return _leaf_spine() | {
        "frames": {
            "flow_control": {"credits": {}},
            "balancing": "adaptive",
            "slow_hosts": [{"host": "h30", "drain": drain}],
        },
        "traffic": {"load": 0.05, "sizes": {"fixed": "4 KiB"}, "pattern": {"flows": bulk + rpc}},
        "measure": {"messages": 10_000},
    }


def test_a_slow_host_that_keeps_both_classes_waiting_comes_before_lanes():
    first, *later = _trials(hopscope.explain(_bulk_beside_rpc("8 Gbit/s")))
    assert first.set == ("frames.slow_hosts=[]",)
    assert "lanes" in [trial.candidate.cause for trial in later]


def test_queues_grow_where_lanes_leave_one_class_less_than_it_is_offered():
    today = engine.load(_bulk_beside_rpc("5 Gbit/s"), None, None)
    runs = {
        change: (changed := today.with_overrides([change] if change else []), simulated([changed], None)[0])
        for change in ("", "frames.flow_control.credits.lanes=2", "frames.slow_hosts=[]")
    }
    left = {change: gained(runs[""], run, is_saturated=True).left for change, run in runs.items() if change}
    assert [change for change, delay in left.items() if delay is not None] == ["frames.slow_hosts=[]"]


def test_a_slow_host_behind_a_link_that_is_hardly_used_is_in_the_sentence():
    ring = {"all-reduce": {"size": "256 KiB", "algorithm": "ring"}}
    bulk = {"poisson": {"load": 0.3, "sizes": {"fixed": "16 KiB"}}}
    many = [f"h{leaf}{nth}" for leaf in (1, 2, 3) for nth in range(4)]
    why = hopscope.explain(
        _leaf_spine()
        | {
            "frames": {
                "buffer": {"size": "32 MB", "alpha": 0.5},
                "balancing": "round-robin-spray",
                "slow_hosts": [{"host": "h01", "drain": "20 Gbit/s"}],
            },
            "flows": [
                {"name": "bulk", "pattern": bulk, "hosts": {"named": many}},
                {
                    "name": "ring",
                    "pattern": ring,
                    "hosts": {"named": [f"h0{nth}" for nth in range(4)]},
                    "rounds": 0,
                    "pause": "200 us",
                },
            ],
            "measure": {"messages": 8_000},
        }
    )
    assert _trials(why)[0].set == ("frames.slow_hosts=[]",)
    assert why.sentence.endswith("Slow host: h01 takes what arrives at 20 Gbit/s.")
