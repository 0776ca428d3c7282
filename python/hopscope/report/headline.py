"""The result in one or two sentences, with its figures."""

import math
from typing import TYPE_CHECKING

from hopscope.charts.style import time_words, unit_words
from hopscope.numerals import number, percent
from hopscope.overrides import toml_text
from hopscope.report import answer
from hopscope.results import shares
from hopscope.results.outcome import Outcome

if TYPE_CHECKING:
    from hopscope.estimate import Estimate
    from hopscope.results.run import RunResult
    from hopscope.results.summary import Summary
    from hopscope.results.sweep import SweepPoint, SweepResult

_US_PER_MS = 1000.0


def of_run(run: "RunResult") -> str:
    """What one run found, in at most three sentences."""
    sentences = []
    delay = run.summary.main_delay()
    mean = run.summary.find(f"{delay}.mean") if delay else None
    if run.outcome is not Outcome.SATURATED and run.outcome.warning is not None:
        sentences.append(run.outcome.warning)
    if run.outcome is Outcome.SATURATED:
        carried = run.summary.find("throughput")
        what = "" if carried is None else f" and carries {_amount(carried)}"
        sentences.append(
            f"The offered load exceeds the capacity: the network is saturated{what}. "
            "It has no steady-state delay."
        )
    elif mean is not None:
        tail = run.summary.as_told(f"{delay}.p99") if run.summary.has(f"{delay}.p99") else None
        # Where too few messages were measured, the longest of them is no bound of what may come.
        within = ""
        if tail is not None and math.isfinite(tail.high):
            within = f", and 99 % of messages stay within {_amount(tail)}"
        sentences.append(f"The mean {delay} is {_amount(mean)}{within}.")
    return " ".join([*sentences, *_time_sentence(run.summary, "")])


def of_sweep(sweep: "SweepResult") -> str:
    """What a sweep found: how the main delay grows, where saturation begins, where the time goes."""
    settled = [point for point in sweep.points if point.outcome is not Outcome.SATURATED]
    delay = sweep.first.summary.main_delay()
    sentences = []
    if settled and delay:
        first, last = settled[0], settled[-1]
        low, high = first.find(f"{delay}.mean"), last.find(f"{delay}.mean")
        if low is not None and high is not None:
            span = f"goes from {_amount(low)} at {setting(first)} to {_amount(high)} at {setting(last)}"
            sentences.append(
                f"The mean {delay} {span if first is not last else f'is {_amount(low)} at {setting(first)}'}."
            )
    sentences += _saturation_sentence(sweep)
    shown = reference(sweep)
    return " ".join([*sentences, *_time_sentence(shown.summary, f"at {setting(shown)}")])


def reference(sweep: "SweepResult") -> "SweepPoint":
    """The point that details are shown of: the last that is not saturated, else the first."""
    settled = [point for point in sweep.points if point.outcome is not Outcome.SATURATED]
    return settled[-1] if settled else sweep.points[0]


def setting(point: "SweepPoint") -> str:
    """A point's values in words: "load 0.5", or several, each by the last word of its path."""
    return ", ".join(
        f"{path.rpartition('.')[2].replace('_', ' ')} {toml_text(value).strip(chr(34))}"
        for path, value in point.set.items()
    )


def _saturation_sentence(sweep: "SweepResult") -> list[str]:
    saturated = [point for point in sweep.points if point.outcome is Outcome.SATURATED]
    if not saturated:
        return []
    carried = saturated[0].find("throughput")
    what = "" if carried is None else f" and carries {_amount(carried)}"
    if len(sweep.over) == 1:
        return [f"It saturates at {setting(saturated[0])}{what}."]
    return [f"{len(saturated)} of {len(sweep.points)} points are saturated."]


def _time_sentence(summary: "Summary", where: str) -> list[str]:
    top = shares.largest(summary, 3)
    if not top:
        return []
    parts = [f"{percent(row['share'])} {row['stage']}" for row in top]
    listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    mean = answer.lifetime(summary)
    of = "" if mean is None else f" of {_lifetime(mean)}"
    return [f"Where a message's lifetime{of} goes{where and ' '}{where}: {listed}."]


def _lifetime(us: float) -> str:
    """As precise as the delays beside it."""
    return time_words(us) if us >= _US_PER_MS else f"{number(us, 3)} {unit_words('us')}"


def _amount(estimate: "Estimate") -> str:
    """A delay, or a rate of messages or of bits."""
    unit = answer.MESSAGE_RATE if estimate.unit == "1/s" else unit_words(estimate.unit)
    return f"{number(estimate.value, 3)} {unit}"
