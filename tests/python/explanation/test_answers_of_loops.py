"""Credit loops that have not locked up, windows for too short a round trip, slow links beside others."""

import json
from typing import Any

import pytest

import hopscope
from hopscope.cause import Cause
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.candidates.round_trips import fitting_windows
from hopscope.source import scenario_of

SWITCHES = 6


def ring(load: float) -> dict[str, Any]:
    """Each host of a ring of six sends to the next but one, all the same way round."""
    around = [(n, (n + 1) % SWITCHES, (n + 2) % SWITCHES) for n in range(SWITCHES)]
    return {
        "model": "fabric",
        "network": {
            "custom": {
                "switches": [f"s{n}" for n in range(SWITCHES)],
                "links": [{"between": [f"s{n}", f"s{after}"]} for n, after, _ in around],
                "hosts": [{"name": f"h{n}", "at": f"s{n}"} for n in range(SWITCHES)],
            }
        },
        "traffic": {
            "pattern": {
                "matrix": {"pairs": [{"from": f"h{n}", "to": f"h{to}", "weight": 1.0} for n, _, to in around]}
            },
            "load": load,
            "sizes": {"fixed": "12000 B"},
        },
        "routing": {"rule": "shortest"},
        "measure": {"messages": 20_000},
    }


def test_routes_without_a_credit_loop_come_before_more_room_in_it():
    """FIFOs wait for one another all around the ring; another link only moves the queue."""
    why = hopscope.explain(ring(0.28))
    assert why.cause == Cause.CIRCULAR_WAIT, why.sentence
    assert "a credit loop of 6 links" in why.sentence
    first, *others = why.confirmation.in_order
    assert first.what == "up*/down* routes"
    assert first.is_sure
    assert any("added_links" in each.set[0] for each in others if each.set)


def test_a_credit_loop_that_nobody_waits_around_is_not_tried():
    why = hopscope.explain(ring(0.05))
    assert why.cause != Cause.CIRCULAR_WAIT, why.sentence


def windows(round_trip: str, pattern: dict[str, Any] | None = None) -> dict[str, Any]:
    """HPCC on a star whose idle round trip is four times 5 us, two frames of 12 us, and the switch."""
    return {
        "model": "fabric",
        "network": {"star": {"arms": 0, "hosts_at_hub": 8}},
        "link": {"rate": "1 Gbit/s", "delay": "5 us"},
        "routing": {"rule": "shortest"},
        "frames": {
            "mtu": "1500 B",
            "latency": "500 ns",
            "flow_control": {"tail-drop": {"queue": "400 KB"}},
            "rate_control": {"hpcc": {"round_trip": round_trip}},
            "recovery": {"timeout": "1 ms"},
        },
        "flows": [{"pattern": pattern or {"permutation": {"size": "500 KB"}}, "rounds": 0}],
        "measure": {"messages": 100, "warmup": "none"},
    }


FITTING = ('frames.rate_control.hpcc.round_trip="45 us"',)


@pytest.mark.parametrize(
    ("told", "found", "mends"), [("4 us", 1, True), ("30 us", 1, False), ("45 us", 0, False)]
)
def test_windows_are_compared_with_the_longest_idle_path(*, told: str, found: int, mends: bool):
    scenario = scenario_of(windows(told), [], None)
    fitting = [*fitting_windows(scenario, json.loads(scenario.canonical_json()))]
    assert [each.set for each in fitting] == [FITTING] * found
    assert all((each.mends is not None) == mends for each in fitting)


def test_windows_for_too_short_a_round_trip_are_widened():
    """A window of 4 us is less than a frame: twice as much is still one frame."""
    why = hopscope.explain(windows("4 us"))
    assert why.cause == Cause.WINDOW, why.sentence
    assert why.confirmation.in_order[0].set == FITTING, why.confirmation.in_order[0].told


def test_windows_far_too_small_come_before_a_faster_link():
    why = hopscope.explain(windows("4 us", {"incast": {"senders": 3, "size": "500 KB", "receiver": "h0"}}))
    assert why.sentence.startswith("Window: messages wait for the windows of HPCC")
    assert "Slow setting: the windows of HPCC are for a round trip of 4 us" in why.sentence
    assert why.confirmation.in_order[0].set == FITTING


def test_only_the_slow_one_of_parallel_links_is_replaced():
    """A second link of 5 Mbit/s beside one of 100: the good one needs no other rate."""
    hosts = [{"name": f"{at}{n}", "at": at} for n in range(3) for at in "ab"]
    pairs = [{"from": f"a{n}", "to": f"b{n}", "weight": 1.0} for n in range(3)]
    scenario = {
        "model": "fabric",
        "network": {"custom": {"switches": ["a", "b"], "links": [{"between": ["a", "b"]}], "hosts": hosts}},
        "traffic": {"pattern": {"matrix": {"pairs": pairs}}, "load": 0.2, "sizes": {"fixed": "1000 B"}},
        "added_links": [{"between": ["a", "b"], "rate": "5 Mbit/s"}],
        "measure": {"messages": 10_000},
    }
    why = hopscope.explain(scenario)
    assert why.confirmation.in_order[0].set == ('added_links[0].rate="100 Mbit/s"',)


def test_in_a_generated_network_an_added_link_is_compared_with_the_links_beside_it():
    scenario = {
        "model": "fabric",
        "network": {"line": {"switches": 2, "hosts_per_switch": 2}},
        "traffic": {"load": 0.1},
        "added_links": [{"between": ["s0", "s1"], "rate": "5 Mbit/s"}],
        "measure": {"messages": 1_000},
    }
    why = hopscope.run(scenario).explain()
    changes = relaxations_for(scenario_of(scenario, [], None), why)
    assert ('added_links[0].rate="100 Mbit/s"',) in [each.set for each in changes if each.mends]
