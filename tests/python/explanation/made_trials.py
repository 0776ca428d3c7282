"""Trials as the confirmation of an explanation has them, made without a run."""

from typing import Any

from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.results.candidate import Candidate
from hopscope.results.trial import Trial


def estimate_us(value: float, low: float, high: float) -> Estimate:
    """A mean time with its interval."""
    return Estimate(value, low, high, "us", 10)


def made_trial(cause: str, low: float | None, high: float = 0.0, at: str = "a", **more: Any) -> Trial:
    """A change that was tried for a cause at a node, with the interval of its gain; without one unjudged."""
    gain = None if low is None else Estimate((low + high) / 2, low, high, "fraction", 1)
    candidate = Candidate(Cause(cause), "", (at,), weight=more.pop("weight", 0.5))
    change = more.pop("what", cause)
    fields: dict[str, Any] = {"goal": Goal.LATENCY, "gain": gain} | more
    return Trial(candidate, change, (change, at), **fields)
