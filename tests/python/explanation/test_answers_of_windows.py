"""Windows too small for a round trip, copies that fill links, classes that share a lane."""

import json
from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.planning.candidates.changes import Relaxation, changes
from hopscope.planning.candidates.early_marks import earlier
from hopscope.planning.candidates.relaxations import mends_for
from hopscope.planning.candidates.settings import Causes, for_adapters
from hopscope.planning.candidates.suspects import suspect
from hopscope.planning.candidates.window_room import for_a_round_trip
from hopscope.planning.goals.goal import Goal
from hopscope.planning.trying import trials
from hopscope.planning.trying.ranking import ranked
from hopscope.results.candidate import Candidate
from hopscope.results.trial import Confirmation, Trial
from made_trials import made_trial
from small_fabrics import fabric

STAR = {"star": {"arms": 0, "hosts_at_hub": 5}}
LINKS = {"rate": "10 Gbit/s", "delay": "100 us"}
WAITS = suspect(Cause.WINDOW, "Window.", [], None)


def far_star(marks: str | None, queue: str | None) -> dict[str, Any]:
    """Two senders of long flows to one host, over a round trip of 0.4 ms: 500 KB at 10 Gbit/s."""
    drops: dict[str, Any] = {"tail-drop": {}}
    frames = {"mtu": "1500 B", "flow_control": drops, "rate_control": {"dctcp": {}}}
    marks = "11 MB" if marks is None else marks
    frames |= {"recovery": {"timeout": "20 ms"}, "ecn": {"kmin": marks, "kmax": marks, "pmax": 1.0}}
    if queue is not None:
        drops["tail-drop"]["queue"] = queue
    flows = [{"rounds": 2, "pattern": {"incast": {"senders": 2, "size": "6 MB", "receiver": "h0"}}}]
    given = fabric(STAR, frames=frames, flows=flows, measure={"messages": 10_000, "warmup": "none"})
    return given | {"link": LINKS}


def lacks(marks: str | None, queue: str | None) -> tuple[str, list[tuple[str, ...]]]:
    """The sentences on marks and queues, and the changes that are tried for these."""
    found = for_a_round_trip(engine.load(far_star(marks, queue)), [(WAITS, [])])
    assert found[-1] == (WAITS, [])
    told, tried = found[0]
    return told.sentence, [each.set for each in tried]


def test_marks_and_queues_are_compared_with_what_a_round_trip_holds():
    words, tried = lacks("1500 B", None)
    assert words == "Window. The threshold of 1.5 KB is 1/336 of what a round trip holds (505 KB)."
    assert tried == [('frames.ecn.kmin="505 KB"', 'frames.ecn.kmax="505 KB"', "frames.ecn.pmax=1.0")]
    words, tried = lacks("30 KB", "15 KB")
    told = "Window. A queue of 15 KB is 1/33 of what a round trip holds (505 KB)."
    assert words == f"{told} Frames are marked from 30 KB on, more than the queue holds."
    assert tried == [('frames.flow_control.tail-drop.queue="505 KB"',)]
    # A seventh of it is enough for marks, and all of it for a queue.
    assert lacks("100 KB", "600 KB") == ("Window.", [])


def test_a_link_that_windows_leave_idle_is_not_named_before_them():
    why = hopscope.explain(far_star("1500 B", None))
    assert why.cause == Cause.WINDOW, why.sentence
    assert "1/336 of what a round trip holds" in why.sentence
    assert why.confirmation is not None
    assert why.confirmation.trials[0].set[0].startswith("frames.ecn.kmin=")


def test_a_threshold_of_marks_above_the_queue_is_told_as_broken():
    def told(marks: str, queue: str) -> list[str]:
        return [each.mends for each in mends_for(engine.load(far_star(marks, queue))) if each.mends]

    (words,) = told("65 KB", "60 KB")
    assert words.startswith(
        "Late marks: ECN marks frames from a queue of 65 KB on, which lies above the 60 KB"
    )
    assert told("30 KB", "60 KB") == []


def test_another_rule_and_pauses_are_tried_where_adapters_send_all_again_from_a_lost_frame_on():
    def tried(rule: str) -> list[tuple[str, ...]]:
        given = far_star(None, "60 KB")
        given["frames"]["recovery"]["rule"] = rule
        scenario = engine.load(given)
        listed = changes("fabric", json.loads(scenario.canonical_json()))
        causes: Causes = [(suspect(Cause.LOSS, "", [], None), []), (WAITS, [])]
        return [change.set for _, found in for_adapters(scenario, causes, listed) for change in found]

    pauses = ("frames.flow_control={ pfc = { priorities = 1 } }",)
    assert tried("go-back-n") == [('frames.recovery.rule="selective-repeat"',), pauses]
    assert tried("selective-repeat") == []


def left(value: float) -> Estimate:
    return Estimate(value, 0.9 * value, 1.1 * value, "us", 3)


def test_a_faster_link_tells_nothing_where_the_network_without_losses_carries_all():
    grown: dict[str, Any] = {"goal": Goal.THROUGHPUT, "ends_queues": True}
    lost = made_trial("loss", 0.1, 0.3, left=left(350), **grown)
    faster = made_trial("resource", 0.1, 0.3, at="b", left=left(130), **grown)
    assert ranked([lost, faster])[0] is lost
    # Where queues still grow without the losses, the link lacks rate.
    still = made_trial("loss", 0.1, 0.3, goal=Goal.THROUGHPUT)
    assert ranked([still, faster])[0] is faster


def test_what_hardly_anybody_waits_for_is_not_named_before_losses():
    lost = made_trial("loss", 0.4, 0.5, weight=0.76)
    assert ranked([lost, made_trial("resource", 0.8, 0.85, at="b", weight=0.02)])[0] is lost
    link = made_trial("resource", 0.8, 0.85, at="b", weight=0.3)
    assert ranked([lost, link])[0] is link


def of_class(cause: Cause, name: str, gain: Estimate, weight: float) -> Trial:
    about = Candidate(cause, "", ("a", "b"), weight=weight, of_class=name, behind="dump")
    return Trial(about, cause.value, (cause.value,), Goal.LATENCY, gain, of_class=name)


def test_lanes_are_named_before_a_faster_link_that_takes_less_off_the_other_class():
    few = Estimate(0.77, float("-inf"), float("inf"), "fraction", 1)
    lanes = of_class(Cause.LANES, "train", few, 0.7)
    faster = of_class(Cause.RESOURCE, "dump", Estimate(0.46, 0.33, 0.58, "fraction", 3), 0.86)
    assert ranked([lanes, faster]) == [lanes, faster]
    told = Confirmation(1, (lanes, faster))
    assert told.in_order == (lanes, faster)
    assert "the second row" in (told.doubt or "")
    more = of_class(Cause.RESOURCE, "dump", Estimate(0.9, 0.85, 0.95, "fraction", 3), 0.86)
    assert ranked([lanes, more])[0] is more


def test_a_service_far_longer_than_usual_is_tried_at_its_usual_length():
    def largest(latency: str) -> str:
        given = fabric(STAR, frames={"latency": latency}, traffic={"load": 0.1})
        canonical = json.loads(engine.load(given).canonical_json())
        (change,) = (each for each in changes("fabric", canonical) if each.paths == ["frames.latency"])
        return change.curve[-1].label

    assert largest("40 us") == "switch pipelines 80 times as fast, at the usual 500 ns"
    assert largest("2 us") == "switch pipelines 8 times as fast"


def test_a_barrier_after_each_stage_is_told_where_links_idle():
    def why(order: str) -> hopscope.Explanation:
        pattern = {"all-to-all": {"size": "32 KiB", "order": order}}
        flows = [{"rounds": 6, "pattern": pattern}]
        given = fabric(
            {"star": {"arms": 0, "hosts_at_hub": 8}},
            flows=flows,
            frames={"latency": "2 us"},
            measure={"messages": 10_000, "warmup": "none"},
        )
        return hopscope.explain(given)

    found = why("barrier")
    assert found.cause == Cause.WINDOW, found.sentence
    assert found.sentence.startswith(
        "Stages: a host starts the next stage of the all-to-all only when all flows"
    )
    assert why("at-once").cause != Cause.WINDOW


def test_senders_without_congestion_control_are_named_before_the_lane_that_they_share():
    def tried(**frames: Any) -> list[tuple[str, ...]]:
        scenario = engine.load(fabric(STAR, frames=frames, traffic={"load": 0.1}))
        named = Candidate(Cause.LANES, "", ("hub", "h0"), of_class="rpc", behind="dump", weight=0.5)
        return [change.set for _, found in earlier(scenario, [named]) for change in found]

    marks = 'frames.ecn={ kmin = "16 KB", kmax = "65 KB", pmax = 0.5 }'
    assert tried(mtu="4096 B") == [(marks, "frames.dcqcn={}")]
    # Those of a priority of their own wait by the scheduling, and who has a law has other thresholds tried.
    assert tried(mtu="4096 B", flow_control={"pfc": {"priorities": 2}}) == []
    assert tried(mtu="4096 B", ecn={}, dcqcn={}) == []


def small_queues(size: str) -> dict[str, Any]:
    """Twelve hosts that send to one, whose queue loses much of what comes."""
    frames = {
        "mtu": "1500 B",
        "flow_control": {"tail-drop": {"queue": "16 KB"}},
        "recovery": {"timeout": "10 ms"},
        "rate_control": {"dctcp": {}},
        "ecn": {"kmin": "30 KB", "kmax": "30 KB", "pmax": 1.0},
    }
    flows = [{"rounds": 6, "pattern": {"incast": {"senders": 12, "size": size, "receiver": "h0"}}}]
    network = {"star": {"arms": 0, "hosts_at_hub": 13}}
    given = fabric(network, frames=frames, flows=flows, measure={"messages": 10_000, "warmup": "none"})
    return given | {"link": {"rate": "10 Gbit/s", "delay": "1 us"}}


def test_longer_queues_come_before_switches_that_trim():
    why = hopscope.explain(small_queues("16 KB"))
    assert why.cause == Cause.LOSS, why.sentence
    assert why.confirmation is not None
    assert "queues" in (why.confirmation.trials[0].what or ""), why.confirmation.trials[0].told


def test_queues_that_are_full_in_no_time_need_no_longer_runs(monkeypatch: pytest.MonkeyPatch):
    """Where queues grow, a change that stores runs until that is full; a short queue is full at once."""
    ran: list[int] = []
    simulated = trials.simulated_or_failed

    def noted(scenarios: Any, progress: Any) -> Any:
        ran.extend(json.loads(each.canonical_json())["measure"]["messages"] for each in scenarios)
        return simulated(scenarios, progress)

    monkeypatch.setattr(trials, "simulated_or_failed", noted)
    given = small_queues("64 KB")
    short = trials.Trials(engine.load(given), hopscope.run(given), True, frozenset(), None, False)
    for size in ("8 KB", "8 MB"):
        made = (f'frames.flow_control.tail-drop.queue="{size}"',)
        change = Relaxation(size, made, "", Cause.LOSS, None, stores=True)
        short.of_causes([(suspect(Cause.LOSS, "", [], None), [change])])
    assert ran == [10_000, trials.FILLED, trials.FILLED]
