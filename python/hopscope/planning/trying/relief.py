"""The gain of a change over a run without it: in the mean of a delay, or in throughput."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope.estimate import Estimate
from hopscope.goal import Goal, Measure, measure_of_delay
from hopscope.metric_key import ALL_CLASSES
from hopscope.overrides import at
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.settings import GIVEN_UP
from hopscope.planning.candidates.variants import changed
from hopscope.planning.goals.goal import are_rounds, closed_classes, compared_delay, loses
from hopscope.planning.goals.mix import MEAN, Classes, at_todays_mix, differ, of_classes, of_weight, together
from hopscope.planning.goals.unfinished import UnderWay, less_wait, still_wait
from hopscope.planning.trying.short_runs import simulated
from hopscope.results.candidate import Candidate
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.results.trial import OfOther, Trial
from hopscope.units import US_PER

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The parameters of a load that is relative to the capacity of links or stations, and the tolerance of offered
# rates.
LOADS = ("traffic.load", "arrivals.load")
SAME_RATE = 0.01

# Short runs have a throughput accurate to a few per cent: a throughput less by at most this counts as equal.
SAME_THROUGHPUT = 0.02

# If the overall gain is below this, a small class may gain much more: its gain is looked for.
HIDING_GAIN = 0.1
TIMES_FOR_A_CLASS = 2
# The group whose rounds gain most is reported if it gains at least this many times as much as all rounds
# together.
TIMES_FOR_A_GROUP = 1.5

Ran = tuple["Scenario", RunResult]
"""A scenario and a run of it."""


@dataclass(frozen=True, slots=True)
class Gained:
    """A gain: its measure, the gain, and the gain with the unchanged run taken as exact.

    `left` is the remaining mean delay if queues grow now and no longer with the change. With `is_filling` the
    gain may only be what the added buffer has taken in. `of_class` is the class of messages that has it, if
    not all do. With `ends_queues` queues grow in the very same run without the change, and not with it. With
    `still_wait` there is no gain: more messages wait when the run ends. `other_class` is the other class with
    its own gain, if a cause is about two. A gain without `has_interval` is that of one pair of runs: its ends
    are its value. `given_up` are the messages that senders gave up in either run, which are in no delay.
    `lost` are the packets lost for good in either run, if the gain is in these. `gains_most` is the group
    whose rounds gain far more than all.
    """

    goal: Measure
    gain: Estimate | None
    beside: Estimate | None
    left: Estimate | None = None
    is_filling: bool = False
    of_class: str | None = None
    ends_queues: bool = False
    still_wait: bool = False
    other_class: OfOther | None = None
    has_interval: bool = True
    given_up: tuple[int, int] | None = None
    lost: tuple[int, int] | None = None
    gains_most: OfOther | None = None


def trial_of(
    candidate: Candidate,
    change: Relaxation,
    found: Gained,
    *,
    has_loop: bool,
    is_broad: bool,
    is_wide: bool,
) -> Trial:
    """A change that was tried for a cause, with its gain."""
    return Trial(
        candidate,
        change.label,
        change.set,
        found.goal,
        found.gain,
        has_loop=has_loop,
        repairs=change.mends is not None,
        mended=change.repaired if change.mends is not None else 0,
        # A change with additional buffers is compared with another run.
        beside=None if change.against else found.beside,
        left=found.left,
        ends_queues=found.ends_queues and not found.is_filling,
        of_class=found.of_class,
        still_wait=found.still_wait,
        other_class=found.other_class,
        has_interval=found.has_interval,
        is_broad=is_broad,
        is_wide=is_wide,
        is_lacking=change.is_lacking,
        given_up=found.given_up,
        lost=found.lost,
        gains_most=found.gains_most,
    )


def gained(
    before: Ran, after: Ran, *, is_saturated: bool, of_bursts: bool = False, waiting: Sequence[str] = ()
) -> Gained:
    """The gain of a relief in the mean delay, or in throughput if senders wait for the network.

    Such senders send as fast as the network permits; and if queues grow or much never arrives there is no
    delay, only throughput. Both runs have the same offered load: a load relative to the capacity of links is
    adjusted if that grows. With `of_bursts` the delay is the time of a burst, if there are bursts, whatever
    else is sent: a window does not affect single packets. The interval has the ends of both runs' intervals,
    so it is wider than that of pairs. `waiting` has the names of the classes that wait longest, the first of
    them first.
    """
    base, run = before[1], _at_one_rate(before, after)
    found = _gained(before, run, is_saturated=is_saturated, of_bursts=of_bursts, waiting=waiting)
    return replace(found, given_up=_given_up(base, run))


def _given_up(base: RunResult, run: RunResult) -> tuple[int, int] | None:
    """The messages that senders gave up without a change and with it; None if there were none."""
    today, now = (each.summary.find(GIVEN_UP) for each in (base, run))
    return None if today is None or now is None or not today.value else (int(today.value), int(now.value))


def _gained(
    before: Ran, run: RunResult, *, is_saturated: bool, of_bursts: bool, waiting: Sequence[str]
) -> Gained:
    """The gain of a run with a change, whatever its senders give up."""
    scenario, base = before
    canonical = json.loads(scenario.canonical_json())
    delay = compared_delay(scenario.model, canonical, base, is_saturated=is_saturated, of_bursts=of_bursts)
    if delay is not None and (found := _of_delay(delay, base, run, waiting)) is not None:
        return found if found.goal == Goal.ROUND else _with_round(found, canonical, base, run)
    if not is_saturated and (found := _of_open_class(before, run, canonical, waiting)) is not None:
        return found
    today, now = (each.summary.find(Goal.THROUGHPUT) for each in (base, run))
    if today is None or now is None or not today.value:
        return Gained(Goal.THROUGHPUT, None, None)
    left = _left(run) if is_saturated else None
    ends = left is not None and base.outcome == Outcome.SATURATED and not loses(run) and less_wait(base, run)
    return Gained(Goal.THROUGHPUT, more(today, now), more(exact(today), now), left, ends_queues=ends)


def less_queued(before: Ran, after: Ran, waiting: Sequence[str] = ()) -> Gained:
    """The gain of a smaller window in the mean delay if it carries as much; None if it carries less.

    Its sender always has more to send, so throughput would not show that less waits in a queue.
    """
    runs = before[1], after[1]
    today, now = (run.summary.find(Goal.THROUGHPUT) for run in runs)
    delay = runs[0].summary.explained_delay() or runs[0].summary.main_delay()
    is_as_much = today is not None and now is not None and now.value >= (1 - SAME_THROUGHPUT) * today.value
    found = _of_delay(delay, *runs, waiting) if is_as_much and delay is not None else None
    return found or Gained(Goal.THROUGHPUT, None, None)


def _of_delay(delay: str, base: RunResult, run: RunResult, waiting: Sequence[str]) -> Gained | None:
    """The gain in a delay; None if the changed run has none.

    If runs hold different mixes of classes, each class is weighted as in the first run; of several classes
    one with a sure gain counts, if none surely loses. Messages under way count as far as they have come.
    """
    goal, classes = measure_of_delay(delay), (of_classes(base, delay), of_classes(run, delay))
    today, now = together(base, delay), together(run, delay)
    if all(classes) and differ(*classes):
        alike = at_todays_mix(*classes)
        if alike is None:
            return Gained(goal, None, None)
        today, now = alike
    if today is None or now is None or not today.value:
        return None
    waited, waits = UnderWay.of(base), UnderWay.of(run)
    today, now = _longer(today, waited), _longer(now, waits)
    gain = less(today, now)
    if waited is not None and waits is not None and gain.value > 0 and still_wait(waited, waits):
        return Gained(goal, None, None, still_wait=True)
    if not all(classes):
        return Gained(goal, gain, less(exact(today), now))
    longest = next((name for name in waiting if name in classes[0]), None)
    if gain.low <= 0:
        found = _of_one_class(goal, *classes, longest)
    else:
        found = _of_few(goal, *classes, longest, gain)
    most = _of_most(goal, *classes, gain) if goal == Goal.ROUND else None
    if goal == Goal.ROUND and gain.low <= 0:
        found = found or _of_whose_rounds(*classes)
    return found or Gained(goal, gain, less(exact(today), now), gains_most=most)


def _of_most(goal: Measure, today: Classes, now: Classes, of_all: Estimate) -> OfOther | None:
    """The group whose rounds surely gain far more than all rounds together; None if there is none.

    A mean over all rounds includes jobs that do not use what is relieved.
    """
    gains = {
        name: less(mean, after)
        for name, each in today.items()
        if (mean := each.mean) is not None and name in now and (after := now[name].mean) is not None
    }
    best = max(gains, key=lambda name: gains[name].value, default=None)
    if best is None or gains[best].low <= 0 or gains[best].value < TIMES_FOR_A_GROUP * of_all.value:
        return None
    return best, goal, gains[best]


def _of_whose_rounds(today: Classes, now: Classes) -> Gained | None:
    """The unsure gain of the group that saves most time, with that of the next one.

    A mean over rounds of several groups is the time of none of them.
    """
    means = {
        name: (mean, after)
        for name, each in today.items()
        if (mean := each.mean) is not None and name in now and (after := now[name].mean) is not None
    }
    saved = {name: today[name].number * (mean.value - after.value) for name, (mean, after) in means.items()}
    first, *others = sorted(saved, key=lambda name: -abs(saved[name])) or [""]
    if not first or saved[first] <= 0:
        return None
    mean, after = means[first]
    told = (others[0], Goal.ROUND, less(*means[others[0]])) if others else None
    return Gained(Goal.ROUND, less(mean, after), less(exact(mean), after), of_class=first, other_class=told)


def _with_round(found: Gained, canonical: Mapping[str, Any], base: RunResult, run: RunResult) -> Gained:
    """The gain of a job's messages, with that of its only round, which has no mean: a job waits for that."""
    groups = canonical.get("flows", ())
    if len(groups) != 1 or not are_rounds(canonical) or found.of_class is not None or found.gains_most:
        return found
    today, now = (each.summary.find(f"{Goal.ROUND.metric}.max") for each in (base, run))
    if today is None or now is None or not today.value:
        return found
    ratio = now.value * US_PER[now.unit] / (today.value * US_PER[today.unit])
    gain = Estimate(1 - ratio, -math.inf, math.inf, "fraction", 1)
    name = groups[0].get("name") or next(iter(groups[0]["pattern"]))
    return replace(found, gains_most=(name, Goal.ROUND, gain))


def _of_open_class(
    before: Ran, run: RunResult, canonical: Mapping[str, Any], waiting: Sequence[str]
) -> Gained | None:
    """The gain of the class that waits longest, unless its senders always have more.

    Such senders use what a change provides: their higher throughput may leave the others waiting.
    """
    scenario, base = before
    closed, delay = closed_classes(scenario.model, canonical), base.summary.main_delay()
    if not closed or delay is None:
        return None
    classes = [of_classes(each, delay) for each in (base, run)]
    longest = next((name for name in waiting if name in classes[0]), None)
    if longest is None or longest in closed or longest not in classes[1]:
        return None
    mean, after = (each[longest].mean for each in classes)
    if mean is None or after is None or not mean.value:
        return None
    return Gained(measure_of_delay(delay), less(mean, after), less(exact(mean), after), of_class=longest)


def _longer(mean: Estimate, under_way: UnderWay | None) -> Estimate:
    """A mean with the messages that were under way when the run ended."""
    times = 1.0 if under_way is None else under_way.longer
    return replace(mean, value=times * mean.value, low=times * mean.low, high=times * mean.high)


def _of_one_class(goal: Measure, today: Classes, now: Classes, longest: str | None) -> Gained | None:
    """The largest sure gain of a class, if no class surely loses; None if there is none.

    If the class that waits longest has enough messages, it has to be that one: a change for classes that
    hardly wait is no remedy.
    """
    gains = {
        name: (less(mean, after), less(exact(mean), after))
        for name, mean in of_weight(today).items()
        if mean.value and name in now and (after := now[name].mean) is not None
    }
    if any(gain.high < 0 for gain, _ in gains.values()):
        return None
    asked = [longest] if longest in gains else [*gains]
    sure = [name for name in asked if gains[name][0].low > 0]
    best = max(sure, key=lambda name: gains[name][0].value, default=None)
    return None if best is None else Gained(goal, *gains[best], of_class=best)


def _of_few(
    goal: Measure, today: Classes, now: Classes, longest: str | None, of_all: Estimate
) -> Gained | None:
    """The gain of the class that waits longest, if the mean over all messages hides it."""
    if longest is None or longest not in now or of_all.value >= HIDING_GAIN:
        return None
    mean, after = today[longest].mean, now[longest].mean
    if mean is None or after is None or not mean.value:
        return None
    own = less(mean, after)
    if own.low <= 0 or own.value < TIMES_FOR_A_CLASS * of_all.value:
        return None
    return Gained(
        goal, own, less(exact(mean), after), of_class=longest, other_class=(ALL_CLASSES, goal, of_all)
    )


def _left(run: RunResult) -> Estimate | None:
    """The mean delay with a change that ends the growth of queues."""
    if run.outcome == Outcome.SATURATED or _carries_less(run) or (delay := run.summary.main_delay()) is None:
        return None
    return run.summary.find(f"{delay}.{MEAN}")


def _carries_less(run: RunResult) -> bool:
    """Whether a run surely delivers less than is offered: then some queue grows.

    It may be that of a class with few messages. A lane of its own ends the growth of the others' queues, and
    the class's resource is as slow as before: the number of messages under way hardly shows it.
    """
    offered, carried = (run.summary.find(key) for key in ("offered", Goal.THROUGHPUT))
    if offered is None or carried is None:
        return False
    return carried.high < offered.low and carried.value < (1 - SAME_THROUGHPUT) * offered.value


def exact(estimate: Estimate) -> Estimate:
    """An estimate taken as exact, for the very messages of its run."""
    return replace(estimate, low=estimate.value, high=estimate.value)


def more(today: Estimate, now: Estimate) -> Estimate:
    """The gain in a quantity that should be large."""
    least, most = _ratio(now, today)
    return Estimate(now.value / today.value - 1, least - 1, most - 1, "fraction", 1)


def less(today: Estimate, now: Estimate) -> Estimate:
    """The gain in a quantity that should be small, such as a time.

    If it may be twice as much, and may be less, the interval is useless: its low end is unbounded.
    """
    grown = more(today, now)
    low = -math.inf if grown.high > 1 and grown.low <= 0 else -grown.high
    return Estimate(-grown.value, low, -grown.low, "fraction", 1)


def _ratio(one: Estimate, other: Estimate) -> tuple[float, float]:
    """The least and the greatest ratio of two non-negative quantities, by their intervals."""
    most = one.high / other.low if other.low > 0 else math.inf
    return max(one.low, 0.0) / other.high, most


def _at_one_rate(before: Ran, after: Ran) -> RunResult:
    """The changed run again with the present message rate, if its load had increased it."""
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
