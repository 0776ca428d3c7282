"""Shared by points of sweeps, experiments and comparisons: a metric over all seeds, and its doubts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hopscope.errors import UnknownMetricError
from hopscope.estimate import Estimate, from_zero, pooled
from hopscope.metric_key import ROUND
from hopscope.numerals import amount, count, joined, listed
from hopscope.overrides import Value, toml_text
from hopscope.results import precision
from hopscope.results.gaps import Gap, begun, gaps_of, has_gap, unfinished
from hopscope.results.outcome import Outcome
from hopscope.results.precision import Shortfall
from hopscope.results.summary import Doubt, Summary

MOST_NAMED = 4
"""A note names at most this many points."""


class Measured(Protocol):
    """A run, or its summary, that has metrics."""

    def metric(self, key: str) -> Estimate | None:
        """Its estimate; None if no such number exists. Raises UnknownMetricError for an unknown metric."""


def over_seeds(
    key: str, runs: Sequence[Measured], summaries: Iterable[Summary], seeds: int
) -> Estimate | None:
    """A metric over all seeds, from the run of each; None if any has no such number.

    A seed without a run has none. If too few messages were measured in a run for an upper bound, the mean has
    none either: its high end is infinite. The interval of a non-negative quantity begins at 0 or above.
    Raises UnknownMetricError if no run has the metric.
    """
    known = [each for each in _found(key, runs) if each is not None]
    if not known or len(known) < seeds:
        return None
    mean = from_zero(pooled(known))
    return replace(mean, high=math.inf) if any(each.is_unbounded(key) for each in summaries) else mean


def _found(key: str, runs: Sequence[Measured]) -> list[Estimate | None]:
    """The metric of each run; one without events in a run has no number there."""
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
    """The text where a point of this outcome has no number."""
    return "too few messages" if outcome.has_delays else str(outcome)


def doubts_of(summaries: Iterable[Summary], short: Sequence[Shortfall]) -> list[str]:
    """The doubts about the figures of a point: those of its runs, each kind once.

    What is missing in the runs follows, and a missed precision is the last.
    """
    runs = list(summaries)
    found = {doubt for summary in runs for doubt in summary.doubts}
    return [
        *(doubt.value for doubt in Doubt if doubt in found),
        *(gap.value for gap in gaps_of(runs)),
        *([precision.NOT_REACHED] if short else []),
    ]


@dataclass(frozen=True, slots=True)
class Place:
    """A point as named in notes: its owner (if several), its settings, its runs' summaries.

    `short` are the shortfalls of its runs that missed their precision.
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
    """The doubts about these points in a table of these metrics, one note for each kind.

    What is missing comes first. A point is concerned as soon as one of its runs is.
    """
    told = []
    for gap in Gap:
        found = [place for place in places if any(has_gap(gap, run) for run in place.summaries)]
        if found:
            told.append(_missing(gap, found, len(places)))
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
        """The shortfalls of its runs that missed their precision."""


def notes_on_experiment(points: Sequence[PointOfExperiment], keys: Sequence[str]) -> list[str]:
    """As `notes_on`; points are named with their scenarios if there are several."""
    several = len({point.scenario for point in points}) > 1
    places = [
        Place(point.scenario if several else "", point.set, point.summaries, point.short) for point in points
    ]
    return notes_on(places, keys)


def _concerns(doubt: Doubt, summary: Summary, keys: Sequence[str]) -> bool:
    """Whether a doubt applies to a run; quantiles that are not shown do not count."""
    if doubt is Doubt.NO_UPPER_BOUND:
        return any(summary.is_unbounded(key) for key in keys)
    return doubt in summary.doubts


def _sentence(doubt: Doubt, found: Sequence[Place], total: int, keys: Sequence[str]) -> str:
    one, many, because = _WORDS[doubt]
    runs = [summary for place in found for summary in place.summaries]
    concerned = [run for run in runs if _concerns(doubt, run, keys)]
    of = ""
    if doubt is Doubt.NO_UPPER_BOUND:
        of = f" of {joined([key for key in keys if any(run.is_unbounded(key) for run in concerned)])}"
    return _told(found, total, (one + of, many + of), len(concerned), because)


def _missing(gap: Gap, found: Sequence[Place], total: int) -> str:
    """The note on what is missing in some runs of these points."""
    runs = [run for place in found for run in place.summaries if has_gap(gap, run)]
    if gap is Gap.UNFINISHED:
        left, all_flows = sum(map(unfinished, runs)), sum(map(begun, runs))
        because = (
            f"{count(left)} of {amount(all_flows, 'flow', 'flows')} had not ended, and latencies and "
            "slowdowns are those of the flows that ended"
        )
        return _told(found, total, ("has unfinished flows", "have unfinished flows"), len(runs), because)
    has_rounds = any(run.classes_of(ROUND) for run in runs)
    because = "no host sends it again, and " + (
        "the times of rounds count it as delivered; a job that needs it would have stopped"
        if has_rounds
        else "delays are those of the messages that arrived"
    )
    return _told(found, total, ("lost data for good", "lost data for good"), len(runs), because)


def _imprecise(found: Sequence[Place], total: int) -> str:
    short = [each for place in found for each in place.short]
    verb = "did not reach measure.precision"
    return _told(found, total, (verb, verb), len(short), precision.of_runs(short))


def _told(found: Sequence[Place], total: int, verbs: tuple[str, str], concerned: int, because: str) -> str:
    """The note: which points, or which runs of points that have names alone, and why.

    `verbs` is that of one point and that of several; `concerned` is the number of their runs.
    """
    one, many = verbs
    runs = sum(len(place.summaries) for place in found)
    if all(place.whose and not place.set for place in found):
        names = [place.whose for place in found]
        owners = listed(names, MOST_NAMED) if len(names) > MOST_NAMED else joined(names)
        which = "the run" if runs == 1 else f"{count(concerned)} of {count(runs)} runs"
        return f"{which} of {owners} {one if concerned == 1 else many}: {because}."
    subject = "the point" if total == 1 else f"{count(len(found))} of {count(total)} points"
    which = f", in {count(concerned)} of {count(runs)} runs" if concerned < runs else ""
    where = "" if total == 1 else _where(found)
    verb = one if len(found) == 1 else many
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
    Doubt.GROWING_QUEUE: (
        "has a growing queue",
        "have growing queues",
        "more is offered to some host than arrives there, and the mean latency grows with the run's length",
    ),
}
"""The words for one point, for several, and the reason."""


def _where(found: Sequence[Place]) -> str:
    """The first points by name, then the number of others: "traffic.load = 0.7, 0.8"."""
    paths = {tuple(place.set) for place in found}
    path = next(iter(paths))
    if len(paths) == len(path) == 1 and not any(place.whose for place in found):
        return f"{path[0]} = {listed([_plain(place.set[path[0]]) for place in found], MOST_NAMED)}"
    return listed([str(place) for place in found], MOST_NAMED, "; ")


def _plain(value: Value) -> str:
    return toml_text(value).strip('"')
