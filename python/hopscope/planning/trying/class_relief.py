"""What a change gains for those whom a cause is about: a class that waits, or hosts that starve."""

from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.metric_key import MetricKey
from hopscope.planning.goals.goal import Goal, times_left
from hopscope.planning.goals.mix import MEAN, of_classes
from hopscope.planning.trying.relief import Gained, Ran, less, more
from hopscope.planning.trying.worst import gained_by_order
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import ARBITER
from hopscope.results.run import RunResult
from hopscope.results.trial import OfOther

# How evenly hosts that always have something to send share what is carried: Jain's index.
FAIRNESS = "fairness.index"
# The classes of single messages and of the packets of bursts, where a scenario names none.
MESSAGES, BURSTS = "message", "burst"


def gained_of_class(candidate: Candidate, today: Ran, after: Ran, found: Gained) -> Gained:
    """What a change gains for those that a cause is about, instead of what it gains for all messages.

    Hosts that starve gain by a fairer share: nothing of them is in any mean. Those whom an order serves last
    are among the slowest.

    A class that no longer waits may take from the one before it what that had too much of. So both gains are
    told. There is none where the other one surely loses more times of its own than this one saves.
    """
    waits, behind = candidate.of_class, candidate.behind
    if waits is None and candidate.id == ARBITER:
        # Who is served first changes who waits, and hardly how long all wait on average.
        return _fairer((today[1], after[1])) or gained_by_order(today, after) or found
    delay = today[1].summary.main_delay()
    if waits is None or delay is None or found.still_wait:
        return found
    runs = today[1], after[1]
    own = _less_delay(waits, delay, runs)
    if own is None:
        return found
    told = None if behind is None else _of_other(behind, delay, runs)
    if told is not None and _loses_more(told, own):
        return replace(found, goal=told[1], gain=told[2], beside=told[2], of_class=behind)
    return replace(found, goal=delay, gain=own, beside=own, of_class=waits, other_class=told)


def gained_beside_bursts(today: Ran, after: Ran) -> Gained | None:
    """What a smaller window of bursts gains for the messages beside them, with what it costs a burst.

    A packet that is not sent yet waits nowhere, so the packets of bursts tell nothing. None where a burst
    takes more times as long as messages save.
    """
    runs = today[1], after[1]
    delay = runs[0].summary.main_delay()
    whole = [run.summary.find(f"{Goal.BURST}.{MEAN}") for run in runs]
    own = None if delay is None else _less_delay(MESSAGES, delay, runs)
    if delay is None or own is None or whole[0] is None or whole[1] is None or not whole[0].value:
        return None
    told = (BURSTS, Goal.BURST.value, less(whole[0], whole[1]))
    if _loses_more(told, own):
        return None
    return Gained(delay, own, own, of_class=MESSAGES, other_class=told)


def _fairer(runs: tuple[RunResult, RunResult]) -> Gained | None:
    """What a change takes off unfairness: of Jain's index that which lacks of 1."""
    today, now = (run.summary.find(FAIRNESS) for run in runs)
    if today is None or now is None or today.value >= 1:
        return None
    lacks = [
        replace(each, value=1 - each.value, low=1 - each.high, high=1 - each.low) for each in (today, now)
    ]
    gain = less(*lacks)
    return Gained("unfairness among hosts (1 - Jain's index)", gain, gain, has_interval=False)


def _of_other(name: str, delay: str, runs: tuple[RunResult, RunResult]) -> OfOther | None:
    """What a class gains in its delay; in throughput where none of its messages ends in one of the runs."""
    gain = _less_delay(name, delay, runs)
    if gain is not None:
        return name, delay, gain
    key = str(MetricKey(Goal.THROUGHPUT, name, "rate"))
    today, now = (run.summary.find(key) for run in runs)
    if today is None or now is None or not today.value:
        return None
    return name, Goal.THROUGHPUT, more(today, now)


def _less_delay(name: str, delay: str, runs: tuple[RunResult, RunResult]) -> Estimate | None:
    """What a class gains in its mean delay."""
    classes = [of_classes(run, delay) for run in runs]
    today, now = (each[name].mean if name in each else None for each in classes)
    return None if today is None or now is None or not today.value else less(today, now)


def _loses_more(told: OfOther, own: Estimate) -> bool:
    """Whether the other class surely loses more times than this one saves."""
    _, goal, gain = told
    times = times_left(goal, gain.high)
    left = 1 - own.high
    return times > 1 and times * left > 1
