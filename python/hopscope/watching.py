"""Who is told while a scenario is read and its network planned, which takes long for large networks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

from hopscope.errors import UsageError

# Called with the fraction done (0..1) and a few words; returning False stops the work.
Progress: TypeAlias = Callable[[float, str], bool | None]

# What calls from Python take as `progress`: True has a bar drawn.
Watch: TypeAlias = Progress | Literal[True] | None


def callback(watch: Watch) -> Progress | None:
    """Who is told, where a bar has been made of True. Raises UsageError for what cannot be told anything."""
    if watch is not None and watch is not True and not callable(watch):
        raise UsageError(f"progress: {watch!r} is no function", "give a function, or True for a bar")
    return None if watch is True else watch


_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)


def set_watcher(progress: Progress) -> None:
    """Have `progress` told from now on: fraction 0 and what is being done, then fraction 1."""
    _watcher.set(progress)


@contextmanager
def watched() -> Iterator[Progress | None]:
    """Who is to be told of the work in this block, if anybody; told of its end, however it ends."""
    progress = _watcher.get()
    try:
        yield progress
    finally:
        if progress is not None:
            progress(1.0, "")
