"""What the user of a scenario cares about, and the figures of a run that say it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

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
from hopscope.results.run import RunResult
from hopscope.results.summary import US_PER

SATURATED = "saturated"
DEADLOCK = "deadlock"
UNSETTLED = "unsettled"
ROUND_MEAN = f"round.{MEAN}"
# The share of what is offered from which on what does not arrive matters: short runs have some under way.
LOST = 0.05
# Queues that grow fill a switch's buffer within milliseconds; shorter runs tell nothing of what comes then.
FILLED = 40_000
# A class that carries next to nothing any more has lost a thousand times at most, for a ratio to be.
LEAST = 0.001


class Goal(StrEnum):
    """What a change is to improve."""

    THROUGHPUT = "throughput"
    LATENCY = "latency"
    LIFE = "message life"
    COMPLETION = "completion time"
    ROUND = "round time"
    BURST = "burst time"
    FREEDOM = "runs without deadlock"
    LOSSES = "packets lost for good"

    @property
    def is_time(self) -> bool:
        """Whether less is better, judged by the mean."""
        return self in (Goal.LATENCY, Goal.LIFE, Goal.COMPLETION, Goal.ROUND, Goal.BURST)

    @property
    def has_parts(self) -> bool:
        """Whether median and 99th percentile are told beside the mean; of rounds there are too few."""
        return self.is_time and self is not Goal.ROUND

    @property
    def metric(self) -> str:
        """The metric of a run; a flow's latency is its completion time."""
        return {Goal.COMPLETION: "latency", Goal.ROUND: "round"}.get(self, self.value)

    @classmethod
    def of_metric(cls, name: str) -> str:
        """What is improved where less of this delay is better: a goal, or the delay's own name."""
        return cls.ROUND if name == cls.ROUND.metric else name


@dataclass(frozen=True)
class Figures:
    """What one run says: throughput, mean, median and 99th percentile of a time in us, and how it ended.

    The time is the goal's; where throughput is the goal, only the mean of the run's main delay is told.
    `classes` say the same of each class of messages, where there are several, and `under_way` who had not
    arrived.
    """

    seed: int
    throughput: float | None
    mean: float | None
    median: float | None
    tail: float | None
    outcome: str
    classes: Classes = field(default_factory=dict)
    under_way: UnderWay | None = None

    @property
    def has_settled(self) -> bool:
        """Whether its messages had arrived when it ended, but for as many as are under way at any time."""
        return self.under_way is None or not self.under_way.is_more


def figures(run: RunResult, goal: Goal) -> Figures:
    """The figures of a run; a time that does not exist, as the delay of a saturated network, is None."""

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
    """Throughput where senders always have more, the network saturates or loses, else a time.

    That of a round where all work is done in rounds, of a burst where all traffic is bursts, else that of a
    message. Of several runs half decide:
    chance saturates one just below capacity, and of the others the time tells.
    """
    if any(run.outcome == DEADLOCK for run in base):
        return Goal.FREEDOM
    if are_rounds(canonical) and most(figures(run, Goal.ROUND).mean for run in base):
        return Goal.ROUND
    if is_closed(model, canonical) or most(run.outcome == SATURATED or loses(run) for run in base):
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
    """Whether all traffic is bursts: of these the window shows in the time of a burst, and in no packet."""
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
    """The delay by whose mean changes are compared with a run: of rounds, of bursts, or of messages.

    None where throughput tells: senders send as fast as the network lets them, queues grow (in this run, or
    by `is_saturated` in a longer one), or much of what is offered never arrives. With `of_bursts` the time of
    a burst tells also where other messages are sent besides.
    """
    if are_rounds(canonical) and mean_of_all(run, Goal.ROUND.metric) is not None:
        return Goal.ROUND.metric
    if is_saturated or run.outcome == SATURATED or is_closed(model, canonical) or loses(run):
        return None
    if (of_bursts or are_bursts(canonical)) and run.summary.find(f"{Goal.BURST}.{MEAN}") is not None:
        return Goal.BURST.metric
    return run.summary.explained_delay() or run.summary.main_delay()


def loses(run: RunResult) -> bool:
    """Whether much of what is offered surely never arrives: the delay of the rest would not tell of that."""
    offered, carried = (run.summary.find(key) for key in ("offered", "throughput"))
    if offered is None or carried is None or run.outcome == DEADLOCK:
        return False
    return carried.high < (1 - LOST) * offered.low


def may_still_fill(run: RunResult) -> bool:
    """Whether a run may have carried so much only because its buffers were not full yet."""
    return run.outcome == SATURATED or run.summary.fields["measured"]["messages"] < FILLED


def relative(goal: Goal, base: Figures, other: Figures) -> float | None:
    """The gain of one run over another with the same seed; 0.1 is 10 % more throughput or 10 % less time.

    A time's gain is that of its mean: what the confirmation of an explanation compares, and where messages
    take several paths the median may jump from one to the other. Messages under way count as far as they have
    come. None where a figure does not exist, or where a gain may be only that more of them still wait.
    """
    if goal is Goal.FREEDOM:
        return float(other.outcome != DEADLOCK) - float(base.outcome != DEADLOCK)
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
    """How much shorter a figure of a time is, as a share; where mixes of classes differ, at today's."""
    if base.classes and other.classes and differ(base.classes, other.classes):
        more = ratio_at_todays_mix(base.classes, other.classes, of_class)
        return None if more is None else 1 - more
    return less(of(base), of(other))


def ratio(base: float | None, other: float | None) -> float | None:
    """How much more, as a share of the first."""
    return None if not base or other is None else other / base - 1


def less(base: float | None, other: float | None) -> float | None:
    """How much less, as a share of the first."""
    more = ratio(base, other)
    return None if more is None else -more


def times_left(goal: Goal | str, gain: float) -> float:
    """How many times as long as today something takes with a gain: of throughput its inverse."""
    return 1 / max(1 + gain, LEAST) if goal == Goal.THROUGHPUT else 1 - gain


def closed_classes(model: str, canonical: Mapping[str, Any]) -> frozenset[str]:
    """The classes, by their names, of flows that always have another message to send."""
    if model == "arpanet":
        flows = [flow for flow in canonical["flow"] if flow["when"] == SATURATED]
    else:
        pattern = canonical.get("traffic", {}).get("pattern")
        flows = pattern.get("flows", []) if isinstance(pattern, Mapping) else []
        flows = [flow for flow in flows if flow.get("load") == SATURATED]
    return frozenset(flow["class"] for flow in flows if flow.get("class") is not None)


def is_closed(model: str, canonical: Mapping[str, Any]) -> bool:
    """Whether senders wait for the network and then send more, so that its speed is theirs."""
    if model == "pup":
        always = any("offered" not in stations for stations in canonical.get("raw", ()))
        return always or bool(canonical.get("test") or canonical.get("echo"))
    if model == "sna":
        return any("gap" not in session for session in canonical["session"])
    if model == "arpanet":
        return any(flow["when"] == SATURATED for flow in canonical["flow"])
    traffic = canonical.get("traffic", {})
    flows = traffic["pattern"].get("flows", []) if isinstance(traffic.get("pattern"), Mapping) else []
    return SATURATED in (traffic.get("load"), *(flow.get("load") for flow in flows))
