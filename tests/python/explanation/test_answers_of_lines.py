"""Lines that are better left out or made faster together, FIFOs that run dry, the sentences of a verdict."""

import json
from typing import Any

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.planning.candidates.changes import changes
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Confirmation, Trial
from hopscope.simulation import schema

# Two hosts at a send to two at b over one link, in AN1's machine.
TWO_SWITCHES: dict[str, Any] = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["a", "b"],
            "links": [{"between": ["a", "b"], "delay": "2 us"}],
            "hosts": [{"name": name, "at": name[0]} for name in ("a1", "a2", "b1", "b2")],
        }
    },
    "traffic": {
        "load": 0.4,
        "sizes": {"fixed": "1000 B"},
        "pattern": {
            "flows": [{"from": "a1", "to": "b1", "load": 0.36}, {"from": "a2", "to": "b2", "load": 0.36}]
        },
    },
    "measure": {"messages": 8_000},
}
FIFOS = {"fifo": {"bytes": "6000 B"}, "stop_above": "1000 B"}


def explained(*parts: dict[str, Any], **more: Any) -> Explanation:
    """The explanation of a scenario put together from parts."""
    return hopscope.explain({key: value for part in (*parts, more) for key, value in part.items()})


def trials_of(why: Explanation) -> tuple[Trial, ...]:
    """The trials, in the order of the report."""
    assert why.confirmation is not None, why.sentence
    return why.confirmation.in_order


def subarea(*lines: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A host, and two nodes behind it that these lines join."""
    return {
        "model": "sna",
        "node": [{"name": name, "service": {"fixed": "4 ms"}} for name in ("host", "n1", "n2")],
        "group": [
            {"name": "fast", "between": ["host", "n1"], "line": [{"rate": "56 kbit/s"}]},
            {"name": "slow", "between": ["n1", "n2"], "line": [*lines]},
        ],
        "route": [{"name": "er", "from": "host", "groups": ["fast", "slow"]}],
        "virtual_route": [{"number": 1, "route": "er", "window": 10}],
        "session": [{"virtual_route": 1}],
        "measure": {"messages": 1_500},
        **more,
    }


def imps(*lines: tuple[str, str, str]) -> dict[str, Any]:
    """A host at s that always sends to t, over lines between IMPs with these rates."""
    return {
        "model": "arpanet",
        "duration": "2 min",
        "network": {"line": [{"between": [a, b], "rate": rate} for a, b, rate in lines]},
        "host": [{"name": "pdp", "imp": "s"}],
        "flow": [{"from": "pdp", "to": "t", "size": "8063 bit", "when": "saturated"}],
        "measure": {"messages": 1_000_000},
    }


def test_equal_lines_side_by_side_are_made_faster_together():
    why = explained(subarea({"rate": "9.6 kbit/s"}, {"rate": "9.6 kbit/s"}))
    assert "2 lines of 9.6 kbit/s" in why.sentence
    (both,) = trials_of(why)
    assert both.what == "the 2 lines of slow, each of 9.6 kbit/s, twice as fast"
    assert both.gain is not None
    assert both.gain.low > 0.9
    unequal = subarea({"rate": "9.6 kbit/s"}, {"rate": "4.8 kbit/s"})
    listed = relaxations_for(engine.load(unequal), why)
    assert not any(each.label.startswith("the 2 lines") for each in listed)


def test_a_slow_line_beside_a_good_way_is_tried_without_and_one_that_is_the_only_way_is_not():
    good = [("s", "a", "50 kbit/s"), ("a", "b", "50 kbit/s"), ("b", "t", "50 kbit/s")]
    why = explained(imps(("s", "t", "2.4 kbit/s"), *good))
    assert why.nodes == ["s", "t"], why.sentence
    scenario = imps(("s", "t", "2.4 kbit/s"), *good)
    without = {each.label: each.set for each in relaxations_for(engine.load(scenario), why)}["no line s - t"]
    today, then = (hopscope.run(scenario, set=[*each]).metric("throughput") for each in ((), without))
    assert today is not None
    assert then is not None
    assert then.low > 5 * today.high
    # The first change gains the same: the line as fast as the others, or none.
    first = trials_of(why)[0].gain
    assert first is not None
    assert first.high > then.low / today.high - 1
    alone = explained(imps(("s", "a", "2.4 kbit/s"), *good[1:]))
    assert not any((each.what or "").startswith("no line") for each in trials_of(alone))


def test_a_full_slow_line_comes_before_the_priority_that_decides_who_waits_for_it():
    two = subarea(
        {"rate": "19.2 kbit/s"},
        virtual_route=[{"number": nth, "route": "er", "priority": 2 * nth, "window": 8} for nth in (0, 1)],
        session=[
            {"virtual_route": 0, "gap": "600 ms"},
            {"virtual_route": 1, "size": "256 B", "gap": "155 ms"},
        ],
        measure={"messages": 4_000},
    )
    why = explained(two)
    assert (why.cause, why.nodes) == ("resource", ["n1", "n2"]), why.sentence
    # Both rows are in one measure: the mean delay of all messages.
    assert {each.goal for each in trials_of(why)} == {"latency"}
    # As fast as the other one and as full: the line is named, and who waits for it is said with it.
    two["group"][0]["line"][0]["rate"] = "19.2 kbit/s"
    why = explained(two)
    assert why.cause == "resource", why.sentence
    assert "Strict priority: `low` waits" in why.sentence


def test_directives_that_come_too_seldom_are_named_and_sent_at_once():
    seldom = explained(TWO_SWITCHES, switch={**FIFOS, "directive": {"every": "300 us"}})
    assert seldom.cause == "window", seldom.sentence
    assert seldom.sentence.startswith("Rare directives: switches send stops and starts every 300 us")
    assert trials_of(seldom)[0].set == ('switch.directive="immediate"',)
    at_once = explained(TWO_SWITCHES, switch=FIFOS)
    assert at_once.cause != "window", at_once.sentence


def test_fifos_are_offered_alone_where_they_run_dry_and_told_where_both_runs_have_them():
    hosts = [{"name": name, "at": name[0]} for name in ("a1", "a2", "a3", "b1", "b2", "b3", "b4")]
    far = [{"between": ["a", "b"], "delay": "150 us"}]
    network = {"custom": {"switches": ["a", "b"], "links": far, "hosts": hosts}}
    pairs = [("a1", "b1", 0.3), ("a2", "b2", 0.3), ("a3", "b3", 0.2), ("b4", "b1", 0.3)]
    flows = [{"from": one, "to": other, "load": load} for one, other, load in pairs]
    traffic = {"load": 0.5, "sizes": {"fixed": "1000 B"}, "pattern": {"flows": flows}}
    small = {"fifo": {"bytes": "4096 B"}, "stop_above": "100 B"}
    why = explained(TWO_SWITCHES, network=network, traffic=traffic, switch=small)
    assert (why.cause, why.sentence[:11]) == ("window", "Stop level:"), why.sentence
    assert trials_of(why)[0].what == "FIFOs of 4 MiB"
    faster = {each.label for each in relaxations_for(engine.load({**TWO_SWITCHES, "switch": small}), why)}
    assert "link a - b twice as fast, with FIFOs of 4 MiB in both runs" in faster


def test_a_window_of_bursts_is_tried_as_large_as_it_takes():
    flow = {"from": "a1", "to": "b1", "load": 0.4}
    bursts = {"packet_share": 1.0, "size": "60000 B", "packet": "1500 B", "window": 1, "every": "50 ms"}
    far = [{"between": ["a", "b"], "delay": "1 ms"}]
    network = {"custom": {**TWO_SWITCHES["network"]["custom"], "links": far}}
    traffic = {"load": 0.1, "pattern": {"flows": [{**flow, "bursts": bursts}]}}
    roomy = {"fifo": {"bytes": "64 KiB"}, "stop_above": "32 KiB"}
    why = explained(TWO_SWITCHES, network=network, traffic=traffic, switch=roomy, measure={"messages": 2_000})
    assert why.cause == "window", why.sentence
    assert trials_of(why)[0].what == "8 times the window of bursts"


def test_packets_of_one_burst_that_wait_for_one_another_in_an_idle_network_are_healthy():
    why = explained(
        model="fabric",
        network={"star": {"arms": 3, "hosts_per_arm": 4, "servers": 2}},
        traffic={
            "pattern": "client-server",
            "load": 0.08,
            "bursts": {"packet_share": 0.3, "size": "12000 B", "window": 8},
        },
        measure={"messages": 5_000},
    )
    assert why.cause == "healthy", why.sentence
    assert "more than 10 % of the time: messages wait within their own burst." in why.sentence


def test_a_broadcast_that_ignores_stops_ends_a_deadlock_and_larger_fifos_may_only_put_it_off():
    small = {
        "switch.multicast_stop": "obeyed",
        "switch.fifo": {"bytes": "1 KiB"},
        "switch.stop_above": "512 B",
    }
    told = {each.what: each.told for each in trials_of(hopscope.explain("an1-broadcast", set=small))}
    ignoring = "packets for several hosts that ignore a stop once they have begun, with FIFOs of 4 MiB"
    assert next(iter(told)) == ignoring
    assert told[ignoring].endswith(": no deadlock")
    assert told["FIFOs twice as large"].endswith("longer ones may lock up")


def tried(what: str, low: float, high: float) -> Trial:
    """A change with what it gains."""
    gain = Estimate((low + high) / 2, low, high, "fraction", 1)
    return Trial(Candidate(Cause.RESOURCE, "", (what,)), what, (what,), "throughput", gain)


def test_what_surely_helps_is_told_before_what_may_not():
    trials = (tried("named", 0.2, 0.3), tried("unsure", -0.1, 0.2), tried("sure", 0.1, 0.15))
    assert [each.what for each in Confirmation(1, trials).in_order] == ["named", "sure", "unsure"]


FAILING = {
    "network.outage": "Outage: the line s - t is down for 5 s from 30 s on, and 1 more time",
    "network.errors": "Line errors: 0.05 % of packets on each line are damaged and sent again",
    "host[0].silent": "Silent host: pdp takes nothing for 5 s from 40 s on",
}


def test_what_fails_is_told_by_what_happens_and_to_whom_with_the_setting_in_brackets():
    scenario = imps(("s", "t", "50 kbit/s"))
    scenario["network"] |= {
        "errors": 0.0005,
        "outage": [
            {"line": ["s", "t"], "from": "30 s", "length": "5 s"},
            {"imp": "t", "from": "60 s", "length": "9 s"},
        ],
    }
    scenario["host"][0]["silent"] = [{"from": "40 s", "length": "5 s"}]
    canonical = json.loads(engine.load(scenario).canonical_json())
    told = {each.paths[0]: each.mends for each in changes("arpanet", canonical) if each.mends}
    assert told == {path: f"{words} (`{path}`)." for path, words in FAILING.items()}


def listed_changes(node: Any) -> list[dict[str, Any]]:
    """Every change that the schema lists."""
    if isinstance(node, list):
        return [each for part in node for each in listed_changes(part)]
    if not isinstance(node, dict):
        return []
    return [*node.get("what-if", []), *(each for part in node.values() for each in listed_changes(part))]


def test_every_change_that_ends_a_failure_says_what_fails():
    ends = [
        each
        for each in listed_changes(schema())
        if each["cause"] in {"loss", "interruption"} and (each.get("without") or each.get("to") in (0.0, []))
    ]
    assert len(ends) > len(FAILING)
    assert all("repairs" in each for each in ends)


def test_a_loss_beside_a_resource_with_time_to_spare_is_told_with_it():
    radio = {"radio": {"interval": "20 ms", "transit": "20 ms", "loss": 0.02}}
    networks = [("e1", 3, {"ethernet": {}}), ("pr", 4, radio), ("e2", 5, {"ethernet": {}})]
    ends = {"g1": ("e1", "pr", 1), "g2": ("pr", "e2", 2)}
    why = explained(
        model="pup",
        network=[{"name": name, "number": nth, "medium": medium} for name, nth, medium in networks],
        host=[
            {"name": "alto", "network": "e1", "address": 10},
            {"name": "dorado", "network": "e2", "address": 11},
        ],
        gateway=[
            {"name": name, "on": [{"network": a, "address": at}, {"network": b, "address": at}]}
            for name, (a, b, at) in ends.items()
        ],
        test=[{"from": "alto", "to": "dorado", "data": "200 B"}],
        processing={"host": {"pup": "1 ms", "word": "1 us"}},
        measure={"messages": 2_000},
    )
    assert why.cause == "resource", why.sentence
    told = "Radio losses: 2 % of radio packets on pr are lost (`network[1].medium.radio.loss`)."
    assert why.sentence.endswith(told), why.sentence
