"""Short runs that represent a whole one: with the same outcome, and precise enough means."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hopscope import engine
from hopscope.errors import InternalError
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning import faults
from hopscope.planning.goals.goal import are_rounds, compared_delay
from hopscope.planning.goals.job import of_rounds, rounds_ended, waiting_job
from hopscope.planning.goals.mix import MEAN
from hopscope.planning.goals.unfinished import UnderWay
from hopscope.planning.trying.budget import Size
from hopscope.progress import Progress
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.results.summary import Doubt
from hopscope.source import messages_of
from hopscope.units import US_PER

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# Runs become at most this many times as long, doubled until they are enough.
LONGEST = 8
# Long runs are shortened down to this many messages: fewer have hardly an interval.
FEWEST_MESSAGES = 1_000
# The interval of fewer rounds is useless: with two it has one degree of freedom.
FEWEST_ROUNDS = 5
# A figure is rough if half its interval is more than this share of it: remedies gain a few per cent.
ROUGH = 0.03
ROUND = Goal.ROUND.metric
# A warm-up that each run finds for itself.
AUTO = "auto"
# The doubts about the interval of a mean delay.
DOUBTED = frozenset({Doubt.TRANSIENT, Doubt.CORRELATED})


def in_short(
    scenario: "Scenario",
    why: "Explanation",
    messages: int,
    progress: Progress | None,
    most_events: float = math.inf,
    explained: RunResult | None = None,
) -> tuple["Scenario", RunResult]:
    """The scenario with this many messages, and its run; with more if that does not represent the whole.

    An unsettled run has no delay to compare, one whose queues do not grow yet carries its offered load, and
    one not yet in deadlock shows no cure. A run with correlated delays has intervals that are too narrow. A
    run whose interval does not contain the whole run's mean lifetime or throughput shows how the network
    fills. One that ends while more messages wait than have arrived says little about these, and one with a
    throughput accurate only to more than a few per cent cannot compare changes: runs of up to `most_events`
    are used for better figures. One in which the only waiting job has ended few rounds is useless for it. If
    this many messages take more events than `most_events`, by `explained`, the whole run, fewer are tried
    first. With timed events, runs are as long as the whole: shorter ones would end before the event, or see
    less of its effects.
    """
    for length in _lengths(scenario, why, messages, _fewer(scenario, messages, most_events, explained)):
        short, base = _so_long(scenario, length, progress)
        # A run that ended by itself is the whole.
        if base.summary.fields["measured"]["messages"] < length:
            return _over_one_window(short, base), base
        may_double = 2 * base.summary.fields["events"] <= most_events
        if _tells(short, base, why) and not (may_double and _is_doubted(short, base, why, explained)):
            break
    return short, base


def _over_one_window(short: "Scenario", base: RunResult) -> "Scenario":
    """The scenario whose changed runs measure the same window as this run, which ended by itself.

    If found anew for each run, the end of the warm-up might be just before the end of the run, which is then
    useless.
    """
    if json.loads(short.canonical_json())["measure"]["warmup"] != AUTO:
        return short
    until_us = math.floor(base.summary.fields["warmup"]["until_s"] * 1e6)
    return short.with_overrides([f"measure.warmup={f'{until_us} us' if until_us else 'none'}"])


def is_like(base: RunResult, explained: RunResult | None) -> bool:
    """Whether the interval of the throughput agrees with that of the whole run, if both are known.

    Growing queues have another mix of traffic at their beginning than later.
    """
    carried, whole = (None if run is None else run.summary.find(Goal.THROUGHPUT) for run in (base, explained))
    return carried is None or whole is None or (carried.low <= whole.high and whole.low <= carried.high)


def simulated(scenarios: Sequence["Scenario"], progress: Progress | None) -> list[RunResult]:
    """A run of each scenario."""
    runs = engine.sweep(scenarios, progress)
    return [RunResult.of(*pair) for pair in zip(scenarios, runs, strict=True)]


def simulated_or_failed(
    scenarios: Sequence["Scenario"], progress: Progress | None
) -> list[RunResult | InternalError]:
    """A run of each scenario, or the internal error with which it ended: one must not cost all others."""
    try:
        return [*simulated(scenarios, progress)]
    except InternalError:
        return [_one_or_failed(each, progress) for each in scenarios]


def _one_or_failed(scenario: "Scenario", progress: Progress | None) -> RunResult | InternalError:
    try:
        return simulated([scenario], progress)[0]
    except InternalError as failure:
        return failure


def _fewer(scenario: "Scenario", messages: int, most_events: float, explained: RunResult | None) -> int:
    """This many messages, or fewer if by the whole run these take more events than permitted."""
    size = Size.of(scenario, explained)
    if explained is None or size.cost(messages) <= most_events:
        return messages
    return min(messages, max(FEWEST_MESSAGES, size.messages_for(most_events)))


def _lengths(scenario: "Scenario", why: "Explanation", messages: int, first: int) -> Iterator[int]:
    """First `first` messages, then more, each length once."""
    canonical, whole = json.loads(scenario.canonical_json()), messages_of(scenario)
    if faults.happen(canonical):
        yield whole
        return
    length = min(first, whole)
    longest = LONGEST * messages
    yield length
    is_by_rounds = are_rounds(canonical) or waiting_job(canonical, why) is not None
    while length < whole and (is_by_rounds or length < longest):
        length = min(2 * length, whole)
        yield length
    # The whole run is the last resort if queues grow, or if it is hardly longer.
    if length < whole and (why.outcome == Outcome.SATURATED or whole < 2 * length):
        yield whole


def _tells(short: "Scenario", base: RunResult, why: "Explanation") -> bool:
    """Whether a run ends as the whole one does, and after rounds enough for an interval."""
    is_alike = (base.outcome == Outcome.SATURATED) == (why.outcome == Outcome.SATURATED)
    is_early = why.is_deadlock and base.outcome != Outcome.DEADLOCK
    if not is_alike or is_early:
        return False
    canonical = json.loads(short.canonical_json())
    job = waiting_job(canonical, why)
    if job is not None:
        return rounds_ended(base, [job]) >= FEWEST_ROUNDS
    return not are_rounds(canonical) or rounds_ended(base) >= FEWEST_ROUNDS


def _is_doubted(short: "Scenario", base: RunResult, why: "Explanation", explained: RunResult | None) -> bool:
    """Whether changes are compared by a mean with an unreliable interval, or by a rough throughput."""
    canonical = json.loads(short.canonical_json())
    job = waiting_job(canonical, why)
    if job is not None and not are_rounds(canonical):
        return _is_rough(of_rounds(base, job))
    delay = compared_delay(short.model, canonical, base)
    if delay is None:
        carried = base.summary.find(Goal.THROUGHPUT)
        return _is_rough(carried) or not is_like(base, explained)
    if delay == ROUND:
        return False
    under_way = UnderWay.of(base)
    if under_way is not None and under_way.is_more:
        return True
    return bool(DOUBTED.intersection(base.summary.doubts)) or not _holds_whole_life(base, why)


def _is_rough(found: Estimate | None) -> bool:
    """Whether an interval is wider than what remedies gain."""
    return found is None or found.half_width > ROUGH * found.value


def _holds_whole_life(base: RunResult, why: "Explanation") -> bool:
    """Whether the interval of the mean lifetime holds that of the explained run, if both are known."""
    life = base.summary.find(f"{base.summary.explained_delay()}.{MEAN}")
    whole_us = why.data["lifetime"]["mean_us"]
    if life is None or whole_us is None:
        return True
    return life.low <= whole_us / US_PER[life.unit] <= life.high


def _so_long(scenario: "Scenario", messages: int, progress: Progress | None) -> tuple["Scenario", RunResult]:
    """The scenario with this many messages, and its run."""
    short = scenario.with_overrides([f"measure.messages={messages}"])
    (base,) = simulated([short], progress)
    return short, base
