"""A figure of a distribution that runs keep as a series, such as the histogram of round trips."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import palette
from hopscope.charts.style import HEIGHT, WIDTH, styled
from hopscope.errors import UsageError
from hopscope.extras import extra
from hopscope.numerals import percent
from hopscope.studies.evidence import Evidence, Setting

if TYPE_CHECKING:
    from altair.typing import ChartType


PLACE_BEYOND = 1.03  # of the last bin drawn
END = 1.06


@dataclass(frozen=True, slots=True)
class Histogram:
    """A line for each setting: the share of all observations in each bin of the named series.

    The series has a point per bin: the bin's upper end (in seconds, drawn in ms) and its count. What lies
    beyond `until` ms is one pale bar at the end, with its share.
    """

    title: str
    x_title: str
    y_title: str
    series: str
    until: float
    lines: tuple[tuple[str, Setting], ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Histogram":
        """The histogram of an object of a definition."""
        lines = tuple((line["label"], Setting.read(line["setting"])) for line in data["lines"])
        return cls(data["title"], data["x_title"], data["y_title"], data["series"], data["until"], lines)

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings that have not been simulated."""
        return [setting for _, setting in self.lines if setting not in evidence]

    def shares(self, setting: Setting, evidence: Evidence) -> list[tuple[float, float]]:
        """Bins, as their upper end in ms with the share of observations, over all seeds.

        The share beyond `until` comes last, with an infinite place.
        """
        counts: dict[float, float] = {}
        for run in evidence.runs(setting):
            for time_s, name, value in run.series.iter_rows():
                if name == self.series:
                    upper = round(1000 * time_s, 6)
                    place = upper if upper <= self.until else math.inf
                    counts[place] = counts.get(place, 0.0) + value
        total = sum(counts.values())
        if not total:
            raise UsageError(f"the run has no series `{self.series}`", "see series.parquet")
        return [(place, count / total) for place, count in sorted(counts.items())]

    def draw(self, evidence: Evidence) -> "ChartType":
        """The figure, one panel below the other, so that each shape is seen whole."""
        with extra("charts"):
            import altair as alt

        shares = [(label, self.shares(setting, evidence)) for label, setting in self.lines]
        highest = max(share for _, bins in shares for _, share in bins)
        panels = [self._panel(index, label, bins, highest) for index, (label, bins) in enumerate(shares)]
        return styled(alt.vconcat(*panels, title=self.title))

    def _panel(
        self, index: int, label: str, bins: Sequence[tuple[float, float]], highest: float
    ) -> "ChartType":
        """The bars of one line, with those of all lines on one scale, and what lies beyond them."""
        with extra("charts"):
            import altair as alt

        place = self.until * PLACE_BEYOND
        rows = [{"bin": upper, "share": share} for upper, share in bins if upper <= self.until]
        beyond = [
            {"bin": place, "share": share, "words": f"{percent(share)} above {self.until:g}"}
            for upper, share in bins
            if upper > self.until
        ]
        x = alt.X(
            "bin:Q",
            title=self.x_title,
            axis=alt.Axis(tickCount=6),
            scale=alt.Scale(domain=[0, self.until * END], nice=False),
        )
        scale = alt.Scale(domain=[0, highest])
        y = alt.Y("share:Q", title=self.y_title, scale=scale, axis=alt.Axis(format="%", tickCount=4))
        tooltip = [alt.Tooltip("bin:Q", title="up to (ms)"), alt.Tooltip("share:Q", format=".2%")]
        colour = palette.SERIES[index % len(palette.SERIES)]
        base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y)
        rest = alt.Chart(alt.Data(values=beyond)).encode(x=x, y=y)
        heading = alt.TitleParams(label, fontSize=12, fontWeight="normal", offset=4)
        return alt.layer(
            base.mark_bar(color=colour, binSpacing=0, width=4).encode(tooltip=tooltip),
            rest.mark_bar(color=colour, opacity=0.45, width=10),
            rest.mark_text(align="right", baseline="bottom", dy=-3, dx=6, color=palette.INK).encode(
                text="words:N"
            ),
        ).properties(width=WIDTH, height=HEIGHT / 2, title=heading)
