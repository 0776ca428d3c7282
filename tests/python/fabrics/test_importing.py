"""Files of other tools as fabrics: the result for each format, and the messages."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
from click.testing import Result

import hopscope
from cabling_examples import (
    CONTAINERLAB,
    GML,
    GOOD,
    HPCC,
    HTSIM,
    LLDP,
    MINIGRAPH,
    NETBOX,
    PORTS,
    SHEET,
    SIMAI,
    SONIC,
    imported,
    link,
    seen,
)
from conftest import PROJECT
from hopscope import engine
from hopscope.errors import ScenarioError, UsageError
from hopscope.importing import forms, spreadsheet
from hopscope.importing.attached import Attach
from hopscope.importing.forms import FORMS


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
    """Before, each line was refused as no TOML. A list that hopscope reads itself keeps its own complaint."""
    file = tmp_path / "of another tool"
    file.write_text(GOOD[form])
    with pytest.raises(UsageError, match="is a file of another tool") as refused:
        hopscope.run(file)
    assert f"hopscope import '{file}'" in str(refused.value)
    file.write_text("from,to\na,b,c\n")
    with pytest.raises(ScenarioError):
        hopscope.run(file)


@pytest.mark.parametrize(
    "text",
    ["a=" + "[" * 600 + "]" * 600, ".".join("a" * 50_000) + "=1", "# of a lab\n\n[link]\nrate ="],
    ids=["deep lists", "many parts of a key", "a section"],
)
def test_of_a_text_in_toml_only_the_engine_says_what_is_wrong(tmp_path: Path, text: str):
    """Reading it a second time took minutes, or more stack than there is."""
    file = tmp_path / "lab.toml"
    file.write_text(text)
    assert forms.told_by_content(file) is None
    with pytest.raises(ScenarioError):
        hopscope.run(file)


@pytest.mark.parametrize("name", ["backbone.graphml", "leaf-spine.ibnetdiscover", "an1-torus.toml"])
def test_what_every_command_reads_is_not_imported(name: str):
    file = PROJECT / "scenarios" / name
    with pytest.raises(UsageError, match="every command reads this file as it is") as refused:
        forms.import_file(file)
    assert refused.value.hint == f"give it to one, as in `hopscope run {file}`"


@pytest.mark.parametrize(("delay", "kib"), [("50 us", 32), ("1 ms", 128), ("500 ms", 2**16)])
def test_fifos_hold_what_is_in_flight_on_the_longestlink(tmp_path: Path, delay: str, kib: int):
    """At 400 Mbit/s and 1 ms 100 kB are in flight there and back: the next power of two, and twice that."""
    fabric = tmp_path / "RATE of GRAPH with DELAY of FIFO.csv"
    link = f"400 Mbit/s,{delay}"
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
    # Two switches of one description are distinguished by their GUIDs.
    assert "h1 HCA-1,leaf 0x0000000000000001,,1,100000 Mbit/s,,host" in imported(tmp_path, PORTS).text


def test_what_is_left_out_or_assumed_is_said(tmp_path: Path):
    assert imported(tmp_path, NETBOX).notes[0].startswith("1 planned or decommissioned cable is left out")
    assert imported(tmp_path, NETBOX).notes[1] == 'not read: the columns "ID", "Label"'
    assert "those with one cable" in imported(tmp_path, NETBOX).notes[2]
    assert imported(tmp_path, HPCC.replace("0 2 100Gbps 0.001ms 0", "0 2 100Gbps 0.001ms 0.1")).notes == [
        "error rates are ignored: 1 link loses frames at random: n0 - n2"
    ]


@pytest.mark.parametrize("keys", [(), ("key",)])
def test_each_edge_of_a_node_link_graph_is_a_cable(tmp_path: Path, keys: tuple[str, ...]):
    edge = {"source": "leaf1", "target": "spine"} | dict.fromkeys(keys, 0)
    nodes = [{"id": "leaf1"}, {"id": "spine"}, {"id": "h1"}]
    graph = {"nodes": nodes, "links": [edge, edge, edge, {"source": "h1", "target": "leaf1"}]}
    assert imported(tmp_path, json.dumps(graph)).cables == 4


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
        ("HDR", "200 Gbit/s"),
        ("hdr100", "100 Gbit/s"),
        ("2xHDR", "100 Gbit/s"),
        ("4x FDR10", "40 Gbit/s"),
        ("NDR-200", "200 Gbit/s"),
    ],
)
def test_a_rate_is_in_bits_or_in_bytes_as_it_is_written(tmp_path: Path, written: str, read: str):
    assert f"leaf1,spine,49,1,{read},,trunk" in imported(tmp_path, SHEET.replace("100GbE", written)).text


@pytest.mark.parametrize("written", ["HDR200", "GDR", "2xHDR100", "3xHDR"])
def test_a_speed_that_infiniband_does_not_have_is_no_rate(tmp_path: Path, written: str):
    with pytest.raises(UsageError, match=f':4:36: "{written}" is no rate'):
        imported(tmp_path, SHEET.replace("100GbE", written))


@pytest.mark.parametrize("written", ["100GB", "100 GBPS", "100 GB/S", "10 GiB"])
def test_a_rate_that_may_be_in_bits_or_in_bytes_is_refused(tmp_path: Path, written: str):
    with pytest.raises(UsageError, match=f':4:36: "{written}" is no rate') as refused:
        imported(tmp_path, SHEET.replace("100GbE", written))
    assert refused.value.hint == "it may be in bits or in bytes: write Gbit/s, or GB/s for bytes"


@pytest.mark.parametrize(
    ("column", "field", "read"),
    [
        ("Speed (Mbps)", "25000", "25000 Mbit/s"),
        ("Speed (Gbps)", "100", "100 Gbit/s"),
        ("Speed [Gbit/s]", "100", "100 Gbit/s"),
        ("speed_gbps", "2.5", "2.5 Gbit/s"),
        ("Link Speed GB/s", "12.5", "100 Gbit/s"),
        ("Bandwidth (bps)", "25000000000", "25000000.000 kbit/s"),
        # A field that has a unit of its own keeps it.
        ("Speed (Mbps)", "100G", "100 Gbit/s"),
    ],
)
def test_bare_rates_are_in_the_unit_of_their_column(tmp_path: Path, column: str, field: str, read: str):
    sheet = SHEET.replace("Speed", column).replace("100GbE", field).replace("25G", field)
    assert f"leaf1,spine,49,1,{read},,trunk" in imported(tmp_path, sheet).text


def test_bare_delays_are_in_the_unit_of_their_column(tmp_path: Path):
    sheet = SHEET.replace("Remark", "latency_ns").replace('"row 1; left"', "40")
    sheet = re.sub('"said .*', "500", sheet)
    assert "leaf1,spine,49,1,100 Gbit/s,500 ns,trunk" in imported(tmp_path, sheet).text


def test_a_column_that_means_nothing_known_is_named(tmp_path: Path):
    """Before, rates under such a name were lost without a word, and every cable ran at the usual rate."""
    assert imported(tmp_path, SHEET).notes[0] == 'not read: the column "Remark"'
    unknown = imported(tmp_path, SHEET.replace("Speed", "Speed (MHz)"))
    assert unknown.notes[0] == 'not read: the columns "Speed (MHz)", "Remark"'
    # Of two columns of rates the one without a unit in its name counts.
    both = imported(tmp_path, SHEET.replace("Remark", "Speed (Mbps)"))
    assert both.notes[0] == 'not read: the column "Speed (Mbps)"'
    assert "leaf1,spine,49,1,100 Gbit/s,,trunk" in both.text


def test_of_two_ends_that_disagree_the_slower_and_longer_is_taken_and_said(tmp_path: Path):
    back = SHEET + "spine;Ethernet1;leaf1;Ethernet49;10G;\nspine;Ethernet2;leaf2;Ethernet49;100000 Mbit/s;\n"
    found = imported(tmp_path, back)
    assert found.cables == 4
    assert "leaf1,spine,49,1,10 Gbit/s,,trunk" in found.text
    # An end that says the same in another unit does not disagree.
    assert "leaf2,spine,49,2,100 Gbit/s,,trunk" in found.text
    assert found.notes[1:-1] == [
        "the ends of the cable leaf1:Ethernet49 - spine:Ethernet1 disagree: 100 Gbit/s on line 4, "
        "10 Gbit/s on line 6; the slower is taken"
    ]
    slow = imported(tmp_path, PORTS.replace("4x EDR - SW     1  9", "4x SDR - SW     1  9"))
    assert "leaf 0x0000000000000001,spine,9,1,8000 Mbit/s,,trunk" in slow.text
    assert "100000 Mbit/s on line 2, 8000 Mbit/s on line 6; the slower is taken" in slow.notes[0]
    rate_of_one = imported(tmp_path, back.replace("100GbE", ""))
    assert "leaf1,spine,49,1,10 Gbit/s,,trunk" in rate_of_one.text
    assert not [note for note in rate_of_one.notes if "disagree" in note]


def test_a_line_that_repeats_a_cable_from_the_same_end_is_told(tmp_path: Path):
    lines = SHEET.splitlines()
    again = [*lines, lines[3], lines[1]]
    found = imported(tmp_path, "\n".join([*lines, lines[3]]) + "\n")
    assert found.cables == 4
    assert (
        found.notes[1]
        == "line 6 repeats a cable, that of line 4 (leaf1:Ethernet49 - spine:Ethernet1): it is taken once"
    )
    several = imported(tmp_path, "\n".join(again) + "\n")
    assert several.notes[1].startswith("2 lines repeat a cable, such as line "), several.notes
    # The other end of a cable lists it, too.
    back = SHEET + "spine;Ethernet1;leaf1;Ethernet49;100GbE;\n"
    assert not [note for note in imported(tmp_path, back).notes if "repeat" in note]


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
        link("spine", "Ethernet4", "leaf2", "Ethernet4").replace("100000", "40000")
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
    # The other way round: the collecting host uses names with a domain.
    keys = {f"{name}.example.com": output for name, output in json.loads(LLDP).items()}
    assert imported(tmp_path, json.dumps(keys)).switches == 3


def test_a_neighbour_that_may_be_two_machines_is_none_of_them(tmp_path: Path):
    def notes(spine: list[str], *others: str) -> object:
        ports = [seen(f"p{port}", name, "up", "Bridge") for port, name in enumerate(spine)]
        told = {"spine": ports} | {name: [seen("p1", f"of-{name}", "eth0", "Station")] for name in others}
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


def test_a_server_with_two_cables_is_told_by_its_ports(tmp_path: Path):
    """`eth0` and `eth1` at ports of switches: routes led through such a machine before."""
    found = imported(tmp_path, SHEET + "h1;eth1;leaf2;Ethernet2;25G;\n")
    assert (found.switches, found.hosts) == (3, 3)
    assert "h1:2,leaf2,,2,25 Gbit/s,,host" in found.text.splitlines()
    assert found.notes[-1] == (
        "the file does not say which nodes are hosts: those with one cable are taken to be hosts, "
        "and by the names of their ports h1"
    )


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        (
            "leaf9;Ethernet1;spine;Ethernet9;100G;\n",
            "a host though the ports have names as on switches: leaf9",
        ),
        # The leaf's ports say nothing of what it is cabled to.
        ("h1;eth1;leaf2;uplink;25G;\n", "a switch though the ports have names as on servers: h1"),
    ],
)
def test_a_node_whose_ports_contradict_what_it_is_taken_to_be_is_named(tmp_path: Path, line: str, doubt: str):
    found = imported(tmp_path, SHEET + line)
    assert found.notes[-2:] == [
        f"doubtful, taken to be {doubt}",
        'say what each node is in the columns "A Role" and "B Role", such as "server" or "switch"',
    ]
    heading, *rows = (SHEET + line).splitlines()
    roles = {"h1": "server", "h2": "server"}
    said = [f"{row};{roles.get(row.split(';')[0], 'switch')};switch" for row in rows]
    settled = imported(tmp_path, "\n".join([f"{heading};A Role;B Role", *said]) + "\n")
    assert not [note for note in settled.notes if "taken to be" in note]


def test_where_all_ports_are_called_alike_their_names_say_nothing(tmp_path: Path):
    lab = SHEET.replace("Ethernet", "eth") + "h1;eth1;leaf2;eth2;25G;\n"
    found = imported(tmp_path, lab)
    assert (found.switches, found.hosts) == (4, 1)
    assert not [note for note in found.notes if "doubtful" in note]


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


def test_counts_that_no_line_stands_for_take_no_time(tmp_path: Path):
    found = imported(tmp_path, HPCC.replace("5 3 4", "500000000000 3 4"))
    assert (found.switches, found.hosts) == (3, 2)


def test_a_number_that_is_too_long_is_no_number_of_a_port(tmp_path: Path):
    assert "leaf1,," in imported(tmp_path, SHEET.replace("Ethernet1", f"Ethernet{'1' * 5000}")).text


def test_the_verb_writes_a_fabric_that_other_verbs_take(command: Callable[..., Result]):
    Path("cables.csv").write_text(SHEET)
    done = command("import", "cables.csv", "--out", "fabric.csv", "--json", "--quiet")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["hosts"] == 2
    assert command("check", "fabric.csv", "--quiet").exit_code == 0
    assert command("import", "cables.csv").stdout.startswith("from,to,")


@pytest.mark.parametrize(
    "heading",
    [
        "Source Hostname,Source Port,Dest Hostname,Dest Port",
        "Source Device,Source Interface,Dest Device,Dest Interface",
        "switch,port,neighbor,neighbor port",
        "host,interface,peer host,peer interface",
        "A Host,A Port,Z Host,Z Port",
        "SrcHost,SrcIntf,DstHost,DstIntf",
        "local_system_name,local_port_id,remote_system_name,remote_port_id",
        "From Node,From Port,To Node,To Port",
    ],
)
def test_columns_are_known_by_the_words_of_their_names(tmp_path: Path, heading: str):
    text = heading + "\nleaf1,swp1,h1,eth0\nleaf1,swp2,h2,eth0\nleaf1,swp49,spine,swp1\nspine,swp2,h3,eth0\n"
    found = imported(tmp_path, text)
    assert (found.switches, found.hosts, found.cables) == (2, 3, 4)
    assert "leaf1,spine,49,1,,,trunk" in found.text.splitlines()


@pytest.mark.parametrize("form", [None, "spreadsheet"])
def test_a_table_without_the_ends_of_cables_is_told_its_columns(tmp_path: Path, form: str | None):
    with pytest.raises(UsageError) as refused:
        imported(tmp_path, "Rack,Foo Host,Bar Host\n1,a,b\n", form)
    told = str(refused.value)
    assert 'file:1:1: the columns "Rack", "Foo Host", "Bar Host" do not name both ends of a cable' in told
    assert "one of source, src, local, from, side A; one of destination" in told
    assert "containerlab" not in told
    with pytest.raises(UsageError, match='the columns "Source" and "Local Device" mean the same'):
        imported(tmp_path, "Source,Local Device,Dest\na,b,c\n", form)


def test_columns_named_by_a_device_alone_are_of_this_end_where_no_other_is(tmp_path: Path):
    text = "Device A,Device B,Switch\nh1,leaf1,leaf1\nh2,leaf1,leaf1\n"
    assert 'not read: the column "Switch"' in imported(tmp_path, text).notes


def test_a_machine_that_tells_of_no_neighbours_is_named(tmp_path: Path):
    told = json.loads(LLDP)
    silent = next(iter(told))
    told[silent]["lldp"] = {}
    notes = imported(tmp_path, json.dumps(told)).notes
    assert any(note.startswith(f"{silent} tells of no neighbours") for note in notes), notes
    assert not any("no neighbours" in note for note in imported(tmp_path, LLDP).notes)


def test_the_words_of_columns_are_documented():
    page = PROJECT / "docs" / "reference" / "formats.md"
    _, _, told = page.read_text(encoding="utf-8").partition("### Columns of a spreadsheet\n")
    words = set(re.findall(r"`(\w+)`", told.partition("\n## ")[0]))
    known = {*spreadsheet.ENDS["a"], *spreadsheet.ENDS["b"], *spreadsheet.DEVICES, *spreadsheet.PORTS}
    assert {word for word in known if len(word) > 1} <= words


def test_a_switch_that_only_its_neighbours_name_is_told(tmp_path: Path):
    """Its hosts were missing without a word, and `check` said that it has none."""
    told = json.loads(LLDP)
    del told["spine"]
    notes = imported(tmp_path, json.dumps(told)).notes
    assert not any("gave no answer" in note for note in imported(tmp_path, LLDP).notes)
    assert [note for note in notes if note.startswith("spine is named by neighbours and gave no answer")]


OWN = """from,to,from_port,to_port,rate,kind
leaf1,spine,9,1,100 Gbit/s,trunk
leaf2,spine,9,2,100 Gbit/s,trunk
srv,leaf1,,1,100 Gbit/s,host
srv,leaf2,,1,100 Gbit/s,host
"""


def test_the_column_kind_of_an_own_list_tells_hosts_of_several_cables(tmp_path: Path):
    file = tmp_path / "own.csv"
    file.write_text(OWN)
    with pytest.raises(ScenarioError, match="linked to") as refused:
        hopscope.topology(file)
    assert "hopscope import" in str(refused.value)
    found = imported(tmp_path, OWN)
    assert (found.switches, found.hosts, found.notes) == (3, 2, [])
    assert "srv:1,leaf1,,1" in found.text
    # Of other kinds nothing is known.
    strange = imported(tmp_path, OWN.replace("trunk", "DAC").replace("host", "AOC"))
    assert 'not read: the column "kind"' in strange.notes


def test_hosts_are_attached_to_the_switches_of_a_name_alone(tmp_path: Path):
    """Hosts that do not speak LLDP: one at every switch made leaves of the spines."""
    file = tmp_path / "without-hosts.csv"
    file.write_text(
        "from,to,rate,kind\n"
        + "".join(
            f"leaf{leaf},spine{spine},{rate} Gbit/s,trunk\n"
            for leaf in (1, 2)
            for spine, rate in ((1, 50), (2, 100))
        )
    )
    assert any("--hosts" in note for note in forms.import_file(file).notes)
    found = forms.import_file(file, None, [Attach.of_text("leaf*=2")])
    assert (found.switches, found.hosts, found.cables) == (4, 4, 8)
    assert "leaf2-h2,leaf2,,,100 Gbit/s,,host" in found.text.splitlines()
    for wanted in ("leaf*", "=2", "leaf*=0", "leaf*=x"):
        with pytest.raises(UsageError, match="is not how many hosts"):
            Attach.of_text(wanted)
    with pytest.raises(UsageError, match="no switch of the file is called"):
        forms.import_file(file, None, [Attach.of_text("tor*=2")])


def test_a_report_of_ports_that_ends_early_is_told(tmp_path: Path):
    cut = "\n".join(PORTS.rstrip().splitlines()[:-1])
    assert not any("cut short" in note for note in imported(tmp_path, PORTS).notes)
    assert any("the line of 1 port is missing" in note for note in imported(tmp_path, cut).notes)
