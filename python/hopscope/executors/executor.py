"""What every executor can do."""

from typing import Protocol

from hopscope.executors.batch import Batch, Result


class Executor(Protocol):
    """It takes batches and gives them back with their results, in any order."""

    workers: int
    """The number of batches that it performs at the same time."""

    def submit(self, batch: Batch) -> None:
        """Take a batch."""

    def wait(self, seconds: float) -> list[tuple[Batch, Result]]:
        """Ended batches, after at most this many seconds; may be empty."""

    def running(self) -> float:
        """The work done in unfinished batches, in runs."""

    def close(self) -> None:
        """Stop running batches, and release the workers."""
