"""Processes of this machine: each a worker, which may be killed without harm to the others."""

import os
import pickle
import socket
import subprocess
import sys
import tempfile
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import IO, Any

from hopscope.errors import UsageError
from hopscope.executors.batch import Batch, Lost, Result
from hopscope.executors.whereabouts import Whereabouts

_LAST_WORDS_BYTES = 400
# glibc asks the system for huge pages for what a large network takes: with 65,536 hosts a quarter of a run's
# time goes into addresses of small ones. Other C libraries ignore it.
_HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


@dataclass(slots=True)
class _Worker:
    """A process, its batch if any, and its progress."""

    process: subprocess.Popen[bytes]
    line: Connection
    words: IO[bytes]
    note: Whereabouts
    batch: Batch | None = None

    def end(self) -> int:
        """Kill it and release what is shared with it, except its stderr; returns its exit code."""
        self.line.close()
        self.note.close()
        self.process.kill()
        return self.process.wait()


@dataclass(slots=True)
class _Ended:
    results: list[tuple[Batch, Result]] = field(default_factory=list)


class Processes:
    """Workers at the other ends of sockets, see `worker.py`; one that ends is replaced."""

    def __init__(self, jobs: int, memory_limit_mib: int | None = None) -> None:
        """`jobs` workers, each with a memory limit; they start with the first batches."""
        self.workers = jobs
        self._memory_limit_mib = memory_limit_mib
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, _Worker] = {}
        self._queue: deque[Batch] = deque()

    def submit(self, batch: Batch) -> None:
        """As of any executor."""
        self._queue.append(batch)
        self._start()

    def wait(self, seconds: float) -> list[tuple[Batch, Result]]:
        """As of any executor."""
        ended = _Ended()
        for line in wait(list(self._busy), timeout=seconds):
            assert isinstance(line, Connection)
            self._hear(self._busy[line], ended)
        self._start()
        return ended.results

    def running(self) -> float:
        """As of any executor."""
        return sum(worker.note.read()[1] for worker in self._busy.values())

    def close(self) -> None:
        """As of any executor. A worker has no state worth keeping: it is killed."""
        for worker in [*self._idle, *self._busy.values()]:
            worker.end()
            worker.words.close()
        self._idle, self._busy = [], {}

    def pids(self) -> list[int]:
        """The processes that are at work."""
        return [worker.process.pid for worker in self._busy.values()]

    def _start(self) -> None:
        """Give waiting batches to idle workers, and to new ones up to the limit."""
        while self._queue and (self._idle or len(self._busy) < self.workers):
            worker = self._idle.pop() if self._idle else self._new()
            batch = self._queue.popleft()
            worker.batch = batch
            worker.note.clear()
            self._busy[worker.line] = worker
            try:
                worker.line.send(batch)
            except OSError:
                continue  # It has ended: the next wait hears so.

    def _new(self) -> _Worker:
        ours, theirs = socket.socketpair()
        words = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
        limit = [] if self._memory_limit_mib is None else [str(self._memory_limit_mib)]
        with theirs, tempfile.TemporaryFile() as shared:
            shared.truncate(Whereabouts.SIZE)
            note = Whereabouts(shared.fileno())
            descriptors = [theirs.fileno(), shared.fileno()]
            try:
                process = subprocess.Popen(
                    [sys.executable, "-m", "hopscope.executors.worker", *map(str, descriptors), *limit],
                    pass_fds=descriptors,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=words,
                    env=_HUGE_PAGES
                    | os.environ
                    | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                    start_new_session=True,  # Ctrl-C is for the command, which ends its workers itself.
                )
            except OSError as failure:
                raise UsageError(
                    f"no worker process can be started ({failure})", "give a smaller --jobs"
                ) from failure
        return _Worker(process, Connection(ours.detach()), words, note)

    def _hear(self, worker: _Worker, ended: _Ended) -> None:
        """Take what a worker has of its batch."""
        try:
            kind, what = worker.line.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            self._bury(worker, ended)
            return
        assert worker.batch is not None
        del self._busy[worker.line]
        ended.results.append((worker.batch, _result(kind, what)))
        worker.batch = None
        self._idle.append(worker)

    def _bury(self, worker: _Worker, ended: _Ended) -> None:
        """A worker has ended without its batch."""
        del self._busy[worker.line]
        at, _ = worker.note.read()
        code = worker.end()
        assert worker.batch is not None
        reason = f"its process ended {_by_what(code)}{_last_words(worker.words)}"
        if self._memory_limit_mib is not None:
            reason += f"; it may use {self._memory_limit_mib} MiB"
        ended.results.append((worker.batch, Lost(reason, at)))


def _result(kind: str, what: Any) -> Result:
    if kind == "done":
        return what
    raise what


def _by_what(code: int) -> str:
    import signal

    if code >= 0:
        return f"with code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def _last_words(words: IO[bytes]) -> str:
    """The last line that a worker has written to stderr."""
    size = words.seek(0, os.SEEK_END)
    words.seek(max(0, size - _LAST_WORDS_BYTES))
    lines = words.read().decode(errors="replace").strip().splitlines()
    words.close()
    return f" ({lines[-1]})" if lines else ""
