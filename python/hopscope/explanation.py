"""Explaining a scenario or a run: its bottleneck, and on demand what would help."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, SupportsIndex

from hopscope.cause import Cause
from hopscope.confirmation import confirm as confirmed
from hopscope.engine import ScenarioSource
from hopscope.errors import Interrupted, UsageError
from hopscope.overrides import (
    FEWEST_MESSAGES_ASKED,
    MOST_SEEDS_ASKED,
    Overrides,
    true_or_false,
    whole_number_from,
)
from hopscope.planning.candidates.odd_routes import odd_routes
from hopscope.planning.capacity.capacity import overload
from hopscope.planning.goals.undecided import too_short
from hopscope.planning.trying.budget import FEWEST_SEEDS, MESSAGES, SEEDS
from hopscope.planning.what_if.what_if import what_if as tried
from hopscope.progress import Progress, Watch, callback
from hopscope.progress_bar import with_bar
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome
from hopscope.source import result_of, scenario_of

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.run import RunResult


@with_bar
def explain(
    source: ScenarioSource,
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: SupportsIndex | None = None,
    what_if: bool = False,
    confirm: bool = True,
    seeds: SupportsIndex | None = None,
    messages: SupportsIndex | None = None,
    allow_files: bool = False,
    progress: Watch = None,
) -> Explanation:
    """Name the bottleneck of a scenario, simulated first, or of a run folder.

    With `what_if`, the scenario is run again with one change at a time. The best changes run with `seeds`
    seeds of `messages` messages, by default with up to 5 seeds of up to 20,000, as a budget allows. Errors
    are those of `run` and `read`, and UsageError if no message was delivered, or if `seeds` or `messages` are
    given without `what_if`; an interrupt of the changes carries the explanation with what was tried by then.
    With `confirm`, the likely causes are relieved one at a time in short runs, and the one that helps most is
    named. After an interrupt of those the explanation is from the run alone, and so it is if only another
    program has the run's rules.

    Examples:
        >>> import hopscope
        >>> why = hopscope.explain("queueing-mm1", set={"measure.messages": 20_000})
        >>> why.cause
        'resource'
    """
    progress = callback(progress)
    what_if, confirm = true_or_false("what_if", what_if), true_or_false("confirm", confirm)
    size = _thoroughness(seeds, messages, what_if=what_if)
    result = result_of(source, set, seed, progress, allow_files=allow_files)
    load = partial(scenario_of, source, set, seed, allow_files=allow_files)
    try:
        found = _tried(result, load, what_if=what_if, confirm=confirm, size=size, progress=progress)
    except Interrupted as stopped:
        if isinstance(stopped.so_far, Explanation):
            stopped.so_far = replace(stopped.so_far, run=result)
        raise
    return replace(found, run=result)


def _tried(
    result: "RunResult",
    load: "Callable[[], Scenario]",
    *,
    what_if: bool,
    confirm: bool,
    size: tuple[int | None, int | None],
    progress: Progress | None,
) -> Explanation:
    """The explanation of a run with the requested trials; `size` are seeds and messages of `what_if`.

    `load` reads the scenario for them, which is impossible if only another program has its rules.
    """
    found = _with_odd_routes(_with_the_cycle(result), result.scenario)
    if found.cause == Cause.HEALTHY and not result.summary.fields["measured"]["messages"]:
        raise UsageError(
            "no message was delivered in the measured window: there is nothing to explain",
            "make the run longer: `duration` or `measure.messages`, a shorter `measure.warmup`",
        )
    if result.lacks and not what_if:
        return found
    scenario = load()
    found = _bounded(found, scenario)
    if confirm:
        try:
            found = confirmed(scenario, found, progress, explained=result)
        except Interrupted:
            raise Interrupted(found) from None
    found = too_short(found, result)
    if what_if:
        seeds, messages = size
        try:
            changes = tried(
                scenario, found, seeds=seeds, messages=messages, explained=result, progress=progress
            )
        except Interrupted as stopped:
            raise Interrupted(replace(found, what_if=stopped.so_far)) from None
        return replace(found, what_if=changes)
    return found


def _thoroughness(
    seeds: SupportsIndex | None, messages: SupportsIndex | None, *, what_if: bool
) -> tuple[int | None, int | None]:
    """Seeds and messages of changes. Raises UsageError if none are tried, and for values out of range."""
    if not what_if and (seeds is not None or messages is not None):
        raise UsageError(
            "`seeds` and `messages` (--seeds, --messages) are for the changes of `what_if` (--what-if)",
            "ask for it as well, or leave them out",
        )
    if seeds is not None:
        seeds = whole_number_from("seeds", seeds, FEWEST_SEEDS, SEEDS, MOST_SEEDS_ASKED)
    if messages is not None:
        messages = whole_number_from("messages", messages, FEWEST_MESSAGES_ASKED, MESSAGES)
    return seeds, messages


def _with_the_cycle(result: "RunResult") -> Explanation:
    """The explanation of a run; for a deadlock with the messages that wait for one another."""
    found, stuck = result.explain(), result.summary.fields["stuck"]
    return found if stuck is None else replace(found, data={**found.data, "stuck": stuck})


def _with_odd_routes(found: Explanation, scenario: "Scenario") -> Explanation:
    """The explanation, with anomalies of the routes, if any."""
    odd = [each.data() for each in odd_routes(scenario, found.is_deadlock)]
    return replace(found, data={**found.data, "odd_routes": odd}) if odd else found


def _bounded(found: Explanation, scenario: "Scenario") -> Explanation:
    """The explanation, with the bound on the load if a saturated network is offered more."""
    exceeded = overload(scenario) if found.outcome == Outcome.SATURATED else None
    return found if exceeded is None else found.offered(*exceeded)
