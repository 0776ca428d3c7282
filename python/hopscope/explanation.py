"""Explaining a scenario or a run: its bottleneck, and on demand what would help."""

from pathlib import Path

from hopscope.engine import Progress
from hopscope.errors import Interrupted
from hopscope.overrides import Overrides
from hopscope.planning.what_if import MESSAGES, SEEDS
from hopscope.planning.what_if import what_if as tried
from hopscope.results.explanation import Explanation
from hopscope.source import result_of, scenario_of


def explain(
    source: str | Path,
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: int | None = None,
    what_if: bool = False,
    seeds: int = SEEDS,
    messages: int = MESSAGES,
    progress: Progress | None = None,
) -> Explanation:
    """Name the bottleneck of a scenario, which is simulated, or of a run, read from its folder.

    With `what_if`, the scenario is run again with one change at a time, with `seeds` seeds of at most
    `messages` messages. Errors are those of `run` and `read`; an interrupt of the changes carries the
    explanation with what was tried by then.
    """
    result = result_of(source, set, seed, progress)
    found = result.explain()
    if what_if:
        scenario = scenario_of(source, set, seed)
        try:
            found.what_if = tried(
                scenario, found, seeds=seeds, messages=messages, explained=result, progress=progress
            )
        except Interrupted as stopped:
            found.what_if = stopped.so_far
            raise Interrupted(found) from None
    return found
