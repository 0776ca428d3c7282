"""Explaining a scenario or a run: its bottleneck, and on demand what would help."""

from pathlib import Path

from hopscope.confirmation import confirm as confirmed
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
    confirm: bool = True,
    seeds: int = SEEDS,
    messages: int = MESSAGES,
    progress: Progress | None = None,
) -> Explanation:
    """Name the bottleneck of a scenario, which is simulated, or of a run, read from its folder.

    With `confirm`, the likeliest causes are relieved one at a time in short runs, and the one that helps most
    is named. An interrupt of those leaves the explanation as the run tells it.
    With `what_if`, the scenario is run again with one resource relaxed at a time, with `seeds` seeds of at
    most `messages` messages. Errors are those of `run` and `read`.
    """
    found = result_of(source, set, seed, progress).explain()
    scenario = scenario_of(source, set, seed)
    if confirm:
        try:
            found = confirmed(scenario, found, progress)
        except Interrupted:
            raise Interrupted(found) from None
    if what_if:
        found.what_if = tried(scenario, found, seeds=seeds, messages=messages, progress=progress)
    return found
