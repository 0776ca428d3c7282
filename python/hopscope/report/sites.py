"""The tables of RFC 619 on the page of a run that counts pairs of sites, and delay against hops."""

from typing import TYPE_CHECKING, Any

from hopscope.numerals import number
from hopscope.report import figures
from hopscope.report.page import Cell, Page
from hopscope.studies import published

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

FAVOURITES = 3
INTERVALS = tuple(f"T({end})-T({end - 1})" for end in range(2, 8))
_WITH, _WITHOUT, _RATE = "round trip", "round trip without status reports", "messages"
_LINES = ("all messages", "without status reports")
# The published months, by the file of traffic that a scenario names.
_MONTHS = {
    "arpanet-traffic-1973-08.csv": ("aug",),
    "arpanet-traffic-1973-12.csv": ("dec-with-status", "dec-without-status"),
}


_TABULATED = (" over hops", " from", " to")
"""The endings of the names of metrics in the tables."""


def is_tabulated(metric: str) -> bool:
    """Whether a metric is in the tables, and need not be listed again."""
    return metric.endswith(_TABULATED)


def add(page: Page, run: "RunResult") -> None:
    """Tables 1 to 4, the instants of a message by hops, and the chart; nothing for other runs."""
    if not run.summary.has("round trip over hops[0].mean"):
        return
    page.figures("Delay against hops", "Mean round trips with their 95 % intervals.", [_figure_of(run)])
    _table(page, run, "over hops", "Round trips by hops", "hops")
    _instants(page, run)
    _table(page, run, "from", "Round trips of messages from a site", "site")
    _table(page, run, "to", "Round trips of messages to a site", "site")
    _favourites(page, run)


def _rows_of(run: "RunResult", table: str) -> list[str]:
    """The names of a table's rows, in the run's order."""
    name = f"{_WITH} {table}"
    return [row["class"] for row in run.summary.fields["metrics"] if row["name"] == name]


def _figure(run: "RunResult", what: str, table: str, row: str, statistic: str = "mean") -> Cell:
    found = run.summary.find(f"{what} {table}[{row}].{statistic}")
    return ("" if found is None else found.numbers, "number")


def _table(page: Page, run: "RunResult", table: str, heading: str, first: str) -> None:
    rows: list[list[Cell]] = [
        [
            row,
            _figure(run, _RATE, table, row, "rate"),
            _figure(run, _WITH, table, row),
            _figure(run, _WITHOUT, table, row),
        ]
        for row in _rows_of(run, table)
    ]
    columns = (first, "messages a minute", "round trip (ms)", "without status reports (ms)")
    page.table(
        heading, "RFC 619: from the table entry, T(2), to the RFNM at the source, T(6).", columns, rows
    )


def _instants(page: Page, run: "RunResult") -> None:
    rows: list[list[Cell]] = [
        [row, *(_figure(run, what, "over hops", row) for what in INTERVALS)]
        for row in _rows_of(run, "over hops")
    ]
    note = (
        "Mean milliseconds between the instants that RFC 619 defines, without status reports: from the host "
        "to the table entry, to the output queue, through the net, into the host, back as a RFNM, into the "
        "source host."
    )
    page.table("What a round trip is made of, by hops", note, ("hops", *INTERVALS), rows)


def _favourites(page: Page, run: "RunResult") -> None:
    """Table 4: the sites to which each sends most."""
    sent: dict[str, dict[str, float]] = {}
    for row in run.pairs.iter_rows(named=True):
        to = sent.setdefault(row["from"], {})
        to[row["to"]] = to.get(row["to"], 0.0) + row["per_minute"]
    rows: list[list[Cell]] = []
    for source, to in sent.items():
        for target in sorted(to, key=lambda name: (-to[name], name))[:FAVOURITES]:
            found = run.metric(f"pair[{source} -> {target}].mean")
            words = "" if found is None else found.numbers
            rows.append([source, target, (number(to[target]), "number"), (words, "number")])
    columns = ("from", "to", "messages a minute", "round trip (ms)")
    page.table("The three most favourite sites", "Status reports are counted.", columns, rows)


def _figure_of(run: "RunResult") -> dict[str, Any]:
    """Mean round trips over hops, with the published points of the month."""
    measured, printed = _measured(run), _published(run)
    drawn = []
    for colour, line in enumerate(_LINES):
        points = [
            (row["x"], row["value"], row["low"], row["high"]) for row in measured if row["series"] == line
        ]
        drawn.append(figures.series(line, colour, points, line="solid", spread="band"))
        marks = [(row["x"], row["value"]) for row in printed if row["series"] == line]
        if marks:
            drawn.append(figures.series(f"{line}, published", colour, marks, marks="diamonds"))
    note = "Open diamonds: published in RFC 619, Table 1." if printed else ""
    x, y = figures.axis("hops on the shortest path"), figures.axis("mean round trip (ms)")
    return figures.lines(x, y, drawn, "", note)


def _measured(run: "RunResult") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for what, line in zip((_WITH, _WITHOUT), _LINES, strict=True):
        for hops in _rows_of(run, "over hops"):
            found = run.summary.find(f"{what} over hops[{hops}].mean")
            if found is not None:
                spread = {"value": found.value, "low": found.low, "high": found.high}
                rows.append({"x": int(hops), "series": line, **spread})
    return rows


def _published(run: "RunResult") -> list[dict[str, Any]]:
    """The published points of the month whose traffic the scenario names."""
    months = next((keys for file, keys in _MONTHS.items() if file in run.scenario_text), ())
    cells = published.cells("arpanet.csv")
    return [
        {"x": int(cell.at), "series": line, "value": cell.number}
        for key, line in zip(months, _LINES, strict=False)
        for cell in cells
        if cell.id.startswith(f"rfc619/table1/rtt/{key}/") and cell.number is not None
    ]
