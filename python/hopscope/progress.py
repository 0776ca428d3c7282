"""Progress while a scenario is read and its network planned, which takes long for large networks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

from hopscope.errors import UsageError

# Called with the fraction done (0..1) and a few words; returning False stops the work.
Progress: TypeAlias = Callable[[float, str], bool | None]

# The argument `progress` of calls from Python: True draws a bar.
Watch: TypeAlias = Progress | Literal[True] | None


def callback(watch: Watch) -> Progress | None:
    """The progress callback, with True replaced by a bar. Raises UsageError for anything else."""
    if watch is not None and watch is not True and not callable(watch):
        raise UsageError(f"progress: {watch!r} is no function", "give a function, or True for a bar")
    return None if watch is True else watch


_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)


def set_watcher(progress: Progress) -> None:
    """Call `progress` from now on: with fraction 0 and the current work, then with fraction 1."""
    _watcher.set(progress)


@contextmanager
def watched() -> Iterator[Progress | None]:
    """The progress callback of the work in this block, if any; it is always called at the end."""
    progress = _watcher.get()
    try:
        yield progress
    finally:
        if progress is not None:
            progress(1.0, "")
