"""A result that was computed is never lost, whatever becomes of stdout, the report or the working folder."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import LITTLE, QUEUE
from hopscope.results.run import RunResult

PROGRAM = (sys.executable, "-m", "hopscope")
RUN = (*PROGRAM, "run", QUEUE, *LITTLE, "--no-report")


def kept(folder: Path) -> RunResult:
    """The one run that a command has left."""
    found = hopscope.read(folder / "runs" / f"{QUEUE}-1")
    assert isinstance(found, RunResult)
    return found


def test_a_full_stdout_is_an_output_error_and_the_run_is_kept(here: Path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(RUN, stdout=full, stderr=subprocess.PIPE, text=True, cwd=here, check=False)
    assert done.returncode == 2
    assert f"written to runs/{QUEUE}-1" in done.stderr
    assert "error: cannot print (No space left on device)\nhint: the results are kept in" in done.stderr
    assert "fault of hopscope" not in done.stderr
    assert kept(here).outcome == "complete"


# What the run still says where it can, with which exit code.
CLOSED = {
    ">&-": (2, "error: cannot print (it is closed)"),
    "2>&-": (0, "latency, mean"),
    ">&- 2>&-": (2, ""),
}


@pytest.mark.parametrize("redirected", CLOSED)
def test_what_is_closed_loses_no_run_and_a_closed_stdout_is_an_error(here: Path, redirected: str):
    code, told = CLOSED[redirected]
    line = f"{' '.join(RUN)} {redirected}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=here, check=False)
    assert done.returncode == code
    assert told in done.stdout + done.stderr
    assert kept(here).outcome == "complete"


@pytest.mark.parametrize("redirected", ["> /dev/full", ">&-"])
def test_a_quiet_run_that_cannot_be_printed_names_its_folder(here: Path, redirected: str):
    line = f"{' '.join(RUN)} --quiet --out mine {redirected}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=here, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[1:] == ["hint: the results are kept in mine"]
    assert hopscope.read(here / "mine").outcome == "complete"


@pytest.mark.parametrize("words", [("scenarios",), ("run", "--help")])
def test_where_nothing_is_kept_a_full_stdout_promises_nothing(here: Path, words: tuple[str, ...]):
    with open("/dev/full", "w") as full:
        line = (*PROGRAM, *words)
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, cwd=here, check=False)
    assert (done.returncode, done.stderr) == (2, "error: cannot print (No space left on device)\n")


def test_a_reader_that_has_gone_ends_the_program_quietly_and_the_run_is_kept(here: Path):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(RUN, stdout=write, stderr=subprocess.PIPE, text=True, cwd=here, check=False)
    os.close(write)
    assert done.returncode == 141
    assert "error" not in done.stderr
    assert kept(here).outcome == "complete"


@pytest.mark.parametrize("words", [("--help",), ("scenarios",), ("schema",)])
def test_every_verb_ends_so_when_its_reader_has_gone(here: Path, words: tuple[str, ...]):
    read, write = os.pipe()
    os.close(read)
    line = (*PROGRAM, *words)
    done = subprocess.run(line, stdout=write, stderr=subprocess.PIPE, text=True, cwd=here, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


class PanicException(BaseException):
    """As native code of a chart library raises."""


@pytest.mark.parametrize("failure", [MemoryError("no more"), PanicException("no more")])
def test_a_report_that_cannot_be_drawn_does_not_take_the_run_with_it(
    command: Callable[..., Result], here: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
):
    def fail(_run: RunResult, _path: Path) -> None:
        raise failure

    monkeypatch.setattr(RunResult, "report", fail)
    done = command("run", QUEUE, *LITTLE)
    assert done.exit_code == 0
    assert f"written to runs/{QUEUE}-1\n" in done.stderr
    assert "warning: the report could not be drawn" in done.stderr
    assert kept(here).outcome == "complete"
    with pytest.warns(RuntimeWarning, match="the results are kept"):
        kept(here).save(here / "again")
    assert not (here / "again" / "report.html").exists()


def test_a_deleted_working_folder_is_no_fault_of_ours(tmp_path: Path):
    line = f"mkdir gone && cd gone && rmdir ../gone && {' '.join(RUN)}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert "error: the working folder no longer exists" in done.stderr


def test_a_folder_that_does_not_fit_a_disk_is_refused_before_the_run(command: Callable[..., Result]):
    done = command("run", QUEUE, *LITTLE, "--out", "x" * 300)
    assert done.exit_code == 2
    assert "File name too long" in done.stderr


def test_a_stderr_that_nobody_reads_changes_no_exit_code(here: Path):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        for words in (("nosuch",), ("run", "nosuch"), ("import", "nosuch")):
            line = [sys.executable, "-m", "hopscope", *words]
            assert subprocess.run(line, stderr=writing, cwd=here, check=False).returncode == 2
    finally:
        os.close(writing)


def test_what_an_encoding_lacks_is_replaced(process: Callable[..., subprocess.CompletedProcess[str]]):
    title = ("--set", 'title="\U0001f600"', "--set", "measure.messages=2000")
    done = process("run", "queueing-mm1", *title, PYTHONIOENCODING="latin-1")
    assert (done.returncode, "complete" in done.stdout) == (0, True)
    assert done.stdout.startswith("?\n")


@pytest.mark.parametrize(
    "words", [("--set", "title=\udcff"), ("--out", "r\udcff"), ("--counters-at", "\udcff")]
)
def test_an_argument_that_is_no_text_is_refused(command: Callable[..., Result], words: tuple[str, ...]):
    done = command("run", "queueing-mm1", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "\\xff` is no text in UTF-8\nhint: " in done.stderr
