"""What a repair gains where the mean hides it: in the longest round, or in the slowest messages.

A fault of half a millisecond hits one of ten rounds, and a slow cable the few flows that are hashed to it.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.metric_key import MetricKey
from hopscope.planning.goals.goal import Goal, are_rounds, compared_delay
from hopscope.planning.goals.mix import TAIL, of_classes
from hopscope.planning.trying.relief import Gained, Ran, exact, less
from hopscope.results.run import RunResult

# What takes less than this share off the slowest ones is not what somebody complains of.
WORTH_AT_WORST = 0.1
LONGEST = f"{Goal.ROUND.metric}.max"


def gained_at_worst(before: Ran, after: Ran) -> Gained | None:
    """What a repair takes off the longest round, or where nothing is done in rounds off the 99th percentile.

    None where that is nothing worth naming, or not sure. The runs have the same random numbers, so the
    longest rounds differ by the repair alone, and have no interval. So it is with percentiles where today's
    run has few of the slowest messages: whether the fault hits one in a hundred is open, and the run that is
    explained has what it hit.
    """
    (scenario, base), (_, run) = before, after
    canonical = json.loads(scenario.canonical_json())
    if are_rounds(canonical):
        found = _sure("time of the longest round", *(_longest(each) for each in (base, run)))
        return None if found is None else replace(found, has_interval=False)
    delay = compared_delay(scenario.model, canonical, base)
    if delay is None:
        return None
    tails = [each.summary.find(f"{delay}.{TAIL}") for each in (base, run)]
    return _sure_of_tail(f"{Goal.of_metric(delay)} at the 99th percentile", *tails)


def gained_of_few(before: Ran, after: Ran) -> Gained | None:
    """What a lane of its own takes off the 99th percentile of the class that gains most by it.

    What stands behind a rare burst of others is few messages, and of one class.
    """
    (scenario, base), (_, run) = before, after
    delay = compared_delay(scenario.model, json.loads(scenario.canonical_json()), base)
    if delay is None:
        return gained_at_worst(before, after)
    sure: list[Gained] = []
    for name in of_classes(base, delay):
        key = str(MetricKey(delay, name, TAIL))
        goal = f"{Goal.of_metric(delay)} at the 99th percentile"
        found = _sure_of_tail(goal, *(each.summary.find(key) for each in (base, run)))
        sure += [] if found is None else [replace(found, of_class=name)]
    best = max(sure, key=lambda each: each.gain.value if each.gain else 0.0, default=None)
    return best or gained_at_worst(before, after)


def gained_of_longest(before: Ran, after: Ran, waiting: Sequence[str]) -> Gained | None:
    """What a repair takes off the mean of the class that waits longest, by the names in `waiting`.

    What is broken hurts those who use it. Where these send few of all messages, the mean over all of them
    tells nothing. None where the class surely gains nothing worth naming, or waits no longer than others.
    """
    (scenario, base), (_, run) = before, after
    delay = compared_delay(scenario.model, json.loads(scenario.canonical_json()), base)
    if delay is None:
        return None
    today, now = (of_classes(each, delay) for each in (base, run))
    longest = next((name for name in waiting if name in today), None)
    if longest is None or longest not in now:
        return None
    found = _sure(Goal.of_metric(delay), today[longest].mean, now[longest].mean)
    return None if found is None else replace(found, of_class=longest)


def gained_by_order(before: Ran, after: Ran) -> Gained | None:
    """What another order of service takes off the 99th percentile; None where that is not sure.

    Whom an order serves last are the slowest, and all of them together wait as long by any order. Both runs
    have the same messages: a percentile of the changed one below the interval of today's is no chance.
    """
    (scenario, base), (_, run) = before, after
    canonical = json.loads(scenario.canonical_json())
    delay = None if are_rounds(canonical) else compared_delay(scenario.model, canonical, base)
    if delay is None:
        return gained_at_worst(before, after)
    today, now = (each.summary.find(f"{delay}.{TAIL}") for each in (base, run))
    if today is None or now is None:
        return None
    found = _sure(f"{Goal.of_metric(delay)} at the 99th percentile", today, exact(now))
    return None if found is None else replace(found, has_interval=False)


def _sure_of_tail(goal: str, today: Estimate | None, now: Estimate | None) -> Gained | None:
    """The gain in a percentile, where it is sure; of the very messages of today's run where that alone is."""
    found = _sure(goal, today, now)
    if found is not None or today is None or now is None:
        return found
    found = _sure(goal, exact(today), now)
    if found is None or found.gain is None or found.gain.low < WORTH_AT_WORST:
        return None
    return replace(found, has_interval=False)


def _longest(run: RunResult) -> Estimate | None:
    found = run.summary.find(LONGEST)
    return None if found is None else exact(found)


def _sure(goal: str, today: Estimate | None, now: Estimate | None) -> Gained | None:
    """A gain, where it is sure and worth naming."""
    if today is None or now is None or not today.value:
        return None
    gain = less(today, now)
    is_sure = gain.low > 0 and gain.value >= WORTH_AT_WORST
    return Gained(goal, gain, gain) if is_sure else None
