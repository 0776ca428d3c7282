"""Folders and files that appear whole or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hopscope.errors import UsageError

ROOM_TO_START_WITH = 1 << 20  # bytes that must fit on the disk before a simulation is begun


class FolderTakenError(UsageError):
    """The folder to write exists already and holds something."""

    def __init__(self, target: Path) -> None:
        """Name the folder and the way out."""
        super().__init__(
            f"`{target}` exists already and is not empty",
            "hopscope never overwrites results: choose another --out or remove it",
        )


def check(target: Path) -> None:
    """Find out before a long simulation whether the folder `target` can be written.

    Raises FolderTakenError, or UsageError where the place cannot be written or the disk is full.
    """
    _check_free(target)
    _probe(target, "--out")


def check_file(target: Path, option: str) -> None:
    """Find out before a long simulation whether the file `target`, named by `option`, can be written.

    Raises UsageError where it is there already, the place cannot be written or the disk is full.
    """
    if target.exists() or target.is_symlink():
        raise UsageError(
            f"`{target}` exists already",
            f"hopscope never overwrites results: choose another {option} or remove it",
        )
    _probe(target, option)


def check_apart(folder: Path, file: Path, option: str) -> None:
    """Raise UsageError where `file`, named by `option`, would take the place of `folder` or stand in it."""
    if folder.absolute() in (file.absolute(), *file.absolute().parents):
        raise UsageError(
            f"`{file}` would collide with the results in `{folder}`",
            f"choose another place for {option}, outside that folder",
        )


def _probe(target: Path, option: str) -> None:
    probe = _nearest_folder(target) / f".hopscope-probe-{secrets.token_hex(6)}"
    try:
        with open(probe, "wb") as file:
            file.write(bytes(ROOM_TO_START_WITH))
            file.flush()
            os.fsync(file.fileno())
    except OSError as failure:
        raise _unwritable(target, failure, option) from failure
    finally:
        _forget(probe.unlink)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Give a temporary folder beside `target` to write into, which becomes `target` when the block ends well.

    Everything reaches the disk before the folder gets its name. On any failure or interrupt nothing is left
    behind. Raises FolderTakenError, or UsageError where the writing fails.
    """
    _check_free(target)
    made = _make_parents(target.parent)
    partial = target.parent / f".{target.name}.partial-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        partial.mkdir()
        yield partial
        _sync_tree(partial)
        _rename(partial, target)
    except BaseException as failure:
        shutil.rmtree(partial, ignore_errors=True)
        _forget(*(folder.rmdir for folder in made))
        if isinstance(failure, OSError):
            raise _unwritable(target, failure) from failure
        raise


@contextmanager
def new_file(target: Path, option: str = "--out") -> Iterator[Path]:
    """Give a temporary path beside `target` to write to, which becomes `target` when the block ends well.

    An older file is replaced. On any failure or interrupt nothing is left behind. Raises UsageError where the
    writing fails; `option` is the one that named the file.
    """
    partial = target.with_name(f".{target.name}.partial-{os.getpid()}-{secrets.token_hex(4)}")
    made = _make_parents(target.parent)
    try:
        yield partial
        _sync(partial)
        os.replace(partial, target)
    except BaseException as failure:
        _forget(partial.unlink, *(folder.rmdir for folder in made))
        if isinstance(failure, OSError):
            raise _unwritable(target, failure, option) from failure
        raise


def write_file(target: Path, text: str, option: str = "--out") -> None:
    """Write a file in one step, replacing an older one; `option` is what named it.

    Raises UsageError where the writing fails.
    """
    with new_file(target, option) as partial:
        partial.write_text(text, encoding="utf-8")


def free_name(wanted: Path) -> Path:
    """`wanted`, or the first of wanted-2, wanted-3, ... that does not exist."""
    candidate, number = wanted, 1
    while candidate.exists():
        number += 1
        candidate = wanted.with_name(f"{wanted.name}-{number}")
    return candidate


def _check_free(target: Path) -> None:
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() or target.is_symlink():
        raise FolderTakenError(target)


def _nearest_folder(target: Path) -> Path:
    """The closest folder above `target` that exists."""
    folder = target.absolute().parent
    while not folder.exists():
        folder = folder.parent
    return folder


def _make_parents(folder: Path) -> list[Path]:
    """Make the missing folders above the target; gives those made, the deepest first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    try:
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
    except OSError as failure:
        raise _unwritable(missing[0], failure) from failure
    return missing


def _forget(*removals: Callable[[], None]) -> None:
    """Remove what was made, as far as it is there and empty; the failure that led here is what matters."""
    for remove in removals:
        with suppress(OSError):
            remove()


def _sync_tree(folder: Path) -> None:
    """Bring every file and folder below `folder` to the disk."""
    for base, _, names in os.walk(folder):
        for path in [*(os.path.join(base, name) for name in names), base]:
            _sync(path)


def _sync(path: str | Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename(partial: Path, target: Path) -> None:
    try:
        os.rename(partial, target)  # replaces an empty folder, refuses a full one
    except OSError as failure:
        if failure.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise FolderTakenError(target) from failure
        raise
    _sync(target.parent)


def _unwritable(target: Path, failure: OSError, option: str = "--out") -> UsageError:
    reason = failure.strerror or str(failure)
    if failure.errno in (errno.ENOSPC, errno.EDQUOT):
        return UsageError(
            f"no space left on the disk to write `{target}` ({reason})",
            f"free some space or choose another {option}",
        )
    return UsageError(
        f"cannot write `{target}` ({reason})", f"choose a folder that you may write with {option}"
    )
