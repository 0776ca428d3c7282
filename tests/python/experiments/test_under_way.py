"""Experiments under way: who performs one is seen in its store, can be stopped, and leaves nothing behind."""

import json
import os
import subprocess
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import hopscope
from hopscope import Execution, Experiment, perform
from hopscope.errors import Interrupted
from hopscope.experiments.kept import kept_experiments
from hopscope.report import experiment_page
from hopscope.store import under_way
from hopscope.store.store import Store, open_store
from hopscope.store.under_way import UNDER_WAY, Word, ask_to_stop, words
from hopscope.store.upkeep import clean

LOADS = Experiment(
    ["queueing-mm1", "queueing-md1"],
    over={"arrivals.load": [0.2, 0.5, 0.8]},
    set={"measure.messages": 2000},
    seeds=2,
    name="loads",
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store in a folder."""
    return open_store(tmp_path / "store")


def execution(store: Store) -> Execution:
    assert store.where is not None
    return Execution(store.where, "threads", 1)


def word_of_another(store: Store, process: int, silent_s: float = 0.0) -> Word:
    """Word that a process gave and did not take back."""
    host = under_way.socket.gethostname()
    word = Word(f"loads-1.{host}-{process}", "loads-1", 0.5, "1 of 2", host, process, time.time() - silent_s)
    store.place.write(f"{UNDER_WAY}{word.name}.json", json.dumps(asdict(word)).encode())
    return word


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_word_is_given_while_runs_are_performed_and_taken_back(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(under_way, "_SECONDS_BETWEEN_WORDS", 0.0)
    heard: list[Word] = []
    perform(LOADS, execution(store), progress=lambda _part, _words: heard.extend(words(store)))
    assert {word.process for word in heard} == {os.getpid()}
    assert all(word.is_alive for word in heard)
    assert max(word.fraction for word in heard) > 0
    assert not list(store.place.names(UNDER_WAY))


def test_who_is_asked_to_stop_stops_and_the_same_command_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(under_way, "_SECONDS_BETWEEN_WORDS", 0.0)

    def ask(_part: float, _words: str) -> None:
        for word in words(store):
            assert ask_to_stop(store, word.name)

    with pytest.raises(Interrupted) as stopped:
        perform(LOADS, execution(store), progress=ask)
    assert "the same command goes on" in (stopped.value.left or "")
    assert not list(store.place.names(UNDER_WAY))
    there = sum(1 for _ in store.runs())
    assert there < 12
    assert perform(LOADS, execution(store)).tally.found == there


def test_nobody_is_asked_who_gave_no_word(store: Store):
    assert not ask_to_stop(store, "loads-1.host-7")
    assert not list(store.place.names(UNDER_WAY))


def test_the_word_of_a_killed_process_is_not_believed_and_goes_with_the_next_one(store: Store):
    killed = word_of_another(store, gone())
    silent = word_of_another(store, os.getppid(), silent_s=60.0)
    working = word_of_another(store, os.getpid())
    assert {word.name: word.is_alive for word in words(store)} == {
        killed.name: False,
        silent.name: False,
        working.name: True,
    }
    perform(LOADS, execution(store))
    assert [word.name for word in words(store)] == [working.name]


def test_gc_removes_the_word_of_a_killed_process(store: Store):
    store.begin()
    word_of_another(store, gone())
    assert clean(store).left_over == 1
    assert not list(store.place.names(UNDER_WAY))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 3}', "null"])
def test_what_is_no_word_is_passed_over(store: Store, text: str):
    word = word_of_another(store, os.getpid())
    store.place.write(f"{UNDER_WAY}other.json", text.encode())
    wrong = asdict(replace(word, name="wrong")) | {"fraction": "half"}
    store.place.write(f"{UNDER_WAY}wrong.json", json.dumps(wrong).encode())
    assert list(words(store)) == [word]


def test_what_is_kept_of_an_experiment_lacks_what_is_missing_and_is_then_what_it_found(store: Store):
    result = perform(LOADS, execution(store))
    found = [point.metric("throughput") for point in result.points()]
    gone_key = sorted(store.runs())[0]
    store.forget(gone_key)
    kept = kept_experiments(store)[result.called]
    assert (len(kept), kept.expected, kept.there) == (6, 12, 11)
    points = list(kept.points())
    assert sorted(len(point.keys) for point in points) == [1, 2, 2, 2, 2, 2]
    assert all(point.find("throughput") is not None for point in points)
    perform(LOADS, execution(store))
    whole = kept_experiments(store)[result.called]
    assert [point.find("throughput") for point in whole.points()] == found


def test_the_page_of_an_experiment_has_every_point_and_a_figure_for_each_metric(store: Store):
    result = perform(LOADS, execution(store))
    page = experiment_page.page(kept_experiments(store)[result.called], "store/loads").data()
    kinds = [section["kind"] for section in page["sections"]]
    assert kinds == ["under-way", "figures", "table", "words"]
    assert page["headline"] == "12 of 12 runs are in the store."
    figures, table = page["sections"][1], page["sections"][2]
    assert len(figures["figures"]) == 2
    assert len(table["rows"]) == 6
    assert table["rows"][0][-1]["run"].startswith("store/loads/")
    assert all(" of 6 points " in line for line in page["sections"][3]["lines"]), "runs are short"


def test_many_groups_of_points_have_a_figure_each_with_the_same_axes(store: Store):
    experiment = Experiment(
        ["queueing-mm1"],
        over={"arrivals.load": [0.2, 0.5], "measure.messages": [1000, 1200, 1400, 1600, 1800]},
    )
    result = perform(experiment, execution(store))
    page = experiment_page.page(kept_experiments(store)[result.called])
    figures = next(each for each in page.data()["sections"] if each["kind"] == "figures")["figures"]
    assert len(figures) == 10
    assert len({(each["y"]["title"], each["y"]["from"], each["y"]["to"]) for each in figures}) == 2
    assert "1200" in figures[1]["title"]


def test_a_store_with_one_experiment_is_exported_as_a_page(store: Store, tmp_path: Path):
    perform(LOADS, execution(store))
    from hopscope.view import pages

    html = pages.exported_experiment(store)
    assert "12 of 12 runs are in the store." in html
    perform(replace(LOADS, name="more", seeds=3), execution(store))
    with pytest.raises(hopscope.UsageError, match="2 experiments"):
        pages.exported_experiment(store)
