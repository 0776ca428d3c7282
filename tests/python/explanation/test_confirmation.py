"""The answer of `explain` is the cause whose relief surely gains most, and every change gets its own gain."""

import json
import shlex
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope import confirmation, engine
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.planning import faults
from hopscope.planning.candidates import repairs
from hopscope.planning.candidates.changes import Relaxation, changes
from hopscope.planning.candidates.relaxations import ROOM, ROOMY, relaxations_for, relieves
from hopscope.planning.trying import trials
from hopscope.planning.trying.ranking import ranked
from hopscope.report import why as why_page
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Trial
from made_trials import made_trial

RING_OF_FOUR = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["1", "2", "3", "4"],
            "links": [{"between": pair} for pair in (["1", "2"], ["2", "3"], ["3", "4"], ["4", "1"])],
            "hosts": [{"name": name, "at": at} for name, at in zip("abcd", "1234", strict=True)],
        }
    },
    "traffic": {"load": 0.3, "sizes": {"fixed": "1000 B"}},
    "measure": {"messages": 20_000},
}
# A switch that is down from about the middle of the run on.
BROKEN_RING = RING_OF_FOUR | {"faults": [{"at": "100 ms", "switch": "3", "goes": "down"}]}
LEAF_SPINE: dict[str, Any] = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 8}},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "routing": {"rule": "shortest"},
    "frames": {},
    "traffic": {"load": 0.6, "sizes": {"fixed": "4096 B"}},
    "measure": {"messages": 10_000},
}
ONE_LANE = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["a", "b"],
            "links": [{"between": ["a", "b"], "rate": "200 Gbit/s"}],
            "hosts": [
                {"name": name, "at": at}
                for name, at in zip(("h0", "h1", "h2", "r", "v"), "aaabb", strict=True)
            ],
        }
    },
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "frames": {"flow_control": {"credits": {}}},
    "traffic": {
        "load": 0.3,
        "sizes": {"fixed": "4096 B"},
        "pattern": {
            "flows": [
                {"from": "h0", "to": "r", "class": "hot", "load": 0.8},
                {"from": "h1", "to": "r", "class": "hot", "load": 0.8},
                {"from": "h2", "to": "v", "class": "victim", "load": 0.5},
            ]
        },
    },
    "measure": {"messages": 20_000},
}
ARPANET_LINE: dict[str, Any] = {
    "model": "arpanet",
    "duration": "1 min",
    "network": {"line": [{"between": pair, "delay": "5 ms"} for pair in (["I0", "I1"], ["I1", "I2"])]},
    "host": [{"name": "S", "imp": "I0"}, {"name": "D", "imp": "I2"}],
    "flow": [{"from": "S", "to": "D", "size": "8063 bit", "when": "saturated"}],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}


def _tried(why: Explanation) -> dict[str | None, Trial]:
    """What was tried, by its words."""
    assert why.confirmation is not None
    return {trial.what: trial for trial in why.confirmation.trials}


def _first(why: Explanation) -> Trial:
    assert why.confirmation is not None
    return why.confirmation.trials[0]


@pytest.mark.parametrize(
    ("first", "rival", "named"),
    [
        # Another mechanism at the same place surely gains more.
        (made_trial("path collision", 0.03, 0.17), made_trial("blocking", 0.23, 0.33), "blocking"),
        (made_trial("resource", 0.37, 0.58), made_trial("loss", 0.67, 0.80), "loss"),
        # A faster resource there would gain more whatever the mechanism.
        (made_trial("path collision", 0.03, 0.17), made_trial("resource", 0.23, 0.33), "path collision"),
        (made_trial("variability", None), made_trial("resource", 0.23, 0.33), "variability"),
        # What could not be judged, beside what surely gains.
        (made_trial("variability", None), made_trial("loss", 0.1, 0.2), "loss"),
        (made_trial("variability", None), made_trial("loss", -0.1, 0.2), "variability"),
        # Intervals that overlap leave the order as it is.
        (made_trial("blocking", 0.1, 0.3), made_trial("loss", 0.2, 0.4), "blocking"),
    ],
)
def test_the_cause_whose_relief_surely_gains_more_is_named(first: Trial, rival: Trial, named: str):
    assert ranked([first, rival])[0].candidate.cause == named


def test_a_repair_is_compared_without_the_uncertainty_of_the_run_that_both_share():
    apart = {"beside": Estimate(0.2, 0.18, 0.22, "fraction", 1)}
    first = made_trial("path collision", 0.1, 0.2, beside=Estimate(0.15, 0.14, 0.16, "fraction", 1))
    assert ranked([first, made_trial("interruption", 0.15, 0.25, repairs=True, **apart)])[0].repairs
    assert ranked([first, made_trial("interruption", 0.15, 0.25, **apart)])[0] is first


def test_runs_with_a_fault_are_as_long_as_the_whole_and_its_repair_is_told():
    why = hopscope.explain(BROKEN_RING)
    repair = _tried(why)["no faults"]
    assert why.confirmation is not None
    assert why.confirmation.messages == BROKEN_RING["measure"]["messages"]
    today, repaired = (
        hopscope.run(BROKEN_RING, set=over).metric("throughput") for over in ([], ["faults=[]"])
    )
    assert today is not None
    assert repaired is not None
    assert repair.gain is not None
    assert repair.gain.value == pytest.approx(repaired.value / today.value - 1)
    assert repair.gain.low > 0.1


def test_what_happens_at_a_time_is_known_of_every_model():
    outage = {"outage": [{"line": ["I0", "I1"], "from": "10 s", "length": "5 s"}]}
    down = ARPANET_LINE | {"network": ARPANET_LINE["network"] | outage}
    for scenario, expected in (
        (down, True),
        (ARPANET_LINE, False),
        (BROKEN_RING, True),
        (RING_OF_FOUR, False),
    ):
        assert faults.happen(json.loads(engine.load(scenario).canonical_json())) == expected


def test_what_is_broken_is_told_also_of_a_healthy_network():
    # A link that fails and is back at once, in a network with hardly anything to carry.
    fault = [{"at": f"{at} ms", "link": ["1", "2"], "goes": goes} for at, goes in ((50, "down"), (51, "up"))]
    why = hopscope.explain(
        RING_OF_FOUR | {"faults": fault}, set={"traffic.load": 0.01, "measure.messages": 2_000}
    )
    assert why.cause == "healthy", why.sentence
    assert _tried(why)["no faults"].gain is not None
    assert why.doubt is None


def test_more_room_is_compared_with_a_run_as_long(monkeypatch: pytest.MonkeyPatch):
    """Where queues grow, both runs of a change that stores are long, whichever cause it relieves."""
    ran: list[int] = []
    simulated = trials.simulated_or_failed

    def noted(scenarios: Any, progress: Any) -> Any:
        ran.extend(json.loads(each.canonical_json())["measure"]["messages"] for each in scenarios)
        return simulated(scenarios, progress)

    monkeypatch.setattr(trials, "simulated_or_failed", noted)
    slow = {"slow_hosts": [{"host": "h5", "drain": "20 Gbit/s"}]}
    why = hopscope.explain(LEAF_SPINE | {"frames": slow}, set={"traffic.load": 0.4})
    assert _first(why).what == "host h5 drains as fast as its link"
    assert "dynamic thresholds of the buffer" not in _tried(why)
    assert ran.count(trials.FILLED) > 1


def test_too_few_lanes_are_tried_with_more():
    lanes = _tried(hopscope.explain(ONE_LANE))["twice the virtual lanes"]
    assert lanes.set == ("frames.flow_control.credits.lanes=2",)
    assert lanes.is_sure
    listed = changes("fabric", json.loads(engine.load(ONE_LANE).canonical_json()))
    more = next(each for each in listed if each.set == lanes.set)
    # Of one lane there are no 1.25, and 1.5 would be two.
    assert [step.amount for step in more.curve] == ["x2", "x4", "x8"]


def test_of_a_verdict_without_a_weight_no_share_is_told():
    rows = hopscope.explain(ONE_LANE, confirm=False).evidence_rows()
    told = next(words for name, words in rows if name == "also possible")
    assert told.endswith("of lifetimes)")
    assert "the verdict" not in told


def test_links_that_an_upgrade_slows_are_repaired_together():
    slowed = [
        {"between": [f"leaf{leaf}", f"spine{spine}"], "speedup": 0.25} for leaf, spine in ((2, 1), (5, 0))
    ]
    fast = {"between": ["leaf0", "spine2"], "speedup": 2.0}
    credits_ = {"flow_control": {"credits": {}}}
    why = hopscope.explain(LEAF_SPINE | {"frames": credits_, "upgrade": {"links": [*slowed, fast]}})
    trial = _tried(why)["the 2 links leaf2 - spine1, leaf5 - spine0 at their full rate"]
    assert trial.is_sure
    # The link that is faster than its cable stays so.
    assert trial.set == ('upgrade.links=[{ between = ["leaf0", "spine2"], speedup = 2.0 }]',)


def test_several_faults_of_one_list_are_repaired_by_an_empty_one():
    listed = [
        Relaxation("one", ("a=[1]",), "", Cause.RESOURCE, None, mends="One."),
        Relaxation("other", ("b=[2]",), "", Cause.RESOURCE, None, mends="Other."),
    ]
    (both,) = repairs.together(listed)
    assert both.set == ("a=[1]", "b=[2]")
    assert both.mends == "2 faults: One. Other."
    (alike,) = repairs.together([listed[0], listed[0]])
    assert alike.set == ("a=[]",)


CUT_THROUGH = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["1", "2"],
            "links": [{"between": ["1", "2"], "delay": "150 us"}],
            "hosts": [{"name": name, "at": at} for name, at in zip("abcde", "11222", strict=True)],
        }
    },
    "switch": {"fifo": {"bytes": "8 KiB"}, "stop_above": "256 B"},
    "traffic": {
        "load": 0.3,
        "sizes": {"fixed": "1000 B"},
        "pattern": {
            "flows": [
                {"from": "a", "to": "c", "load": "saturated"},
                {"from": "b", "to": "d", "load": "saturated"},
                {"from": "e", "to": "c", "load": 0.5},
            ]
        },
    },
    "measure": {"messages": 5_000},
}


def test_a_faster_link_is_not_credited_with_the_gain_of_larger_fifos():
    why = hopscope.explain(CUT_THROUGH)
    ending = f"{ROOMY} in both runs"
    faster = next(trial for what, trial in _tried(why).items() if what and what.endswith(ending))
    room, both = (hopscope.run(CUT_THROUGH, set=[*over]).metric("throughput") for over in (ROOM, faster.set))
    assert room is not None
    assert both is not None
    assert faster.gain is not None
    assert faster.gain.value == pytest.approx(both.value / room.value - 1)
    alone = [each.set for each in relaxations_for(engine.load(CUT_THROUGH), why) if each.label == ROOMY]
    assert alone == [ROOM]


def _resource(kind: str, *nodes: str) -> Candidate:
    return Candidate(Cause.RESOURCE, "", nodes, id=kind)


def test_a_change_relieves_only_its_sort_of_resource():
    listed = {
        each.label: each
        for each in changes("arpanet", json.loads(engine.load(ARPANET_LINE).canonical_json()))
    }
    host, line = _resource("DestinationHost", "D"), _resource("Line", "I0", "I1")
    table = _resource("PendingLeaderTable", "I0")

    def relieving(candidate: Candidate) -> set[str]:
        return {label for label, each in listed.items() if relieves(each, candidate)}

    assert relieving(table) == {"2 more PLT entries"}
    assert relieving(line) == {"line I0 - I1 twice as fast", "routing messages every 640 ms on every line"}
    assert relieving(host) == {"host D on a line twice as fast"}


def test_a_node_at_the_end_of_a_line_is_no_relief_of_the_line():
    node = Relaxation("n2 faster", (), "", Cause.RESOURCE, "n2", speeds=frozenset({"NodeProcessor"}))
    assert not relieves(node, _resource("Line", "n1", "n2"))
    assert relieves(node, _resource("NodeProcessor", "n2"))


def test_a_slow_host_is_relieved_by_its_service():
    slow = ARPANET_LINE | {
        "host": [{"name": "S", "imp": "I0"}, {"name": "D", "imp": "I2", "per_message": "500 ms"}]
    }
    first = _first(hopscope.explain(slow))
    assert first.what == "host D accepts messages twice as fast"
    assert first.is_sure


def test_lines_with_errors_are_tried_without_whatever_the_verdict():
    failing = ARPANET_LINE | {"network": ARPANET_LINE["network"] | {"errors": 0.1}}
    found = _tried(hopscope.explain(failing))["lines without errors"]
    assert found.repairs
    assert found.is_sure


def test_a_deadlock_without_routes_is_tried_with_more_of_what_is_held():
    stuck = ARPANET_LINE | {
        "network": {"line": [{"between": [f"I{at}", f"I{at + 1}"], "delay": "5 ms"} for at in range(3)]},
        "protocol": {"store_and_forward": 1},
        "host": [{"name": "S", "imp": "I0"}],
        "flow": [{"from": "S", "to": "I3", "size": "8063 bit", "when": "saturated"}],
        "duration": "2 min",
    }
    why = hopscope.explain(stuck)
    assert why.is_deadlock
    assert "4 more store-and-forward buffers per IMP" in _tried(why)


def test_of_few_other_changes_one_that_surely_gains_more_is_told():
    row = {
        "model": "queueing",
        "arrivals": {"load": 0.9},
        "station": [{"service": {"exponential": f"{us} us"}} for us in (4, 10)],
        "measure": {"messages": 20_000},
    }
    why = hopscope.explain(row, confirm=False)
    assert why.nodes == ["station 2"]
    misled = why.naming(replace(_resource("station 1", "station 1"), weight=0.3))
    found = confirmation.confirm(engine.load(row), misled)
    assert found.confirmation is not None
    first, second = found.confirmation.trials
    assert first.what == "station 2 twice as fast"
    assert first.is_sure
    assert second.candidate.nodes == ("station 1",)
    # Most messages wait there, so it takes the place of what was named.
    assert found.nodes == ["station 2"]
    assert "of all waiting is there. Its relief gains significantly more" in found.sentence


QUOTED = {
    **{key: value for key, value in LEAF_SPINE.items() if key != "network"},
    "network": {
        "custom": {
            "switches": ["s"],
            "links": [],
            "hosts": [{"name": name, "at": "s"} for name in ("a'b", "c", "d")],
        }
    },
    "frames": {"slow_hosts": [{"host": host, "drain": "10 Gbit/s"} for host in ("a'b", "c")]},
}


def test_an_apostrophe_in_a_name_stays_within_the_quotes_of_the_option():
    why = hopscope.explain(QUOTED, set={"traffic.load": 0.05}, what_if=True)
    told = [trial.words() for trial in _tried(why).values() if any("a'b" in text for text in trial.set)]
    assert told
    for trial in (trial for trial in _tried(why).values() if trial.how):
        _, _, shown = trial.words().rpartition(" (--set ")
        assert shlex.split(f"--set {shown.removesuffix(')')}")[1::2] == [*trial.set]
    shown = why_page._changes(why)
    gains = [] if why.what_if is None else [gain for gain in why.what_if.gains if gain.total is not None]
    assert any("a'b" in text for gain in gains for text in gain.set)
    assert [shlex.split(row["set"])[1::2] for row in shown] == [[*gain.set] for gain in gains]


def test_other_routes_are_tried_beside_a_root_that_is_stated():
    """A root belongs to the routes of today: other routes were refused because of it."""
    fields = {"routing.root": "x0y0", "traffic.load": 0.4, "measure.messages": 5_000}
    scenario = engine.load("an1-torus", fields)
    listed = relaxations_for(scenario, hopscope.run("an1-torus", set=fields).explain())
    ways = [each.set for each in listed if 'routing.rule="dimension-order"' in each.set]
    assert ways == [("routing.root=", 'routing.rule="dimension-order"')]
    assert scenario.with_overrides([*ways[0]]).canonical_json()
