"""Every bad experiment is refused with its place and a way out, and nothing runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT

FOLDER = PROJECT / "tests" / "bad-experiments"
BAD = sorted(FOLDER.glob("*.toml"))
MARK = "# expect: "


def test_there_are_bad_experiments():
    assert len(BAD) >= 15


@pytest.mark.parametrize("experiment", BAD, ids=lambda path: path.stem)
def test_a_bad_experiment_is_refused(command: Callable[..., Result], here: Path, experiment: Path):
    done = command("experiment", str(experiment))
    assert done.exit_code == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("error")
    assert "Traceback" not in done.stderr
    said = " ".join(done.stderr.split())
    lines = experiment.read_text(encoding="utf-8").splitlines()
    announced = [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
    assert announced
    for expected in announced:
        place, colon, words = expected.rpartition(": ")
        assert words in said, done.stderr
        if colon and place[0].isdigit():
            assert f"{experiment.name}:{place}" in said, done.stderr
    assert list(here.iterdir()) == []


def test_a_table_is_refused_at_its_line(command: Callable[..., Result], here: Path):
    (here / "e.toml").write_text('scenarios = ["queueing-mm1"]\ntable = "t.csv"\n')
    (here / "t.csv").write_text("arrivals.load,seed\n0.5,1\n0.6\n")
    done = command("experiment", "e.toml")
    assert done.exit_code == 2
    assert "t.csv:3:1: 1 values under 2 paths" in done.stderr


@pytest.mark.parametrize("shard", ["0/4", "5/4", "2", "a/b"])
def test_a_part_that_there_is_not_is_refused(command: Callable[..., Result], here: Path, shard: str):
    (here / "e.toml").write_text('scenarios = ["queueing-mm1"]\n')
    done = command("experiment", "e.toml", "--shard", shard)
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("on", "words"),
    [("mars", "there is no executor `mars`"), ("threads", "a limit of memory needs processes")],
)
def test_an_executor_that_there_is_not_is_refused(
    command: Callable[..., Result], here: Path, on: str, words: str
):
    (here / "e.toml").write_text('scenarios = ["queueing-mm1"]\n')
    limit = ("--memory-limit", "100") if on == "threads" else ()
    done = command("experiment", "e.toml", "--on", on, *limit)
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_store_that_there_is_not_is_refused(command: Callable[..., Result]):
    for verb in (("ls",), ("verify",), ("gc",), ("show",), ("export", "--out", "t")):
        extra = ("failed",) if verb == ("show",) else ()
        done = command("store", *verb, "nowhere", *extra)
        assert done.exit_code == 2, done.output
        assert "there is no store at `nowhere`" in done.stderr
    assert (
        command("sweep", "queueing-mm1", "--over", "arrivals.load=0.2,0.4", "--store", "ftp://x").exit_code
        == 2
    )


NOTHING = "the table `t.csv` has no settings, so there is nothing to run"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("arrivals.load, arrivals.load\n0.3,0.4\n", "t.csv:1:1: the path `arrivals.load` stands twice"),
        ("arrivals.load\n0.3\n0.4\n0.3\n", "the settings 1 and 3 are the same: arrivals.load=0.3"),
        ("arrivals.load;seed\n0.3;1\n", "t.csv:1:1: 'arrivals.load;seed' is no path\nhint: put commas"),
        ("measure.messages,arrivals.lod\n\n300,0.3\n", " --> t.csv:3:1, in the column `arrivals.lod`\n"),
        ("arrivals.load\n0.3\nlots\n", " --> t.csv:3:1, in the column `arrivals.load`\n"),
        ("arrivals.load\n", NOTHING),
        ("", NOTHING),
    ],
)
def test_a_table_that_cannot_be_run_is_refused(
    command: Callable[..., Result], here: Path, table: str, words: str
):
    (here / "e.toml").write_text('scenarios = ["queueing-mm1"]\ntable = "t.csv"\n')
    (here / "t.csv").write_text(table)
    done = command("experiment", "e.toml")
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr


def test_what_would_be_run_twice_is_refused(command: Callable[..., Result], here: Path):
    settings = '[[setting]]\n"arrivals.load" = 0.3\n"measure.messages" = 300\n'
    settings += '[[setting]]\n"measure.messages" = 300\n"arrivals.load" = 0.3\n'
    for text, words in (
        ('scenarios = ["queueing-mm1", "queueing-mm1"]\n', "the scenario `queueing-mm1` is named twice"),
        (
            f'scenarios = ["queueing-mm1"]\n{settings}',
            "the settings 1 and 2 are the same: arrivals.load=0.3, meas",
        ),
    ):
        (here / "e.toml").write_text(text)
        done = command("experiment", "e.toml")
        assert (done.exit_code, done.stdout) == (2, "")
        assert words in done.stderr


@pytest.mark.parametrize("settings", [[], pl.DataFrame()], ids=["list", "frame"])
def test_without_a_setting_there_is_nothing_to_run(settings: Any):
    with pytest.raises(hopscope.UsageError, match="settings: there are none, so there is nothing to run"):
        hopscope.Experiment(["queueing-mm1"], settings=settings)
