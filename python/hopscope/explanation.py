"""Explaining a scenario or a run: what holds it back, and on demand what would help."""

from pathlib import Path

from hopscope import engine, experiment
from hopscope.engine import Progress
from hopscope.errors import UsageError
from hopscope.overrides import Overrides, as_texts
from hopscope.planning.what_if import MESSAGES, SEEDS
from hopscope.results import folder
from hopscope.results.explanation import Explanation
from hopscope.results.run import RunResult


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
    """Say why a scenario, simulated now, or a run, read from its folder, is as slow as it is.

    With `what_if`, the scenario is run again with one resource relaxed at a time, with `seeds` seeds of at most
    `messages` messages. Errors are those of `run` and `read`.
    """
    place = Path(source)
    if not place.is_dir():
        result = experiment.run(source, set=set, seed=seed, progress=progress)
        scenario = engine.load(source, set, seed)
    else:
        if as_texts(set) or seed is not None:
            raise UsageError(
                f"`{place}` is a run that has been, and cannot be changed", "give the scenario instead"
            )
        read = folder.read(place)
        if not isinstance(read, RunResult):
            raise UsageError(
                f"`{place}` holds a sweep of many runs", "give one of the run folders in points/"
            )
        result, scenario = read, engine.load(place / "scenario.toml")
    found = result.explain()
    if what_if:
        from hopscope.planning.what_if import what_if as tried

        found.what_if = tried(scenario, found, seeds=seeds, messages=messages, progress=progress)
    return found
