"""Every file operation of run and sweep goes wrong in turn, by `crash_points.py`.

Nothing that was said to be saved is lost, nothing half written reads as whole, and the next run works.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hopscope
from conftest import QUEUE
from crash_points import CTRL_C, FAILURES, KILLED
from hopscope import atomic
from hopscope.errors import UsageError
from hopscope.results.run import RunResult

SERVER = Path(__file__).with_name("crash_points.py")
LITTLE = ("--set", "measure.messages=2000")
WORDS = {
    "run": ("run", QUEUE, *LITTLE, "--no-report"),
    "page": ("run", QUEUE, *LITTLE, "--out", "kept/one"),
    "sweep": ("sweep", QUEUE, *LITTLE, "--over", "arrivals.load=0.3,0.5", "--no-report"),
    "capture": ("run", "pup-ipr-gateway", *LITTLE, "--no-report", "--capture", "deep/pups.pcapng"),
}
KINDS = (*FAILURES, KILLED, CTRL_C)
# Quick tests: every n-th operation.
STRIDE = 13


@dataclass
class Ended:
    """How a case ended."""

    code: int
    told: str
    folder: Path

    @property
    def operations(self) -> list[str]:
        return json.loads(self.told.rpartition("operations: ")[2])

    @property
    def saved(self) -> Path | None:
        """The folder that the program has said to be written, if any."""
        for line in self.told.splitlines():
            if line.startswith("written to "):
                return self.folder / line.removeprefix("written to ").partition(", report in ")[0]
        return None


@pytest.fixture(scope="module")
def crash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Ended]]:
    """Runs a command with a fault, in a folder of its own or in the one given."""
    line = [sys.executable, str(SERVER)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def call(
            words: tuple[str, ...],
            number: int = -1,
            kind: str = "",
            *,
            on: bool = False,
            limit: int | None = None,
            folder: Path | None = None,
        ) -> Ended:
            folder = folder or tmp_path_factory.mktemp("case")
            case: dict[str, Any] = {"folder": str(folder), "words": words, "number": number}
            print(json.dumps(case | {"kind": kind, "on": on, "limit": limit}), file=server.stdin, flush=True)
            return Ended(**json.loads(server.stdout.readline()), folder=folder)

        yield call
        server.stdin.close()


@pytest.fixture(scope="module")
def whole(crash: Callable[..., Ended]) -> dict[str, Ended]:
    """Each command without a fault: what is to be there, and how many operations it takes."""
    ended = {verb: crash(words, 0) for verb, words in WORDS.items()}
    assert [each.code for each in ended.values()] == [0] * len(WORDS)
    return ended


def tree(folder: Path) -> dict[str, bytes]:
    """The files below a folder that are not hidden, by their paths; reports aside, which may be missing."""
    files = [path for path in folder.rglob("*") if path.is_file() and not atomic.is_partial(path)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if path.name != "report.html"}


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(f"{atomic.PARTIAL}*") if path.parent.name[0] != "."]


def is_unfinished(path: str) -> bool:
    """Whether a file is of the store that an unfinished sweep goes on from: its runs are sealed each."""
    return ".unfinished-" in path


def check(verb: str, ended: Ended, whole: Ended, crash: Callable[..., Ended], why: str) -> None:
    """What must hold after any fault, and after another run in the same place."""
    expected = tree(whole.folder)
    assert ended.code != 3, f"{why}: {ended.told}"
    assert "Traceback" not in ended.told, f"{why}: {ended.told}"
    assert ended.code in (0, 2, 130, -9, -25), f"{why}: {ended.code} {ended.told}"
    found = {path: text for path, text in tree(ended.folder).items() if not is_unfinished(path)}
    if ended.saved is not None:
        here = {path: text for path, text in expected.items() if not path.endswith(".pcapng")}
        assert {path: found.get(path) for path in here} == here, why
        read = hopscope.read(ended.saved)
        assert not isinstance(read, RunResult) or read.outcome == "complete"
    # Whatever there is, is whole: the results all or not at all, and so the capture.
    for path, text in found.items():
        assert expected[path] == text, f"{why}: {path}"
    results = {path for path in expected if not path.endswith(".pcapng")}
    assert results <= set(found) or not results & set(found), why
    if ended.code == 0:
        assert set(found) == set(expected), why
    page = ended.folder / "kept/one/report.html"
    if page.exists():
        assert page.read_bytes() == (whole.folder / "kept/one/report.html").read_bytes(), why
    for left in hidden(ended.folder):
        with pytest.raises(UsageError):
            hopscope.read(left)
        # A worker that outlives its killed driver may still remove what it had begun.
        with suppress(FileNotFoundError):
            os.utime(left, (0, 0))
    works_again(verb, ended, crash, why)


def works_again(verb: str, ended: Ended, crash: Callable[..., Ended], why: str) -> None:
    """The same command, where it is not refused because its results are there."""
    taken = [
        ended.folder / name for name in ("kept/one", "deep/pups.pcapng") if name in " ".join(WORDS[verb])
    ]
    again = crash(WORDS[verb], folder=ended.folder)
    if any(path.exists() for path in taken) and again.code == 2:
        assert "exists already" in again.told, why
        return
    assert again.code == 0, f"{why}: {again.told}"
    assert again.saved is not None
    assert hopscope.read(again.saved)
    assert hidden(ended.folder) == [], why


def cases(whole: Ended, stride: int, offset: int) -> Iterator[int]:
    yield from range(1 + offset % stride, len(whole.operations) + 1, stride)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", WORDS)
def test_any_operation_may_fail(crash: Callable[..., Ended], whole: dict[str, Ended], verb: str, kind: str):
    every_operation(crash, whole[verb], verb, kind, STRIDE)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", WORDS)
def test_every_operation_may_fail(crash: Callable[..., Ended], whole: dict[str, Ended], verb: str, kind: str):
    every_operation(crash, whole[verb], verb, kind, 1)


def every_operation(crash: Callable[..., Ended], whole: Ended, verb: str, kind: str, stride: int) -> None:
    for number in cases(whole, stride, KINDS.index(kind)):
        for on in (False, True) if kind == "no space" else (False,):
            why = (
                f"{verb}, {kind}, operation {number}{' and on' if on else ''}: {whole.operations[number - 1]}"
            )
            ended = crash(WORDS[verb], number, kind, on=on)
            check(verb, ended, whole, crash, why)
            computed_is_told(ended, whole, number, kind, why)


def computed_is_told(ended: Ended, whole: Ended, number: int, kind: str, why: str) -> None:
    """What was simulated is in a folder, or at least printed: a run that cannot be saved does not vanish."""
    begun = [name.partition(" ")[0] == "mkdir" and atomic.PARTIAL in name for name in whole.operations]
    simulated = begun.index(True) < number
    if kind in FAILURES and simulated:
        assert "throughput" in ended.told, f"{why}: {ended.told}"


@pytest.mark.parametrize("kind", ["file too large", KILLED])
@pytest.mark.parametrize("verb", WORDS)
def test_a_write_may_end_in_the_middle_of_any_file(
    crash: Callable[..., Ended], whole: dict[str, Ended], verb: str, kind: str
):
    # From the first folder on, after the room on the disk was looked at: what follows, the engine writes.
    begun = next(n for n, name in enumerate(whole[verb].operations, 1) if name.startswith("mkdir "))
    sizes = sorted({len(text) for text in tree(whole[verb].folder).values()})
    for limit in [0, *(size - 1 for size in sizes[:: 4 if verb == "sweep" else 1])]:
        ended = crash(WORDS[verb], begun, kind, limit=limit)
        check(verb, ended, whole[verb], crash, f"{verb}, {kind}, files of {limit} bytes at most")
