"""Kinds come from the engine: Python holds no copy of their words, and refers to ids that exist."""

import ast
import json
from pathlib import Path

import hopscope
from hopscope import _core, kinds
from hopscope.cause import Cause
from hopscope.planning.candidates import rows, suspects
from hopscope.planning.capacity import limit
from hopscope.planning.kinds import Sort, StageKind
from hopscope.results.trace_event import TraceEvent

PACKAGE = Path(hopscope.__file__).parent
READERS = ("results", "planning", "report", "studies")

# A reason to saturate, and where a message is at an instant: the same words for something else.
ELSEWHERE = {"host link", "on the way"}


def _literals(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_no_reader_of_results_writes_a_kinds_word():
    # Single words, such as "frames", are fields of scenarios and much else.
    words = {
        kind["word"] for sort in kinds.table().values() for kind in sort if " " in kind["word"]
    } - ELSEWHERE
    found = {
        f"{path.relative_to(PACKAGE)}: {literal}"
        for package in READERS
        for path in (PACKAGE / package).rglob("*.py")
        for literal in _literals(path) & words
    }
    assert not found


def test_every_kind_says_what_it_means():
    for sort in kinds.table().values():
        assert all(kind["id"] and kind["word"] and kind["meaning"] for kind in sort)
    assert kinds.hold("Stopped")["is_held_back"]
    assert not kinds.hold("Sending")["is_held_back"]


def test_causes_are_those_of_the_engine_in_its_order():
    assert [cause.value for cause in Cause] == _core.causes()


def test_events_of_a_trace_are_those_of_the_engine_in_its_order():
    assert [event.value for event in TraceEvent] == _core.trace_events()


def test_ids_that_python_names_are_those_of_the_engine():
    resources = {kind["id"] for kind in kinds.table()["resources"]}
    stages = {kind["id"] for kind in kinds.table()["stages"]}
    charged = {kind["id"] for kind in kinds.table()["charged"]}
    assert {rows.LINK, rows.LINE} <= resources
    assert suspects.PACING in stages
    assert limit.SET_UP in stages | charged
    assert {kind.value for kind in StageKind} <= {kind["kind"] for kind in kinds.table()["stages"]}


def _sorts(schema: object) -> set[str]:
    """The sorts of the changes that a schema lists, at any depth."""
    if isinstance(schema, list):
        return set().union(*map(_sorts, schema))
    if not isinstance(schema, dict):
        return set()
    own = {change["sort"] for change in schema.get("what-if", ()) if "sort" in change}
    return own.union(*map(_sorts, schema.values()))


def test_planning_tells_apart_all_sorts_of_listed_changes():
    listed = _sorts(json.loads(_core.schema_json()))
    assert listed
    # Others are made by planning itself.
    assert listed <= {sort.value for sort in Sort}
