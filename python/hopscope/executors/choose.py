"""The executor that --on names."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor as AnyExecutor
from contextlib import contextmanager

from hopscope.errors import UsageError
from hopscope.executors.executor import Executor
from hopscope.executors.futures import Futures, Threads
from hopscope.executors.on_ray import ADDRESS_VARIABLE, OnRay
from hopscope.executors.processes import Processes

LOCAL = "local"
THREADS = "threads"
RAY = "ray"
CLUSTER = "ray://"


@contextmanager
def executor(
    on: "str | AnyExecutor | None" = None, jobs: int | None = None, memory_limit_mib: int | None = None
) -> Iterator[Executor]:
    """The executor of this name, which ends with the block. Raises UsageError for an unknown name."""
    chosen = _chosen(on, jobs, memory_limit_mib)
    try:
        yield chosen
    finally:
        chosen.close()


def _chosen(on: "str | AnyExecutor | None", jobs: int | None, memory_limit_mib: int | None) -> Executor:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if on is None or on == LOCAL:
        return Processes(jobs or cores, memory_limit_mib)
    if memory_limit_mib is not None and not (isinstance(on, str) and on.startswith(RAY)):
        raise UsageError("a limit of memory needs processes", "give --on local, or leave --memory-limit out")
    if not isinstance(on, str):
        return Futures(on, jobs)
    if on == THREADS:
        return Threads(jobs or cores)
    if on == RAY:
        return OnRay(os.environ.get(ADDRESS_VARIABLE) or None, jobs, memory_limit_mib)
    if on.startswith(CLUSTER):
        return OnRay(on, jobs, memory_limit_mib)
    raise UsageError(f"there is no executor `{on}`", "give local, threads, ray or ray://HOST:PORT")
