"""What points of sweeps, experiments and comparisons share: a metric over all seeds, and doubts about it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hopscope.errors import UnknownMetricError
from hopscope.estimate import Estimate, from_zero, pooled
from hopscope.numerals import count, joined, listed
from hopscope.overrides import Value, toml_text
from hopscope.results import precision
from hopscope.results.outcome import Outcome
from hopscope.results.precision import Shortfall
from hopscope.results.summary import Doubt, Summary

MOST_NAMED = 4
"""A note names no more points than these."""


class Measured(Protocol):
    """A run, or its summary, that is asked for a metric."""

    def metric(self, key: str) -> Estimate | None:
        """Its estimate; None where no such number exists. Raises UnknownMetricError for no metric of it."""


def over_seeds(
    key: str, runs: Sequence[Measured], summaries: Iterable[Summary], seeds: int
) -> Estimate | None:
    """A metric over all seeds, from the run of each; None as soon as one has no such number.

    A seed without a run has none. Where too few messages were measured in a run for an upper bound, the mean
    has none either: its high end is infinite. The interval of what cannot be negative begins at 0 or above.
    Raises UnknownMetricError where no run has the metric.
    """
    known = [each for each in _found(key, runs) if each is not None]
    if not known or len(known) < seeds:
        return None
    mean = from_zero(pooled(known))
    return replace(mean, high=math.inf) if any(each.is_unbounded(key) for each in summaries) else mean


def _found(key: str, runs: Sequence[Measured]) -> list[Estimate | None]:
    """What each run tells of a metric; what nothing happened of in one run is no number of that run."""
    found: list[Estimate | None] = []
    missing: list[UnknownMetricError] = []
    for run in runs:
        try:
            found.append(run.metric(key))
        except UnknownMetricError as unknown:
            missing.append(unknown)
    if missing and not found:
        raise missing[0]
    return [*found, *(None for _ in missing)]


def no_number(outcome: Outcome) -> str:
    """What stands where a point of this outcome has no number."""
    return "too few messages" if outcome.has_delays else str(outcome)


def doubts_of(summaries: Iterable[Summary], short: Sequence[Shortfall]) -> list[str]:
    """What speaks against the figures of a point: the doubts of its runs, each kind once.

    A precision that one of them did not reach is the last.
    """
    found = {doubt for summary in summaries for doubt in summary.doubts}
    return [*(doubt.value for doubt in Doubt if doubt in found), *([precision.NOT_REACHED] if short else [])]


@dataclass(frozen=True, slots=True)
class Place:
    """A point as notes name it: whose it is (where there are several), what is set, its runs' summaries.

    `short` are the shortfalls of those of its runs that did not reach their precision.
    """

    whose: str
    set: Mapping[str, Value]
    summaries: Sequence[Summary]
    short: Sequence[Shortfall] = ()

    def __str__(self) -> str:
        """In words: "A at traffic.load = 0.7"."""
        settings = ", ".join(f"{path} = {_plain(value)}" for path, value in self.set.items())
        return " at ".join(words for words in (self.whose, settings) if words)


def notes_on(places: Sequence[Place], keys: Sequence[str]) -> list[str]:
    """What speaks against the figures of these points in a table of these metrics, one sentence a kind.

    A point is concerned as soon as one of its runs is.
    """
    told = []
    for doubt in Doubt:
        found = [place for place in places if any(_concerns(doubt, run, keys) for run in place.summaries)]
        if found:
            told.append(_sentence(doubt, found, len(places), keys))
    if imprecise := [place for place in places if place.short]:
        told.append(_imprecise(imprecise, len(places)))
    return told


class PointOfExperiment(Protocol):
    """A point of an experiment, performed or kept."""

    @property
    def scenario(self) -> str:
        """The name of its scenario."""

    @property
    def set(self) -> Mapping[str, Value]:
        """What is set in it."""

    @property
    def summaries(self) -> Sequence[Summary]:
        """The summaries of its runs."""

    @property
    def short(self) -> Sequence[Shortfall]:
        """The shortfalls of those of its runs that did not reach their precision."""


def notes_on_experiment(points: Sequence[PointOfExperiment], keys: Sequence[str]) -> list[str]:
    """As `notes_on`: points are named with their scenarios where there are several."""
    several = len({point.scenario for point in points}) > 1
    places = [
        Place(point.scenario if several else "", point.set, point.summaries, point.short) for point in points
    ]
    return notes_on(places, keys)


def _concerns(doubt: Doubt, summary: Summary, keys: Sequence[str]) -> bool:
    """Whether a doubt holds for a run; a quantile that is not shown is of no account."""
    if doubt is Doubt.NO_UPPER_BOUND:
        return any(summary.is_unbounded(key) for key in keys)
    return doubt in summary.doubts


def _sentence(doubt: Doubt, found: Sequence[Place], total: int, keys: Sequence[str]) -> str:
    one, many, because = _WORDS[doubt]
    runs = [summary for place in found for summary in place.summaries]
    concerned = [run for run in runs if _concerns(doubt, run, keys)]
    verb = one if len(found) == 1 else many
    if doubt is Doubt.NO_UPPER_BOUND:
        verb += f" of {joined([key for key in keys if any(run.is_unbounded(key) for run in concerned)])}"
    return _told(found, total, verb, len(concerned), because)


def _imprecise(found: Sequence[Place], total: int) -> str:
    short = [each for place in found for each in place.short]
    return _told(found, total, "did not reach measure.precision", len(short), precision.of_runs(short))


def _told(found: Sequence[Place], total: int, verb: str, concerned: int, because: str) -> str:
    """The sentence: which points, what is the matter with so many of their runs, and why."""
    subject = "the point" if total == 1 else f"{count(len(found))} of {count(total)} points"
    runs = sum(len(place.summaries) for place in found)
    which = f", in {count(concerned)} of {count(runs)} runs" if concerned < runs else ""
    where = "" if total == 1 else _where(found)
    return f"{subject} {verb}{which}{f' ({where})' if where else ''}: {because}."


_WORDS = {
    Doubt.TRANSIENT: (
        "did not settle",
        "did not settle",
        "the start-up transient had not ended when the measurement began, so the means may be biased",
    ),
    Doubt.TOO_FEW: ("has no confidence intervals", "have no confidence intervals", "too few messages"),
    Doubt.CORRELATED: (
        "is too short",
        "are too short",
        "delays in successive batches are correlated, so the intervals of delays are too narrow",
    ),
    Doubt.NO_UPPER_BOUND: ("has no upper bound", "have no upper bound", "too few messages"),
}
"""What is said of one point, of several, and why."""


def _where(found: Sequence[Place]) -> str:
    """The first points by name, and how many more there are: "traffic.load = 0.7, 0.8"."""
    paths = {tuple(place.set) for place in found}
    path = next(iter(paths))
    if len(paths) == len(path) == 1 and not any(place.whose for place in found):
        return f"{path[0]} = {listed([_plain(place.set[path[0]]) for place in found], MOST_NAMED)}"
    return listed([str(place) for place in found], MOST_NAMED, "; ")


def _plain(value: Value) -> str:
    return toml_text(value).strip('"')
