"""A fabric diagnosed from the counters of its ports: the root of its waiting, without a simulation."""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core, atomic, engine
from hopscope.cause import Cause
from hopscope.overrides import Overrides
from hopscope.progress import watched

if TYPE_CHECKING:
    from hopscope._core import Scenario


class Diagnosis:
    """The diagnosis: the verdict in one sentence, and its evidence in `data`."""

    def __init__(self, title: str, data: Mapping[str, Any]) -> None:
        """Keep the engine's decoded findings; made by `diagnose`."""
        self.title = title
        self.data = data

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, with its numbers."""
        return self.data["sentence"]

    @property
    def cause(self) -> str:
        """The class of the cause, in the words of `explain` (docs/reference/causes.md)."""
        return self.data["cause"]

    @property
    def roots(self) -> list[Mapping[str, Any]]:
        """The roots of waiting, the largest first: kind, place, nodes, weight, sentence.

        `idle_links` of a full link are idle parallel ones, those of uneven routes carry less than an even
        share: place and utilisation.
        """
        return self.data["roots"]

    @property
    def is_healthy(self) -> bool:
        """Whether no port waits and no cable has many errors."""
        return self.cause == Cause.HEALTHY

    def to_json(self) -> str:
        """Everything found, as JSON."""
        return json.dumps(self.data, indent=1, ensure_ascii=False)


def diagnose(
    fabric: "str | Path | Scenario",
    before: str | Path,
    after: str | Path,
    *,
    routes: str | Path | None = None,
    interval_s: float | None = None,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    allow_files: bool = False,
) -> Diagnosis:
    """Diagnose a fabric from two readings of its ports' counters, `interval_s` seconds apart.

    Files that hopscope wrote contain their times. Packets follow the tables in the file `routes`, or else
    those that `run` uses for the fabric. Raises ScenarioError.
    """
    scenario = engine.load(fabric, set, allow_files=allow_files, network_alone=True, argument="fabric")
    with watched() as progress:
        found = _core.diagnose(
            scenario, str(before), str(after), None if routes is None else str(routes), interval_s, progress
        )
    return Diagnosis(scenario.title, json.loads(found))


def fit(
    fabric: str | Path,
    before: str | Path,
    after: str | Path,
    file: Path,
    *,
    routes: str | Path | None = None,
    interval_s: float | None = None,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    allow_files: bool = False,
) -> list[str]:
    """Write a scenario to `file` whose traffic reproduces the counters; returns remarks on it.

    Arguments are those of `diagnose`. Raises ScenarioError, or UsageError if the writing fails or would
    replace a file that is read.
    """
    scenario = engine.load(fabric, set, allow_files=allow_files, network_alone=True, argument="fabric")
    atomic.check_replaceable(file, "--fit", [before, after, routes, *engine.files_of(fabric, scenario)])
    path = os.path.relpath(fabric, file.parent)
    named = [path]
    read = (str(before), str(after))
    if routes is None:
        text, notes = _core.fit_counters(scenario, *read, path, None, interval_s)
    else:
        tables_path = os.path.relpath(routes, file.parent)
        named.append(tables_path)
        text, notes = _core.fit_counters(scenario, *read, path, str(routes), interval_s, tables_path)
    atomic.write_file(file, text, "--fit")
    if any(Path(each).parts[0] == os.pardir for each in named):
        command = f"hopscope explain {shlex.quote(os.fspath(file))} --allow-files"
        outside = "the scenario names files outside its folder, so reading it takes `allow_files`"
        notes = [*notes, f"{outside}: `{command}`"]
    return notes


def counter_forms() -> list[dict[str, str]]:
    """The readable formats of port counters: the tool's name, and how such a file begins."""
    return json.loads(_core.counter_forms())
