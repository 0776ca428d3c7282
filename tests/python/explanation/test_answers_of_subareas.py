"""SNA: what fills lines and buffers of nodes, and which change is proposed: the one that undoes the fault."""

import itertools
from typing import Any

import hopscope
from hopscope.cause import Cause
from hopscope.results.explanation import Explanation


def tried(why: Explanation) -> list[tuple[Cause, tuple[str, ...]]]:
    """The causes that were tried, in the order of the table, each with the overrides of its relief."""
    assert why.confirmation is not None
    return [(trial.candidate.cause, trial.set) for trial in why.confirmation.in_order]


def node(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "service": {"exponential": "2 ms"}, **more}


def group(name: str, one: str, other: str, rate: str = "56 kbit/s", **more: Any) -> dict[str, Any]:
    return {"name": name, "between": [one, other], "line": [{"rate": rate, "propagation": "5 ms"}], **more}


def in_a_row(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Nodes joined by one line each, with one virtual route over all of them."""
    names = [each["name"] for each in nodes]
    groups = [group(f"t{n}", *ends) for n, ends in enumerate(itertools.pairwise(names))]
    return {
        "model": "sna",
        "node": [*nodes],
        "group": groups,
        "route": [{"name": "er", "from": names[0], "groups": [each["name"] for each in groups]}],
        "virtual_route": [{"number": 1, "route": "er", "window": 12}],
        "session": [{"virtual_route": 1}],
        "measure": {"messages": 2_000},
        **more,
    }


def test_segments_that_fill_all_lines_are_named_before_faster_lines():
    """Of 70 B that a segment may have 29 are its header, on each of three lines."""
    session = [{"virtual_route": 1, "size": "1024 B"}]
    scenario = in_a_row(node("host"), node("ncp1"), node("ncp2"), node("bnd"), session=session)
    scenario["group"][1]["longest"] = "70 B"
    why = hopscope.explain(scenario)
    assert why.sentence.startswith("Segments: "), why.sentence
    assert tried(why)[0] == (Cause.RESOURCE, ("group[1].longest=",)), tried(why)


def test_buffers_of_nodes_that_are_as_full_are_tried_together():
    """Each of two nodes has one buffer, and its holder waits for the buffer of the other node."""
    why = hopscope.explain(
        in_a_row(node("host"), node("ncp1", buffers=1), node("ncp2", buffers=1), node("bnd"))
    )
    assert tried(why) == [(Cause.RESOURCE, ("node[1].buffers=9", "node[2].buffers=9"))], tried(why)


def crossed(buffers: int | None) -> dict[str, Any]:
    """Two hosts send through a node, to x over a line that is 74 % busy, and to y over one that is 34 %."""
    limit = {} if buffers is None else {"buffers": buffers}
    return {
        "model": "sna",
        "node": [node("a"), node("b"), node("ncp", **limit), node("x"), node("y")],
        "group": [
            group("a", "a", "ncp", "19.2 kbit/s"),
            group("b", "b", "ncp", "19.2 kbit/s"),
            group("x", "ncp", "x", "9.6 kbit/s"),
            group("y", "ncp", "y", "9.6 kbit/s"),
        ],
        "route": [
            {"name": "ax", "from": "a", "groups": ["a", "x"]},
            {"name": "by", "from": "b", "groups": ["b", "y"]},
        ],
        "virtual_route": [
            {"number": 0, "route": "ax", "window": 12},
            {"number": 1, "route": "by", "window": 6, "priority": 2},
        ],
        "session": [{"virtual_route": 0, "gap": "320 ms"}, {"virtual_route": 1, "gap": "700 ms"}],
        "measure": {"messages": 10_000},
    }


def test_buffers_that_hold_messages_for_an_idle_line_back_are_tried():
    """Three buffers are held by messages for x, while those for y wait in front of the node."""
    more = tried(hopscope.explain(crossed(3)))
    assert any(each[0].startswith("node[2].buffers=") for _, each in more), more
    none = tried(hopscope.explain(crossed(None)))
    assert not any(each[0].startswith("node[2].buffers=") for _, each in none), none


def two_ways(second: str) -> dict[str, Any]:
    """Two virtual routes with the same ends, the second one over this explicit route."""
    rate = "9.6 kbit/s"
    return {
        "model": "sna",
        "node": [node("host"), node("up"), node("down"), node("bnd")],
        "group": [
            group("u1", "host", "up", rate),
            group("u2", "up", "bnd", rate),
            group("d1", "host", "down", rate),
            group("d2", "down", "bnd", rate),
        ],
        "route": [
            {"name": "upper", "from": "host", "groups": ["u1", "u2"]},
            {"name": "lower", "from": "host", "groups": ["d1", "d2"]},
        ],
        "virtual_route": [
            {"number": n, "route": route, "window": 8} for n, route in enumerate(("upper", second))
        ],
        "session": [{"virtual_route": n, "gap": "550 ms"} for n in range(2)],
        "measure": {"messages": 6_000},
    }


def test_an_idle_explicit_route_with_the_same_ends_comes_before_faster_lines():
    why = hopscope.explain(two_ways("upper"))
    assert why.cause == Cause.ROUTE_CONCENTRATION, why.sentence
    assert "route lower, with the same ends, are at most 0 % utilised" in why.sentence
    assert tried(why)[0][1][0].endswith('.route="lower"'), tried(why)
    assert hopscope.explain(two_ways("lower")).cause != Cause.ROUTE_CONCENTRATION


def test_a_class_behind_messages_for_a_busy_unit_is_spared_by_pacing():
    """The printer's messages hold the ten buffers of its node, and those for the terminal wait."""
    scenario = in_a_row(
        node("host"),
        node("ncp"),
        node("bnd", buffers=10),
        virtual_route=[
            {"number": 0, "route": "er", "window": 30},
            {"number": 1, "route": "er", "window": 8, "priority": 2},
        ],
        session=[
            {"virtual_route": 0, "unit": "printer", "gap": "420 ms"},
            {"virtual_route": 1, "unit": "terminal", "gap": "500 ms", "size": "64 B"},
        ],
        unit=[
            {"name": "printer", "node": "bnd", "service": {"exponential": "370 ms"}},
            {"name": "terminal", "node": "bnd", "service": {"fixed": "10 ms"}},
        ],
        measure={"messages": 6_000},
    )
    why = hopscope.explain(scenario)
    paced = [each for each in why.confirmation.in_order if each.set == ("session[0].pacing=2",)]
    assert [each.of_class for each in paced] == ["high"], tried(why)
    assert paced[0].is_sure


def timed(window: int, timeout: str, errors: float, messages: int, **more: Any) -> dict[str, Any]:
    """Three nodes whose second line damages frames, which a virtual route under HDLC sends again."""
    route = {"number": 1, "route": "er", "rule": "hdlc", "window": window, "timeout": timeout}
    nodes = [node(name) for name in ("host", "ncp", "bnd")]
    scenario = in_a_row(*nodes, virtual_route=[route], measure={"messages": messages}, **more)
    scenario["group"][1]["line"][0]["errors"] = errors
    scenario["group"][1]["recovery"] = "end"
    return scenario


def test_selective_reject_is_tried_beside_a_better_line():
    """Over a satellite 2 % of frames are lost, and everything after each is sent again."""
    scenario = timed(40, "2 s", errors=0.02, messages=6_000)
    scenario["group"][1]["line"][0]["propagation"] = "250 ms"
    found = tried(hopscope.explain(scenario))
    assert (Cause.LOSS, ('virtual_route[0].reject="selective"',)) in found, found
    assert (Cause.LOSS, ("group[1].line[0].errors=0.0",)) in found, found


def test_a_timer_far_longer_than_a_message_takes_is_told_with_the_losses():
    """After the last frame of a lull is lost the sender waits a minute; a message takes .1 s."""
    session = [{"virtual_route": 1, "gap": "150 ms"}]
    scenario = timed(7, "60 s", errors=0.01, messages=4_000, session=session)

    def sentence(timeout: str) -> str:
        return hopscope.run(scenario, set={"virtual_route[0].timeout": timeout}).explain().sentence

    assert "The timeout of 60 s is " in sentence("60 s"), sentence("60 s")
    assert "The timeout" not in sentence("1 s")


def test_nodes_that_are_as_busy_are_made_faster_together():
    """A PIU that leaves the first node sooner waits at the second one instead."""
    slow = [node(name) | {"service": {"exponential": "60 ms"}} for name in ("ncp1", "ncp2")]
    why = hopscope.explain(in_a_row(node("host"), *slow, node("bnd")))
    (_, change), *_ = tried(why)
    assert sorted(each.partition("=")[0] for each in change) == ["node[1].service", "node[2].service"]
    assert why.confirmation is not None
    assert sorted((why.confirmation.trials[0].what or "").split(" and ")) == [
        "node ncp1 twice as fast",
        "node ncp2 twice as fast",
    ]


def test_errors_of_several_lines_are_repaired_together_before_faster_lines():
    scenario = in_a_row(node("host"), node("ncp1"), node("ncp2"), node("bnd"))
    for nth in (0, 2):
        scenario["group"][nth]["line"][0]["errors"] = 0.3
    why = hopscope.explain(scenario)
    assert why.sentence.startswith("Retransmission: "), why.sentence
    assert tried(why)[0] == (Cause.LOSS, ("group[0].line[0].errors=0.0", "group[2].line[0].errors=0.0"))


def test_segments_of_every_group_on_the_way_are_given_up_together():
    """Without the limit of one group the next one cuts the same messages."""
    session = [{"virtual_route": 1, "size": "1024 B"}]
    scenario = in_a_row(node("host"), node("ncp"), node("bnd"), session=session)
    for each in scenario["group"]:
        each["longest"] = "60 B"
    why = hopscope.explain(scenario)
    assert (Cause.RESOURCE, ("group[0].longest=", "group[1].longest=")) in tried(why), tried(why)


def test_a_class_that_gets_nothing_is_the_first_finding_and_faster_lines_are_no_answer():
    """Traffic that always has more to send goes first, so lines twice as fast carry twice as much of it."""
    scenario = in_a_row(node("host"), node("bnd"), measure={"messages": 6_000})
    scenario["virtual_route"] = [
        {"number": 0, "route": "er", "window": 12, "priority": 2},
        {"number": 1, "route": "er", "priority": 0},
    ]
    scenario["session"] = [
        {"virtual_route": 0, "size": "512 B"},
        {"virtual_route": 1, "size": "64 B", "gap": "1 s"},
    ]
    why = hopscope.explain(scenario)
    assert why.sentence.startswith("Starvation: no message of `low` is delivered. "), why.sentence
    change = ("virtual_route[0].priority=0", "virtual_route[1].priority=2")
    assert tried(why)[0] == (Cause.LANES, change), tried(why)


def test_buffers_of_the_node_behind_a_busy_line_are_tried():
    """The line stops while neither of two buffers is free, which the run counts as waiting for the line."""
    why = hopscope.explain(in_a_row(node("host"), node("ncp1"), node("ncp2", buffers=2), node("bnd")))
    assert any("node[2].buffers=10" in change for _, change in tried(why)), tried(why)
