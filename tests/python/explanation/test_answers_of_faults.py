"""What failed or is broken beside something else: named where it does harm, and told where it does none."""

import json
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope.cause import Cause
from hopscope.goal import Goal
from hopscope.ids import ResourceId
from hopscope.planning.candidates.lane_buffers import fitting_credits
from hopscope.planning.candidates.repairs import far_cables
from hopscope.planning.candidates.settings import more_retries
from hopscope.planning.trying.ranking import ranked
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Confirmation, Trial
from hopscope.source import scenario_of
from made_trials import made_trial

LINK = {"rate": "100 Gbit/s", "delay": "100 ns"}
LEAF_SPINE: dict[str, Any] = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 4, "hosts_per_edge": 2}},
    "routing": {"rule": "shortest"},
    "link": LINK,
    "frames": {
        "balancing": "round-robin-spray",
        "reroute": "5 us",
        "recovery": {"timeout": "100 us", "retries": 20},
        "buffer": {"size": "32 MB", "alpha": 1.0},
    },
    "faults": [{"at": "300 us", "switch": "spine0", "goes": "down"}],
    "traffic": {"load": 0.1, "pattern": "uniform", "sizes": {"fixed": "4 KiB"}},
    "measure": {"messages": 6000, "warmup": "none"},
}


def _first(why: Explanation) -> Trial:
    assert why.confirmation is not None
    return why.confirmation.trials[0]


def test_a_fault_that_hardly_anybody_notices_leaves_a_network_healthy():
    why = hopscope.explain(LEAF_SPINE)
    assert why.cause == Cause.HEALTHY, why.sentence
    assert "Fault: spine0 is down from 300 us on." in why.sentence
    assert _first(why).what == "no faults"
    slowly = hopscope.explain(LEAF_SPINE, set={"frames.reroute": "2 ms"})
    assert slowly.cause != Cause.HEALTHY, slowly.sentence


def test_what_is_sent_again_after_a_fault_comes_after_the_links_that_it_leaves_full():
    busy = {"traffic.load": 0.8, "frames.recovery.timeout": "30 us", "measure.messages": 12_000}
    why = hopscope.explain(LEAF_SPINE, set=busy)
    assert why.cause == Cause.INTERRUPTION, why.sentence
    assert why.sentence.startswith("Fault: spine0 is down from 300 us on. What is left is full. ")
    assert _first(why).what == "no faults"


def test_a_queue_that_nothing_limits_takes_the_buffer_that_outputs_share():
    hot = {"name": "hot", "pattern": {"list": {"flows": [_push(1), _push(2), _push(3)]}}, "rounds": 0}
    web = {"name": "web", "pattern": {"poisson": {"load": 0.1, "sizes": {"fixed": "8 KiB"}}}}
    star: dict[str, Any] = {
        "model": "fabric",
        "network": {"star": {"arms": 0, "hosts_at_hub": 8}},
        "link": LINK,
        "frames": {
            "buffer": {"size": "400 KB"},
            "flow_control": {"tail-drop": {}},
            "recovery": {"timeout": "200 us", "retries": 1000},
        },
        "flows": [hot, web],
        "measure": {"messages": 2000},
    }
    (limit,) = _limits(hopscope.explain(star))
    assert limit.is_sure
    assert "frames.buffer.alpha=1.0" in limit.set
    assert "of the 400 KB that all outputs of a switch share: the queue for hub:0" in limit.candidate.sentence
    assert _limits(hopscope.explain(star, set={"frames.flow_control.tail-drop.queue": "100 KB"})) == []


def _limits(why: Explanation) -> list[Trial]:
    assert why.confirmation is not None
    return [trial for trial in why.confirmation.trials if trial.candidate.id == ResourceId.SWITCH_BUFFER]


@pytest.mark.parametrize(("high", "leads"), [(0.95, True), (0.6, False)])
def test_a_limit_of_a_queue_comes_before_a_faster_link_that_gains_little_more(high: float, leads: bool):
    link = made_trial(Cause.RESOURCE, 0.69, 0.94)
    link = replace(link, candidate=replace(link.candidate, id=ResourceId.LINK))
    limit = made_trial(Cause.LOSS, 0.6, high)
    limit = replace(limit, candidate=replace(limit.candidate, id=ResourceId.SWITCH_BUFFER))
    assert (ranked([link, limit])[0] is limit) == leads


def _push(number: int) -> dict[str, str]:
    return {"from": f"h{number}", "to": "h0", "size": "4 MB"}


@pytest.mark.parametrize(("gain", "leads"), [((0.6, 0.7), True), ((0.02, 0.08), False)])
def test_a_repair_comes_before_thresholds_at_its_place_that_gain_less(gain: tuple[float, float], leads: bool):
    thresholds = made_trial(Cause.BLOCKING, 0.08, 0.2, goal=Goal.ROUND)
    repair = made_trial(Cause.RESOURCE, *gain, goal=Goal.ROUND, repairs=True, mended=1)
    assert (ranked([thresholds, repair])[0] is repair) == leads


def test_a_repair_that_spares_all_comes_before_a_lane_that_spares_one_class():
    lane = made_trial(Cause.LANES, 0.48, 0.74, of_class="serve")
    repair = made_trial(Cause.RESOURCE, 0.4, 0.73, repairs=True, mended=1)
    assert ranked([lane, repair])[0] is repair
    faster = made_trial(Cause.RESOURCE, 0.4, 0.73)
    assert ranked([lane, faster])[0] is lane


@pytest.mark.parametrize(("goal", "leads"), [(Goal.ROUND, True), (Goal.LATENCY, False)])
def test_a_jobs_full_link_comes_before_bursts_that_nothing_can_spread(goal: Goal, leads: bool):
    bursts = made_trial(Cause.VARIABILITY, None)
    link = made_trial(Cause.RESOURCE, 0.4, 0.5, goal=goal)
    assert (ranked([bursts, link])[0] is link) == leads


def test_causes_behind_the_first_that_could_not_be_judged_are_not_told():
    first, unjudged = made_trial(Cause.RESOURCE, None), made_trial(Cause.VARIABILITY, None)
    sure = made_trial(Cause.LOSS, 0.2, 0.3)
    assert Confirmation(1, (sure, unjudged)).in_order == (sure,)
    assert first in Confirmation(1, (first, sure)).in_order


def test_buffers_of_lanes_have_room_for_whole_frames_and_one_more():
    frames = {"mtu": "4096 B", "flow_control": {"credits": {"buffer_per_lane": "4096 B"}}}
    canonical = {"frames": frames, "link": LINK, "network": {}}
    # 2.5 KB are under way, beside a frame at either end: three frames, and one more.
    assert [each.set for each in fitting_credits(canonical)] == [
        ('frames.flow_control.credits.buffer_per_lane="17 KB"',)
    ]


def test_more_retries_are_proposed_where_messages_were_given_up():
    few = LEAF_SPINE | {"frames": {**LEAF_SPINE["frames"], "reroute": "3 ms"}}
    few["frames"]["recovery"] = {"timeout": "20 us", "retries": 1}
    scenario = scenario_of(few, None, None)
    run = hopscope.run(scenario)
    named = run.explain().candidates
    ((lost, (change,)),) = more_retries(scenario, run, named)
    assert lost in named
    assert change.set == ("frames.recovery.retries=4",)
    assert more_retries(scenario_of(LEAF_SPINE, None, None), hopscope.run(LEAF_SPINE), named) == []


@pytest.mark.parametrize(
    ("delay", "has_way_round", "machine", "is_told"),
    [
        ("50 us", True, {"frames": {}}, True),
        ("50 us", False, {"frames": {}}, False),
        # No place of a network is so far away, and no FIFO of AN1 holds what is on such a cable.
        ("20 ms", False, {"frames": {}}, True),
        ("50 us", False, {}, True),
    ],
)
def test_a_cable_to_what_no_shorter_one_leads_to_is_not_too_long(
    delay: str, has_way_round: bool, machine: dict[str, Any], is_told: bool
):
    links = [{"between": list(pair)} for pair in ("ab", "cd", "bd" if has_way_round else "ab")]
    long = {"between": ["a", "c"], "delay": delay}
    custom = {"links": [*links, long], "hosts": [{"name": f"h{each}", "at": each} for each in "abcd"]}
    found = far_cables(json.loads(json.dumps({"network": {"custom": custom}, "link": LINK} | machine)))
    assert [each.place for _, each in found] == (["a - c"] if is_told else [])
