"""A key that is missing from a JSON file of a run folder, or of another type, is named with the file."""

import json
import shutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import hopscope
from conftest import QUEUE
from hopscope import engine
from hopscope.errors import UsageError
from hopscope.results import shapes
from hopscope.results.explanation import Explanation
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepResult

FEW = {"measure.messages": 2_000}
# A run of each model, one that is stuck, one whose network is from a file, one without a delay.
RUNS: dict[str, dict[str, Any]] = {
    "queueing-mm1": FEW,
    "an1-mstage": FEW,
    "pup-ipr-gateway": {},
    "arpanet-moff-sri": {"duration": "60 s"},
    "roce-fat-tree-incast": {"measure.messages": 200},
    "ib-torus-updn": FEW,
    "sna-chain": {},
    "an1-deadlock": {},
}
# No key of any file has such a value.
OTHERS = ({"other": []}, 1.5, "other", None, True, [None])


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of the runs."""
    place = tmp_path_factory.mktemp("whole")
    return {name: hopscope.run(name, set=set_to).save(place / name, False) for name, set_to in RUNS.items()}


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small sweep."""
    place = tmp_path_factory.mktemp("whole") / "sweep"
    return hopscope.sweep(QUEUE, {"arrivals.load": [0.2, 0.4]}, set=FEW).save(place, False)


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenario of a folder is read once: it is whole, and its network takes longer than all the rest."""
    monkeypatch.setattr(engine, "load_run", cache(engine.load_run))


def keys(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all keys, in the first item of each list."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key)
            yield from keys(value, (*path, key))
    elif isinstance(data, list) and data:
        yield from keys(data[0], (*path, 0))


def written(path: tuple[Any, ...]) -> str:
    """A path as messages have it."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def damages(text: str) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Each key renamed, then with a value of every other type: its path, and the text with that."""
    for path in keys(json.loads(text)):
        whole = json.loads(text)
        within = whole
        for step in path[:-1]:
            within = within[step]
        value = within.pop(path[-1])
        within[f"{path[-1]}~"] = value
        yield path, json.dumps(whole)
        del within[f"{path[-1]}~"]
        for other in OTHERS:
            within[path[-1]] = other
            yield path, json.dumps(whole)


def ask(run: RunResult) -> None:
    """Ask a run for everything that commands and pages show of its summary."""
    _ = (run.notes, run.title, repr(run), run.ledger(), run.resources, run.metrics)
    _ = list(map(run.metric, run.summary.keys()))


def ask_why(why: Explanation) -> None:
    """The same of its explanation."""
    _ = (why.chain_rows(), why.holder_rows(), why.evidence_rows(), why.symptoms, why.back_pressure)
    _ = (repr(why), why.resource, why.nodes, why.roots, why.is_deadlock)
    _ = [why.share_rows(by) for by in ("stages", "resources", "places")]


def use(folder: Path) -> None:
    """Read a folder, and ask it for everything."""
    found = hopscope.read(folder)
    for run in found.runs() if isinstance(found, SweepResult) else [found]:
        ask(run)
        ask_why(run.explain())
    _ = found.metrics


def refusal(use: Callable[[], None]) -> str | None:
    """Why a file cannot be used, in words; None where it can. Any other failure is one of the test."""
    try:
        use()
    except (UsageError, hopscope.ScenarioError) as failure:
        return str(failure)
    return None


@pytest.mark.parametrize("name", RUNS)
def test_whole_folders_have_the_shapes(folders: dict[str, Path], name: str):
    use(folders[name])


@pytest.mark.parametrize("file", ["summary.json", "why.json"])
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.usefixtures("read_once")
def test_every_damaged_key_is_named_or_harmless(here: Path, folders: dict[str, Path], name: str, file: str):
    """The property over all keys: no other error than one that names the file and the key."""
    shutil.copytree(folders[name], "copy")
    target = here / "copy" / file
    refused = set()
    run = hopscope.read(here / "copy")
    assert isinstance(run, RunResult)
    for path, text in damages(target.read_text()):
        target.write_text(text)
        asked = partial(use, here / "copy") if file == "summary.json" else lambda: ask_why(run.explain())
        if (failure := refusal(asked)) is not None:
            assert f"`{target}` is damaged: " in failure
            assert f"`{written(path)}" in failure
            assert "\nhint: " in failure
            refused.add(path)
    assert len(refused) > 20


@pytest.mark.parametrize("key", ["outcome", "metrics", "measured", "events", "ledger", "stuck", "doubts"])
@pytest.mark.parametrize(
    "words",
    [
        ("view", "copy", "--export", "page.html"),
        ("explain", "copy", "--no-confirm"),
        ("explain", "copy", "--what-if"),
        ("trace", "copy", "--perfetto", "trace.pftrace"),
    ],
    ids=lambda words: words[0],
)
def test_commands_on_a_damaged_folder_name_the_key(
    command: Callable[..., Result],
    here: Path,
    folders: dict[str, Path],
    words: tuple[str, ...],
    key: str,
):
    shutil.copytree(folders[QUEUE], "copy")
    summary = here / "copy" / "summary.json"
    summary.write_text(json.dumps({**json.loads(summary.read_text()), key: 7.5}))
    done = command(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"error: `copy/summary.json` is damaged: `{key}` is a number, not " in done.stderr
    assert "hint: the folder should be as hopscope wrote it" in done.stderr


def test_every_damaged_key_of_a_sweep_is_named_or_harmless(here: Path, swept: Path):
    shutil.copytree(swept, "copy")
    target = here / "copy" / "sweep.json"
    refused = set()
    for path, text in damages(target.read_text()):
        target.write_text(text)
        if (failure := refusal(partial(use, here / "copy"))) is not None:
            assert f"`{target}` " in failure
            refused.add(path)
    assert len(refused) >= len(("name", "over", "points"))


def test_resources_in_the_summary_itself_are_read_and_checked(here: Path, folders: dict[str, Path]):
    """As earlier versions wrote them."""
    shutil.copytree(folders["an1-mstage"], "copy")
    run = hopscope.read("copy")
    assert isinstance(run, RunResult)
    summary = here / "copy" / "summary.json"
    summary.write_text(json.dumps(run.summary.data))
    (here / "copy" / "resources.parquet").unlink()
    again = hopscope.read("copy")
    assert isinstance(again, RunResult)
    assert again.summary.resources == run.summary.resources
    del run.summary.data["resources"][3]["peak"]
    summary.write_text(json.dumps(run.summary.data))
    with pytest.raises(UsageError, match=r"`resources\[3\]\.peak` is missing|the key `resources\[3\]\.peak`"):
        hopscope.read("copy")


def test_every_damaged_key_of_a_record_in_a_store_is_named(command: Callable[..., Result], here: Path):
    (here / "mine.toml").write_text(f'scenarios = ["{QUEUE}"]\n[set]\n"measure.messages" = 1000\n')
    assert command("experiment", "mine.toml", "--store", "kept").exit_code == 0
    (record,) = (here / "kept" / "experiments").iterdir()
    refused = set()
    for path, text in damages(record.read_text()):
        record.write_text(text)
        done = command("store", "ls", "kept")
        assert done.exit_code in (0, 2), path
        if done.exit_code == 2:
            assert f"experiments/{record.name}` in the store is damaged" in done.stderr
            refused.add(path)
    assert len(refused) > 3


def test_a_shape_is_told_by_its_path():
    shape = {"a": [{"b": float, "c?": shapes.Maybe((str, int))}]}
    assert shapes.fault({"a": [{"b": 1}, {"b": 2.5, "c": ["x", 1]}, {"b": 0, "c": None}]}, shape) is None
    assert shapes.fault({"a": [{"b": 1}, {}]}, shape) == "the key `a[1].b` is missing"
    assert shapes.fault({"a": [{"b": True}]}, shape) == "`a[0].b` is true or false, not a number"
    assert shapes.fault({"a": {}}, shape) == "`a` is an object, not a list"
    assert shapes.fault({"a": [{"b": 1, "c": ["x"]}]}, shape) == "`a[0].c` is no list of 2 items"
    assert shapes.fault([], shape) == "the file is a list, not an object"
