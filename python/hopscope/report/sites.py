"""The tables of RFC 619 on the page of a run that tells of pairs of sites, and delay against hops."""

from typing import TYPE_CHECKING

from hopscope import palette
from hopscope.charts.style import HEIGHT, WIDTH, number_axis, styled
from hopscope.numerals import interval, number
from hopscope.report.page import Cell, Page
from hopscope.studies import published

if TYPE_CHECKING:
    import altair as alt

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
"""How the names of metrics end that stand in the tables."""


def is_tabulated(metric: str) -> bool:
    """Whether a metric stands in the tables, and need not be listed again."""
    return metric.endswith(_TABULATED)


def add(page: Page, run: "RunResult") -> None:
    """Tables 1 to 4, the instants of a message by hops, and the chart; nothing for other runs."""
    if not run.summary.has("round trip over hops[0].mean"):
        return
    page.charts([("Delay against hops", "Mean round trips with their 95 % intervals.", _chart(run))])
    _table(page, run, "over hops", "Round trips by hops", "hops")
    _instants(page, run)
    _table(page, run, "from", "Round trips of messages from a site", "site")
    _table(page, run, "to", "Round trips of messages to a site", "site")
    _favourites(page, run)


def _rows_of(run: "RunResult", table: str) -> list[str]:
    """The names of a table's rows, in the run's order."""
    name = f"{_WITH} {table}"
    return [row["class"] for row in run.summary.data["metrics"] if row["name"] == name]


def _figure(run: "RunResult", what: str, table: str, row: str, statistic: str = "mean") -> Cell:
    found = run.summary.find(f"{what} {table}[{row}].{statistic}")
    return ("" if found is None else interval(found.value, found.low, found.high), "number")


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
            words = "" if found is None else interval(found.value, found.low, found.high)
            rows.append([source, target, (number(to[target]), "number"), (words, "number")])
    columns = ("from", "to", "messages a minute", "round trip (ms)")
    page.table("The three most favourite sites", "Status reports are counted.", columns, rows)


def _chart(run: "RunResult") -> "alt.LayerChart":
    import altair as alt

    measured, printed = _measured(run), _published(run)
    scale = alt.Scale(domain=list(_LINES), range=[palette.SERIES[0], palette.SERIES[1]])
    colour = alt.Color("series:N", title=None, scale=scale, legend=alt.Legend(orient="top"))
    x = number_axis("hops on the shortest path", [row["x"] for row in [*measured, *printed]])
    y = alt.Y("value:Q", title="mean round trip (ms)", scale=alt.Scale(zero=True, nice=True))
    lines = alt.Chart(alt.Data(values=measured)).encode(x=x, color=colour)
    marks = alt.Chart(alt.Data(values=printed)).encode(x=x, y=y, color=colour)
    layers = alt.layer(
        lines.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title="mean round trip (ms)"), y2="high:Q"),
        lines.mark_line(strokeWidth=2).encode(y=y),
        marks.mark_point(shape="diamond", size=110, strokeWidth=1.8, opacity=1),
    )
    note = "open diamonds: published in RFC 619, Table 1" if printed else ""
    return styled(layers.properties(width=WIDTH, height=HEIGHT, title=alt.TitleParams("", subtitle=note)))


def _measured(run: "RunResult") -> list[dict[str, float | str]]:
    rows: list[dict[str, float | str]] = []
    for what, line in zip((_WITH, _WITHOUT), _LINES, strict=True):
        for hops in _rows_of(run, "over hops"):
            found = run.summary.find(f"{what} over hops[{hops}].mean")
            if found is not None:
                spread = {"value": found.value, "low": found.low, "high": found.high}
                rows.append({"x": int(hops), "series": line, **spread})
    return rows


def _published(run: "RunResult") -> list[dict[str, float | str]]:
    """The published points of the month whose traffic the scenario names."""
    months = next((keys for file, keys in _MONTHS.items() if file in run.scenario_text), ())
    cells = published.cells("arpanet.csv")
    return [
        {"x": int(cell.at), "series": line, "value": cell.number}
        for key, line in zip(months, _LINES, strict=False)
        for cell in cells
        if cell.id.startswith(f"rfc619/table1/rtt/{key}/") and cell.number is not None
    ]
