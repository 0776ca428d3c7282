"""Rows of a summary with fixed columns: as polars frames, as CSV, as tables of a notebook."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.escaping import escaped, field
from hopscope.extras import extra
from hopscope.overrides import Value, toml_text
from hopscope.results.summary import Summary

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

_ROWS_SHOWN = 10


class Kind(StrEnum):
    """What a column holds."""

    WHOLE = "whole numbers"
    NUMBER = "numbers"
    TRUTH = "truth values"
    TEXT = "text"


_KINDS: dict[str, Kind] = dict.fromkeys(_WHOLE, Kind.WHOLE) | dict.fromkeys(_TEXT, Kind.TEXT)


def kind_of(values: Iterable[Any]) -> Kind:
    """The kind of a column of these values: integers, numbers, booleans; anything else is text."""
    kinds = {type(value) for value in values}
    if kinds <= {bool}:
        return Kind.TRUTH
    if kinds <= {int}:
        return Kind.WHOLE
    return Kind.NUMBER if kinds <= {int, float} else Kind.TEXT


def plain(value: Value | None, kind: Kind) -> Any:
    """A value of a scenario as a column of this kind holds it."""
    if value is None:
        return None
    if kind is Kind.NUMBER:
        return float(value)  # type: ignore[arg-type] # a number, by its kind
    return toml_text(value) if kind is Kind.TEXT and not isinstance(value, str) else value


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: Path) -> None:
    """Write rows as CSV with texts that no spreadsheet interprets as formulas."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow([field(name) for name in columns])
        writer.writerows([_in_csv(value) for value in row] for row in rows)


def _in_csv(value: Any) -> Any:
    if isinstance(value, str):
        return field(value)
    return str(value).lower() if isinstance(value, bool) else value


def html(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """The first rows as a table of HTML, with the number of all rows."""

    def line(tag: str, cells: Iterable[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{_in_html(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line("td", row) for row in islice(rows, _ROWS_SHOWN))
    more = f"<p>the first {_ROWS_SHOWN} of {len(rows)} rows</p>" if len(rows) > _ROWS_SHOWN else ""
    return f"<table><thead>{line('th', columns)}</thead><tbody>{body}</tbody></table>{more}"


def _in_html(value: Any) -> str:
    if value is None:
        return ""
    return escaped(f"{value:g}" if isinstance(value, float) else str(value))


def frame(
    rows: Iterable[Sequence[Any]], columns: Sequence[str], leading: Mapping[str, Kind] | None = None
) -> "pl.DataFrame":
    """A frame with these columns; `leading` columns, each with its kind, come before them."""
    with extra("frames"):
        import polars as pl

    types = {
        Kind.WHOLE: pl.Int64,
        Kind.NUMBER: pl.Float64,
        Kind.TRUTH: pl.Boolean,
        Kind.TEXT: pl.String,
    }
    kinds = dict(leading or {}) | {name: _KINDS.get(name, Kind.NUMBER) for name in columns}
    schema = {name: types[kind] for name, kind in kinds.items()}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def metric_rows(summary: Summary) -> list[tuple]:
    """The metrics as rows of METRIC_COLUMNS; no value if there is no such number."""
    return [
        (row["name"], row["class"], row["statistic"], row["unit"], *_numbers(row["estimate"]))
        for row in summary.fields["metrics"]
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
        for row in summary.fields["ledger"]
    ]


def resource_rows(summary: Summary) -> list[tuple]:
    """The resources as rows of RESOURCE_COLUMNS; no capacity if a resource is unbounded."""
    return [tuple(row[name] for name in RESOURCE_COLUMNS) for row in summary.resources]


def _numbers(estimate: Mapping[str, Any] | None) -> tuple:
    if estimate is None:
        return (None, None, None, None)
    return (estimate["value"], estimate["low"], estimate["high"], estimate["n"])
