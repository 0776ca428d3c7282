"""What a cell or a line of a figure measures, whatever its kind."""

from collections.abc import Iterable
from typing import Protocol

from hopscope import metric_key
from hopscope.estimate import Estimate
from hopscope.results.outcome import Outcome
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured

SATURATED = Measured(None, None, None, "", str(Outcome.SATURATED))


class Quantity(Protocol):
    """Something that a study can measure.

    It says which settings it still needs and, once none is missing, what they show.
    """

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings to simulate before `measure`, as far as is known now."""

    def measure(self, evidence: Evidence) -> Measured:
        """The measurement, once nothing is missing."""


def measured(found: Estimate) -> Measured:
    """An estimate as a measurement."""
    return Measured(
        found.value, found.low, found.high, found.unit, n=found.n, can_be_negative=found.can_be_negative
    )


def without_number(evidence: Evidence, setting: Setting, key: str = "") -> Measured:
    """Why a setting has no number of this metric: the outcome of its runs, or no such event."""
    stuck = {run.outcome for run in evidence.runs(setting) if run.outcome.is_without_steady_state}
    if stuck:
        is_locked = stuck == {Outcome.DEADLOCK}
        return Measured(None, None, None, "", str(Outcome.DEADLOCK)) if is_locked else SATURATED
    thing = metric_key.LASTING.get(metric_key.parse(key).name) if key else None
    words = "no message was measured" if thing is None else f"no {thing} was seen"
    return Measured(None, None, None, "", words, is_empty=True)


def lacking_number(parts: Iterable[Measured]) -> Measured | None:
    """The part because of which the whole has no number, if any; an outcome before a missing event."""
    lacking = [part for part in parts if part.value is None]
    return min(lacking, key=lambda part: part.is_empty, default=None)


def comparable(found: Measured) -> float:
    """The value for comparisons: saturation is above every number."""
    return float("inf") if found.value is None else found.value


def estimate_of(found: Measured) -> Estimate | None:
    """A measurement as an estimate; None where it has no number."""
    if found.value is None or found.low is None or found.high is None:
        return None
    return Estimate(found.value, found.low, found.high, found.unit, found.n, found.can_be_negative)
