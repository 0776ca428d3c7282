"""What fills a line, a window or a queue, and which change is proposed: the one that undoes the fault."""

import itertools
from typing import Any

import hopscope
from hopscope.cause import Cause
from hopscope.results.explanation import Explanation


def rows(why: Explanation) -> list[tuple[str, tuple[str, ...]]]:
    """The causes that were tried, in the order of the table, each with the overrides of its relief."""
    assert why.confirmation is not None
    return [(trial.candidate.cause, trial.set) for trial in why.confirmation.in_order]


def subarea(routes: list[dict[str, Any]], sessions: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Two nodes joined by a line of 56 kbit/s each way."""
    line = {"rate": "56 kbit/s", "propagation": "5 ms"}
    return {
        "model": "sna",
        "node": [{"name": name, "service": {"exponential": "5 ms"}} for name in ("host", "bnd")],
        "group": [{"name": "g", "between": ["host", "bnd"], "line": [line]}],
        "route": [
            {"name": "er", "from": "host", "groups": ["g"]},
            {"name": "back", "from": "bnd", "groups": ["g"]},
        ],
        "virtual_route": routes,
        "session": sessions,
        **more,
    }


def test_a_window_far_too_large_is_made_smaller_before_lines_are_made_faster():
    """96 of 100 PIUs of a bulk route wait for the line, and the short messages of another one behind them."""
    routes = [
        {"number": 0, "route": "er", "rule": "sliding", "window": 100},
        {"number": 1, "route": "er", "rule": "sliding"},
    ]
    sessions = [
        {"virtual_route": 0, "size": "256 B"},
        {"virtual_route": 1, "size": "64 B", "gap": "1 s"},
    ]
    why = hopscope.explain(subarea(routes, sessions, measure={"messages": 4_000}))
    assert why.cause == Cause.WINDOW, why.sentence
    assert "Window too large" in why.sentence
    assert rows(why)[0] == (Cause.WINDOW, ("virtual_route[0].window=10",)), rows(why)


def test_a_smaller_window_is_proposed_only_where_it_carries_as_much():
    """Some 9 PIUs keep a line of 150 ms busy: with 10 of 20 it is, and with 5 or 2 it is not."""
    scenario = subarea(
        [{"number": 0, "route": "er", "rule": "sliding", "window": 20}],
        [{"virtual_route": 0, "size": "256 B"}],
        measure={"messages": 2_000},
    )
    scenario["group"][0]["line"][0]["propagation"] = "150 ms"
    tried = rows(hopscope.explain(scenario))
    assert (Cause.WINDOW, ("virtual_route[0].window=10",)) in tried, tried


def test_answers_that_fill_a_line_are_shortened_before_the_line_is_made_faster():
    """Acknowledgments of 600 B for messages of 100 B."""
    routes = [{"number": n, "route": name, "rule": "sliding"} for n, name in enumerate(("er", "back"))]
    sessions = [{"virtual_route": n, "size": "100 B", "gap": "108 ms"} for n in range(2)]
    why = hopscope.explain(subarea(routes, sessions, header={"answer": "600 B"}, measure={"messages": 4_000}))
    assert why.sentence.startswith("Answers: "), why.sentence
    assert rows(why)[0][1] in [('header.answer="150 B"',), ('header.answer="75 B"',)], rows(why)


def internet(many: int = 0, **more: Any) -> dict[str, Any]:
    """Two Ethernets joined by a line of 9.6 kbit/s, over which a host sends a stream to another.

    Its gateways know so `many` networks elsewhere.
    """
    gateways = [
        {
            "name": name,
            "on": [{"network": own, "address": 2}, {"network": "phone", "address": at}],
            "elsewhere": many,
        }
        for name, own, at in (("g1", "parc", 2), ("g2", "han", 3))
    ]
    return {
        "model": "pup",
        "network": [
            {"name": "parc", "number": 3, "medium": {"ethernet": {}}},
            {"name": "phone", "number": 4, "medium": {"line": {"rate": "9.6 kbit/s", "transit": "14 ms"}}},
            {"name": "han", "number": 6, "medium": {"ethernet": {}}},
        ],
        "host": [
            {"name": name, "network": at, "address": 10 + n}
            for n, (name, at) in enumerate((("s", "parc"), ("d", "han")))
        ],
        "gateway": gateways,
        "test": [{"from": "s", "to": "d", "data": "200 B"}],
        "measure": {"messages": 4_000, "warmup": "1 min"},
        **more,
    }


def test_routing_that_takes_half_of_a_line_is_made_rare():
    """200 networks every 1.5 s take half of 9.6 kbit/s; every 3 s they would still take a quarter."""
    why = hopscope.explain(internet(many=198, routing={"every": "1500 ms", "jitter": "500 ms"}))
    assert why.sentence.startswith("Routing: "), why.sentence
    assert why.nodes == ["g1", "phone"]
    assert rows(why)[0][1] == ('routing.every="12 s"',), rows(why)


def test_a_queue_that_refuses_pups_is_named_and_not_the_line_behind_it():
    """A clump of 5 Pups comes to a queue for 2."""
    why = hopscope.explain(internet(processing={"gateway": {"queue": 2}}))
    assert (why.cause, list(why.nodes)) == (Cause.LOSS, ["g1", "phone"]), why.sentence
    assert rows(why)[0] == (Cause.LOSS, ("processing.gateway.queue=14",)), rows(why)


def test_services_of_equal_length_that_end_all_waiting_come_before_faster_stations():
    """Regular arrivals: no customer would wait without the variation of station 2."""
    fixed = [{"service": {"fixed": f"{us} us"}} for us in (9.9, 9.8)]
    varied = {"service": {"erlang": {"mean": "9.5 us", "phases": 2}}}
    scenario = {
        "model": "queueing",
        "arrivals": {"gap": "10 us", "process": "regular"},
        "station": [fixed[0], varied, fixed[1]],
        "measure": {"messages": 60_000},
    }
    why = hopscope.explain(scenario)
    assert (why.cause, list(why.nodes)) == (Cause.VARIABILITY, ["station 2"]), why.sentence


def imps(count: int, **of_lines: Any) -> dict[str, Any]:
    """IMPs in a row, with hosts at both ends."""
    names = "ABCDEF"[:count]
    return {
        "model": "arpanet",
        "network": {"line": [{"between": [one, other]} for one, other in itertools.pairwise(names)]},
        "host": [{"name": "H", "imp": names[0]}, {"name": "K", "imp": names[-1]}],
        "flow": [{"from": "H", "to": "K", "size": "8063 bit", "when": "saturated"}],
        "measure": {"messages": 1_000_000, "warmup": "none"},
        "duration": "2 min",
        **of_lines,
    }


def test_a_slow_line_is_to_have_the_rate_of_the_others():
    """9.6 kbit/s among lines of 50: twice that would be half of nothing."""
    scenario = imps(4)
    scenario["network"]["line"][1]["rate"] = "9.6 kbit/s"
    why = hopscope.explain(scenario)
    assert rows(why)[0][1] == ('network.line[1].rate="50 kbit/s"',), rows(why)
    host = imps(3)
    host["host"][1]["rate"] = "9.6 kbit/s"
    slow = hopscope.explain(host)
    assert "the line from IMP C to it, which has 9.6 kbit/s, where 100 kbit/s is usual" in slow.sentence
    assert rows(slow)[0][1] == ('host[1].rate="100 kbit/s"',), rows(slow)


def test_a_run_too_short_for_its_intervals_calls_no_network_healthy():
    """Half of a lifetime is waiting in four minutes, and delays hang together."""
    scenario = imps(6)
    scenario["flow"][0] |= {"size": "1000 bit", "when": {"poisson": "400 ms"}}
    scenario |= {"background": {"gap": "190 ms", "size": "1000 bit"}, "duration": "4 min"}
    why = hopscope.explain(scenario)
    assert why.sentence.startswith("The run is too short to tell"), why.sentence
    assert "--set 'duration=\"960 s\"'" in why.sentence


def test_routes_by_dimension_are_tried_before_other_switches():
    """Up*/down* with the root in a corner of a grid brings packets together."""
    scenario = {
        "model": "fabric",
        "network": {"mesh": {"width": 4, "height": 4, "hosts_per_switch": 2, "servers": 0}},
        "routing": {"root": "x0y0"},
        "traffic": {"load": 0.3, "pattern": "uniform", "sizes": {"fixed": "1000 B"}},
        "measure": {"messages": 20_000},
    }
    why = hopscope.explain(scenario)
    assert why.cause == Cause.ROUTE_CONCENTRATION, why.sentence
    assert 'routing.rule="dimension-order"' in rows(why)[0][1], rows(why)
