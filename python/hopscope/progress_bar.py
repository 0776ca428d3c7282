"""A progress bar on a terminal or in a notebook."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from hopscope.escaping import visible
from hopscope.progress import Progress

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def bar(task: str) -> Iterator[Progress]:
    """A bar with elapsed and remaining time while the block lasts; on stderr, if that is a terminal."""
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
        shown = bars.add_task(visible(task), total=1.0, words="")
        yield lambda fraction, words: bars.update(shown, completed=fraction, words=words)


def with_bar(call: Callable[P, R]) -> Callable[P, R]:
    """Let `progress=True` of a public call be a bar for as long as it lasts."""

    @wraps(call)
    def shown(*args: P.args, **named: P.kwargs) -> R:
        if named.get("progress") is not True:
            return call(*args, **named)
        with bar(call.__name__) as progress:
            named["progress"] = progress
            return call(*args, **named)

    return shown
