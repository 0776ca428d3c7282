"""The figures of a sweep: rounds, the main delay, what is carried, where the time goes."""

from typing import TYPE_CHECKING

from hopscope.charts import of_sweep
from hopscope.overrides import toml_text
from hopscope.report import changes, figures
from hopscope.report.curves import Curves, Figure
from hopscope.results.shares import folded

if TYPE_CHECKING:
    from hopscope.results.sweep import SweepResult


def curves(sweep: "SweepResult") -> list[Figure]:
    """Rounds, the main delay and the throughput over the first swept path; other paths become lines."""
    path = next(iter(sweep.over))
    lines = Curves(
        path=path,
        points=sweep.points,
        places=[of_sweep.x_of(sweep, point) for point in sweep.points],
        groups=[
            changes.setting({each: value for each, value in point.set.items() if each != path})
            for point in sweep.points
        ],
    )
    return lines.main_figures(sweep.first.summary)


def shares(sweep: "SweepResult") -> Figure:
    """Where the time went at each point: the shares of the stages."""
    told = of_sweep.visible(sweep)
    stages = of_sweep.stages(sweep, told)
    rows = []
    for point in sweep.points:
        found = {row["stage"]: row["share"] for row in folded(point, lambda row: row["stage"] in told)}
        name = ", ".join(toml_text(value).strip('"') for value in point.set.values())
        rows.append((name, [found.get(stage, 0.0) for stage, _ in stages]))
    title = f"share of a message's lifetime, by {', '.join(sweep.over)}"
    return figures.stacked(title, figures.stage_looks(stages), rows)
