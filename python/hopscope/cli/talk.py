"""What is said on stderr while work goes on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from hopscope.engine import Progress


def say(words: str, quiet: bool = False) -> None:
    """A line of talk."""
    if not quiet:
        click.echo(words, err=True)


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
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
        TextColumn("[dim]{task.fields[words]}"),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(task, total=1.0, words="")
        yield lambda fraction, words: bars.update(bar, completed=fraction, words=words)
