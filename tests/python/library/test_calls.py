"""Calls from Python: values and seeds of numpy, arguments of another kind, hints in Python's words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopscope
from conftest import QUEUE
from hopscope import Execution, Experiment, Precision, Shard, UsageError
from hopscope.results.run import RunResult

FEW = {"measure.messages": 1_000}


def test_values_and_seeds_of_numpy_are_those_of_python():
    plain = hopscope.run(QUEUE, set={"arrivals.load": 0.3, **FEW}, seed=7)
    numbers = {"arrivals.load": np.float64(0.3), "measure.messages": np.int64(1_000)}
    assert hopscope.run(QUEUE, set=numbers, seed=np.int64(7)).summary.data == plain.summary.data


@pytest.mark.parametrize(
    "loads", [np.array([0.2, 0.4]), (nth / 10 for nth in (2, 4)), [np.float64(0.2), 0.4]], ids=type
)
def test_a_sweep_takes_whatever_gives_values_one_by_one(here: Path, loads: Any):
    swept = hopscope.sweep(QUEUE, {"arrivals.load": loads}, set=FEW, seeds=np.int64(2), out="swept")
    assert [point.set for point in swept.points] == [{"arrivals.load": 0.2}, {"arrivals.load": 0.4}]
    assert swept.over == {"arrivals.load": [0.2, 0.4]}
    assert hopscope.read("swept").over == swept.over


def test_a_comparison_takes_a_range():
    compared = hopscope.compare(QUEUE, QUEUE, {"station[0].servers": range(1, 3)}, set=FEW, seeds=2)
    assert [point.set for point in compared.points] == [{"station[0].servers": 1}, {"station[0].servers": 2}]


CALLS: dict[str, Callable[..., object]] = {
    "run": hopscope.run,
    "sweep": lambda source, **named: hopscope.sweep(source, {"arrivals.load": [0.2]}, **named),
    "compare": lambda source, **named: hopscope.compare(source, QUEUE, **named),
    "explain": hopscope.explain,
    "topology": hopscope.topology,
    "check": hopscope.check,
}
ARGUMENTS = {"compare": "a", "check": "fabric"}
"""What a call names its scenario, where it is not `source`."""


@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_scenario_is_named(call: str):
    with pytest.raises(UsageError, match=f"^{ARGUMENTS.get(call, 'source')}: None is no scenario"):
        CALLS[call](None)


@pytest.mark.parametrize("call", ["run", "sweep", "compare", "explain", "topology"])
def test_what_is_no_seed_is_named(call: str):
    for seed in (1.5, "3", True):
        with pytest.raises(UsageError, match=f"seed: {seed!r} is no whole number"):
            CALLS[call](QUEUE, seed=seed)


@pytest.mark.parametrize("call", ["sweep", "compare"])
def test_a_number_of_seeds_that_is_not_whole_is_named(call: str):
    with pytest.raises(UsageError, match=r"seeds: 2\.5 is no whole number"):
        CALLS[call](QUEUE, seeds=2.5)
    with pytest.raises(UsageError, match=r"seeds: 2\.5 is no whole number"):
        Experiment([QUEUE], seeds=2.5)  # type: ignore[arg-type] # that is the test


def test_hints_of_calls_name_no_option_of_the_command_line(here: Path, queue_run: RunResult):
    queue_run.save("kept", report=False)
    (here / "file").write_text("in the way")
    calls: list[Callable[[], object]] = [
        lambda: queue_run.save("kept"),
        lambda: queue_run.save("file/below"),
        lambda: queue_run.report("file/below.html"),
        lambda: hopscope.run(QUEUE, out="kept"),
        lambda: hopscope.run("pup-ipr-gateway", capture="file"),
        lambda: hopscope.sweep(QUEUE, {"arrivals.load": [0.2]}, out="file/below"),
    ]
    for call in calls:
        with pytest.raises(UsageError) as refused:
            call()
        assert refused.value.hint
        assert "--" not in refused.value.hint


def test_shares_by_what_there_is_not_are_refused(queue_run: RunResult):
    with pytest.raises(UsageError, match="there are: stages, resources, places"):
        queue_run.explain().shares("stage")


def test_a_count_is_printed_without_a_unit():
    pauses = hopscope.run("roce-fat-tree-incast", set={"measure.messages": 200}).metric("pauses")
    assert pauses.unit == "1"
    assert str(pauses) == pauses.numbers == "1 706"


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("store", 7),
        ("store", ""),
        ("on", 7),
        ("jobs", 0),
        ("jobs", 1.5),
        ("resume", "no"),
        ("time_limit_s", -1),
        ("time_limit_s", 0),
        ("time_limit_s", float("nan")),
        ("time_limit_s", float("inf")),
        ("time_limit_s", "60"),
        ("time_limit_s", True),
        ("memory_limit_mib", 63),
        ("memory_limit_mib", -1),
        ("memory_limit_mib", 1e3),
    ],
)
def test_means_that_cannot_be_are_named(argument: str, value: Any):
    with pytest.raises(UsageError) as refused:
        Execution(**{argument: value})
    assert refused.value.what.startswith(f"{argument}: {value!r} is ")
    assert refused.value.hint


def test_means_of_numpy_are_those_of_python():
    assert Execution(jobs=np.int64(2), time_limit_s=np.float64(1.5)) == Execution(jobs=2, time_limit_s=1.5)


@pytest.mark.parametrize("part", [1.5, "1", None])
def test_a_part_that_is_no_number_is_named(part: Any):
    with pytest.raises(UsageError, match=f"part: {part!r} is no whole number"):
        Shard(part, 2)
    with pytest.raises(UsageError, match=f"of: {part!r} is no whole number"):
        Shard(1, part)


@pytest.mark.parametrize(("part", "of"), [(0, 2), (3, 2), (-1, 2), (1, 0)])
def test_a_part_that_there_is_not_is_named(part: int, of: int):
    with pytest.raises(UsageError, match=f"part: there is no part {part} of {of}\nhint: count from 1"):
        Shard(part, of)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("metric", None), ("half_width", "0.02"), ("half_width", float("nan")), ("most_seeds", 7.5)],
)
def test_a_precision_of_another_type_is_named(argument: str, value: Any):
    whole: dict[str, Any] = {"metric": "latency.mean", "half_width": 0.02}
    with pytest.raises(UsageError, match=f"{argument}: "):
        Precision(**{**whole, argument: value})


TOO_LONG = "x" * 300

OF_PATHS: dict[str, Callable[[Any], object]] = {
    "run(out)": lambda path: hopscope.run(QUEUE, set=FEW, out=path),
    "run(capture)": lambda path: hopscope.run("pup-ipr-gateway", set=FEW, capture=path),
    "sweep(out)": lambda path: hopscope.sweep(QUEUE, {"arrivals.load": [0.2]}, set=FEW, out=path),
    "sweep(execution)": lambda path: hopscope.sweep(
        QUEUE, {"arrivals.load": [0.2]}, set=FEW, execution=Execution(store=path)
    ),
    "study(out)": lambda path: hopscope.study("queueing/mm1", out=path),
    "Experiment(settings)": lambda path: Experiment([QUEUE], settings=path),
    "read": hopscope.read,
}


@pytest.mark.parametrize("call", OF_PATHS)
@pytest.mark.parametrize("path", ["", "a\0b", 5, b"x"], ids=repr)
def test_what_is_no_path_is_named(here: Path, call: str, path: Any):
    with pytest.raises(UsageError) as refused:
        OF_PATHS[call](path)
    assert repr(path) in refused.value.what or refused.value.what.endswith("the path is empty")
    assert refused.value.hint
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("call", [each for each in OF_PATHS if not each.startswith("study")])
def test_a_name_that_is_too_long_is_told_like_any_other(here: Path, call: str):
    with pytest.raises(UsageError, match=TOO_LONG):
        OF_PATHS[call](TOO_LONG)
    with pytest.raises((UsageError, hopscope.ScenarioError), match=TOO_LONG):
        hopscope.explain(TOO_LONG)


OF_OTHER_TYPES: dict[str, Callable[[], object]] = {
    "over: None are no values by path": lambda: hopscope.sweep(QUEUE, None),
    "over: there is nothing to sweep over": lambda: hopscope.sweep(QUEUE, {}),
    r"over: \['a=1'\] are no values by path": lambda: Experiment([QUEUE], over=["a=1"]),
    "over: 5 are no values by path": lambda: hopscope.compare(QUEUE, QUEUE, over=5),
    "set: 5 sets nothing": lambda: hopscope.run(QUEUE, set=5),
    "set_b: 5 sets nothing": lambda: hopscope.compare(QUEUE, QUEUE, set_b=5),
    "execution: None is no Execution": lambda: hopscope.sweep(
        QUEUE, {"arrivals.load": [0.2]}, execution=None
    ),
    "execution: 5 is no Execution": lambda: hopscope.compare(QUEUE, QUEUE, execution=5),
    "execution: 'threads' is no Execution": lambda: hopscope.perform(Experiment([QUEUE]), "threads"),
    "experiment: 5 is no Experiment": lambda: hopscope.perform(5),
    "shard: 1 is no Shard": lambda: hopscope.perform(Experiment([QUEUE]), shard=1),
    "progress: 5 is no function": lambda: hopscope.run(QUEUE, progress=5),
    "allow_files: 5 is neither": lambda: hopscope.run(QUEUE, allow_files=5),
    "scenarios: 5 are none": lambda: Experiment(5),
    "settings: 5 are no settings": lambda: Experiment([QUEUE], settings=5),
    r"scenarios\[1\]: None is no scenario": lambda: Experiment([QUEUE, None]),
    r"settings\[1\]: 5 is no setting": lambda: Experiment([QUEUE], settings=[{}, 5]),
    "precision: 0.02 is none": lambda: Experiment([QUEUE], precision=0.02),
    "name: 5 is no text": lambda: Experiment([QUEUE], name=5),
    "seeds are out of range": lambda: hopscope.compare(QUEUE, QUEUE, seeds=10**20),
    "roots: 5 are no names": lambda: hopscope.check("ib-torus-updn", roots=5),
    r"roots: \[5\] are no names": lambda: hopscope.routes("ib-torus-updn", roots=[5]),
    "path: 5 is no pair": lambda: hopscope.check("ib-torus-updn", path=5),
    "path_sl: 5 is no path": lambda: hopscope.check("ib-torus-updn", path_sl=5),
    "engine: 5 is no text": lambda: hopscope.check("ib-torus-updn", engine=5),
    "engine: 7 is no text": lambda: hopscope.routes("ib-torus-updn", engine=7),
    "routes: 5 is no path": lambda: hopscope.check("ib-torus-updn", routes=5),
    "root_guids: 5 is no path": lambda: hopscope.check("ib-torus-updn", root_guids=5),
    "b: 5 is no scenario": lambda: hopscope.compare(QUEUE, 5),
    "name: 5 is no study": lambda: hopscope.study(5),
    "quick: 'x' is neither": lambda: hopscope.study("queueing/mm1", quick="x"),
    "simulate: 'x' is neither": lambda: hopscope.capacity("an1-torus", simulate="x"),
    "messages: 10 is out of range": lambda: hopscope.capacity("an1-torus", messages=10),
    "add_link: 3 is neither": lambda: hopscope.advise("an1-torus", add_link=3),
    "what_if: 'yes' is neither": lambda: hopscope.explain(QUEUE, what_if="yes"),
    "confirm: None is neither": lambda: hopscope.explain(QUEUE, confirm=None),
    "seeds: 1 is out of range": lambda: hopscope.explain(QUEUE, what_if=True, seeds=1),
    "seeds: 1001 is out of range": lambda: hopscope.explain(QUEUE, what_if=True, seeds=1001),
    "messages: -1 is out of range": lambda: hopscope.explain(QUEUE, what_if=True, messages=-1),
    "messages: 999 is out of range": lambda: hopscope.explain(QUEUE, what_if=True, messages=999),
    r"for the changes of `what_if`": lambda: hopscope.explain(QUEUE, seeds=3),
    r"matrix\[0\]\[1\]: -1 is no weight": lambda: hopscope.pairs_of([[0, -1], [1, 0]], ["a", "b"]),
    r"matrix\[0\]\[1\]: nan is no weight": lambda: hopscope.pairs_of([[0, np.nan], [1, 0]], ["a", "b"]),
    r"matrix\[1\]\[0\]: 'x' is no weight": lambda: hopscope.pairs_of([[0, 1], ["x", 0]], ["a", "b"]),
    "hosts: 'a' stands there twice": lambda: hopscope.pairs_of([[0, 1], [1, 0]], ["a", "a"]),
    r"hosts\[1\]: 5 is no name": lambda: hopscope.pairs_of([[0, 1], [1, 0]], ["a", 5]),
    "tables are given in two ways": lambda: hopscope.check(
        "ib-torus-updn", routes="torus.lfts", engine="shortest"
    ),
}


@pytest.mark.parametrize("words", OF_OTHER_TYPES)
def test_an_argument_of_another_type_is_named(words: str):
    with pytest.raises(UsageError, match=words) as refused:
        OF_OTHER_TYPES[words]()
    assert refused.value.hint


HALF = "\ud800"
OF_TEXTS: dict[str, Callable[[], object]] = {
    "set: 'title=": lambda: hopscope.run(QUEUE, set={"title": HALF}),
    "set: 'a=": lambda: hopscope.run(QUEUE, set=[f"a={HALF}"]),
    "source: ": lambda: hopscope.run(HALF),
    "traffic.title: ": lambda: hopscope.run({"traffic": {"title": HALF}}),
    "traffic: ": lambda: hopscope.run({"traffic": {HALF: 1}}),
    "title: ": lambda: hopscope.sweep(QUEUE, {"title": [HALF]}),
    "out: ": lambda: hopscope.run(QUEUE, out=HALF),
    "store: ": lambda: Execution(store=HALF),
    "file: ": lambda: hopscope.read_experiment(HALF),
}


@pytest.mark.parametrize("words", OF_TEXTS)
def test_a_text_that_utf_8_cannot_hold_is_named(words: str):
    with pytest.raises(UsageError, match=rf"^{words}.*\\ud800.* is no text in UTF-8\n"):
        OF_TEXTS[words]()


def nested(levels: int) -> list[Any]:
    """A list within a list, and so on."""
    return [nested(levels - 1)] if levels else []


def test_what_contains_itself_or_is_nested_too_deep_is_refused():
    itself: dict[str, Any] = {"model": "queueing"}
    itself["arrivals"] = itself
    for call in (
        lambda: hopscope.run(itself),
        lambda: hopscope.run({"title": nested(500)}),
        lambda: hopscope.run(QUEUE, set={"title": nested(500)}),
        lambda: hopscope.sweep(QUEUE, {"title": [nested(500)]}),
    ):
        with pytest.raises(UsageError, match="nested more than 64 deep") as refused:
            call()
        assert refused.value.hint == "does a list or a dict contain itself?"


def test_a_swept_path_that_is_set_as_well_is_refused():
    both = {"over": {"arrivals.load": [0.2]}, "set": {"arrivals.load": 0.4}}
    for call in (lambda: hopscope.sweep(QUEUE, **both), lambda: Experiment([QUEUE], **both)):
        with pytest.raises(
            UsageError, match=r"`arrivals\.load` is swept over, and set to one value"
        ) as refused:
            call()
        assert refused.value.hint == "leave it out of `over` or of `set`"


def test_one_root_may_be_given_as_a_text():
    with pytest.raises(hopscope.ScenarioError, match='no switch is called "S0 and more"'):
        hopscope.check("an1-tandem", roots="S0 and more")


@pytest.mark.parametrize("key", [None, 5, ["latency.mean"]])
def test_a_metric_of_another_type_is_named(queue_run: RunResult, key: Any):
    with pytest.raises(UsageError, match="is no metric"):
        queue_run.metric(key)
