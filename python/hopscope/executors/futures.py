"""Any executor of `concurrent.futures`: threads of this process, and those of Dask, mpi4py or Parsl."""

import os
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures import Executor as AnyExecutor

from hopscope.errors import InternalError, UsageError
from hopscope.executors.batch import Batch, Done, Lost, Result, perform


class Futures:
    """An executor of the caller, who also shuts it down."""

    def __init__(self, pool: AnyExecutor, workers: int | None = None) -> None:
        """`workers` is the number of concurrent calls, if the pool does not state it."""
        self._pool = pool
        self.workers = workers or getattr(pool, "_max_workers", None) or os.cpu_count() or 1
        self._running: dict[Future[list[Done]], Batch] = {}

    def submit(self, batch: Batch) -> None:
        """As of any executor. Raises UsageError if the pool is shut down."""
        try:
            self._running[self._pool.submit(perform, batch)] = batch
        except RuntimeError as failure:
            raise UsageError(
                f"the executor takes no more work ({failure})",
                "what was finished is kept: begin again with a new executor",
            ) from failure

    def wait(self, seconds: float) -> list[tuple[Batch, Result]]:
        """As of any executor."""
        ended = wait(self._running, timeout=seconds, return_when=FIRST_COMPLETED).done
        return [(self._running.pop(future), _result(future)) for future in ended]

    def running(self) -> float:
        """As of any executor: unknown."""
        return 0.0

    def close(self) -> None:
        """As of any executor: batches that have not begun are cancelled."""
        for future in self._running:
            future.cancel()


class Threads(Futures):
    """Threads of this process: nothing is copied, and a crash or a limit of memory takes all of them."""

    def __init__(self, jobs: int) -> None:
        """With this many threads."""
        super().__init__(ThreadPoolExecutor(jobs, thread_name_prefix="simulation"), jobs)
        self._stopped = False
        self._parts: dict[int, float] = {}

    def submit(self, batch: Batch) -> None:
        """As of any executor."""
        self._running[self._pool.submit(perform, batch, self._tell)] = batch

    def running(self) -> float:
        """As of any executor."""
        return sum(
            self._parts.get(work.number, 0.0)
            for batch in list(self._running.values())
            for work in batch.works
        )

    def close(self) -> None:
        """As of any executor: a running run stops within moments."""
        self._stopped = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _tell(self, number: int, fraction: float) -> bool:
        self._parts[number] = fraction
        return not self._stopped


def _result(future: "Future[list[Done]]") -> Result:
    """The result of a future; a failure of the pool, not of the work, is the loss of a worker."""
    try:
        return future.result()
    except (UsageError, InternalError):
        raise
    except (Exception, CancelledError) as failure:
        return Lost(f"{type(failure).__name__}: {failure}".strip().rstrip(":"))
