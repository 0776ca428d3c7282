"""Journeys of messages, if a run has kept them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

Stage = Mapping[str, Any]


@dataclass(frozen=True)
class Life:
    """One message's stages, from its generation to its end, without those of no length."""

    message: int
    stages: Sequence[Stage]


def lives(run: "RunResult") -> list[Life]:
    """The journeys that a run has kept, in order of generation."""
    by_message: dict[int, list[Stage]] = {}
    if len(run.journeys):
        for row in run.journeys.to_dicts():
            if row["to_ps"] > row["from_ps"]:
                by_message.setdefault(row["message"], []).append(row)
    return [
        Life(message, sorted(stages, key=lambda stage: stage["from_ps"]))
        for message, stages in sorted(by_message.items())
    ]
