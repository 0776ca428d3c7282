"""What a verb is given as SCENARIO|RUN: a scenario to simulate, or the folder of a run that has been."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex, TypeGuard

from hopscope import engine, experiment
from hopscope.engine import Progress, ScenarioSource
from hopscope.errors import UsageError
from hopscope.overrides import Overrides, as_texts
from hopscope.results import folder
from hopscope.results.run import RunResult

if TYPE_CHECKING:
    from hopscope._core import Scenario


def is_run(source: ScenarioSource) -> TypeGuard[str | os.PathLike[str]]:
    """Whether the source is a folder."""
    return isinstance(source, str | os.PathLike) and os.path.isdir(source)


def result_of(
    source: ScenarioSource,
    overrides: Overrides | None,
    seed: SupportsIndex | None,
    progress: Progress | None = None,
    *,
    allow_files: bool = False,
) -> RunResult:
    """The run in a folder, or a new one of a scenario.

    Raises UsageError for a folder of a sweep, and where a run that has been is to be changed.
    """
    if not is_run(source):
        return experiment.run(source, set=overrides, seed=seed, allow_files=allow_files, progress=progress)
    if as_texts(overrides) or seed is not None:
        raise UsageError(
            f"`{source}` is a finished run, which cannot be changed", "give its scenario instead"
        )
    read = folder.read(source)
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
    file = Path(source) / "scenario.toml" if is_run(source) else source
    return engine.load(file, overrides, seed, allow_files=allow_files)


def with_texts(overrides: Overrides | None, more: Iterable[str]) -> list[str]:
    """Overrides with further ones behind them."""
    return [*as_texts(overrides), *more]


def messages_of(scenario: "Scenario") -> int:
    """How many messages a scenario measures, at most."""
    return json.loads(scenario.canonical_json())["measure"]["messages"]
