"""Everything that a study has simulated so far, each point once."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope import engine, metric_key
from hopscope.errors import UsageError, none_such
from hopscope.estimate import Estimate, around, pooled
from hopscope.overrides import Override, Value, as_texts, at, toml_text
from hopscope.progress import Progress
from hopscope.results.archived import ArchivedRun
from hopscope.results.run import RunResult
from hopscope.results.trace import Trace

if TYPE_CHECKING:
    from hopscope._core import Scenario

TOPOLOGY = "topology."


@dataclass(frozen=True, slots=True)
class Setting:
    """A scenario with overrides by path, and its number of seeds.

    `study` is the folder of the study that says so: the files that it names lie there.
    """

    scenario: str
    set: tuple[tuple[str, str], ...]
    seeds: int
    study: str | None = None

    @classmethod
    def of(cls, scenario: str, values: Mapping[str, Value], seeds: int = 1) -> "Setting":
        """The setting with these values by path. Equal ones are the same, whatever the order of values."""
        return cls(scenario, tuple(sorted(map(Override.of, as_texts(values)))), seeds)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Setting":
        """The setting of an object of a study's definition."""
        values = tuple((path, value) for path, value in data["set"])
        return cls(data["scenario"], values, data["seeds"], data["study"])

    def having(self, path: str, value: Value) -> "Setting":
        """The same setting with one more value."""
        others = tuple((at, text) for at, text in self.set if at != path)
        return replace(self, set=tuple(sorted((*others, (path, toml_text(value))))))

    def texts(self) -> list[str]:
        """The overrides as the engine takes them."""
        return [f"{path}={value}" for path, value in self.set]

    def load(self, seed: int | None = None, *, allow_files: bool = False) -> "Scenario":
        """The scenario that is run; by default with its own seed. Errors are those of `engine.load`."""
        texts, study = self.texts(), self.study
        return engine.load(self.scenario, texts, seed, allow_files=allow_files, study=study)


class Evidence:
    """Runs by setting.

    Cells request settings, and the runner simulates all that are missing in one parallel sweep. Runs are kept
    as archives, each once whatever settings it belongs to: a paper has thousands, and a run in the engine
    takes megabytes.
    """

    def __init__(self, *, allow_files: bool = False) -> None:
        """Empty at first. With `allow_files`, studies may name files outside their own folders."""
        self._allow_files = allow_files
        self._runs: dict[Setting, list[RunResult]] = {}
        # By hash and seed: the hash of a scenario excludes its seed.
        self._simulated: dict[tuple[str, int], ArchivedRun] = {}
        # Also by what the hash excludes besides: the name and the title.
        self._results: dict[tuple[str, int, str, str], RunResult] = {}
        self._traces: dict[Setting, Trace] = {}
        self._networks: dict[Setting, Mapping[str, Any]] = {}
        self._asked: dict[Setting, None] = {}

    def __contains__(self, setting: Setting) -> bool:
        """Whether the setting has been simulated."""
        return setting in self._runs

    def asked(self, measure: "Callable[[Evidence], object]") -> list[Setting]:
        """The settings whose runs a measurement uses."""
        self._asked = {}
        measure(self)
        return list(self._asked)

    def lengthen(self, settings: Iterable[Setting], times: int, progress: Progress | None = None) -> None:
        """Make these settings this many times as long as in the study, by runs with further seeds."""
        short = dict.fromkeys(settings)
        longer = {setting: replace(setting, seeds=times * setting.seeds) for setting in short}
        self.gather(longer.values(), progress)
        for setting, other in longer.items():
            self._runs[setting] = self._runs[other]

    def gather(self, settings: Iterable[Setting], progress: Progress | None = None) -> None:
        """Simulate the settings that are missing, all at once; equal ones once."""
        missing = [setting for setting in dict.fromkeys(settings) if setting not in self]
        loaded = {setting: self._scenarios(setting) for setting in missing}
        new = {
            (scenario.hash, scenario.seed): scenario
            for scenarios in loaded.values()
            for scenario in scenarios
            if (scenario.hash, scenario.seed) not in self._simulated
        }
        archives = engine.sweep_archives(list(new.values()), progress)
        self._simulated.update(zip(new, map(ArchivedRun, archives), strict=True))
        for setting, scenarios in loaded.items():
            self._runs[setting] = [self._result(scenario) for scenario in scenarios]

    def runs(self, setting: Setting) -> Sequence[RunResult]:
        """The runs of a setting, one per seed."""
        self._asked[setting] = None
        return self._runs[setting]

    def metric(self, setting: Setting, key: str) -> Estimate | None:
        """A metric over the seeds of a setting; None if a run has no such number, or nothing happened in any.

        A run without events of this kind does not count.
        """
        known = []
        for run in self.runs(setting):
            found = run.metric(key)
            if found is None and run.outcome.is_without_steady_state:
                return None
            if found is not None and (found.value or metric_key.parse(key).name not in metric_key.LASTING):
                known.append(found)
        return pooled(known) if known else None

    def shares(self, setting: Setting, of_class: str) -> dict[str, Estimate] | None:
        """The share of the latency spent on each resource, over the seeds of a setting.

        The interval of a share is that of the time spent on the resource; None if a run is saturated.
        """
        found = [_shares(run, of_class) for run in self.runs(setting)]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            return None
        nothing = Estimate(0.0, 0.0, 0.0, "fraction", 0, can_be_negative=False)
        names = dict.fromkeys(name for each in known for name in each)
        return {name: pooled([each.get(name, nothing) for each in known]) for name in names}

    def trace(self, setting: Setting) -> Trace:
        """What happened in the first run of a setting."""
        if setting not in self._traces:
            self._traces[setting] = Trace(self._runs[setting][0].trace)
        return self._traces[setting]

    def figure(self, setting: Setting, path: str) -> float:
        """A figure of the network, such as "topology.figures.switches": exact, and no simulation.

        For a figure that is a list, such as "topology.figures.idle_switches", its length.
        """
        if setting not in self._networks:
            scenario = setting.load(allow_files=self._allow_files)
            text = scenario.topology_json()
            if text is None:
                raise UsageError(
                    f"`{scenario.name}` has no network to take `{path}` from", "choose a metric of its model"
                )
            self._networks[setting] = json.loads(text)
        value = at(self._networks[setting], path.removeprefix(TOPOLOGY))
        if value is None:
            raise UsageError(f"the network has no figure `{path}`", "see `hopscope topology SCENARIO --json`")
        return float(len(value) if isinstance(value, list) else value)

    def _scenarios(self, setting: Setting) -> "list[Scenario]":
        """One a seed; they share the network and its routes."""
        base = setting.load(allow_files=self._allow_files)
        seeds = range(base.seed + 1, base.seed + setting.seeds)
        return [base, *(base.with_overrides([f"seed={seed}"]) for seed in seeds)]

    def _result(self, scenario: "Scenario") -> RunResult:
        """The result of a scenario that has been simulated, decoded once."""
        key = (scenario.hash, scenario.seed, scenario.name, scenario.title)
        if key not in self._results:
            run = self._simulated[scenario.hash, scenario.seed]
            self._results[key] = RunResult.of(scenario, run)
        return self._results[key]


def _shares(run: RunResult, of_class: str) -> dict[str, Estimate] | None:
    """The shares of one run by resource, in order of occurrence."""
    rows = run.summary.ledger(of_class)
    if not rows:
        known = dict.fromkeys(row["class"] for row in run.summary.fields["ledger"])
        raise none_such(f"ledger of class `{of_class}` in the run", known)
    if any(row["estimate"] is None for row in rows):
        return None
    whole = sum(row["estimate"]["value"] for row in rows)
    shares = {}
    for resource in dict.fromkeys(row["resource"] for row in rows):
        spent = [Estimate(**row["estimate"], unit=row["unit"]) for row in rows if row["resource"] == resource]
        value = sum(each.value for each in spent) / whole
        half_width = sum(each.half_width for each in spent) / whole
        share = around(value, half_width, "fraction", spent[0].n)
        shares[resource] = replace(share, can_be_negative=False)
    return shares
