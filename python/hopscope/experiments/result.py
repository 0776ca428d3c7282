"""The result of an experiment. It holds no runs: they are read from the store when needed."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.estimate import Estimate
from hopscope.experiments.definition import Experiment, Setting, overrides_of
from hopscope.experiments.execution import kept_run
from hopscope.extras import extra
from hopscope.numerals import amount
from hopscope.overrides import Value
from hopscope.results import frames, labelled, precision
from hopscope.results.frames import Kind
from hopscope.results.outcome import Outcome
from hopscope.results.points import over_seeds
from hopscope.results.precision import Shortfall
from hopscope.results.run import RunResult
from hopscope.results.summary import Summary
from hopscope.results.sweep import SweepPoint, SweepResult
from hopscope.store.store import Failure, RunKey, Store

if TYPE_CHECKING:
    import pandas
    import polars as pl

    from hopscope._core import Scenario
    from hopscope.experiments.driver import Tally


@dataclass(slots=True)
class Row:
    """A scenario with a setting, by their numbers: the hash of its runs in the store, and its seeds."""

    scenario: int
    place: int
    hash: str
    first_seed: int
    count: int
    parcel: str | None = None

    def seeds(self) -> range:
        """Its seeds."""
        return range(self.first_seed, self.first_seed + self.count)


@dataclass(frozen=True, slots=True)
class ExperimentPoint:
    """One scenario with one setting: the summaries of its runs, one a seed; failed runs have none."""

    scenario: str
    set: dict[str, Value]
    seeds: range
    summaries: list[Summary]
    measure: Mapping[str, Any] = field(default_factory=dict)
    """The section `measure` of its scenario."""

    @property
    def short(self) -> list[Shortfall]:
        """The shortfalls of its runs that missed `measure.precision`."""
        found = [precision.shortfall(summary, self.measure) for summary in self.summaries]
        return [each for each in found if each is not None]

    def metric(self, key: str) -> Estimate | None:
        """The metric over all seeds; None if any run has no such number: it failed or saturated.

        A quantile has no upper bound, and `high` is infinite, if any run was too short for it. Raises
        UnknownMetricError if no run has the metric.
        """
        return over_seeds(key, self.summaries, self.summaries, len(self.seeds))

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its runs; a run that failed is worse than any other."""
        if len(self.summaries) < len(self.seeds):
            return Outcome.FAILED
        return Outcome.of_runs(each.outcome for each in self.summaries)


class ExperimentResult:
    """The points of an experiment, read from its store one after the other."""

    def __init__(
        self, experiment: Experiment, called: str, store: Store, rows: list[Row], tally: "Tally"
    ) -> None:
        """Results are made by `experiment`."""
        self.experiment = experiment
        self.called = called
        self.store = store
        self.rows = rows
        self.tally = tally

    @property
    def failures(self) -> list[Failure]:
        """The runs that failed: cause, message, and the command that repeats each."""
        return list(self.tally.failed)

    @cached_property
    def names(self) -> list[str]:
        """The scenarios' names."""
        return [base.name for base in self._bases]

    @cached_property
    def _bases(self) -> "list[Scenario]":
        return self.experiment.bases()

    @cached_property
    def _measures(self) -> list[Mapping[str, Any]]:
        """The section `measure` of each scenario."""
        return [_measure_of(base) for base in self._bases]

    def _measure(self, row: Row, setting: Setting) -> Mapping[str, Any]:
        """The section `measure` of a point."""
        if any(path.split(".")[0] == "measure" for path, _ in setting):
            return _measure_of(self._bases[row.scenario].with_overrides(overrides_of(setting)))
        return self._measures[row.scenario]

    def __len__(self) -> int:
        """How many points there are."""
        return len(self.rows)

    def points(self) -> Iterator[ExperimentPoint]:
        """The points, scenario by scenario in the order of the settings; of a part, those that it holds."""
        failed = {(failure.hash, failure.seed) for failure in self.tally.failed}
        for row, setting in self._with_settings():
            summaries = [
                kept_run(self.store, RunKey(row.hash, seed, _core.version())).summary()
                for seed in row.seeds()
                if (row.hash, seed) not in failed
            ]
            name, measure = self.names[row.scenario], self._measure(row, setting)
            yield ExperimentPoint(name, dict(setting), row.seeds(), summaries, measure)

    @cached_property
    def metrics(self) -> "pl.DataFrame":
        """Every metric of every run: scenario, the paths that are set, seed, outcome, then a run's metrics.

        A column of a path has numbers if all its values are numbers, else text.
        """
        with extra("frames"):
            import polars as pl

        kinds = self._kinds()
        leading: dict[str, Kind] = {"scenario": Kind.TEXT, **kinds, "seed": Kind.WHOLE, "outcome": Kind.TEXT}
        parts = []
        rows: list[tuple[Any, ...]] = []
        for point in self.points():
            set_to = tuple(frames.plain(point.set.get(path), kind) for path, kind in kinds.items())
            for summary in point.summaries:
                first = (point.scenario, *set_to, summary.fields["seed"], summary.outcome)
                rows += [(*first, *row) for row in frames.metric_rows(summary)]
            if len(rows) > _ROWS_OF_A_PART:
                parts.append(frames.frame(rows, frames.METRIC_COLUMNS, leading))
                rows = []
        parts.append(frames.frame(rows, frames.METRIC_COLUMNS, leading))
        return pl.concat(parts)

    def to_pandas(self) -> "pandas.DataFrame":
        """`metrics` as a frame of pandas. Raises MissingExtraError if pandas or polars is missing."""
        return labelled.frame(self.metrics.columns, self.metrics.rows())

    def sweep(self, scenario: int = 0) -> SweepResult:
        """One scenario's points as a sweep, with its plots and report; for a grid of which no run failed."""
        if self.failures or self.experiment.settings is not None or not self.experiment.over:
            raise UsageError(
                "only a grid without failed runs is a sweep", "read `.metrics`, or run the failed ones again"
            )
        base = self._bases[scenario]
        points = []
        for row, setting in self._with_settings():
            if row.scenario == scenario:
                runs = [self._run(base, row, setting, seed) for seed in row.seeds()]
                points.append(SweepPoint(dict(setting), runs))
        return SweepResult(base.name, self.experiment.over, points)

    def _run(self, base: Any, row: Row, setting: Setting, seed: int) -> RunResult:
        scenario = base.with_overrides([*overrides_of(setting), f"seed={seed}"])
        return RunResult.of(scenario, kept_run(self.store, RunKey(row.hash, seed, _core.version())))

    def _with_settings(self) -> Iterator[tuple[Row, Setting]]:
        """The rows of a whole experiment, or of a part, with what each sets."""
        by_place = iter(self.rows)
        row = next(by_place, None)
        for number in range(len(self.experiment.scenarios)):
            for nth, setting in enumerate(self.experiment.each_setting()):
                if row is not None and (row.scenario, row.place) == (number, nth):
                    yield row, setting
                    row = next(by_place, None)

    def _kinds(self) -> dict[str, Kind]:
        numbers = dict.fromkeys(self.experiment.paths, True)
        for setting in self.experiment.each_setting():
            for path, value in setting:
                numbers[path] &= isinstance(value, int | float) and not isinstance(value, bool)
        return {path: Kind.NUMBER if number else Kind.TEXT for path, number in numbers.items()}

    def __repr__(self) -> str:
        """One line: name, points, runs."""
        points = amount(len(self.rows), "point", "points")
        return f"<ExperimentResult {self.experiment.called}: {points}, {self.tally.words()}>"


def _measure_of(scenario: "Scenario") -> Mapping[str, Any]:
    return json.loads(scenario.canonical_json())["measure"]


_ROWS_OF_A_PART = 50_000
