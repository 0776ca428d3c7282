"""Runs requested by the page: one after the other, each with its progress, and stopped on request."""

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope import simulation
from hopscope.errors import Interrupted
from hopscope.escaping import visible_lines
from hopscope.results.folder import default_folder

_MOST_KEPT = 50
_FULL_AT_ONCE = 8


@dataclass(slots=True)
class Job:
    """A requested run: its progress, and its result."""

    id: str
    words: str
    fraction: float = 0.0
    figures: str = "waiting for its turn"
    done: str | None = None
    failed: str | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def data(self) -> dict[str, Any]:
        """As the page reads it."""
        return {
            "id": self.id,
            "words": self.words,
            "fraction": self.fraction,
            "figures": self.figures,
            "done": self.done,
            "failed": self.failed,
        }

    def told(self, fraction: float, words: str) -> bool:
        """Record its progress and first figures; returns whether to continue."""
        self.fraction, self.figures = fraction, words
        return not self.stop.is_set()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.done is not None or self.failed is not None


class Jobs:
    """The runs of a server. `admit` registers the folder of a run and returns its name."""

    def __init__(self, admit: Callable[[Path], str]) -> None:
        """Nothing has been requested yet."""
        self._admit = admit
        self._numbers = itertools.count(1)
        self._jobs: dict[str, Job] = {}
        self._turn = threading.Lock()

    def all(self) -> list[Job]:
        """Every job, the latest first."""
        return list(self._jobs.values())[::-1]

    def find(self, name: str) -> Job | None:
        """The job of this name."""
        return self._jobs.get(name)

    def run(self, scenario: Path, name: str, settings: Sequence[str]) -> Job | None:
        """Request a run of a scenario with settings, under a name; None if too many runs wait already."""
        if sum(not job.is_over for job in self._jobs.values()) >= _FULL_AT_ONCE:
            return None
        job = Job(str(next(self._numbers)), ", ".join(settings))
        self._jobs[job.id] = job
        while len(self._jobs) > _MOST_KEPT:
            self._jobs.pop(next(iter(self._jobs)))
        threading.Thread(
            target=self._perform, args=(job, scenario, name, list(settings)), daemon=True
        ).start()
        return job

    def stop(self) -> None:
        """Stop everything."""
        for job in self._jobs.values():
            job.stop.set()

    def _perform(self, job: Job, scenario: Path, name: str, settings: list[str]) -> None:
        try:
            with self._turn:
                if job.stop.is_set():
                    job.failed = "cancelled"
                    return
                result = simulation.run(scenario, set=settings, progress=job.told)
                kept = result.save(default_folder(name, result.seed), or_next=True)
            job.done = self._admit(kept)
        except Interrupted:
            job.failed = "cancelled"
        except ValueError as failure:
            job.failed = visible_lines(str(failure))
        except Exception as failure:
            job.failed = visible_lines(f"this is a bug in hopscope: {type(failure).__name__}: {failure}")
