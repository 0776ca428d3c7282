"""Fabrics and tables on the command line: what is shown, what is written, and what is refused."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT

DATA = PROJECT / "crates" / "formats" / "tests" / "data"
FABRICS = ("square.net", "square.ibnetdiscover", "square-subnet.lst", "square.anynet")
TABLES = ("square-lfts.dump", "square-fts.txt", "square.fdbs")
REFUSED = 2

Command = Callable[..., Result]


def _file(here: Path, name: str, content: bytes) -> str:
    (here / name).write_bytes(content)
    return name


@pytest.mark.parametrize("name", FABRICS)
def test_a_bare_fabric_is_shown_checked_and_run(command: Command, name: str) -> None:
    fabric = str(DATA / name)
    assert "deadlock-free" in command("topology", fabric).stdout
    assert "\nSAFE: forwarding tables (hopscope's up-down)\n" in command("check", fabric).stdout
    done = command("run", fabric, "--traffic", "all-to-all", "--set", "measure.messages=2000", "--no-report")
    assert done.exit_code == 0, done.stderr


def _assumed(command: Command, *words: str) -> list[str]:
    """The lines on assumed values, each without its indent."""
    done = command(*words, "--set", "measure.messages=2000")
    assert done.exit_code == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    first = lines.index("assumed, since the fabric's file does not say:")
    end = next(at for at in range(first, len(lines)) if lines[at].startswith("to change them: "))
    return [*(line for line in lines[:first] if line.startswith("recognised: ")), *lines[first + 1 : end]]


def test_a_bare_fabric_of_infiniband_has_credits_and_says_what_was_assumed(command: Command) -> None:
    fabric = str(DATA / "square.ibnetdiscover")
    told = _assumed(command, "run", fabric, "--no-report")
    assert told == [
        "recognised: ring of 4 switches",
        "routes: up*/down* from north",
        "traffic: uniform, messages of 4 KiB, load 0.3",
        "switches: virtual lanes 1, credits for 64 KiB per lane, MTU 4 KiB, latency 200 ns",
        "links: 100 Gbit/s where a cable states no rate, delay 50 ns where a cable states none",
    ]
    assert _assumed(command, "explain", fabric) == told


def test_what_is_set_is_not_assumed(command: Command) -> None:
    fabric, tables = str(DATA / "square.ibnetdiscover"), str(DATA / "square.fdbs")
    settings = ("frames.mtu=2 KiB", "traffic.load=0.1", f'routing.tables="{tables}"', "link.rate=10 Gbit/s")
    changed = [word for setting in settings for word in ("--set", setting)]
    told = _assumed(command, "run", fabric, "--no-report", "--traffic", "permutation", *changed)
    assert told == [
        "traffic: messages of 4 KiB",
        "switches: virtual lanes 1, credits for 64 KiB per lane, latency 200 ns",
        "links: delay 50 ns where a cable states none",
    ]


def test_other_fabrics_stay_in_the_machine_without_frames(command: Command) -> None:
    told = _assumed(command, "run", str(DATA / "square.anynet"), "--no-report")
    assert told[:2] == ["recognised: ring of 4 switches", "routes: up*/down* from router0"]
    assert told[2].startswith("traffic: uniform, messages of 4 KiB, load 0.")
    of_switches = "AN1's with FIFO of 64 KiB, stop threshold 32 KiB, routing decision 100 ns"
    assert told[3].startswith(f"switches: {of_switches}, crossbar set-up 100 ns")


def test_a_bare_fabric_and_the_scenario_that_it_means_have_the_same_results(
    command: Command, here: Path
) -> None:
    few = ("--set", "measure.messages=2000", "--no-report", "--json")
    bare = json.loads(command("run", str(DATA / "square-subnet.lst"), *few, "--out", "bare").stdout)
    written = json.loads(command("run", "bare/scenario.toml", *few).stdout)
    assert written["result_hash"] == bare["result_hash"]
    assert [note for note in bare["notes"] if note not in written["notes"]] == bare["notes"][:1]


def test_flows_take_the_place_of_the_traffic_of_a_bare_fabric(command: Command, here: Path) -> None:
    flows = "flows=[{ pattern = { all-to-all = { size = '64 KiB' } } }]"
    words = ("run", str(DATA / "square.net"), "--set", flows, "--set", 'measure.warmup="none"', "--no-report")
    done = command(*words)
    assert done.exit_code == 0, done.stderr
    assert ", all finished" in done.stdout
    refused = command(*words, "--set", "traffic.load=0.1")
    assert refused.exit_code == REFUSED
    assert "[traffic] and [[flows]] are both given" in refused.stderr


GRAPH = b"""<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"/><edge source="b" target="c"/></graph></graphml>"""


def test_a_graph_without_hosts_gets_one_a_switch_and_says_so(command: Command, here: Path) -> None:
    done = command("topology", _file(here, "row.graphml", GRAPH))
    assert done.exit_code == 0, done.stderr
    assert "1 host at each switch of a graph without hosts" in done.stdout


def test_a_fabric_without_hosts_is_told_to_get_some(command: Command, here: Path) -> None:
    fabric = _file(here, "ring.csv", b"from,to\na,b\nb,c\nc,a\n")
    done = command("topology", fabric)
    assert done.exit_code == REFUSED
    assert "network.file.hosts_per_switch=1" in done.stderr
    done = command("topology", fabric, "--set", "network.file.hosts_per_switch=1")
    assert done.exit_code == 0, done.stderr


def test_a_receivers_switch_that_sends_packets_on_is_a_forwarding_loop(command: Command) -> None:
    here = PROJECT / "tests" / "bad-scenarios" / "graphs"
    done = command("check", str(here / "two-leaves.net"), "--routes", str(here / "sends-on.lfts"))
    assert done.exit_code == 1
    found = [line.split() for line in done.stdout.splitlines()]
    assert ["unreachable", "0"] in found
    assert ["forwarding", "loops", "1"] in found
    assert "left:2 - right:2 - left" in done.stdout


def test_a_delivery_to_the_wrong_host_is_told_with_its_switch_and_port(command: Command, here: Path) -> None:
    graphs = PROJECT / "tests" / "bad-scenarios" / "graphs"
    # The left switch hands packets for h2 to its own host, and the right one delivers them.
    tables = (graphs / "sends-on.lfts").read_text().replace("0x0004 002", "0x0004 001")
    lfts = _file(here, "wrong.lfts", tables.encode())
    fabric = str(graphs / "two-leaves.net")
    done = command("check", fabric, "--routes", lfts, "--path", "h1", "h2")
    assert done.exit_code == 1
    found = [line.split() for line in done.stdout.splitlines()]
    assert ["unreachable", "0"] in found
    assert ["to", "the", "wrong", "host", "1"] in found
    heading = ["delivered", "to", "the", "wrong", "host", "by", "packets", "for", "reach", "pairs"]
    assert found[found.index(heading) + 1] == ["left:1", "h2", "(LID", "4)", "h1", "1"]
    assert "left:1 -> h1; the wrong host" in done.stdout
    refused = command("run", fabric, "--set", f'routing.tables="{lfts}"')
    assert refused.exit_code == REFUSED
    assert "packets from h1 to h2 do not arrive, because they are delivered to h1: left" in refused.stderr


def test_a_stale_entry_is_told_with_its_port_and_lid(command: Command, here: Path) -> None:
    tables = (DATA / "square-lfts.dump").read_text().replace("0x0005 002", "0x0005 008", 1)
    lfts = _file(here, "stale.lfts", tables.encode())
    shown = command("check", str(DATA / "square.net"), "--routes", lfts)
    assert shown.exit_code == 1
    (told,) = (line for line in shown.stdout.splitlines() if "which has no cable" in line)
    assert "bee (LID 5)" in told
    assert told.endswith("north:8, which has no cable")


def test_a_slow_cable_that_is_replaced_is_neither_told_nor_written(command: Command, here: Path) -> None:
    fabric = str(DATA / "one-slow-cable.ibnetdiscover")
    slow = "runs at 16 Gbit/s, where most have 100 Gbit/s"
    replaced = ("--set", "upgrade.replace_slow_cables=true")
    few = ("--set", "measure.messages=2000", "--no-report")
    for verb, *more in (("topology",), ("check",), ("run", *few)):
        assert slow in command(verb, fabric, *more).stdout
        assert "runs at" not in command(verb, fabric, *more, *replaced).stdout
    for name, rate in (("cables.csv", "16 Gbit/s"), ("cables.ibnetdiscover", "4xDDR")):
        for changes, times in (((), 1 if name == "cables.csv" else 2), (replaced, 0)):
            done = command("topology", fabric, *changes, "--write", name)
            assert done.exit_code == 0, done.stderr
            assert (here / name).read_text().count(rate) == times


@pytest.mark.parametrize("fabric", ["square.ibnetdiscover", "square-subnet.lst"])
@pytest.mark.parametrize("tables", TABLES)
def test_tables_are_checked_and_followed(command: Command, fabric: str, tables: str) -> None:
    found = json.loads(command("check", str(DATA / fabric), "--routes", str(DATA / tables), "--json").stdout)
    assert found["safe"]
    routed = f'routing.tables="{DATA / tables}"'
    few = "measure.messages=2000"
    done = command("run", str(DATA / fabric), "--set", routed, "--set", few, "--no-report", "--json")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    "traffic", ["uniform", "permutation", "random", "tornado", "neighbour", "flows.csv", "flows.cm"]
)
def test_traffic_has_names(command: Command, here: Path, traffic: str) -> None:
    _file(here, "flows.csv", b"from,to,size,start\nant,bee,4 KiB,10 us\nbee,cow,4 KiB,\n")
    _file(here, "flows.cm", b"Nodes 7\nConnections 1\n0->5 id 1 start 2000 size 4096\n")
    few = ("--set", "measure.messages=2000", "--no-report")
    done = command("run", str(DATA / "square.net"), "--traffic", traffic, *few)
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    ("traffic", "hint"), [("permutatoin", "did you mean permutation?"), ("noon", "all-to-all, uniform")]
)
def test_traffic_of_no_name_is_refused(command: Command, traffic: str, hint: str) -> None:
    done = command("run", str(DATA / "square.net"), "--traffic", traffic)
    assert done.exit_code == REFUSED
    assert f"`{traffic}`" in done.stderr
    assert hint in done.stderr


@pytest.mark.parametrize(
    ("scenario", "words"), [("dctcp-incast", "it has [[flows]]"), ("queueing-mm1", "its model is `queueing`")]
)
def test_a_pattern_for_a_scenario_without_traffic_is_refused_in_the_words_of_the_option(
    command: Command, scenario: str, words: str
) -> None:
    done = command("run", scenario, "--traffic", "uniform")
    assert (done.exit_code, done.stdout) == (REFUSED, "")
    assert done.stderr.startswith(f"error: --traffic: `{scenario}` has no section [traffic]; {words}\n")


@pytest.mark.parametrize("name", [*FABRICS, *TABLES])
@pytest.mark.parametrize("spoil", ["crlf", "bom"])
def test_line_ends_and_marks_of_other_systems_change_nothing(
    command: Command, here: Path, name: str, spoil: str
) -> None:
    whole = (DATA / name).read_bytes()
    spoilt = _file(here, name, whole.replace(b"\n", b"\r\n") if spoil == "crlf" else b"\xef\xbb\xbf" + whole)

    def check(which: str) -> dict[str, object]:
        fabric = which if name in FABRICS else str(DATA / "square-subnet.lst")
        tables = () if name in FABRICS else ("--routes", which)
        done = command("check", fabric, *tables, "--json")
        assert done.exit_code == 0, done.stderr
        return {**json.loads(done.stdout), "tables": None}

    assert check(spoilt) == check(str(DATA / name))


def _is_refusal(done: Result) -> bool:
    """Bad input ends with exit code 2 and a message; never with a traceback."""
    words = done.stderr
    return done.exit_code == REFUSED and words.startswith("error: ") and "Traceback" not in words


SPOILT = {
    "empty": b"",
    "blank": b" \n\n",
    "bytes": bytes(range(256)) * 8,
    "not UTF-8": b'Switch 4 "\xff\xfe"\n',
    "a host without a switch": b'Switch 4 "a"\n[1] "h"[1]\n\nHca 1 "h"\n[1] "a"[1]\n\nHca 1 "g"\n',
    "a port used twice": b'Switch 4 "a"\n[1] "h"[1]\n[1] "g"[1]\n\nHca 1 "h"\n[1] "a"[1]\n',
    "one end only": b'Switch 4 "a"\n[1] "h"[1]\n\nHca 1 "h"\n',
    "cut": b'Switch 4 "a"\n[1] "h"[1]\n\nHca 1 "h"\n[1] "a"',
    "words": b"these are my cables\n",
}


@pytest.mark.parametrize("ending", ["net", "ibnetdiscover", "lst", "csv", "graphml", "anynet"])
@pytest.mark.parametrize("content", SPOILT)
def test_a_file_that_is_no_fabric_is_refused_with_its_line(
    command: Command, here: Path, content: str, ending: str
) -> None:
    name = _file(here, f"spoilt.{ending}", SPOILT[content])
    done = command("check", name)
    assert _is_refusal(done), done.output
    assert f"{name}:" in done.stderr
    assert "expected" in done.stderr


@pytest.mark.parametrize("content", [*SPOILT, "of another fabric", "a fabric"])
@pytest.mark.parametrize("option", ["--routes", "--root-guids"])
def test_tables_and_roots_that_are_none_are_refused_with_their_line(
    command: Command, here: Path, content: str, option: str
) -> None:
    others = {
        "of another fabric": (PROJECT / "scenarios" / "irregular-opensm.lfts").read_bytes(),
        "a fabric": (DATA / "square.net").read_bytes(),
    }
    name = _file(here, "spoilt.txt", {**SPOILT, **others}[content])
    done = command("check", str(DATA / "square.net"), option, name)
    assert _is_refusal(done), done.output
    assert f"{name}:" in done.stderr
    assert "expected" in done.stderr


@pytest.mark.parametrize("name", [*FABRICS, *TABLES])
def test_a_file_cut_anywhere_is_read_or_refused(command: Command, here: Path, name: str) -> None:
    whole = (DATA / name).read_bytes()
    refused = 0
    for end in range(0, len(whole), max(1, len(whole) // 12)):
        cut = _file(here, name, whole[:end])
        fabric = cut if name in FABRICS else str(DATA / "square-subnet.lst")
        tables = () if name in FABRICS else ("--routes", cut)
        done = command("check", fabric, *tables, "--json")
        assert done.exit_code in (0, 1) or _is_refusal(done), f"{end}: {done.output}"
        refused += _is_refusal(done)
    assert refused


def test_a_folder_a_missing_file_and_one_that_is_not_ours_are_refused(command: Command, here: Path) -> None:
    (here / "folder.net").mkdir()
    _file(here, "secret.net", (DATA / "square.net").read_bytes())
    (here / "secret.net").chmod(0)
    names = ["folder.net", "missing.net"]
    if not os.access(here / "secret.net", os.R_OK):
        names.append("secret.net")
    for name in names:
        for words in ((name,), (str(DATA / "square.net"), "--routes", name)):
            done = command("check", *words)
            assert _is_refusal(done), done.output
            assert name in done.stderr


@pytest.mark.parametrize("ending", ["ibnetdiscover", "net", "csv"])
def test_a_network_is_written_as_a_file_that_is_the_same_network(
    command: Command, here: Path, ending: str
) -> None:
    name = f"torus.{ending}"
    done = command("topology", "an1-torus", "--write", name)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    again, before = hopscope.topology(here / name), hopscope.topology("an1-torus")
    for figure in ("switches", "hosts", "links", "diameter", "root"):
        assert again.figures[figure] == before.figures[figure], figure


@pytest.mark.parametrize("name", ["torus.doc", "taken.net"])
def test_what_cannot_be_written_is_refused(command: Command, here: Path, name: str) -> None:
    (here / "taken.net").mkdir()
    done = command("topology", "an1-torus", "--write", name)
    assert _is_refusal(done), done.output
    assert name in done.stderr


def test_of_many_roots_some_are_named_and_the_others_counted(command: Command) -> None:
    tree = ("roce-fat-tree-incast", "--set", "network.fat-tree.radix=8", "--write", "tree.ibnetdiscover")
    assert command("topology", *tree).exit_code == 0
    done = command("check", "tree.ibnetdiscover", "--engine", "d-mod-k")
    assert "illegal down-up turns  0 (roots core0, core1, core2, core3, core4 and 11 more)" in done.stdout


def test_shortest_paths_of_a_tree_are_judged_by_all_its_spines(command: Command) -> None:
    """A scenario with shortest paths names no root: for one spine, turns at the others are illegal."""
    assert command("init", "leaf.toml").exit_code == 0
    done = command("check", "leaf.toml")
    assert "illegal down-up turns  0 (roots spine0, spine1, spine2, spine3" in done.stdout


def test_the_command_offers_the_engines_that_there_are() -> None:
    from hopscope.cli.routes import ENGINES

    with pytest.raises(hopscope.ScenarioError) as refused:
        hopscope.check("ib-torus-updn", engine="none")
    assert f"expected {', '.join(ENGINES)}\n" in f"{refused.value}\n"


def test_everything_found_is_shown_as_text_json_and_drawing(command: Command, here: Path) -> None:
    words = ("check", "ib-irregular-opensm", "--root", "S0")
    done = command(*words, "--svg", "loop.svg")
    assert done.exit_code == 1
    for shown in (
        "NOT SAFE",
        "longest path           11 links between switches",
        "extra hops  pairs",
        "illegal down-up turns  1 (root S0)",
        "credit loop            cycle of 5 links",
        "S7:4 -> S22:2",
        "all packets are assumed on one virtual lane",
        "worst permutation      10 flows on S7:2 -> S3:4 (the maximum)",
        "busiest links, all-to-all",
    ):
        assert shown in done.stdout, shown
    assert "S22" in (here / "loop.svg").read_text()
    found = json.loads(command(*words, "--json").stdout)
    assert found["detours"] == {"0": 740, "1": 78, "2": 44, "3": 4, "4": 4}
    assert sum(found["detours"].values()) == found["pairs"]
    assert len(found["credit_loop"]) == len({hop["from"] for hop in found["credit_loop"]})
    assert len(found["worst_permutation"]["pairs"]) == found["worst_permutation"]["flows"]


def test_routes_go_to_a_file_or_to_stdout_alike(command: Command, here: Path) -> None:
    words = ("routes", str(DATA / "square.net"))
    done = command(*words, "--out", "square.lfts")
    assert done.exit_code == 0, done.stderr
    assert command(*words).stdout == (here / "square.lfts").read_text()
    assert hopscope.routes(DATA / "square.net") == (here / "square.lfts").read_text()


def test_the_path_between_two_hosts_is_shown_by_each_lid(command: Command) -> None:
    fabric, tables = str(DATA / "lmc.ibnetdiscover"), str(DATA / "lmc-lfts.dump")
    shown = command("check", fabric, "--routes", tables, "--path", "dog", "eel").stdout
    first, second = (line for line in shown.splitlines() if line.startswith("LID "))
    assert first.split() == ["LID", "14", "south:5", "->", "west:4,", "west:1", "->", "eel"]
    assert second.split()[:2] == ["LID", "15"]
    refused = command("check", fabric, "--path", "dog", "eeel").stderr
    assert 'no host is called "eeel"' in refused
    assert 'did you mean "eel"?' in refused
    found = hopscope.check(fabric, routes=tables, path=("dog", "eel")).data["path"]
    assert [path["end"] for path in found["paths"]] == ["arrives", "arrives"]
