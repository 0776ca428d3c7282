"""An experiment as data: scenarios, settings (a grid, a list or a table), seeds, precision."""

import csv
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hopscope import _core, engine, metric_key
from hopscope.errors import UsageError
from hopscope.grid import combinations, refuse_seed, refuse_set, swept_values, typed
from hopscope.numerals import amount
from hopscope.overrides import Overrides, Value, as_texts, builtin, real_number, toml_text, whole_number
from hopscope.paths import path_of

if TYPE_CHECKING:
    import polars as pl

    from hopscope._core import Scenario

Setting: TypeAlias = tuple[tuple[str, Value], ...]
Settings: TypeAlias = "Sequence[Mapping[str, Value]] | str | Path | pl.DataFrame"

MOST_SEEDS = 64
# At least this many seeds are needed: a run's own interval does not include the spread between seeds.
FEWEST_SEEDS = 3
MOST_HALF_WIDTH = 0.5


@dataclass(frozen=True, slots=True)
class Precision:
    """How narrow the interval of a metric over all seeds is to be.

    `half_width` is half of it as a share of the value; `most_seeds` ends the search for a setting. It needs
    at least three seeds, as a run's own interval does not include the spread between seeds.
    """

    metric: str
    half_width: float
    most_seeds: int = MOST_SEEDS

    def __post_init__(self) -> None:
        """Refuse what cannot be met."""
        if not isinstance(self.metric, str):
            raise UsageError(f"metric: {self.metric!r} is no metric", 'name one, as in metric="latency.mean"')
        metric_key.parse(self.metric)
        object.__setattr__(self, "half_width", real_number("half_width", self.half_width, "0.02"))
        object.__setattr__(self, "most_seeds", whole_number("most_seeds", self.most_seeds))
        if not 0 < self.half_width < MOST_HALF_WIDTH:
            raise UsageError(
                f"a precision of {self.half_width} is out of range",
                "give a share above 0 and below 0.5, such as 0.02",
            )
        if self.most_seeds < FEWEST_SEEDS:
            raise UsageError(
                f"{amount(self.most_seeds, 'seed is', 'seeds are')} too few for a precision",
                f"allow at least {FEWEST_SEEDS}",
            )


@dataclass(frozen=True, slots=True)
class Experiment:
    """Runs as data. Every scenario is run with every setting and every seed.

    At most one of `over` (a grid: values by path) and `settings` (a list of values by path, a CSV file, or a
    polars frame with paths as columns) is given. `set` holds in every run. `seeds` counts from the seed of
    each scenario on. The files that a scenario names lie in its own folder or below, unless `allow_files`.
    Raises UsageError for what cannot be run.
    """

    scenarios: Sequence[str | Path]
    over: Mapping[str, Iterable[Value]] = field(default_factory=dict)
    settings: "Settings | None" = None
    set: Overrides = ()
    seeds: int = 1
    precision: Precision | None = None
    name: str = ""
    allow_files: bool = False

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        object.__setattr__(self, "scenarios", _scenarios(self.scenarios))
        object.__setattr__(self, "over", swept_values(self.over))
        if self.over and self.settings is not None:
            raise UsageError("settings are given in two ways", "give a grid with `over`, or `settings`")
        object.__setattr__(self, "set", tuple(as_texts(self.set)))
        refuse_set(self.over, self.set)
        object.__setattr__(self, "seeds", whole_number("seeds", self.seeds))
        if self.seeds < 1:
            raise UsageError(f"{self.seeds} seeds: there is nothing to run", "ask for at least one")
        if self.precision is not None and not isinstance(self.precision, Precision):
            raise UsageError(f"precision: {self.precision!r} is none", "give a hopscope.Precision")
        if not isinstance(self.name, str):
            raise UsageError(f"name: {self.name!r} is no text", 'give one, as in name="lab"')
        if self.settings is not None:
            object.__setattr__(self, "settings", _settings(self.settings))
            _refuse_twice(self.each_setting())
        refuse_seed(self.paths)

    @property
    def called(self) -> str:
        """Its name, or that of its first scenario."""
        first = self.scenarios[0]
        return self.name or (engine.NAME_OF_DATA if isinstance(first, Mapping) else Path(first).stem)

    @property
    def paths(self) -> list[str]:
        """Every path that some setting sets, in order of first occurrence."""
        if self.settings is None:
            return list(self.over)
        return list(dict.fromkeys(path for setting in self.each_setting() for path, _ in setting))

    def each_setting(self) -> Iterator[Setting]:
        """The settings in their order: those of a grid with the last path fastest."""
        if self.settings is None:
            yield from combinations(self.over)
        elif isinstance(self.settings, Sequence):
            assert not isinstance(self.settings, str)
            for setting in self.settings:
                yield tuple((path, builtin(value)) for path, value in setting.items())
        else:
            assert not isinstance(self.settings, Path)
            for row in self.settings.iter_rows(named=True):
                yield tuple((path, value) for path, value in row.items() if value is not None)

    def bases(self) -> "list[Scenario]":
        """The scenarios with the settings of every run. Raises ScenarioError."""
        return [engine.load(source, self.set, allow_files=self.allow_files) for source in self.scenarios]


def _scenarios(scenarios: Any) -> list[Any]:
    """The scenarios of an experiment. Raises UsageError if there are none, or if a name is repeated."""
    one = isinstance(scenarios, str | os.PathLike | Mapping)
    if not one and not isinstance(scenarios, Iterable):
        raise UsageError(f"scenarios: {scenarios!r} are none", 'name them, as in scenarios=["an1-floors"]')
    listed = [scenarios] if one else list(scenarios)
    if not listed:
        raise UsageError("the experiment has no scenario", "name at least one")
    for at, each in enumerate(listed):
        if not isinstance(each, str | os.PathLike | Mapping):
            raise UsageError(
                f"scenarios[{at}]: {each!r} is no scenario",
                "give a file, the name of a ready scenario, or a dict",
            )
    names = Counter(os.fspath(each) for each in listed if isinstance(each, str | os.PathLike))
    for name, times in names.items():
        if times > 1:
            raise UsageError(f"the scenario `{name}` is named twice", "name each scenario once")
    return listed


def _settings(settings: Any) -> Any:
    """The settings of an experiment as a list or a frame. Raises UsageError if there are none."""
    hint = 'give them as in settings=[{"traffic.load": 0.1}, {"traffic.load": 0.2}]'
    if isinstance(settings, str | os.PathLike):
        return read_table(path_of("settings", settings))
    if not hasattr(settings, "iter_rows"):  # a frame of polars has it, which may not be installed
        if isinstance(settings, bytes) or not isinstance(settings, Sequence):
            raise UsageError(f"settings: {settings!r} are no settings", hint)
        for at, each in enumerate(settings):
            if not isinstance(each, Mapping):
                raise UsageError(f"settings[{at}]: {each!r} is no setting", hint)
    if not len(settings):
        raise UsageError("settings: there are none, so there is nothing to run", hint)
    return settings


def _refuse_twice(settings: Iterable[Setting]) -> None:
    """Raise UsageError if two settings are equal: their runs could not be distinguished."""
    seen: dict[str, int] = {}
    for nth, setting in enumerate(settings, start=1):
        text = ", ".join(sorted(overrides_of(setting)))
        first = seen.setdefault(text, nth)
        if first != nth:
            raise UsageError(
                f"the settings {first} and {nth} are the same: {text or 'nothing is set'}",
                "give each setting once; `seeds` runs it several times",
            )


def overrides_of(setting: Setting) -> list[str]:
    """A setting as the engine takes it."""
    return as_texts(dict(setting)) if setting else []


def read_experiment(file: str | Path) -> Experiment:
    """The experiment in a TOML file. Raises ScenarioError with every mistake, UsageError for its table."""
    found = json.loads(_core.experiment_definition(str(path_of("file", file))))
    listed = [{path: typed(text) for path, text in setting} for setting in found["settings"]]
    table = found["table"]
    experiment = Experiment(
        scenarios=found["scenarios"],
        over={path: [typed(text) for text in values] for path, values in found["over"]},
        settings=table if table is not None else listed or None,
        set=[f"{path}={text}" for path, text in found["set"]],
        seeds=found["seeds"],
        name=found["name"],
    )
    asked = found["precision"]
    return experiment if asked is None else replace(experiment, precision=Precision(**asked))


class Table(list[dict[str, Value]]):
    """The settings of a CSV file; `places` has file, line and column of each."""

    def __init__(self, placed: Sequence[tuple[str, dict[str, Value]]]) -> None:
        """Each setting with its place."""
        super().__init__(setting for _, setting in placed)
        self.places = [place for place, _ in placed]


def read_table(file: Path) -> Table:
    """A CSV file of settings: paths in its first line, a setting a line; an empty cell sets nothing.

    Raises UsageError with file and line.
    """
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            rows = csv.reader(lines)
            paths = _paths(next(rows, []), file)
            placed = [_row(paths, row, f"{file}:{rows.line_num}:1") for row in rows if row]
    except (OSError, UnicodeDecodeError, csv.Error) as failure:
        words = getattr(failure, "strerror", None) or str(failure)
        raise UsageError(
            f"cannot read the table `{file}` ({words})", "give a CSV file with paths in line 1"
        ) from failure
    if not placed:
        raise UsageError(
            f"the table `{file}` has no settings, so there is nothing to run",
            "give paths in line 1, and a line for each setting",
        )
    return Table(placed)


def _paths(cells: Sequence[str], file: Path) -> list[str]:
    """The paths in the first line of a table. Raises UsageError for a repeated or invalid one."""
    paths = [cell.strip() for cell in cells]
    for path in paths:
        if ";" in path or "\t" in path:
            raise UsageError(
                f"{file}:1:1: {path!r} is no path", "put commas between paths and between values"
            )
    for path, times in Counter(paths).items():
        if times > 1:
            raise UsageError(f"{file}:1:1: the path `{path}` stands twice", "give each path one column")
    return paths


def _row(paths: Sequence[str], row: Sequence[str], place: str) -> tuple[str, dict[str, Value]]:
    """A line of a table as a setting, with its place. Raises UsageError if values are missing."""
    if len(row) != len(paths):
        raise UsageError(
            f"{place}: {len(row)} values under {len(paths)} paths",
            "write a value, or nothing, for each path of line 1",
        )
    filled: Iterable[tuple[str, str]] = zip(paths, row, strict=True)
    return place, {path: typed(cell.strip()) for path, cell in filled if cell.strip()}


__all__ = [
    "Experiment",
    "Precision",
    "Setting",
    "Table",
    "overrides_of",
    "read_experiment",
    "read_table",
    "toml_text",
]
