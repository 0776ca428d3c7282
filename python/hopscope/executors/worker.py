"""A worker process: performs batches that come over a socket, until the other end closes.

python -m hopscope.executors.worker DESCRIPTOR [MEMORY_LIMIT_MIB]
"""

import resource
import signal
import sys
import time
from multiprocessing.connection import Connection

from hopscope.errors import UsageError
from hopscope.executors.batch import Batch, perform

_SECONDS_BETWEEN_WORDS = 0.1
_BYTES_A_MIB = 1 << 20


class _Teller:
    """Says where a batch is: at the start of every run, and then not too often."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._at: int | None = None
        self._begun = 0
        self._told = 0.0

    def __call__(self, number: int, fraction: float) -> bool:
        is_new = number != self._at
        now = time.monotonic()
        if is_new or now - self._told > _SECONDS_BETWEEN_WORDS:
            self._begun += is_new
            self._at, self._told = number, now
            try:
                self._line.send(("at", number, fraction, self._begun - 1))
            except OSError:
                return False
        return True


def main(arguments: list[str]) -> None:
    """Work until nobody asks for more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = Connection(int(arguments[0]))
    for limit in arguments[1:]:
        most = int(limit) * _BYTES_A_MIB
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    while True:
        try:
            batch = line.recv()
        except (EOFError, OSError):
            return
        assert isinstance(batch, Batch)
        try:
            answer = ("done", perform(batch, _Teller(line)))
        except UsageError as failure:
            answer = ("refused", failure)
        try:
            line.send(answer)
        except OSError:
            return


if __name__ == "__main__":
    main(sys.argv[1:])
