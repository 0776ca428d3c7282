"""Experiments: the same bytes on every executor, precision by added seeds, failures kept apart."""

import itertools
import json
import os
import random
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor as AnyExecutor
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import Result

import hopscope
from conftest import NETWORK, QUEUE
from hopscope import _core
from hopscope.executors import batch
from hopscope.executors.batch import Batch, FailureKind, Lost
from hopscope.executors.processes import Processes
from hopscope.experiments.definition import Experiment, Precision, read_experiment
from hopscope.experiments.driver import Driver, wanted_of
from hopscope.experiments.execution import Execution
from hopscope.experiments.kept import kept_experiments
from hopscope.experiments.perform import Shard, perform
from hopscope.report import experiment_page
from hopscope.store.store import open_store
from test_store import tree

TINY = {"measure.messages": 300}
MIXED = Experiment([QUEUE, "queueing-tandem"], over={"arrivals.load": [0.3, 0.5, 0.7]}, set=TINY, seeds=3)


class Shuffled(AnyExecutor):
    """Performs calls in an order of its own, the last one first."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Future, Callable, tuple]] = []
        self._thread = ThreadPoolExecutor(1)

    def submit(self, call: Callable, *arguments: object) -> Future:
        future: Future = Future()
        self._waiting.append((future, call, arguments))
        self._thread.submit(self._perform_one)
        return future

    def _perform_one(self) -> None:
        time.sleep(0.01)
        random.Random(len(self._waiting)).shuffle(self._waiting)
        future, call, arguments = self._waiting.pop()
        future.set_result(call(*arguments))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The store of the mixed experiment, run in this process."""
    place = tmp_path_factory.mktemp("undisturbed")
    perform(MIXED, Execution(place, "threads", 1))
    return tree(place)


@pytest.mark.parametrize("on", ["local", "threads", "shuffled", "processes"])
def test_bytes_are_the_same_on_every_executor(tmp_path: Path, undisturbed: dict[str, bytes], on: str):
    chosen: str | AnyExecutor = on
    if on == "shuffled":
        chosen = Shuffled()
    elif on == "processes":
        chosen = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    execution = Execution(tmp_path, chosen, 2)
    result = perform(MIXED, execution)
    assert result.tally.done == 18
    assert tree(tmp_path) == undisturbed


def test_a_store_in_memory_gives_the_same_results(undisturbed: dict[str, bytes]):
    result = perform(MIXED, Execution(None, "local", 2))
    held = {key.path: result.store.get(key).archive() for key in result.store.runs()}
    assert {f"runs/{path}.zip": data for path, data in held.items()} == {
        name: data for name, data in undisturbed.items() if name.startswith("runs/")
    }


def test_points_come_in_the_order_of_the_settings(tmp_path: Path):
    result = perform(MIXED, Execution(tmp_path, "threads"))
    points = list(result.points())
    assert [(point.scenario, point.set["arrivals.load"]) for point in points] == [
        (name, load) for name in (QUEUE, "queueing-tandem") for load in (0.3, 0.5, 0.7)
    ]
    assert all(len(point.summaries) == 3 for point in points)
    assert result.metrics.filter(pl.col("metric") == "throughput").height == 18
    sweep = result.sweep(0)
    assert sweep.curve("latency.mean")[1][1] == points[1].metric("latency.mean")


def test_a_file_a_list_and_a_table_mean_the_same(here: Path):
    (here / "t.csv").write_text("arrivals.load,measure.messages\n0.3,300\n0.5,\n")
    (here / "list.toml").write_text(
        'scenarios = ["queueing-mm1"]\n[[setting]]\n"arrivals.load" = 0.3\n"measure.messages" = 300\n'
        '[[setting]]\n"arrivals.load" = 0.5\n'
    )
    (here / "table.toml").write_text('scenarios = ["queueing-mm1"]\ntable = "t.csv"\n')
    listed = read_experiment("list.toml")
    frame = pl.DataFrame({"arrivals.load": [0.3, 0.5], "measure.messages": [300, None]})
    settings = list(listed.each_setting())
    assert settings == [(("arrivals.load", 0.3), ("measure.messages", 300)), (("arrivals.load", 0.5),)]
    assert list(read_experiment("table.toml").each_setting()) == settings
    assert list(Experiment([QUEUE], settings=frame).each_setting()) == settings
    assert listed.called == "list"


def test_files_are_seen_from_the_experiments_folder(here: Path):
    (here / "sub").mkdir()
    (here / "sub/s.toml").write_text(
        'model = "queueing"\n[arrivals]\n[[station]]\nservice = { fixed = "1 us" }\n'
    )
    (here / "sub/e.toml").write_text('scenarios = ["s.toml"]\n[over]\n"arrivals.load" = "0.1..0.3:0.1"\n')
    experiment = read_experiment("sub/e.toml")
    assert experiment.scenarios == ["sub/s.toml"]
    assert experiment.over == {"arrivals.load": [0.1, 0.2, 0.3]}


def test_every_setting_belongs_to_one_part():
    for of in (1, 2, 3, 7):
        parts = [[nth for nth in range(20) if Shard(part, of).holds(nth)] for part in range(1, of + 1)]
        assert sorted(itertools.chain(*parts)) == list(range(20))


@pytest.mark.parametrize("on", ["threads", "local"])
def test_seeds_are_added_until_the_interval_is_narrow_enough(tmp_path: Path, on: str):
    asked = Precision("latency.mean", 0.05, most_seeds=40)
    over = {"arrivals.load": [0.2, 0.7]}
    experiment = Experiment([QUEUE], over=over, set={"measure.messages": 2_000}, precision=asked)
    result = perform(experiment, Execution(tmp_path, on, 2))
    light, heavy = result.points()
    for point in (light, heavy):
        found = point.metric("latency.mean")
        assert found.half_width <= 0.05 * found.value or len(point.seeds) == 40
    assert 3 <= len(light.seeds) < len(heavy.seeds)
    again = perform(experiment, Execution(tmp_path, "threads", 1))
    assert again.tally.done == 0
    assert [row.count for row in again.rows] == [row.count for row in result.rows]


def test_one_run_that_is_precise_enough_does_not_meet_a_precision(tmp_path: Path):
    asked = Precision("latency.mean", 0.4)
    experiment = Experiment([QUEUE], set={"measure.messages": 20_000}, precision=asked)
    (point,) = perform(experiment, Execution(tmp_path, "threads", 2)).points()
    assert (
        point.summaries[0].metric("latency.mean").half_width
        < 0.4 * point.summaries[0].metric("latency.mean").value
    )
    assert len(point.seeds) == 3
    with pytest.raises(hopscope.UsageError, match="2 seeds are too few for a precision"):
        Precision("latency.mean", 0.4, most_seeds=2)


def test_seeds_that_lie_apart_are_added_until_their_values_agree(tmp_path: Path):
    """Each seed's own interval is below 2 %; the seeds, which set the phases of clocks, lie further apart."""
    asked = Precision("throughput", 0.02, most_seeds=4)
    experiment = Experiment(["arpanet-moff-sri"], set={"duration": "10 min"}, precision=asked)
    (point,) = perform(experiment, Execution(tmp_path, "threads", 2)).points()
    alone = [summary.metric("throughput") for summary in point.summaries]
    assert all(each.half_width < 0.02 * each.value for each in alone)
    assert len(point.seeds) == 4


def test_no_seeds_are_added_for_a_quantile_without_an_upper_bound(tmp_path: Path):
    asked = Precision("latency.p99", 0.05)
    experiment = Experiment([QUEUE], set={"measure.messages": 1_000}, precision=asked)
    (point,) = perform(experiment, Execution(tmp_path, "threads", 2)).points()
    assert len(point.seeds) == 1
    assert point.metric("latency.p99").high == float("inf")


def test_an_experiment_takes_values_of_numpy_and_what_gives_them_one_by_one(tmp_path: Path):
    lab = Experiment(
        [QUEUE], over={"arrivals.load": np.array([0.3, 0.5])}, set={"measure.messages": np.int64(300)}
    )
    assert [point.set for point in perform(lab, Execution(tmp_path)).points()] == [
        {"arrivals.load": 0.3},
        {"arrivals.load": 0.5},
    ]
    listed = Experiment([QUEUE], settings=[{"arrivals.load": np.float64(0.3)}], set=TINY)
    (point,) = perform(listed, Execution(tmp_path)).points()
    assert point.set == {"arrivals.load": 0.3}


def test_a_panicking_run_fails_alone_and_says_how_to_repeat_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    simulate = _core.run

    def breaks_at_seed_2(scenario: object, *rest: object) -> object:
        if scenario.seed == 2:
            raise _core.InternalError("a packet was delivered twice")
        return simulate(scenario, *rest)

    monkeypatch.setattr(batch._core, "run", breaks_at_seed_2)
    experiment = Experiment([QUEUE], over={"arrivals.load": [0.2, 0.4]}, set=TINY, seeds=3)
    result = perform(experiment, Execution(tmp_path, "threads", 2))
    assert (result.tally.done, len(result.failures)) == (4, 2)
    failure = min(result.failures, key=lambda each: each.command)
    assert (failure.cause, failure.message) == (FailureKind.PANIC, "a packet was delivered twice")
    assert failure.command == (
        "hopscope run queueing-mm1 --set measure.messages=300 --set arrivals.load=0.2 --set seed=2"
    )
    assert [point.outcome for point in result.points()] == ["failed", "failed"]
    assert len([*open_store(tmp_path).failed()]) == 2
    monkeypatch.setattr(batch._core, "run", simulate)
    healed = perform(experiment, Execution(tmp_path, "threads", 2))
    assert (healed.tally.found, healed.tally.done, healed.failures) == (4, 2, [])
    assert [*open_store(tmp_path).failed()] == []


def test_failures_end_a_command_with_their_words(
    command: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
):
    def breaks(scenario: object, *rest: object) -> object:
        raise _core.InternalError("a packet was delivered twice")

    monkeypatch.setattr(batch._core, "run", breaks)
    done = command("sweep", QUEUE, "--over", "arrivals.load=0.2,0.4", "--store", "s", "--on", "threads")
    assert done.exit_code == 3
    assert "error: 2 runs failed" in done.stderr
    assert "panic: a packet was delivered twice" in done.stderr
    assert "hopscope run queueing-mm1 --set arrivals.load=0.2 --set seed=1" in done.stderr
    assert "Traceback" not in done.stderr
    shown = command("store", "show", "s", "failed")
    assert "2 runs failed" in shown.stderr


@pytest.mark.parametrize("on", ["threads", "local"])
def test_a_run_that_takes_too_long_fails_alone(tmp_path: Path, on: str):
    settings = [{"measure.messages": 1_000_000_000}, {"measure.messages": 300}]
    execution = Execution(tmp_path, on, 2, time_limit_s=0.5)
    result = perform(Experiment([QUEUE], settings=settings), execution)
    (failure,) = result.failures
    assert (failure.cause, failure.message) == (FailureKind.TIME, "it took longer than 0.5 s")
    assert result.tally.done == 1


def test_a_run_that_needs_too_much_memory_fails_alone(tmp_path: Path):
    hungry = {"measure.messages": 200_000, "measure.journeys": 200_000}
    execution = Execution(tmp_path, "local", 1, memory_limit_mib=100)
    experiment = Experiment([NETWORK], settings=[hungry, {"measure.messages": 300, "traffic.load": 0.1}])
    result = perform(experiment, execution)
    (failure,) = result.failures
    assert failure.cause == FailureKind.LOST
    assert "it may use 100 MiB" in failure.message
    assert result.tally.done == 1


def test_a_lost_batch_is_begun_again_in_parts(tmp_path: Path):
    """An executor that loses every batch of several runs, and every run's first worker."""

    class Losing:
        workers = 1

        def __init__(self) -> None:
            self._batches: list[Batch] = []
            self.lost: set[int] = set()

        def submit(self, one: Batch) -> None:
            self._batches.append(one)

        def wait(self, seconds: float) -> list:
            one = self._batches.pop()
            numbers = {work.number for work in one.works}
            if len(numbers) > 1 or numbers - self.lost:
                self.lost |= numbers if len(numbers) == 1 else set()
                return [(one, Lost("its node burnt down"))]
            return [(one, batch.perform(one))]

        def running(self) -> float:
            return 0.0

        def close(self) -> None:
            return

    store = open_store(tmp_path)
    driver = Driver(store, Losing())
    base = hopscope.engine.load(QUEUE, TINY)
    driver.run([wanted_of(base.with_overrides([f"seed={seed}"])) for seed in range(1, 8)], 7)
    assert driver.tally.done == 7
    assert driver.tally.failed == []


def test_a_worker_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from hopscope.experiments import perform as performing

    monkeypatch.setattr(performing._core, "version", lambda: "9.9.9")
    with pytest.raises(
        hopscope.UsageError, match=r"a worker has hopscope .*, the experiment was begun with 9\.9\.9"
    ):
        perform(Experiment([QUEUE], set=TINY), Execution(tmp_path, "local", 1))


def test_a_node_with_another_folder_of_that_name_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The worker believes that it has kept its runs, but the driver does not see them."""
    monkeypatch.setattr(batch, "_kept", lambda given, work, archive: given.store is not None)
    result = perform(Experiment([QUEUE], set=TINY, seeds=3), Execution(tmp_path, "threads", 1))
    assert len([*open_store(tmp_path).runs()]) == 3
    assert result.tally.done == 3


def test_the_driver_counts_what_ended(tmp_path: Path):
    told: list[tuple[float, str]] = []
    experiment = Experiment([QUEUE], over={"arrivals.load": [0.2, 0.4]}, set=TINY)
    perform(
        experiment, Execution(tmp_path, "threads"), progress=lambda part, words: told.append((part, words))
    )
    assert told[-1][0] == 1.0
    assert told[-1][1].startswith("2 of 2 runs")


def test_an_experiment_says_what_speaks_against_its_figures(command: Callable[..., Result], here: Path):
    (here / "e.toml").write_text(
        'scenarios = ["queueing-mm1", "queueing-md1"]\n[set]\n"measure.messages" = 300\n'
        '[over]\n"arrivals.load" = [0.5, 0.7]\n'
    )
    done = command("experiment", "e.toml", "--store", "kept")
    assert ", unknown]" in done.stdout
    assert "note: 4 of 4 points have no upper bound of latency.p99 (queueing-mm1 at " in done.stdout
    lines = [
        json.loads(line)
        for line in command("experiment", "e.toml", "--store", "kept", "--json").stdout.splitlines()
    ]
    points = [line for line in lines if line["event"] == "point"]
    assert all("no-upper-bound" in point["doubts"] for point in points)
    assert all(point["metrics"]["latency.p99"][2] is None for point in points)
    (kept,) = kept_experiments(open_store("kept")).values()
    page = json.dumps(experiment_page.page(kept).data())
    assert "4 of 4 points have no upper bound of latency.p99" in page
    assert "Infinity" not in page


def test_json_lines_tell_points_and_the_end(command: Callable[..., Result], here: Path):
    (here / "e.toml").write_text(
        'scenarios = ["queueing-mm1"]\n[set]\n"measure.messages" = 300\n'
        '[over]\n"arrivals.load" = [0.2, 0.4]\n'
    )
    done = command("experiment", "e.toml", "--json", "--jobs", "2")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["set"] for line in lines if line["event"] == "point"] == [
        {"arrivals.load": 0.2},
        {"arrivals.load": 0.4},
    ]
    assert lines[-1] == {
        "event": "ended",
        "store": str(here / "runs/store"),
        "experiment": lines[-1]["experiment"],
        "found": 0,
        "run": 2,
        "failed": 0,
    }


def test_a_sweep_is_the_same_from_any_executor(tmp_path: Path):
    over = {"arrivals.load": [0.2, 0.4]}
    plain = hopscope.sweep(QUEUE, over, set=TINY, seeds=2)
    other = hopscope.sweep(QUEUE, over, set=TINY, seeds=2, execution=Execution(tmp_path, "local", 2))
    assert other.metrics.equals(plain.metrics)
    assert other.points[0].runs[0].explain().to_json() == plain.points[0].runs[0].explain().to_json()
    assert other.points[0].runs[0].series.equals(plain.points[0].runs[0].series)


def test_one_way_to_run_many(tmp_path: Path):
    """What a colleague's module runs through the engine is kept and found again, whatever it is."""
    from hopscope.experiments.execution import many_runs

    with many_runs(Execution(tmp_path, "threads")):
        found = hopscope.explain(QUEUE, set=TINY, what_if=True, seeds=2, messages=1_000)
    kept = tree(tmp_path)
    assert kept
    with many_runs(Execution(tmp_path, "threads")):
        again = hopscope.explain(QUEUE, set=TINY, what_if=True, seeds=2, messages=1_000)
    assert again.to_json() == found.to_json()
    assert tree(tmp_path) == kept


@pytest.mark.parametrize(
    "verb",
    [
        ("capacity", NETWORK, "--messages", "1000"),
        ("advise", NETWORK, "--messages", "1000"),
        (
            "explain",
            NETWORK,
            "--what-if",
            "--messages",
            "1000",
            "--seeds",
            "2",
            "--set",
            "measure.messages=2000",
        ),
        ("study", "an1/fig10", "--quick", "--out", "cells"),
    ],
    ids=lambda verb: verb[0],
)
def test_planning_and_studies_find_the_same_by_any_means(
    command: Callable[..., Result], here: Path, verb: tuple[str, ...]
):
    here_and_now = command(*verb, "--json", "--quiet")
    shutil.rmtree(here / "cells", ignore_errors=True)
    by = ("--on", "threads", "--store", "kept")
    elsewhere = command(*verb, *by, "--json", "--quiet")
    assert here_and_now.exit_code == elsewhere.exit_code
    assert elsewhere.stdout == here_and_now.stdout
    kept = tree(here / "kept")
    assert kept
    shutil.rmtree(here / "cells", ignore_errors=True)
    assert command(*verb, *by, "--json", "--quiet").stdout == here_and_now.stdout
    assert tree(here / "kept") == kept


def test_batches_grow_with_short_runs(tmp_path: Path):
    """Runs of a millisecond travel many at a time, so that their way is of no account."""
    sizes: list[int] = []

    class Watching(Processes):
        def submit(self, one: Batch) -> None:
            sizes.append(len(one.works))
            super().submit(one)

    executor = Watching(2)
    try:
        driver = Driver(open_store(tmp_path), executor)
        base = hopscope.engine.load(QUEUE, {"measure.messages": 100})
        driver.run([wanted_of(base.with_overrides([f"seed={seed}"])) for seed in range(400)], 400)
    finally:
        executor.close()
    assert driver.tally.done == 400
    assert max(sizes) > 10
    assert len(sizes) < 200


def test_workers_end_with_their_driver(tmp_path: Path):
    executor = Processes(2)
    base = hopscope.engine.load(QUEUE, {"measure.messages": 1_000_000_000})
    wanted = wanted_of(base)
    executor.submit(Batch(wanted.parcel, (batch.Work(0, wanted.overrides, wanted.key),), str(tmp_path)))
    (pid,) = executor.pids()
    executor.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


LONELY = """
import time
from hopscope import engine
from hopscope.executors.batch import Batch, Work
from hopscope.executors.processes import Processes
from hopscope.experiments.driver import wanted_of

executor = Processes(1)
wanted = wanted_of(engine.load("queueing-mm1", {"measure.messages": 1_000_000_000_000}))
executor.submit(Batch(wanted.parcel, (Work(7, wanted.overrides, wanted.key),), None))
while not executor.running() > 0:
    executor.wait(0.1)
print(*executor.pids(), flush=True)
time.sleep(600)
"""


def test_a_worker_stops_in_the_midst_of_a_run_when_its_driver_is_killed():
    driver = subprocess.Popen([sys.executable, "-c", LONELY], stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    worker = os.pidfd_open(int(driver.stdout.readline()))
    with selectors.DefaultSelector() as ended:
        ended.register(worker, selectors.EVENT_READ)
        assert not ended.select(0)
        driver.kill()
        driver.communicate()
        assert ended.select(60)
    os.close(worker)


def test_a_lost_worker_leaves_word_of_the_run_it_was_at(tmp_path: Path):
    executor = Processes(1)
    long = wanted_of(hopscope.engine.load(QUEUE, {"measure.messages": 1_000_000_000_000}))
    short = wanted_of(hopscope.engine.load(QUEUE, {"measure.messages": 10}))
    works = [batch.Work(nth, one.overrides, one.key) for nth, one in enumerate((short, short, long, short))]
    try:
        executor.submit(Batch(long.parcel, tuple(works), str(tmp_path)))
        while executor.running() <= 2:
            assert executor.wait(0.1) == []
        os.kill(*executor.pids(), signal.SIGKILL)
        while not (ended := executor.wait(0.1)):
            pass
    finally:
        executor.close()
    ((_, lost),) = ended
    assert isinstance(lost, Lost)
    assert lost.at == 2
    assert "SIGKILL" in lost.reason


MEASURED = """
import resource, sys
from hopscope import Experiment, Execution, perform

points, store, on = int(sys.argv[1]), sys.argv[2], sys.argv[3]
over = {"arrivals.load": [round(0.1 + 0.8 * nth / points, 7) for nth in range(points)]}
few = {"measure.messages": 10}
result = perform(Experiment(["queueing-mm1"], over=over, set=few), Execution(store, on, 2))
assert (len(result), result.tally.done, result.failures) == (points, points, [])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def peak_mib(points: int, store: Path) -> int:
    """The peak memory of a driver with `points` points, in MiB."""
    line = [sys.executable, "-c", MEASURED, str(points), str(store), "local"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_twenty_thousand_tiny_runs_fit_in_little_memory(tmp_path: Path):
    small = peak_mib(200, tmp_path / "small")
    assert peak_mib(20_000, tmp_path / "store") < small + 100
    assert sum(1 for _ in open_store(tmp_path / "store").runs()) == 20_000


@pytest.mark.long
def test_a_hundred_thousand_points_fit_in_500_mib(tmp_path: Path):
    assert peak_mib(100_000, tmp_path / "store") < 500


def test_the_command_that_repeats_a_run_names_the_file_of_its_scenario(
    command: Callable[..., Result], here: Path
):
    (here / "my lab").mkdir()
    (here / "my lab/scenario.toml").write_text(
        'model = "queueing"\n[arrivals]\nload = 0.2\n[[station]]\nservice = { fixed = "1 us" }\n'
    )
    load = ("--over", "arrivals.load=0.2,0.3", "--on", "threads", "--time-limit", "1e-9")
    done = command("sweep", "my lab/scenario.toml", *load, "--set", "measure.messages=10000000")
    repeat = "hopscope run 'my lab/scenario.toml' --set measure.messages=10000000 --set arrivals.load=0.2 "
    assert repeat in done.stderr
    line = next(line for line in done.stderr.splitlines() if repeat in line)
    assert command(*shlex.split(line)[1:], "--set", "measure.messages=300").exit_code == 0


def test_where_every_run_failed_no_store_is_named(command: Callable[..., Result], here: Path):
    few = ("--over", "arrivals.load=0.2,0.3", "--set", "measure.messages=10000000", "--on", "threads")
    done = command("sweep", QUEUE, *few, "--time-limit", "1e-9")
    assert done.exit_code == 1
    assert "2 runs failed" in done.stderr
    assert "kept" not in done.stderr
    assert list(here.iterdir()) == []
    over = ("--over", "measure.messages=300,100000000", "--on", "threads", "--time-limit", "1")
    done = command("sweep", QUEUE, *over, "--store", "s")
    assert f"all other runs are kept in {here / 's'}" in done.stderr
