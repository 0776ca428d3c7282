"""What a change gains for those whom a cause is about: a class that waits, or hosts that starve."""

from collections.abc import Sequence
from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.metric_key import ALL_CLASSES, MetricKey
from hopscope.planning.goals.goal import Goal, times_left
from hopscope.planning.goals.job import of_rounds
from hopscope.planning.goals.mix import MEAN, of_classes
from hopscope.planning.trying.relief import HIDDEN, TIMES_AS_MUCH, Gained, Ran, exact, less, more
from hopscope.planning.trying.worst import WORTH_AT_WORST, gained_by_order
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
    if waits is None or delay is None or found.still_wait or _is_of_its_rounds(found, waits):
        return found
    runs = today[1], after[1]
    own = _less_delay(waits, delay, runs)
    if own is None:
        return found
    found = replace(found, gains_most=None)
    told = None if behind is None else _of_other(behind, delay, runs)
    if told is not None and _loses_more(told, own):
        return replace(found, goal=told[1], gain=told[2], beside=told[2], of_class=behind)
    return replace(found, goal=delay, gain=own, beside=own, of_class=waits, other_class=told)


def gained_of_job(job: str, today: Ran, after: Ran) -> Gained:
    """What a change takes off the rounds of a job, whatever it does for others.

    Both runs do the same rounds with the same random numbers. So where few have ended today, a time that the
    changed ones surely stay below is a gain over these very rounds, without an interval.
    """
    before, now = (of_rounds(run, job) for _, run in (today, after))
    if before is None or now is None or not before.value:
        return Gained(Goal.ROUND, None, None, of_class=job)
    gain, own = less(before, now), less(exact(before), now)
    is_of_these = gain.low <= 0 and own.low >= WORTH_AT_WORST
    told = own if is_of_these else gain
    return Gained(Goal.ROUND, told, own, of_class=job, has_interval=not is_of_these)


def with_all(own: Gained, of_all: Gained) -> Gained:
    """The gain of a job, with that of all messages where these surely gain as well."""
    told = of_all.other_class
    if told is None and of_all.of_class is None and of_all.gain is not None:
        told = ALL_CLASSES, of_all.goal, of_all.gain
    is_told = own.gain is not None and told is not None and told[0] == ALL_CLASSES and told[2].low > 0
    return replace(own, other_class=told) if is_told else own


def gained_if_hidden(job: str, today: Ran, after: Ran, of_all: Gained) -> Gained:
    """What a change takes off the rounds of a job, where the mean over those of all jobs hides it."""
    if of_all.goal != Goal.ROUND or of_all.of_class is not None or of_all.gain is None:
        return of_all
    own = gained_of_job(job, today, after)
    if of_all.gain.value >= HIDDEN or own.gain is None or own.gain.low < WORTH_AT_WORST:
        return of_all
    return replace(own, other_class=(ALL_CLASSES, of_all.goal, of_all.gain))


def gained_of_one_job(jobs: Sequence[str], today: Ran, after: Ran, of_all: Gained) -> Gained | None:
    """What a change takes off the rounds of the job that gains most; None where the mean of all tells it."""
    gains = {job: gained_of_job(job, today, after) for job in jobs}
    sure = {job: own.gain for job, own in gains.items() if own.gain is not None}
    best = max(sure, key=lambda job: sure[job].low, default=None)
    if best is None or sure[best].low < WORTH_AT_WORST:
        return None
    if of_all.gain is None or of_all.gain.low <= 0:
        return gains[best]
    is_hidden = sure[best].value >= TIMES_AS_MUCH * of_all.gain.value
    told = ALL_CLASSES, of_all.goal, of_all.gain
    return replace(gains[best], other_class=told) if is_hidden else None


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


def _is_of_its_rounds(found: Gained, job: str) -> bool:
    """Whether a gain is that of a job's rounds already: these end only when its last message has come."""
    return found.goal == Goal.ROUND and found.of_class == job


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
