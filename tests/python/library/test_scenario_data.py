"""A scenario from what a program has in memory: a dict, a graph, a frame, an array; without any file."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest

import hopscope
from hopscope.scenario_data import json_text

HOSTS = ["h0", "h1", "h2", "h3"]


def square(**more: Any) -> dict[str, Any]:
    """Four switches in a square with a host at each."""
    graph = nx.cycle_graph(["a", "b", "c", "d"])
    for nth, switch in enumerate(list(graph)):
        graph.add_edge(f"h{nth}", switch, rate="10 Gbit/s")
        graph.nodes[f"h{nth}"]["kind"] = "host"
    traffic = {"pattern": "uniform", "load": 0.2, "sizes": {"fixed": "1 kB"}}
    return {
        "model": "fabric",
        "network": graph,
        "traffic": traffic,
        "measure": {"messages": 2_000},
        **more,
    }


def test_a_dict_is_the_scenario_that_its_text_is(here: Path):
    text = 'model = "queueing"\n[arrivals]\nload = 0.5\nprocess = "poisson"\n[[station]]\n'
    (here / "queue.toml").write_text(text + 'service = { fixed = "1 us" }\n[measure]\nmessages = 2000\n')
    data = {
        "model": "queueing",
        "arrivals": {"load": 0.5, "process": "poisson"},
        "station": [{"service": {"fixed": "1 us"}}],
        "measure": {"messages": 2000},
    }
    assert (
        hopscope.run(data).summary.data["result_hash"]
        == hopscope.run("queue.toml").summary.data["result_hash"]
    )


def test_a_graph_is_a_network_with_its_rates(here: Path):
    topology = hopscope.topology(square())
    nodes = {node["name"]: node["kind"] for node in topology.data["nodes"]}
    assert sorted(name for name, kind in nodes.items() if kind == "host") == HOSTS
    assert len(topology.data["links"]) == 8
    result = hopscope.run(square(), seed=7, out=here / "kept")
    again = hopscope.run(here / "kept" / "scenario.toml")
    assert again.summary.data["result_hash"] == result.summary.data["result_hash"]


@pytest.mark.parametrize("count", [-1, 1.5, "2"])
def test_hosts_of_a_switch_are_a_count(count: Any):
    with pytest.raises(hopscope.UsageError, match=f"hosts_per_switch: {count!r} is") as refused:
        hopscope.network_of(nx.cycle_graph(3), hosts_per_switch=count)
    assert "hosts_per_switch=" in str(refused.value.hint)
    assert len(hopscope.network_of(nx.cycle_graph(3), hosts_per_switch=np.int64(2))["custom"]["hosts"]) == 6


def test_attributes_of_a_graph_have_any_of_their_usual_names():
    graph = nx.Graph()
    graph.add_nodes_from(["h0", "h1"], type="host")
    graph.add_node("s", type="ToR")
    graph.add_edge("h0", "s", bandwidth="400 Gbit/s", latency="1 us")
    graph.add_edge("h1", "s", capacity="100 Gbit/s", delay="2 us")
    network = hopscope.network_of(graph)["custom"]
    assert network["switches"] == ["s"]
    assert network["hosts"] == [
        {"name": "h0", "at": "s", "rate": "400 Gbit/s", "delay": "1 us"},
        {"name": "h1", "at": "s", "rate": "100 Gbit/s", "delay": "2 us"},
    ]


def test_hosts_are_added_to_a_graph_of_switches():
    directed = nx.DiGraph([("x", "y"), ("y", "x"), ("y", "z")])
    network = hopscope.network_of(directed, hosts_per_switch=2)["custom"]
    assert network["links"] == [{"between": ["x", "y"]}, {"between": ["y", "z"]}]
    assert [host["name"] for host in network["hosts"]] == ["x-h0", "x-h1", "y-h0", "y-h1", "z-h0", "z-h1"]


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_flows_come_as_a_frame(library: str):
    frames = importlib.import_module(library)
    rows = {"from": ["h0", "h1"], "to": ["h2", "h3"], "size": ["64 KiB", "1 MiB"], "start": [None, "3 us"]}
    flows = [{"pattern": {"list": {"flows": frames.DataFrame(rows)}}}]
    scenario = {key: value for key, value in square().items() if key not in ("traffic", "measure")}
    result = hopscope.run({**scenario, "routing": {"rule": "shortest"}, "frames": {}, "flows": flows})
    assert result.summary.data["measured"]["messages"] == 2


def test_a_matrix_comes_as_an_array():
    pairs = hopscope.pairs_of(np.array([[0, 1.5], [1, 0]]), ["h0", "h2"])
    assert pairs == [{"from": "h0", "to": "h2", "weight": 1.5}, {"from": "h2", "to": "h0", "weight": 1.0}]
    traffic = {"pattern": {"matrix": {"pairs": pairs}}, "load": 0.2, "sizes": {"fixed": "1 kB"}}
    in_frame = {**traffic, "pattern": {"matrix": {"pairs": pl.DataFrame(pairs)}}}
    hashes = {hopscope.run(square(traffic=each)).summary.data["result_hash"] for each in (traffic, in_frame)}
    assert len(hashes) == 1


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown field": (square(trafic={}), 'there is no field "trafic"'),
    "a value out of range": (square(seed=-1), "seed:"),
    "a host that is none": (
        square(
            traffic={"pattern": {"matrix": {"pairs": [{"from": "h0", "to": "h9", "weight": 1}]}}, "load": 0.1}
        ),
        "h9",
    ),
    "what no scenario holds": (square(title=object()), "title: object is not a value"),
    "not a number": (square(traffic={"load": float("nan")}), "traffic.load: nan is not a number"),
    "not a number in a list": (square(station=[{"load": float("nan")}]), "station[0].load: nan is not"),
    "no number": (square(traffic={"load": float("inf")}), "traffic.load: inf is not a number"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_by_its_path(name: str):
    scenario, words = BAD[name]
    with pytest.raises((hopscope.ScenarioError, hopscope.UsageError)) as refused:
        hopscope.run(scenario)
    assert words in str(refused.value)
    assert " --> " not in str(refused.value), "there is no file whose line could be told"


def test_graphs_that_are_no_networks_are_refused():
    for graph, words in (
        (nx.Graph([("a", 1), (1, "1")]), "same name"),
        (with_kinds([("h", "g")], h="host", g="host"), "joins two hosts"),
        (with_kinds([("h", "a"), ("h", "b")], h="host"), "more than one link"),
        (with_kinds([("a", "b")], h="host"), "no link"),
        (with_kinds([("a", "b")], a="hub"), "hub"),
    ):
        with pytest.raises(hopscope.UsageError, match=words):
            hopscope.network_of(graph)


def with_kinds(edges: list[tuple[str, str]], **kinds: str) -> nx.Graph:
    """A graph with nodes of these kinds."""
    graph = nx.Graph(edges)
    for name, kind in kinds.items():
        graph.add_node(name, kind=kind)
    return graph


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_cell_that_is_no_number_is_an_empty_one(library: str):
    rows = {"from": ["h0", "h1"], "to": ["h2", "h3"], "weight": [1.5, float("nan")]}
    frame = importlib.import_module(library).DataFrame(rows)
    text = json_text({"pairs": frame})
    assert text == '{"pairs": [{"from": "h0", "to": "h2", "weight": 1.5}, {"from": "h1", "to": "h3"}]}'


@pytest.mark.parametrize("call", [lambda: hopscope.network_of(5), lambda: hopscope.pairs_of(5, ["h0"])])
def test_what_is_no_graph_and_no_matrix_is_named(call: Callable[[], object]):
    with pytest.raises(hopscope.UsageError, match="int is no"):
        call()
