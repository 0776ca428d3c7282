"""The program: its verbs, and the handling of all failures.

Exit codes: 0 done; 1 done, but a check failed (a deadlock, a miss); 2 bad use or a bad scenario; 3 our fault,
with the command that replays it; 130 interrupted.
"""

import errno
import io
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import IO, Any, NoReturn

import click

from hopscope.cli.talk import KEPT, Planning
from hopscope.cli.terminal import show, wants_colour
from hopscope.errors import Interrupted, RunsFailedError, UsageError
from hopscope.progress import set_watcher

BAD_USE = 2
OUR_FAULT = 3
INTERRUPTED = 130
READER_GONE = 141

_VERBS = (
    *("run", "sweep", "explain", "trace", "scenarios", "show", "init", "topology", "capacity", "advise"),
    *(
        "import",
        "check",
        "diagnose",
        "routes",
        "schema",
        "study",
        "view",
        "pup",
        "compare",
        "experiment",
        "store",
        "storm",
        "completion",
        "new-model",
    ),
)

# Verbs that write a folder of results.
_WITH_FOLDER = {"run", "sweep", "study"}

# Files of verbs whose names are not valid in Python.
_FILES = {"import": "importing", "new-model": "new_model"}


class Program(click.Group):
    """The group of verbs; a verb's file is imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order in which a beginner needs them."""
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of this name."""
        if cmd_name not in _VERBS:
            return None
        return import_module(f"hopscope.cli.{_FILES.get(cmd_name, cmd_name)}").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb at the beginning of a command line; an unknown one is refused with the closest name."""
        if args and args[0] not in _VERBS and not args[0].startswith("-"):
            near = get_close_matches(args[0].lower(), _VERBS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"No such command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the command line, --help included."""
        with _reader_gone():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        set_watcher(Planning())
        with _reader_gone():
            return super().invoke(ctx)

    def main(  # type: ignore[override]  # it never returns, in whatever mode
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command line and leave with its exit code; no failure leaves as a traceback."""
        words = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        KEPT.set(None)
        try:
            _open_stderr()
            _check_words(words)
            _working_folder()
            with _stdout():
                code = super().main(args=words, prog_name=prog_name or "hopscope", **extra)
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as failure:
            code = _code_of(failure, words)
        sys.exit(code if isinstance(code, int) else 0)


class _ReaderGoneError(Exception):
    """The reader of the output has closed it, as `head` does. Click would exit with another code."""


@contextmanager
def _reader_gone() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as gone:
        raise _ReaderGoneError from gone


def _check_words(words: Sequence[str]) -> None:
    """Refuse arguments that are not UTF-8, which the engine needs for paths and values."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(word).decode("utf-8", "backslashreplace")
            raise UsageError(
                f"the argument `{shown}` is no text in UTF-8", "rename the file, or type the value again"
            ) from None


def _working_folder() -> None:
    """Refuse to start in a deleted folder: relative paths would have no meaning there."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the working folder no longer exists", "change to a folder that exists") from None


def _open_stderr() -> None:
    """Replace a closed stderr by one that discards everything."""
    if sys.stderr is None:
        sys.stderr = _nowhere()


def _nowhere() -> IO[str]:
    """A stream that discards everything, at the lowest free descriptor, so that no file gets it."""
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


@contextmanager
def _stdout() -> Iterator[None]:
    """Replace a closed stdout while the block lasts; printing there is an error at the end."""
    if sys.stdout is not None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A character that the terminal's encoding lacks must not prevent printing.
            sys.stdout.reconfigure(errors="replace")
        yield
        return
    sys.stdout = _nowhere()
    yield
    raise OSError(errno.EBADF, "it is closed")


def _show_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from hopscope import _core

        show(f"hopscope {_core.version()}")
        ctx.exit(0)


@click.command(
    cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Print the version.",
)
@click.pass_context
def program(ctx: click.Context) -> None:
    """Simulate a packet network and name the resource that limits it.

    Start with your fabric's file, `hopscope explain FABRIC.ibnetdiscover`, or with a ready
    scenario: `hopscope scenarios`, then `hopscope run NAME`.
    """
    ctx.color = wants_colour()


def _code_of(failure: BaseException, words: Sequence[str]) -> int:
    """Say on stderr what went wrong and how to correct it; returns the exit code."""
    if isinstance(failure, click.ClickException):
        _tell(_refusal(failure))
        return failure.exit_code
    if isinstance(failure, KeyboardInterrupt | click.Abort):
        # Click turns an interrupt into its own Abort, and keeps it as the cause.
        stopped = failure.__cause__ if isinstance(failure, click.Abort) else failure
        _tell(f"interrupted: {_left_by(stopped, words)}")
        return INTERRUPTED
    if isinstance(failure, _ReaderGoneError | BrokenPipeError):
        _print_no_more(sys.stdout)
        return READER_GONE
    if isinstance(failure, OSError) and failure.filename is None and failure.filename2 is None:
        # Failures of files have their own messages: this is stdout.
        _print_no_more(sys.stdout)
        kept = KEPT.get()
        hint = "" if kept is None else f"\nhint: the results are kept in {kept}"
        _tell(f"error: cannot print ({failure.strerror}){hint}")
        return BAD_USE
    if isinstance(failure, RunsFailedError):
        return _runs_failed(failure)
    if isinstance(failure, UsageError) or _is_scenario_error(failure):
        _tell(f"error: {failure}" if isinstance(failure, UsageError) else str(failure).rstrip())
        return BAD_USE
    _own_up(failure, words)
    return OUR_FAULT


def _refusal(failure: click.ClickException) -> str:
    """What click refuses, in the form of all other errors; a group without a verb shows its help."""
    if isinstance(failure, click.exceptions.NoArgsIsHelpError):
        return failure.format_message()
    what = failure.format_message().rstrip(".")
    context = failure.ctx if isinstance(failure, click.UsageError) else None
    command = "hopscope" if context is None else context.command_path
    return f"error: {what[:1].lower()}{what[1:]}\nhint: `{command} --help` lists the options and arguments"


def _runs_failed(failure: RunsFailedError) -> int:
    """Say which of many runs failed, and where the others are."""
    from hopscope.cli import failures

    failures.tell(failure.failures)
    if failure.where is not None:
        _tell(f"all other runs are kept in {failure.where}")
    return failures.exit_code(failure.failures)


def _left_by(stopped: BaseException | None, words: Sequence[str]) -> str:
    """What an interrupted command has left, in words."""
    if isinstance(stopped, Interrupted) and stopped.left is not None:
        return stopped.left
    if isinstance(stopped, Interrupted) and stopped.folder is not None:
        return f"partial results are in {stopped.folder}"
    return "no run folder was written" if words and words[0] in _WITH_FOLDER else "no result was written"


def _tell(text: str) -> None:
    """Say on stderr why the command ends. A failing stderr does not change the exit code."""
    try:
        show(text, err=True)
    except OSError:
        _print_no_more(sys.stderr)


def _print_no_more(stream: IO[str]) -> None:
    """Discard what a stream still holds, which would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _is_scenario_error(failure: BaseException) -> bool:
    """Whether the engine refused the scenario; False if the engine was not loaded."""
    native = sys.modules.get("hopscope._core")
    return native is not None and isinstance(failure, native.ScenarioError)


def _own_up(failure: BaseException, words: Sequence[str]) -> None:
    """Report a bug: what failed, where, and the command that repeats it."""
    place = failure.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = (
        "" if place is None else f" ({os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno})"
    )
    _tell(
        f"internal error: {type(failure).__name__}: {failure}{where}\n"
        f"This is a bug in hopscope. This command reproduces it:\n  {shlex.join(['hopscope', *words])}"
    )
