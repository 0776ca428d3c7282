"""Whole ways and rows of stations made faster together; settings that cost nothing; what had no remedy."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.confirmation import confirm
from hopscope.estimate import Estimate
from hopscope.planning.candidates.suspects import suspect
from hopscope.planning.trying.by_trying import in_its_stead
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Trial


def network(
    links: Sequence[Sequence[str]], hosts: Mapping[str, str], flows: Sequence[Any], **more: Any
) -> dict[str, Any]:
    """Hosts at switches, of AN1's machine; each flow is from a host to another or several, with its load."""
    custom = {
        "switches": sorted({end for link in links for end in link} | set(hosts.values())),
        "links": [{"between": list(link)} for link in links],
        "hosts": [{"name": name, "at": at} for name, at in hosts.items()],
    }
    told = [{"from": one, "to": other, "load": load} for one, other, load in flows]
    return {
        "model": "fabric",
        "network": {"custom": custom},
        "traffic": {"load": 0.1, "sizes": {"fixed": "1000 B"}, "pattern": {"flows": told}},
        "measure": {"messages": 10_000},
        **more,
    }


def first_of(why: Explanation) -> Trial:
    """The first trial of the report."""
    assert why.confirmation is not None, why.sentence
    return why.confirmation.in_order[0]


A_TO_C = {"a0": "p", "a1": "p", "a2": "p", "a3": "p", "b0": "q", "c0": "z"}


def test_a_whole_way_of_full_links_is_made_faster_together():
    flows = [(f"a{at}", "c0", 0.23) for at in range(4)]
    why = hopscope.explain(network(["pq", "qz"], A_TO_C, [*flows, ("b0", "a0", 0.1)]))
    assert (why.cause, set(why.nodes)) == (Cause.RESOURCE, {"p", "q"})
    told = first_of(why)
    assert told.is_sure
    # Any two of the three links gain nothing: the third is as full.
    assert {"p", "q", "z"} <= set(" ".join(told.set).replace('"', " ").split())
    assert "c0" in str(told.what)


def test_where_a_packet_has_to_be_received_whole_each_link_of_the_way_gets_another():
    hosts = {"n1": "z", "n2": "z", "n3": "z", "m1": "x", "m2": "x", "m3": "x"}
    why = hopscope.explain(network(["xy", "yz"], hosts, [(f"n{at}", f"m{at}", 0.31) for at in (1, 2, 3)]))
    assert first_of(why).what == "one more link at each of y - z and x - y"
    assert first_of(why).is_sure


def test_where_packets_for_several_hosts_make_all_links_have_one_rate_all_become_faster():
    hosts = {f"h{at}": "s" for at in range(6)}
    flows = [("h0", ["h2", "h3", "h5"], 0.3), ("h1", "h5", 0.62), ("h4", "h2", 0.1)]
    why = hopscope.explain(network([], hosts, flows))
    assert first_of(why).what == "all links twice as fast"
    assert first_of(why).is_sure


def test_more_of_a_memory_that_output_queues_share_is_tried():
    why = hopscope.explain(
        {
            "model": "fabric",
            "network": {"star": {"arms": 0, "hosts_at_hub": 12}},
            "switch": {
                "fifo": "unbounded",
                "discipline": {"shared-output-buffer": {"memory": "25000 B"}},
            },
            "traffic": {"pattern": "uniform", "load": 0.75, "sizes": {"fixed": "1000 B"}},
            "measure": {"messages": 20_000},
        }
    )
    assert why.cause == Cause.BLOCKING
    assert why.sentence.startswith("Full memory: the output queues of a switch share 25000 B, and inputs")
    assert first_of(why).what == "shared memories twice as large"
    assert first_of(why).is_sure


def test_bursts_of_sites_are_tried_without():
    why = hopscope.explain(
        {
            "model": "arpanet",
            "duration": "5 min",
            "network": {"line": [{"between": [one, other]} for one, other in ("AB", "BC")]},
            "host": [{"name": "S", "imp": "A"}],
            "sites": {
                "pair": [{"from": "A", "to": "C", "per_minute": 150}],
                "sizes": [{"below_bits": 8000, "messages": 20}],
                "bursts": {"every": "60 s", "length": "6 s", "factor": 10},
            },
            "measure": {"messages": 1_000_000, "warmup": "none"},
        }
    )
    assert first_of(why).set == ("sites.bursts=",)
    assert first_of(why).is_sure


def test_a_change_everywhere_that_surely_helps_is_named_where_the_relief_of_a_place_may_not():
    def trial(cause: Cause, place: str | None, low: float, high: float) -> Trial:
        gain = Estimate((low + high) / 2, low, high, "fraction", 1)
        told = suspect(cause, "So.", [] if place is None else [place], place, 0.5)
        return Trial(told, "a change", ("a=1",), "latency", gain)

    why = Explanation({"symptoms": [], "shares": {"places": []}})
    other = trial(Cause.VARIABILITY, None, 0.6, 0.7)
    found = in_its_stead(why, trial(Cause.RESOURCE, "station 1", -0.2, 0.3), other)
    assert found is not None
    words = "Variability. The change that helps: a change. Relief of station 1 has no significant gain. So."
    assert found.candidate.sentence == words
    assert in_its_stead(why, trial(Cause.RESOURCE, "station 1", 0.1, 0.3), other) is None
    assert in_its_stead(why, trial(Cause.RESOURCE, "station 1", -0.2, 0.65), other) is not None
    # What the named cause likely gains is more.
    assert in_its_stead(why, trial(Cause.RESOURCE, "station 1", -0.1, 1.5), other) is None


def row_of(*stations: dict[str, Any], gap: str, messages: int = 20_000) -> dict[str, Any]:
    """Stations in a row."""
    return {
        "model": "queueing",
        "arrivals": {"gap": gap},
        "station": list(stations),
        "measure": {"messages": messages},
    }


def test_stations_at_which_nobody_waits_yet_become_faster_with_the_one_before_them():
    why = hopscope.explain(row_of(*[{"service": {"fixed": "9.3 us"}}] * 4, gap="10 us"))
    assert why.nodes == ["station 1"]
    assert first_of(why).what == "stations 1, 2, 3 and 4 twice as fast"
    assert first_of(why).is_sure


def test_a_server_that_one_station_lacks_is_tried_beside_faster_ones():
    stations = [{"servers": servers, "service": {"exponential": "24 us"}} for servers in (4, 4, 3, 4)]
    why = hopscope.explain(row_of(*stations, gap="8.6 us"))
    assert why.confirmation is not None
    told = {trial.what: trial for trial in why.confirmation.in_order}
    assert told["one more server at station 3"].is_sure
    even = [{**each, "servers": 4} for each in stations[:3]] + [stations[2]]
    why = hopscope.explain(row_of(*even[:2], stations[2], {**stations[3], "servers": 5}, gap="8.6 us"))
    assert why.confirmation is not None
    assert "one more server at station 3" not in [trial.what for trial in why.confirmation.in_order]


PARALLEL = network(
    ["pq", "pq"],
    {f"{side}{at}": at_switch for side, at_switch in (("a", "p"), ("b", "q")) for at in range(8)},
    [(f"a{at}", f"b{at}", 0.1 if at else 0.4) for at in range(8)],
    routing={"choice": "single-path"},
)


def test_a_choice_of_ways_that_takes_much_of_the_waiting_away_is_a_cause_in_a_calm_network():
    alone = hopscope.explain(PARALLEL, confirm=False)
    assert alone.cause == Cause.HEALTHY
    assert alone.page["waiting"] > 0.3
    why = hopscope.explain(PARALLEL)
    assert why.cause == Cause.ROUTE_CONCENTRATION
    assert 'routing.choice="multi-path"' in first_of(why).set
    spread = hopscope.explain(PARALLEL | {"routing": {"choice": "multi-path"}})
    assert spread.cause == Cause.HEALTHY


@pytest.mark.parametrize(("delay", "cause"), [("200 us", Cause.SLOW_SERVICE), ("2 us", Cause.HEALTHY)])
def test_a_cable_far_longer_than_others_is_a_cause_where_it_takes_much(delay: str, cause: str):
    flows = [("a", "b", 0.2), ("c", "d", 0.2), ("b", "c", 0.2)]
    star = network([], dict.fromkeys("abcd", "s"), flows, switch={"fifo": {"bytes": "64 KiB"}})
    star["network"]["custom"]["hosts"][3]["delay"] = delay
    why = hopscope.explain(star)
    assert why.cause == cause
    if cause != Cause.HEALTHY:
        assert why.sentence.startswith(f"Long link: the cable d - s takes {delay}, where most take ")


def test_long_cables_between_switches_are_as_usual_as_short_ones_of_hosts():
    flows = [("a", "b", 0.2), ("b", "a", 0.2), ("a", "c", 0.2)]
    roomy = {"fifo": {"bytes": "64 KiB"}}
    campus = network(["st", "tu"], {"a": "s", "b": "t", "c": "u", "d": "u"}, flows, switch=roomy)
    for link in campus["network"]["custom"]["links"]:
        link["delay"] = "100 us"
    assert hopscope.explain(campus).cause == Cause.HEALTHY


def test_a_smaller_window_of_bursts_is_judged_by_the_messages_beside_them():
    row = {
        "model": "fabric",
        "network": {"star": {"arms": 0, "hosts_at_hub": 6}},
        "traffic": {
            "pattern": "uniform",
            "load": 0.2,
            "sizes": {"fixed": "1000 B"},
            "bursts": {"packet_share": 0.5, "window": 32},
        },
        "measure": {"messages": 10_000},
    }
    why = hopscope.explain(row, confirm=False)
    found = confirm(engine.load(row), why.naming(replace(why.verdict, cause=Cause.VARIABILITY)))
    assert found.confirmation is not None
    smaller = [trial for trial in found.confirmation.trials if "a window of bursts" in str(trial.what)]
    assert [trial.of_class for trial in smaller] == ["message"]
    assert smaller[0].other_class is not None
    assert smaller[0].other_class[1] == "burst time"
    # If a burst delays no other traffic, it is not tried.
    alone = confirm(engine.load(row), why.naming(replace(why.verdict, cause=Cause.RESOURCE)))
    assert alone.confirmation is not None
    assert not [trial for trial in alone.confirmation.trials if "a window of bursts" in str(trial.what)]
