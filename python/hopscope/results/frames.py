"""Rows of a summary as polars frames with fixed columns, also when there are no rows."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.results.summary import Summary
from hopscope.visible import field

if TYPE_CHECKING:
    import polars as pl

METRIC_COLUMNS = ("metric", "class", "statistic", "unit", "value", "low", "high", "n")
LEDGER_COLUMNS = ("stage", "kind", "resource", "class", "unit", "value", "low", "high", "n", "share")
RESOURCE_COLUMNS = (
    "name",
    "kind",
    "place",
    "capacity",
    "unit",
    "occupancy",
    "utilisation",
    "peak",
    "waiting",
    "wait_us",
    "acquisitions",
)
_WHOLE = ("n", "acquisitions")
_TEXT = ("metric", "class", "statistic", "unit", "stage", "kind", "resource", "name", "place")

type_of_column = dict.fromkeys(_WHOLE, "whole") | dict.fromkeys(_TEXT, "text")


def write_csv(table: "pl.DataFrame", file: Path) -> None:
    """Write a frame as CSV with texts that no spreadsheet takes for formulas."""
    import polars as pl

    texts = pl.col(pl.String).map_elements(field, return_dtype=pl.String)
    table.with_columns(texts).rename(field).write_csv(file)


def frame(
    rows: Iterable[Sequence[Any]], columns: Sequence[str], leading: Mapping[str, Any] | None = None
) -> "pl.DataFrame":
    """A frame with these columns; `leading` columns (name to polars type) come before them."""
    import polars as pl

    types = {"whole": pl.Int64, "text": pl.String}
    schema = dict(leading or {}) | {
        name: types.get(type_of_column.get(name, ""), pl.Float64) for name in columns
    }
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def metric_rows(summary: Summary) -> list[tuple]:
    """The metrics as rows of METRIC_COLUMNS; no value where there is no such number."""
    return [
        (row["name"], row["class"], row["statistic"], row["unit"], *_numbers(row["estimate"]))
        for row in summary.data["metrics"]
    ]


def ledger_rows(summary: Summary) -> list[tuple]:
    """The ledger as rows of LEDGER_COLUMNS."""
    return [
        (
            row["stage"],
            row["kind"],
            row["resource"],
            row["class"],
            row["unit"],
            *_numbers(row["estimate"]),
            row["share"],
        )
        for row in summary.data["ledger"]
    ]


def resource_rows(summary: Summary) -> list[tuple]:
    """The resources as rows of RESOURCE_COLUMNS; no capacity where a resource is unbounded."""
    return [tuple(row[name] for name in RESOURCE_COLUMNS) for row in summary.data["resources"]]


def _numbers(estimate: Mapping[str, Any] | None) -> tuple:
    if estimate is None:
        return (None, None, None, None)
    return (estimate["value"], estimate["low"], estimate["high"], estimate["n"])
