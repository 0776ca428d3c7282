"""GraphML in the manner of the Topology Zoo: read, or refused by its line; nothing saturates by itself."""

import os
from pathlib import Path

import pytest

import hopscope
from conftest import PROJECT
from hopscope.errors import UsageError

FOLDER = "HOPSCOPE_GRAPHML_FOLDER"
OWN = PROJECT / "crates/formats/tests/data"


def _files() -> list[Path]:
    named = os.environ.get(FOLDER)
    return sorted(Path(named).glob("*.graphml")) if named else []


def _runs(file: Path) -> str:
    """How a first run of the file ends: its outcome, or where it is refused."""
    try:
        return hopscope.run(file, set={"measure.messages": 200_000}).outcome
    except UsageError as refused:
        return "refused" if file.name in str(refused) else f"refused without a place: {refused}"


@pytest.mark.parametrize("name", ["europe.graphml", "zoo_style.graphml", "backbone.graphml"])
def test_a_graph_of_our_own_runs_and_is_not_saturated(name: str) -> None:
    assert _runs(OWN / name) == "complete"


def test_delays_follow_from_coordinates() -> None:
    """Dublin to Vienna is 1,700 km: a message takes 12 ms there, and not a microsecond."""
    result = hopscope.run(OWN / "europe.graphml", set={"measure.messages": 200_000})
    assert result.summary.metric("latency.mean").value > 1_000


@pytest.mark.long
@pytest.mark.skipif(not _files(), reason=f"{FOLDER} names no folder with GraphML files")
def test_every_graph_of_a_named_folder() -> None:
    outcomes = {file.name: _runs(file) for file in _files()}
    bad = {name: outcome for name, outcome in outcomes.items() if outcome not in ("complete", "refused")}
    assert not bad
