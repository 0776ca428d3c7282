"""What is said on stderr while work goes on, and what is printed at its end."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from hopscope.cli.terminal import show
from hopscope.engine import Progress
from hopscope.errors import Interrupted, UsageError
from hopscope.visible import visible


def say(words: str, quiet: bool = False) -> None:
    """A line of talk. A stderr that takes nothing more stops no work."""
    if not quiet:
        with suppress(OSError):
            show(words, err=True)


def keep(save: Callable[[], Path], text: Callable[[], str]) -> Path:
    """Save what was computed; gives the folder. Where that fails, print it: not all of it is lost."""
    try:
        return save()
    except UsageError:
        show(text())
        raise


def tell(folder: Path, text: str, pictures: Sequence[Callable[[], object]], quiet: bool) -> None:
    """Print what a command has found and kept in `folder`, draw the report beside it, and say where it is.

    What cannot be printed or drawn takes nothing with it: the folder is named before any failure goes on
    upwards.
    """
    from hopscope.results import attached

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


@contextmanager
def progress(task: str, quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on a terminal; elsewhere nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        # Names are no markup.
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[words]}", style="dim", markup=False),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(visible(task), total=1.0, words="")
        yield lambda fraction, words: bars.update(bar, completed=fraction, words=words)
