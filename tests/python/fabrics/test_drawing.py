"""Drawings of networks."""

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import combinations, pairwise

import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscope
from conftest import NETWORK, PROJECT
from hopscope import palette
from hopscope.drawing import layout, svg
from hopscope.drawing.picture import can_be_read, channel_use, compose
from hopscope.errors import UsageError
from hopscope.results.run import RunResult

SCENARIOS = PROJECT / "scenarios"
SVG = "{http://www.w3.org/2000/svg}"


def network(switches: int, links: list[tuple[int, int]], hosts: int = 0) -> dict:
    """A network as the engine describes one, without positions; every host is on switch 0."""
    nodes = [
        {"name": f"s{i}", "kind": "switch", "role": None, "x": None, "y": None, "level": None}
        for i in range(switches)
    ]
    nodes += [
        {"name": f"h{i}", "kind": "host", "role": "client", "x": None, "y": None, "level": None}
        for i in range(hosts)
    ]
    wires = [(f"s{a}", f"s{b}") for a, b in links] + [(f"h{i}", "s0") for i in range(hosts)]
    rows = [{"from": a, "to": b, "from_port": n, "to_port": n, "up": None} for n, (a, b) in enumerate(wires)]
    return {"figures": {"root": "s0"}, "nodes": nodes, "links": rows}


def test_a_drawing_is_well_formed_and_shows_every_node():
    drawn = hopscope.topology(NETWORK)
    root = ET.fromstring(drawn.svg())
    titles = titles_of(root)
    assert root.tag == f"{SVG}svg"
    for node in drawn.data["nodes"]:
        assert any(title == node["name"] or title.startswith(f"{node['name']} (") for title in titles)


def test_everything_is_drawn_within_the_frame():
    picture = compose(hopscope.topology(NETWORK).data)
    assert all(0 <= spot.x <= picture.width and 0 <= spot.y <= picture.height for spot in picture.spots)


def test_links_take_the_colour_of_their_use(network_run: RunResult):
    use = channel_use(network_run.summary.data["resources"])
    assert network_run.network is not None
    channels = 2 * len(network_run.network["links"])
    assert len(use) == channels
    busiest = max(use.values())
    assert palette.heat(busiest) in svg.draw(network_run.network, use)


def test_each_direction_of_a_link_keeps_its_own_use():
    rows = [
        {"id": "Output", "ends": ["s0", "s1"], "port": 0, "utilisation": 0.9},
        {"id": "Output", "ends": ["s1", "s0"], "port": 0, "utilisation": 0.1},
        {"id": "InputFifo", "ends": ["s1", "s0"], "port": 0, "utilisation": 0.5},
        {"id": "Output", "ends": ["h0", "s0"], "port": None, "utilisation": 0.3},
        {"id": "SwitchBuffer", "utilisation": 0.2},
    ]
    use = channel_use(rows)
    assert use == {("s0", 0): 0.9, ("s1", 0): 0.1, ("h0", "s0"): 0.3}
    (wire,) = compose(network(2, [(0, 1)]), use).wires
    assert wire.use == (0.9, 0.1)


def test_the_lanes_of_a_link_share_it():
    lane = {"id": "Output", "ends": ["s0", "s1"], "port": 3, "utilisation": 0.25}
    line = {"id": "Line", "ends": ["UCLA", "UCSB"], "port": None, "utilisation": 0.5}
    assert channel_use([lane, lane, line]) == {("s0", 3): 0.5, ("UCLA", "UCSB"): 0.5}


def test_parallel_links_lie_side_by_side():
    wires = compose(network(2, [(0, 1), (1, 0), (0, 1)])).wires
    assert sorted(wire.lane * (1 if wire.one.name == "s0" else -1) for wire in wires) == [-1.0, 0.0, 1.0]


def titles_of(root: ET.Element) -> list[str]:
    """The titles of a drawing's elements: what a mouse over them shows."""
    return [element.text or "" for element in root.iter(f"{SVG}title")]


def test_a_network_of_one_switch_can_be_drawn():
    titles = titles_of(ET.fromstring(svg.draw(network(1, [], hosts=3))))
    assert {"s0", "h0 (client)", "h1 (client)", "h2 (client)"} <= set(titles)


def test_names_cannot_break_out_of_the_drawing():
    drawn = network(1, [])
    drawn["nodes"][0]["name"] = '<script/>"&'
    root = ET.fromstring(svg.draw(drawn))
    assert '<script/>"&' in titles_of(root)
    assert not list(root.iter(f"{SVG}script"))


def test_a_network_too_large_to_read_is_told_from_one_that_is_not():
    assert can_be_read(network(2, [(0, 1)], hosts=100_000))
    assert not can_be_read(network(2, [(0, 1)] * 7000))


def test_a_crowd_of_hosts_is_counted_instead_of_drawn():
    assert "2 000 hosts not drawn" in svg.draw(network(2, [(0, 1)], hosts=2000))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 24), st.data())
def test_switches_never_lie_on_top_of_each_other(switches: int, data: st.DataObject):
    tree = [(data.draw(st.integers(0, node - 1)), node) for node in range(1, switches)]
    more = data.draw(
        st.lists(st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1)), max_size=20)
    )
    names = [f"s{i}" for i in range(switches)]
    places = layout.place(names, [(names[a], names[b]) for a, b in tree + more])
    assert set(places) == set(names)
    assert min(math.dist(a, b) for a, b in combinations(places.values(), 2)) > 0.3


def test_a_row_of_switches_is_drawn_as_a_row():
    names = [f"s{i}" for i in range(6)]
    places = layout.place(names, [(names[i], names[i + 1]) for i in range(5)])
    across = [places[name][0] for name in names]
    assert across == sorted(across)
    assert max(abs(y) for _, y in places.values()) < 0.5


def test_a_tree_read_from_a_file_is_drawn_by_its_levels():
    """The families of files bring levels and no places: spines above leaves, each row at one height."""
    data = hopscope.topology(SCENARIOS / "leaf-spine.ibnetdiscover").data
    nodes = {node["name"]: node for node in data["nodes"]}
    places = layout.of_switches(nodes, data["links"])
    heights = {
        level: {places[name][1] for name, node in nodes.items() if name in places and node["level"] == level}
        for level in (0, 1)
    }
    assert [len(each) for each in heights.values()] == [1, 1]
    assert heights[0].pop() < heights[1].pop()
    # Levels of a network with links within one are distances from a root, and no rows.
    torus = hopscope.topology(SCENARIOS / "torus-7x5.ibnetdiscover").data
    nodes = {node["name"]: node for node in torus["nodes"]}
    assert len({y for _, y in layout.of_switches(nodes, torus["links"]).values()}) > 6


def test_large_networks_are_laid_out_in_rows():
    names = [f"s{i}" for i in range(400)]
    places = layout.place(names, [(names[i], names[(i - 1) // 2]) for i in range(1, 400)])
    assert len(set(places.values())) == 400


def test_figures_tables_and_graph_agree():
    drawn = hopscope.topology(NETWORK)
    assert drawn.nodes.height == drawn.figures["switches"] + drawn.figures["hosts"]
    graph = drawn.graph()
    assert graph.number_of_nodes() == drawn.nodes.height
    assert graph.number_of_edges() == drawn.links.height


def test_a_switch_and_itself_are_no_path_and_single_points_are_counted_by_kind(
    command: Callable[..., Result],
):
    told = command("topology", "arpanet-row", "--json").stdout
    assert json.loads(told)["figures"]["hop_histogram"]["0"] == 10
    lines = command("topology", "arpanet-row").stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "on the path" in line)
    assert lines[at + 1].split()[:2] == ["1", "18"]
    assert any("single points of failure  8 IMPs: 2, 3" in line and "; 9 links: " in line for line in lines)


def test_a_model_without_a_network_has_no_topology():
    with pytest.raises(UsageError, match="`topology` needs a scenario of the model `fabric`"):
        hopscope.topology("queueing-mm1")


def test_the_heat_scale_darkens_steadily():
    def lightness(colour: str) -> float:
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    scale = [lightness(palette.heat(step / 50)) for step in range(51)]
    assert all(after < before for before, after in pairwise(scale))


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("pup-epr-gateway", "2 networks, 1 gateway, 2 hosts"),
        ("input-fifo-switch", "1 switch, 16 hosts, 0 links"),
        ("an1-tandem", "5 switches, 3 hosts, 4 links"),
    ],
)
def test_a_topology_is_told_by_what_it_is_counted_by(name: str, counts: str):
    assert repr(hopscope.topology(name)).endswith(f": {counts}>")
