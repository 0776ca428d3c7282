"""The look that all charts share, and the words on their axes."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from hopscope import palette
from hopscope.extras import extra
from hopscope.numerals import TIME_DIGITS, duration, with_unit

if TYPE_CHECKING:
    import altair as alt

AnyChart = TypeVar("AnyChart", bound="alt.TopLevelMixin")
"""A chart, or several on one another or side by side."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
# Letters are measured with one font and drawn with the reader's: on the right there is room for wider ones.
PADDING = {"left": 5, "top": 5, "right": 28, "bottom": 5}
WIDTH = 440
HEIGHT = 280
MOST_TICKS = 12
_SPAN_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
LEAST_SHARE = 0.001  # of a life; thinner slices cannot be seen


def styled(chart: AnyChart) -> AnyChart:
    """The finished chart: light, with quiet axes and one font."""
    axis = {
        "labelColor": palette.QUIET_INK,
        "titleColor": palette.INK,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 11,
        "titlePadding": 8,
        "gridColor": "#eceff2",
        "domainColor": palette.RULE,
        "tickColor": palette.RULE,
    }
    legend = {
        "titleColor": palette.INK,
        "labelColor": palette.INK,
        "titleFontWeight": "normal",
        "labelFontSize": 11,
        "titleFontSize": 11,
    }
    return (
        chart.configure(font=FONT, background=palette.PAPER, padding=PADDING)
        .configure_view(stroke=None)
        .configure_axis(**axis)
        .configure_legend(**legend)
        .configure_title(anchor="start", color=palette.INK, fontSize=13, fontWeight=600, offset=10)
        .configure_header(labelColor=palette.INK, labelFontSize=11, title=None)
    )


def number_axis(title: str, values: Iterable[float]) -> "alt.X":
    """The x axis over measured numbers, with a tick at each of them as long as these are few."""
    with extra("charts"):
        import altair as alt

    places = sorted(set(values))
    ticks: dict[str, Any] = {"values": places} if len(places) <= MOST_TICKS else {"tickCount": MOST_TICKS}
    axis = alt.Axis(labelFlush=False, labelOverlap=True, format=".4~r", **ticks)
    return alt.X("x:Q", title=title, scale=alt.Scale(zero=False, nice=False, padding=14), axis=axis)


def unit_words(unit: str) -> str:
    """A unit as pages print it: with its Greek letter and its powers; a count has none."""
    return {"us": "µs", "1": "", "1/s2": "1/s²"}.get(unit, unit)


def time_words(us: float, digits: int = TIME_DIGITS, like: float | None = None) -> str:
    """A time in microseconds as pages print it: 12 µs, 9.1 ms, 2.8 s. As `numerals.duration`."""
    return duration(us, unit_words("us"), digits, like)


def span_unit(longest_s: float) -> tuple[float, str]:
    """The unit in which times up to this one are short numbers: its size in seconds, and its name."""
    return next(((size, unit) for size, unit in _SPAN_UNITS if longest_s >= size), _SPAN_UNITS[-1])


def axis_title(name: str, unit: str) -> str:
    """A name with its unit, as in "latency (µs)"; counts and shares need none."""
    return with_unit(name, unit_words(unit))


def drawn_end(end: float | None, value: float) -> float:
    """An end of an interval as far as it can be drawn: one without bound is left out."""
    return end if end is not None and math.isfinite(end) else value


def path_title(path: str) -> str:
    """A swept path on an axis: its last word, then the path that `--set` takes."""
    last = path.rpartition(".")[2].replace("_", " ").replace("-", " ")
    return last if last == path else f"{last} ({path})"
