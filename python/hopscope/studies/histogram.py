"""A figure of a distribution that runs keep as a series, such as the histogram of round trips."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscope import palette
from hopscope.charts.style import HEIGHT, WIDTH, styled
from hopscope.errors import UsageError
from hopscope.studies.evidence import Evidence, Setting

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, slots=True)
class Histogram:
    """A line for each setting: the share of all observations in each bin of the named series.

    The series has a point a bin: the bin's upper end (in seconds, drawn in ms) and how many fell into it.
    Bins beyond `until` ms are counted with the last one drawn.
    """

    title: str
    x_title: str
    y_title: str
    series: str
    until: float
    lines: tuple[tuple[str, Setting], ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings that have not been simulated."""
        return [setting for _, setting in self.lines if setting not in evidence]

    def shares(self, setting: Setting, evidence: Evidence) -> list[tuple[float, float]]:
        """Bins, as their upper end in ms with the share of observations, over all seeds."""
        counts: dict[float, float] = {}
        for run in evidence.runs(setting):
            for time_s, name, value in run.series.iter_rows():
                if name == self.series:
                    place = min(round(1000 * time_s, 6), self.until)
                    counts[place] = counts.get(place, 0.0) + value
        total = sum(counts.values())
        if not total:
            raise UsageError(f"the run has no series `{self.series}`", "see series.parquet")
        return [(place, count / total) for place, count in sorted(counts.items())]

    def draw(self, evidence: Evidence) -> "alt.LayerChart":
        """The figure, one panel below the other, so that each shape is seen whole."""
        import altair as alt

        panels = []
        for index, (label, setting) in enumerate(self.lines):
            rows = [{"bin": place, "share": share} for place, share in self.shares(setting, evidence)]
            bars = (
                alt.Chart(alt.Data(values=rows))
                .mark_bar(color=palette.SERIES[index % len(palette.SERIES)], binSpacing=0, width=3)
                .encode(
                    x=alt.X(
                        "bin:Q",
                        title=self.x_title,
                        axis=alt.Axis(tickCount=6),
                        scale=alt.Scale(domain=[0, self.until]),
                    ),
                    y=alt.Y("share:Q", title=self.y_title, axis=alt.Axis(format="%", tickCount=4)),
                    tooltip=[alt.Tooltip("bin:Q", title="up to (ms)"), alt.Tooltip("share:Q", format=".2%")],
                )
            )
            heading = alt.TitleParams(label, fontSize=12, fontWeight="normal", offset=4)
            panels.append(bars.properties(width=WIDTH, height=HEIGHT / 2.4, title=heading))
        return styled(alt.vconcat(*panels, title=self.title))
