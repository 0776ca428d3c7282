"""Metrics of many points over one set value: curves with bands, a line for each group of points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hopscope import palette
from hopscope.charts.style import axis_title, path_title
from hopscope.numerals import with_unit
from hopscope.overrides import Value, toml_text
from hopscope.report import answer, changes, figures
from hopscope.results import flows
from hopscope.results.outcome import Outcome

if TYPE_CHECKING:
    from hopscope.estimate import Estimate
    from hopscope.results.summary import Summary

Figure = dict[str, Any]

_MOST_GROUPS = 4
"""With more groups of points, or lines than colours, each group has a figure of its own with these axes."""
_MOST_MULTIPLES = 24


class Point(Protocol):
    """The properties of a point that a curve needs."""

    def find(self, key: str) -> "Estimate | None":
        """A metric; None if it has no number."""

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; points that are saturated are marked."""


@dataclass(frozen=True, slots=True)
class Curves:
    """Points with their places on the x axis and the names of their lines."""

    path: str
    points: Sequence[Point]
    places: Sequence[Value]
    groups: Sequence[str]

    def main_figures(self, summary: "Summary") -> list[Figure]:
        """Rounds, the main delay (logarithmic), what is offered and carried; as far as they exist."""
        drawn = self._rounds(summary)
        delay = summary.main_delay()
        if delay is not None:
            wanted = [(f"{delay}.mean", "mean", False), (f"{delay}.p99", "99th percentile", False)]
            unit = summary.metric_row(f"{delay}.mean")["unit"]
            y = figures.axis(axis_title(delay, unit), log=True)
            drawn += self._drawn(summary, wanted, y, delay.capitalize())
        if summary.has("throughput"):
            wanted = [("offered", "offered", True), ("throughput", "throughput", False)]
            y = figures.axis(with_unit("throughput", answer.unit_of(summary, "throughput")))
            drawn += self._drawn(summary, wanted, y, "Throughput")
        return drawn

    def _rounds(self, summary: "Summary") -> list[Figure]:
        """The times of rounds, a line for each job; a figure for each unit."""
        keys = flows.main_rounds(summary)
        drawn = []
        for unit in dict.fromkeys(summary.metric_row(key)["unit"] for key in keys):
            wanted = [
                (key, changes.words_of(key), False) for key in keys if summary.metric_row(key)["unit"] == unit
            ]
            y = figures.axis(axis_title("round time", unit))
            drawn += self._drawn(summary, wanted[: len(palette.SERIES)], y, "Rounds")
        return drawn

    def _drawn(
        self, summary: "Summary", wanted: Sequence[tuple[str, str, bool]], y: Figure, title: str
    ) -> list[Figure]:
        """One figure, or a small one for each group."""
        groups = list(dict.fromkeys(self.groups))
        loud = sum(not is_quiet for *_, is_quiet in wanted)
        if len(groups) <= _MOST_GROUPS and len(groups) * loud <= len(palette.SERIES):
            return [self._lines(summary, wanted, y, title)]
        values = [
            found.value
            for point in self.points
            for key, *_ in wanted
            if summary.has(key) and (found := point.find(key)) is not None
        ]
        ends = {"from": min(values), "to": max(values)} if values else {}
        return [
            self._only(group)._lines(summary, wanted, {**y, **ends}, f"{title}, {group}")
            for group in groups[:_MOST_MULTIPLES]
        ]

    def _only(self, group: str) -> "Curves":
        """The points of one group, which needs no name any more."""
        mine = [nth for nth, each in enumerate(self.groups) if each == group]
        points, places = [self.points[nth] for nth in mine], [self.places[nth] for nth in mine]
        return Curves(self.path, points, places, [""] * len(mine))

    def _lines(
        self, summary: "Summary", wanted: Sequence[tuple[str, str, bool]], y: Figure, title: str
    ) -> Figure:
        """Lines with bands: a key, its words, and whether it stays in the background."""
        names = list(dict.fromkeys(self.places))
        is_numeric = all(isinstance(place, int | float) for place in names)
        x = figures.axis(
            path_title(self.path), **({} if is_numeric else {"names": [str(place) for place in names]})
        )
        at = [
            float(place) if is_numeric and isinstance(place, int | float) else float(names.index(place))
            for place in self.places
        ]
        drawn: list[Figure] = []
        groups = list(dict.fromkeys(self.groups))
        loud = [nth for nth, (*_, is_quiet) in enumerate(wanted) if not is_quiet]
        for number, group in enumerate(groups):
            mine = [nth for nth, each in enumerate(self.groups) if each == group]
            for nth, (key, words, is_quiet) in enumerate(wanted):
                if not summary.has(key):
                    continue
                rows = [_row(at[place], self.points[place].find(key)) for place in mine]
                look = (
                    {"line": "dashed"} if is_quiet else {"line": "solid", "marks": "dots", "spread": "band"}
                )
                # Background lines have the colour of their group if there are several.
                colour = number * len(loud) + (loud[0] if is_quiet else nth)
                if is_quiet and len(groups) == 1:
                    colour = figures.BACKGROUND
                drawn.append(figures.series(", ".join(filter(None, (words, group))), colour, rows, **look))
        full = [at[nth] for nth, point in enumerate(self.points) if point.outcome is Outcome.SATURATED]
        if full and not any(is_quiet for *_, is_quiet in wanted):
            marks: list[figures.Row] = [(place, None) for place in dict.fromkeys(full)]
            drawn.append(figures.series(str(Outcome.SATURATED), figures.BACKGROUND, marks, marks="triangles"))
        return figures.lines(x, y, drawn, title)


def place_of(value: Value) -> Value:
    """A set value on the x axis: a number, or a text in its place."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number else toml_text(value).strip('"')


def _row(x: float, found: "Estimate | None") -> figures.Row:
    if found is None:
        return (x, None)
    ends = found.to_data()
    return (x, found.value, ends["low"], ends["high"])
