"""Text tables: aligned columns that survive a pipe, without lines around them."""

from collections.abc import Sequence

import click

from hopscope.escaping import visible

GAP = "  "
BAR_WIDTH = 40


def aligned(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """The rows under their headers; the columns numbered in `right` are flush right."""
    headers, rows = _visible(headers), [_visible(row) for row in rows]
    widths = [max(len(line[column]) for line in [headers, *rows]) for column in range(len(headers))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return GAP.join(padded).rstrip()

    return "\n".join([click.style(line(headers), bold=True), *(line(row) for row in rows)])


def titled(key: str, unit: str) -> str:
    """The title of a metric's column: "latency mean (us)"."""
    from hopscope.numerals import with_unit

    return with_unit(key.replace("p99.9", "p999").replace(".", " "), unit)


def _visible(cells: Sequence[str]) -> list[str]:
    """Cells made visible before widths are computed: controls in a name take several characters."""
    return [visible(cell) for cell in cells]


def bars(histogram: Sequence[tuple[int, int]]) -> list[tuple[str, str, str]]:
    """The rows of a histogram: a value, its count, and a bar as long as that."""
    from hopscope.numerals import count

    most = max(number for _, number in histogram)
    return [(str(value), count(n), "#" * round(BAR_WIDTH * n / most)) for value, n in histogram]


def named(rows: Sequence[tuple[str, str]]) -> str:
    """Names followed by their values, the values flush left."""
    rows = [(visible(name), visible(value)) for name, value in rows]
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name.ljust(width)}{GAP}{value}".rstrip() for name, value in rows)
