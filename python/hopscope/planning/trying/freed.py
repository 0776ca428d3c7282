"""A deadlock with the changes that prevent it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hopscope import kinds
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.overrides import options
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.relaxations import relieves
from hopscope.planning.candidates.reliefs import CHANGES
from hopscope.planning.credit_loop import has_credit_loop, knows_loops
from hopscope.planning.trying.short_runs import in_short, simulated
from hopscope.planning.trying.trials import changed_or_none
from hopscope.progress import Progress
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome
from hopscope.results.trial import Confirmation, Trial
from hopscope.source import messages_of

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The nature of buffers and windows: their holder takes and releases them.
HELD = "held"
# A run ends without a deadlock or it does not.
_SURE = Estimate(1.0, 1.0, 1.0, "fraction", 1)


@dataclass(frozen=True, slots=True)
class Freed(Trial):
    """A change under which the run has no deadlock; without a gain one remains possible."""

    @property
    def is_told(self) -> bool:
        """Always true: a change without a gain ends this deadlock too."""
        return True

    @property
    def told(self) -> str:
        """The change, and whether it is a cure."""
        left = "the credit loop stays" if self.has_loop else "longer ones may lock up"
        cured = f"runs without deadlock here, {left}" if self.gain is None else "no deadlock"
        return f"{self.what}: {cured}"

    @property
    def how(self) -> str:
        """The options that make the change."""
        return options(self.set)


def freed(
    scenario: "Scenario",
    why: Explanation,
    listed: Sequence[Relaxation],
    messages: int,
    progress: Progress | None,
) -> Explanation:
    """A deadlock with the changes that prevent it, those without a credit loop first."""
    short, base = in_short(scenario, why, messages, progress)
    if base.outcome != Outcome.DEADLOCK:
        return why
    # A faster network has a lower load, and only locks up later.
    possible = [
        (each, other, has_credit_loop(other))
        for each in listed
        if not each.is_general and (other := changed_or_none(short, each.set)) is not None
    ]
    # In networks without routes only runs show whether a deadlock occurs.
    has_routes = knows_loops(scenario)
    # If the current routes have no loop, something else causes the deadlock: larger buffers may only delay
    # it.
    by_routes = has_routes and has_credit_loop(short)
    # Among changes that leave the loop, those that add room for what waits in it.
    worth = [row for row in possible if not row[2] or row[0].cause is Cause.BLOCKING]
    named = why.candidates
    waited = _waited_room(why)

    def order(row: tuple[Relaxation, "Scenario", bool]) -> tuple[bool, bool, bool, bool]:
        is_named = any(relieves(row[0], candidate) for candidate in named)
        return row[2], row[0].cause is Cause.BLOCKING, not row[0].speeds & waited, not is_named

    worth = sorted(worth, key=order)[:CHANGES]
    runs = simulated([other for _, other, _ in worth], progress)
    trials = [
        Freed(
            why.verdict,
            each.label,
            each.set,
            Goal.FREEDOM,
            _SURE if has_routes and not loop and (by_routes or not _enlarges(each)) else None,
            loop,
        )
        for (each, _, loop), run in zip(worth, runs, strict=True)
        if run.outcome != Outcome.DEADLOCK
    ]
    if not trials:
        return why
    return replace(why, confirmation=Confirmation(short.seed, tuple(trials), messages_of(short)))


def _enlarges(change: Relaxation) -> bool:
    """Whether a change enlarges buffers, in one of its sizes."""
    return change.cause is Cause.BLOCKING and bool(change.curve)


def _waited_room(why: Explanation) -> set[str]:
    """The ids of resources that messages waited for and hold in a deadlock, unlike a line."""
    waited = {row["id"] for row in why.data["shares"]["places"] if row["share"] > 0}
    rooms = {
        kind["id"] for kind in kinds.table()["resources"] if kind["nature"] == HELD and not kind["is_window"]
    }
    return waited & rooms
