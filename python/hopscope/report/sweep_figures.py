"""The figures of a sweep: the main delay, what is carried, where the time goes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hopscope.charts import of_sweep
from hopscope.charts.style import axis_title, path_title
from hopscope.overrides import toml_text
from hopscope.report import figures
from hopscope.results.shares import folded

if TYPE_CHECKING:
    from hopscope.results.sweep import SweepPoint, SweepResult

Figure = dict[str, Any]


def curves(sweep: "SweepResult") -> list[Figure]:
    """The main delay and the throughput over the first swept path; further paths are lines of their own."""
    summary = sweep.first.summary
    drawn = []
    delay = summary.main_delay()
    if delay is not None:
        wanted = [(f"{delay}.mean", "mean", False), (f"{delay}.p99", "99th percentile", False)]
        unit = summary.metric_row(f"{delay}.mean")["unit"]
        y = figures.axis(axis_title(delay, unit), log=True)
        drawn.append(_curve(sweep, wanted, y, delay.capitalize()))
    if summary.has("throughput"):
        wanted = [("offered", "offered", True), ("throughput", "carried", False)]
        y = figures.axis(axis_title("throughput", summary.metric_row("throughput")["unit"]))
        drawn.append(_curve(sweep, wanted, y, "Throughput"))
    return drawn


def shares(sweep: "SweepResult") -> Figure:
    """Where the time went at each point: the shares of the stages."""
    told = of_sweep.visible(sweep)
    stages = of_sweep.stages(sweep, told)
    rows = []
    for point in sweep.points:
        found = {
            row["stage"]: row["share"] for row in folded(point.summary, lambda row: row["stage"] in told)
        }
        name = ", ".join(toml_text(value).strip('"') for value in point.set.values())
        rows.append((name, [found.get(stage, 0.0) for stage, _ in stages]))
    title = f"share of a message's lifetime, by {', '.join(sweep.over)}"
    return figures.stacked(title, figures.stage_looks(stages), rows)


def _curve(sweep: "SweepResult", wanted: Sequence[tuple[str, str, bool]], y: Figure, title: str) -> Figure:
    """Lines with bands: a key, its words, and whether it stays in the background."""
    path = next(iter(sweep.over))
    places = list(dict.fromkeys(of_sweep.x_of(sweep, point) for point in sweep.points))
    is_numeric = all(isinstance(place, int | float) for place in places)
    x = figures.axis(path_title(path), **({} if is_numeric else {"names": [str(place) for place in places]}))

    def at(point: "SweepPoint") -> float:
        place = of_sweep.x_of(sweep, point)
        return float(place) if isinstance(place, int | float) else float(places.index(place))

    groups = list(dict.fromkeys(of_sweep.series_of(sweep, point) for point in sweep.points))
    drawn: list[Figure] = []
    for number, group in enumerate(groups):
        mine = [point for point in sweep.points if of_sweep.series_of(sweep, point) == group]
        for nth, (key, words, is_quiet) in enumerate(wanted):
            if not sweep.first.summary.has(key):
                continue
            rows: list[figures.Row] = []
            for point in mine:
                found = point.metric(key)
                rows.append(
                    (at(point), None) if found is None else (at(point), found.value, found.low, found.high)
                )
            look = {"line": "dashed"} if is_quiet else {"line": "solid", "marks": "dots", "spread": "band"}
            colour = figures.BACKGROUND if is_quiet else number * len(wanted) + nth
            drawn.append(figures.series(f"{words} {group}".strip(), colour, rows, **look))
    saturated = list(dict.fromkeys(at(point) for point in sweep.points if point.outcome == "saturated"))
    if saturated and not any(is_quiet for *_, is_quiet in wanted):
        marks: list[figures.Row] = [(place, None) for place in saturated]
        drawn.append(figures.series("saturated", figures.BACKGROUND, marks, marks="triangles"))
    return figures.lines(x, y, drawn, title)
