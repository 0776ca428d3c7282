"""Performs an experiment: every scenario with every setting and seed, and more seeds for precision."""

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.experiments.definition import FEWEST_SEEDS, Experiment, Precision, Setting, Table, overrides_of
from hopscope.experiments.driver import Driver, Limits, Tally, Wanted
from hopscope.experiments.execution import HERE, Execution, checked, kept_run, performed
from hopscope.experiments.result import ExperimentResult, Row
from hopscope.overrides import Value, whole_number
from hopscope.progress import Watch, callback
from hopscope.progress_bar import with_bar
from hopscope.results.points import over_seeds
from hopscope.store.store import RunKey, Store
from hopscope.store.under_way import heralded

if TYPE_CHECKING:
    from hopscope._core import Scenario

_PLACE = re.compile(r"^( *--> )--set:\d+:\d+$", re.MULTILINE)
"""The place of an override in the message of an error."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `part` of `of` parts, counted from 1: a setting with all its seeds belongs to one of them."""

    part: int = 1
    of: int = 1

    def __post_init__(self) -> None:
        """Refuse a part that does not exist."""
        for name in ("part", "of"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        if not 1 <= self.part <= self.of:
            raise UsageError(
                f"part: there is no part {self.part} of {self.of}", "count from 1: the first of four is 1/4"
            )

    def holds(self, nth: int) -> bool:
        """Whether the setting of this number, counted from 0, belongs to it."""
        return nth % self.of == self.part - 1


WHOLE = Shard()


@with_bar
def perform(
    experiment: Experiment,
    execution: Execution = HERE,
    *,
    shard: Shard = WHOLE,
    progress: Watch = None,
) -> ExperimentResult:
    """Perform an experiment, or one part of it; stored runs are not repeated.

    Raises ScenarioError and UsageError before anything runs if a setting is invalid, Interrupted and
    StoreError with everything so far kept. Failed runs are in the result.
    """
    watch, execution = callback(progress), checked(execution)
    for name, value, kind in (("experiment", experiment, Experiment), ("shard", shard, Shard)):
        if not isinstance(value, kind):
            raise UsageError(f"{name}: {value!r} is no {kind.__name__}", f"give a hopscope.{kind.__name__}")
    course = _Course(experiment, shard)
    with performed(execution) as (store, executor):
        store.begin()
        called = store.record(experiment.called, course.content())
        with heralded(store, called) as herald:

            def told(fraction: float, words: str) -> bool:
                goes_on = watch is None or watch(fraction, words) is not False
                return herald.tell(fraction, words) and goes_on

            limits = Limits(execution.time_limit_s)
            driver = Driver(store, executor, resume=execution.resume, limits=limits, progress=told)
            driver.run(course.wanted(), len(course.rows) * experiment.seeds)
            if experiment.precision is not None:
                course.refine(experiment.precision, driver, store)
    return ExperimentResult(experiment, called, store, course.rows, driver.tally)


class _Course:
    """The rows of an experiment, one per scenario and setting, all checked."""

    def __init__(self, experiment: Experiment, shard: Shard) -> None:
        self._experiment = experiment
        self._bases = experiment.bases()
        self._parcels = [base.parcel() for base in self._bases]
        self._shard = shard
        self.rows: list[Row] = []
        self._all: list[tuple[int, str]] = []
        for number, base in enumerate(self._bases):
            files = base.files()
            for place, setting in enumerate(experiment.each_setting()):
                scenario = self._with(base, setting, place) if setting else base
                parcel = None if scenario.files() == files else scenario.parcel()
                row = Row(number, place, scenario.hash, scenario.seed, experiment.seeds, parcel)
                if shard.holds(len(self._all)):
                    self.rows.append(row)
                self._all.append((number, scenario.hash))

    def _with(self, base: "Scenario", setting: Setting, nth: int) -> "Scenario":
        """A scenario with a setting. Raises ScenarioError; that of a table names its line and column."""
        try:
            return base.with_overrides(overrides_of(setting))
        except _core.ScenarioError as refused:
            table = self._experiment.settings
            if not isinstance(table, Table):
                raise
            alone = next((path for path, value in setting if not _is_taken(base, path, value)), None)
            place = table.places[nth] + ("" if alone is None else f", in the column `{alone}`")
            raise _core.ScenarioError(_PLACE.sub(lambda found: found[1] + place, str(refused))) from None

    def content(self) -> dict[str, Any]:
        """What is recorded of the experiment: the same for every part of it."""
        settings = itertools.cycle(self._experiment.each_setting())
        return {
            "hopscope": _core.version(),
            "name": self._experiment.called,
            "scenarios": [base.name for base in self._bases],
            "paths": self._experiment.paths,
            "seeds": self._experiment.seeds,
            "settings": [
                [number, dict(setting), scenario_hash]
                for (number, scenario_hash), setting in zip(self._all, settings, strict=False)
            ],
        }

    def wanted(self) -> Iterator[Wanted]:
        """Every run, in the order of the rows."""
        for row, overrides in self._with_overrides():
            yield from (self._run(row, overrides, seed) for seed in row.seeds())

    def refine(self, precision: Precision, driver: Driver, store: Store) -> None:
        """Add seeds to the rows that are not precise enough, until all are or may have no more."""
        open_rows = list(self.rows)
        while open_rows:
            more: dict[int, int] = {}
            for row in open_rows:
                wanted = _seeds_for(precision, row, store, driver.tally)
                if wanted > row.count:
                    more[id(row)] = wanted
            driver.run(
                self._added(more), sum(more[id(row)] - row.count for row in open_rows if id(row) in more)
            )
            open_rows = [row for row in open_rows if id(row) in more]
            for row in open_rows:
                row.count = more[id(row)]

    def _added(self, more: dict[int, int]) -> Iterator[Wanted]:
        for row, overrides in self._with_overrides():
            if id(row) in more:
                for seed in range(row.first_seed + row.count, row.first_seed + more[id(row)]):
                    yield self._run(row, overrides, seed)

    def _with_overrides(self) -> Iterator[tuple[Row, Sequence[str]]]:
        rows = iter(self.rows)
        nth = 0
        for base in self._bases:
            common = base.overrides()
            for setting in self._experiment.each_setting():
                if self._shard.holds(nth):
                    yield next(rows), [*common, *overrides_of(setting)]
                nth += 1

    def _run(self, row: Row, overrides: Sequence[str], seed: int) -> Wanted:
        base = self._bases[row.scenario]
        parcel = row.parcel or self._parcels[row.scenario]
        return Wanted(
            base.name, parcel, (*overrides, f"seed={seed}"), RunKey(row.hash, seed, _core.version())
        )


def _is_taken(base: "Scenario", path: str, value: Value) -> bool:
    """Whether a scenario takes this value by itself."""
    try:
        base.with_overrides(overrides_of(((path, value),)))
    except _core.ScenarioError:
        return False
    return True


def _seeds_for(precision: Precision, row: Row, store: Store, tally: Tally) -> int:
    """The number of seeds of a row, from its results so far alone: the same on every executor.

    The half width shrinks with the square root of the count. A row grows at most to twice its seeds in one
    round, once it has as many as a precision needs, and not at all if a run failed, or has no such number, as
    a saturated one, or no upper bound of it.
    """
    if any(failure.hash == row.hash for failure in tally.failed):
        return row.count
    summaries = [kept_run(store, RunKey(row.hash, seed, _core.version())).summary() for seed in row.seeds()]
    over_all = over_seeds(precision.metric, summaries, summaries, row.count)
    if over_all is None or math.isinf(over_all.half_width):
        return row.count
    if row.count < FEWEST_SEEDS:
        return FEWEST_SEEDS
    asked = precision.half_width * abs(over_all.value)
    if over_all.half_width <= asked or asked == 0:
        return row.count
    needed = math.ceil(row.count * (over_all.half_width / asked) ** 2)
    return min(max(needed, row.count + 1), 2 * row.count, precision.most_seeds)
