"""What a change costs other classes of messages than those that it helps."""

import json
from dataclasses import replace

from hopscope.goal import Goal, measure_of_delay
from hopscope.metric_key import ALL_CLASSES, MetricKey
from hopscope.planning.goals.goal import times_left
from hopscope.planning.goals.job import names
from hopscope.planning.goals.mix import of_classes
from hopscope.planning.trying.relief import Gained, Ran, less, more
from hopscope.results.run import RunResult
from hopscope.results.trial import UNNOTICED, OfOther

Runs = tuple[RunResult, RunResult]
"""A run without a change, and one with it."""


def with_harm(found: Gained, today: Ran, after: Ran) -> Gained:
    """A gain with the sure loss of the group of flows that loses most, if any does.

    Bandwidth and order of service are shared: what one class gains may be what another one loses. If that
    loses by a greater factor than the first one saves, the change makes the network worse, and its gain is
    that loss. A loss replaces what is told of another class that loses less.
    """
    runs = today[1], after[1]
    delay = runs[0].summary.main_delay()
    if delay is None or found.gain is None or found.gain.value <= 0:
        return found
    others = [name for name in names(json.loads(today[0].canonical_json())) if name != found.of_class]
    losses = [each for name in others if (each := _loss(name, delay, runs)) is not None]
    worst = max(losses, key=_times, default=None)
    if worst is None:
        return found
    if found.of_class is not None and _times(worst) * times_left(found.goal, found.gain.value) > 1:
        loser, goal, loss = worst
        return replace(found, goal=goal, gain=loss, beside=loss, of_class=loser, other_class=None)
    told = found.other_class
    is_told = told is not None and told[0] != ALL_CLASSES and _times(told) >= _times(worst)
    return found if is_told else replace(found, other_class=worst)


def _times(told: OfOther) -> float:
    """The factor by which a class gets worse; below 1 if it gets better."""
    _, goal, gain = told
    return times_left(goal, gain.value)


def _loss(name: str, delay: str, runs: Runs) -> OfOther | None:
    """The sure and noticeable loss of a class: in throughput, else in its mean delay; None if there is none.

    Messages of a class that delivers more may take longer, and nothing is lost.
    """
    key = str(MetricKey(Goal.THROUGHPUT, name, "rate"))
    carried = [run.summary.find(key) for run in runs]
    delivers = None
    if carried[0] is not None and carried[1] is not None and carried[0].value:
        delivers = more(carried[0], carried[1])
        if delivers.high < 0 and delivers.value <= -UNNOTICED:
            return name, Goal.THROUGHPUT, delivers
    classes = [of_classes(run, delay) for run in runs]
    means = [each[name].mean if name in each else None for each in classes]
    if means[0] is None or means[1] is None or not means[0].value:
        return None
    takes = less(means[0], means[1])
    is_lost = takes.high < 0 and takes.value <= -UNNOTICED and (delivers is None or delivers.low <= 0)
    return (name, measure_of_delay(delay), takes) if is_lost else None
