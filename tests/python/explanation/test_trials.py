"""Which changes the confirmation of a verdict tries, in runs how long, and what it says of the others."""

import functools
from itertools import pairwise
from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.reliefs import reliefs
from hopscope.planning.trying import trials
from hopscope.planning.trying.ranking import best_of, ranked
from hopscope.planning.trying.short_runs import in_short, is_like
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Confirmation, Trial
from made_trials import made_trial

LEAF_SPINE: dict[str, Any] = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 8}},
    "link": {"rate": "100 Gbit/s", "delay": "500 ns"},
    "routing": {"rule": "by-family"},
    "seed": 7,
}
# Windows that marks on queues of 4 kB keep small; their greatest size is no limit.
MARKED_EARLY = LEAF_SPINE | {
    "frames": {
        "balancing": "adaptive",
        "ecn": {"kmin": "4 kB", "kmax": "4 kB", "pmax": 1.0},
        "rate_control": {"dctcp": {"most": "1000000 B"}},
    },
    "flows": [{"pattern": {"poisson": {"load": 0.3, "sizes": {"fixed": "512 KiB"}}}}],
    "measure": {"messages": 4_000},
}
# Rates that grow again every 2 ms, in rounds that take a fraction of that.
SLOW_TIMERS = LEAF_SPINE | {
    "frames": {
        "balancing": "adaptive",
        "ecn": {"kmin": "5 kB", "kmax": "6 kB", "pmax": 1.0},
        "dcqcn": {"rate_timer": "2 ms"},
    },
    "flows": [{"pattern": {"permutation": {"size": "2 MiB"}}, "rounds": 10}],
    "measure": {"messages": 100_000, "warmup": "none"},
}
# Frames of whole messages, which short messages wait for behind.
LONG_FRAMES = LEAF_SPINE | {
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "frames": {
        "mtu": "64 KiB",
        "buffer": {"size": "32 MB", "alpha": 1.0},
        "flow_control": {"pfc": {"xoff": "256 KiB"}},
    },
    "traffic": {
        "load": 0.1,
        "sizes": {"fixed": "512 B"},
        "pattern": {
            "flows": [
                {"from": "h0", "to": "h4", "load": 0.02},
                {"from": "h1", "to": "h5", "load": 0.02},
                {"from": "h2", "to": "h4", "load": 0.35, "sizes": {"fixed": "64 KiB"}},
                {"from": "h3", "to": "h5", "load": 0.35, "sizes": {"fixed": "64 KiB"}},
            ]
        },
    },
    "measure": {"messages": 10_000},
}
# A ring all-reduce over four cables, of which one is slow and rules choose by a hash.
FOUR_CABLES = LEAF_SPINE | {
    "network": {
        "custom": {
            "switches": ["a", "b"],
            "links": [{"between": ["a", "b"]} | more for more in ({}, {}, {"rate": "50 Gbit/s"}, {})],
            "hosts": [{"name": f"h{at}", "at": "ab"[at % 2]} for at in range(8)],
        }
    },
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "frames": {"flow_control": {"credits": {}}},
    "flows": [{"pattern": {"all-reduce": {"size": "8 MiB", "algorithm": "ring"}}, "rounds": 6}],
    "measure": {"messages": 100_000, "warmup": "none"},
}
# One flow sends bursts of one packet a round trip of 1.2 ms, another one single messages.
BURSTS_OF_A_FLOW: dict[str, Any] = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["a", "b"],
            "links": [{"between": ["a", "b"], "delay": "600 us"}],
            "hosts": [
                {"name": "s", "at": "a"},
                {"name": "d", "at": "b"},
                {"name": "x", "at": "a"},
                {"name": "y", "at": "b"},
            ],
        }
    },
    "switch": {"fifo": "unbounded"},
    "traffic": {
        "load": 0.05,
        "sizes": {"fixed": "1000 B"},
        "pattern": {
            "flows": [
                {
                    "from": "s",
                    "to": "d",
                    "load": 0.1,
                    "bursts": {"window": 1, "packet_share": 1.0, "size": "30000 B"},
                },
                {"from": "x", "to": "y"},
            ]
        },
    },
    "measure": {"messages": 4_000},
}
# Nine tenths of the packets are bursts that send one packet a round trip of 1.2 ms.
MOSTLY_BURSTS: dict[str, Any] = {
    "model": "fabric",
    "network": {"star": {"arms": 3, "hosts_per_arm": 2}},
    "link": {"delay": "300 us"},
    "switch": {"fifo": {"bytes": "64 KiB"}},
    "traffic": {"load": 0.1, "bursts": {"packet_share": 0.9, "window": 1, "size": "60 kB"}},
    "measure": {"messages": 10_000},
}
# Four flows that need a third more than the one link which all of them take.
ONE_LINK: dict[str, Any] = {
    "model": "fabric",
    "network": {"mesh": {"width": 4, "height": 3, "hosts_per_switch": 2, "servers": 0}},
    "routing": {"rule": "dimension-order"},
    "traffic": {
        "load": 0.3,
        "sizes": {"fixed": "1000 B"},
        "pattern": {
            "flows": [
                {"from": source, "to": to}
                for source, to in (("h0", "h6"), ("h1", "h7"), ("h2", "h12"), ("h3", "h20"))
            ]
        },
    },
    "measure": {"messages": 15_000},
}
# Windows for a fifth of what links carry, less than what is offered: few flows end at the beginning.
LOW_TARGET = MARKED_EARLY | {
    "measure": {"messages": 2_000},
    "frames": {
        "balancing": "adaptive",
        "rate_control": {"hpcc": {"target": 0.2, "round_trip": "10 us"}},
    },
}


def _sna(
    nodes: dict[str, dict[str, Any]], lines: dict[str, Any], routes: list[dict[str, Any]]
) -> dict[str, Any]:
    """Nodes in a row; the second of two virtual routes goes back."""
    names = list(nodes)
    pairs = list(pairwise(names))
    groups = ["-".join(pair) for pair in pairs]
    ways = [{"name": "there", "from": names[0], "groups": groups}]
    ways.append({"name": "back", "from": names[-1], "groups": groups[::-1]})
    return {
        "model": "sna",
        "node": [{"name": name, "service": {"exponential": "2 ms"}} | more for name, more in nodes.items()],
        "group": [
            {"name": group, "between": list(pair), "line": [{"rate": "56 kbit/s"} | lines]}
            for group, pair in zip(groups, pairs, strict=True)
        ],
        "route": ways[: len(routes)],
        "virtual_route": [
            {"number": nth, "route": ways[nth]["name"]} | route for nth, route in enumerate(routes)
        ],
        "session": [{"virtual_route": nth} for nth in range(len(routes))],
        "measure": {"messages": 8_000},
    }


# A node that says it is congested from one PIU on keeps the window at its least size.
CAUTIOUS = _sna(
    {"host": {}, "n1": {"moderate": 1, "severe": 2}, "n2": {}, "end": {}},
    {"propagation": "60 ms"},
    [{"most": 30, "least": 2}],
)
# Nine PIUs each way, and two buffers a node.
FEW_BUFFERS = _sna(
    {name: {"buffers": 2} for name in ("host", "n1", "n2", "end")},
    {"propagation": "5 ms"},
    [{"most": 9, "least": 9}] * 2,
)


_trial = functools.partial(made_trial, goal=Goal.THROUGHPUT, weight=0.0)
"""A change that was tried for a cause, with its gain in throughput."""


def _confirmed(scenario: dict[str, Any], **settings: Any) -> tuple[Explanation, Confirmation]:
    why = hopscope.explain(scenario, **settings)
    assert why.confirmation is not None
    return why, why.confirmation


def test_changes_of_further_classes_keep_room_beside_those_of_the_causes_own():
    own = [Relaxation(f"own {nth}", (f"a{nth}=1",), "", Cause.WINDOW, None) for nth in range(8)]
    marks = Relaxation("marks", ("b=1",), "", Cause.RATE_CONTROL, None, also=frozenset({Cause.WINDOW}))
    chosen = [each.label for each in reliefs([*own, marks], Candidate(Cause.WINDOW, ""))]
    assert chosen == ["own 0", "own 1", "own 2", "own 3", "own 4", "marks"]


def _runs(trials: tuple[Trial, ...]) -> list[tuple[str, str | None]]:
    return [(trial.candidate.cause, trial.what) for trial in trials]


def test_where_runs_are_long_they_are_shortened_and_every_change_is_tried():
    """A higher threshold takes a flow from 474 to 97 us."""
    why, found = _confirmed(MARKED_EARLY)
    assert why.cause == Cause.WINDOW
    # What a round trip of the longest path holds.
    assert found.trials[0].what == "ECN marking of every frame from a queue of 104 KB on"
    assert found.trials[0].gain is not None
    assert found.trials[0].gain.value == pytest.approx(1 - 97 / 474, abs=0.02)
    assert found.left_out == 0
    assert found.messages < 4_000


def test_changes_that_there_was_no_time_for_are_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trials, "EVENTS", 1)
    monkeypatch.setattr(trials, "MOST_EVENTS", 1)
    assert _confirmed(MARKED_EARLY)[1].left_out > 0
    doubt = Confirmation(1, (_trial("window", -0.01, 0.01),), left_out=3).doubt
    assert doubt is not None
    assert "no change that was tried gains anything in short runs, and 3 further ones were not tried" in doubt


def test_a_network_whose_only_wait_is_for_rates_is_tried_with_others():
    """A round takes 375 us, without DCQCN 173 us, and no message waits 60 % of a lifetime."""
    assert hopscope.run(SLOW_TIMERS).explain().cause == Cause.HEALTHY
    why, found = _confirmed(SLOW_TIMERS)
    assert why.cause == Cause.RATE_CONTROL
    assert (found.trials[0].what, found.trials[0].goal) == ("no DCQCN", Goal.ROUND)
    assert found.trials[0].gain is not None
    assert found.trials[0].gain.value == pytest.approx(1 - 173 / 375, abs=0.02)


def test_where_nothing_relieves_the_cause_the_other_changes_are_tried():
    first, second = _confirmed(LONG_FRAMES)[1].trials
    assert first.what is None
    assert second.what == "cut-through"
    assert second.is_sure


def test_no_other_change_is_looked_for_where_the_named_cause_is_confirmed():
    """What is broken is known, and its repair surely helps: a choice by queues helps as well."""
    why, found = _confirmed(FOUR_CABLES)
    assert (why.cause, set(why.nodes)) == (Cause.RESOURCE, {"a", "b"})
    assert found.trials[0].repairs
    assert found.trials[0].is_sure
    assert all(trial.what != "adaptive routing" for trial in found.trials)


def test_a_node_that_keeps_a_window_small_is_relieved_before_the_window():
    found = _confirmed(CAUTIOUS)[1]
    assert _runs(found.trials) == [
        ("window", "no moderate congestion of node n1"),
        ("window", "a least window of 2 more PIUs for a virtual route"),
    ]


def test_the_window_of_bursts_is_judged_by_the_time_of_a_burst_also_beside_other_traffic():
    why, found = _confirmed(MOSTLY_BURSTS)
    assert why.cause == Cause.WINDOW
    assert (found.trials[0].what, found.trials[0].goal) == ("8 times the window of bursts", Goal.BURST)
    # Eight packets a round trip instead of one, of which the last ones wait for the first to be sent.
    assert found.trials[0].gain is not None
    assert found.trials[0].gain.value == pytest.approx(7 / 8, abs=0.03)


def test_the_window_of_a_flow_s_bursts_is_judged_by_them_though_another_flow_sends_messages():
    why, found = _confirmed(BURSTS_OF_A_FLOW)
    assert (why.cause, why.nodes) == (Cause.WINDOW, ["s", "d"])
    assert (found.trials[0].what, found.trials[0].goal) == ("8 times the window of bursts", Goal.BURST)
    assert found.trials[0].is_sure


@pytest.mark.parametrize("seed", [1, 2])
def test_a_full_link_stays_the_verdict_where_a_faster_one_moves_the_queue(seed: int):
    why, found = _confirmed(ONE_LINK, seed=seed)
    assert (why.cause, set(why.nodes)) == (Cause.RESOURCE, {"x1y0", "x2y0"})
    assert not found.is_confirmed
    # Queues at outputs surely gain a little, and explain hardly anything.
    assert any(trial.candidate.cause == Cause.BLOCKING and trial.is_sure for trial in found.trials)


def test_a_full_link_gives_way_to_what_explains_as_much_or_carries_all():
    full = _trial("resource", -0.01, 0.01, weight=1.0, is_full=True)
    assert ranked([full, _trial("blocking", 0.2, 0.3, at="b", weight=0.1)])[0] is full
    wide = _trial("route concentration", 0.2, 0.3, at="b", weight=0.9)
    assert ranked([full, wide])[0] is wide
    left = Estimate(5.0, 4.0, 6.0, "us", 1)
    carrying = _trial("blocking", 0.2, 0.3, at="b", weight=0.1, left=left)
    assert ranked([full, carrying])[0] is carrying


def test_a_repair_at_the_place_of_a_cause_without_a_change_is_named():
    """A faster link there would tell nothing of the bursts; that the cable is slow is known."""
    bursts, cable = _trial("variability", 0, 0, gain=None), _trial("resource", 0.4, 0.5, repairs=True)
    assert ranked([bursts, cable])[0] is cable
    faster = _trial("resource", 0.4, 0.5)
    assert ranked([bursts, faster])[0] is bursts


def test_what_nothing_could_be_tried_for_takes_no_place_from_what_explains_far_more():
    tried, untried = (
        _trial("path collision", -0.08, 0.02, weight=0.5),
        _trial("variability", 0, 0, gain=None, at="b", weight=0.4),
    )
    assert ranked([tried, untried])[0] is untried, "it explains nearly as much"
    unsure = _trial("path collision", -0.04, 0.06, weight=0.5)
    assert ranked([unsure, untried])[0] is unsure, "the run names it, and its relief may gain"
    little = _trial("variability", 0, 0, gain=None, at="b", weight=0.02)
    assert ranked([tried, little])[0] is tried
    sure = _trial("blocking", 0.2, 0.3, at="c")
    assert ranked([tried, untried, sure])[0] is sure


def test_a_change_with_a_credit_loop_takes_no_place_from_one_without():
    looped, safe = (
        _trial("route concentration", 0.1, 0.4, has_loop=True),
        _trial("blocking", 0.3, 0.6, at="b"),
    )
    assert ranked([looped, safe])[0] is looped, "what the run shows first, relieved: it is the cause"
    better = _trial("route concentration", 0.7, 0.8, has_loop=True)
    assert ranked([safe, better])[0] is safe
    assert ranked([better, safe])[0] is better
    # Of one cause, the one with a loop is reported if the other may gain nothing.
    unsure = _trial("route concentration", -0.1, 0.2)
    assert best_of([unsure, better]) is better
    assert best_of([safe, better]) is safe


def test_faster_links_everywhere_are_no_relief_of_one_where_none_is_full():
    everywhere = _trial("resource", 0.6, 0.7, is_broad=True)
    rates = _trial("rate control", 0.1, 0.4, at="b")
    assert ranked([everywhere, rates])[0] is rates


def test_a_deadlock_is_freed_by_room_before_faster_lines():
    why, found = _confirmed(FEW_BUFFERS)
    assert why.is_deadlock
    assert found.trials[0].set == ("node[2].buffers=10",)
    # Nothing has arrived, so no lifetime is given.
    assert "lifetime" not in dict(why.evidence_rows())


def test_a_run_that_carries_less_than_the_whole_is_made_longer():
    explained = hopscope.run(LOW_TARGET)
    scenario, why = engine.load(LOW_TARGET), explained.explain()
    start, longer = (in_short(scenario, why, 1_000, None, most, explained)[1] for most in (0, 1e8))
    assert not is_like(start, explained)
    assert is_like(longer, explained)


def test_that_short_runs_differ_from_the_whole_is_said():
    why, found = _confirmed(LOW_TARGET)
    assert found.trials[0].what == "HPCC's target at 95 % utilisation"
    assert why.doubt is not None
    assert "short runs differ from the whole run: they carry" in why.doubt


def test_what_gains_less_than_nothing_is_no_remedy():
    worse, better = (made_trial("resource", low, 0.1, repairs=True, mended=1) for low in (-0.12, -0.05))
    assert worse.told.startswith("no significant gain: ")
    assert not worse.how
    assert better.how
    assert "nothing" not in better.told
