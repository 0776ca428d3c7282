"""A worker process: performs batches that come over a socket, until the other end closes.

python -m hopscope.executors.worker LINE NOTE [MEMORY_LIMIT_MIB]

LINE and NOTE are the descriptors of the socket and of the file with its progress.
"""

import resource
import signal
import sys
import time
from multiprocessing.connection import Connection

from hopscope.errors import UsageError
from hopscope.executors.batch import Batch, perform
from hopscope.executors.whereabouts import Whereabouts

_SECONDS_BETWEEN_LOOKS = 0.1
_BYTES_A_MIB = 1 << 20


class _Teller:
    """Records the progress of a batch, and checks periodically whether the driver still waits for it."""

    def __init__(self, line: Connection, note: Whereabouts) -> None:
        self._line = line
        self._note = note
        self._at: int | None = None
        self._ended = -1
        self._looked = time.monotonic()

    def __call__(self, number: int, fraction: float) -> bool:
        self._ended += number != self._at
        self._at = number
        self._note.write(number, self._ended, fraction)
        now = time.monotonic()
        if now - self._looked < _SECONDS_BETWEEN_LOOKS:
            return True
        self._looked = now
        # Nothing is sent during a batch: readable data is the end of the connection.
        return not self._line.poll()


def main(arguments: list[str]) -> None:
    """Work until the driver closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line, note = Connection(int(arguments[0])), Whereabouts(int(arguments[1]))
    for limit in arguments[2:]:
        most = int(limit) * _BYTES_A_MIB
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    while True:
        try:
            batch = line.recv()
        except (EOFError, OSError):
            return
        assert isinstance(batch, Batch)
        try:
            answer: tuple[str, object] = ("done", perform(batch, _Teller(line, note)))
        except UsageError as failure:
            answer = ("refused", failure)
        try:
            line.send(answer)
        except OSError:
            return


if __name__ == "__main__":
    main(sys.argv[1:])
