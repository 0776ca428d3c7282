"""Remedies that no wait points to: what gains is named or told, what gains nothing leaves health."""

from typing import Any

import hopscope
from hopscope import engine
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.results.explanation import Explanation


def stations(*each: tuple[str, int], gap: str) -> dict[str, Any]:
    """Stations in a row, each with exponential services of this mean and this number of servers."""
    return {
        "model": "queueing",
        "arrivals": {"gap": gap},
        "station": [{"service": {"exponential": mean}, "servers": servers} for mean, servers in each],
        "measure": {"messages": 20_000},
    }


def internet(line: dict[str, str], data: str, **more: Any) -> dict[str, Any]:
    """A stream from alto over a line between two gateways to dorado."""
    networks = [("e1", 3, {"ethernet": {}}), ("ph", 4, {"line": line}), ("e2", 5, {"ethernet": {}})]
    ends = {"g1": ("e1", "ph", 1), "g2": ("ph", "e2", 2)}
    return {
        "model": "pup",
        "network": [{"name": name, "number": nth, "medium": medium} for name, nth, medium in networks],
        "host": [
            {"name": "alto", "network": "e1", "address": 10},
            {"name": "dorado", "network": "e2", "address": 11},
        ],
        "gateway": [
            {"name": name, "on": [{"network": a, "address": at}, {"network": b, "address": at}]}
            for name, (a, b, at) in ends.items()
        ],
        "test": [{"from": "alto", "to": "dorado", "data": data}],
        "measure": {"messages": 1_000},
        **more,
    }


def imps(rate: str, per_word: str) -> dict[str, Any]:
    """A host that always sends over three lines in a row between IMPs with a slow checksum."""
    pairs = [["s", "a"], ["a", "b"], ["b", "t"]]
    return {
        "model": "arpanet",
        "duration": "3 min",
        "network": {"line": [{"between": pair, "rate": rate} for pair in pairs]},
        "processor": {"h516": {"per_word": per_word}},
        "host": [{"name": "pdp", "imp": "s"}],
        "flow": [{"from": "pdp", "to": "t", "size": "8063 bit", "when": "saturated"}],
        "measure": {"messages": 1_000_000},
    }


def subarea(lines: list[dict[str, Any]], route: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A session from a host over two groups, the second one of these lines."""
    recovery = {"recovery": "end"} if route.get("rule") == "hdlc" else {}
    return {
        "model": "sna",
        "node": [{"name": name, "service": {"fixed": "4 ms"}} for name in ("host", "ncp-1", "ncp-2")],
        "group": [
            {"name": "tg-1", "between": ["host", "ncp-1"], "line": [{"rate": "256 kbit/s"}]},
            {"name": "tg-2", "between": ["ncp-1", "ncp-2"], "line": lines, **recovery},
        ],
        "route": [{"name": "er", "from": "host", "groups": ["tg-1", "tg-2"]}],
        "virtual_route": [{"number": 1, "route": "er", **route}],
        "session": [{"virtual_route": 1}],
        "measure": {"messages": 2_000},
        **more,
    }


def gains(why: Explanation) -> dict[str, float]:
    """What each change that was tried gains, by its words."""
    assert why.confirmation is not None, why.sentence
    return {each.what: each.gain.value for each in why.confirmation.trials if each.what and each.gain}


def test_a_pool_of_servers_is_no_slow_service():
    healthy = hopscope.explain(stations(("80 us", 60), ("0.6 us", 1), gap="2 us"))
    assert healthy.cause == "healthy", healthy.sentence
    clerk = hopscope.explain(stations(("9.2 us", 1), ("400 us", 80), gap="10 us"))
    assert clerk.resource == "station 1", clerk.sentence


def test_stations_that_are_as_full_are_made_faster_together():
    why = hopscope.explain(stations(("9 us", 1), ("3 us", 1), ("9 us", 1), gap="10 us"))
    assert gains(why)["stations 1 and 3 twice as fast"] > 0.6
    # A pool as full has many servers, and so little of the waiting: it stays as it is.
    beside_a_pool = stations(("1.84 us", 1), ("92 us", 50), gap="2 us")
    beside_a_pool["measure"]["messages"] = 100_000
    pool = gains(hopscope.explain(beside_a_pool))
    assert "station 1 twice as fast" in pool
    assert not any(what.startswith("stations") for what in pool)


def test_a_queue_that_drops_is_tried_with_more_room():
    """A longer queue gains most where the network looks healthy, and is reported where a line is named."""
    slow = internet(
        {"rate": "19.2 kbit/s", "transit": "100 ms"},
        "100 B",
        stream={"window": 10},
        processing={"host": {"pup": "1 ms", "word": "1 us"}, "gateway": {"pup": "1 ms", "queue": 2}},
    )
    assert hopscope.run(slow).explain().cause == "healthy"
    why = hopscope.explain(slow)
    assert (why.cause, why.nodes) == ("loss", ["g1", "ph"]), why.sentence
    assert gains(why)["12 more Pups of queue at gateways"] > 1
    roomy = hopscope.explain(slow, set={"processing.gateway.queue": 100, "stream.window": 2})
    assert "12 more Pups of queue at gateways" not in str(roomy.to_data())


def test_two_limits_of_one_queue_are_tried_together():
    """Two Pups in a radio's queue, two of a connection: more of one alone gains nothing."""
    short = internet({"rate": "1 Mbit/s", "transit": "1 ms"}, "200 B")
    radio = {"interval": "20 ms", "transit": "20 ms", "queue": 2, "connection": 2}
    short["network"][1]["medium"] = {"radio": radio}
    short["processing"] = {"host": {"pup": "1 ms", "word": "1 us"}}
    why = hopscope.explain(short)
    assert why.cause == "loss", why.sentence
    both = "12 more Pups of queue at stations of ph, 5 more Pups of a connection in the queues of ph"
    assert gains(why)[both] > 0.3


def test_routing_on_a_line_is_tried_less_often():
    why = hopscope.explain(
        internet({"rate": "9.6 kbit/s", "transit": "20 ms"}, "200 B", routing={"every": "1 s"}),
        set={"gateway[0].elsewhere": 198, "gateway[1].elsewhere": 198},
    )
    assert why.nodes == ["g1", "ph"], why.sentence
    assert gains(why)["routing Pups an eighth as often"] > 0.5
    shares = {part["cause"]: part["share"] for row in why.holders for part in row["holders"]}
    assert 0.5 < shares["routing messages"] < 0.9


def test_a_clump_of_the_window_is_no_burst():
    why = hopscope.run(
        internet({"rate": "1 Mbit/s", "transit": "1 ms"}, "200 B", stream={"turnaround": "400 ms"})
    ).explain()
    assert not [symptom for symptom in why.symptoms if symptom["name"] == "synchronised bursts"]


def test_a_sender_that_always_has_more_is_not_healthy_where_faster_processors_gain():
    checksum = hopscope.explain(imps("50 kbit/s", "300 us"))
    assert checksum.cause == "slow service", checksum.sentence
    assert gains(checksum)["516 IMPs 8 times as fast"] > 0.15
    spread = hopscope.explain(imps("100 kbit/s", "100 us"))
    assert spread.cause == "resource", spread.sentence
    assert max(gains(spread).values()) > 0.2


def test_runs_that_end_by_themselves_are_compared_over_one_window():
    """All three lines are full; with faster ones the warm-up would be found just before the end."""
    why = hopscope.explain(imps("50 kbit/s", "100 us"))
    assert gains(why)["all 3 lines twice as fast"] > 0.3, why.sentence


def test_losses_that_make_a_route_send_again_what_arrived_are_the_cause_also_of_a_full_line():
    lossy = [{"rate": "56 kbit/s", "propagation": "270 ms", "errors": 0.03}]
    why = hopscope.explain(subarea(lossy, {"rule": "hdlc", "window": 30}))
    assert why.cause == "loss", why.sentence
    assert "is out of order because of that" in why.sentence
    assert gains(why)["no errors on line 1 of tg-2"] > 0.2
    listed = relaxations_for(engine.load(subarea(lossy, {"rule": "hdlc"})), why)
    assert "selective reject on virtual route 1" in {each.label for each in listed}
    sliding = relaxations_for(engine.load(subarea([{"rate": "56 kbit/s"}], {})), why)
    assert not any("reject" in each.label for each in sliding)


def test_a_slow_line_beside_faster_ones_is_named_and_tried_without():
    lines = [{"rate": "56 kbit/s"}, {"rate": "56 kbit/s"}, {"rate": "1200 bit/s"}]
    why = hopscope.explain(subarea(lines, {}))
    assert why.resource == "line 3 of tg-2", why.sentence
    assert hopscope.run(subarea(lines, {})).explain().resource == "line 3 of tg-2"
    assert gains(why)["group tg-2 without line 3"] > 3


def test_a_node_that_keeps_a_window_small_is_named():
    careful = subarea([{"rate": "56 kbit/s", "propagation": "100 ms"}], {"least": 1, "most": 40})
    careful["node"][1] |= {"moderate": 1, "severe": 2}
    why = hopscope.explain(careful)
    assert (why.cause, why.nodes) == ("window", ["ncp-1"]), why.sentence
    assert gains(why)["no moderate congestion of node ncp-1"] > 2


def test_what_waits_for_a_stopped_line_waits_for_what_holds_the_next_nodes_buffers():
    routes = [{"number": 0, "route": "er", "window": 30}, {"number": 1, "route": "er", "priority": 2}]
    printer = {"name": "printer", "node": "ncp-2", "service": {"fixed": "300 ms"}}
    terminal = {"name": "terminal", "node": "ncp-2", "service": {"fixed": "5 ms"}}
    sessions = [
        {"virtual_route": 0, "unit": "printer", "pacing": 60},
        {"virtual_route": 1, "unit": "terminal", "size": "100 B", "gap": "1 s"},
    ]
    full = subarea(
        [{"rate": "56 kbit/s"}], {}, virtual_route=routes, unit=[printer, terminal], session=sessions
    )
    full["node"][2] |= {"buffers": 12}
    why = hopscope.run(full).explain()
    assert why.nodes == ["printer"], why.sentence
    assert [link["id"] for link in why.chain] == ["Line", "NodeBuffers", "Unit"]
    assert why.chain[0]["held_by"] == "stopped"
    assert "synchronised bursts" not in {symptom["name"] for symptom in why.symptoms}
    listed = {each.label: each for each in relaxations_for(engine.load(full), why)}
    assert listed["a pacing window of 2 messages for session 1"].set == ("session[0].pacing=2",)
    assert listed["a pacing window of 2 messages for session 2"].set == ("session[1].pacing=2",)


def test_who_waits_in_a_deadlock_says_for_what():
    why = hopscope.explain({**imps("50 kbit/s", "2 us"), "protocol": {"store_and_forward": 2}}, confirm=False)
    assert "store-and-forward buffers at s" in why.sentence
    assert why.data["stuck"]["cycle"] == ["pdp -> t: waits for a store-and-forward buffer of its IMP"]
    limit = next(each for each in why.symptoms if each["name"] == "window limit")
    assert "0.00 messages/s" not in limit["evidence"]
