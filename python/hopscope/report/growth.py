"""How the main times of a sweep change over its points, in sentences."""

from typing import TYPE_CHECKING

from hopscope.charts.style import time_words
from hopscope.numerals import SUM_DIGITS
from hopscope.report import answer, changes
from hopscope.results import flows
from hopscope.results.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopscope.results.summary import Summary
    from hopscope.results.sweep import SweepPoint, SweepResult

_MOST_ROUNDS = 2
"""The times of this many jobs are told."""


def keys(summary: "Summary") -> list[str]:
    """The times that are told: the rounds of the first jobs, then the mean of the main delay."""
    delay = summary.main_delay()
    return [*flows.main_rounds(summary)[:_MOST_ROUNDS], *([f"{delay}.mean"] if delay else [])]


def sentence(sweep: "SweepResult", key: str) -> list[str]:
    """How one time changes over the points that are not saturated and have a number; nothing without one.

    Over one path it goes from the first point to the last. Over several, the first and the last differ in
    more than one value, so the points of the least and of the greatest time are named.
    """
    settled = [point for point in sweep.points if point.outcome is not Outcome.SATURATED]
    times = [(answer.in_us(found), point) for point in settled if (found := point.find(key)) is not None]
    if not times:
        return []
    subject = f"The {changes.words_of(key)}"
    if len(times) == 1:
        return [f"{subject} is {_at(times[0], times)}."]
    if len(sweep.over) == 1:
        return [f"{subject} goes from {_at(times[0], times)} to {_at(times[-1], times)}."]
    least, most = (choose(times, key=lambda each: each[0]) for choose in (min, max))
    if least[0] == most[0]:
        return [f"{subject} is the same at all points, {_time(least[0], times)}."]
    return [f"{subject} is shortest, {_at(least, times)}, and longest, {_at(most, times)}."]


def like(sweep: "SweepResult") -> float | None:
    """The greatest mean of the main delay in microseconds, whose unit other times beside it use."""
    delay = sweep.first.summary.main_delay()
    found = [point.find(f"{delay}.mean") for point in sweep.points] if delay else []
    return max((answer.in_us(mean) for mean in found if mean is not None), default=None)


def _at(told: "tuple[float, SweepPoint]", times: "Sequence[tuple[float, SweepPoint]]") -> str:
    """A time with its point: "732 µs at load 0.5"."""
    us, point = told
    return f"{_time(us, times)} at {changes.setting(point.set)}"


def _time(us: float, times: "Sequence[tuple[float, SweepPoint]]") -> str:
    """A time in microseconds, in the unit of the longest of its sentence."""
    return time_words(us, SUM_DIGITS, max(each for each, _ in times))
