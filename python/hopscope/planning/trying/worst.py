"""The gain of a repair that the mean hides: in the longest round, or in the slowest messages.

A fault of half a millisecond affects one of ten rounds, and a slow cable the few flows that are hashed to it.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.goal import Goal, Measure, OtherTime, measure_of_delay
from hopscope.metric_key import MetricKey
from hopscope.planning.goals.goal import are_rounds, compared_delay
from hopscope.planning.goals.mix import TAIL, of_classes
from hopscope.planning.trying.relief import Gained, Ran, exact, less
from hopscope.results.run import RunResult

# A smaller gain of the slowest messages than this share is not reported.
WORTH_AT_WORST = 0.1
LONGEST = f"{Goal.ROUND.metric}.max"
OF_LONGEST = OtherTime("time of the longest round")


def gained_at_worst(before: Ran, after: Ran) -> Gained | None:
    """The gain of a repair in the longest round, or without rounds in the 99th percentile.

    None if that is not worth naming, or not sure. The runs have the same random numbers, so the longest
    rounds differ by the repair alone, and have no interval. The same holds for percentiles if the unchanged
    run has few of the slowest messages: whether the fault affects one in a hundred is open, but the explained
    run contains those that it did affect.
    """
    (scenario, base), (_, run) = before, after
    canonical = json.loads(scenario.canonical_json())
    if are_rounds(canonical):
        found = _sure(OF_LONGEST, *(_longest(each) for each in (base, run)))
        return None if found is None else replace(found, has_interval=False)
    delay = compared_delay(scenario.model, canonical, base)
    if delay is None:
        return None
    tails = [each.summary.find(f"{delay}.{TAIL}") for each in (base, run)]
    return _sure_of_tail(_tail_of(delay), *tails)


def gained_of_few(before: Ran, after: Ran) -> Gained | None:
    """The gain of separate lanes in the 99th percentile of the class that gains most.

    Only few messages, of one class, wait behind a rare burst of others.
    """
    (scenario, base), (_, run) = before, after
    delay = compared_delay(scenario.model, json.loads(scenario.canonical_json()), base)
    if delay is None:
        return gained_at_worst(before, after)
    sure: list[Gained] = []
    for name in of_classes(base, delay):
        key = str(MetricKey(delay, name, TAIL))
        goal = _tail_of(delay)
        found = _sure_of_tail(goal, *(each.summary.find(key) for each in (base, run)))
        sure += [] if found is None else [replace(found, of_class=name)]
    best = max(sure, key=lambda each: each.gain.value if each.gain else 0.0, default=None)
    return best or gained_at_worst(before, after)


def gained_of_longest(before: Ran, after: Ran, waiting: Sequence[str]) -> Gained | None:
    """The gain of a repair in the mean of the class that waits longest, by the names in `waiting`.

    A defect delays the messages that use it. If these are few of all messages, the mean over all does not
    show it. None if the class surely gains nothing worth naming, or waits no longer than others.
    """
    (scenario, base), (_, run) = before, after
    delay = compared_delay(scenario.model, json.loads(scenario.canonical_json()), base)
    if delay is None:
        return None
    today, now = (of_classes(each, delay) for each in (base, run))
    longest = next((name for name in waiting if name in today), None)
    if longest is None or longest not in now:
        return None
    found = _sure(measure_of_delay(delay), today[longest].mean, now[longest].mean)
    return None if found is None else replace(found, of_class=longest)


def gained_by_order(before: Ran, after: Ran) -> Gained | None:
    """The gain of another order of service in the 99th percentile; None if that is not sure.

    The messages served last are the slowest, and the mean over all is the same for any order. Both runs have
    the same messages: a percentile of the changed one below the interval of the unchanged one is not chance.
    """
    (scenario, base), (_, run) = before, after
    canonical = json.loads(scenario.canonical_json())
    delay = None if are_rounds(canonical) else compared_delay(scenario.model, canonical, base)
    if delay is None:
        return gained_at_worst(before, after)
    today, now = (each.summary.find(f"{delay}.{TAIL}") for each in (base, run))
    if today is None or now is None:
        return None
    found = _sure(_tail_of(delay), today, exact(now))
    return None if found is None else replace(found, has_interval=False)


def _sure_of_tail(goal: Measure, today: Estimate | None, now: Estimate | None) -> Gained | None:
    """The gain in a percentile, if sure; for the very messages of the unchanged run if only that is."""
    found = _sure(goal, today, now)
    if found is not None or today is None or now is None:
        return found
    found = _sure(goal, exact(today), now)
    if found is None or found.gain is None or found.gain.low < WORTH_AT_WORST:
        return None
    return replace(found, has_interval=False)


def _tail_of(delay: str) -> OtherTime:
    """The 99th percentile of a delay."""
    return OtherTime(f"{measure_of_delay(delay)} at the 99th percentile")


def _longest(run: RunResult) -> Estimate | None:
    found = run.summary.find(LONGEST)
    return None if found is None else exact(found)


def _sure(goal: Measure, today: Estimate | None, now: Estimate | None) -> Gained | None:
    """A gain, if it is sure and worth naming."""
    if today is None or now is None or not today.value:
        return None
    gain = less(today, now)
    is_sure = gain.low > 0 and gain.value >= WORTH_AT_WORST
    return Gained(goal, gain, gain) if is_sure else None
