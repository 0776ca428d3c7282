"""Two designs compared on the same random numbers, seed by seed: what both have in common cancels out."""

import itertools
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from hopscope import _core, atomic, engine
from hopscope._core import ScenarioError
from hopscope.engine import ScenarioSource
from hopscope.errors import UsageError
from hopscope.escaping import escaped
from hopscope.estimate import Estimate, around, converted, interval_of_mean
from hopscope.experiments import comparison_folder
from hopscope.experiments.definition import overrides_of
from hopscope.experiments.execution import HERE, Execution, checked, many_runs
from hopscope.grid import MOST_RUNS_OF_A_SWEEP, grid, refuse_seed, refuse_set, swept_values
from hopscope.numerals import amount, count, number
from hopscope.overrides import Overrides, Value, as_texts, paths_of, toml_text, whole_number
from hopscope.paths import path_of
from hopscope.progress import Watch, callback
from hopscope.progress_bar import with_bar
from hopscope.results import attached, frames, labelled
from hopscope.results.folder import is_folder, scenario_file
from hopscope.results.gaps import Gap, gaps_of
from hopscope.results.points import Place, doubts_of, notes_on
from hopscope.results.run import REPORT_FILE, RunResult
from hopscope.results.sweep import SweepPoint

if TYPE_CHECKING:
    import pandas
    import polars as pl

    from hopscope._core import Scenario

_PLACE = re.compile(r"^( *--> )--set(?=:)", re.MULTILINE)
"""The place of an override in the message of an error."""

SEEDS = 5
FEWEST_SEEDS = 2


class Comparison(StrEnum):
    """What a difference with its interval shows."""

    HIGHER = "B is higher"
    LOWER = "B is lower"
    OPEN = "no difference shown"
    SAME = "the same"
    NO_INTERVAL = "no interval"
    NO_NUMBER = "no number"
    OTHER_UNITS = "units differ"


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric of both designs at one setting, over all seeds.

    `b` is in the unit of `a` if both are of one kind. `change` is B minus A, seed by seed, with its 95 %
    interval; `share` is the same over the mean of A. Both are None if a run of either has no such number or
    if the units are of different kinds, such as 1/s and Gbit/s; `share` also if the mean of A is not above 0.
    `lossy` are the designs ("A", "B") that lost data for good in some run.
    """

    metric: str
    a: Estimate | None
    b: Estimate | None
    change: Estimate | None
    share: Estimate | None
    lossy: Sequence[str] = ()

    @property
    def in_words(self) -> str:
        """The verdict, with the designs that lost data: their figures leave out what did not arrive."""
        lost = f"; {' and '.join(self.lossy)} lost data" if self.lossy else ""
        return f"{self.verdict}{lost}"

    @property
    def verdict(self) -> Comparison:
        """Judged by the interval: a difference is shown if it excludes 0.

        Without an interval there is no verdict.
        """
        if self.a is not None and self.b is not None and self.a.unit != self.b.unit:
            return Comparison.OTHER_UNITS
        if self.change is None:
            return Comparison.NO_NUMBER
        if self.change.low == self.change.high == 0:
            return Comparison.SAME
        if self.lacks_interval:
            return Comparison.NO_INTERVAL
        if self.change.low > 0:
            return Comparison.HIGHER
        return Comparison.LOWER if self.change.high < 0 else Comparison.OPEN

    @property
    def lacks_interval(self) -> bool:
        """Whether the seeds have one difference other than 0, though the numbers are not exact.

        Counts and maxima are exact: they have no intervals.
        """
        if self.change is None or self.change.value == 0 or self.change.low < self.change.high:
            return False
        return any(each is not None and each.low < each.high for each in (self.a, self.b))


@dataclass(frozen=True, slots=True)
class ComparedPoint:
    """One setting, with the runs of both designs by seed."""

    set: Mapping[str, Value]
    a: Sequence[RunResult]
    b: Sequence[RunResult]

    def difference(self, key: str) -> Difference:
        """A metric of both. Raises UnknownMetricError if one does not measure it."""
        mean_a, mean_b = (side.metric(key) for side in self.sides.values())
        if mean_a is None or mean_b is None:
            return Difference(key, mean_a, mean_b, None, None, self.lossy)
        in_unit_of_a = converted(mean_b, mean_a.unit)
        if in_unit_of_a is None:
            return Difference(key, mean_a, mean_b, None, None, self.lossy)
        pairs = list(zip(_values(self.a, key, mean_a.unit), _values(self.b, key, mean_a.unit), strict=True))
        change = interval_of_mean([two - one for one, two in pairs], mean_a.unit)
        return Difference(key, mean_a, in_unit_of_a, change, _share(pairs), self.lossy)

    @property
    def lossy(self) -> list[str]:
        """The designs ("A", "B") that lost data for good in some run."""
        return [name for name, side in self.sides.items() if Gap.LOST in gaps_of(side.summaries)]

    @property
    def sides(self) -> dict[str, SweepPoint]:
        """Both designs as points of a sweep, by their letters."""
        return {"A": SweepPoint(self.set, list(self.a)), "B": SweepPoint(self.set, list(self.b))}

    def metrics(self) -> list[str]:
        """The metrics compared by default: rounds, throughput, the delay's mean and p99."""
        return [key for key in self.a[0].summary.main_keys() if self.b[0].summary.has(key)]

    def every_metric(self, asked: Iterable[str] = ()) -> list[str]:
        """The asked metrics, then all that both designs measure, the main ones first."""
        mine, others, first = self.a[0].summary, self.b[0].summary, list(asked)
        told = [mine.metric_row(key) for key in first if mine.has(key)]
        shared = (key for key in mine.keys_main_first() if others.has(key))
        return [*first, *(key for key in shared if mine.metric_row(key) not in told)]


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

    def data(self, metrics: Iterable[str] = (), every: bool = False) -> list[dict[str, Any]]:
        """The differences as plain data: what is set, metric, unit, both means, the change, the verdict.

        These are the main metrics unless others are named, with `every` also all others. `unit` applies to
        all numbers, except those of `b` if `unit_b` is of another kind. `doubts` are those about the figures
        of each design.
        """
        asked = list(metrics)
        rows = []
        for point in self.points:
            doubts = {
                name.lower(): doubts_of(side.summaries, side.short) for name, side in point.sides.items()
            }
            for key in point.every_metric(asked) if every else asked or point.metrics():
                rows.append({"set": dict(point.set)} | _data(point.difference(key)) | {"doubts": doubts})
        return rows

    def notes(self, metrics: Iterable[str] = ()) -> list[str]:
        """The doubts about these metrics, such as runs that are too short."""
        places = [
            Place(name, point.set, side.summaries, side.short)
            for point in self.points
            for name, side in point.sides.items()
        ]
        told = list(metrics) or self.points[0].metrics()
        return [*notes_on(places, told), *(self._sizes() if "throughput" in told else [])]

    def _sizes(self) -> list[str]:
        """The numbers of hosts of A and B if they differ, with the throughput per host.

        Throughput is that of the whole network: the larger one carries more without being better.
        """
        hosts = {name: _hosts(side.runs[0]) for name, side in self.points[0].sides.items()}
        if len(set(hosts.values())) == 1 or not all(hosts.values()):
            return []
        counts = " and ".join(f"{name} has {count(each)} hosts" for name, each in hosts.items())
        told = []
        for point in self.points:
            means = {name: side.metric("throughput") for name, side in point.sides.items()}
            words = [
                f"{number(mean.value / hosts[name])} {mean.unit} in {name}"
                for name, mean in means.items()
                if mean is not None
            ]
            where = ", ".join(f"{path} = {toml_text(value)}" for path, value in point.set.items())
            told.append(" and ".join(words) + (where and f" ({where})"))
        return [f"{counts}: throughput is that of all of them, for each host {', '.join(told)}."]

    def deadlocks(self) -> dict[str, RunResult]:
        """The first run of each design ("A", "B") that ended in a deadlock; none of one without."""
        found: dict[str, RunResult] = {}
        for point in self.points:
            for name, side in point.sides.items():
                for run in side.runs:
                    if run.summary.fields["stuck"] is not None:
                        found.setdefault(name, run)
        return found

    @cached_property
    def metrics(self) -> "pl.DataFrame":
        """Every difference: swept paths, metric, class, statistic, unit, unit_b, numbers, verdict, lost_data.

        The numbers are a, b, change and share (a fraction), each with its 95 % interval (a_low, a_high), and
        null if there is none. `lost_data` names the designs that lost data for good.
        """
        return frames.frame(comparison_folder.rows(self), (), comparison_folder.columns(self))

    def to_pandas(self) -> "pandas.DataFrame":
        """`metrics` as a frame of pandas."""
        return labelled.frame(list(comparison_folder.columns(self)), comparison_folder.rows(self))

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one self-contained HTML page about the comparison; returns its path.

        Raises UsageError if that fails.
        """
        from hopscope.report import designs_page

        target = path_of("path", path)
        atomic.write_file(target, designs_page.page(self).html())
        return target

    def save(
        self, folder: str | os.PathLike[str], report: bool = True, *, metrics: Sequence[str] = ()
    ) -> Path:
        """Write the folder, completely or not at all, and then report.html unless disabled; returns its path.

        It holds comparison.json, comparison.csv and runs/; `metrics` are told before those that both designs
        measure. A report that cannot be drawn is a warning. Raises UsageError if the folder exists or cannot
        be written.
        """
        target = path_of("folder", folder)
        kept = atomic.write_folder(target, lambda partial: comparison_folder.write(self, partial, metrics))
        if report:
            attached.warn(attached.drawn(lambda: self.report(kept / REPORT_FILE)))
        return kept

    def __repr__(self) -> str:
        """One line: both names, how many settings and seeds."""
        settings = amount(len(self.points), "setting", "settings")
        size = f"{settings}, {amount(len(self.seeds), 'seed', 'seeds')}"
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
                found.in_words,
            )
            for point in self.points
            for key in point.metrics()
            for found in [point.difference(key)]
        ]
        columns = (*self.over, "metric", "A", "B", "B minus A", "verdict")
        return f"<p>{escaped(words)}</p>{frames.html(columns, rows)}"


@with_bar
def compare(  # noqa: PLR0913 - as `sweep`, with a second scenario
    a: "ScenarioSource | Scenario",
    b: "ScenarioSource | Scenario",
    over: Mapping[str, Iterable[Value]] | None = None,
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    set_b: Overrides | None = None,
    seed: SupportsIndex | None = None,
    seeds: SupportsIndex = SEEDS,
    execution: Execution = HERE,
    allow_files: bool = False,
    progress: Watch = None,
) -> ComparisonResult:
    """Compare two scenarios at every combination of the values in `over`, on the same seeds.

    `set` applies to both, `set_b` to the second alone. Random streams are found by name, so the common parts
    of both designs get the same traffic. Errors are those of `sweep`.

    Examples:
        >>> import hopscope
        >>> few = {"measure.messages": 20_000}
        >>> found = hopscope.compare("queueing-mm1", "queueing-md1", set=few, seeds=3)
        >>> str(found.points[0].difference("throughput").verdict)
        'no difference shown'
    """
    progress, execution = callback(progress), checked(execution)
    over = swept_values({} if over is None else over)
    settings_b, seeds = as_texts(set_b, "set_b"), whole_number("seeds", seeds)
    if seeds > MOST_RUNS_OF_A_SWEEP:
        raise UsageError(f"{seeds} seeds are out of range", f"ask for at most {MOST_RUNS_OF_A_SWEEP}")
    if seeds < FEWEST_SEEDS:
        raise UsageError(
            f"{amount(seeds, 'seed gives', 'seeds give')} no interval of a difference",
            f"ask for at least {FEWEST_SEEDS}",
        )
    common = as_texts(set)
    # A setting of B alone that the pairs of seeds, or the values of `over`, would replace without a word.
    refuse_seed(paths_of(settings_b))
    refuse_set(over, common)
    refuse_set(over, settings_b, "set_b")
    for name, given in (("A", a), ("B", b)):
        _refuse_run(name, given)
    first = engine.load(a, common, seed, allow_files=allow_files, argument="a")
    # Both have the seeds of the first, so runs are pairs.
    second = _second(b, common, settings_b, first.seed, allow_files)
    settings = [point.set for point in grid(over)]
    numbers = range(first.seed, first.seed + seeds)
    wanted = [
        base.with_overrides([*overrides_of(setting), f"seed={number}"])
        for setting in settings
        for base in (first, second)
        for number in numbers
    ]
    with many_runs(execution):
        runs = engine.sweep(wanted, progress)
    results = iter([RunResult.of(*pair) for pair in zip(wanted, runs, strict=True)])
    points = [
        ComparedPoint(
            dict(setting), list(itertools.islice(results, seeds)), list(itertools.islice(results, seeds))
        )
        for setting in settings
    ]
    return ComparisonResult(_name(a, first, "A"), _name(b, second, "B"), over, points, settings_b)


def _name(given: "ScenarioSource | Scenario", scenario: "Scenario", letter: str) -> str:
    """The name of a design; that of a dict is its title, or without one its letter."""
    return str(given.get("title") or letter) if isinstance(given, Mapping) else scenario.name


def _hosts(run: RunResult) -> int:
    """How many hosts the network of a run has; 0 without a network."""
    network = run.network
    return 0 if network is None else sum(node["kind"] == "host" for node in network["nodes"])


def _refuse_run(name: str, given: "ScenarioSource | Scenario") -> None:
    """Refuse the folder of a finished run, which has one seed; but not a ready scenario's name."""
    if is_folder(given) and all(ready != os.fspath(given) for ready, *_ in _core.ready_scenarios()):
        raise UsageError(
            f"{name}: `{given}` is a finished run, of one seed",
            f"give its scenario, {scenario_file(given)}; `hopscope view` shows finished runs side by side",
        )


def _second(
    b: "ScenarioSource | Scenario",
    common: Sequence[str],
    own: Sequence[str],
    seed: int,
    allow_files: bool,
) -> "Scenario":
    """B with the settings of both and its own. Raises ScenarioError."""
    try:
        return engine.load(b, [*common, *own], seed, allow_files=allow_files, argument="b")
    except ScenarioError as refused:
        try:
            engine.load(b, common, seed, allow_files=allow_files)
        except ScenarioError:
            raise refused from None
        # The engine has one name for the place of every override.
        raise ScenarioError(_PLACE.sub(r"\1--set-b", str(refused))) from None


def _values(runs: Sequence[RunResult], key: str, unit: str) -> list[float]:
    """The metric of each run in this unit, which is of its kind; none of them is without a number."""
    found = [run.metric(key) for run in runs]
    return [each.value for one in found if one is not None and (each := converted(one, unit)) is not None]


def _share(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """The mean of B minus A over the mean of A; None if the latter is not above 0.

    It is a ratio of two means of the same seeds. Its interval is the first-order one: that of the mean of
    (B - ratio * A) / mean of A, seed by seed, as both means have errors that go together.
    """
    mean_a, mean_b = (math.fsum(side) / len(pairs) for side in zip(*pairs, strict=True))
    if mean_a <= 0:
        return None
    ratio = mean_b / mean_a
    errors = interval_of_mean([(two - ratio * one) / mean_a for one, two in pairs], "fraction")
    return around(ratio - 1, errors.half_width, "fraction", len(pairs))


def _data(found: Difference) -> dict[str, Any]:
    def numbers(estimate: Estimate | None) -> dict[str, float | None] | None:
        return None if estimate is None else estimate.to_data()

    unit_b, unit = (None if each is None else each.unit for each in (found.b, found.a or found.b))
    return {
        "metric": found.metric,
        "unit": unit,
        "unit_b": unit_b or unit,
        "a": numbers(found.a),
        "b": numbers(found.b),
        "change": numbers(found.change),
        "share": numbers(found.share),
        "verdict": str(found.verdict),
    }
