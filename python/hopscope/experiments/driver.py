"""Performs runs in batches and keeps them; stored runs are not repeated.

The driver holds no results: workers keep them, or the driver does as soon as they arrive.
"""

import itertools
import json
import shlex
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hopscope import _core
from hopscope.errors import Interrupted, RunsFailedError
from hopscope.executors.batch import Batch, Done, FailureKind, Lost, Result, Work
from hopscope.executors.executor import Executor
from hopscope.numerals import amount, count
from hopscope.progress import Progress
from hopscope.results.archived import DamagedError
from hopscope.store.store import Failure, RunKey, Store, is_folder

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The intended duration of a batch, seconds: long enough to make its transfer negligible.
_SECONDS_OF_A_BATCH = 0.5
_MOST_RUNS_OF_A_BATCH = 200
# Batches in hand for each worker, so that none waits for the driver.
_BATCHES_A_WORKER = 2
# A run has failed if its worker is lost this many times with this run alone.
_MOST_ATTEMPTS = 5
_SECONDS_OF_A_WAIT = 0.1
# Threads that read stored runs to check whether they are complete.
_READERS = 16
_RUNS_A_LOOK = 256


@dataclass(frozen=True, slots=True)
class Wanted:
    """A requested run: its packed scenario, and its key in the store."""

    name: str
    parcel: str
    overrides: tuple[str, ...]
    key: RunKey

    @property
    def command(self) -> str:
        """The command that repeats it, from the folder that this one is called in."""
        packed = json.loads(self.parcel)
        # Ready scenarios have no folder, and those from a file are labelled with its path.
        source = self.name if packed["folder"] is None else packed["label"]
        sets = [word for text in self.overrides for word in ("--set", text)]
        files = ["--allow-files"] if packed["any_file"] else []
        return shlex.join(["hopscope", "run", source, *sets, *files])


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run: seconds, if limited."""

    time_s: float | None = None


@dataclass(slots=True)
class Tally:
    """The progress of the runs."""

    expected: int | None = None
    """The number of runs; None if not known yet."""
    found: int = 0
    """Runs that were already stored."""
    done: int = 0
    failed: list[Failure] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def ended(self) -> int:
        """Runs that need no more work."""
        return self.found + self.done + len(self.failed)

    @property
    def kept(self) -> int:
        """Runs that are in the store."""
        return self.found + self.done

    def rate(self) -> float:
        """Runs a second."""
        return (self.done + len(self.failed)) / max(time.monotonic() - self.began, 1e-9)

    def words(self) -> str:
        """The tally in a few words."""
        of = "" if self.expected is None else f"{count(self.ended)} of "
        parts = [of + amount(self.ended if self.expected is None else self.expected, "run", "runs")]
        if self.found:
            parts.append(f"{self.found} found in the store")
        if self.failed:
            parts.append(f"{len(self.failed)} failed")
        return ", ".join(parts)


def wanted_of(scenario: "Scenario", parcel: str | None = None) -> Wanted:
    """A checked scenario as a requested run; `parcel` is its own, if known."""
    key = RunKey(scenario.hash, scenario.seed, _core.version())
    return Wanted(scenario.name, parcel or scenario.parcel(), tuple(scenario.overrides()), key)


class Driver:
    """One experiment under way."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        *,
        resume: bool = True,
        limits: Limits = Limits(),
        progress: Progress | None = None,
    ) -> None:
        """Without `resume`, what is in the store is run again, once."""
        self.tally = Tally()
        self._store = store
        self._executor = executor
        self._limits = limits
        self._progress = progress
        store.begin()
        self._there = {_short(key) for key in store.runs(_core.version())} if resume else set()
        self._unhealed = {key for key, _ in store.failed()}
        self._wanted: dict[int, Wanted] = {}
        self._again: deque[Batch] = deque()
        self._in_hand = 0
        self._seconds_a_run: float | None = None
        self._number = 0

    def run(self, wanted: Iterable[Wanted], expected: int | None = None) -> None:
        """Ensure that all these runs are in the store, or their failures in the tally.

        Raises Interrupted, StoreError, and UsageError if a worker cannot take part. Runs that have ended by
        then are kept.
        """
        if expected is not None:
            self.tally.expected = (self.tally.expected or 0) + expected
        try:
            missing = self._missing(wanted)
            batches = self._batches(missing)
            most = _BATCHES_A_WORKER * self._executor.workers
            while True:
                while self._in_hand < most and (batch := self._next(batches)) is not None:
                    self._executor.submit(batch)
                    self._in_hand += 1
                if not self._in_hand:
                    break
                for batch, result in self._executor.wait(_SECONDS_OF_A_WAIT):
                    self._in_hand -= 1
                    self._take(batch, result)
                self._tell()
        except KeyboardInterrupt:
            raise Interrupted(left=self._kept()) from None
        self._tell()

    def _missing(self, wanted: Iterable[Wanted]) -> Iterator[Wanted]:
        """The runs that are not completely stored; one requested twice is run once."""
        each = iter(wanted)
        with ThreadPoolExecutor(_READERS, thread_name_prefix="store") as readers:
            while chunk := list(itertools.islice(each, _RUNS_A_LOOK)):
                there = [one for one in chunk if _short(one.key) in self._there]
                for one, is_whole in zip(there, readers.map(self._is_whole, there), strict=True):
                    if not is_whole:
                        self._there.discard(_short(one.key))
                for one in chunk:
                    short = _short(one.key)
                    if short in self._there:
                        self.tally.found += 1
                        self._heal(one.key)
                    else:
                        self._there.add(short)
                        yield one

    def _is_whole(self, wanted: Wanted) -> bool:
        """Whether a stored run is undamaged."""
        try:
            return self._store.get(wanted.key) is not None
        except DamagedError:
            return False

    def _next(self, batches: Iterator[Batch]) -> Batch | None:
        return self._again.popleft() if self._again else next(batches, None)

    def _batches(self, missing: Iterator[Wanted]) -> Iterator[Batch]:
        """Runs that follow one another and share a parcel, as many as take the time of a batch."""
        held: list[Work] = []
        parcel: str | None = None
        for each in missing:
            if held and (each.parcel != parcel or len(held) >= self._runs_a_batch()):
                yield self._batch(parcel, held)
                held = []
            parcel = each.parcel
            held.append(Work(self._number, each.overrides, each.key))
            self._wanted[self._number] = each
            self._number += 1
        if held:
            yield self._batch(parcel, held)

    def _batch(self, parcel: str | None, works: Sequence[Work]) -> Batch:
        return Batch(parcel, tuple(works), self._store.where, self._limits.time_s)

    def _runs_a_batch(self) -> int:
        """One at first; later by what a run takes; fewer towards the end, so that workers end together."""
        if self._seconds_a_run is None:
            return 1
        fit = int(_SECONDS_OF_A_BATCH / max(self._seconds_a_run, 1e-6))
        if self.tally.expected is not None:
            left = self.tally.expected - self.tally.ended
            fit = min(fit, left // (_BATCHES_A_WORKER * self._executor.workers))
        return max(1, min(fit, _MOST_RUNS_OF_A_BATCH))

    def _take(self, batch: Batch, result: Result) -> None:
        if isinstance(result, Lost):
            self._lost(batch, result)
            return
        ended = {done.work.number for done in result}
        left = [work for work in batch.works if work.number not in ended]
        if left:
            self._again.append(batch.only(left, batch.attempts))
        for done in result:
            self._ended(batch, done)

    def _ended(self, batch: Batch, done: Done) -> None:
        work = done.work
        if done.cause is not None:
            self._fail(work, done.cause, done.message)
            return
        if done.archive is not None:
            self._store.put(work.key, done.archive)
        elif is_folder(self._store) and not self._store.has(work.key):
            # The node has another folder of the same name: its result is to come back.
            self._again.append(Batch(batch.parcel, (work,), None, batch.time_limit_s))
            return
        if done.seconds:
            known = self._seconds_a_run or done.seconds
            self._seconds_a_run = 0.9 * known + 0.1 * done.seconds
        self.tally.done += 1
        self._forget(work)
        self._heal(work.key)

    def _lost(self, batch: Batch, lost: Lost) -> None:
        """Restart a lost worker's batch; the run that was under way is alone the next time."""
        guilty = [work for work in batch.works if len(batch.works) == 1 or work.number == lost.at]
        rest = [work for work in batch.works if work not in guilty]
        stored = [work for work in rest if self._store.where is not None and self._store.has(work.key)]
        for work in stored:
            self._ended(batch, Done(work, 0.0))
        left = [work for work in rest if work not in stored]
        if lost.at is None:
            self._again.extend(batch.only([work], batch.attempts) for work in left)
        elif left:
            self._again.append(batch.only(left, batch.attempts))
        for work in guilty:
            if batch.attempts + 1 >= _MOST_ATTEMPTS:
                self._fail(
                    work, FailureKind.LOST, f"its worker was lost {_MOST_ATTEMPTS} times: {lost.reason}"
                )
            else:
                self._again.append(batch.only([work], batch.attempts + 1))

    def _fail(self, work: Work, cause: FailureKind, message: str) -> None:
        wanted = self._wanted[work.number]
        failure = Failure(wanted.name, work.key.hash, work.key.seed, str(cause), message, wanted.command)
        self._store.fail(work.key, failure)
        self._there.discard(_short(work.key))
        self.tally.failed.append(failure)
        self._forget(work)

    def _heal(self, key: RunKey) -> None:
        """Forget that the run has failed once."""
        if key in self._unhealed:
            self._store.heal(key)
            self._unhealed.discard(key)

    def _forget(self, work: Work) -> None:
        self._wanted.pop(work.number, None)

    def _tell(self) -> None:
        if self._progress is None:
            return
        of = self.tally.expected or self.tally.ended + self._in_hand or 1
        part = min(1.0, (self.tally.ended + self._executor.running()) / of)
        if self._progress(part, f"{self.tally.words()}, {self.tally.rate():.3g}/s") is False:
            raise KeyboardInterrupt

    def _kept(self) -> str | None:
        """What an interrupt leaves, in words. An empty store is not named: a command may remove it."""
        if self._store.where is None:
            return None
        kept = self.tally.kept
        if not kept:
            return "no run is kept"
        # Workers may have kept more than the driver has heard of.
        runs = f"at least {amount(kept, 'run is', 'runs are')} kept in {self._store.where}"
        return f"{runs}; the same command goes on from there"


def _short(key: RunKey) -> tuple[bytes, int]:
    """A key in little memory: there may be a million."""
    return bytes.fromhex(key.hash), key.seed


def raise_failures(tally: Tally, store: Store) -> None:
    """Raise RunsFailedError if a run failed. It names the store if that holds others of these runs."""
    if tally.failed:
        is_ours = any(failure.cause == FailureKind.PANIC for failure in tally.failed)
        raise RunsFailedError(tally.failed, is_ours, store.where if tally.kept else None)
