"""Kinds come from the engine: Python holds no copy of their words, and refers to ids that exist."""

import ast
import json
from decimal import Decimal
from enum import StrEnum
from pathlib import Path

import pytest

import hopscope
from hopscope import _core, kinds, thresholds
from hopscope.cause import Cause
from hopscope.ids import HoldId, PolicyId, ResourceId, StageId
from hopscope.planning.kinds import Model, Sort, StageKind
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


def test_thresholds_are_those_of_the_engine():
    shared = _core.thresholds()
    named = {name for name in vars(thresholds) if name.isupper() and not name.startswith("_")}
    assert {name.replace("APART_PS", "APART_S") for name in named} == set(shared)
    assert Decimal(repr(shared["APART_S"])) == thresholds.APART_PS / 10**12
    assert all(float(getattr(thresholds, name)) == shared[name] for name in named & set(shared))


def test_events_of_a_trace_are_those_of_the_engine_in_its_order():
    assert [event.value for event in TraceEvent] == _core.trace_events()


@pytest.mark.parametrize(("ids", "sort"), [(ResourceId, "resources"), (HoldId, "holds"), (StageId, "stages")])
def test_ids_that_python_names_are_those_of_the_engine(ids: type[StrEnum], sort: str):
    assert {each.value for each in ids} <= {kind["id"] for kind in kinds.table()[sort]}


def test_policies_are_those_of_the_engine_in_its_order():
    assert [policy.value for policy in PolicyId] == _core.policies()


def test_kinds_of_stages_are_those_of_the_engine():
    assert {kind.value for kind in StageKind} <= {kind["kind"] for kind in kinds.table()["stages"]}


def test_what_listed_changes_make_faster_is_a_kind_or_a_policy_of_the_engine():
    kinds_of_it = {kind["id"] for sort in ("resources", "holds") for kind in kinds.table()[sort]}
    listed = _of_changes(json.loads(_core.schema_json()), "speeds")
    assert listed
    assert listed <= kinds_of_it | {policy.value for policy in PolicyId}


def test_models_that_planning_knows_are_those_of_the_engine():
    assert {model.value for model in Model} <= {each["title"] for each in hopscope.schema()["oneOf"]}


def _of_changes(schema: object, key: str) -> set[str]:
    """What the changes that a schema lists have for a key, at any depth."""
    if isinstance(schema, list):
        return set().union(*(_of_changes(each, key) for each in schema))
    if not isinstance(schema, dict):
        return set()
    values = [change[key] for change in schema.get("what-if", ()) if key in change]
    own = {one for value in values for one in ([value] if isinstance(value, str) else value)}
    return own.union(*(_of_changes(each, key) for each in schema.values()))


def test_planning_tells_apart_all_sorts_of_listed_changes():
    listed = _of_changes(json.loads(_core.schema_json()), "sort")
    assert listed
    # Others are made by planning itself.
    assert listed <= {sort.value for sort in Sort}
