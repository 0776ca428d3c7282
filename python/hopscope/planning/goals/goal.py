"""The goal of a scenario's user, and the figures of a run that measure it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopscope.goal import Goal, Measure
from hopscope.planning.goals.mix import (
    MEAN,
    MEDIAN,
    TAIL,
    Classes,
    OfClass,
    differ,
    of_classes,
    ratio_at_todays_mix,
)
from hopscope.planning.goals.mix import together as mean_of_all
from hopscope.planning.goals.unfinished import UnderWay, still_wait
from hopscope.planning.kinds import Model, Sending
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.units import US_PER

ROUND_MEAN = f"round.{MEAN}"
# A message takes a large part of a run from this share of it on: few follow one another in that time.
LONG_PART = 0.1
# Missing messages matter from this share of the offer on: in short runs some are still under way.
LOST_SHARE = 0.05
# Growing queues fill a switch's buffer within milliseconds; runs of fewer messages than this may end before.
FILLED = 40_000
# The least remainder of a class that carries almost nothing, so that a ratio exists.
LEAST_REMAINDER = 0.001


@dataclass(frozen=True)
class Figures:
    """The figures of one run: throughput, mean, median and p99 of a time in us, and how it ended.

    The time is the goal's; if throughput is the goal, only the mean of the run's main delay is given.
    `classes` are the same figures for each class, if there are several, and `under_way` the messages that had
    not arrived.
    """

    seed: int
    throughput: float | None
    mean: float | None
    median: float | None
    tail: float | None
    outcome: Outcome
    classes: Classes = field(default_factory=dict)
    under_way: UnderWay | None = None

    @property
    def has_settled(self) -> bool:
        """Whether its messages had arrived at its end, except for as many as are under way at any time."""
        return self.under_way is None or not self.under_way.is_more


def figures(run: RunResult, goal: Goal) -> Figures:
    """The figures of a run; a time without a value, as the delay when saturated, is None."""

    def value(key: str) -> float | None:
        found = run.summary.find(key)
        return None if found is None else found.value * US_PER.get(found.unit, 1.0)

    time = goal.metric if goal.is_time else run.summary.main_delay()
    median, tail = (value(f"{time}.{part}") if goal.is_time else None for part in (MEDIAN, TAIL))
    mean = None if time is None else mean_of_all(run, time)
    return Figures(
        run.seed,
        value("throughput"),
        None if mean is None else mean.value,
        median,
        tail,
        run.outcome,
        of_classes(run, time) if goal.is_time and time is not None else {},
        UnderWay.of(run),
    )


def goal_of(model: str, canonical: Mapping[str, Any], base: Sequence[RunResult]) -> Goal:
    """Throughput if senders always have more, or if the network saturates or loses; else a time.

    The time of a round if all work is done in rounds, of a burst if all traffic is bursts, else of a message.
    Of several runs half decide: chance may saturate one just below capacity.
    """
    if any(run.outcome == Outcome.DEADLOCK for run in base):
        return Goal.FREEDOM
    if are_rounds(canonical) and most(figures(run, Goal.ROUND).mean for run in base):
        return Goal.ROUND
    if is_closed(model, canonical) or most(run.outcome == Outcome.SATURATED or loses(run) for run in base):
        return Goal.THROUGHPUT
    if canonical.get("flows"):
        wanted = Goal.COMPLETION
    elif are_bursts(canonical):
        wanted = Goal.BURST
    elif any(run.summary.has(f"{Goal.LIFE.metric}.{MEAN}") for run in base):
        wanted = Goal.LIFE
    else:
        wanted = Goal.LATENCY
    lacks = most(figures(run, wanted).mean is None for run in base)
    return Goal.THROUGHPUT if lacks else wanted


def most(flags: Iterable[object]) -> bool:
    """Whether at least half of them hold."""
    told = [bool(flag) for flag in flags]
    return 2 * sum(told) >= len(told)


def are_rounds(canonical: Mapping[str, Any]) -> bool:
    """Whether all work is done in rounds, each of which is over when its last flow is."""
    groups = canonical.get("flows", ())
    return bool(groups) and all("poisson" not in group["pattern"] for group in groups)


def are_bursts(canonical: Mapping[str, Any]) -> bool:
    """Whether all traffic is bursts: a window affects the time of a burst, not that of a packet."""
    traffic = canonical.get("traffic", {})
    pattern = traffic.get("pattern")
    flows = pattern.get("flows") if isinstance(pattern, Mapping) else None
    common = traffic.get("bursts")
    if not flows:
        return common is not None and common["packet_share"] >= 1
    return all(_is_of_bursts(flow.get("bursts"), common) for flow in flows)


def _is_of_bursts(own: Mapping[str, Any] | None, common: Mapping[str, Any] | None) -> bool:
    """Whether a flow sends nothing but bursts, its own or those of all traffic."""
    if own is not None:
        return "every" in own or own["packet_share"] >= 1
    return common is not None and common["packet_share"] >= 1


def compared_delay(
    model: str,
    canonical: Mapping[str, Any],
    run: RunResult,
    *,
    is_saturated: bool = False,
    of_bursts: bool = False,
) -> str | None:
    """The delay whose mean compares changes with a run: of rounds, of bursts, or of messages.

    None if throughput is compared: senders send as fast as the network permits, queues grow (in this run, or
    by `is_saturated` in a longer one), they have grown during much of it, or much of the offer never arrives.
    With `of_bursts` the time of a burst is used even beside other messages.
    """
    if are_rounds(canonical) and mean_of_all(run, Goal.ROUND.metric) is not None:
        return Goal.ROUND.metric
    grow = is_saturated or run.outcome == Outcome.SATURATED or _is_outgrown(run)
    if grow or is_closed(model, canonical) or loses(run):
        return None
    if (of_bursts or are_bursts(canonical)) and run.summary.find(f"{Goal.BURST}.{MEAN}") is not None:
        return Goal.BURST.metric
    return run.summary.explained_delay() or run.summary.main_delay()


def _is_outgrown(run: RunResult) -> bool:
    """Whether messages take a large part of a run that has not settled: their queue grew until none came.

    Their mean delay tells how long they came, and differs by far between seeds.
    """
    delay = run.summary.explained_delay() or run.summary.main_delay()
    life = None if delay is None else run.summary.find(f"{delay}.{MEAN}")
    if run.outcome != Outcome.UNSETTLED or life is None or not math.isfinite(life.value):
        return False
    span_us = US_PER["s"] * run.summary.fields["measured"]["span_s"]
    return life.value * US_PER[life.unit] > LONG_PART * span_us


def loses(run: RunResult) -> bool:
    """Whether much of the offer surely never arrives: the delay of the rest would not show it."""
    offered, carried = (run.summary.find(key) for key in ("offered", "throughput"))
    if offered is None or carried is None or run.outcome == Outcome.DEADLOCK:
        return False
    return carried.high < (1 - LOST_SHARE) * offered.low


def may_still_fill(run: RunResult) -> bool:
    """Whether a run's throughput may be high only because its buffers were not full yet."""
    return run.outcome == Outcome.SATURATED or run.summary.fields["measured"]["messages"] < FILLED


def relative(goal: Goal, base: Figures, other: Figures) -> float | None:
    """The gain of one run over another with the same seed; 0.1 is 10 % more throughput or 10 % less time.

    A time's gain is that of its mean, which the confirmation of an explanation compares; with several paths
    the median may jump from one to the other. Messages under way count as far as they have come. None if a
    figure does not exist, or if a gain may only mean that more messages still wait.
    """
    if goal is Goal.FREEDOM:
        return float(other.outcome != Outcome.DEADLOCK) - float(base.outcome != Outcome.DEADLOCK)
    if goal is Goal.THROUGHPUT:
        return ratio(base.throughput, other.throughput)
    gain = shorter(
        base, other, lambda each: each.mean, lambda each: None if each.mean is None else each.mean.value
    )
    if gain is None or base.under_way is None or other.under_way is None:
        return gain
    gain = 1 - (1 - gain) * other.under_way.longer / base.under_way.longer
    return None if gain > 0 and still_wait(base.under_way, other.under_way) else gain


def shorter(
    base: Figures,
    other: Figures,
    of: Callable[[Figures], float | None],
    of_class: Callable[[OfClass], float | None],
) -> float | None:
    """The reduction of a time, as a share; if mixes of classes differ, at the mix of the first run."""
    if base.classes and other.classes and differ(base.classes, other.classes):
        more = ratio_at_todays_mix(base.classes, other.classes, of_class)
        return None if more is None else 1 - more
    return less(of(base), of(other))


def ratio(base: float | None, other: float | None) -> float | None:
    """The increase, as a share of the first."""
    return None if not base or other is None else other / base - 1


def less(base: float | None, other: float | None) -> float | None:
    """The reduction, as a share of the first."""
    more = ratio(base, other)
    return None if more is None else -more


def times_left(goal: Measure, gain: float) -> float:
    """The factor by which a time changes with a gain; for throughput its inverse."""
    return 1 / max(1 + gain, LEAST_REMAINDER) if goal == Goal.THROUGHPUT else 1 - gain


def closed_classes(model: str, canonical: Mapping[str, Any]) -> frozenset[str]:
    """The classes, by their names, of flows that always have another message to send."""
    if model == Model.ARPANET:
        flows = [flow for flow in canonical["flow"] if flow["when"] == Sending.ALWAYS]
    else:
        pattern = canonical.get("traffic", {}).get("pattern")
        flows = pattern.get("flows", []) if isinstance(pattern, Mapping) else []
        flows = [flow for flow in flows if flow.get("load") == Sending.ALWAYS]
    return frozenset(flow["class"] for flow in flows if flow.get("class") is not None)


def is_closed(model: str, canonical: Mapping[str, Any]) -> bool:
    """Whether senders wait for the network and then send more, so that it determines their rate."""
    if model == Model.PUP:
        always = any("offered" not in stations for stations in canonical.get("raw", ()))
        return always or bool(canonical.get("test") or canonical.get("echo"))
    if model == Model.SNA:
        return any("gap" not in session for session in canonical["session"])
    if model == Model.ARPANET:
        return any(flow["when"] == Sending.ALWAYS for flow in canonical["flow"])
    traffic = canonical.get("traffic", {})
    flows = traffic["pattern"].get("flows", []) if isinstance(traffic.get("pattern"), Mapping) else []
    return Sending.ALWAYS in (traffic.get("load"), *(flow.get("load") for flow in flows))
