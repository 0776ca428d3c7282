"""Changes worth a try: links that are full alike together, and none that cannot help at the place."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.relaxations import relaxations_for, relieves
from hopscope.planning.candidates.rows import ALL, HOSTS, TIER
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation

# Three lines in a row with headers that give each a use of 83 %.
LINES: dict[str, Any] = {
    "model": "sna",
    "node": [{"name": name, "service": {"exponential": "2 ms"}} for name in ("a", "b", "c", "d")],
    "group": [
        {"name": f"t{at}", "between": pair, "line": [{"rate": "56 kbit/s"}]}
        for at, pair in enumerate((["a", "b"], ["b", "c"], ["c", "d"]), 1)
    ],
    "route": [{"name": "er", "from": "a", "groups": ["t1", "t2", "t3"]}],
    "virtual_route": [{"number": 0, "route": "er", "most": 30, "least": 10}],
    "session": [{"virtual_route": 0, "size": "735 B", "gap": "130 ms"}],
    "measure": {"messages": 4_000},
}
IMPS: dict[str, Any] = {
    "model": "arpanet",
    "duration": "3 min",
    "network": {
        "line": [{"between": pair, "rate": "50 kbit/s", "delay": "5 ms"} for pair in (["A", "B"], ["B", "C"])]
    },
    "flow": [{"from": "A", "to": "C", "size": "1000 bit", "when": {"poisson": "26 ms"}}],
    "measure": {"messages": 100_000, "warmup": "10 s"},
}
# One flow over three switches, all its links as full.
ONE_FLOW: dict[str, Any] = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["a", "b", "c"],
            "links": [{"between": ["a", "b"]}, {"between": ["b", "c"]}],
            "hosts": [{"name": "s", "at": "a"}, {"name": "d", "at": "c"}],
        }
    },
    "traffic": {
        "load": 0.95,
        "sizes": {"uniform": {"from": "200 B", "to": "1800 B"}},
        "pattern": {"flows": [{"from": "s", "to": "d"}]},
    },
    "measure": {"messages": 20_000},
}
# Rare long packets make others wait at every host's link.
LONG_PACKETS: dict[str, Any] = {
    "model": "fabric",
    "network": {"star": {"arms": 0, "hosts_at_hub": 4}},
    "switch": {"discipline": "output", "fifo": "unbounded"},
    "traffic": {
        "load": 0.4,
        "sizes": {"bimodal": {"short": "200 B", "long": "60000 B", "short_share": 0.99}},
    },
    "measure": {"messages": 20_000},
}

# Four leaves below two spines as a list of cables.
CABLES = [
    "from,to,kind",
    *(f"h{leaf}{at},leaf{leaf},host" for leaf in range(4) for at in range(4)),
    *(f"leaf{leaf},spine{spine},trunk" for leaf in range(4) for spine in range(2)),
]


def _leaves(hosts: tuple[int, ...], spines: int, slow: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Leaves with these numbers of hosts below spines, of which some have slow cables."""
    leaves = [f"L{at}" for at in range(len(hosts))]
    tops = [f"S{at}" for at in range(spines)]
    return {
        "model": "fabric",
        "seed": 7,
        "network": {
            "custom": {
                "switches": [*leaves, *tops],
                "links": [
                    {"between": [leaf, top]} | ({"rate": "25 Gbit/s"} if top in slow else {})
                    for leaf in leaves
                    for top in tops
                ],
                "hosts": [
                    {"name": f"{leaf}h{at}", "at": leaf}
                    for leaf, count in zip(leaves, hosts, strict=True)
                    for at in range(count)
                ],
            }
        },
        "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
        "routing": {"rule": "by-family"},
        "frames": {"buffer": {"size": "32 MB", "alpha": 1.0}},
        "measure": {"messages": 100_000, "warmup": "none"},
    }


def _listed(scenario: dict[str, Any]) -> tuple[Explanation, list[Relaxation]]:
    why = hopscope.run(scenario).explain()
    return why, relaxations_for(engine.load(scenario), why)


def _reliefs(scenario: dict[str, Any]) -> list[Relaxation]:
    """What relieves the verdict."""
    why, listed = _listed(scenario)
    return [each for each in listed if relieves(each, why.verdict)]


def _upgraded(scenario: dict[str, Any], change: tuple[str, ...]) -> list[dict[str, Any]]:
    """The single links that a change makes faster, with their speed-ups."""
    return json.loads(engine.load(scenario).with_overrides([*change]).canonical_json())["upgrade"]["links"]


def _first_relief(scenario: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The cause that is named, and the change that gains most for it."""
    why = hopscope.explain(scenario)
    assert why.confirmation is not None
    assert why.confirmation.is_confirmed, why.confirmation_rows()
    return why.cause, why.confirmation.trials[0].set


def test_lines_in_a_row_that_are_as_full_are_made_faster_together():
    rates = tuple(f'group[{at}].line[0].rate="112 kbit/s"' for at in range(3))
    assert _first_relief(LINES) == ("resource", rates)
    assert _first_relief(IMPS) == (
        "resource",
        ('network.line[0].rate="100 kbit/s"', 'network.line[1].rate="100 kbit/s"'),
    )


def test_an_overload_of_all_lines_is_relieved_by_all_of_them():
    why, listed = _listed(LINES)
    verdict = Candidate(Cause.OVERLOAD, "", id="Line")
    everywhere = why.naming(verdict, *why.runners_up)
    found = [each for each in relaxations_for(engine.load(LINES), everywhere) if relieves(each, verdict)]
    assert "all 3 lines twice as fast" in [each.label for each in found]
    assert not any(each.label == "all 3 lines twice as fast" for each in listed)


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [
        (ONE_FLOW, ALL),
        (LONG_PACKETS, HOSTS),
    ],
)
def test_all_links_of_the_kinds_that_are_full_alike_are_a_remedy(scenario: dict[str, Any], kind: str):
    _, listed = _listed(scenario)
    rates = [each for each in listed if {ALL, HOSTS, TIER}.intersection(each.paths)]
    assert [each.paths[0] for each in rates if not each.is_general] == [kind]


def test_the_full_links_of_one_switch_are_made_faster_together():
    """Twelve hosts send over two links up: with one of them twice as fast the other is full as before."""
    inner = [f"L0h{number}" for number in range(12)]
    outer = [f"L{leaf}h{number}" for leaf in (1, 2, 3) for number in range(3)]
    # Each member at the leaf sends to one elsewhere.
    members = [name for pair in zip(inner, outer, strict=False) for name in pair]
    ring = {"hosts": {"named": members}, "pattern": {"all-reduce": {"size": "2 MiB"}}, "rounds": 5}
    hot = _leaves((12, 3, 3, 3), 2) | {"flows": [ring]}
    hot["frames"]["balancing"] = "adaptive"
    cause, found = _first_relief(hot)
    assert cause == "overload"
    assert sorted(each["between"] for each in _upgraded(hot, found)) == [["L0", "S0"], ["L0", "S1"]]


def test_all_cables_slower_than_their_like_are_brought_to_the_rate_of_these():
    slow = _leaves((3, 3, 3, 3), 3, frozenset({"S2"})) | {
        "flows": [{"pattern": {"all-to-all": {"size": "64 KiB", "order": "staged"}}, "rounds": 2}]
    }
    wide = [each for each in _reliefs(slow) if len(each.row) > 1]
    whole = [{(*link["between"], link["speedup"]) for link in _upgraded(slow, each.set)} for each in wide]
    assert {(f"L{at}", "S2", 4.0) for at in range(4)} in whole


def test_segments_are_a_cause_at_every_line_of_a_route_over_their_group():
    """Messages are cut where they begin: the segments load the line before the group as well."""
    groups = [dict(each) for each in LINES["group"]]
    groups[1]["longest"] = "64 B"
    cut = LINES | {"group": groups, "header": {}}
    cut |= {"session": [{"virtual_route": 0, "size": "1000 B", "gap": "400 ms"}]}
    change = next(each for each in _listed(cut)[1] if each.set == ("group[1].longest=",))
    line = Candidate(Cause.RESOURCE, "", id="Line")
    assert all(relieves(change, replace(line, nodes=nodes)) for nodes in (("a", "b"), ("c", "d")))
    assert not relieves(change, replace(line, nodes=("d", "e")))


def test_a_value_of_a_whole_network_relieves_no_station_with_its_own():
    radio = {
        "model": "pup",
        "network": [
            {
                "name": "rn",
                "number": 3,
                "medium": {"radio": {"from": [{"station": "b", "interval": "600 ms"}]}},
            }
        ],
        "host": [{"name": name, "network": "rn", "address": at} for at, name in enumerate("abcd", 10)],
        "test": [{"from": "a", "to": "c", "data": "200 B"}, {"from": "b", "to": "d", "data": "200 B"}],
        "measure": {"messages": 300, "warmup": "30 s"},
    }
    _, listed = _listed(radio)
    change = next(each for each in listed if each.paths == ["network[0].medium.radio.interval"])
    at = Candidate(Cause.RESOURCE, "", ("a", "rn"), "rn", id="RadioInterval")
    assert relieves(change, at)
    assert not relieves(change, replace(at, nodes=("b", "rn")))


def test_packets_of_one_destination_on_one_way_of_several_may_take_the_others():
    links = [{"between": pair} for pair in (["r", "a"], ["r", "b"], ["a", "c"], ["b", "c"])]
    hosts = [{"name": f"s{at}", "at": "c"} for at in (1, 2)] + [{"name": "d", "at": "r"}]
    one_way = {
        "model": "fabric",
        "network": {"custom": {"switches": ["r", "a", "b", "c"], "links": links, "hosts": hosts}},
        "routing": {"choice": "single-path"},
        "traffic": {
            "load": 0.45,
            "sizes": {"fixed": "1000 B"},
            "pattern": {"flows": [{"from": host, "to": "d"} for host in ("s1", "s2")]},
        },
        "measure": {"messages": 10_000},
    }
    assert hopscope.run(one_way).explain().cause == Cause.ROUTE_CONCENTRATION
    assert ('routing.choice="multi-path"',) in [each.set for each in _reliefs(one_way)]


def test_routes_over_all_roots_of_a_family_come_before_another_root():
    tree = {
        "model": "fabric",
        "network": {"fat-tree": {"tiers": 2, "radix": 8}},
        "routing": {"rule": "up-down"},
        "frames": {},
        "traffic": {"load": 0.25, "sizes": {"fixed": "4 KiB"}},
        "measure": {"messages": 5_000},
    }
    routes = [each for each in _listed(tree)[1] if each.cause is Cause.ROUTE_CONCENTRATION]
    assert routes[0].set == ('routing.rule="by-family"',)
    assert any("as the root" in each.label for each in routes[1:])
    # The routes of a scenario are chosen by its author: they are not broken.
    assert routes[0].mends is None


def test_a_long_cable_is_shortened_only_where_its_length_is_the_cause():
    custom = ONE_FLOW["network"]["custom"]
    links = [{"between": ["a", "b"], "delay": "10 us"}, {"between": ["b", "c"]}, {"between": ["a", "c"]}]
    long = ONE_FLOW | {"network": {"custom": custom | {"links": links}}, "measure": {"messages": 2_000}}
    why, listed = _listed(long)
    assert why.cause != Cause.SLOW_SERVICE
    delay = "network.custom.links[0].delay"
    assert not any(delay in each.paths for each in listed)
    verdict = replace(why.verdict, cause=Cause.SLOW_SERVICE, nodes=("a", "b"))
    slow = why.naming(verdict, *why.runners_up)
    (shorter,) = (each for each in relaxations_for(engine.load(long), slow) if delay in each.paths)
    assert relieves(shorter, verdict)


def _of_cables(folder: Path, **routing: str) -> str:
    """A scenario of a fabric's file, with routes that use one of its two spines or whatever is given."""
    (folder / "cables.csv").write_text("\n".join(CABLES) + "\n")
    scenario = {
        "model": "fabric",
        "network": {"file": {"path": "cables.csv"}},
        "routing": routing,
        "frames": {"flow_control": {"credits": {"lanes": 1}}},
        "traffic": {"load": 0.4, "sizes": {"fixed": "4 KiB"}},
        "measure": {"messages": 3_000},
    }
    (folder / "fabric.json").write_text(json.dumps(scenario))
    return str(folder / "fabric.json")


def _relieved_by(scenario: str, override: str) -> tuple[Relaxation, set[str]]:
    """The change with this override, and the classes of the causes of its run that it relieves."""
    why = hopscope.run(scenario).explain()
    change = next(each for each in relaxations_for(engine.load(scenario), why) if override in each.set)
    named = why.candidates
    return change, {each.cause for each in named if relieves(change, each)}


def test_a_single_root_of_a_fabrics_file_is_tried_as_what_is_broken(tmp_path: Path):
    scenario = _of_cables(tmp_path, rule="up-down", root="spine0")
    by_family = 'routing={ choice = "multi-path", rule = "by-family" }'
    change, classes = _relieved_by(scenario, by_family)
    assert change.mends == (
        "Routes: 4 of 8 links between switches carry nothing, because up*/down* has the single root spine0."
    )
    assert "route concentration" in classes


def test_tables_that_carry_less_than_the_rule_are_behind_waits_of_other_classes(
    command: Callable[..., Result], tmp_path: Path
):
    scenario = _of_cables(tmp_path, rule="by-family")
    cables = str(tmp_path / "cables.csv")
    for roots, carry_less in ((("spine0",), True), (("spine0", "spine1"), False)):
        picked = [word for root in roots for word in ("--root", root)]
        done = command("routes", cables, *picked, "--out", str(tmp_path / "some.lfts"))
        assert done.exit_code == 0, done.stderr
        scenario = _of_cables(tmp_path, rule="by-family", tables="some.lfts")
        why = hopscope.run(scenario).explain()
        label = 'routes by routing.rule = "by-family" in place of the tables'
        change = next(each for each in relaxations_for(engine.load(scenario), why) if each.label == label)
        assert (Cause.BLOCKING in change.also) == carry_less, roots


@pytest.mark.parametrize("most", ["100 ns", "0 s"])
def test_the_long_cable_may_be_the_one_that_states_no_delay(most: str):
    custom = {
        "switches": ["s", "t"],
        "links": [{"between": ["s", "t"], "delay": most}],
        "hosts": [
            {"name": "a", "at": "s", "delay": most},
            {"name": "b", "at": "s"},
            {"name": "c", "at": "t", "delay": most},
            {"name": "d", "at": "t", "delay": most},
        ],
    }
    scenario = {
        "model": "fabric",
        "network": {"custom": custom},
        "link": {"rate": "100 Gbit/s", "delay": "60 us"},
        "frames": {},
        "traffic": {"load": 0.1, "sizes": {"fixed": "16 KiB"}},
        "measure": {"messages": 2_000},
    }
    why = hopscope.explain(scenario)
    assert (why.cause, set(why.nodes)) == (Cause.SLOW_SERVICE, {"b", "s"})
    assert why.confirmation is not None
    assert why.confirmation.trials[0].set == (f'network.custom.hosts[1].delay="{most}"',)
