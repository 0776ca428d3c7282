"""Ray: batches as tasks of a cluster, or of a Ray on this machine that starts and ends with the command."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.executors.batch import Batch, Lost, Result, perform
from hopscope.extras import extra

ADDRESS_VARIABLE = "RAY_ADDRESS"
_SECONDS_TO_PROBE = 60.0
_SECONDS_TO_KNOCK = 10.0
_TRIES_OF_A_CLUSTER = 3


class OnRay:
    """Tasks of one CPU each. A lost worker or node loses its tasks, which are returned as lost."""

    def __init__(self, address: str | None, jobs: int | None, memory_limit_mib: int | None = None) -> None:
        """Connect to the cluster at this address; without one, start Ray here with this many workers.

        Raises UsageError if Ray is not installed, the cluster cannot be reached, or its nodes have different
        versions of hopscope.
        """
        self._ray = _ray()
        with _sigterm_kept():
            self._connect(address, jobs)
        try:
            nodes = [
                node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
            ]
            self._check(nodes)
        except BaseException:
            self._ray.shutdown()
            raise
        cpus = int(sum(node["Resources"]["CPU"] for node in nodes))
        self.workers = min(cpus, jobs) if jobs else cpus
        memory = {} if memory_limit_mib is None else {"memory": memory_limit_mib << 20}
        # Lost batches are restarted here, in smaller parts: Ray does not know which run caused the loss.
        self._task = self._ray.remote(num_cpus=1, max_retries=0, **memory)(perform_of_ray)
        self._parcels: dict[str, Any] = {}
        self._running: dict[Any, Batch] = {}

    def submit(self, batch: Batch) -> None:
        """As of any executor. A parcel travels to each node once."""
        if batch.parcel not in self._parcels:
            self._parcels[batch.parcel] = self._ray.put(batch.parcel)
        words = Batch(None, batch.works, batch.store, batch.time_limit_s)
        self._running[self._task.remote(self._parcels[batch.parcel], words)] = batch

    def wait(self, seconds: float) -> list[tuple[Batch, Result]]:
        """As of any executor."""
        if not self._running:
            return []
        ended, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        return [(self._running.pop(reference), self._result(reference)) for reference in ended]

    def running(self) -> float:
        """As of any executor: Ray does not report it."""
        return 0.0

    def close(self) -> None:
        """As of any executor. A Ray that was started here ends; a cluster ends the tasks that it still has.

        They are not cancelled: Ray 2.60 aborts the driver if a task ends while it is being cancelled.
        """
        self._running = {}
        self._ray.shutdown()

    def _connect(self, address: str | None, jobs: int | None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        try:
            if address is None:
                cpus = jobs or os.cpu_count() or 1
                self._ray.init(address="local", num_cpus=cpus, include_dashboard=False, **quiet)
            else:
                _knock(address)
                self._enter(address, quiet)
        except Exception as failure:
            where = (
                "Ray cannot be started here" if address is None else f"no Ray cluster answers at `{address}`"
            )
            raise UsageError(
                f"{where} ({_reason(failure)})",
                "does `ray status` show it? It may ask for a token: RAY_AUTH_MODE, RAY_AUTH_TOKEN",
            ) from failure

    def _enter(self, address: str, quiet: dict[str, Any]) -> None:
        """Connect to a cluster. Its client port opens before the head can start what serves a client.

        A head that is still starting, or busy, aborts the connection after half a minute; it is asked again.
        """
        for left in reversed(range(_TRIES_OF_A_CLUSTER)):
            try:
                self._ray.init(address=address, **quiet)
                return
            except ConnectionAbortedError:
                self._ray.shutdown()
                if left == 0:
                    raise

    def _check(self, nodes: list[dict[str, Any]]) -> None:
        """Ask every node which hopscope it has."""
        with extra("ray"):
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        probe = self._ray.remote(num_cpus=0, max_retries=3)(version_of_ray)
        asked = {
            probe.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ).remote(): node["NodeManagerAddress"]
            for node in nodes
        }
        found: dict[str, str] = {}
        for reference, name in asked.items():
            try:
                found[name] = self._ray.get(reference, timeout=_SECONDS_TO_PROBE)
            except Exception as failure:
                found[name] = f"no hopscope that answers ({_first_line(failure)})"
        other = {name: version for name, version in found.items() if version != _core.version()}
        if other:
            listed = ", ".join(f"{name} has {version}" for name, version in sorted(other.items()))
            raise UsageError(
                f"the nodes differ: here is hopscope {_core.version()}, but {listed}",
                "install the same version of hopscope on every node",
            )

    def _result(self, reference: Any) -> Result:
        with extra("ray"):
            from ray import exceptions

        try:
            return self._ray.get(reference)
        except exceptions.RayTaskError as failure:
            if isinstance(failure.cause, UsageError):
                raise failure.cause from None
            return Lost(_first_line(failure.cause))
        except exceptions.RayError as failure:
            return Lost(f"{type(failure).__name__}: {_first_line(failure)}")


@contextmanager
def _sigterm_kept() -> Iterator[None]:
    """Keep the SIGTERM handler, which Ray replaces: a driver would then end without its final message."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def perform_of_ray(parcel: str, words: Batch) -> Any:
    """A batch on a worker of Ray, which has fetched its parcel."""
    return perform(Batch(parcel, words.works, words.store, words.time_limit_s))


def version_of_ray() -> str:
    """The version of hopscope on a node."""
    return _core.version()


def _knock(address: str) -> None:
    """Check at once whether the port is open: Ray itself tries for minutes. Raises OSError."""
    host, colon, port = address.rpartition("//")[2].rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), _SECONDS_TO_KNOCK).close()


def _ray() -> Any:
    with extra("ray"):
        import ray
    return ray


def _reason(failure: Exception) -> str:
    """The reason of a failed connection: an aborted one ends with the cluster's own message."""
    if isinstance(failure, ConnectionAbortedError):
        return str(failure).strip().rpartition("\n")[2].rstrip(".") or "connection aborted"
    return _first_line(failure)


def _first_line(failure: BaseException | None) -> str:
    return str(failure).strip().partition("\n")[0].rstrip(".") or type(failure).__name__
