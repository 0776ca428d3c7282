"""The time-space diagram of messages: places from top to bottom, time from left to right."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopscope.charts.of_run import KIND_COLOURS
from hopscope.charts.style import styled
from hopscope.extras import extra
from hopscope.results.lives import Life

if TYPE_CHECKING:
    import altair as alt

WIDTH, ROW = 760, 24
PS_PER_US = 1e6
US_PER_MS = 1000.0


def time_space(named: Sequence[tuple[str, Life]], slice_ps: int | None = None) -> "alt.Chart":
    """Each life in a panel: where it was, what it waited for, what served it; drag and scroll to zoom.

    `slice_ps` is an instant of the last life, marked by a line.
    """
    with extra("charts"):
        import altair as alt

    longest = max(life.length_ps for _, life in named)
    unit, divisor = ("ms", PS_PER_US * US_PER_MS) if longest > PS_PER_US * US_PER_MS else ("us", PS_PER_US)
    panels = []
    for number, (heading, life) in enumerate(named):
        rows = [
            {
                "place": stage["place"],
                "kind": stage["kind"],
                "stage": stage["stage"],
                "resource": stage["resource"],
                "from": (stage["from_ps"] - life.born_ps) / divisor,
                "to": (stage["to_ps"] - life.born_ps) / divisor,
            }
            for stage in life.stages
        ]
        places = list(dict.fromkeys(row["place"] for row in rows))
        bars = (
            alt.Chart(alt.Data(values=rows))
            .mark_bar(height=14)
            .encode(
                x=alt.X("from:Q", title=f"time since generation ({unit.replace('us', 'µs')})"),
                x2="to:Q",
                y=alt.Y("place:N", sort=places, title=None, axis=alt.Axis(labelLimit=220)),
                color=alt.Color(
                    "kind:N",
                    title=None,
                    scale=alt.Scale(domain=list(KIND_COLOURS), range=list(KIND_COLOURS.values())),
                    legend=alt.Legend(orient="top"),
                ),
                tooltip=[
                    *(alt.Tooltip(f"{name}:N") for name in ("stage", "resource", "place")),
                    *(alt.Tooltip(f"{name}:Q", format=".5g") for name in ("from", "to")),
                ],
            )
            .add_params(alt.selection_interval(name=f"zoom_{number}", bind="scales", encodings=["x"]))
        )
        layers = bars
        if slice_ps is not None and life is named[-1][1]:
            mark = [{"at": (slice_ps - life.born_ps) / divisor}]
            layers += alt.Chart(alt.Data(values=mark)).mark_rule(strokeDash=[4, 3]).encode(x="at:Q")
        title = alt.TitleParams(f"{heading}: message {life.message}", fontSize=12, fontWeight="normal")
        panels.append(layers.properties(width=WIDTH, height=ROW * len(places), title=title))
    return styled(alt.vconcat(*panels))
