"""What is odd about routes: said by `run`, `explain`, `capacity` and the page, and of no other routes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope import engine
from hopscope.planning.candidates.odd_routes import OddRoutes, odd_routes
from hopscope.planning.credit_loop import has_credit_loop
from hopscope.report import run_page

Command = Callable[..., Result]

# Two pods of two leaves and two spines under two cores; and five switches in a ring.
TREE = [
    *(f"core{spine},spine{pod}{spine},trunk" for spine in "12" for pod in "ab"),
    *(f"h{pod}{leaf},leaf{pod}{leaf},host" for pod in "ab" for leaf in "12"),
    *(f"leaf{pod}{leaf},spine{pod}{spine},trunk" for pod in "ab" for leaf in "12" for spine in "12"),
]
RING = [f"h{place},s{place},host" for place in range(5)] + [
    f"s{place},s{(place + 1) % 5},trunk" for place in range(5)
]
LINES = {"tree": TREE, "ring": RING}
# Below core1 only one spine of each pod is on the way up.
IDLE = "6 of 12 links between switches carry nothing, because up*/down* has the single root core1"
USED = "--set 'routing.rule=\"by-family\"' uses all of them"
LOOP = "NOT SAFE: the routes have a credit loop of 5 links"
LASH = PROJECT / "crates/formats/tests/data/lash-ring"
CREDITS = {"credits": {"lanes": 1}}


def _scenario(folder: Path, lines: str, rule: str | None = None, **frames: Any) -> str:
    """A scenario of a list of cables in `folder`."""
    (folder / f"{lines}.csv").write_text("\n".join(["from,to,kind", *LINES[lines]]) + "\n")
    file = folder / f"{lines}.json"
    scenario = {
        "model": "fabric",
        "network": {"file": {"path": f"{lines}.csv"}},
        "frames": frames or {"flow_control": CREDITS},
        "traffic": {"load": 0.05, "sizes": {"fixed": "4 KiB"}},
        "measure": {"messages": 1000},
    }
    file.write_text(json.dumps(scenario | ({} if rule is None else {"routing": {"rule": rule}})))
    return str(file)


@pytest.mark.parametrize(
    ("lines", "rule", "told"),
    [("tree", None, f"{IDLE}; {USED}"), ("ring", "shortest", LOOP)],
    ids=["one root", "credit loop"],
)
def test_every_verb_says_what_is_odd_about_the_routes(
    command: Command, tmp_path: Path, lines: str, rule: str | None, told: str
):
    scenario = _scenario(tmp_path, lines, rule)
    for verb, *options in (("run", "--no-report"), ("explain", "--no-confirm"), ("capacity", "--bounds")):
        shown = command(verb, scenario, *options).stdout.splitlines()
        assert shown[shown.index("anomalies in these routes") + 1].startswith(f"  {told}"), verb
        (said,) = json.loads(command(verb, scenario, *options, "--json").stdout)["odd_routes"]
        assert said["words"].startswith(told), verb
    sections = run_page.page(hopscope.run(scenario)).data()["sections"]
    (section,) = (each for each in sections if each["heading"] == "Anomalies in these routes")
    assert section["lines"][0].startswith(told)
    assert section["alert"] == (lines == "ring")


def test_routes_that_use_every_link_and_cannot_lock_up_are_not_odd(tmp_path: Path):
    for lines, rule in (("tree", "by-family"), ("tree", "shortest"), ("ring", "up-down")):
        assert odd_routes(engine.load(_scenario(tmp_path, lines, rule))) == []


def test_lanes_that_break_the_loop_are_believed(tmp_path: Path):
    named = {"tables": "ring.fdbs", "path_sl": "ring.psl", "sl2vl": "ring.sl2vl"}
    for lanes, files in ((1, {"tables"}), (3, set(named))):
        scenario = engine.load(
            {
                "model": "fabric",
                "network": {"file": {"path": str(LASH / "ring.ibnetdiscover")}},
                "routing": {key: str(LASH / file) for key, file in named.items() if key in files},
                "frames": {"flow_control": {"credits": {"lanes": lanes}}},
                "traffic": {"load": 0.05},
            },
            allow_files=True,
        )
        kinds = {each.kind for each in odd_routes(scenario)}
        assert (OddRoutes.CREDIT_LOOP in kinds) == (lanes == 1)


def test_a_queue_that_drops_waits_for_nobody(tmp_path: Path):
    waits = engine.load(_scenario(tmp_path, "ring", "shortest"))
    drops = engine.load(_scenario(tmp_path, "ring", "shortest", flow_control={"tail-drop": {}}))
    assert (has_credit_loop(waits), has_credit_loop(drops)) == (True, False)
    assert odd_routes(drops) == []


def test_a_deadlock_tells_its_loop_itself(tmp_path: Path):
    scenario = engine.load(_scenario(tmp_path, "ring", "shortest"))
    assert [each.kind for each in odd_routes(scenario)] == [OddRoutes.CREDIT_LOOP]
    assert odd_routes(scenario, locked_up=True) == []


def test_tables_that_send_up_by_some_links_of_a_switch_are_told(command: Command, tmp_path: Path):
    fabric, tables = tmp_path / "leaf-spine.ibnetdiscover", tmp_path / "tables.lfts"
    fabric.write_text(command("show", fabric.name).stdout)
    assert command("routes", str(fabric), "--out", str(tables)).exit_code == 0
    first, *rest = tables.read_text().split("\nUnicast ")
    uplinks = range(25, 37)
    (tmp_path / "one-up.lfts").write_text(
        "\nUnicast ".join([_by_one_port(first, uplinks), *rest]),
    )

    def told(file: str) -> list[str]:
        overrides = {"routing.tables": str(tmp_path / file)}
        return [each.words for each in odd_routes(engine.load(fabric, overrides, allow_files=True))]

    assert told("tables.lfts") == []
    (words,) = told("one-up.lfts")
    assert words.startswith("the forwarding tables leave links idle: leaf1 sends up by 1 of 12 links; ")


def _by_one_port(table: str, uplinks: range) -> str:
    """The table of a switch in which the first of its uplinks stands for all."""
    lines = (line.split(" ", 2) for line in table.splitlines())
    return "\n".join(
        " ".join(
            [
                line[0],
                f"{uplinks[0]:03d}" if line[1].isdigit() and int(line[1]) in uplinks else line[1],
                *line[2:],
            ]
        )
        for line in lines
    )


def test_a_generated_tree_whose_routes_nobody_chose_says_which_links_are_idle():
    tree = {
        "model": "fabric",
        "network": {"fat-tree": {"tiers": 2, "radix": 4}},
        "link": {"rate": "100 Gbit/s"},
        "frames": {},
        "traffic": {"load": 0.05},
        "measure": {"messages": 1000},
    }
    (found,) = odd_routes(engine.load(tree))
    assert found.kind is OddRoutes.IDLE_LINKS
    assert "because up*/down* has the single root spine0" in found.words
    # Whoever chose the routes knows them, and AN1's own routes have a single root.
    assert odd_routes(engine.load(tree | {"routing": {"root": "spine0"}})) == []
    an1 = {key: value for key, value in tree.items() if key not in ("frames", "link")}
    assert odd_routes(engine.load(an1)) == []
