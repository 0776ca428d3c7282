"""Two designs compared on the same random numbers, seed by seed: what both have in common cancels out."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core, engine
from hopscope.bars import with_bar
from hopscope.errors import UsageError
from hopscope.estimate import Estimate, around
from hopscope.experiments.definition import overrides_of
from hopscope.experiments.elsewhere import HERE, Means, many_runs
from hopscope.grid import grid
from hopscope.overrides import Overrides, Value, as_texts
from hopscope.results import frames
from hopscope.results.run import RunResult
from hopscope.visible import escaped
from hopscope.watching import Watch, callback

if TYPE_CHECKING:
    pass

SEEDS = 5
FEWEST_SEEDS = 2
CONFIDENCE = 0.95


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
            (one, two) for one, two in zip(first, second, strict=True) if one is not None and two is not None
        ]
        if len(pairs) < len(self.a):
            return Difference(key, _mean(first), _mean(second), None, None)
        unit = pairs[0][0].unit
        changes = [two.value - one.value for one, two in pairs]
        shares = [two.value / one.value - 1 for one, two in pairs if one.value]
        share = interval_of_mean(shares, "fraction") if len(shares) == len(pairs) else None
        return Difference(key, _mean(first), _mean(second), interval_of_mean(changes, unit), share)

    def metrics(self) -> list[str]:
        """What is compared unless something else is asked for: throughput, the delay's mean and p99."""
        one, two = self.a[0].summary, self.b[0].summary
        delay = one.main_delay()
        keys = ["throughput", *([f"{delay}.mean", f"{delay}.p99"] if delay else [])]
        return [key for key in keys if one.has(key) and two.has(key)]


class ComparisonResult:
    """Two designs, setting by setting."""

    def __init__(
        self, a: str, b: str, over: Mapping[str, Sequence[Value]], points: Sequence[ComparedPoint]
    ) -> None:
        """Results are made by `compare`."""
        self.a = a
        self.b = b
        self.over = dict(over)
        self.points = list(points)

    @property
    def seeds(self) -> list[int]:
        """The seeds that both were run with."""
        return [run.seed for run in self.points[0].a]

    def data(self, metrics: Iterable[str] = ()) -> list[dict[str, Any]]:
        """Every difference as plain data: what is set, metric, unit, both means, the change, the verdict."""
        asked = list(metrics)
        return [
            {"set": dict(point.set)} | _data(point.difference(key))
            for point in self.points
            for key in asked or point.metrics()
        ]

    def __repr__(self) -> str:
        """One line: both names, how many settings and seeds."""
        return (
            f"<ComparisonResult {self.a} and {self.b}: {len(self.points)} settings, {len(self.seeds)} seeds>"
        )

    def _repr_html_(self) -> str:
        """The first differences as a table, for notebooks."""
        words = f"A is {self.a}, B is {self.b}; means over {len(self.seeds)} seeds with 95 % intervals"
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
def compare(
    a: str | Path,
    b: str | Path,
    over: Mapping[str, Sequence[Value]] | None = None,
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    set_b: Overrides | None = None,
    seed: int | None = None,
    seeds: int = SEEDS,
    means: Means = HERE,
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
    if seeds < FEWEST_SEEDS:
        raise UsageError(
            f"{seeds} seeds give no interval of a difference", f"ask for at least {FEWEST_SEEDS}"
        )
    first = engine.load(a, set, seed)
    # Both have the seeds of the first: that is what makes them pairs.
    second = engine.load(b, [*as_texts(set), *as_texts(set_b)], first.seed)
    settings = [point.set for point in grid(over or {})]
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
    return ComparisonResult(first.name, second.name, over or {}, points)


def interval_of_mean(values: Sequence[float], unit: str) -> Estimate:
    """The mean of independent values with its 95 % interval by Student's t."""
    count = len(values)
    mean = math.fsum(values) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    return around(mean, _core.student_t(CONFIDENCE, count - 1) * deviation / math.sqrt(count), unit, count)


def _mean(found: Sequence[Estimate | None]) -> Estimate | None:
    """The mean over the seeds; None where a run has no such number."""
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    mean = interval_of_mean([each.value for each in known], known[0].unit)
    return replace(mean, can_be_negative=any(each.can_be_negative for each in known))


def _data(found: Difference) -> dict[str, Any]:
    def numbers(estimate: Estimate | None) -> dict[str, float] | None:
        return (
            None
            if estimate is None
            else {"value": estimate.value, "low": estimate.low, "high": estimate.high}
        )

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
