"""`hopscope storm`: cases depend on their number alone, and what is found decides the exit code."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import Result

from hopscope import engine
from hopscope.cli import storm

FOUND = {"case": 4711, "failure": "running: broken", "scenario": 'model = "pup"\n', "times": 3}


def test_a_case_is_the_same_alone_and_among_others():
    few = engine.storm(7, first=10, cases=6, threads=2)
    alone = [engine.storm(7, first=10 + nth, cases=1, threads=1) for nth in range(6)]
    assert few["cases"] == 6
    assert all(one["cases"] == 1 for one in alone)
    assert few["events"] == sum(one["events"] for one in alone)
    assert len(few["found"]) <= sum(len(one["found"]) for one in alone)


@pytest.mark.parametrize(
    "words",
    [("--minutes", "nan"), ("--minutes", "1e999"), ("--minutes", "0"), ("--cases", "1" + 30 * "0")],
    ids=" ".join,
)
def test_a_length_that_no_clock_counts_is_refused(command: Callable[..., Result], words: tuple[str, str]):
    done = command("storm", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"invalid value for '{words[0]}'" in done.stderr


def test_the_table_has_every_failure_with_the_command_that_repeats_it():
    of = dict.fromkeys(("cases", "ran", "mended", "refused", "given_up", "failed", "cut", "events"), 1) | {
        "model": "pup",
        "accepted": 0.5,
    }
    report = {"seed": 9, "found": [FOUND], "models": [of], "cases": 1, "events": 5, "processor_s": 1.0}
    text = storm.table(report)
    assert "hopscope storm --seed 9 --case 4711" in text
    assert '  model = "pup"' in text
    assert "running: broken" in text
    assert "1 failure(s)" in text


def test_the_command_prints_json_and_exits_with_0_where_nothing_failed():
    command = [sys.executable, "-m", "hopscope", "storm", "--cases", "2", "--seed", "3", "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert report["cases"] == 2
    assert report["seed"] == 3
    assert done.returncode == (1 if report["found"] else 0), done.stderr
