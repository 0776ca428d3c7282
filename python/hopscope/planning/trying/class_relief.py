"""The gain of a change for the subject of a cause: a class that waits, or hosts that starve."""

import json
from collections.abc import Sequence
from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.goal import Goal, OtherTime, measure_of_delay
from hopscope.ids import PolicyId
from hopscope.metric_key import ALL_CLASSES, MetricKey
from hopscope.planning.goals.goal import times_left
from hopscope.planning.goals.job import endless, of_rounds
from hopscope.planning.goals.mix import MEAN, of_classes
from hopscope.planning.trying.relief import HIDING_GAIN, TIMES_FOR_A_CLASS, Gained, Ran, exact, less, more
from hopscope.planning.trying.worst import WORTH_AT_WORST, gained_by_order
from hopscope.results.candidate import Candidate
from hopscope.results.run import RunResult
from hopscope.results.trial import OfOther

# The metric of fairness among hosts that always have something to send: Jain's index.
FAIRNESS = "fairness.index"
UNFAIRNESS = OtherTime("unfairness among hosts (1 - Jain's index)")
# The default classes of single messages and of the packets of bursts.
MESSAGES, BURSTS = "message", "burst"


def gained_of_class(candidate: Candidate, today: Ran, after: Ran, found: Gained) -> Gained:
    """The gain of a change for the subject of a cause, instead of that for all messages.

    Starving hosts gain by a fairer share: they are in no mean. Messages that are served last are among the
    slowest.

    A class that no longer waits may take bandwidth that the other one had in excess. So both gains are
    reported. There is no gain if the other class surely loses by a greater factor than this one saves.
    """
    waits, behind = candidate.of_class, candidate.behind
    if waits is None and candidate.id == PolicyId.ARBITER:
        # The order of service changes which messages wait, and hardly the mean wait of all.
        return _fairer((today[1], after[1])) or gained_by_order(today, after) or found
    if waits is not None and candidate.constants and waits in endless(json.loads(today[0].canonical_json())):
        return gained_of_endless(waits, today, after)
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
    return replace(
        found, goal=measure_of_delay(delay), gain=own, beside=own, of_class=waits, other_class=told
    )


def gained_of_job(job: str, today: Ran, after: Ran) -> Gained:
    """The gain of a change in the rounds of a job, whatever it does for others.

    Both runs do the same rounds with the same random numbers. So if few have ended without the change, a time
    that the changed ones surely stay below is a gain over these very rounds, without an interval.
    """
    before, now = (of_rounds(run, job) for _, run in (today, after))
    if before is None or now is None or not before.value:
        return Gained(Goal.ROUND, None, None, of_class=job)
    gain, own = less(before, now), less(exact(before), now)
    is_of_these = gain.low <= 0 and own.low >= WORTH_AT_WORST
    told = own if is_of_these else gain
    return Gained(Goal.ROUND, told, own, of_class=job, has_interval=not is_of_these)


def gained_of_endless(job: str, today: Ran, after: Ran) -> Gained:
    """The gain of a job that always has more to send: in its rounds, or if that is not sure in throughput."""
    own = gained_of_job(job, today, after)
    if own.gain is not None and own.gain.low > 0:
        return own
    key = str(MetricKey(Goal.THROUGHPUT, job, "rate"))
    before, now = (run.summary.find(key) for _, run in (today, after))
    if before is None or now is None or not before.value or more(before, now).low <= 0:
        return own
    return Gained(Goal.THROUGHPUT, more(before, now), more(exact(before), now), of_class=job)


def with_all(own: Gained, of_all: Gained) -> Gained:
    """The gain of a job, with that of all messages if these surely gain as well."""
    told = of_all.other_class
    if told is None and of_all.of_class is None and of_all.gain is not None:
        told = ALL_CLASSES, of_all.goal, of_all.gain
    is_told = own.gain is not None and told is not None and told[0] == ALL_CLASSES and told[2].low > 0
    return replace(own, other_class=told) if is_told else own


def gained_if_hidden(job: str, today: Ran, after: Ran, of_all: Gained) -> Gained:
    """The gain in the rounds of a job, if the mean over all jobs hides it."""
    if of_all.goal != Goal.ROUND or of_all.of_class is not None or of_all.gain is None:
        return of_all
    own = gained_of_job(job, today, after)
    if of_all.gain.value >= HIDING_GAIN or own.gain is None or own.gain.low < WORTH_AT_WORST:
        return of_all
    return replace(own, other_class=(ALL_CLASSES, of_all.goal, of_all.gain))


def gained_of_one_job(jobs: Sequence[str], today: Ran, after: Ran, of_all: Gained) -> Gained | None:
    """The gain in the rounds of the job that gains most; None if the mean of all shows it."""
    gains = {job: gained_of_job(job, today, after) for job in jobs}
    sure = {job: own.gain for job, own in gains.items() if own.gain is not None}
    best = max(sure, key=lambda job: sure[job].low, default=None)
    if best is None or sure[best].low < WORTH_AT_WORST:
        return None
    if of_all.gain is None or of_all.gain.low <= 0:
        return gains[best]
    is_hidden = sure[best].value >= TIMES_FOR_A_CLASS * of_all.gain.value
    told = ALL_CLASSES, of_all.goal, of_all.gain
    return replace(gains[best], other_class=told) if is_hidden else None


def gained_beside_bursts(today: Ran, after: Ran) -> Gained | None:
    """The gain of a smaller burst window for messages beside bursts, with its cost for a burst.

    A packet that is not sent yet waits nowhere, so the packets of bursts do not show it. None if a burst's
    time grows by a greater factor than messages save.
    """
    runs = today[1], after[1]
    delay = runs[0].summary.main_delay()
    whole = [run.summary.find(f"{Goal.BURST}.{MEAN}") for run in runs]
    own = None if delay is None else _less_delay(MESSAGES, delay, runs)
    if delay is None or own is None or whole[0] is None or whole[1] is None or not whole[0].value:
        return None
    told = (BURSTS, Goal.BURST, less(whole[0], whole[1]))
    if _loses_more(told, own):
        return None
    return Gained(measure_of_delay(delay), own, own, of_class=MESSAGES, other_class=told)


def _is_of_its_rounds(found: Gained, job: str) -> bool:
    """Whether a gain is that of a job's rounds already, which end with its last message."""
    return found.goal == Goal.ROUND and found.of_class == job


def _fairer(runs: tuple[RunResult, RunResult]) -> Gained | None:
    """The reduction of unfairness: 1 less Jain's index."""
    today, now = (run.summary.find(FAIRNESS) for run in runs)
    if today is None or now is None or today.value >= 1:
        return None
    lacks = [
        replace(each, value=1 - each.value, low=1 - each.high, high=1 - each.low) for each in (today, now)
    ]
    gain = less(*lacks)
    return Gained(UNFAIRNESS, gain, gain, has_interval=False)


def _of_other(name: str, delay: str, runs: tuple[RunResult, RunResult]) -> OfOther | None:
    """The gain of a class in its delay; in throughput if none of its messages ends in one of the runs."""
    gain = _less_delay(name, delay, runs)
    if gain is not None:
        return name, measure_of_delay(delay), gain
    key = str(MetricKey(Goal.THROUGHPUT, name, "rate"))
    today, now = (run.summary.find(key) for run in runs)
    if today is None or now is None or not today.value:
        return None
    return name, Goal.THROUGHPUT, more(today, now)


def _less_delay(name: str, delay: str, runs: tuple[RunResult, RunResult]) -> Estimate | None:
    """The gain of a class in its mean delay."""
    classes = [of_classes(run, delay) for run in runs]
    today, now = (each[name].mean if name in each else None for each in classes)
    return None if today is None or now is None or not today.value else less(today, now)


def _loses_more(told: OfOther, own: Estimate) -> bool:
    """Whether the other class surely loses by a greater factor than this one saves."""
    _, goal, gain = told
    times = times_left(goal, gain.high)
    left = 1 - own.high
    return times > 1 and times * left > 1
