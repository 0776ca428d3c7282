"""Other routes of a fabric's file: safe tables, or a better root, before routes that may lock up."""

from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import hopscope
from hopscope.cause import Cause
from hopscope.results.explanation import Explanation

# Four leaves of four hosts under four spines.
TREE = [
    *(f"h{leaf}{host},leaf{leaf},host" for leaf, host in product("1234", repeat=2)),
    *(f"leaf{leaf},spine{spine},trunk" for leaf, spine in product("1234", repeat=2)),
]
CORNERS = ["".join(bits) for bits in product("01", repeat=4)]
# Cables of one dimension after the other, which so have the same port at every switch.
CUBE = [
    *(f"h{corner}{host},s{corner},host" for corner in CORNERS for host in "ab"),
    *(
        f"s{corner},s{corner[:at]}1{corner[at + 1 :]},trunk"
        for at, corner in product(range(4), CORNERS)
        if corner[at] == "0"
    ),
]
# Five groups of four switches, all of a group joined, with one link between any two groups.
GROUPS = [
    *(f"h{group}{at}{host},g{group}r{at},host" for group in range(5) for at in range(4) for host in "ab"),
    *(f"g{group}r{a},g{group}r{b},trunk" for group in range(5) for a, b in combinations(range(4), 2)),
    *(f"g{a}r{b - a - 1},g{b}r{4 - (b - a)},trunk" for a, b in combinations(range(5), 2)),
]


def _file(folder: Path, lines: Sequence[str], load: float) -> dict[str, Any]:
    """A fabric of credits whose cables are in a file, without routes of its own."""
    cables = folder / "cables.csv"
    cables.write_text("\n".join(["from,to,kind", *lines]) + "\n")
    return {
        "model": "fabric",
        "network": {"file": {"path": str(cables)}},
        "routing": {"rule": "by-family"},
        "frames": {"flow_control": {"credits": {"lanes": 1}}},
        "traffic": {"load": load, "sizes": {"fixed": "4 KiB"}},
        "measure": {"messages": 10_000},
    }


def _explained(folder: Path, lines: Sequence[str], load: float) -> Explanation:
    return hopscope.explain(_file(folder, lines, load), allow_files=True)


def _tried(why: Explanation) -> dict[str, Sequence[str]]:
    """The trials with their overrides, in the order of the report."""
    assert why.confirmation is not None
    return {str(each.what): each.set for each in why.confirmation.in_order}


def test_of_a_cube_the_safe_tables_in_dimension_order_come_before_paths_that_may_lock_up(tmp_path: Path):
    why = _explained(tmp_path, CUBE, 0.5)
    what, changes = next(iter(_tried(why).items()))
    assert what == "tables of `hopscope routes FABRIC --engine dimension-order --out dimension-order.lfts`"
    # The folder in which they were tried is gone.
    assert list(changes) == ['routing.tables="dimension-order.lfts"']
    assert not any(each.has_loop for each in why.confirmation.trials)


def test_of_groups_a_root_that_carries_more_is_tried(tmp_path: Path):
    why = _explained(tmp_path, GROUPS, 0.4)
    assert why.cause == Cause.ROUTE_CONCENTRATION
    assert next(iter(_tried(why))).endswith(" as the root")


def test_where_a_hash_picks_the_paths_of_a_tree_tables_or_adaptive_routing_are_told(tmp_path: Path):
    told = _tried(_explained(tmp_path, TREE, 0.9))
    assert any(what.startswith(("tables of", "adaptive routing")) for what in told), told


def test_advice_on_a_tree_simulates_tables_and_no_single_root(tmp_path: Path):
    found = hopscope.advise(_file(tmp_path, TREE, 0.3), allow_files=True, messages=2_000, seeds=1)
    assert [each.engine for each in found.candidates] == [None, "up-down"]
    assert not any(each.root for each in found.candidates)
    assert found.best.engine == "up-down"
