"""How a run ended, as a closed kind: which numbers it has, and its warning."""

from collections.abc import Iterable
from enum import StrEnum


class Outcome(StrEnum):
    """How a run, or a point of several, ended: from the best outcome to the worst."""

    COMPLETE = "complete"
    """Measured as requested."""
    UNSETTLED = "unsettled"
    """The start-up transient was not over when the measurement had to begin."""
    INTERRUPTED = "interrupted"
    """Stopped from outside before its end."""
    SATURATED = "saturated"
    """The offered load exceeds the capacity: throughput has a value, delay has none."""
    DEADLOCK = "deadlock"
    """Messages wait for each other in a cycle."""
    FAILED = "failed"
    """A run of the point has no result. No single run has this outcome."""

    def __repr__(self) -> str:
        """As the text that it is: notebooks show it."""
        return repr(self.value)

    @classmethod
    def of_runs(cls, outcomes: "Iterable[Outcome]") -> "Outcome":
        """The worst outcome of at least one run."""
        order = list(cls)
        return max(outcomes, key=order.index)

    @property
    def has_delays(self) -> bool:
        """Whether it has a number for every delay, unless too few messages were measured."""
        return self in (Outcome.COMPLETE, Outcome.UNSETTLED)

    @property
    def is_without_steady_state(self) -> bool:
        """Whether it has no delays however long it runs."""
        return self in (Outcome.SATURATED, Outcome.DEADLOCK)

    @property
    def warning(self) -> str | None:
        """The warning for a reader of its figures; None for a run that measured as requested."""
        return _WARNINGS.get(self)


OF_RUNS = frozenset(Outcome) - {Outcome.FAILED}
"""The outcomes that the engine writes."""

_WARNINGS = {
    Outcome.DEADLOCK: (
        "The network is deadlocked: it has no steady state, so there are no rates and no delays."
    ),
    Outcome.SATURATED: "Saturated: there is no mean latency.",
    Outcome.UNSETTLED: "The start-up transient did not end within the run, so the figures are preliminary.",
    Outcome.INTERRUPTED: "The run was stopped early; the figures cover the time simulated so far.",
}
