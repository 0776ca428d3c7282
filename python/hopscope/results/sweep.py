"""The result of a sweep: one run per point and seed, as frames with the swept columns first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope import atomic
from hopscope.errors import UsageError
from hopscope.escaping import escaped
from hopscope.estimate import Estimate
from hopscope.metric_key import ALL_CLASSES
from hopscope.numerals import amount
from hopscope.overrides import Value
from hopscope.paths import path_of
from hopscope.results import attached, frames, labelled, shares
from hopscope.results.outcome import Outcome
from hopscope.results.points import Place, notes_on, over_seeds
from hopscope.results.precision import Shortfall
from hopscope.results.run import REPORT_FILE, RunResult
from hopscope.results.summary import Summary

if TYPE_CHECKING:
    import pandas
    import polars as pl
    import xarray
    from altair.typing import ChartType


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One setting of the swept paths, with its runs, one per seed."""

    set: Mapping[str, Value]
    runs: list[RunResult]

    def metric(self, key: str) -> Estimate | None:
        """The metric over all seeds; None if any run has no such number (it saturated).

        A quantile has no upper bound, and `high` is infinite, if any run was too short for it. Raises
        UnknownMetricError if no run has the metric.
        """
        return over_seeds(key, self.runs, self.summaries, len(self.runs))

    def find(self, key: str) -> Estimate | None:
        """As `metric`, and also None if none of its runs has the metric."""
        return self.metric(key) if any(run.summary.has(key) for run in self.runs) else None

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its runs."""
        return Outcome.of_runs(run.outcome for run in self.runs)

    @property
    def summaries(self) -> list[Summary]:
        """The summaries of its runs."""
        return [run.summary for run in self.runs]

    @property
    def short(self) -> list[Shortfall]:
        """The shortfalls of its runs that missed `measure.precision`."""
        return [run.shortfall for run in self.runs if run.shortfall is not None]

    @property
    def summary(self) -> Summary:
        """The summary of the first seed's run, for words about its metrics and resources."""
        return self.runs[0].summary

    def ledger(self, of_class: str = ALL_CLASSES) -> list[shares.Row]:
        """The stages of messages, in order of occurrence: the mean over all seeds."""
        return shares.over_runs([summary.ledger(of_class) for summary in self.summaries])


class SweepResult:
    """The result of a sweep: `points` in the order of the grid."""

    def __init__(self, name: str, over: Mapping[str, Iterable[Value]], points: Sequence[SweepPoint]) -> None:
        """Results are made by `sweep` and `read`."""
        assert points
        assert all(point.runs for point in points)
        self.name = name
        self.over = {path: list(values) for path, values in over.items()}
        self.points = list(points)

    @property
    def first(self) -> RunResult:
        """The first run, for what all runs share: title, model, version."""
        return self.points[0].runs[0]

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self.first.title

    @property
    def seeds(self) -> list[int]:
        """The seeds that every point was run with."""
        return [run.seed for run in self.points[0].runs]

    @property
    def notes(self) -> list[str]:
        """The doubts about the figures in a table of its points, such as runs that are too short."""
        places = [Place("", point.set, point.summaries, point.short) for point in self.points]
        return notes_on(places, self.first.summary.main_keys())

    def runs(self) -> list[RunResult]:
        """Every run, point by point."""
        return [run for point in self.points for run in point.runs]

    @cached_property
    def metrics(self) -> "pl.DataFrame":
        """Every metric of every run: the swept paths, seed, outcome, then the columns of a run's metrics."""
        return self._frame(frames.metric_rows, frames.METRIC_COLUMNS)

    def ledger(self) -> "pl.DataFrame":
        """Where the time went in every run: the swept paths, seed, outcome, then a run's ledger."""
        return self._frame(frames.ledger_rows, frames.LEDGER_COLUMNS)

    @cached_property
    def resources(self) -> "pl.DataFrame":
        """The use of each resource in every run."""
        return self._frame(frames.resource_rows, frames.RESOURCE_COLUMNS)

    def to_pandas(self) -> "pandas.DataFrame":
        """`metrics` as a frame of pandas."""
        return labelled.frame(*self.metric_rows())

    def to_xarray(self) -> "xarray.Dataset":
        """A variable for each metric, over the swept paths, `seed`, and `end`: the value, low and high."""
        return labelled.dataset(self)

    def curve(self, key: str, over: str | None = None) -> list[tuple[Value, Estimate | None]]:
        """A metric against one swept path (the first unless named), for a sweep over that path alone."""
        path = over or next(iter(self.over))
        if path not in self.over:
            raise UsageError(f"the sweep is not over `{path}`", "it is over " + ", ".join(self.over))
        return [(point.set[path], point.metric(key)) for point in self.points]

    def plot(self, metric: str | None = None) -> "ChartType":
        """A metric (the main delay's mean unless named) over the first swept path, with its 95 % band.

        Further swept paths become coloured lines. "shares" plots where the time went.
        """
        from hopscope.charts import of_sweep

        return of_sweep.shares(self) if metric == "shares" else of_sweep.curve(self, metric)

    def report(self, path: str | Path) -> Path:
        """Write one self-contained HTML page about the sweep; returns its path.

        Raises UsageError if that fails.
        """
        from hopscope.report import sweep_page

        target = path_of("path", path)
        atomic.write_file(target, sweep_page.page(self).html())
        return target

    def save(self, folder: str | Path, report: bool = True, *, or_next: bool = False) -> Path:
        """Write the folder, completely or not at all, and then report.html unless disabled; returns its path.

        `or_next` and a report that cannot be drawn are handled as for a run. Raises UsageError if the folder
        exists or cannot be written.
        """
        from hopscope.results.folder import write_sweep

        target = path_of("folder", folder)
        kept = atomic.write_folder(target, lambda partial: write_sweep(self, partial), or_next=or_next)
        if report:
            attached.warn(attached.drawn(lambda: self.report(kept / REPORT_FILE)))
        return kept

    def _frame(self, rows_of: Callable[[Summary], list[tuple]], columns: Sequence[str]) -> "pl.DataFrame":
        return frames.frame(self._rows(rows_of), columns, self._leading())

    def _leading(self) -> dict[str, frames.Kind]:
        """The columns in front: the swept paths, the seed, the outcome."""
        kinds = {path: frames.kind_of(values) for path, values in self.over.items()}
        return {**kinds, "seed": frames.Kind.WHOLE, "outcome": frames.Kind.TEXT}

    def _rows(self, rows_of: Callable[[Summary], list[tuple]]) -> list[tuple]:
        kinds = self._leading()
        return [
            (
                *(frames.plain(point.set[path], kinds[path]) for path in self.over),
                run.seed,
                run.outcome,
                *row,
            )
            for point in self.points
            for run in point.runs
            for row in rows_of(run.summary)
        ]

    def metric_rows(self) -> tuple[list[str], list[tuple]]:
        """The columns and the rows of `metrics`, without a frame."""
        return [*self._leading(), *frames.METRIC_COLUMNS], self._rows(frames.metric_rows)

    def __repr__(self) -> str:
        """One line: title, what was swept, how many runs."""
        points, seeds = amount(len(self.points), "point", "points"), amount(len(self.seeds), "seed", "seeds")
        return f"<SweepResult {self.name} over {', '.join(self.over)}: {points}, {seeds}>"

    def _repr_html_(self) -> str:
        """The metrics as a table, for notebooks."""
        words = f"{escaped(self.title)}, over {escaped(', '.join(self.over))}"
        return f"<p><strong>{words}</strong></p>{frames.html(*self.metric_rows())}"
