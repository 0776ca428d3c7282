"""Every bad experiment is refused with its place and a way out, and nothing runs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

FOLDER = Path(__file__).parents[1] / "bad-experiments"
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
    for line in experiment.read_text(encoding="utf-8").splitlines():
        if line.startswith(MARK):
            expected = line.removeprefix(MARK)
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
