"""The command line: one file per verb. Data goes to stdout, messages to stderr."""

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from hopscope.cli.entry import program as program

__all__ = ["main", "program"]


def main() -> NoReturn:
    """The entry point of the `hopscope` command. SIGTERM and SIGHUP clean up as Ctrl-C does.

    Signal handlers are set before other imports, which take a considerable part of a second.
    """
    import signal

    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup has a run go on
        signal.signal(signal.SIGHUP, _terminate)
    try:
        from hopscope.cli.entry import program
    except KeyboardInterrupt:
        import sys

        sys.stderr.write("interrupted: no result was written\n")
        sys.exit(130)
    program.main()


def _terminate(_signal: int, _frame: Any) -> NoReturn:
    raise KeyboardInterrupt


def __getattr__(name: str) -> Any:
    """`program`, which is imported when the name is needed: it brings all of click with it."""
    if name == "program":
        from hopscope.cli.entry import program

        return program
    raise AttributeError(f"module 'hopscope.cli' has no attribute {name!r}")
