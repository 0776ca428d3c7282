"""Messages on stderr during work, and the output at its end."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

import click

from hopscope.cli.terminal import show
from hopscope.errors import Interrupted, UsageError
from hopscope.escaping import visible
from hopscope.progress import Progress

KEPT: ContextVar[Path | None] = ContextVar("kept", default=None)
"""The folder that the command has written, named if the results cannot be printed."""


def say(words: str, quiet: bool = False) -> None:
    """A line on stderr. A failing stderr does not stop the work."""
    if not quiet:
        with suppress(OSError):
            show(words, err=True)


def keep(save: Callable[[], Path], text: Callable[[], str]) -> Path:
    """Save the results and return the folder. If that fails, print them, so that not all is lost."""
    try:
        return save()
    except UsageError:
        with suppress(OSError):
            show(text())
        raise


def tell(folder: Path, text: str, pictures: Sequence[Callable[[], object]], quiet: bool) -> None:
    """Print what a command has found and kept in `folder`, draw the report beside it, and say where it is.

    If printing or drawing fails, the results remain: the folder is named before the failure is raised.
    """
    from hopscope.results import attached

    KEPT.set(folder)
    complaint = None
    try:
        try:
            show(text)
        finally:
            complaint = attached.drawn(*pictures)
    except KeyboardInterrupt as stopped:
        raise Interrupted(folder=folder) from stopped
    finally:
        where = f", report in {folder}/report.html" if pictures and complaint is None else ""
        say(f"\nwritten to {folder}{where}", quiet)
        if complaint is not None:
            say(f"warning: {complaint}")


class Planning:
    """Shows the phase of planning a network on a terminal, after one second."""

    _SECONDS_OF_SILENCE = 1.0

    def __init__(self) -> None:
        """Nothing has been shown yet."""
        self._begun: float | None = None
        self._told = ""

    def __call__(self, fraction: float, words: str) -> None:
        """Called about every 50 ms during the work, and with fraction 1 at its end."""
        if self._begun is None:
            self._begun = time.monotonic()
        if fraction >= 1.0:
            self._show("")
            self._begun = None
        elif time.monotonic() - self._begun > self._SECONDS_OF_SILENCE:
            self._show(f"{words} ...")

    def _show(self, line: str) -> None:
        context = click.get_current_context(silent=True)
        quiet = context is not None and context.params.get("quiet", False)
        if line == self._told or quiet or not sys.stderr.isatty():
            return
        self._told = line
        with suppress(OSError):
            sys.stderr.write(f"\r\x1b[2K{visible(line)}")
            sys.stderr.flush()


@contextmanager
def progress(task: str, quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on a terminal; elsewhere nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from hopscope.progress_bar import bar

    with bar(task) as shown:
        yield shown
