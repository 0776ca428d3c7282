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
    from hopscope.experiments.execution import Execution

_OPTIONS = (
    click.option(
        "--store",
        cls=StoreOption,
        type=Filled(),
        metavar="DIR|URL",
        help="Keep every run in this store: a folder, s3://, gs:// or az://.",
    ),
    click.option(
        "--on",
        metavar="EXECUTOR",
        help="What performs the runs: local (processes), threads, ray, or ray://HOST:PORT.  [default: local]",
    ),
    click.option(
        "--jobs", type=WholeNumber(1), help="Number of runs at the same time.  [default: one per core]"
    ),
    click.option(
        "--resume/--no-resume",
        default=True,
        show_default=True,
        help="Take runs that the store has from there.",
    ),
    click.option("--time-limit", type=Duration(), metavar="S", help="Longest time of a run, in seconds."),
    click.option(
        "--memory-limit", type=WholeNumber(64), metavar="MIB", help="Largest memory of a worker, in MiB."
    ),
)


def execution_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--store, --on, --jobs, --resume, --time-limit and --memory-limit, which arrive as one `Execution`."""

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
        from hopscope.experiments.execution import Execution

        return command(execution=Execution(store, on, jobs, resume, time_limit, memory_limit), **others)

    for decorate in reversed(_OPTIONS):
        called = decorate(called)
    return called


def performing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same options for a verb that leaves performing and keeping runs to others."""

    @execution_options
    @wraps(command)
    def called(execution: "Execution", **others: Any) -> Any:
        from hopscope.experiments.execution import many_runs

        with many_runs(execution):
            return command(**others)

    return called


def refuse(flag: str, *more: str) -> None:
    """Raise UsageError if one of these options, or of the parameters `more`, is given beside `flag`.

    With it a command simulates nothing, and they would have no effect.
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
def unfinished(folder: Path, execution: "Execution", what: Sequence[object]) -> "Iterator[Execution]":
    """The execution, with a temporary store beside the results if none was given.

    Its name is the same for the same command, so that a repeated command continues what another has left.
    """
    import hashlib
    import shutil
    from contextlib import suppress
    from dataclasses import replace

    if execution.store is not None:
        yield execution
        return
    digest = hashlib.sha256(repr(what).encode()).hexdigest()[:8]
    store = folder.with_name(f"{folder.name}.unfinished-{digest}")
    try:
        yield replace(execution, store=store)
    except BaseException:
        # What cannot be read stays; the failure that ended the runs is reported.
        with suppress(OSError):
            if not any((store / "runs").rglob("*.zip")):
                shutil.rmtree(store, ignore_errors=True)
                store.parent.rmdir()
        raise
    shutil.rmtree(store, ignore_errors=True)
