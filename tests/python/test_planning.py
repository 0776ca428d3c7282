"""Capacity and advice: small networks whose limits can be told by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import Result

import hopscope
from hopscope import engine
from hopscope.planning.limit import Limit, limit
from hopscope.planning.reasons import HEAD_OF_LINE, LINK, ROOT, reasons
from hopscope.planning.saturation import Saturation, Search
from hopscope.planning.variants import AS_IS, NO_HEAD_OF_LINE, SHORTEST, UNBOUNDED, Variant

SCENARIOS = Path(__file__).parents[2] / "scenarios"

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
    assert 0.95 * 5 / 9 < found.saturation.low <= 5 / 9
    assert found.saturation.high == pytest.approx(5 / 9)
    assert found.limit.utilisation > 0.93
    assert found.reason == LINK
    assert json.loads(found.to_json())["reason"] == LINK
    assert "link, routes shared evenly" in found._repr_html_()


def test_bounds_alone_simulate_nothing(dumbbell: str):
    found = hopscope.capacity(dumbbell, simulate=False)
    assert found.saturation is None
    assert found.reason is None
    assert found.bounds["head_of_line"]["load"] < found.bounds["at_most"]


def test_floors_is_told_what_its_levels_do(command: Command):
    done = command("capacity", *FLOORS, *QUICK)
    assert done.exit_code == 0, done.output
    assert "10 of the links that shortest paths would use carry nothing" in done.stdout
    assert "A link f0c0 - f0c1" in done.stdout
    assert "limiting switch" in done.stdout
    assert ROOT in done.stdout


def test_floors_is_advised_to_join_its_centres(command: Command):
    done = command("advise", *FLOORS, *QUICK, "--add-link", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert ["f0c0", "f0c1"] in [each["between"] for each in found["candidates"]]
    assert found["best"]["saturation"]["low"] > 1.1 * found["now"]["saturation"]["load"]
    assert len(found["analysed"]["roots"]) == 24


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
        (("advise", "backbone"), 'rule = "up-down"'),
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


def test_a_search_halves_in_on_the_bracket():
    search = Search(engine.load("an1-floors"), 0.6, [1])
    assert search.next_loads() == [0.51, 0.6, 0.69]

    class Fake:
        def __init__(self, outcome: str) -> None:
            self.outcome = outcome

    outcomes = {0.51: "complete", 0.6: "unsettled", 0.69: "saturated"}
    search.runs = {load: [Fake(outcome)] for load, outcome in outcomes.items()}  # type: ignore[misc]
    assert search.bracket() == (0.6, 0.69)
    assert search.next_loads() == [0.6225, 0.645, 0.6675]
    assert not search.done
    search.runs[0.61] = [Fake("deadlock")]  # type: ignore[list-item]
    assert search.done
    assert search.result().load == pytest.approx(0.605)


def test_reasons_are_the_gains_that_are_sure():
    def bracket(low: float) -> Saturation:
        return Saturation(low, low + 0.01, (1,))

    found = {
        AS_IS: bracket(0.5),
        NO_HEAD_OF_LINE: bracket(0.6),
        UNBOUNDED: bracket(0.505),
        SHORTEST: bracket(0.8),
    }
    tried = [
        Variant(NO_HEAD_OF_LINE, AS_IS, ()),
        Variant(UNBOUNDED, AS_IS, ()),
        Variant(SHORTEST, UNBOUNDED, ()),
    ]
    bounds = {"root": {"name": "s0", "through": 0.4}}
    where = Limit("s0", "s0 - s1", False, 0.7, 0.3, 0.0, False, 0.51)
    assert [reason.name for reason in reasons(found, tried, where, bounds)] == [ROOT, HEAD_OF_LINE]
    only = {AS_IS: bracket(0.5)}
    assert [reason.name for reason in reasons(only, [], where, bounds)] == [LINK]
    assert reasons({AS_IS: Saturation(1.0, None, (1,))}, [], where, bounds) == []


def test_where_back_pressure_begins_is_read_from_the_explanation():
    begins = {"switch": "b", "to": "c", "to_host": False, "utilisation": 0.5, "link_is_full": False}
    stops = {"stops": 0.2, "is_stopped": 0.02}
    run = SimpleNamespace(explain=lambda: SimpleNamespace(back_pressure={**begins, **stops}))
    found = limit(run, 0.5)  # type: ignore[arg-type]
    assert found is not None
    assert (found.switch, found.link, found.stops, found.is_stopped) == ("b", "b - c", 0.2, 0.02)
    nothing = SimpleNamespace(explain=lambda: SimpleNamespace(back_pressure=None))
    assert limit(nothing, 0.5) is None  # type: ignore[arg-type]


def test_a_fabric_of_frames_has_counterfactuals_of_its_own():
    fabric = SCENARIOS / "torus-7x5.ibnetdiscover"
    found = hopscope.capacity(fabric, messages=5_000, seeds=1)
    assert [(each.variant.name, each.refused) for each in found.variants] == [
        (UNBOUNDED, None),
        (NO_HEAD_OF_LINE, None),
        (SHORTEST, None),
    ]
    assert {HEAD_OF_LINE, ROOT} <= {reason.name for reason in found.reasons}
    paused = hopscope.capacity(
        fabric, set={"frames.flow_control": {"pfc": {}}, "routing.rule": "shortest"}, messages=2_000, seeds=1
    )
    assert [(each.variant.name, each.refused) for each in paused.variants] == [(UNBOUNDED, None)]
    tried = hopscope.explain(fabric, what_if=True, seeds=2, messages=2_000).what_if
    assert tried is not None
    assert "buffers of lanes twice as large" in {gain.variant.name for gain in tried.gains}
    assert not any(gain.refused for gain in tried.gains)
