"""Places that are equally bad, settings that make a healthy network wait, and trials that fail."""

import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest

import hopscope
from hopscope import InternalError
from hopscope.cause import Cause
from hopscope.goal import Goal
from hopscope.planning.trying import short_runs
from hopscope.results.explanation import Explanation
from hopscope.results.run import RunResult


def first_change(why: Explanation) -> tuple[str, ...]:
    assert why.confirmation is not None
    return why.confirmation.in_order[0].set


# Two servers, each at a switch of its own, that answer many clients.
TWO_SERVERS: dict[str, Any] = {
    "model": "fabric",
    "network": {"corefringe": {"servers": 2}},
    "traffic": {"load": 0.92, "sizes": {"fixed": "1000 B"}, "pattern": "client-server"},
    "measure": {"messages": 8_000},
}


def test_links_of_hosts_that_are_as_busy_are_made_faster_together():
    """A message waits for the link of its own server, so one faster link leaves the others waiting."""
    (change,) = first_change(hopscope.explain(TWO_SERVERS))
    assert change.startswith("upgrade.links="), change
    assert change.count("between") == 2, change


def test_fifos_that_stop_their_senders_far_below_half_are_a_slow_setting():
    scenario = {
        "model": "fabric",
        "network": {"mstage": {}},
        "switch": {"stop_above": "8 B"},
        "traffic": {"load": 0.4},
        "measure": {"messages": 10_000},
    }
    why = hopscope.explain(scenario)
    assert why.sentence.startswith(
        "Slow setting: a FIFO of 4096 B stops its sender above 8 B (`switch.stop_above`), "
        "where half of the FIFO is usual."
    ), why.sentence
    assert first_change(why) == ('switch.stop_above="2048 B"',)


def test_a_run_that_messages_wait_through_is_judged_by_throughput_and_its_lines_are_tried():
    """Background traffic fills a row of lines. The mean delay tells how long messages came."""
    names = ["A", "B", "C", "D"]
    scenario = {
        "model": "arpanet",
        "duration": "5 min",
        "network": {"line": [{"between": [*pair]} for pair in itertools.pairwise(names)]},
        "host": [{"name": f"h{at}", "imp": at} for at in ("A", "D", "B")],
        "flow": [
            {"from": at, "to": "hD", "size": "2000 bit", "when": {"poisson": "1 s"}} for at in ("hA", "hB")
        ],
        "background": {"gap": "55 ms", "size": "1000 bit"},
        "measure": {"messages": 1_000_000},
    }
    why = hopscope.explain(scenario)
    assert why.sentence.startswith("Bottleneck at lines A - B, B - C and C - D. "), why.sentence
    assert why.confirmation is not None
    first = why.confirmation.in_order[0]
    assert first.what == "lines A - B, B - C and C - D twice as fast", first.what
    assert first.is_sure
    assert all(trial.goal == Goal.THROUGHPUT for trial in why.confirmation.trials)


def test_slow_cables_of_hosts_that_hardly_use_them_are_a_note_of_a_healthy_network():
    hosts = [{"name": f"h{nth}", "at": f"s{nth % 2}"} for nth in range(6)]
    hosts += [{"name": "printer", "at": "s0", "rate": "100 Mbit/s"}]
    scenario = {
        "model": "fabric",
        "network": {
            "custom": {"switches": ["s0", "s1"], "links": [{"between": ["s0", "s1"]}], "hosts": hosts}
        },
        "link": {"rate": "1 Gbit/s", "delay": "1 us"},
        "frames": {"flow_control": {"tail-drop": {}}, "recovery": {}},
        "flows": [
            {
                "name": "print",
                "pattern": {"list": {"flows": [{"from": "h1", "to": "printer", "size": "3000 B"}]}},
                "every": "20 ms",
                "rounds": 0,
            },
            {
                "name": "files",
                "pattern": {
                    "list": {
                        "flows": [
                            {"from": f"h{nth}", "to": f"h{nth + 2}", "size": "64 KiB"} for nth in (0, 1)
                        ]
                    }
                },
                "every": "10 ms",
                "rounds": 0,
            },
        ],
        "measure": {"messages": 1_000},
    }
    why = hopscope.explain(scenario)
    assert why.cause == Cause.HEALTHY, why.sentence
    assert "Slow cable: " in why.sentence


def test_a_job_whose_steps_start_later_is_outside_of_the_network_for_most_of_a_round():
    steps = [
        {"from": f"h{nth}", "to": f"h{nth + 1}", "size": "64 KiB", "name": f"s{nth}"}
        | ({"after": [f"s{nth - 1}"], "start": "1 ms"} if nth else {})
        for nth in range(3)
    ]
    scenario = {
        "model": "fabric",
        "network": {"fat-tree": {"tiers": 2, "radix": 4}},
        "routing": {"rule": "shortest"},
        "link": {"rate": "100 Gbit/s"},
        "frames": {},
        "flows": [{"pattern": {"list": {"flows": steps}}, "rounds": 10}],
        "measure": {"messages": 1_000, "warmup": "none"},
    }
    why = hopscope.explain(scenario)
    assert why.cause == Cause.HEALTHY, why.sentence
    assert "No message is in the network for at least 98 % of the time." in why.sentence


def test_an_internal_error_in_one_test_run_is_a_note_and_the_rest_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulated = short_runs.simulated

    def failing(scenarios: Sequence[Any], progress: Any) -> list[RunResult]:
        if any(json.loads(each.canonical_json()).get("upgrade", {}).get("links") for each in scenarios):
            raise InternalError("a queue is empty")
        return simulated(scenarios, progress)

    monkeypatch.setattr(short_runs, "simulated", failing)
    why = hopscope.explain(TWO_SERVERS)
    assert why.confirmation is not None
    told = why.confirmation.doubt or ""
    assert "could not be tried, because of an internal error of hopscope: " in told, told
    assert "twice as fast" in told
    assert any(trial.is_sure for trial in why.confirmation.trials)
    kept = Explanation.of_data(why.to_data()).confirmation
    assert kept is not None
    assert kept.failed == why.confirmation.failed
