"""A cause that a run points to, or that somebody suspects, with its place and what it explains."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.cause import Cause

# As JSON names what Python has another word for.
_CLASS = "class"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cause of waiting, as why.json has it (docs/reference/run-folder.md).

    `nodes` are those where it is: one, or the two that a link joins; none where it is everywhere. `place` is
    that of the resource behind it, `resource` that resource in words, and `id` its kind; None where there is
    none. `weight` is the share of a message's lifetime that it explains, 0 to 1. `beyond` are the nodes along
    the next links on the way that are as full. `of_class` is the class of messages that waits, where it is
    one of several, and `behind` the one that it waits behind. `constants` says which constants of a law of
    rates or windows are unlike the defaults, where that was tried for this cause.
    """

    cause: Cause
    sentence: str
    nodes: tuple[str, ...] = ()
    place: str | None = None
    resource: str | None = None
    id: str | None = None
    weight: float = 0.0
    beyond: tuple[str, ...] = ()
    of_class: str | None = None
    behind: str | None = None
    constants: str | None = None

    @property
    def ends(self) -> frozenset[str]:
        """Its nodes, in no order: a link is the same from either end."""
        return frozenset(self.nodes)

    def is_same(self, other: "Candidate") -> bool:
        """Whether another one is this very cause: of the same class, at the same nodes."""
        return (self.cause, self.nodes) == (other.cause, other.nodes)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Candidate":
        """What `to_data` gave, or the engine. Raises ValueError for a class that is none of `Cause`."""
        return cls(
            cause=Cause(data["cause"]),
            sentence=data["sentence"],
            nodes=tuple(data["nodes"]),
            place=data["place"],
            resource=data["resource"],
            id=data["id"],
            weight=data["weight"],
            beyond=tuple(data.get("beyond", ())),
            of_class=data.get(_CLASS),
            behind=data.get("behind"),
            constants=data.get("constants"),
        )

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "behind": self.behind,
            "beyond": list(self.beyond),
            "cause": self.cause.value,
            _CLASS: self.of_class,
            "id": self.id,
            "nodes": list(self.nodes),
            "place": self.place,
            "resource": self.resource,
            "sentence": self.sentence,
            "weight": self.weight,
            **({} if self.constants is None else {"constants": self.constants}),
        }
