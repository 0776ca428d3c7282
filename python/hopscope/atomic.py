"""Folders and files that appear completely or not at all.

What is being written has a hidden name until it is complete. A killed process leaves that behind: it is not
read as a result, and the next process that writes beside it removes it.
"""

import errno
import fcntl
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from hopscope.errors import UsageError

_SYNCS_AT_ONCE = 16  # files that are brought to the disk at the same time

ROOM_TO_START_WITH = 1 << 20  # bytes that must fit on the disk before a simulation is begun
PARTIAL = ".hopscope-partial-"  # how the name of everything begins that is not whole yet
# A folder is locked while it is written, but not at the instant of its creation; files are not locked.
_AGE_OF_A_FOLDER_LEFT_S = 60.0
_AGE_OF_A_FILE_LEFT_S = 86_400.0


class FolderTakenError(UsageError):
    """The folder to write exists already and is not empty, or is not a folder."""

    def __init__(self, target: Path, option: str | None = None) -> None:
        """Name the folder and a remedy; `option` is the argument or option that named the folder."""
        what = "not empty" if os.path.isdir(target) else "no folder"
        super().__init__(f"`{target}` exists already and is {what}", _way_out(target, option or "folder"))


def _way_out(target: Path, option: str) -> str:
    """The remedy if something has the name of an output: a device is not to be removed."""
    remove = " or remove it" if os.path.isdir(target) or os.path.isfile(target) else ""
    return f"hopscope never overwrites results: choose another {option}{remove}"


def check(target: Path, option: str | None = None) -> None:
    """Check before a long simulation whether the folder `target` can be written.

    `option` is the argument, or the option of a command, that named it, for hints. Raises FolderTakenError,
    or UsageError if the place cannot be written or the disk is full.
    """
    _check_free(target, option)
    _probe(target, option)


def check_file(target: Path, option: str | None = None) -> None:
    """Check before a long simulation whether the file `target` can be written; `option` as in `check`.

    Raises UsageError if it exists already, the place cannot be written or the disk is full.
    """
    try:
        is_taken = target.exists() or target.is_symlink()
    except OSError as failure:
        raise _unwritable(target, failure, option) from failure
    if is_taken:
        raise UsageError(f"`{target}` exists already", _way_out(target, option or "file"))
    _probe(target, option)


def check_replaceable(
    target: Path, option: str | None = None, inputs: Sequence[str | os.PathLike[str] | None] = ()
) -> None:
    """Raise UsageError if `target` exists and must not be replaced; `option` as in `check`.

    Only a regular file may be replaced, and none of `inputs`, the files that the command reads.
    """
    try:
        kind = target.lstat().st_mode
    except OSError:
        return  # It is not there, or cannot be reached: then it cannot be written either.
    other = f"choose another {option or 'file'}"
    if not stat.S_ISREG(kind):
        raise UsageError(f"`{target}` is no regular file", other)
    for read in inputs:
        with suppress(OSError):
            if read is not None and target.samefile(read):
                raise UsageError(f"`{target}` is an input of this command", other)


def check_outputs(*outputs: tuple[str | os.PathLike[str] | None, str]) -> None:
    """Raise UsageError if two outputs of one command, each with its option, cannot both be written.

    They have the same path, or one is inside the other.
    """
    given = [(path, option) for path, option in outputs if path is not None]
    for place, (first, first_option) in enumerate(given):
        for second, option in given[place + 1 :]:
            if _holds(first, second) or _holds(second, first):
                raise _collision((first, first_option), (second, option))


def check_store(
    output: tuple[str | os.PathLike[str] | None, str], store: tuple[str | os.PathLike[str] | None, str]
) -> None:
    """Raise UsageError if a store would replace an output or be inside it, as `check_outputs`.

    A folder of results may be inside a store.
    """
    (path, option), (where, store_option) = output, store
    if path is not None and where is not None and "://" not in os.fspath(where) and _holds(path, where):
        raise _collision((path, option), (where, store_option))


def _collision(one: tuple[object, str], other: tuple[object, str]) -> UsageError:
    return UsageError(
        f"{one[1]} `{one[0]}` and {other[1]} `{other[0]}` would collide",
        f"choose another place for {other[1]}",
    )


def _holds(folder: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether the place `other` is `folder` or inside it, with links resolved."""
    within, outer = (Path(os.path.realpath(each)) for each in (other, folder))
    return outer in (within, *within.parents)


def _probe(target: Path, option: str | None) -> None:
    try:
        with os.fdopen(_unnamed_file(_nearest_folder(target)), "wb") as file:
            file.write(bytes(ROOM_TO_START_WITH))
            file.flush()
            os.fsync(file.fileno())
    except OSError as failure:
        raise _unwritable(target, failure, option) from failure


def _unnamed_file(folder: Path) -> int:
    """An unnamed file on this folder's disk, gone when it is closed, even if the process is killed."""
    if hasattr(os, "O_TMPFILE"):
        try:
            return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
        except OSError as failure:
            # The file system has no unnamed files: the folder is opened as a file, or the flag refused.
            if failure.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
                raise
    named = _partial_name(folder)
    descriptor = os.open(named, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    _forget(named.unlink)
    return descriptor


def write_folder(target: Path, fill: Callable[[Path], None], *, or_next: bool = False) -> Path:
    """Make the folder `target` with what `fill` writes into a given folder; returns its path.

    With `or_next` it becomes the first of target, target-2, target-3, ... that does not exist by then, even
    with concurrent writers. Everything reaches the disk before the folder gets its name. On any failure or
    interrupt nothing is left behind. Raises FolderTakenError, or UsageError if the writing fails.
    """
    if not or_next:
        _check_free(target)
    with _partial_folder(target) as partial:
        fill(partial)
        _sync_tree(partial)
        while True:
            named = free_name(target) if or_next else target
            try:
                _rename(partial, named)
            except FolderTakenError:
                if not or_next:
                    raise
            else:
                return named


@contextmanager
def _partial_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target` to write into, removed at the end unless it was renamed."""
    made = _make_parents(target.parent)
    _remove_left_over(target.parent)
    partial = _partial_name(target.parent)
    try:
        partial.mkdir()
        with _locked(partial):
            yield partial
    except BaseException as failure:
        shutil.rmtree(partial, ignore_errors=True)
        _forget(*(folder.rmdir for folder in made))
        if isinstance(failure, OSError):
            raise _unwritable(target, failure) from failure
        raise


@contextmanager
def new_file(target: Path, option: str | None = None) -> Iterator[Path]:
    """Give a temporary path beside `target` to write to, which becomes `target` when the block ends well.

    An older file is replaced. On any failure or interrupt nothing is left behind. Raises UsageError if the
    writing fails or something else than a file has this name; `option` as in `check`.
    """
    check_replaceable(target, option)
    made = _make_parents(target.parent)
    _remove_left_over(target.parent)
    partial = _partial_name(target.parent)
    try:
        yield partial
        _sync(partial)
        os.replace(partial, target)
    except BaseException as failure:
        _forget(partial.unlink, *(folder.rmdir for folder in made))
        if isinstance(failure, OSError):
            raise _unwritable(target, failure, option) from failure
        raise


def write_file(target: Path, text: str, option: str | None = None) -> None:
    """Write a file in one step, replacing an older one; `option` as in `check`.

    Raises UsageError if the writing fails.
    """
    with new_file(target, option) as partial:
        partial.write_text(text, encoding="utf-8")


def free_name(wanted: Path) -> Path:
    """`wanted`, or the first of wanted-2, wanted-3, ... that does not exist."""
    candidate, number = wanted, 1
    while os.path.exists(candidate):  # a name that is too long is reported by the write
        number += 1
        candidate = wanted.with_name(f"{wanted.name}-{number}")
    return candidate


def is_partial(place: Path) -> bool:
    """Whether this is, or is inside, the unfinished output of a process that did not complete."""
    return any(part.startswith(PARTIAL) for part in place.parts)


def _partial_name(folder: Path) -> Path:
    return folder / f"{PARTIAL}{os.getpid()}-{os.urandom(6).hex()}"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder, if its file system has locks: an unlocked one may be removed by others."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _remove_left_over(folder: Path) -> None:
    """Remove what killed processes have left in a folder, except what may still be written."""
    with suppress(OSError):
        for left in folder.glob(f"{PARTIAL}*"):
            with suppress(OSError):
                age = time.time() - left.stat().st_mtime
                if left.is_dir() and age > _AGE_OF_A_FOLDER_LEFT_S:
                    _remove_if_unlocked(left)
                elif left.is_file() and age > _AGE_OF_A_FILE_LEFT_S:
                    left.unlink()


def _remove_if_unlocked(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # Fails if another process writes, and if the file system has no locks.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(descriptor)


def _check_free(target: Path, option: str | None = None) -> None:
    try:
        if target.is_dir() and not any(target.iterdir()):
            return
        if target.exists() or target.is_symlink():
            raise FolderTakenError(target, option)
    except OSError as failure:
        raise _unwritable(target, failure, option) from failure


def _nearest_folder(target: Path) -> Path:
    """The closest folder above `target` that exists."""
    folder = target.absolute().parent
    while not folder.exists():
        folder = folder.parent
    return folder


def _make_parents(folder: Path) -> list[Path]:
    """Make the missing folders above the target; returns those made, the deepest first."""
    missing = []
    while not os.path.exists(folder):
        missing.append(folder)
        folder = folder.parent
    try:
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
    except OSError as failure:
        raise _unwritable(missing[0], failure) from failure
    return missing


def _forget(*removals: Callable[[], None]) -> None:
    """Remove what was made, if it exists and is empty, ignoring errors: the original failure matters."""
    for remove in removals:
        with suppress(OSError):
            remove()


def _sync_tree(folder: Path) -> None:
    """Flush every file and folder below `folder` to the disk.

    Many at a time: one after the other the disk waits for each, and takes twenty times as long.
    """
    from concurrent.futures import ThreadPoolExecutor

    paths = [
        path
        for base, _, names in os.walk(folder)
        for path in [*(os.path.join(base, name) for name in names), base]
    ]
    shares = [paths[nth::_SYNCS_AT_ONCE] for nth in range(min(_SYNCS_AT_ONCE, len(paths)))]
    with ThreadPoolExecutor(_SYNCS_AT_ONCE, thread_name_prefix="sync") as pool:
        # Reading the results raises the first failure.
        for _ in pool.map(_sync_all, shares):
            pass


def _sync_all(paths: Sequence[str]) -> None:
    for path in paths:
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


def _unwritable(target: Path, failure: OSError, option: str | None = None) -> UsageError:
    reason = failure.strerror or str(failure)
    if failure.errno in (errno.ENOSPC, errno.EDQUOT):
        return UsageError(
            f"no space left on the disk to write `{target}` ({reason})",
            f"free some space or choose another {option or 'disk'}",
        )
    by = f" with {option}" if option else ""
    return UsageError(f"cannot write `{target}` ({reason})", f"choose a folder that you may write{by}")
