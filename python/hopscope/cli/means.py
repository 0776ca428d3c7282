"""Where many runs are performed and kept: the options that verbs with many runs share."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from hopscope.cli.options import Duration, Filled, StoreOption, WholeNumber

if TYPE_CHECKING:
    from hopscope.experiments.elsewhere import Means

_OPTIONS = (
    click.option(
        "--store",
        cls=StoreOption,
        type=Filled(),
        metavar="DIR|URL",
        help="Keep every run there: a folder, s3://, gs:// or az://.",
    ),
    click.option(
        "--on",
        metavar="EXECUTOR",
        help="local (processes), threads, ray, or ray://HOST:PORT.  [default: local]",
    ),
    click.option("--jobs", type=WholeNumber(1), help="Runs at the same time.  [default: one a core]"),
    click.option(
        "--resume/--no-resume", default=True, show_default=True, help="Do not run again what the store has."
    ),
    click.option("--time-limit", type=Duration(), metavar="S", help="Seconds a run may take."),
    click.option(
        "--memory-limit", type=WholeNumber(64), metavar="MIB", help="Memory a worker may use, in MiB."
    ),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--store, --on, --jobs, --resume, --time-limit and --memory-limit, which arrive as one `Means`."""

    @wraps(command)
    def called(
        store: str | None,
        on: str | None,
        jobs: int | None,
        resume: bool,
        time_limit: float | None,
        memory_limit: int | None,
        **others: Any,
    ) -> Any:
        from hopscope.experiments.elsewhere import Means

        return command(means=Means(store, on, jobs, resume, time_limit, memory_limit), **others)

    for decorate in reversed(_OPTIONS):
        called = decorate(called)
    return called


def performing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same options for a verb whose runs are performed and kept by these means without its knowing."""

    @options
    @wraps(command)
    def called(means: "Means", **others: Any) -> Any:
        from hopscope.experiments.elsewhere import many_runs

        with many_runs(means):
            return command(**others)

    return called


def refuse(flag: str, *more: str) -> None:
    """Raise UsageError where one of these options, or one of the parameters `more`, stands beside `flag`.

    With it a command simulates nothing: they would be of no account.
    """
    from hopscope.errors import UsageError

    context = click.get_current_context()
    names = {each.name: "/".join((*each.opts, *each.secondary_opts)) for each in context.command.params}
    known = ("store", "on", "jobs", "resume", "time_limit", "memory_limit", *more)
    given = [name for name in known if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if given:
        raise UsageError(
            f"{names[given[0]]} is for runs, and {flag} simulates nothing", "leave one of them out"
        )


@contextmanager
def unfinished(folder: Path, means: "Means", what: Sequence[object]) -> "Iterator[Means]":
    """The means with a store beside the results where none was asked for: it goes when the results are whole.

    Its name is the same for the same command, so that the same command goes on with what another has left.
    """
    import hashlib
    import shutil
    from contextlib import suppress
    from dataclasses import replace

    if means.store is not None:
        yield means
        return
    digest = hashlib.sha256(repr(what).encode()).hexdigest()[:8]
    store = folder.with_name(f"{folder.name}.unfinished-{digest}")
    try:
        yield replace(means, store=store)
    except BaseException:
        # What cannot be looked at stays; the failure that ended the runs is what is told.
        with suppress(OSError):
            if not any((store / "runs").rglob("*.zip")):
                shutil.rmtree(store, ignore_errors=True)
                store.parent.rmdir()
        raise
    shutil.rmtree(store, ignore_errors=True)
