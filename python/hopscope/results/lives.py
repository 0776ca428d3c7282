"""Whole lives of messages, where a run has kept them: a typical one, the worst, and who owns what when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import kinds

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

Stage = Mapping[str, Any]


@dataclass(frozen=True)
class Life:
    """One message's stages, from its birth to its end, those of no length left out."""

    message: int
    stages: Sequence[Stage]

    @property
    def born_ps(self) -> int:
        """When it was born, in picoseconds of simulated time."""
        return self.stages[0]["from_ps"]

    @property
    def length_ps(self) -> int:
        """How long it lived."""
        return self.stages[-1]["to_ps"] - self.born_ps

    @property
    def longest_wait(self) -> Stage | None:
        """The wait that took longest; None where it never waited."""
        waits = [stage for stage in self.stages if kinds.is_wait(stage["stage"])]
        return max(waits, key=lambda stage: stage["to_ps"] - stage["from_ps"], default=None)


def lives(run: "RunResult") -> list[Life]:
    """The lives that a run has kept, in the order of birth."""
    by_message: dict[int, list[Stage]] = {}
    if len(run.journeys):
        for row in run.journeys.to_dicts():
            if row["to_ps"] > row["from_ps"]:
                by_message.setdefault(row["message"], []).append(row)
    return [
        Life(message, sorted(stages, key=lambda stage: stage["from_ps"]))
        for message, stages in sorted(by_message.items())
    ]


def typical_and_worst(kept: Sequence[Life]) -> tuple[Life, Life]:
    """The life of median length, and the longest one."""
    ranked = sorted(kept, key=lambda life: (life.length_ps, life.message))
    return ranked[(len(ranked) - 1) // 2], ranked[-1]


def at(kept: Sequence[Life], instant_ps: int) -> list[tuple[int, Stage]]:
    """What each message that is under way at an instant waits for or owns: its number and its stage then."""
    return [
        (life.message, stage)
        for life in kept
        for stage in life.stages
        if stage["from_ps"] <= instant_ps < stage["to_ps"]
    ]
