"""Tables of run folders, which are Parquet files that may be damaged."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope.errors import UsageError
from hopscope.extras import extra

if TYPE_CHECKING:
    import polars as pl


def read(path: Path) -> "pl.DataFrame":
    """A table, read into memory; an empty frame if the run did not write it.

    Raises UsageError if it is damaged.
    """
    with extra("frames"):
        import polars as pl

    if not path.exists():
        return pl.DataFrame()
    with _refused(path):
        return pl.read_parquet(path.read_bytes())


def scan(path: Path) -> "pl.LazyFrame | None":
    """A table for partial reading; None if the run did not write it. Read it within `named`."""
    with extra("frames"):
        import polars as pl

    if not path.exists():
        return None
    with _refused(path):
        frame = pl.scan_parquet(path)
        frame.collect_schema()
        return frame


@contextmanager
def named(folder: Path) -> Iterator[None]:
    """Name the damaged table of a run folder if a part of one cannot be read in this block."""
    with extra("frames"):
        import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        for path in sorted(folder.glob("*.parquet")):
            read(path)
        raise


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    with extra("frames"):
        import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as failure:
        raise UsageError(f"`{path}` is damaged", "run the scenario of the folder again") from failure
