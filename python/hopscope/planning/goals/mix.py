"""Times of several classes of messages, compared at the mix of the first run.

A change that lets one class send more of its messages alters the mean over all of them, although none takes
longer, and so does a run so short that it holds another mix.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from hopscope.estimate import Estimate
from hopscope.metric_key import MetricKey
from hopscope.planning.goals.unfinished import exceeds
from hopscope.results.run import RunResult
from hopscope.units import US_PER

MEAN = "mean"
MEDIAN = "p50"
TAIL = "p99"
SEVERAL = 2
# A different mix matters if it alone changes the mean by at least this share.
ALTERED = 0.01
# Classes without a figure may have at most this share of the time, for the others to represent all.
LEFT_OUT = 0.1
# No gain is reported for a class with less than this share of the time and of the messages.
LEAST_CLASS = 0.1


@dataclass(frozen=True, slots=True)
class OfClass:
    """The figures of a class in a run: messages, or rounds, and mean, median and p99 in us."""

    number: int
    mean: Estimate | None
    median: float | None = None
    tail: float | None = None

    @property
    def time(self) -> float:
        """The total time of its messages; 0 if unknown."""
        return 0.0 if self.mean is None else self.number * self.mean.value


Classes = Mapping[str, OfClass]
"""The classes of a run, by name; empty unless there are several."""


def of_classes(run: RunResult, delay: str) -> dict[str, OfClass]:
    """The classes of a run with their figures of a delay."""

    def find(name: str, of_class: str, statistic: str) -> Estimate | None:
        found = run.summary.find(str(MetricKey(name, of_class, statistic)))
        return None if found is None else _in_us(found)

    def of_class(name: str) -> OfClass:
        mean, median, tail = (find(delay, name, each) for each in (MEAN, MEDIAN, TAIL))
        carried = None if is_of_rounds else find("throughput", name, "rate")
        counted = mean if carried is None else carried
        parts = (None if each is None else each.value for each in (median, tail))
        return OfClass(0 if counted is None else counted.n, mean, *parts)

    names = run.summary.apart(delay)
    # Rounds have no throughput: the ended ones are counted.
    is_of_rounds = not run.summary.has(f"{delay}.{MEAN}")
    return {name: of_class(name) for name in names} if len(names) >= SEVERAL else {}


def together(run: RunResult, delay: str) -> Estimate | None:
    """The mean over all classes; for rounds, which have a mean for each group, that of all groups."""
    found = run.summary.find(f"{delay}.{MEAN}")
    if found is not None:
        return _in_us(found)
    classes = of_classes(run, delay)
    if run.summary.has(f"{delay}.{MEAN}") or not classes or any(not each.time for each in classes.values()):
        return None
    return _weighted(classes, {name: each.number for name, each in classes.items()})


def differ(today: Classes, now: Classes) -> bool:
    """Whether two runs hold mixes of classes that make their overall means incomparable."""
    numbers = [sum(each.number for each in classes.values()) for classes in (today, now)]
    if not all(numbers):
        return False
    expected = {name: each.number * numbers[1] / numbers[0] for name, each in today.items()}
    found = {name: now[name].number if name in now else 0 for name in today}
    if all(each.time for each in today.values()):
        more = math.fsum(
            (found[name] - expected[name]) * today[name].time / today[name].number for name in today
        )
        whole = math.fsum(each.time for each in today.values()) * numbers[1] / numbers[0]
        return abs(more) > ALTERED * whole
    return any(exceeds(found[name], expected[name]) or exceeds(expected[name], found[name]) for name in today)


def at_todays_mix(today: Classes, now: Classes) -> tuple[Estimate, Estimate] | None:
    """The means over the classes that both runs have, weighted as in the first run.

    None if the changed run lacks too much of the first run's classes.
    """
    weights = {name: today[name].number for name in _shared(today, now, lambda each: each.mean)}
    return (_weighted(today, weights), _weighted(now, weights)) if weights else None


def ratio_at_todays_mix(today: Classes, now: Classes, of: Callable[[OfClass], float | None]) -> float | None:
    """The ratio of a statistic, each class weighted by its share of the first run's time; None as above."""
    times, ratios = 0.0, 0.0
    for name in _shared(today, now, of):
        before, after = of(today[name]), of(now[name])
        if before and after is not None:
            times += today[name].time
            ratios += today[name].time * after / before
    return ratios / times if times else None


def _shared(today: Classes, now: Classes, of: Callable[[OfClass], object]) -> list[str]:
    """The classes with figures in both runs; empty if others have more than a little of the time."""
    names = [
        name
        for name, each in today.items()
        if each.time and name in now and of(each) is not None and of(now[name]) is not None
    ]
    whole = math.fsum(each.time for each in today.values())
    return names if math.fsum(today[name].time for name in names) >= (1 - LEFT_OUT) * whole else []


def _weighted(classes: Classes, weights: Mapping[str, float]) -> Estimate:
    """The mean over classes with these weights; classes are independent, so their errors add in squares."""
    means = [(weight, mean) for name, weight in weights.items() if (mean := classes[name].mean) is not None]
    whole = math.fsum(weight for weight, _ in means)
    value = math.fsum(weight * mean.value for weight, mean in means) / whole
    below = math.hypot(*(weight * (mean.value - mean.low) for weight, mean in means)) / whole
    above = math.hypot(*(weight * (mean.high - mean.value) for weight, mean in means)) / whole
    return Estimate(value, max(0.0, value - below), value + above, "us", sum(mean.n for _, mean in means))


def of_weight(classes: Classes) -> dict[str, Estimate]:
    """The mean of each class with enough of the time or of the messages for a reported gain."""
    time = math.fsum(each.time for each in classes.values())
    number = sum(each.number for each in classes.values())
    return {
        name: each.mean
        for name, each in classes.items()
        if each.mean is not None and max(each.time / time, each.number / number) >= LEAST_CLASS
    }


def _in_us(estimate: Estimate) -> Estimate:
    per = US_PER.get(estimate.unit, 1.0)
    value, low, high = per * estimate.value, per * estimate.low, per * estimate.high
    return replace(estimate, value=value, low=low, high=high, unit="us")
