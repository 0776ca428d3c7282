"""Bad files of other tools: each is refused, with the place and what was expected."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from cabling_examples import (
    CONTAINERLAB,
    GML,
    GRAPHVIZ,
    HPCC,
    HTSIM,
    LLDP,
    MINIGRAPH,
    NODE_LINK,
    PORTS,
    SHEET,
    SONIC,
    imported,
)
from hopscope.errors import ScenarioError, UsageError
from hopscope.importing.forms import import_file

BAD = [
    (GRAPHVIZ[:-3], "8:", "the file ends in the middle of the graph"),
    (GRAPHVIZ.replace("-- spine", "-> spine"), "8:32", '"->"'),
    (GRAPHVIZ.replace('"25G"', '"quick"'), "6:3", '"quick" is no rate'),
    (GRAPHVIZ.replace('"25G"', "<b>"), "6:28", "labels of HTML are not read"),
    (GRAPHVIZ.replace("-- spine", "-- ]"), "8:35", '"]"; expected a node'),
    ("graph {" * 1000, "1:707", "at most 100 braces"),
    ("graph { a -- a }", "1:9", "a cable to itself"),
    ("", "1:1", "the file is empty"),
    ("what is this\n", "1:1", "the form of this file is not known"),
    (LLDP[:-40], ":", "expected JSON"),
    ('{"lldp": {"interface": []}}', "1:1", "without its name"),
    ('{"leaf": {"lldp": {"interface": [{"swp1": {}}]}}}', "1:35", "the neighbour at swp1 is no table"),
    (SHEET.replace("leaf1;Ethernet49", ";Ethernet49"), "4:1", "without a device"),
    (SHEET.replace("100GbE", "fast"), "4:36:", '"fast" is no rate'),
    (SHEET.replace("leaf2;Ethernet49;spine;Ethernet2", "leaf2;Ethernet49;spine;Ethernet1"), "5:1", "line 4"),
    (SHEET + 'leaf2;"Ethernet50', "6:1", "expected CSV"),
    (SHEET.replace("h1;eth0;leaf1", "leaf1;eth0;leaf1"), "2:1", "a cable to itself"),
    (CONTAINERLAB.replace("spine:e1-2", "spin:e1-2"), "13:20", 'no node is called "spin"'),
    (CONTAINERLAB.replace('"leaf1:e1-1"', '"leaf1"'), "10:", '"node:port"'),
    (CONTAINERLAB.replace("nodes:", "nodes: ["), ":", "expected YAML"),
    (SONIC.replace('"name": "h1"', '"name": ""'), ":", "has no name"),
    ('{"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a"}}}', "1:1", "does not name its switch"),
    (SONIC.replace('"25000"', '"slow"'), ":", '"slow" is no rate'),
    (MINIGRAPH.replace("<EndDevice>leaf1</EndDevice>", ""), "2:", "a link without a device"),
    (MINIGRAPH[:-30], "6:", "expected XML"),
    (HTSIM.replace("Radix_Up 1", "Radix_Sideways 1"), "7:1", '"Radix_Sideways"'),
    (HTSIM.replace("Radix_Up 1", "Radix_Up one"), "7:1", "a whole number"),
    (HTSIM.replace("Radix_Up 1\n", ""), "5:1", "radix_up is missing"),
    (HTSIM.replace("Tiers 2", "Tiers 3"), "1:1", "2 of 3 tiers"),
    (HPCC.replace("3 4 400Gbps 0.001ms 0\n", ""), "6:1", "3 of 4 links"),
    (HPCC.replace("0 2 100Gbps", "0 7 100Gbps"), "3:3:", '"7" is no node'),
    (HPCC.replace("0 2 100Gbps 0.001ms", "0 2 100Gbps soon"), "3:13:", '"soon" is no delay'),
    ("2\n0 1 3 100 1000 2\n", "3:1", "1 of 2 flows"),
    ("2\n0 1 3 100 1000 2\n0 1 3 100 much 2\n", "3:11:", "much"),
    ("1\n1 1 3 100 1000 2\n", "2:3:", "a flow from 1 to itself"),
    ("1\n0 1 3 100 0 2\n", "2:11:", "a flow of 0 bytes"),
    ("1\n0 1 3 100 1000 -2.0\n", "2:16:", 'the start "-2.0"'),
    (GML.replace("]\n]", "]"), "11:1:", "expected ']', found EOF"),
    (GML.replace("id 0 ", "id 0 7 "), "2:15:", "expected ']', found 7"),
    (GML.replace("source 0 target 2", "source 0 target 7"), "9:3:", "edge #2 has undefined target 7"),
    ("graph [\n  node [ id 0\n", "3:1:", "expected ']', found EOF"),
    (NODE_LINK.replace('"source": "h1"', '"sauce": "h1"'), ":", 'edge 1 has no "source"'),
    (NODE_LINK.replace('"id": "h1"', '"name": "h1"', 1), ":", 'node 4 has no "id"'),
    ('{"nodes": 7, "links": []}', "1:3", '"nodes" is no list'),
    ('{"nodes": [{"id": 1}], "links": [7]}', "1:25", "edge 1 is no object"),
    (PORTS.replace("EDR", "FAST"), "1:35", '"FAST"'),
    (SHEET + "leaf1;Ethernet7;spine\n", "6:1", "3 fields; expected "),
    (SHEET + SHEET, "6:1", "the heading again; expected a cable"),
    (NODE_LINK.replace('"target": "spine"', '"target": "spine9"', 1), ":", 'names the node "spine9"'),
    (GRAPHVIZ.replace('"5ns"]', '"5ns"'), "7:6", '"--" after "h2", in a list of attributes'),
    (PORTS + "and so on\n", "10:1", '"and so on"'),
    (HPCC.replace("0.001ms 0\n1", "0.001ms none\n1"), "3:21:", '"none" is no error rate'),
    (HPCC.replace("0.001ms 0\n1", "0.001ms 7\n1"), "3:21:", "a share from 0 to 1"),
    (HPCC.replace("0.001ms 0\n1", "0.001ms nan\n1"), "3:21:", '"nan" is no error rate'),
    (HPCC.replace("5 3 4", "5 3 " + "9" * 5000), "1:5:", "how many nodes, switches and links"),
    (HPCC.replace("\n2 3 4\n", f"\n{'9' * 5000} 3 4\n"), "2:1", "a number from 0 to 4"),
    ("1\n0 1 3 100 1000 inf\n", "2:16:", 'the start "inf"'),
    ("1\n0 1 3 100 1000 1e999\n", "2:16:", 'the start "1e999"'),
    (HTSIM.replace("Radix_Down 1", "Radix_Down 0"), "1:1", "whole pods"),
    (HTSIM + "Bundle 0\n", "10:1", "in bundles of 0"),
    (HTSIM.replace("Radix_Up 1", "Radix_Up " + "1" * 5000), "7:1", "a whole number"),
    (HTSIM.replace("Nodes 2", "Nodes 2000000"), "1:1", "at most 1000000"),
    (CONTAINERLAB.replace("{kind: nokia_srlinux}", "a switch", 1), "4:5", "node leaf1 is no table"),
    (CONTAINERLAB.replace("leaf1", "le\x0baf1", 1), "4:7", "U+000B"),
    (CONTAINERLAB.replace("links:", "links: 7\n  other:"), "9:3", "topology.links is no list"),
    (SONIC.replace('"PORT": {', '"PORT": 7, "OTHER": {'), ":", "PORT is no table"),
    (LLDP.replace('"capability": [', '"capability": [7,', 1), ":", "a capability of h1 is no table"),
]
UNREADABLE = {
    "JSON": [
        NODE_LINK.replace('"h1"', "9" * 5000, 1),
        '{"lldp": ' + '{"a":' * 100_000,
        '{"nodes": [], "edges": ' + "[" * 100_000,
    ],
    "YAML": [CONTAINERLAB.replace("nokia_srlinux", "9" * 5000, 1), CONTAINERLAB + "x: " + "[" * 5000],
    "GML": [GML.replace("label ", "label [ a 1 ] other ", 1)],
}


@pytest.mark.parametrize(("text", "place", "words"), BAD)
def test_bad_input_is_told_by_file_line_and_column(tmp_path: Path, text: str, place: str, words: str):
    with pytest.raises(UsageError) as refused:
        imported(tmp_path, text)
    told = str(refused.value)
    assert told.startswith(f"{tmp_path}/file:{place}" if place != ":" else f"{tmp_path}/file:"), told
    assert words in told, told


def test_of_two_edges_between_two_nodes_of_gml_is_said_how_each_is_a_cable(tmp_path: Path):
    edge = next(line for line in GML.splitlines() if "source 0 target 2" in line)
    twice = GML.replace(edge, f"{edge}\n{edge}", 1)
    with pytest.raises(UsageError) as refused:
        imported(tmp_path, twice)
    assert "is duplicated; expected one edge between two nodes" in str(refused.value)
    assert "`multigraph 1` below `graph [`" in str(refused.value.hint)
    assert imported(tmp_path, twice.replace("graph [", "graph [\n  multigraph 1", 1)).cables == 5


@pytest.mark.parametrize(
    ("form", "text"), [(form, text) for form, texts in UNREADABLE.items() for text in texts], ids=str
)
def test_what_makes_a_parser_give_up_is_a_refusal(tmp_path: Path, form: str, text: str):
    with pytest.raises(UsageError, match=f"/file: cannot be read as {form}: "):
        imported(tmp_path, text)


def test_a_file_that_is_not_there_or_is_no_file_is_told_so(command: Callable[..., Result], here: Path):
    assert "there is no file `nosuch`" in command("import", "nosuch").stderr
    os.mkfifo("fifo")
    for place in ("fifo", str(here)):
        assert f"{place}: this is not a regular file" in command("import", place).stderr


@pytest.mark.parametrize(
    ("written", "place", "words"),
    [
        ("Device A;Device B\r\nné;leaf".encode("latin-1"), "2:2", "this is not UTF-8 text"),
        ("Device A;Device B\nh;leaf".encode("utf-16"), "1:1", "`iconv -f UTF-16 -t UTF-8` can"),
    ],
    ids=["latin-1", "utf-16"],
)
def test_a_text_in_another_code_is_refused_at_its_first_byte(
    command: Callable[..., Result], here: Path, written: bytes, place: str, words: str
):
    (here / "text").write_bytes(written)
    refused = command("import", "text")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"error: text:{place}: ")
    assert words in refused.stderr


@pytest.mark.parametrize(
    "words", [("file",), ("nowhere",), ("file", "--form", "nothing"), ("file", "--form", "gml")]
)
def test_the_verb_refuses_with_exit_code_2(command: Callable[..., Result], words: tuple[str, ...]):
    Path("file").write_text("what is this\n")
    assert command("import", *words).exit_code == 2


def test_what_is_wrong_in_a_fabric_that_every_command_reads_is_told_at_its_place(here: Path):
    graph = here / "broken.graphml"
    graph.write_text("<?xml version='1.0'?>\n<graphml>\n  <node></nod>\n</graphml>\n")
    with pytest.raises(ScenarioError, match=r"expected 'node' tag, not 'nod'\n *--> broken\.graphml:3:"):
        import_file(graph.name)


def test_a_topology_of_slurm_is_refused_in_one_line(command: Callable[..., Result], here: Path):
    (here / "topology.conf").write_text(
        "# Slurm\nSwitchName=leaf1 Nodes=node[01-08]\nSwitchName=s Switches=leaf1\n"
    )
    for words in (("check", "topology.conf"), ("import", "topology.conf")):
        refused = command(*words)
        assert refused.exit_code == 2
        assert refused.stderr.startswith("error: topology.conf:2:1: this is Slurm's topology.conf"), (
            refused.stderr
        )
        assert refused.stderr.count("error") == 1


def test_a_name_in_another_encoding_is_not_called_compressed(here: Path):
    (here / "pod.csv").write_bytes(SHEET.replace("leaf1", "K\u00f6ln").encode("latin-1"))
    with pytest.raises(UsageError) as refused:
        import_file("pod.csv")
    assert "letters in another encoding?" in str(refused.value.hint), refused.value


def test_a_list_of_cables_is_told_its_heading_and_another_file_to_write(
    command: Callable[..., Result], here: Path
):
    rows = "leaf1,49,spine1,1\nleaf2,49,spine1,2\n"
    (here / "cables.csv").write_text(f"leaf,leafport,spine,spineport\n{rows}")
    refused = command("topology", "cables.csv")
    assert "`hopscope import cables.csv --out fabric.csv`" in refused.stderr
    assert command("import", "cables.csv", "--out", "fabric.csv").exit_code == 0
    (here / "bare.csv").write_text(rows)
    assert "`from,to,from_port,to_port,rate,delay,kind`" in command("topology", "bare.csv").stderr
