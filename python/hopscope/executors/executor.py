"""What every executor can do."""

from typing import Protocol

from hopscope.executors.batch import Batch, Result


class Executor(Protocol):
    """It takes batches and gives them back with their results, in any order."""

    workers: int
    """How many batches it performs at the same time."""

    def submit(self, batch: Batch) -> None:
        """Take a batch."""

    def wait(self, seconds: float) -> list[tuple[Batch, Result]]:
        """What has ended, after so many seconds at most; may be nothing."""

    def running(self) -> float:
        """How many runs' worth of work is done within batches that have not ended."""

    def close(self) -> None:
        """Stop what is under way, and let go of the workers."""
