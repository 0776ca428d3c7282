"""A cause that a run points to, or that is suspected, with its place and what it explains."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.cause import Cause

# The JSON key of `of_class`.
_CLASS = "class"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cause of waiting, as why.json has it (docs/reference/run-folder.md).

    `nodes` are its places: one, or the two that a link joins; empty if it is everywhere. `place` is that of
    the resource that causes it, `resource` that resource in words, and `id` its kind; None if there is none.
    `weight` is the share of a message's lifetime that it explains, 0 to 1, and `weight_stated` whether the
    sentence states that share. `beyond` are the nodes along equally full links downstream. `of_class` is the
    class of messages that waits, if it is one of several, and `behind` the one that it waits behind.
    `constants` says which constants of a law of rates or windows differ from the defaults, if that was tried
    for this cause. `fault` says what is broken, if that is the cause, as does its sentence.
    `slow_cable_stated` says whether the sentence names a cable that is slower than its like.
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
    weight_stated: bool = False
    slow_cable_stated: bool = False
    fault: str | None = None

    @property
    def identity(self) -> tuple[object, ...]:
        """What distinguishes it from the other causes of a run, without its words and its weight."""
        at = (self.cause, self.nodes, self.place, self.resource, self.id)
        return (*at, self.of_class, self.behind, self.constants, self.fault)

    @property
    def ends(self) -> frozenset[str]:
        """Its nodes, in no order: a link is the same from either end."""
        return frozenset(self.nodes)

    def is_same(self, other: "Candidate") -> bool:
        """Whether another one is the same cause: of the same class, at the same nodes."""
        return (self.cause, self.nodes) == (other.cause, other.nodes)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Candidate":
        """From data of `to_data`, or of the engine. Raises ValueError for a class that is not in `Cause`."""
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
            weight_stated=data.get("weight_stated", False),
            slow_cable_stated=data.get("slow_cable_stated", False),
            fault=data.get("fault"),
        )

    def to_data(self) -> dict[str, Any]:
        """The same as in JSON."""
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
            "weight_stated": self.weight_stated,
            **({"slow_cable_stated": True} if self.slow_cable_stated else {}),
            **({} if self.constants is None else {"constants": self.constants}),
            **({} if self.fault is None else {"fault": self.fault}),
        }
