"""Runs the program once for each of its file operations: that operation fails, or the process ends there.

A process of its own, in which nothing has been simulated, so that it can be forked: it reads cases as lines
of JSON on stdin and answers each with a line. The operations are those that Python makes on what lies in the
case's folder; what the engine writes is met by a limit on the size of files.
"""

import builtins
import errno
import io
import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

# What writing, reading and removing come down to. Descriptors are known by the path that was opened.
OPERATIONS = ("open", "mkdir", "rename", "replace", "unlink", "rmdir", "fsync", "listdir", "scandir")
FAILURES = {"no space": errno.ENOSPC, "no right": errno.EACCES, "interrupted call": errno.EINTR}
KILLED, CTRL_C = "killed", "Ctrl-C"


class Fault:
    """Counts the operations on a folder; that of this number goes wrong, and with `on` all from there on.

    With a limit, no file grows beyond that many bytes from this operation on.
    """

    def __init__(self, case: dict[str, Any]) -> None:
        self.folder, self.number, self.kind = case["folder"], case["number"], case["kind"]
        self.on, self.limit = case["on"], case["limit"]
        self.count = 0
        self.names: list[str] = []
        self.descriptors: set[int] = set()
        # Files are brought to the disk many at a time.
        self.counting = threading.Lock()

    def install(self) -> None:
        for name in OPERATIONS:
            setattr(os, name, self.wrapped(name, getattr(os, name)))
        os.remove = os.unlink
        close = os.close
        os.close = lambda descriptor: (self.descriptors.discard(descriptor), close(descriptor))[1]
        io.open = builtins.open = self.wrapped("open file", io.open)

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            ours = self.is_ours(given, named)
            if ours:
                self.meet(name, given)
            result = function(*given, **named)
            if ours and name == "open":
                self.descriptors.add(result)
            return result

        return call

    def is_ours(self, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
        first = given[0] if given else None
        if isinstance(first, int):
            return first in self.descriptors
        # With a folder's descriptor, as shutil.rmtree calls it.
        if named.get("dir_fd") in self.descriptors:
            return True
        if not isinstance(first, str | os.PathLike):
            return False
        return os.path.join(self.folder, os.fspath(first)).startswith(self.folder + os.sep)

    def meet(self, name: str, given: tuple[Any, ...]) -> None:
        with self.counting:
            self.count += 1
            count = self.count
            self.names.append(f"{name} {given[0]}")
        if count != self.number and not (self.on and count > self.number > 0):
            return
        if self.limit is not None:
            limit_files(self.limit, self.kind)
        elif self.kind == KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.kind == CTRL_C:
            signal.raise_signal(signal.SIGINT)
        else:
            number = FAILURES[self.kind]
            raise OSError(
                number, os.strerror(number), given[0] if isinstance(given[0], str | os.PathLike) else None
            )


def limit_files(limit: int, kind: str) -> None:
    """A write beyond the limit fails, or ends the process as the signal does by default."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL if kind == KILLED else signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


def child(case: dict[str, Any], output: int) -> None:
    """One run of the program. Does not return."""
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(case["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    fault = Fault(case)
    fault.install()
    code = 99
    try:
        program.main(case["words"])
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    finally:
        sys.stdout.flush()
        if case["number"] == 0:
            os.write(1, f"\noperations: {json.dumps(fault.names)}".encode())
        os._exit(code)


def serve() -> None:
    """A fork for each case; the answer is its exit code, or the signal that ended it as a negative number."""
    for line in sys.stdin:
        case = json.loads(line)
        read, write = os.pipe()
        number = os.fork()
        if number == 0:
            child(case, write)
        os.close(write)
        with os.fdopen(read, encoding="utf-8") as output:
            told = output.read()
        _, status = os.waitpid(number, 0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status), "told": told}), flush=True)


if __name__ == "__main__":
    # What a fork would else import again each time.
    import altair  # noqa: F401
    import polars  # noqa: F401

    from hopscope.cli import program, run, sweep  # noqa: F401
    from hopscope.results import folder as results_folder  # noqa: F401

    serve()
