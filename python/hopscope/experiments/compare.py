"""Two designs compared on the same random numbers, seed by seed: what both have in common cancels out."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from hopscope import engine
from hopscope.bars import with_bar
from hopscope.errors import UsageError
from hopscope.estimate import Estimate, interval_of_mean
from hopscope.experiments.definition import overrides_of
from hopscope.experiments.elsewhere import HERE, Means, many_runs
from hopscope.grid import grid, swept_values
from hopscope.overrides import Overrides, Value, as_texts, whole_number
from hopscope.results import frames
from hopscope.results.points import Place, doubts_of, notes_on
from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepPoint
from hopscope.visible import escaped
from hopscope.watching import Watch, callback

SEEDS = 5
FEWEST_SEEDS = 2


class Verdict(StrEnum):
    """What a difference with its interval shows."""

    HIGHER = "B is higher"
    LOWER = "B is lower"
    OPEN = "no difference shown"
    SAME = "the same"
    NO_NUMBER = "no number"


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric of both designs at one setting, over all seeds.

    `change` is B minus A, seed by seed, with its 95 % interval; `share` is the same relative to A. Both are
    None where a run of either has no such number.
    """

    metric: str
    a: Estimate | None
    b: Estimate | None
    change: Estimate | None
    share: Estimate | None

    @property
    def verdict(self) -> Verdict:
        """Judged by the interval: a difference is shown where it does not hold 0."""
        if self.change is None:
            return Verdict.NO_NUMBER
        if self.change.low == self.change.high == 0:
            return Verdict.SAME
        if self.change.low > 0:
            return Verdict.HIGHER
        return Verdict.LOWER if self.change.high < 0 else Verdict.OPEN


@dataclass(frozen=True, slots=True)
class ComparedPoint:
    """One setting, with the runs of both designs by seed."""

    set: Mapping[str, Value]
    a: Sequence[RunResult]
    b: Sequence[RunResult]

    def difference(self, key: str) -> Difference:
        """A metric of both. Raises UnknownMetricError where one does not measure it."""
        first, second = ([run.metric(key) for run in runs] for runs in (self.a, self.b))
        pairs = [
            (one.value, two.value)
            for one, two in zip(first, second, strict=True)
            if one is not None and two is not None
        ]
        mean_a, mean_b = (side.metric(key) for side in self.sides.values())
        if mean_a is None or mean_b is None:
            return Difference(key, mean_a, mean_b, None, None)
        change = interval_of_mean([two - one for one, two in pairs], mean_a.unit)
        shares = [two / one - 1 for one, two in pairs if one]
        share = interval_of_mean(shares, "fraction") if len(shares) == len(pairs) else None
        return Difference(key, mean_a, mean_b, change, share)

    @property
    def sides(self) -> dict[str, SweepPoint]:
        """Both designs as points of a sweep, by their letters."""
        return {"A": SweepPoint(self.set, list(self.a)), "B": SweepPoint(self.set, list(self.b))}

    def metrics(self) -> list[str]:
        """What is compared unless something else is asked for: throughput, the delay's mean and p99."""
        return [key for key in self.a[0].summary.main_keys() if self.b[0].summary.has(key)]


class ComparisonResult:
    """Two designs, setting by setting."""

    def __init__(
        self,
        a: str,
        b: str,
        over: Mapping[str, Sequence[Value]],
        points: Sequence[ComparedPoint],
        settings_b: Sequence[str] = (),
    ) -> None:
        """Results are made by `compare`."""
        self.a = a
        self.b = b
        self.settings_b = list(settings_b)
        self.over = dict(over)
        self.points = list(points)

    @property
    def seeds(self) -> list[int]:
        """The seeds that both were run with."""
        return [run.seed for run in self.points[0].a]

    @property
    def b_in_words(self) -> str:
        """The name of B with what is set in it alone: A may be the same scenario."""
        return f"{self.b} with {', '.join(self.settings_b)}" if self.settings_b else self.b

    def data(self, metrics: Iterable[str] = ()) -> list[dict[str, Any]]:
        """Every difference as plain data: what is set, metric, unit, both means, the change, the verdict.

        `doubts` tells what speaks against the figures of each design.
        """
        asked = list(metrics)
        rows = []
        for point in self.points:
            doubts = {
                name.lower(): doubts_of(side.summaries, side.short) for name, side in point.sides.items()
            }
            for key in asked or point.metrics():
                rows.append({"set": dict(point.set)} | _data(point.difference(key)) | {"doubts": doubts})
        return rows

    def notes(self, metrics: Iterable[str] = ()) -> list[str]:
        """What speaks against the figures of these metrics, such as runs that are too short."""
        places = [
            Place(name, point.set, side.summaries, side.short)
            for point in self.points
            for name, side in point.sides.items()
        ]
        return notes_on(places, list(metrics) or self.points[0].metrics())

    def __repr__(self) -> str:
        """One line: both names, how many settings and seeds."""
        size = f"{len(self.points)} settings, {len(self.seeds)} seeds"
        return f"<ComparisonResult {self.a} and {self.b_in_words}: {size}>"

    def _repr_html_(self) -> str:
        """The first differences as a table, for notebooks."""
        words = (
            f"A is {self.a}, B is {self.b_in_words}; means over {len(self.seeds)} seeds with 95 % intervals"
        )
        rows = [
            (
                *point.set.values(),
                key,
                *(None if each is None else str(each) for each in (found.a, found.b, found.change)),
                str(found.verdict),
            )
            for point in self.points
            for key in point.metrics()
            for found in [point.difference(key)]
        ]
        columns = (*self.over, "metric", "A", "B", "B minus A", "verdict")
        return f"<p>{escaped(words)}</p>{frames.html(columns, rows)}"


@with_bar
def compare(  # noqa: PLR0913 - as `sweep`, with a second scenario
    a: str | Path,
    b: str | Path,
    over: Mapping[str, Iterable[Value]] | None = None,
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    set_b: Overrides | None = None,
    seed: int | None = None,
    seeds: int = SEEDS,
    means: Means = HERE,
    allow_files: bool = False,
    progress: Watch = None,
) -> ComparisonResult:
    """Compare two scenarios at every combination of the values in `over`, on the same seeds.

    `set` holds in both, `set_b` in the second alone. Streams of random numbers are found by name, so what
    both designs have in common sees the same traffic. Errors are those of `sweep`.

    Examples:
        >>> import hopscope
        >>> few = {"measure.messages": 20_000}
        >>> found = hopscope.compare("queueing-mm1", "queueing-md1", set=few, seeds=3)
        >>> str(found.points[0].difference("throughput").verdict)
        'no difference shown'
    """
    progress = callback(progress)
    over, settings_b, seeds = swept_values(over or {}), as_texts(set_b), whole_number("seeds", seeds)
    if seeds < FEWEST_SEEDS:
        raise UsageError(
            f"{seeds} seeds give no interval of a difference", f"ask for at least {FEWEST_SEEDS}"
        )
    common = as_texts(set)
    first = engine.load(a, common, seed, allow_files=allow_files)
    # Both have the seeds of the first: that is what makes them pairs.
    second = engine.load(b, [*common, *settings_b], first.seed, allow_files=allow_files)
    settings = [point.set for point in grid(over)]
    numbers = range(first.seed, first.seed + seeds)
    wanted = [
        base.with_overrides([*overrides_of(setting), f"seed={number}"])
        for setting in settings
        for base in (first, second)
        for number in numbers
    ]
    with many_runs(means):
        runs = engine.sweep(wanted, progress)
    results = iter([RunResult.of(*pair) for pair in zip(wanted, runs, strict=True)])
    points = [
        ComparedPoint(
            dict(setting), list(itertools.islice(results, seeds)), list(itertools.islice(results, seeds))
        )
        for setting in settings
    ]
    return ComparisonResult(first.name, second.name, over, points, settings_b)


def _data(found: Difference) -> dict[str, Any]:
    def numbers(estimate: Estimate | None) -> dict[str, float | None] | None:
        return None if estimate is None else estimate.to_data()

    unit = next((each.unit for each in (found.a, found.b) if each is not None), None)
    return {
        "metric": found.metric,
        "unit": unit,
        "a": numbers(found.a),
        "b": numbers(found.b),
        "change": numbers(found.change),
        "share": numbers(found.share),
        "verdict": str(found.verdict),
    }
