"""Files of other tools as fabrics: each form read, and each kind of bad input told with its place."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
from click.testing import Result

import hopscope
from hopscope import engine
from hopscope.errors import ScenarioError, UsageError
from hopscope.importing.forms import FORMS, Imported, import_file


# Two leaves, one spine, two hosts: what every good example below is.
def _seen(port: str, far: str, at: str, kind: str) -> dict[str, object]:
    chassis = {far: {"capability": [{"type": kind, "enabled": True}]}}
    return {port: {"chassis": chassis, "port": {"id": {"type": "ifname", "value": at}}}}


LLDP = json.dumps(
    {
        name: {"lldp": {"interface": [_seen(*each) for each in ports]}}
        for name, ports in {
            "leaf1": [("swp1", "h1", "eth0", "Station"), ("swp49", "spine", "swp1", "Bridge")],
            "leaf2": [("swp1", "h2", "eth0", "Station"), ("swp49", "spine", "swp2", "Router")],
            "spine": [("swp1", "leaf1", "swp49", "Bridge"), ("swp2", "leaf2", "swp49", "Bridge")],
        }.items()
    },
    indent=1,
)

SHEET = '''Side A;Port A;Side B;Port B;Speed;Remark
h1;eth0;leaf1;Ethernet1;25G;"row 1; left"
h2;eth0;leaf2;Ethernet1;25G;
leaf1;Ethernet49;"spine";Ethernet1;100GbE;"said ""new"""
leaf2;Ethernet49;spine;Ethernet2;100 Gbit/s;
'''

NETBOX = """ID,Label,side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,status
1,,h1,dcim.interface,eth0,leaf1,dcim.interface,Ethernet1/1,connected
2,,h2,dcim.interface,eth0,leaf2,dcim.interface,Ethernet1/1,connected
3,,leaf1,dcim.interface,Ethernet1/49,spine,dcim.interface,Ethernet1/1,connected
4,,leaf2,dcim.interface,Ethernet1/49,spine,dcim.interface,Ethernet1/2,connected
5,,leaf2,dcim.interface,Ethernet1/50,spine,dcim.interface,Ethernet1/3,planned
"""

CONTAINERLAB = """name: lab
topology:
  nodes:
    leaf1: {kind: nokia_srlinux}
    leaf2: {kind: nokia_srlinux}
    spine: {kind: nokia_srlinux}
    h1: {kind: linux}
    h2: {kind: linux}
  links:
    - endpoints: ["h1:eth1", "leaf1:e1-1"]
    - endpoints: ["h2:eth1", "leaf2:e1-1"]
    - endpoints: ["leaf1:e1-49", "spine:e1-1"]
    - endpoints: ["leaf2:e1-49", "spine:e1-2"]
"""

SONIC = json.dumps(
    {
        name: {
            "DEVICE_METADATA": {"localhost": {"hostname": name}},
            "PORT": {port: {"speed": speed} for port, _, _, speed in ports},
            "DEVICE_NEIGHBOR": {port: {"name": far, "port": at} for port, far, at, _ in ports},
            "DEVICE_NEIGHBOR_METADATA": {
                far: {"type": "Server" if far[0] == "h" else "SpineRouter"} for _, far, _, _ in ports
            },
        }
        for name, ports in {
            "leaf1": [("Ethernet0", "h1", "eth0", "25000"), ("Ethernet4", "spine", "Ethernet0", "100000")],
            "leaf2": [("Ethernet0", "h2", "eth0", "25000"), ("Ethernet4", "spine", "Ethernet4", "100000")],
        }.items()
    },
    indent=1,
)


def _link(a: str, a_port: str, b: str, b_port: str) -> str:
    return (
        "<DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType>"
        f"<StartDevice>{a}</StartDevice><StartPort>{a_port}</StartPort>"
        f"<EndDevice>{b}</EndDevice><EndPort>{b_port}</EndPort><Bandwidth>100000</Bandwidth></DeviceLinkBase>\n"
    )


MINIGRAPH = (
    '<DeviceMiniGraph xmlns="urn:x" xmlns:i="urn:i"><PngDec><DeviceInterfaceLinks>\n'
    + _link("h1", "eth0", "leaf1", "Ethernet0")
    + _link("h2", "eth0", "leaf2", "Ethernet0")
    + _link("leaf1", "Ethernet4", "spine", "Ethernet0")
    + _link("leaf2", "Ethernet4", "spine", "Ethernet4")
    + '</DeviceInterfaceLinks><Devices><Device i:type="Server"><Hostname>h1</Hostname></Device>'
    '<Device i:type="Server"><Hostname>h2</Hostname></Device>'
    '<Device i:type="LeafRouter"><Hostname>leaf1</Hostname></Device></Devices></PngDec></DeviceMiniGraph>\n'
)

HTSIM = """# two tiers
Nodes 2
Tiers 2
Podsize 2
Tier 0
Downlink_speed_Gbps 100
Radix_Up 1
Radix_Down 1
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 1000
"""

HPCC = """5 3 4
2 3 4
0 2 100Gbps 0.001ms 0
1 3 100Gbps 0.001ms 0
2 4 400Gbps 0.001ms 0
3 4 400Gbps 0.001ms 0
"""

SIMAI = """5 1 2 1 4 H100
2 3
4
0 2 100Gbps 0.001ms 0
1 3 100Gbps 0.001ms 0
2 4 400Gbps 0.001ms 0
3 4 400Gbps 0.001ms 0
"""

GML = """graph [
  node [ id 0 label "leaf1" ]
  node [ id 1 label "leaf2" ]
  node [ id 2 label "spine" ]
  node [ id 3 label "h1" kind "host" ]
  node [ id 4 label "h2" kind "host" ]
  edge [ source 3 target 0 rate "25G" ]
  edge [ source 4 target 1 rate "25G" ]
  edge [ source 0 target 2 rate "100G" delay "50 ns" ]
  edge [ source 1 target 2 rate "100G" delay "50 ns" ]
]
"""

NODE_LINK = json.dumps(
    {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": "leaf1"}, {"id": "leaf2"}, {"id": "spine"}, {"id": "h1"}, {"id": "h2"}],
        "links": [
            {"source": "h1", "target": "leaf1"},
            {"source": "h2", "target": "leaf2"},
            {"source": "leaf1", "target": "spine", "rate": "100G"},
            {"source": "leaf2", "target": "spine"},
        ],
    },
    indent=1,
)


def _port(kind: str, guid: int, port: int, far_kind: str, far: int, far_port: int, names: str) -> str:
    return f"{kind:2} {guid:5} {port:2} 0x{guid:016x} 4x EDR - {far_kind:2} {far:5} {far_port:2} 0x{far:016x} ( {names} )\n"  # noqa: E501 - as the tool prints it


PORTS = (
    _port("SW", 1, 1, "CA", 4, 1, "'leaf' - 'h1 HCA-1'")
    + _port("SW", 1, 9, "SW", 3, 1, "'leaf' - 'spine'")
    + f"SW {1:5} {10:2} 0x{1:016x} 4x SDR {'':36}'leaf'\n"
    + _port("SW", 2, 1, "CA", 5, 1, "'leaf' - 'h2 HCA-1'")
    + _port("SW", 2, 9, "SW", 3, 2, "'leaf' - 'spine'")
    + _port("SW", 3, 1, "SW", 1, 9, "'spine' - 'leaf'")
    + _port("CA", 4, 1, "SW", 1, 1, "'h1 HCA-1' - 'leaf'")
)

GRAPHVIZ = """// two leaves
graph "a pod" {
  rankdir = TB; node [shape=box, kind="switch"];
  edge [rate="100G"]
  subgraph cluster_hosts { node [kind=host]; h1; "h2" [label="h2\\nhost"] }
  h1 -- leaf1:swp1:n [rate="25G" delay="5ns"];
  h2 -- leaf2:swp1 /* the other */
  { leaf1:swp49; leaf2:swp49 } -- spine;
}
"""

GOOD = {
    "lldp": LLDP,
    "spreadsheet": SHEET,
    "containerlab": CONTAINERLAB,
    "sonic": SONIC,
    "minigraph": MINIGRAPH,
    "htsim": HTSIM,
    "ns3": HPCC,
    "gml": GML,
    "graphviz": GRAPHVIZ,
    "node-link": NODE_LINK,
    "ibnetdiscover-p": PORTS,
}


def imported(folder: Path, text: str, form: str | None = None) -> Imported:
    """A text as a file, imported."""
    file = folder / "file"
    file.write_text(text)
    return import_file(file, form)


def test_every_form_has_an_example():
    assert sorted(GOOD) == sorted(form.name for form in FORMS)


@pytest.mark.parametrize("form", GOOD)
def test_an_example_is_told_as_its_own_form_and_no_other(form: str):
    assert [each.name for each in FORMS if each.looks_like(GOOD[form])] == [form]


@pytest.mark.parametrize(
    ("form", "text"),
    [*GOOD.items(), ("spreadsheet", NETBOX), ("ns3", SIMAI)],
)
def test_an_example_is_two_leaves_below_a_spine_with_a_host_each(tmp_path: Path, form: str, text: str):
    found = imported(tmp_path, text)
    assert (found.form, found.switches, found.hosts, found.cables) == (form, 3, 2, 4)
    fabric = tmp_path / "fabric.csv"
    fabric.write_text(found.text)
    figures = hopscope.topology(fabric).figures
    assert (figures["switches"], figures["hosts"], figures["diameter"]) == (3, 2, 2)


@pytest.mark.parametrize("form", GOOD)
def test_a_verb_that_takes_no_such_file_says_how_to_import_it(tmp_path: Path, form: str):
    """Before, each line was told to be no TOML. A list that hopscope reads itself keeps its own complaint."""
    file = tmp_path / "of another tool"
    file.write_text(GOOD[form])
    with pytest.raises(UsageError, match="is a file of another tool") as refused:
        hopscope.run(file)
    assert f"hopscope import '{file}'" in str(refused.value)
    file.write_text("from,to\na,b,c\n")
    with pytest.raises(ScenarioError):
        hopscope.run(file)


@pytest.mark.parametrize(("delay", "kib"), [("50 ns", 32), ("1 us", 128), ("2 ms", 2**18)])
def test_fifos_hold_what_is_in_flight_on_the_longest_link(tmp_path: Path, delay: str, kib: int):
    """At 400 Gbit/s and 1 us 100 kB are in flight there and back: the next power of two, and twice that."""
    fabric = tmp_path / "fabric.csv"
    link = f"400 Gbit/s,{delay}"
    fabric.write_text(f"from,to,rate,delay,kind\na,b,{link},trunk\nh,a,{link},host\ni,b,{link},host\n")
    switch = json.loads(engine.load(fabric).canonical_json())["switch"]
    assert switch["stop_above"] == f"{kib * 1024} B"
    assert switch["fifo"] == {"bytes": f"{2 * kib * 1024} B"}


def test_rates_delays_ports_and_names_are_those_of_the_file(tmp_path: Path):
    assert "h1,leaf1,,1,25 G" in imported(tmp_path, SHEET).text
    assert "leaf1,spine,49,1,100 Gbit/s,,trunk" in imported(tmp_path, SHEET).text
    delays = "Side A;Side B;Port B;Speed;Latency\nh1;leaf1;Ethernet1;25G;500ns\nleaf1;spine;Ethernet1;100G;\n"
    assert "h1,leaf1,,,25 Gbit/s,500 ns,host" in imported(tmp_path, delays).text
    assert "leaf1,spine,4,0,100000 Mbit/s,,trunk" in imported(tmp_path, SONIC).text
    assert "n2,n4,,,400 Gbit/s,0.001 ms,trunk" in imported(tmp_path, HPCC).text
    assert "leaf1,spine,,,100 Gbit/s,50 ns,trunk" in imported(tmp_path, GML).text
    assert "edge0,spine0,,,100 Gbit/s,1000 ns,trunk" in imported(tmp_path, HTSIM).text
    # Two switches of one description are told apart by their GUIDs.
    assert "h1 HCA-1,leaf 0x0000000000000001,,1,100000 Mbit/s,,host" in imported(tmp_path, PORTS).text


def test_what_is_left_out_or_assumed_is_said(tmp_path: Path):
    assert imported(tmp_path, NETBOX).notes[0].startswith("1 planned or decommissioned cable is left out")
    assert "those with one cable" in imported(tmp_path, NETBOX).notes[1]
    assert imported(tmp_path, HPCC.replace("0 2 100Gbps 0.001ms 0", "0 2 100Gbps 0.001ms 0.1")).notes == [
        "1 link loses frames at random, which is left out"
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("12.5 GB/s", "100 Gbit/s"),
        ("12.5GBps", "100 Gbit/s"),
        ("125 MB/s", "1 Gbit/s"),
        ("0.25 Gbyte/s", "2 Gbit/s"),
        ("25 GiB/s", "214.7483648 Gbit/s"),
        ("100 Gib/s", "107.3741824 Gbit/s"),
        ("100 Gb/s", "100 Gbit/s"),
        ("100 Gbps", "100 Gbit/s"),
        ("100GBIT/S", "100 Gbit/s"),
        ("100GbE", "100 Gbit/s"),
        ("100GBE", "100 Gbit/s"),
        ("25GBASE-SR", "25 Gbit/s"),
        ("100Gbase-SR4", "100 Gbit/s"),
        ("1.6t", "1.6 Tbit/s"),
        ("100g", "100 Gbit/s"),
    ],
)
def test_a_rate_is_in_bits_or_in_bytes_as_it_is_written(tmp_path: Path, written: str, read: str):
    assert f"leaf1,spine,49,1,{read},,trunk" in imported(tmp_path, SHEET.replace("100GbE", written)).text


@pytest.mark.parametrize("written", ["100GB", "100 GBPS", "100 GB/S", "10 GiB"])
def test_a_rate_that_may_be_in_bits_or_in_bytes_is_refused(tmp_path: Path, written: str):
    with pytest.raises(UsageError, match=f':4:1: "{written}" is no rate') as refused:
        imported(tmp_path, SHEET.replace("100GbE", written))
    assert refused.value.hint == "it may be in bits or in bytes: write Gbit/s, or GB/s for bytes"


def test_of_two_ends_that_disagree_the_slower_and_longer_is_taken_and_said(tmp_path: Path):
    back = SHEET + "spine;Ethernet1;leaf1;Ethernet49;10G;\nspine;Ethernet2;leaf2;Ethernet49;100000 Mbit/s;\n"
    found = imported(tmp_path, back)
    assert found.cables == 4
    assert "leaf1,spine,49,1,10 Gbit/s,,trunk" in found.text
    # An end that says the same in another unit does not disagree.
    assert "leaf2,spine,49,2,100 Gbit/s,,trunk" in found.text
    assert found.notes[:-1] == [
        "the ends of the cable leaf1:Ethernet49 - spine:Ethernet1 disagree: 100 Gbit/s on line 4, "
        "10 Gbit/s on line 6; the slower is taken"
    ]
    slow = imported(tmp_path, PORTS.replace("4x EDR - SW     1  9", "4x SDR - SW     1  9"))
    assert "leaf 0x0000000000000001,spine,9,1,8000 Mbit/s,,trunk" in slow.text
    assert "100000 Mbit/s on line 2, 8000 Mbit/s on line 6; the slower is taken" in slow.notes[0]
    rate_of_one = imported(tmp_path, back.replace("100GbE", ""))
    assert "leaf1,spine,49,1,10 Gbit/s,,trunk" in rate_of_one.text
    assert len(rate_of_one.notes) == 1


def test_of_two_delays_the_longer_is_taken(tmp_path: Path):
    told = (
        "from,from_port,to,to_port,rate,latency\nh1,1,s1,1,1G,5ns\ns1,1,h1,1,2G,0.007us\nh2,1,s1,2,1G,5ns\n"
    )
    found = imported(tmp_path, told)
    assert "h1,s1,,1,1 Gbit/s,0.007 us,host" in found.text
    assert found.notes[0] == (
        "the ends of the cable h1:1 - s1:1 disagree: 1 Gbit/s on line 2, 2 Gbit/s on line 3; "
        "the slower is taken; 5 ns on line 2, 0.007 us on line 3; the longer is taken"
    )


def test_of_many_cables_whose_ends_disagree_a_few_are_named(tmp_path: Path):
    rows = [f"h{n},1,s,{n},25G\ns,{n},h{n},1,10G\n" for n in range(1, 9)]
    notes = imported(tmp_path, "from,from_port,to,to_port,rate\n" + "".join(rows)).notes
    assert [note.split(":")[0] for note in notes[:3]] == [f"the ends of the cable h{n}" for n in (1, 2, 3)]
    assert notes[3] == ("the ends of 5 more cables disagree; the slower rate and the longer delay are taken")


def test_the_line_of_an_end_is_that_of_its_own_switch(tmp_path: Path):
    told = json.loads(SONIC)
    told["spine"] = {
        "PORT": {"Ethernet4": {"speed": "40000"}},
        "DEVICE_NEIGHBOR": {"Ethernet4": {"name": "leaf2", "port": "Ethernet4"}},
    }
    text = json.dumps(told, indent=1)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if '"Ethernet4": {' in line]
    # Each switch has the port twice, in PORT and in DEVICE_NEIGHBOR.
    assert (
        f"100000 Mbit/s on line {lines[3]}, 40000 Mbit/s on line {lines[5]};"
        in imported(tmp_path, text).notes[0]
    )
    links = MINIGRAPH.replace(
        "</DeviceInterfaceLinks>",
        _link("spine", "Ethernet4", "leaf2", "Ethernet4").replace("100000", "40000")
        + "</DeviceInterfaceLinks>",
    )
    assert "100000 Mbit/s on line 5, 40000 Mbit/s on line 6;" in imported(tmp_path, links).notes[0]


def test_directed_edges_there_and_back_are_one_cable(tmp_path: Path):
    graph = nx.MultiDiGraph()
    for host, leaf in (("h1", "leaf1"), ("h2", "leaf2")):
        graph.add_node(host, kind="host")
        graph.add_edge(host, leaf, rate="25G")
        graph.add_edge(leaf, host, rate="25G")
    for leaf in ("leaf1", "leaf2"):
        # The cables of two rates are not mixed up, whatever the order of the edges back.
        graph.add_edges_from([(leaf, "spine", {"rate": rate}) for rate in ("100G", "40G")])
        graph.add_edges_from([("spine", leaf, {"rate": rate}) for rate in ("40G", "100G")])
    dot = "digraph { h1 [kind=host] h2 [kind=host] " + "".join(
        f'{a} -> {b} [rate="{rate}"]; ' for a, b, rate in graph.edges(data="rate")
    )
    for text in ("\n".join(nx.generate_gml(graph)), json.dumps(nx.node_link_data(graph)), dot + "}"):
        found = imported(tmp_path, text)
        assert (found.switches, found.hosts, found.cables, found.notes) == (3, 2, 6, [])
    del graph.edges["spine", "leaf2", 0]["rate"]
    graph.edges["spine", "leaf2", 1]["rate"] = "10G"
    assert imported(tmp_path, "\n".join(nx.generate_gml(graph))).notes == [
        "the ends of the cable leaf2 - spine disagree: 40 Gbit/s, 10 Gbit/s; the slower is taken"
    ]


def test_a_neighbour_whose_name_has_a_domain_is_the_machine_without(tmp_path: Path):
    told = LLDP
    for name in ("leaf1", "leaf2", "spine", "h1"):
        told = told.replace(
            f'"{name}": {{\n        "capability"', f'"{name}.example.com": {{\n        "capability"'
        )
    assert told.count(".example.com") == 5
    found = imported(tmp_path, told)
    assert (found.switches, found.hosts, found.cables) == (3, 2, 4)
    assert "h1.example.com,leaf1,,1,,,host" in found.text
    assert found.notes == ["spine.example.com is taken to be spine, and 2 more names likewise"]
    # The other way round: whoever gathers has names with a domain.
    keys = {f"{name}.example.com": output for name, output in json.loads(LLDP).items()}
    assert imported(tmp_path, json.dumps(keys)).switches == 3


def test_a_neighbour_that_may_be_two_machines_is_none_of_them(tmp_path: Path):
    def notes(spine: list[str], *others: str) -> object:
        ports = [_seen(f"p{port}", name, "up", "Bridge") for port, name in enumerate(spine)]
        told = {"spine": ports} | {name: [_seen("p1", f"of-{name}", "eth0", "Station")] for name in others}
        text = json.dumps({name: {"lldp": {"interface": seen}} for name, seen in told.items()})
        return imported(tmp_path, text).notes

    assert notes(["leaf.a.org", "leaf.b.org"], "leaf") == [
        "leaf.a.org and leaf.b.org may each be leaf: none of them is taken to be"
    ]
    assert notes(["leaf.a.org"], "leaf") == ["leaf.a.org is taken to be leaf"]
    assert notes(["leaf.a.org"], "leaf", "leaf.b.org") == []
    assert notes(["leaf.a.org"], "leaf.b.org") == []


def test_the_kind_of_a_node_is_its_own_that_of_its_group_or_the_usual_one(tmp_path: Path):
    grouped = CONTAINERLAB.replace("h1: {kind: linux}", "h1: {group: servers}").replace(
        "topology:", "topology:\n  defaults: {kind: nokia_srlinux}\n  groups: {servers: {kind: linux}}"
    )
    found = imported(tmp_path, grouped.replace("leaf1: {kind: nokia_srlinux}", "leaf1:"))
    assert (found.switches, found.hosts) == (3, 2)
    own = imported(tmp_path, grouped.replace("leaf1: {kind", "leaf1: {group: servers, kind"))
    assert (own.switches, own.hosts) == (3, 2)


def test_cables_for_power_and_consoles_are_left_out(tmp_path: Path):
    more = (
        "6,,pdu1,dcim.poweroutlet,1,leaf1,dcim.powerport,PSU0,connected\n"
        "7,,con1,dcim.consoleserverport,1,leaf1,dcim.consoleport,con,connected\n"
    )
    found = imported(tmp_path, NETBOX + more)
    assert (found.switches, found.hosts, found.cables) == (3, 2, 4)
    assert found.notes[1] == "2 power or console cables are left out"
    shown = "Device A,Termination A,Device B,Termination B,Type\nh1,e0,s1,1,DAC\nh2,e0,s1,2,SMF\n"
    found = imported(tmp_path, shown + "pdu1,Outlet 1,s1,PSU0,Power\n")
    assert (found.hosts, found.notes[0]) == (2, "1 power or console cable is left out")


@pytest.mark.parametrize("form", GOOD)
def test_a_mark_of_utf_8_at_the_beginning_is_no_part_of_the_text(tmp_path: Path, form: str):
    plain = imported(tmp_path, GOOD[form])
    assert imported(tmp_path, "\ufeff" + GOOD[form]) == plain
    bad = SHEET.replace("Side A;", "\ufeffSide A;").replace("h1;eth0;leaf1", "leaf1;eth0;leaf1")
    with pytest.raises(UsageError, match="file:2:1: "):
        imported(tmp_path, bad)


def test_a_host_with_two_cables_is_two_hosts(tmp_path: Path):
    text = CONTAINERLAB + '    - endpoints: ["h1:eth2", "leaf2:e1-2"]\n'
    rows = imported(tmp_path, text).text.splitlines()
    assert "h1:1,leaf1,,1,,,host" in rows
    assert "h1:2,leaf2,,2,,,host" in rows


def test_a_three_tier_tree_of_htsim_has_its_cores(tmp_path: Path):
    tiers = "".join(
        f"Tier {tier}\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up {up}\n"
        for tier, up in enumerate((2, 2, 0))
    )
    found = imported(tmp_path, f"Nodes 16\nTiers 3\nPodsize 4\n{tiers}")
    # Al-Fares et al. 2008 with k = 4: 20 switches, 16 hosts, 48 cables.
    assert (found.switches, found.hosts, found.cables) == (20, 16, 48)


def test_flows_of_ns3_become_a_flow_list(tmp_path: Path):
    found = imported(tmp_path, "2\n0 1 3 100 1000 2\n1 0 3 100 50000 2.000001\n")
    assert found.form == "ns3-flows"
    assert found.text.splitlines()[1:] == ["n0,n1,1000 B,2000000000 ns", "n1,n0,50000 B,2000001000 ns"]


def test_flows_can_be_asked_for_by_name(tmp_path: Path):
    assert imported(tmp_path, "1\n0 1 3 100 1000 2\n", "ns3-flows").form == "ns3-flows"
    with pytest.raises(UsageError, match="this is no ns3-flows"):
        imported(tmp_path, HPCC, "ns3-flows")


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
    (SHEET.replace("100GbE", "fast"), "4:1", '"fast" is no rate'),
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
    (HPCC.replace("0 2 100Gbps", "0 7 100Gbps"), "3:1", '"7" is no node'),
    (HPCC.replace("0 2 100Gbps 0.001ms", "0 2 100Gbps soon"), "3:1", '"soon" is no delay'),
    ("2\n0 1 3 100 1000 2\n", "3:1", "1 of 2 flows"),
    ("2\n0 1 3 100 1000 2\n0 1 3 100 much 2\n", "3:1", "much"),
    (GML.replace("]\n]", "]"), "1:1", "expected GML"),
    (NODE_LINK.replace('"source": "h1"', '"sauce": "h1"'), ":", "no node-link graph"),
    (PORTS.replace("EDR", "FAST"), "1:1", '"FAST"'),
    (PORTS + "and so on\n", "8:1", '"and so on"'),
    (HPCC.replace("0.001ms 0\n1", "0.001ms none\n1"), "3:1", '"none" is no error rate'),
    (HPCC.replace("5 3 4", "5 3 " + "9" * 5000), "1:1", "how many nodes, switches and links"),
    (HPCC.replace("\n2 3 4\n", f"\n{'9' * 5000} 3 4\n"), "2:1", "a number from 0 to 4"),
    ("1\n0 1 3 100 1000 inf\n", "2:1", 'the start "inf"'),
    ("1\n0 1 3 100 1000 1e999\n", "2:1", 'the start "1e999"'),
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


@pytest.mark.parametrize(
    ("form", "text"), [(form, text) for form, texts in UNREADABLE.items() for text in texts], ids=str
)
def test_what_makes_a_parser_give_up_is_a_refusal(tmp_path: Path, form: str, text: str):
    with pytest.raises(UsageError, match=f"/file: cannot be read as {form}: "):
        imported(tmp_path, text)


def test_counts_that_no_line_stands_for_take_no_time(tmp_path: Path):
    found = imported(tmp_path, HPCC.replace("5 3 4", "500000000000 3 4"))
    assert (found.switches, found.hosts) == (3, 2)


def test_a_number_that_is_too_long_is_no_number_of_a_port(tmp_path: Path):
    assert "leaf1,," in imported(tmp_path, SHEET.replace("Ethernet1", f"Ethernet{'1' * 5000}")).text


def test_a_file_that_is_not_there_or_is_no_file_is_told_so(command: Callable[..., Result], here: Path):
    assert "there is no file `nosuch`" in command("import", "nosuch").stderr
    os.mkfifo("fifo")
    for place in ("fifo", str(here)):
        assert f"{place}: this is not a regular file" in command("import", place).stderr
    Path("text").write_bytes(b"\xff\xff")
    assert "text: this is no text in UTF-8" in command("import", "text").stderr


def test_the_verb_writes_a_fabric_that_other_verbs_take(command: Callable[..., Result]):
    Path("cables.csv").write_text(SHEET)
    done = command("import", "cables.csv", "--out", "fabric.csv", "--json", "--quiet")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["hosts"] == 2
    assert command("check", "fabric.csv", "--quiet").exit_code == 0
    assert command("import", "cables.csv").stdout.startswith("from,to,")


@pytest.mark.parametrize(
    "words", [("file",), ("nowhere",), ("file", "--form", "nothing"), ("file", "--form", "gml")]
)
def test_the_verb_refuses_with_exit_code_2(command: Callable[..., Result], words: tuple[str, ...]):
    Path("file").write_text("what is this\n")
    assert command("import", *words).exit_code == 2
