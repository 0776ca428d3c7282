"""Capacity and advice: small networks whose limits can be told by hand."""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope import engine
from hopscope.cli.advise import conclusion
from hopscope.errors import UsageError
from hopscope.estimate import Estimate
from hopscope.planning.candidates.variants import LOOP_FREE, Variant, variants, with_rule
from hopscope.planning.capacity import words
from hopscope.planning.capacity.advice import RouteOption
from hopscope.planning.capacity.capacity import bounds_of
from hopscope.planning.capacity.limit import Limit, limit
from hopscope.planning.capacity.looks import Look
from hopscope.planning.capacity.reasons import reasons
from hopscope.planning.capacity.saturation import Saturation, growth
from hopscope.planning.kinds import Routing, What, Why
from hopscope.results.run import RunResult

SCENARIOS = PROJECT / "scenarios"
SLOW_CABLE = SCENARIOS.parent / "crates/formats/tests/data/one-slow-cable.ibnetdiscover"

SLOW = "the cable leaf2:11 - spine2:11 runs at 16 Gbit/s, where most have 100 Gbit/s"

Command = Callable[..., Result]

# Two switches with three hosts each. Of what the three of a side send, 3/5 cross the one link: full at 5/9.
DUMBBELL = {
    "network": {"line": {"switches": 2, "hosts_per_switch": 3}},
    "traffic": {"load": 0.3, "pattern": "uniform", "sizes": {"exponential": "1000 B"}},
}
FLOORS = ("an1-floors", "--set", "network.floors.hosts_per_arm=2")
QUICK = ("--seeds", "1", "--messages", "10000")


@pytest.fixture
def dumbbell(tmp_path) -> str:
    """A scenario file of two switches."""
    path = tmp_path / "dumbbell.json"
    path.write_text(json.dumps({"model": "fabric", **DUMBBELL}))
    return str(path)


def test_two_switches_are_held_back_by_the_link_between_them(dumbbell: str):
    found = hopscope.capacity(
        dumbbell, set={"switch.discipline": "output", "switch.fifo": "unbounded"}, messages=20_000, seeds=1
    )
    assert found.bounds["even_split"]["load"] == pytest.approx(5 / 9)
    assert found.bounds["at_most"] == pytest.approx(5 / 9)
    assert found.saturation is not None
    assert found.limit is not None
    assert 0.92 * 5 / 9 < found.saturation.low <= 5 / 9
    assert found.saturation.high == pytest.approx(5 / 9)
    assert found.limit.utilisation > 0.93
    assert found.reason == Why.LINK
    assert json.loads(found.to_json())["reason"] == Why.LINK
    assert "link, routes shared evenly" in found._repr_html_()


def test_a_slow_cable_comes_first():
    fabric = str(SLOW_CABLE)
    found = hopscope.advise(fabric, messages=20_000, seeds=1)
    # 16 Gbit/s among twelve cables of a leaf whose 24 hosts send 72 of 95 parts of 100 Gbit/s to the others.
    assert found.now.expected == pytest.approx(16 * 12 / (24 * 100 * 72 / 95))
    # Without it the twelve cables carry 100 Gbit/s each.
    assert found.replaced is not None
    assert found.replaced.expected == pytest.approx(12 * 100 / (24 * 100 * 72 / 95))
    assert found.replaced.apply == "--set upgrade.replace_slow_cables=true"
    assert found.now.saturation is not None
    assert abs(found.now.saturation.load / found.now.expected - 1) < 0.15


def test_capacity_tells_what_is_odd_about_a_file_and_replaces_its_slow_cable(command: Command):
    told = command("capacity", str(SLOW_CABLE), "--bounds").stdout.splitlines()
    assert told[told.index("anomalies in this fabric") + 1].strip() == SLOW
    scenario = engine.load(str(SLOW_CABLE))
    (replaced,) = (each for each in variants(scenario, bounds_of(scenario)) if each.what is What.REPLACED)
    assert replaced.overrides == ("upgrade.replace_slow_cables=true",)
    assert replaced.changes == "the cable leaf2:11 - spine2:11 (16 Gbit/s, where most have 100 Gbit/s)"
    # It is named where it is full, even if its repair gains nothing for sure; then it states its gain as
    # well.
    full = Limit("leaf2", "leaf2 - spine2", False, 0.99, 0.3, 0.0, True, 0.1, to="spine2")
    now, more = Saturation(0.1, 0.12, (1,)), Saturation(0.3, 0.31, (1,))
    for after, gain in ((now, None), (more, pytest.approx(more.load / now.load - 1))):
        (reason,) = reasons({What.AS_IS: now, What.REPLACED: after}, [replaced], full, {"host_link": None})
        assert (reason.kind, reason.gain) == (Why.SLOW_CABLE, gain)
        assert replaced.changes in reason.evidence
    other = replace(full, link="leaf1 - spine2", switch="leaf1")
    (reason,) = reasons({What.AS_IS: now}, [replaced], other, {"host_link": None})
    assert reason.kind == Why.LINK


def test_advice_says_why_any_candidate_differs_from_what_is_expected():
    now = RouteOption(Routing.AS_NOW, None, None, (), 0.5, Saturation(0.49, 0.51, (1,)))
    replaced = replace(now, replaces_cables=True, expected=1.0, saturation=Saturation(0.39, 0.4, (1,)))
    locked = replace(now, root="s0", saturation=Saturation(0.1, 0.12, (1,), (1,)))
    advice = SimpleNamespace(candidates=[now, replaced, locked, replace(now, saturation=None)])
    of_cables, of_locks = words.differences(advice)
    assert of_cables.startswith('Expected and simulated loads differ with "current, slow cables replaced": ')
    assert of_locks == (
        'Expected and simulated loads differ with "root s0": the analysis does not consider deadlocks.'
    )


def test_bounds_alone_simulate_nothing(dumbbell: str):
    found = hopscope.capacity(dumbbell, simulate=False)
    assert found.saturation is None
    assert found.reason is None
    assert found.bounds["head_of_line"]["load"] < found.bounds["at_most"]


def test_floors_is_told_what_its_levels_do(command: Command):
    done = command("capacity", *FLOORS, *QUICK)
    assert done.exit_code == 0, done.output
    assert "10 links on shortest paths carry no traffic, because of the levels of up*/down*" in done.stdout
    put = "put f0c1 and all of these links to use and raise the expected saturation load from 0.627 to 0.902"
    assert f"No traffic passes f0c1. Adding a link f0c0 - f0c1 would {put}." in done.stdout
    assert "limiting switch" in done.stdout
    assert "where back-pressure begins: links into it are stopped" in done.stdout
    assert Why.ROOT in done.stdout


def test_a_link_that_would_carry_no_more_is_said_not_to_help(tmp_path: Path, command: Command):
    """Four leaves on two spines, routed from one of them: a link between the spines carries nothing more."""
    leaves, spines = [f"l{at}" for at in range(4)], ["s0", "s1"]
    custom = {
        "switches": [*leaves, *spines],
        "links": [{"between": [leaf, spine]} for leaf in leaves for spine in spines],
        "hosts": [{"name": f"{leaf}h{at}", "at": leaf} for leaf in leaves for at in range(4)],
    }
    path = tmp_path / "leaves.json"
    scenario = {
        "model": "fabric",
        "network": {"custom": custom},
        "routing": {"rule": "up-down", "root": "s0"},
        "frames": {"flow_control": {"credits": {}}},
        "traffic": {"load": 0.2, "pattern": "uniform", "sizes": {"fixed": "4 KiB"}},
    }
    path.write_text(json.dumps(scenario))
    told = command("capacity", str(path), "--bounds").stdout
    found = hopscope.capacity(path, simulate=False)
    (cure,) = found.bounds["idle_by_levels"]["cures"]
    assert cure["expected"] == found.bounds["expected"]
    assert "No traffic passes s1. Adding a link s0 - s1 would not help" in told
    # It is neither simulated nor offered as a remedy.
    assert not any("s0 - s1" in each.what for each in variants(engine.load(path), found.bounds))


def test_floors_is_advised_to_join_its_centres(command: Command):
    done = command("advise", *FLOORS, *QUICK, "--add-link", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert ["f0c0", "f0c1"] in [each["between"] for each in found["candidates"]]
    assert found["best"]["saturation"]["low"] > 1.1 * found["now"]["saturation"]["load"]
    # Every switch as the root, and all shortest paths, which cannot deadlock on Floors.
    assert len(found["analysed"]["roots"]) == 24 + 1


def test_other_routes_and_tables_replace_a_root_of_todays():
    corner = {
        "model": "fabric",
        "network": {"mesh": {"width": 3, "height": 2, "hosts_per_switch": 2, "servers": 0}},
        "routing": {"root": "x0y0"},
        "traffic": {"load": 0.25, "sizes": {"fixed": "1000 B"}},
    }
    found = hopscope.advise(corner, messages=20_000, seeds=1)
    (tables,) = (each for each in found.candidates if each.engine == "dimension-order")
    assert tables.saturation is not None
    assert "root" not in tables.apply
    scenario = engine.load(corner)
    routes = with_rule(json.loads(scenario.canonical_json()), Routing.DIMENSION_ORDER)
    routing = json.loads(scenario.with_overrides([routes]).canonical_json())["routing"]
    assert routing["rule"] == Routing.DIMENSION_ORDER
    assert "root" not in routing


def test_a_root_that_is_best_already_is_kept(command: Command, dumbbell: str):
    done = command("advise", dumbbell, *QUICK)
    assert done.exit_code == 0, done.output
    assert "Keep s0 as the root" in done.stdout


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("capacity", "queueing-mm1"), "model `fabric`"),
        (("advise", "queueing-mm1"), "model `fabric`"),
        (("capacity", "an1-torus", "--set", "routing.root=h3"), "is a host"),
        (("capacity", "an1-torus", "--set", "routing.root=x0y9"), 'did you mean "x0y0"'),
        (("capacity", "an1-torus", "--bound"), "--bounds"),
        (("capacity", "an1-torus", "--seeds", "0"), "0"),
        (("capacity", "an1-parallel-lines", "--bounds"), "scales with traffic.load"),
        (("capacity", "an1-nowhere"), "hint"),
    ],
)
def test_what_cannot_be_asked_ends_with_a_hint(command: Command, words: tuple[str, ...], hint: str):
    done = command(*words)
    assert done.exit_code == 2, done.output
    assert hint in done.stderr


def test_a_network_that_cannot_deadlock_is_said_to_be_free_of_it(command: Command):
    done = command("topology", "an1-torus")
    assert "deadlock-free" in done.stdout


def test_a_torus_on_shortest_paths_shows_a_circle_of_waits(command: Command):
    done = command(
        "topology", "an1-torus", "--set", "routing.rule=shortest", "--set", "switch.fifo=unbounded"
    )
    assert "shortest cycle of 4 channels" in done.stdout
    found = json.loads(command("topology", "an1-torus", "--set", "routing.rule=shortest", "--json").stdout)[
        "deadlock"
    ]
    assert found["possible"]
    assert len(found["cycle"]) == 4
    for hop, after in zip(found["cycle"], found["cycle"][1:] + found["cycle"][:1], strict=True):
        assert hop["to"] == after["from"]


def test_a_scenario_with_overrides_is_the_one_that_is_loaded_with_them():
    further = ["traffic.load=0.35", "seed=7"]
    assert engine.load("backbone").with_overrides(further).hash == engine.load("backbone", further).hash
    added = ['added_links=[{ between = ["f0c0", "f0c1"] }]']
    joined = engine.load("an1-floors").with_overrides(added)
    assert json.loads(joined.topology_json() or "")["figures"]["links"] == 32 + 24 + 1


def test_shortest_paths_are_simulated_only_where_levels_forbid_some(command: Command):
    free = hopscope.capacity("an1-mstage", simulate=False).bounds
    assert free["shortest_paths_lost"] == {"pairs": 128, "longer": 0, "fewer": 0}
    scenario = engine.load("an1-mstage")
    assert [each.what for each in variants(scenario, dict(free))] == [What.NO_HEAD_OF_LINE, What.UNBOUNDED]
    held = hopscope.capacity("an1-floors", simulate=False).bounds
    assert held["shortest_paths_lost"] == {"pairs": 184, "longer": 0, "fewer": 82}
    assert What.SHORTEST in [each.what for each in variants(engine.load("an1-floors"), dict(held))]
    done = command("capacity", "an1-mstage", "--bounds")
    assert "Up*/down* forbids no shortest path for any of the 128 pairs of switches" in done.stdout
    forbidden = "Up*/down* forbids some shortest paths for 82 of the 184 pairs of switches whose hosts"
    assert forbidden in command("capacity", "an1-floors", "--bounds").stdout
    done = command("capacity", "an1-torus", "--bounds")
    assert "longer and forbids some shortest paths for 92 others." in done.stdout


def _grown(runs: list[RunResult]) -> Estimate:
    """The growth of the backlogs of whole runs, by their rates."""
    rates = [(run.summary.find("offered"), run.summary.find("throughput")) for run in runs]
    shares = [carried.value / offered.value for offered, carried in rates if offered and carried]
    return growth([Look(1 - share) for share in shares])


def test_a_load_inside_the_carried_side_does_not_saturate_and_beyond_the_other_does(dumbbell: str):
    # Asked for little: longer runs and more seeds are made, or the interval is wide.
    found = hopscope.capacity(dumbbell, seeds=1, messages=1_000)
    assert found.saturation is not None
    assert len(found.saturation.seeds) == 4
    assert found.saturation.high is not None
    assert found.saturation.low < found.saturation.high <= 5 / 9
    runs = {
        factor: [
            hopscope.run(dumbbell, set={"measure.messages": 60_000, "traffic.load": load}, seed=seed)
            for seed in range(101, 105)
        ]
        for factor, load in ((0.97, 0.97 * found.saturation.low), (1.03, 1.03 * found.saturation.high))
    }
    assert [run.outcome for run in runs[0.97]] == ["complete"] * 4
    assert _grown(runs[0.97]).high < 0.01
    assert _grown(runs[1.03]).low > 0
    more = hopscope.capacity(dumbbell, seeds=5, messages=40_000).saturation
    assert more is not None
    assert more.high is not None
    assert more.low <= found.saturation.high
    assert found.saturation.low <= more.high


def test_advice_takes_ports_from_the_file_the_family_or_the_machine(command: Command, tmp_path):
    def ports(*words: str) -> dict[str, object]:
        done = command("advise", *words, "--add-link", "--json", "--messages", "1000", "--quiet")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)["analysed"]["ports"]

    tree = tmp_path / "tree.json"
    traffic = {"load": 0.3, "pattern": "uniform", "sizes": {"fixed": "1 KiB"}}
    network = {"fat-tree": {"radix": 4, "tiers": 2, "hosts_per_edge": 1}}
    tree.write_text(json.dumps({"model": "fabric", "network": network, "frames": {}, "traffic": traffic}))
    assert ports(str(tree)) == {"least": 4, "most": 4, "known_from": "by the family"}
    fabric = tmp_path / "two.ibnetdiscover"
    fabric.write_text(TWO_SWITCHES)
    assert ports(str(fabric)) == {"least": 3, "most": 8, "known_from": "by the file"}
    assert ports(str(fabric), "--ports", "5") == {"least": 5, "most": 5, "known_from": "as asked"}


TWO_SWITCHES = """\
Switch 8 "S-1" # "a"
[1] "S-2"[1]
[2] "H-1"[1]

Switch 3 "S-2" # "b"
[1] "S-1"[1]
[2] "H-2"[1]

Ca 1 "H-1" # "ha"
[1] "S-1"[2]

Ca 1 "H-2" # "hb"
[1] "S-2"[2]
"""


def test_no_cable_is_proposed_where_there_is_no_port(command: Command, tmp_path):
    fabric = tmp_path / "full.ibnetdiscover"
    # Both switches are full, and of a third cable nothing is known but that it would need a port.
    fabric.write_text(TWO_SWITCHES.replace("Switch 8", "Switch 2").replace("Switch 3", "Switch 2"))
    done = command("advise", str(fabric), "--add-link", "--messages", "1000", "--quiet")
    assert done.exit_code == 0, done.output
    assert "No link can be added: no switch has a free port (by the file)." in done.stdout
    assert "added_links" not in done.stdout


def _ring() -> str:
    """A ring of five InfiniBand switches with a host each: shortest paths make a credit loop."""
    lines = []
    for number in range(5):
        after, before = (number + 1) % 5, (number - 1) % 5
        lines += [f'Switch 4 "S-{number}" # "s{number}"', f'[1] "S-{after}"[2]', f'[2] "S-{before}"[1]']
        lines += [f'[3] "H-{number}"[1]', "", f'Ca 1 "H-{number}" # "n{number}"', f'[1] "S-{number}"[3]', ""]
    return "\n".join(lines)


def test_engines_are_compared_by_safety_balance_and_capacity(command: Command, tmp_path):
    fabric = tmp_path / "ring.ibnetdiscover"
    fabric.write_text(_ring())
    done = command("advise", str(fabric), "--messages", "1000", "--json", "--quiet")
    assert done.exit_code == 0, done.output
    rows = {row["engine"]: row for row in json.loads(done.stdout)["analysed"]["engines"]["rows"]}
    # Shortest paths both ways round: all ten channels carry three of the 20 pairs, and wait for one another.
    assert not rows["shortest"]["safe"]
    assert rows["shortest"]["credit_loop"] == 5
    assert rows["shortest"]["imbalance"] == pytest.approx(1)
    # Each host sends a quarter of its load to each other: a link with three pairs is full at load 4/3.
    assert rows["shortest"]["carries"] == pytest.approx(1.0)
    assert rows["up-down"]["safe"]
    assert rows["up-down"]["imbalance"] > 1
    assert "linked" in rows["d-mod-k"]["refused"]


def test_roots_are_written_for_opensm(command: Command, tmp_path):
    roots = tmp_path / "roots.guids"
    done = command(
        "advise", str(SCENARIOS / "leaf-spine.ibnetdiscover"), *QUICK, "--quiet", "--write-roots", str(roots)
    )
    assert done.exit_code == 0, done.output
    guids = roots.read_text().split()
    file = (SCENARIOS / "leaf-spine.ibnetdiscover").read_text()
    assert guids
    assert all(f"switchguid=0x{int(guid, 16):x}(" in file for guid in guids)


def _leaf_spine(spines_of_last: int) -> str:
    """A net file of three leaves with four hosts each and four spines; the last leaf has fewer cables."""
    blocks = []
    cables = [
        (leaf, spine) for leaf in range(3) for spine in range(4) if leaf < 2 or spine >= 4 - spines_of_last
    ]
    for leaf in range(3):
        hosts = [f'[{n + 1}] "h{leaf}{n}"[1]' for n in range(4)]
        up = [f'[{5 + s}] "spine{s}"[{one + 1}]' for one, s in cables if one == leaf]
        blocks.append("\n".join([f'Switch 8 "leaf{leaf}"', *hosts, *up]))
        blocks += [f'Hca 1 "h{leaf}{n}"\n[1] "leaf{leaf}"[{n + 1}]' for n in range(4)]
    for spine in range(4):
        down = [f'[{one + 1}] "leaf{one}"[{5 + s}]' for one, s in cables if s == spine]
        blocks.append("\n".join([f'Switch 3 "spine{spine}"', *down]))
    return "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize(("spines", "carries"), [(4, "1.00"), (3, "0.688")])
def test_a_fabric_without_tables_is_given_some(command: Command, tmp_path: Path, spines: int, carries: str):
    """A leaf with three cables for four hosts: two of these share a link, which 8 of 11 receivers are behind.

    So tables carry 11 / 16. The assumed routes share all packets among three links.
    """
    fabric = tmp_path / "tree.net"
    fabric.write_text(_leaf_spine(spines))
    done = command("advise", str(fabric), *QUICK, "--quiet")
    assert done.exit_code == 0, done.output
    # A hash picks paths unevenly: tables whose links carry as much are simulated, and carry more.
    told = {
        4: "Load up*/down* tables: ",
        3: f"Best tables: up-down, 4 roots (safe; the first link is full at load {carries})",
    }
    assert told[spines] in done.stdout
    assert ("in tables each host has a single port" in done.stdout) == (spines == 3)
    begins = ("To write them: hopscope ", "To apply it: hopscope ")
    (line,) = (line for line in done.stdout.splitlines() if line.strip().startswith(begins))
    out = tmp_path / "up-down.lfts"
    written = shlex.split(line.partition("hopscope ")[2].partition(", then ")[0])
    assert command(*written[:-1], str(out)).exit_code == 0
    assert (
        f"\nSAFE: forwarding tables ({out})\n" in command("check", str(fabric), "--routes", str(out)).stdout
    )
    followed = command("advise", str(fabric), *QUICK, "--quiet", "--set", f'routing.tables="{out}"')
    assert "Best tables" not in followed.stdout


def test_tables_of_ones_own_are_compared_with_other_routes(command: Command):
    done = command("advise", "ib-torus-updn", *QUICK, "--quiet")
    assert done.exit_code == 0, done.output
    assert "\ncurrent " in done.stdout
    assert "To apply it: --set" in done.stdout


def test_reasons_are_the_gains_that_are_sure():
    def bracket(low: float) -> Saturation:
        return Saturation(low, low + 0.01, (1,))

    found = {
        What.AS_IS: bracket(0.5),
        What.NO_HEAD_OF_LINE: bracket(0.6),
        What.UNBOUNDED: bracket(0.505),
        What.SHORTEST: bracket(0.8),
    }
    tried = [
        Variant(What.NO_HEAD_OF_LINE, What.AS_IS, ()),
        Variant(What.UNBOUNDED, What.AS_IS, ()),
        Variant(What.SHORTEST, What.UNBOUNDED, ()),
    ]
    bounds = {"root": {"name": "s0", "through": 0.4}, "host_link": None}
    where = Limit("s0", "s0 - s1", False, 0.7, 0.3, 0.0, False, 0.51)
    assert [reason.kind for reason in reasons(found, tried, where, bounds)] == [Why.ROOT, Why.HEAD_OF_LINE]
    only = {What.AS_IS: bracket(0.5)}
    # A link that rests for a third of the time is no reason.
    assert reasons(only, [], where, bounds) == []
    assert reasons({What.AS_IS: Saturation(1.0, None, (1,))}, [], where, bounds) == []
    # A host that takes no more than this, whose link looks idle.
    slow = {**bounds, "host_link": {"load": 0.51, "from": "s0", "to": "h0"}}
    (reason,) = reasons(only, [], where, slow)
    assert (reason.kind, reason.evidence) == (Why.HOST_LINK, "s0 - h0 carries a load of 0.510 at most")


def test_a_network_that_locks_up_is_told_so_with_routes_that_cannot(command: Command):
    found = hopscope.capacity("an1-deadlock", messages=20_000)
    assert found.saturation is not None
    assert found.saturation.deadlocked
    assert found.reason == Why.DEADLOCK
    assert found.limit is None
    assert found.deadlock is not None
    assert "a cycle of" in found.deadlock
    carried = {each.variant.what: each.saturation for each in found.variants}
    for routes in LOOP_FREE.values():
        kept = carried[routes]
        assert kept is not None
        assert not kept.deadlocked
    done = command("capacity", "an1-deadlock", "--messages", "20000", "--quiet")
    assert "deadlock (+" in done.stdout
    assert "limiting switch" not in done.stdout


def test_today_s_routes_are_not_kept_where_they_may_lock_up(command: Command):
    found = hopscope.advise("an1-deadlock", messages=20_000)
    assert found.credit_loop == 4
    assert found.best.routing is Routing.DIMENSION_ORDER
    done = command("advise", "an1-deadlock", "--messages", "20000", "--quiet")
    loop = "The current routes have a credit loop of 4 links, so packets may lock up."
    assert f"{loop} Use dimension-order routes: " in done.stdout
    # FIFOs without a bound stop no sender.
    unbounded = hopscope.advise("an1-deadlock", set={"switch.fifo": "unbounded"}, messages=1_000)
    assert unbounded.credit_loop is None


@pytest.mark.parametrize("asked", [{"seeds": 2.5}, {"messages": "x"}, {"messages": 10**20}, {"seeds": 0}])
def test_a_search_of_so_many_seeds_and_messages_is_refused(asked: dict[str, Any]):
    with pytest.raises(UsageError, match=next(iter(asked))):
        hopscope.capacity("an1-floors", **asked)
    with pytest.raises(UsageError, match=next(iter(asked))):
        hopscope.advise("an1-floors", **asked)


@pytest.mark.parametrize("ports", [0, -1, 2.5])
def test_a_switch_has_a_port_at_least(ports: float):
    with pytest.raises(UsageError, match="ports"):
        hopscope.advise("an1-floors", ports=ports)  # type: ignore[arg-type]


def test_up_down_that_carries_less_is_better_than_a_credit_loop():
    found = hopscope.advise("an1-deadlock", messages=20_000)
    only = replace(
        found, candidates=[each for each in found.candidates if each.routing is not Routing.DIMENSION_ORDER]
    )
    assert only.best.routing is Routing.UP_DOWN
    assert only.best.load < only.now.load
    none = replace(found, candidates=[found.now])
    assert none.best is none.now


FULL = {"c": 0.95, "h": 0.98}


def test_where_back_pressure_begins_is_read_from_the_explanation():
    begins = {"switch": "b", "to": "c", "to_host": False, "utilisation": 0.5, "link_is_full": False}
    stops = {"stops": 0.2, "is_stopped": 0.02}
    output = {"id": "Output", "ends": ["b", "c"], "port": 1}
    rows = [
        {**output, "utilisation": 0.4, "held_in": [{"id": "SetUp", "occupancy": 0.3}]},
        {**output, "utilisation": 0.5, "held_in": [{"id": "SetUp", "occupancy": 0.1}]},
        {"id": "Output", "ends": ["h", "b"], "port": None, "utilisation": 0.99},
        {"id": "InputFifo", "utilisation": 0.99},
    ]
    run = SimpleNamespace(
        explain=lambda: SimpleNamespace(back_pressure={**begins, **stops}),
        summary=SimpleNamespace(resources=rows),
    )
    found = limit(run, 0.5)  # type: ignore[arg-type]
    assert found is not None
    assert (found.switch, found.link, found.stops, found.is_stopped) == ("b", "b - c", 0.2, 0.02)
    # Of parallel links the busiest counts.
    assert found.set_up == 0.1
    # A full link is the limit, wherever back-pressure is seen to begin.
    rows += [{"id": "Output", "ends": ["d", to], "port": 2, "utilisation": use} for to, use in FULL.items()]
    full = limit(run, 0.5)  # type: ignore[arg-type]
    assert full is not None
    assert (full.link, full.link_is_full, full.utilisation, full.to_host) == ("d - h", True, 0.98, True)
    nothing = SimpleNamespace(explain=lambda: SimpleNamespace(back_pressure=None))
    assert limit(nothing, 0.5) is None  # type: ignore[arg-type]


def test_a_fabric_of_frames_has_counterfactuals_of_its_own():
    fabric = SCENARIOS / "torus-7x5.ibnetdiscover"
    found = hopscope.capacity(fabric, messages=5_000, seeds=1)
    assert [(each.variant.what, each.refused) for each in found.variants] == [
        (What.UNBOUNDED, None),
        (What.NO_HEAD_OF_LINE, None),
        (What.SHORTEST, None),
    ]
    assert {Why.HEAD_OF_LINE, Why.ROOT} <= {reason.kind for reason in found.reasons}
    paused = hopscope.capacity(
        fabric, set={"frames.flow_control": {"pfc": {}}, "routing.rule": "shortest"}, messages=2_000, seeds=1
    )
    # These shortest paths have a credit loop, and pauses can lock it up.
    assert [(each.variant.what, each.refused) for each in paused.variants] == [
        (What.UNBOUNDED, None),
        (LOOP_FREE[Routing.UP_DOWN], None),
    ]


def test_of_many_candidates_only_how_many_differ_is_told():
    """Nearly every row was named again."""
    now = RouteOption(Routing.AS_NOW, None, None, (), 0.5, Saturation(0.3, 0.31, (1,)))
    others = [replace(now, root=f"s{number}") for number in range(3)]
    (all_of_them,) = words.differences(SimpleNamespace(candidates=[now, *others]))
    assert all_of_them.startswith("Expected and simulated loads differ in all 4 rows: ")
    alike = replace(now, expected=0.3)
    (most,) = words.differences(SimpleNamespace(candidates=[alike, *others]))
    assert most.startswith("Expected and simulated loads differ in 3 of 4 rows: ")


def test_missing_cables_come_before_any_other_advice(tmp_path: Path):
    """A link between two leaves was the advice for a fat tree that lacks cables to a spine."""
    pairs = [(leaf, spine) for leaf in range(1, 5) for spine in (1, 2) if (leaf, spine) != (4, 2)]
    trunks = [f"leaf{leaf},spine{spine},{4 + spine},{leaf},trunk" for leaf, spine in pairs]
    hosts = [f"h{leaf}{host},leaf{leaf},,{host},host" for leaf in range(1, 5) for host in (1, 2)]
    file = tmp_path / "tree.csv"
    file.write_text("\n".join(["from,to,from_port,to_port,kind", *trunks, *hosts]) + "\n")
    found = hopscope.advise(file, add_link=True, ports=8, messages=1000, seeds=1)
    told = conclusion(found, str(file), None)
    assert told.startswith("1. Correct the cabling, then run this command again: 1 cable is missing"), told
    assert "leaf4 - spine2" in told.splitlines()[0]
    assert told.splitlines()[1].endswith("--set upgrade.mend_cables=true")
