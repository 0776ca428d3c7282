"""A fabric's file out of the box: names, family, routes, and what is odd, said first by every verb."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope.cli import facts
from subnet import needs_tools, simulated

Command = Callable[..., Result]
DATA = PROJECT / "crates/formats/tests/data"
FABRIC = str(DATA / "one-slow-cable.ibnetdiscover")
SLOW = "the cable leaf2:11 - spine2:11 runs at 16 Gbit/s, where most have 100 Gbit/s"
QUICK = ("--set", "measure.messages=2000")


def _repaired(folder: Path) -> Path:
    """The same fabric with the cable as fast as comparable cables."""
    file = folder / "repaired.ibnetdiscover"
    file.write_text(Path(FABRIC).read_text().replace("4xDDR", "4xEDR"))
    return file


@pytest.mark.parametrize(
    "words",
    [("topology",), ("check",), ("run", "--no-report", *QUICK), ("explain", "--no-confirm", *QUICK)],
    ids=lambda words: words[0],
)
def test_anomalies_stand_below_the_answer(command: Command, words: tuple[str, ...]) -> None:
    verb, *options = words
    done = command(verb, FABRIC, *options)
    lines = done.stdout.splitlines()
    at = lines.index("anomalies in this fabric")
    assert lines[at + 1].strip() == SLOW
    answer = {"topology": "family", "check": "SAFE: ", "run": "Slow cable: ", "explain": "Slow cable: "}[verb]
    assert any(line.startswith(answer) for line in lines[:at]), done.stdout


@pytest.mark.parametrize(
    "words",
    [("check",), ("topology",), ("run", "--no-report", *QUICK), ("explain", "--no-confirm", *QUICK)],
    ids=lambda words: words[0],
)
def test_switches_with_roles_for_names_stand_beside_their_guids(
    command: Command, words: tuple[str, ...]
) -> None:
    """All switches of this fabric have one description: `leaf2` and `spine2` stand in no dump."""
    verb, *options = words
    lines = command(verb, FABRIC, "--quiet", *options).stdout.splitlines()
    # They stand where the cable is named, not only at the end of a long answer.
    [at] = [number for number, line in enumerate(lines) if line.startswith("  in the file: ")]
    assert lines[at - 1].startswith("  ")
    assert all(line.startswith("  ") for line in lines[lines.index("anomalies in this fabric") + 1 : at])
    for name in ("leaf2 = SwitchIB Mellanox Technologies 0x2c90300a01100", "spine2 = ", "0x2c90300a02100"):
        assert name in lines[at]
    assert sum("0x2c90300a01100" in line for line in lines) == 1 + (verb == "topology")


def test_the_legend_has_the_switches_that_the_answer_names_and_no_other() -> None:
    own = [["leaf1", "SW 0xa1"], ["leaf2", "SW 0xa2"], ["leaf21", "SW 0xb5"], ["core", "MF0;core:MSB7700"]]
    lines = ["the cable leaf2:11 - h1", "(roots core, x)"]
    # What the file's own name has in it needs no other.
    blank, legend = facts.legend({"names": own}, lines)
    assert (blank, legend.splitlines()[1:]) == ("", ["leaf2   SW 0xa2"])
    assert facts.legend(None, lines) == facts.legend({}, lines) == []


def test_topology_lists_the_first_switches_and_those_that_it_names() -> None:
    own = [[f"s{number}", f"SW {number:#x}"] for number in range(20)]
    shown = facts.names({"facts": {"names": own}}, ["root  s17"])[1].splitlines()
    assert [line.split()[0] for line in shown[1:]] == [*(f"s{number}" for number in range(12)), "s17", "and"]
    assert shown[-1].split(maxsplit=3) == ["and", "7", "more", "--json lists all"]


def test_routes_say_it_beside_the_tables(command: Command, tmp_path: Path) -> None:
    done = command("routes", FABRIC, "--out", str(tmp_path / "lfts"))
    assert SLOW in done.stderr
    assert "odd" not in (tmp_path / "lfts").read_text()


def test_a_healthy_fabric_has_nothing_odd_but_its_oversubscription(command: Command, tmp_path: Path) -> None:
    facts = json.loads(command("topology", str(_repaired(tmp_path)), "--json").stdout)["facts"]
    assert [each["kind"] for each in facts["anomalies"]] == ["unequal-up-down"]
    assert facts["family"] == "fat tree of 2 levels: 4 leaves, 2 spines"
    assert facts["routes"] == "up*/down* from 2 roots (spine1, spine2)"


def test_the_first_run_of_a_healthy_fabric_is_not_saturated(tmp_path: Path) -> None:
    result = hopscope.run(_repaired(tmp_path), set={"measure.messages": 20_000})
    assert result.outcome == "complete"


def test_a_fabric_whose_trunks_are_thin_is_asked_for_less(tmp_path: Path) -> None:
    """Ten hosts a leaf share one cable of their own rate: load 0.3 would ask for three times that."""
    lines = ["from,to,rate,kind"]
    for leaf in range(4):
        lines.append(f"leaf{leaf},spine,100 Gbit/s,trunk")
        lines += [f"h{leaf}-{host},leaf{leaf},100 Gbit/s,host" for host in range(10)]
    file = tmp_path / "thin.csv"
    file.write_text("\n".join(lines))
    result = hopscope.run(file, set={"measure.messages": 20_000})
    assert result.outcome == "complete"
    assert result.summary.metric("load").value < 0.1
    assert any("half of what the fabric carries as it is" in note for note in result.summary.data["notes"])


@pytest.mark.parametrize(
    "name", ["spine1", "0x2c90300a02000", "SwitchIB Mellanox Technologies 0x2c90300a02000"]
)
def test_every_name_of_a_switch_is_taken(command: Command, name: str) -> None:
    done = command("check", FABRIC, "--root", name)
    assert done.exit_code == 0, done.stderr
    assert "(root spine1)" in done.stdout


def test_a_scenario_says_what_is_odd_about_its_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "fabric.ibnetdiscover").write_text(Path(FABRIC).read_text())
    scenario = tmp_path / "mine.toml"
    scenario.write_text(
        'model = "fabric"\n[network.file]\npath = "fabric.ibnetdiscover"\n[routing]\n'
        'roots = ["spine1", "spine2"]\n[frames]\nflow_control = { credits = {} }\n[traffic]\nload = 0.1\n'
    )
    told = command("topology", str(scenario)).stdout
    assert SLOW in told
    assert "assumed" not in told


@needs_tools
def test_a_real_tree_is_recognised_and_routed_over_all_its_spines(tmp_path: Path) -> None:
    """A net file of ibsim, discovered by the real tool, in groups."""
    net = tmp_path / "tree.net"
    lines = []
    leaves, spines, hosts = 3, 2, 4
    for spine in range(spines):
        lines.append(f'\nSwitch 8 "S{spine}"')
        lines += [f'[{leaf + 1}] "L{leaf}"[{hosts + spine + 1}]' for leaf in range(leaves)]
    for leaf in range(leaves):
        lines.append(f'\nSwitch 8 "L{leaf}"')
        lines += [f'[{host + 1}] "H{leaf}-{host}"[1]' for host in range(hosts)]
        lines += [f'[{hosts + spine + 1}] "S{spine}"[{leaf + 1}]' for spine in range(spines)]
    lines += [
        f'\nHca 1 "H{leaf}-{host}"\n[1] "L{leaf}"[{host + 1}]'
        for leaf in range(leaves)
        for host in range(hosts)
    ]
    net.write_text("\n".join(lines) + "\n")
    with simulated(net, tmp_path / "subnet") as subnet:
        subnet.opensm("updn")
        fabric = tmp_path / "tree.ibnetdiscover"
        fabric.write_text(subnet.run("ibnetdiscover", "-g"))
    facts = hopscope.topology(fabric).data["facts"]
    assert facts["family"] == "fat tree of 2 levels: 3 leaves, 2 spines"
    assert facts["routes"] in ("up*/down* from 2 roots (S0, S1)", "up*/down* from 2 roots (S1, S0)")
    assert facts["anomalies"][0]["kind"] == "unequal-up-down"
