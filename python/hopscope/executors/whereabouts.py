"""The progress of a worker in its batch, in a shared file: no message is needed for it."""

import mmap
import struct

# The number of the current run, the number of runs that ended before it, and the fraction of it that is done.
_LAYOUT = struct.Struct("=qqd")
_NOWHERE = -1


class Whereabouts:
    """What a worker writes at the start of each run and while it lasts, and its driver reads at any time.

    It stays when the worker is killed, and then names the run that was the reason.
    """

    SIZE = _LAYOUT.size

    def __init__(self, descriptor: int) -> None:
        """Share the first `SIZE` bytes of an open file, which may be closed afterwards."""
        self._shared = mmap.mmap(descriptor, self.SIZE)

    def clear(self) -> None:
        """Nothing is under way."""
        self.write(_NOWHERE, 0, 0.0)

    def write(self, number: int, ended: int, fraction: float) -> None:
        """The run of this number is under way."""
        _LAYOUT.pack_into(self._shared, 0, number, ended, fraction)

    def read(self) -> tuple[int | None, float]:
        """The number of the current run, if any, and the number of runs done, with fractions."""
        number, ended, fraction = _LAYOUT.unpack_from(self._shared)
        return None if number == _NOWHERE else number, ended + fraction

    def close(self) -> None:
        """Share it no longer."""
        self._shared.close()
