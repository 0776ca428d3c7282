"""Places that hold named bytes: a folder, an object store by its URL, and the memory of this process.

A name is a path with slashes. Bytes appear under it completely or not at all; writing the same again is
harmless.
"""

import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hopscope.atomic import PARTIAL
from hopscope.errors import UsageError
from hopscope.extras import extra

OBJECT_SCHEMES = ("s3://", "s3a://", "gs://", "az://", "abfs://", "abfss://")

# The variable for how long an unreachable or full place is retried before the work ends.
PATIENCE_VARIABLE = "HOPSCOPE_STORE_PATIENCE"
_PATIENCE_S = 60.0
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0

_NOT_MISSING = object()
_ENDINGS = (".zip", ".json")
"""The endings of file names in a store."""

T = TypeVar("T")


class StoreError(UsageError):
    """A store that cannot be read or written. Its present content is kept."""


class NotAFileError(StoreError):
    """A name whose place in a folder is taken by another folder."""


class Place(Protocol):
    """Named bytes. All methods raise StoreError if the place cannot be reached or is full."""

    @property
    def where(self) -> str | None:
        """The value of --store that reaches it from another process; None if there is none."""

    def read(self, name: str) -> bytes | None:
        """The bytes of this name; None if there are none."""

    def write(self, name: str, data: bytes) -> None:
        """Keep the bytes under this name."""

    def remove(self, name: str) -> None:
        """Remove the bytes of this name, if there are any."""

    def names(self, prefix: str) -> Iterator[str]:
        """All names with this prefix, which ends with a slash or is empty."""

    def has(self, name: str) -> bool:
        """Whether there are bytes of this name."""


def place_of(where: str | Path) -> "Place":
    """The place that --store names. Raises UsageError for an invalid one or a missing extra."""
    text = os.fspath(where)
    if not text or "\0" in text:
        raise UsageError(f"{text!r} is no store", "give a folder, or the URL of an object store")
    if text.startswith(OBJECT_SCHEMES):
        return Objects(text)
    if "://" in text:
        raise UsageError(
            f"`{text}` is no store", "give a folder, or s3://, gs:// or az:// with bucket and path"
        )
    return Folder(Path(text))


class Memory:
    """A place that ends with the process."""

    where = None

    def __init__(self) -> None:
        """It is empty at first."""
        self._held: dict[str, bytes] = {}

    def read(self, name: str) -> bytes | None:
        """As of any place."""
        return self._held.get(name)

    def write(self, name: str, data: bytes) -> None:
        """As of any place."""
        self._held[name] = data

    def remove(self, name: str) -> None:
        """As of any place."""
        self._held.pop(name, None)

    def names(self, prefix: str) -> Iterator[str]:
        """As of any place."""
        return (name for name in list(self._held) if name.startswith(prefix))

    def has(self, name: str) -> bool:
        """As of any place."""
        return name in self._held


class Folder:
    """A folder, on a disk of this machine or one that several machines share."""

    def __init__(self, folder: Path) -> None:
        """The folder is made when something is written."""
        self._folder = folder.absolute()
        self.where = str(self._folder)

    def read(self, name: str) -> bytes | None:
        """As of any place."""

        def read() -> bytes | None:
            try:
                return (self._folder / name).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None

        return _patiently(read, self.where, name)

    def write(self, name: str, data: bytes) -> None:
        """As of any place. A machine that loses power may lose or damage it: that is found by its hash."""
        target = self._folder / name

        def write() -> None:
            partial = target.with_name(f"{PARTIAL}{os.getpid()}-{os.urandom(6).hex()}")
            try:
                try:
                    partial.write_bytes(data)
                except FileNotFoundError:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    partial.write_bytes(data)
                os.replace(partial, target)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise

        _patiently(write, self.where, name)

    def remove(self, name: str) -> None:
        """As of any place."""
        _patiently(lambda: (self._folder / name).unlink(missing_ok=True), self.where, name)

    def names(self, prefix: str) -> Iterator[str]:
        """As of any place; incomplete files are not listed, but a folder in the place of a file is."""
        for base, folders, files in os.walk(self._folder / prefix):
            misplaced = {folder for folder in folders if folder.endswith(_ENDINGS)}
            folders[:] = sorted(set(folders) - misplaced)
            inner = Path(base).relative_to(self._folder).as_posix()
            for file in sorted({*files, *misplaced}):
                if not file.startswith(PARTIAL):
                    yield file if inner == "." else f"{inner}/{file}"

    def has(self, name: str) -> bool:
        """As of any place."""
        return os.path.isfile(self._folder / name)

    def remove_left_over(self, older_than_s: float) -> int:
        """Remove older unfinished files of killed processes; returns their number."""
        left = [
            path
            for path in self._folder.rglob(f"{PARTIAL}*")
            if path.is_file() and time.time() - path.stat().st_mtime > older_than_s
        ]
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)


class Objects:
    """A bucket of an object store. Credentials are those of its own tools: AWS_*, GOOGLE_* or AZURE_*."""

    def __init__(self, url: str) -> None:
        """The library retries by itself, and gives up after the same patience as with a folder."""
        with extra("s3"):
            from obstore import store as stores
        from datetime import timedelta

        self.where = url
        retry: Any = {
            "max_retries": 1_000_000,
            "retry_timeout": timedelta(seconds=_patience_s()),
            "backoff": {
                "init_backoff": timedelta(seconds=_FIRST_PAUSE_S),
                "max_backoff": timedelta(seconds=_LONGEST_PAUSE_S),
                "base": 2,
            },
        }
        options: Any = {"allow_http": True, "connect_timeout": timedelta(seconds=5)}
        try:
            self._store = stores.from_url(url, retry_config=retry, client_options=options)
        except Exception as failure:
            raise StoreError(f"`{url}` is no store: {_words(failure)}") from failure

    def read(self, name: str) -> bytes | None:
        """As of any place."""
        with extra("s3"):
            import obstore

        return self._call(lambda: bytes(obstore.get(self._store, name).bytes()), missing=None)

    def write(self, name: str, data: bytes) -> None:
        """As of any place: an object appears completely."""
        with extra("s3"):
            import obstore

        self._call(lambda: obstore.put(self._store, name, data, use_multipart=False))

    def remove(self, name: str) -> None:
        """As of any place."""
        with extra("s3"):
            import obstore

        self._call(lambda: obstore.delete(self._store, name), missing=None)

    def names(self, prefix: str) -> Iterator[str]:
        """As of any place."""
        with extra("s3"):
            import obstore

        pages = iter(obstore.list(self._store, prefix=prefix or None))
        while (page := self._call(lambda: next(pages, None))) is not None:
            yield from (entry["path"] for entry in page)

    def has(self, name: str) -> bool:
        """As of any place."""
        with extra("s3"):
            import obstore

        return self._call(lambda: obstore.head(self._store, name) is not None, missing=False)

    def _call(self, call: Callable[[], T], missing: Any = _NOT_MISSING) -> T:
        """Call the library; `missing` is the result for a missing object, if that is no failure."""
        with extra("s3"):
            from obstore.exceptions import BaseError

        try:
            return call()
        except (BaseError, OSError) as failure:
            if isinstance(failure, FileNotFoundError) and missing is not _NOT_MISSING:
                return missing
            raise _unreachable(self.where, _words(failure)) from failure


def _patience_s() -> float:
    try:
        return float(os.environ.get(PATIENCE_VARIABLE, _PATIENCE_S))
    except ValueError:
        text = os.environ[PATIENCE_VARIABLE]
        raise UsageError(f"{PATIENCE_VARIABLE}={text} is no time", "give seconds, such as 60") from None


def _patiently(call: Callable[[], T], where: str, name: str) -> T:
    """Use a file of the folder `where`, retrying after temporary failures with growing pauses.

    Raises StoreError, NotAFileError if the file is a folder.
    """
    give_up = time.monotonic() + _patience_s()
    pause = _FIRST_PAUSE_S
    while True:
        try:
            return call()
        except IsADirectoryError as failure:
            raise NotAFileError(
                f"`{name}` in the store `{where}` is a folder, not a file",
                "move it away; then the same command goes on",
            ) from failure
        except OSError as failure:
            may_pass = failure.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ESTALE, errno.ENODEV)
            if not may_pass or time.monotonic() + pause > give_up:
                why = failure.strerror or str(failure)
                if not os.path.lexists(where):
                    raise StoreError(
                        f"the store `{where}` cannot be made ({why})", "choose a folder that you may write"
                    ) from failure
                if os.path.exists(where) and not os.path.isdir(where):
                    raise StoreError(
                        f"the store `{where}` is a file, not a folder", "name a folder; it is made if need be"
                    ) from failure
                raise _unreachable(where, why) from failure
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _unreachable(where: str, why: str) -> StoreError:
    return StoreError(
        f"the store `{where}` cannot be used ({why})",
        "what it holds is kept; when it can be reached again, the same command goes on from there",
    )


def _words(failure: BaseException) -> str:
    """The first line of what a library says, without its report for developers."""
    return str(failure).strip().partition("\n")[0].rstrip(".")
