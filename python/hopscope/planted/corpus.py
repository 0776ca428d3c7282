"""The corpus of one seed: a number of cases of each kind of cause, in every model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopscope.planted import an1, arpanet, frames, pup, queueing, sna
from hopscope.planted.case import Case, Draws, Plant

PLANTS: Mapping[str, Sequence[Plant]] = {
    "queueing": queueing.PLANTS,
    "an1": an1.PLANTS,
    "frames": frames.PLANTS,
    "arpanet": arpanet.PLANTS,
    "pup": pup.PLANTS,
    "sna": sna.PLANTS,
}
"""What is planted in which model."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A case with its model and the name of what planted it."""

    model: str
    plant: str
    case: Case


def corpus(seed: int, each: int) -> list[Planted]:
    """`each` cases of every kind, of this seed. The same seed gives the same cases on every machine."""
    return [
        Planted(model, plant.__name__, plant(Draws(f"{seed} {model} {plant.__name__} {number}")))
        for model, plants in PLANTS.items()
        for plant in plants
        for number in range(each)
    ]
