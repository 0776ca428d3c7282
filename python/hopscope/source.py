"""The argument SCENARIO|RUN of a verb: a scenario to simulate, or the folder of a finished run."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

from hopscope import engine, simulation
from hopscope.engine import ScenarioSource
from hopscope.errors import UsageError
from hopscope.overrides import Overrides, as_texts
from hopscope.progress import Progress
from hopscope.results import folder
from hopscope.results.folder import is_folder, scenario_file
from hopscope.results.run import RunResult

if TYPE_CHECKING:
    from hopscope._core import Scenario


def result_of(
    source: ScenarioSource,
    overrides: Overrides | None,
    seed: SupportsIndex | None,
    progress: Progress | None = None,
    *,
    allow_files: bool = False,
) -> RunResult:
    """The run in a folder, or a new one of a scenario.

    Raises UsageError for a folder of a sweep, and if a finished run is to be changed.
    """
    if not is_folder(source):
        return simulation.run(source, set=overrides, seed=seed, allow_files=allow_files, progress=progress)
    if as_texts(overrides) or seed is not None:
        raise UsageError(
            f"`{source}` is a finished run, which cannot be changed",
            f"give its scenario instead: {scenario_file(source)}",
        )
    read = folder.read(Path(source))
    if not isinstance(read, RunResult):
        raise UsageError(f"`{source}` holds a sweep of many runs", "give a run folder in its points/")
    return read


def scenario_of(
    source: ScenarioSource,
    overrides: Overrides | None,
    seed: SupportsIndex | None,
    *,
    allow_files: bool = False,
) -> "Scenario":
    """The scenario, or the one that the run in a folder was of."""
    file = scenario_file(source) if is_folder(source) else source
    return engine.load(file, overrides, seed, allow_files=allow_files)


def with_texts(overrides: Overrides | None, more: Iterable[str]) -> list[str]:
    """Overrides followed by further ones."""
    return [*as_texts(overrides), *more]


def messages_of(scenario: "Scenario") -> int:
    """The largest number of messages that a scenario measures."""
    return json.loads(scenario.canonical_json())["measure"]["messages"]
