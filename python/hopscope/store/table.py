"""One table over all runs of a store, as Parquet by version and model: for polars, DuckDB and pandas."""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import atomic
from hopscope.extras import require
from hopscope.overrides import at
from hopscope.results import frames
from hopscope.results.archived import DamagedError
from hopscope.results.frames import Kind
from hopscope.results.summary import Summary
from hopscope.store.store import RunKey, Store

if TYPE_CHECKING:
    import polars as pl

_READERS = 16
_RUNS_OF_A_FILE = 2_000


def export(store: Store, target: Path) -> tuple[int, list[str]]:
    """Write Parquet files, a row per metric of a run; return the number of runs and what is omitted.

    Each path that some experiment sets is a column, with the value of the run's own scenario: a number if all
    are. Files are in version=V/model=M. Damaged runs and records of experiments are omitted: their names come
    second. Raises UsageError if `target` exists already.
    """
    require("frames")
    atomic.check(target)
    left_out: list[str] = []
    recorded = [content for _, content in store.experiments(left_out)]
    paths = sorted({path for content in recorded for path in content["paths"]})
    names = {row[2]: content["scenarios"][row[0]] for content in recorded for row in content["settings"]}
    count = 0

    def fill(folder: Path) -> None:
        nonlocal count
        numbers = _number_paths(recorded, paths)
        for part, chunk in enumerate(_chunks(sorted(store.runs()))):
            by_model: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
            for key, read in _read(store, chunk):
                if read is None:
                    left_out.append(key.path)
                    continue
                summary, scenario = read
                count += 1
                first = (names.get(key.hash, ""), *_values(scenario, paths, numbers))
                where = by_model.setdefault((key.version, summary.fields["model"]), [])
                where += [(*first, *_of_run(key, summary), *row) for row in frames.metric_rows(summary)]
            for (version, model), rows in by_model.items():
                place = folder / f"version={version}" / f"model={model}"
                place.mkdir(parents=True, exist_ok=True)
                _frame(rows, paths, numbers).write_parquet(place / f"part-{part:05d}.parquet")

    atomic.write_folder(target, fill)
    return count, left_out


def _of_run(key: RunKey, summary: Summary) -> tuple[Any, ...]:
    data = summary.fields
    return (key.hash, key.seed, data["title"], summary.outcome, data["result_hash"])


def _frame(rows: Sequence[tuple[Any, ...]], paths: Sequence[str], numbers: set[str]) -> "pl.DataFrame":
    leading = {"scenario": Kind.TEXT}
    leading |= {path: Kind.NUMBER if path in numbers else Kind.TEXT for path in paths}
    leading |= {"scenario_hash": Kind.TEXT, "seed": Kind.WHOLE, "title": Kind.TEXT, "outcome": Kind.TEXT}
    return frames.frame(rows, frames.METRIC_COLUMNS, {**leading, "result_hash": Kind.TEXT})


def _number_paths(recorded: Sequence[Mapping[str, Any]], paths: Sequence[str]) -> set[str]:
    """The paths that experiments set to numbers alone."""
    numbers = set(paths)
    for content in recorded:
        for _, setting, _ in content["settings"]:
            numbers -= {
                path
                for path, value in setting.items()
                if isinstance(value, bool) or not isinstance(value, int | float)
            }
    return numbers


def _values(scenario: Any, paths: Sequence[str], numbers: set[str]) -> Iterator[Any]:
    for path in paths:
        value = at(scenario, path)
        if path in numbers:
            yield float(value) if isinstance(value, int | float) else None
        else:
            yield value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _chunks(keys: Sequence[RunKey]) -> Iterator[Sequence[RunKey]]:
    return (keys[at : at + _RUNS_OF_A_FILE] for at in range(0, len(keys), _RUNS_OF_A_FILE))


def _read(store: Store, keys: Sequence[RunKey]) -> Iterator[tuple[RunKey, tuple[Summary, Any] | None]]:
    """The summaries and scenarios of runs; None for a damaged one."""

    def read(key: RunKey) -> tuple[Summary, Any] | None:
        try:
            run = store.get(key)
        except DamagedError:
            return None
        return None if run is None else (run.summary(), json.loads(run.read("run.json"))["scenario"])

    with ThreadPoolExecutor(_READERS) as readers:
        yield from zip(keys, readers.map(read, keys), strict=True)
