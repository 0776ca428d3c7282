"""Subnets of IMPs that are slow though no line is busy: the cause that is named, and what helps."""

import json
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.planning.candidates.relaxations import relaxations_for, relieves

ROW = ["AB", "BC", "CD", "DE"]
FILE = {"from": "H", "to": "K", "size": "8063 bit", "when": "saturated"}
CHAT = {"from": "H", "to": "K", "size": "900 bit", "when": "saturated"}
CHATS = {**CHAT, "when": {"poisson": "160 ms"}}


def _subnet(lines: list[str], flow: dict[str, Any], **others: Any) -> dict[str, Any]:
    """IMPs joined by these lines, and a flow from A to E; the network's other parameters may be others'."""
    network = {"line": [{"between": [*pair]} for pair in lines], **others.pop("network", {})}
    return {
        "model": "arpanet",
        "duration": "2 min",
        "network": network,
        "host": [{"name": "H", "imp": "A"}, {"name": "K", "imp": "E"}],
        "flow": [flow],
        "measure": {"messages": 1_000_000, "warmup": "none"},
        **others,
    }


def _far(lines: list[str], far: list[str], delay: str) -> list[dict[str, Any]]:
    return [{"between": [*pair], **({"delay": delay} if pair in far else {})} for pair in lines]


LONG = _subnet(ROW, FILE, network={"line": _far(ROW, ["CD"], "300 ms")})
# Of the ways from A to E the one of two lines goes by a satellite.
BY_SATELLITE = ["AS", "SE", "AB", "BC", "CE"]
SATELLITE = _subnet(BY_SATELLITE, CHATS, network={"line": _far(BY_SATELLITE, ["AS", "SE"], "250 ms")})
ALL_LONG = _subnet(ROW, CHAT, network={"line": _far(ROW, ROW, "60 ms")}, protocol={"message_numbers": 8})
VERY_DISTANT = _subnet(
    ROW,
    FILE,
    network={"imp": [{"name": "E", "very_distant_host": True}]},
    host=[{"name": "H", "imp": "A"}, {"name": "G", "imp": "A"}, {"name": "K", "imp": "E"}],
)
VERY_DISTANT["flow"] = [FILE, {**FILE, "from": "G", "to": "E"}]


@pytest.mark.parametrize(
    ("scenario", "cause", "nodes", "told", "change"),
    [
        (LONG, "slow service", {"C", "D"}, "takes 300 ms", "network.line[2].delay"),
        (SATELLITE, "slow service", {"S", "E"}, "One other is as long", "network.line[0].delay"),
        (ALL_LONG, "window", {"A", "E"}, "travelling", "network.line[0].delay"),
        (
            VERY_DISTANT,
            "resource",
            {"E"},
            "2 of the 10 buffers are hardly used",
            "network.imp[0].very_distant_host",
        ),
    ],
)
def test_what_holds_messages_back_is_named_and_what_helps_is_tried(
    scenario: dict[str, Any], cause: str, nodes: set[str], told: str, change: str
):
    why = hopscope.explain(scenario)
    assert (why.cause, set(why.nodes)) == (cause, nodes), why.sentence
    assert told in why.sentence
    assert why.confirmation is not None
    assert why.confirmation.is_confirmed, why.confirmation_rows()
    paths = [each.partition("=")[0] for each in why.confirmation.trials[0].set]
    assert change in paths


def test_lines_become_shorter_only_where_a_cause_needs_it():
    lines = [f"network.line[{nth}].delay" for nth in range(len(ROW))]

    def offered(scenario: dict[str, Any], cause: Cause) -> list[list[str]]:
        why = hopscope.run(scenario).explain()
        verdict = replace(why.verdict, cause=cause, nodes=("C", "D"))
        named = why.naming(verdict)
        listed = relaxations_for(engine.load(scenario), named)
        return [each.paths for each in listed if set(each.paths) & {*lines} and relieves(each, verdict)]

    assert offered(LONG, Cause.SLOW_SERVICE) == [[lines[2]]]
    assert offered(LONG, Cause.RESOURCE) == []
    assert offered(LONG, Cause.WINDOW) == [], "there can be more message numbers"
    assert offered(ALL_LONG, Cause.WINDOW) == [lines]
    assert offered(ALL_LONG, Cause.SLOW_SERVICE) == [], "none is far longer than the others"
    canonical = json.loads(engine.load(ALL_LONG).canonical_json())
    assert canonical["network"]["line"][0]["delay"] == "60 ms"
