"""A network with a planted cause, and the draws that it is made of.

The generator states what is planted, from the scenario's own arithmetic. Nothing here asks the engine why
anything is slow.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from hopscope.cause import Cause

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario's text, the class of what was planted, and where.

    `places` are sets of names of nodes: naming any one of the sets is right. Without any, the cause is
    everywhere (a slow decision in every switch), and any place is right. `alike` says that it is at each of
    the places: naming none in particular is right too.
    """

    name: str
    text: str
    cause: Cause
    places: tuple[frozenset[str], ...] = ()
    alike: bool = False


class Draws:
    """Random numbers of one case, the same on every machine and version."""

    def __init__(self, seed: str) -> None:
        """A stream of its own for each text."""
        self._random = random.Random(seed)

    def between(self, low: float, high: float) -> float:
        """A number, uniformly."""
        return low + (high - low) * self._random.random()

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random.random() * (high - low + 1))

    def one_of(self, choices: Sequence[T]) -> T:
        """One of several, all equally likely."""
        return choices[self.whole(0, len(choices) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a random order."""
        rest, order = list(items), []
        while rest:
            order.append(rest.pop(self.whole(0, len(rest) - 1)))
        return order

    def names(self, count: int) -> list[str]:
        """Different names that say nothing."""
        letters = "bcdfghklmnprstvz"
        found: dict[str, None] = {}
        while len(found) < count:
            found["".join(self.one_of(part) for part in (letters, "aeiou", letters)) + str(len(found))] = None
        return list(found)


Plant: TypeAlias = Callable[[Draws], Case]
"""A function that plants one kind of cause in a random network."""


def at(*nodes: str) -> frozenset[str]:
    """A place: one node, or the two that a link joins."""
    return frozenset(nodes)
