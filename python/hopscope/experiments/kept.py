"""The stored part of an experiment: finished or not, performed here or elsewhere."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.estimate import Estimate
from hopscope.overrides import Value
from hopscope.results.archived import ArchivedRun, DamagedError
from hopscope.results.outcome import Outcome
from hopscope.results.points import over_seeds
from hopscope.results.precision import Shortfall
from hopscope.results.summary import Summary
from hopscope.store.store import Failure, RunKey, Store


@dataclass(frozen=True, slots=True)
class KeptPoint:
    """One scenario with one setting: its stored runs, by key, and their summaries."""

    scenario: str
    set: Mapping[str, Value]
    seeds: int
    """The least number of its runs."""
    keys: tuple[RunKey, ...]
    summaries: tuple[Summary, ...]
    short: tuple[Shortfall, ...] = ()
    """The shortfalls of its runs that missed `measure.precision`."""

    def find(self, key: str) -> Estimate | None:
        """The metric over the stored seeds; None if one of them has no such number.

        A quantile has no upper bound, and `high` is infinite, if any run was too short for it.
        """
        if not any(summary.has(key) for summary in self.summaries):
            return None
        return over_seeds(key, self.summaries, self.summaries, len(self.summaries))

    @property
    def outcome(self) -> Outcome | None:
        """The worst outcome of its stored runs; None if there are none."""
        return Outcome.of_runs(each.outcome for each in self.summaries) if self.summaries else None


class KeptExperiment:
    """An experiment as its store has recorded it. Summaries are read as they are asked for."""

    def __init__(
        self, store: Store, name: str, content: Mapping[str, Any], keys: Mapping[str, Sequence[RunKey]]
    ) -> None:
        """`name` and `content` are those of the record; `keys` are those of the store's runs, by hash."""
        self.name = name
        self.version: str = content["hopscope"]
        self.scenarios: list[str] = content["scenarios"]
        self.paths: list[str] = content["paths"]
        self.seeds: int = content["seeds"]
        self._settings: list[tuple[int, dict[str, Value], str]] = content["settings"]
        self._store = store
        hashes = {scenario_hash for *_, scenario_hash in self._settings}
        self._keys = {
            each: sorted(key for key in keys.get(each, ()) if key.version == self.version) for each in hashes
        }

    def __len__(self) -> int:
        """How many points it has."""
        return len(self._settings)

    @property
    def expected(self) -> int:
        """The least number of its runs."""
        return len(self._keys) * self.seeds

    @property
    def there(self) -> int:
        """The number of its stored runs."""
        return sum(len(keys) for keys in self._keys.values())

    def runs(self) -> Iterator[RunKey]:
        """The keys of its stored runs."""
        for keys in self._keys.values():
            yield from keys

    def failures(self) -> list[Failure]:
        """Its runs that failed and have not succeeded since."""
        return [failure for key, failure in self._store.failed() if key.hash in self._keys]

    def points(self) -> Iterator[KeptPoint]:
        """The points in the order of the record. Damaged runs are left out."""
        for number, setting, scenario_hash in self._settings:
            read = [(key, self._read(key)) for key in self._keys[scenario_hash]]
            whole = [(key, run.summary()) for key, run in read if run is not None]
            keys, summaries = tuple(key for key, _ in whole), tuple(summary for _, summary in whole)
            short = tuple(
                each for _, run in read if run is not None and (each := run.shortfall()) is not None
            )
            yield KeptPoint(self.scenarios[number], setting, self.seeds, keys, summaries, short)

    def _read(self, key: RunKey) -> ArchivedRun | None:
        try:
            return self._store.get(key)
        except DamagedError:
            return None


def kept_experiments(store: Store) -> dict[str, KeptExperiment]:
    """Every experiment of a store, by the name of its record."""
    keys: defaultdict[str, list[RunKey]] = defaultdict(list)
    for key in store.runs():
        keys[key.hash].append(key)
    return {name: KeptExperiment(store, name, content, keys) for name, content in store.experiments()}
