"""The store: bytes appear whole, damage is found by hash, and nothing that is there is run again."""

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from click.testing import Result

import hopscope
from conftest import QUEUE
from hopscope import _core, engine
from hopscope.atomic import PARTIAL
from hopscope.experiments.definition import Experiment
from hopscope.experiments.execution import Execution
from hopscope.experiments.perform import perform
from hopscope.results.archived import DamagedError
from hopscope.results.run import RunResult
from hopscope.store.places import Folder, Memory, StoreError
from hopscope.store.store import RunKey, Store, open_store

TINY = {"measure.messages": 300}
LOADS = {"arrivals.load": [0.2, 0.4, 0.6]}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def few(store: Path, **changes: object) -> Experiment:
    """An experiment of six runs, performed into a store."""
    experiment = Experiment([QUEUE], over=LOADS, set=TINY, seeds=2, **changes)
    perform(experiment, Execution(store, "threads"))
    return experiment


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of six runs."""
    few(tmp_path / "store")
    return tmp_path / "store"


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_a_place_holds_what_was_written(tmp_path: Path, kind: str):
    place = Folder(tmp_path / "p") if kind == "folder" else Memory()
    assert place.read("a/b") is None
    assert list(place.names("")) == []
    place.write("a/b", b"1")
    place.write("a/b", b"2")
    place.write("c", b"3")
    assert (place.read("a/b"), place.has("a/b"), place.has("a")) == (b"2", True, False)
    assert sorted(place.names("")) == ["a/b", "c"]
    assert list(place.names("a/")) == ["a/b"]
    place.remove("a/b")
    place.remove("a/b")
    assert list(place.names("")) == ["c"]


def test_what_is_not_whole_has_no_name(tmp_path: Path):
    place = Folder(tmp_path)
    place.write("a", b"1")
    (tmp_path / f"{PARTIAL}77-aa").write_bytes(b"half")
    assert list(place.names("")) == ["a"]


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOPSCOPE_STORE_PATIENCE", "0")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be made"):
        Folder(tmp_path / "file" / "below").write("a", b"1")


def test_a_full_disk_is_tried_again_and_then_ends_clearly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tries = []

    def full(path: Path, data: bytes) -> None:
        tries.append(path)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setenv("HOPSCOPE_STORE_PATIENCE", "0.5")
    with pytest.raises(StoreError, match="No space left on device") as failed:
        Folder(tmp_path).write("a", b"1")
    assert "the same command goes on from there" in str(failed.value)
    assert len(tries) >= 3
    assert list(tmp_path.iterdir()) == []


def test_keys_read_back_from_their_paths():
    key = RunKey("ab" * 32, 7, "0.1.0")
    assert RunKey.of_path(key.path) == key
    assert RunKey.of_path("something else") is None


def test_the_same_experiment_again_runs_nothing(store: Path):
    before = tree(store)
    result = perform(Experiment([QUEUE], over=LOADS, set=TINY, seeds=2), Execution(store, "threads"))
    assert (result.tally.found, result.tally.done) == (6, 0)
    assert tree(store) == before


def test_a_bigger_grid_and_more_seeds_reuse_what_is_there(store: Path):
    more = Experiment([QUEUE], over={"arrivals.load": [0.2, 0.4, 0.6, 0.7]}, set=TINY, seeds=3)
    result = perform(more, Execution(store, "threads"))
    assert (result.tally.found, result.tally.done) == (6, 6)


def test_a_title_makes_no_other_run(tmp_path: Path):
    few(tmp_path)
    titled = Experiment([QUEUE], over=LOADS, set=TINY | {"title": "mine"}, seeds=2)
    assert perform(titled, Execution(tmp_path, "threads")).tally.found == 6


def test_without_resume_everything_runs_again_to_the_same_bytes(store: Path):
    before = tree(store)
    result = perform(
        Experiment([QUEUE], over=LOADS, set=TINY, seeds=2), Execution(store, "threads", resume=False)
    )
    assert result.tally.done == 6
    assert tree(store) == before


def test_a_damaged_run_is_found_and_run_again(store: Path, command: Callable[..., Result]):
    before = tree(store)
    victims = sorted(store.rglob("*.zip"))[:2]
    victims[0].write_bytes(victims[0].read_bytes()[:-10])
    victims[1].write_bytes(b"")
    done = command("store", "verify", str(store))
    assert done.exit_code == 1
    assert "6 runs, 2 damaged" in done.stdout
    with pytest.raises(DamagedError):
        opened = open_store(store)
        [opened.get(key) for key in opened.runs()]
    result = perform(Experiment([QUEUE], over=LOADS, set=TINY, seeds=2), Execution(store, "threads"))
    assert (result.tally.found, result.tally.done) == (4, 2)
    assert tree(store) == before
    assert command("store", "verify", str(store)).exit_code == 0


def test_a_run_under_the_name_of_another_is_damaged(store: Path, command: Callable[..., Result]):
    before = tree(store)
    one, other = sorted(store.rglob("*.zip"))[:2]
    other.write_bytes(one.read_bytes())
    done = command("store", "verify", str(store))
    assert (done.exit_code, "6 runs, 1 damaged" in done.stdout) == (1, True)
    result = perform(Experiment([QUEUE], over=LOADS, set=TINY, seeds=2), Execution(store, "threads"))
    assert (result.tally.found, result.tally.done) == (5, 1)
    assert tree(store) == before


def test_a_table_without_the_damaged_runs_names_them(store: Path, command: Callable[..., Result]):
    victim = min(store.rglob("*.zip"))
    victim.write_bytes(b"")
    done = command("store", "export", str(store), "--out", "table")
    assert (done.exit_code, "5 runs written to table" in done.stdout) == (1, True)
    assert f"damaged, left out: 0.1.0/{victim.parent.name}/{victim.stem}" in done.stderr


def test_gc_removes_what_is_of_no_use(store: Path, command: Callable[..., Result]):
    before = tree(store)
    kept = open_store(store)
    key = next(kept.runs())
    archive = kept.get(key).archive()
    kept.put(RunKey(key.hash, key.seed, "0.0.1"), archive)
    kept.put(RunKey("cd" * 32, 1, _core.version()), archive)
    kept.put(RunKey("ef" * 32, 1, _core.version()), archive[:-1])
    dry = command("store", "gc", str(store), "--versions", "--unused", "--dry-run")
    assert "would remove 0 unfinished files, 3 damaged runs" in dry.stdout
    done = command("store", "gc", str(store), "--versions", "--unused")
    assert "3 damaged runs, 0 old failures, 1 run of another version, 2 unused runs" in done.stdout
    assert tree(store) == before


def test_parts_merged_are_the_whole(store: Path, tmp_path: Path, command: Callable[..., Result]):
    (tmp_path / "e.toml").write_text(
        f'name = "{QUEUE}"\nscenarios = ["{QUEUE}"]\nseeds = 2\n[set]\n"measure.messages" = 300\n'
        '[over]\n"arrivals.load" = [0.2, 0.4, 0.6]\n'
    )
    parts = [str(tmp_path / f"part{part}") for part in (1, 2)]
    for number, part in enumerate(parts, start=1):
        line = ("experiment", str(tmp_path / "e.toml"), "--shard", f"{number}/2", "--store", part)
        done = command(*line, "--on", "threads")
        assert done.exit_code == 0, done.stderr
        assert f"part {number} of 2" in done.stdout
    done = command("store", "merge", str(tmp_path / "whole"), *parts)
    assert done.exit_code == 0
    assert tree(tmp_path / "whole") == tree(store)


def test_an_export_is_one_table_over_all_runs(store: Path, tmp_path: Path, command: Callable[..., Result]):
    done = command("store", "export", str(store), "--out", str(tmp_path / "table"))
    assert done.exit_code == 0, done.stderr
    assert "6 runs written" in done.stdout
    table = pl.read_parquet(tmp_path / "table/**/*.parquet", hive_partitioning=True)
    means = table.filter((pl.col("metric") == "latency") & (pl.col("statistic") == "mean"))
    assert means.height == 6
    assert sorted(set(means["arrivals.load"])) == [0.2, 0.4, 0.6]
    assert set(table["version"]) == {_core.version()}
    run = hopscope.run(QUEUE, set=TINY | {"arrivals.load": 0.4}, seed=1)
    row = means.filter((pl.col("arrivals.load") == 0.4) & (pl.col("seed") == 1))
    assert row["value"].item() == run.metric("latency.mean").value


def test_ls_and_show_tell_what_there_is(store: Path, command: Callable[..., Result]):
    listed = json.loads(command("store", "ls", str(store), "--json").stdout)
    assert listed["runs"] == {_core.version(): 6}
    (experiment,) = listed["experiments"]
    assert (experiment["points"], experiment["seeds"], experiment["runs"]) == (3, 2, 6)
    key = min(open_store(store).runs())
    shown = command("store", "show", str(store), f"{key.hash[:12]}-{key.seed}")
    assert "M/M/1" in shown.stdout
    assert command("store", "show", str(store), "failed").stdout == "no run failed\n"
    assert command("store", "show", str(store), "zz-1").exit_code == 2


def test_scenarios_and_results_pickle_small(here: Path):
    (here / "s.toml").write_text('model = "queueing"\n[[station]]\nservice = { fixed = "1 us" }\n')
    scenario = engine.load("s.toml", ["arrivals.load=0.3"], 5)
    carried = pickle.dumps(scenario)
    (here / "s.toml").unlink()
    again = pickle.loads(carried)
    assert len(carried) < 2_000
    assert (again.hash, again.seed, again.toml()) == (scenario.hash, 5, scenario.toml())
    run = hopscope.run("an1-mstage", set={"measure.messages": 2_000}, seed=3)
    carried = pickle.dumps(run)
    again = pickle.loads(carried)
    assert isinstance(again, RunResult)
    assert len(carried) < 100_000
    assert again.summary.data == run.summary.data
    assert again.series.equals(run.series)
    assert again.explain().to_json() == run.explain().to_json()
    assert again.scenario_text == run.scenario_text


def test_a_result_read_from_a_folder_pickles_too(queue_run: RunResult, tmp_path: Path):
    queue_run.save(tmp_path / "r", report=False)
    again = pickle.loads(pickle.dumps(hopscope.read(tmp_path / "r")))
    assert again.metrics.equals(queue_run.metrics)


def test_a_missing_library_is_named(here: Path):
    code = (
        "import sys\nsys.modules['obstore'] = sys.modules['ray'] = None\n"
        "from hopscope.cli import main\nmain()"
    )
    for words, extra in (
        (("--store", "s3://bucket/x"), "hopscope[s3]"),
        (("--on", "ray"), "hopscope[ray]"),
    ):
        line = [sys.executable, "-c", code, "sweep", QUEUE, "--over", "arrivals.load=0.2,0.4", *words]
        done = subprocess.run(line, capture_output=True, text=True, cwd=here, check=False)
        assert done.returncode == 2, done.stderr
        assert f"pip install '{extra}'" in done.stderr


@pytest.mark.parametrize("folder", ["experiments", "failed/0.1.0/ab"])
@pytest.mark.parametrize("text", ["", "[]", '{"name": 3}', "[" * 100_000], ids=["", "list", "name", "deep"])
def test_a_damaged_record_is_named(store: Path, command: Callable[..., Result], folder: str, text: str):
    (store / folder).mkdir(parents=True, exist_ok=True)
    (store / folder / f"{'ab' * 32}-1.json").write_text(text)
    done = command("store", "ls", str(store))
    assert done.exit_code == 2
    assert "in the store is damaged" in done.stderr
    assert "Traceback" not in done.stderr


def test_verify_names_a_damaged_record(store: Path, command: Callable[..., Result]):
    (store / "experiments" / "mine-1.json").write_text("")
    done = command("store", "verify", str(store))
    assert done.exit_code == 1
    assert done.stdout == "damaged: experiments/mine-1.json\n6 runs, 0 damaged; 1 damaged record\n"


def test_a_table_is_written_without_a_damaged_record(store: Path, command: Callable[..., Result]):
    (store / "experiments" / "mine-1.json").write_text('{"hopscope"')
    done = command("store", "export", str(store), "--out", "table")
    assert (done.exit_code, done.stdout) == (1, "6 runs written to table\n")
    assert done.stderr == "damaged, left out: experiments/mine-1.json\n"
    assert "arrivals.load" in pl.scan_parquet("table/**/*.parquet").collect_schema().names()


def test_a_folder_in_the_place_of_a_run_is_told(store: Path, command: Callable[..., Result]):
    run = min(store.rglob("*.zip"))
    run.unlink()
    run.mkdir()
    checked = command("store", "verify", str(store))
    assert (checked.exit_code, checked.stdout) == (
        1,
        f"damaged: 0.1.0/{run.parent.name}/{run.stem}\n6 runs, 1 damaged\n",
    )
    with pytest.raises(
        StoreError, match=rf"`runs/.*{run.name}` in the store .* is a folder, not a file"
    ) as refused:
        few(store)
    assert refused.value.hint == "move it away; then the same command goes on"
    run.rmdir()
    few(store)
    assert command("store", "verify", str(store)).stdout == "6 runs, 0 damaged\n"


def test_a_store_that_cannot_be_made_promises_nothing_of_what_it_holds(here: Path):
    (here / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be made") as refused:
        open_store(here / "file" / "store").begin()
    assert refused.value.hint == "choose a folder that you may write"


def test_a_file_in_the_place_of_a_store_is_told_to_be_one(here: Path):
    (here / "file").write_text("mine")
    with pytest.raises(StoreError, match=r"`.*/file` is a file, not a folder") as refused:
        hopscope.sweep(QUEUE, {"arrivals.load": [0.2]}, set=TINY, execution=hopscope.Execution(store="file"))
    assert refused.value.hint == "name a folder; it is made if need be"
    assert (here / "file").read_text() == "mine"


@pytest.mark.parametrize("marker", ['{"format": 99}', "{", "", '{"hopscope store": 2}', "[" * 100_000])
def test_what_is_marked_as_another_store_is_refused_and_kept(
    here: Path, command: Callable[..., Result], marker: str
):
    Path("other").mkdir()
    Path("other/store.json").write_text(marker)
    with pytest.raises(StoreError, match=r'expected \{"hopscope store": 1\}') as refused:
        hopscope.sweep(QUEUE, {"arrivals.load": [0.2]}, set=TINY, execution=hopscope.Execution(store="other"))
    assert "nothing in it is changed" in str(refused.value.hint)
    assert command("store", "ls", "other").exit_code == 2
    assert [(path.name, path.read_text()) for path in Path("other").iterdir()] == [("store.json", marker)]


def test_a_marker_may_be_laid_out_otherwise(store: Path):
    (store / "store.json").write_text('{ "hopscope store":1 }')
    again = open_store(store)
    again.begin()
    assert len(list(again.runs())) == 6


def test_a_file_of_somebody_else_is_no_run(store: Path, command: Callable[..., Result]):
    (store / "runs/0.1.0/notes-7.zip").write_text("mine")
    assert "6 runs, 0 damaged" in command("store", "verify", str(store)).stdout


def test_a_store_in_memory_keeps_runs():
    store = Store(Memory())
    store.begin()
    run = hopscope.run(QUEUE, set=TINY)
    key = RunKey(run.summary.fields["scenario_hash"], 1, _core.version())
    store.put(key, run.__getstate__()["origin"].archive())
    assert [*store.runs(_core.version())] == [key]
    assert store.get(key).summary().data == run.summary.data
