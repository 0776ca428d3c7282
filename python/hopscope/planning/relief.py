"""What a change gains over a run without it: in the mean of a delay, or in throughput."""

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope.estimate import Estimate
from hopscope.overrides import at
from hopscope.planning.goal import MEAN, SATURATED, Goal, compared_delay
from hopscope.planning.short_runs import simulated
from hopscope.planning.variants import changed
from hopscope.results.run import RunResult

if TYPE_CHECKING:
    from hopscope._core import Scenario

# Where a load is relative to what links or stations can do, and how far offered rates may differ.
LOADS = ("traffic.load", "arrivals.load")
SAME_RATE = 0.01

Ran = tuple["Scenario", RunResult]
"""A scenario and a run of it."""


@dataclass(frozen=True, slots=True)
class Gained:
    """A gain: what it is in, the gain, and the gain with today's run taken as exact.

    `left` is the mean delay that is left where queues grow today and no more with the change. With
    `is_filling` the gain may be only what the room that the change gives has taken in.
    """

    goal: str
    gain: Estimate | None
    beside: Estimate | None
    left: Estimate | None = None
    is_filling: bool = False


def gained(before: Ran, after: Ran, *, is_saturated: bool, of_bursts: bool = False) -> Gained:
    """What a relief takes off the mean delay, or adds to throughput where senders wait for the network.

    Those send as fast as the network lets them; and where queues grow or much never arrives there is no
    delay to tell, and throughput is what is left.
    Both runs are offered the same: a load that is relative to what links can do is set anew where they
    can do more. With `of_bursts` the delay is the time of a burst, where there are bursts, whatever else is
    sent: its window shows in no packet. The interval has the ends of both runs' intervals, so it is wider
    than that of pairs.
    """
    (scenario, base), run = before, _at_one_rate(before, after)
    canonical = json.loads(scenario.canonical_json())
    delay = compared_delay(scenario.model, canonical, base, is_saturated=is_saturated, of_bursts=of_bursts)
    if delay is not None:
        today, now = (each.summary.find(f"{delay}.{MEAN}") for each in (base, run))
        if today is not None and now is not None and today.value:
            return Gained(Goal.of_metric(delay), _less(today, now), _less(_exact(today), now))
    today, now = (each.summary.find(Goal.THROUGHPUT) for each in (base, run))
    if today is None or now is None or not today.value:
        return Gained(Goal.THROUGHPUT, None, None)
    delay = run.summary.main_delay() if is_saturated and run.outcome != SATURATED else None
    left = None if delay is None else run.summary.find(f"{delay}.{MEAN}")
    return Gained(Goal.THROUGHPUT, _more(today, now), _more(_exact(today), now), left)


def _exact(estimate: Estimate) -> Estimate:
    return replace(estimate, low=estimate.value, high=estimate.value)


def _more(today: Estimate, now: Estimate) -> Estimate:
    """The gain in what should be large."""
    least, most = _ratio(now, today)
    return Estimate(now.value / today.value - 1, least - 1, most - 1, "fraction", 1)


def _less(today: Estimate, now: Estimate) -> Estimate:
    """The gain in what should be small.

    Where it may be twice as much, and may be less, the interval tells nothing: its low end has no bound.
    """
    more = _more(today, now)
    low = -math.inf if more.high > 1 and more.low <= 0 else -more.high
    return Estimate(-more.value, low, -more.low, "fraction", 1)


def _ratio(one: Estimate, other: Estimate) -> tuple[float, float]:
    """The least and the greatest ratio that two intervals of what is never negative leave open."""
    most = one.high / other.low if other.low > 0 else math.inf
    return max(one.low, 0.0) / other.high, most


def _at_one_rate(before: Ran, after: Ran) -> RunResult:
    """The changed run again, with as many messages a second as today, where its load had made them more."""
    (scenario, base), (other, run) = before, after
    offered = [each.summary.find("offered") for each in (base, run)]
    path = next((each for each in LOADS if isinstance(_value(scenario, each), int | float)), None)
    if path is None or offered[0] is None or offered[1] is None or not offered[1].value:
        return run
    ratio = offered[0].value / offered[1].value
    if abs(ratio - 1) < SAME_RATE:
        return run
    again = changed(other, [f"{path}={float(_value(scenario, path)) * ratio:.6g}"])
    return run if isinstance(again, str) else simulated([again], None)[0]


def _value(scenario: "Scenario", path: str) -> Any:
    return at(json.loads(scenario.canonical_json()), path)
