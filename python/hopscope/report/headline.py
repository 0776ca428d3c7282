"""The result in one or two sentences, with its figures."""

import math
from typing import TYPE_CHECKING

from hopscope.charts.style import time_words, unit_words
from hopscope.numerals import SUM_DIGITS, joined, number, percent
from hopscope.report import answer, changes, growth
from hopscope.results import shares
from hopscope.results.outcome import Outcome
from hopscope.results.summary import MESSAGE_RATE

if TYPE_CHECKING:
    from hopscope.estimate import Estimate
    from hopscope.results.run import RunResult
    from hopscope.results.sweep import SweepPoint, SweepResult


def of_run(run: "RunResult") -> str:
    """The result of one run in at most three sentences."""
    sentences = []
    delay = run.summary.main_delay()
    mean = answer.mean_delay(run.summary)
    if run.outcome is not Outcome.SATURATED and run.outcome.warning is not None:
        sentences.append(run.outcome.warning)
    if run.outcome is Outcome.SATURATED:
        carried = run.summary.find("throughput")
        what = "" if carried is None else f" and carries {_amount(carried)}"
        sentences.append(f"The offered load exceeds the capacity: the network is saturated{what}.")
    elif mean is not None:
        tail = run.summary.as_told(f"{delay}.p99") if run.summary.has(f"{delay}.p99") else None
        # If too few messages were measured, the longest of them is no bound.
        within = ""
        if tail is not None and math.isfinite(tail.high):
            within = f", and 99 % of messages stay within {_time(answer.in_us(tail), mean)}"
        sentences.append(f"The mean {delay} is {_time(mean, mean)}{within}.")
    return " ".join([*sentences, *_time_sentence(run.summary, "", mean)])


def of_sweep(sweep: "SweepResult") -> str:
    """The result of a sweep: how rounds and the main delay change, where it saturates, where time goes."""
    keys = growth.keys(sweep.first.summary)
    sentences = [sentence for key in keys for sentence in growth.sentence(sweep, key)]
    sentences += _saturation_sentence(sweep)
    shown = reference(sweep)
    where = f"at {changes.setting(shown.set)}"
    return " ".join([*sentences, *_time_sentence(shown, where, growth.like(sweep))])


def reference(sweep: "SweepResult") -> "SweepPoint":
    """The point whose details are shown: the last that is not saturated, else the first."""
    settled = [point for point in sweep.points if point.outcome is not Outcome.SATURATED]
    return settled[-1] if settled else sweep.points[0]


def _saturation_sentence(sweep: "SweepResult") -> list[str]:
    saturated = [point for point in sweep.points if point.outcome is Outcome.SATURATED]
    if not saturated:
        return []
    carried = saturated[0].find("throughput")
    what = "" if carried is None else f" and carries {_amount(carried)}"
    if len(sweep.over) == 1:
        return [f"It saturates at {changes.setting(saturated[0].set)}{what}."]
    return [f"{len(saturated)} of {len(sweep.points)} points are saturated."]


def _time_sentence(lived: shares.Lived, where: str, like: float | None) -> list[str]:
    """Where the time goes, with the total in the unit of the delays beside it."""
    top = shares.largest(lived, 3)
    if not top:
        return []
    parts = [f"{percent(row['share'])} {row['stage']}" for row in top]
    mean = shares.lifetime(lived)
    of = "" if mean is None else f" of {_time(mean, like)}"
    return [f"A message's lifetime{of}{where and ' '}{where} is {joined(parts)}."]


def _time(us: float, like: float | None) -> str:
    """A time, in the unit of another one of the same sentence."""
    return time_words(us, SUM_DIGITS, like)


def _amount(rate: "Estimate") -> str:
    """A rate of messages or of bits."""
    unit = MESSAGE_RATE if rate.unit == "1/s" else unit_words(rate.unit)
    return f"{number(rate.value, 3)} {unit}"
