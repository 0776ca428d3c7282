"""Settings far from what is usual, and windows and buffers that are far too small."""

import json
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope import _core, engine
from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation, changes
from hopscope.planning.candidates.reliefs import with_larger
from hopscope.planning.candidates.suspects import suspect
from hopscope.planning.quantities import in_ps, scaled, whole_ps
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Trial

PAIR = {
    "host": [{"name": "a", "network": "x", "address": 10}, {"name": "b", "network": "y", "address": 11}],
    "test": [{"from": "a", "to": "b", "data": "200 B"}],
    "processing": {"host": {"pup": "0.3 ms", "word": "0 s"}, "gateway": {"pup": "1 ms"}},
    "measure": {"messages": 4_000},
}


def by_line(stream: dict[str, Any], **line: Any) -> dict[str, Any]:
    """A stream between two Ethernets with a line between them."""
    networks = [("x", 3, {"ethernet": {}}), ("ln", 4, {"line": line}), ("y", 5, {"ethernet": {}})]
    gateways = [("g1", (("x", 1), ("ln", 1))), ("g2", (("ln", 2), ("y", 2)))]
    return {
        "model": "pup",
        "network": [{"name": name, "number": at, "medium": medium} for name, at, medium in networks],
        "gateway": [
            {"name": name, "on": [{"network": net, "address": at} for net, at in on]} for name, on in gateways
        ],
        "stream": stream,
        **PAIR,
    }


def on_one_cable(**ethernet: Any) -> dict[str, Any]:
    """A stream between two hosts of one Ethernet."""
    hosts = [{**host, "network": "x"} for host in PAIR["host"]]
    network = [{"name": "x", "number": 3, "medium": {"ethernet": ethernet}}]
    return {"model": "pup", "network": network, **PAIR, "host": hosts}


def subareas(lines: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A session over one group of lines."""
    return {
        "model": "sna",
        "node": [{"name": "p"}, {"name": "q"}],
        "group": [{"name": "tg", "between": ["p", "q"], "line": lines}],
        "route": [{"name": "er", "from": "p", "groups": ["tg"]}],
        "virtual_route": [{"number": 1, "route": "er", "window": 100}],
        "session": [{"virtual_route": 1, "size": "512 B", "gap": "50 ms"}],
        "measure": {"messages": 5_000},
        **more,
    }


def first_of(why: Explanation) -> Trial:
    assert why.confirmation is not None, why.sentence
    return why.confirmation.in_order[0]


@pytest.mark.parametrize(
    ("scenario", "setting", "usual"),
    [
        (on_one_cable(gap="6 ms"), 'network[0].medium.ethernet.gap="0 s"', "none is usual"),
        (
            by_line({}, rate="19.2 kbit/s", framing="300 B"),
            'network[1].medium.line.framing="8 B"',
            "8 B is usual",
        ),
        (
            subareas(
                [{"rate": "56 kbit/s"}],
                header={"piu": "240 B"},
                session=[{"virtual_route": 1, "size": "64 B", "gap": "48 ms"}],
            ),
            'header.piu="29 B"',
            "29 B is usual",
        ),
    ],
)
def test_a_setting_far_from_its_usual_value_is_the_cause(scenario: dict[str, Any], setting: str, usual: str):
    why = hopscope.explain(scenario)
    assert why.cause == Cause.SLOW_SERVICE, why.sentence
    assert usual in why.sentence
    assert first_of(why).set == (setting,)
    assert first_of(why).is_sure


def far(model: str, canonical: dict[str, Any]) -> list[Relaxation]:
    """The changes of settings that are far from usual."""
    return [each for each in changes(model, canonical) if each.mends]


@pytest.mark.parametrize("computer", ["h516", "h316"])
def test_the_usual_times_of_processors_are_those_that_they_have_by_default(computer: str):
    canonical = json.loads(engine.load("arpanet-row").canonical_json())
    default = canonical["processor"][computer]
    slow = {name: str(scaled(value, 1_000)) for name, value in default.items()}
    listed = far("arpanet", canonical | {"processor": {computer: slow}})
    usual = {f'processor.{computer}.{name}="{value}"' for name, value in default.items()}
    assert {each.set[0] for each in listed} == usual


def test_a_setting_near_its_usual_value_is_no_fault():
    def listed(piu: str) -> list[Relaxation]:
        return far("sna", {"header": {"piu": piu, "answer": "29 B"}})

    assert listed("29 B") == listed("140 B") == listed("4 B") == []
    assert [each.set for each in listed("145 B")] == [('header.piu="29 B"',)]


def test_what_is_sent_at_fixed_times_is_far_where_these_are_short():
    def listed(every: str) -> list[Relaxation]:
        return far("arpanet", {"sites": {"status_reports": {"every": every}}})

    assert listed("60 s") == listed("1 h") == []
    (told,) = listed("3 s")
    assert told.set == ('sites.status_reports.every="52.4288 s"',)
    assert "3 s" in str(told.mends)


def test_one_setting_in_several_places_is_set_right_in_all():
    networks = [{"name": name, "medium": {"line": {"framing": "300 B"}}} for name in "uv"]
    (told,) = far("pup", {"network": networks})
    assert told.set == ('network[0].medium.line.framing="8 B"', 'network[1].medium.line.framing="8 B"')
    assert "1 more place" in str(told.mends)


def test_a_timeout_far_from_usual_is_told_beside_the_losses_that_it_prolongs():
    scenario = {
        "model": "arpanet",
        "duration": "3 min",
        "network": {"errors": 0.01, "line": [{"between": [*ends]} for ends in ("AB", "BC", "CD", "DE")]},
        "host": [{"name": "S", "imp": "A"}, {"name": "Q", "imp": "E"}],
        "flow": [{"from": "S", "to": "Q", "size": "1000 bit", "when": {"poisson": "600 ms"}}],
        "protocol": {"retransmit_after": "4 s"},
        "measure": {"messages": 1_000_000, "warmup": "none"},
    }
    why = hopscope.explain(scenario)
    assert why.cause == Cause.LOSS, why.sentence
    assert "is 4 s (`protocol.retransmit_after`), where 125 ms is usual" in why.sentence


def test_a_far_line_beside_near_ones_is_the_cause():
    near, far_away = [{"rate": "56 kbit/s", "propagation": delay} for delay in ("5 ms", "400 ms")]
    why = hopscope.explain(subareas([near, far_away, near]))
    assert (why.cause, set(why.nodes)) == (Cause.SLOW_SERVICE, {"p", "q"}), why.sentence
    assert first_of(why).set == ('group[0].line[1].propagation="5 ms"',)
    alike = hopscope.explain(subareas([far_away] * 3))
    assert alike.cause == Cause.HEALTHY, alike.sentence


def test_a_window_is_tried_at_many_times_its_size_and_the_smallest_that_suffices_is_told():
    why = hopscope.explain(by_line({"window": 1}, rate="230.4 kbit/s", transit="60 ms"))
    assert why.cause == Cause.WINDOW
    assert "It allows one at a time" in why.sentence
    told = first_of(why)
    assert told.set == ("stream.window=9",)
    # A window that has room enough at once is no larger than that.
    near = first_of(
        hopscope.explain(by_line({"window": 5, "sender": "sliding"}, rate="230.4 kbit/s", transit="20 ms"))
    )
    assert near.set == ("stream.window=7",)


def test_a_buffer_is_tried_in_all_its_sizes_where_it_refuses_packets():
    radio = {"medium": {"radio": {"assemblies": 1}}, "name": "pr"}
    listed = changes("pup", {"network": [radio]})
    own = [each for each in listed if "assemblies" in each.label and each.curve]
    refused = suspect(Cause.LOSS, "", ["a", "pr"], None)
    tried = [each.set[0].rpartition("=")[2] for each in with_larger(refused, own)]
    assert tried[:3] == ["5", "9", "17"]
    busy = suspect(Cause.RESOURCE, "", ["a", "pr"], None)
    assert with_larger(busy, own) == own


def test_a_full_table_is_tried_in_all_its_sizes():
    own = [each for each in changes("arpanet", {"protocol": {"pending_packets": 1}}) if "PPT" in each.label]
    full = replace(suspect(Cause.RESOURCE, "", ["A"], None), id="PendingPacketTable")
    assert [each.set[0].rpartition("=")[2] for each in with_larger(full, own)] == ["3", "5", "9"]
    other = replace(full, id="Line")
    assert with_larger(other, own) == own


@pytest.mark.parametrize("kind", ["h516", "h316"])
def test_the_usual_times_of_a_processor_are_its_defaults(kind: str):
    pair = [{"from": "A", "to": "B", "size": "1 bit", "when": {"every": "1 s"}}]
    net = {"model": "arpanet", "network": {"line": [{"between": ["A", "B"]}]}, "flow": pair}
    own = json.loads(_core.load_data("net", json.dumps(net)).canonical_json())["processor"][kind]
    assert not far("arpanet", {"processor": {kind: own}})
    for field, default in own.items():
        slow = whole_ps(scaled(default, 6.0))
        (told,) = far("arpanet", {"processor": {kind: own | {field: slow}}})
        assert abs(in_ps(told.set[0].partition('"')[2].strip('"')) - in_ps(default)) < in_ps("1 us")
        assert kind.removeprefix("h") in told.label
        assert f"processor.{kind}.{field}" in told.set[0]


def test_a_slow_detection_and_a_wary_skeptic_are_far_from_usual():
    def listed(**times: str) -> list[tuple[str, ...]]:
        return [each.set for each in far("fabric", {"reconfiguration": times})]

    assert listed(detection="40 ms", skeptic="400 ms") == []
    assert listed(detection="800 ms", skeptic="20 s") == [
        ('reconfiguration.detection="10 ms"',),
        ('reconfiguration.skeptic="100 ms"',),
    ]


def test_buffers_that_are_kept_unused_for_too_long_are_the_cause():
    names = "ABCDEF"
    often = {"to": "T", "size": "8063 bit", "when": {"poisson": "6 s"}}
    scenario = {
        "model": "arpanet",
        "duration": "2 min",
        "network": {"line": [{"between": [name, "Z"]} for name in names] + [{"between": ["Z", "T"]}]},
        "host": [{"name": f"h{name}", "imp": name} for name in names],
        "flow": [{"from": f"h{name}", **often} for name in names],
        "protocol": {"give_back_after": "10 s"},
        "measure": {"messages": 1_000_000, "warmup": "none"},
    }
    why = hopscope.explain(scenario)
    assert "is 10 s (`protocol.give_back_after`), where 250 ms is usual" in why.sentence
    assert first_of(why).set == ('protocol.give_back_after="250 ms"',)


def test_more_room_is_tried_where_buffers_refuse_what_then_comes_out_of_order():
    ends = [("A", "D"), ("B", "E")]
    scenario = {
        "model": "arpanet",
        "duration": "90 s",
        "network": {"line": [{"between": [name, "C"]} for name in "ABDE"]},
        "host": [{"name": f"h{name}", "imp": name} for name in "AB"],
        "flow": [
            {"from": f"h{start}", "to": end, "size": "1000 bit", "when": {"poisson": "60 ms"}}
            for start, end in ends
        ],
        "protocol": {"store_and_forward": 3},
        "measure": {"messages": 1_000_000, "warmup": "none"},
    }
    why = hopscope.explain(scenario)
    assert why.cause == Cause.LOSS, why.sentence
    (change,) = first_of(why).set
    path, _, room = change.partition("=")
    assert path == "protocol.store_and_forward"
    assert int(room) > 7
