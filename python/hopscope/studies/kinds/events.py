"""Events that should happen once each and in an order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.results.trace import EventName
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured


@dataclass(frozen=True, slots=True)
class Events:
    """Events that should happen once each and in this order to message i and those around it, for every i."""

    setting: Setting
    messages: tuple[int, ...]
    names: tuple[EventName, ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Events":
        """The quantity of an object of a definition."""
        names = tuple(EventName.parse(text) for text in data["events"])
        return cls(Setting.read(data["setting"]), tuple(data["messages"]), names)

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, until it has been simulated."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """Whether the trace has just these, in this order; else the first that differs."""
        trace = evidence.trace(self.setting)
        orders = {message: trace.in_order(self.names, message) for message in self.messages}
        wrong = next((message for message, found in orders.items() if found != list(self.names)), None)
        if wrong is None:
            of = f" for each of {len(orders)} messages" if len(orders) > 1 else ""
            return Measured(None, None, None, "", f"{len(self.names)} events in their order{of}", True)
        found = orders[wrong]
        place = next(
            (at for at, pair in enumerate(zip(found, self.names, strict=False)) if pair[0] != pair[1]),
            min(len(found), len(self.names)),
        )
        there = str(found[place]) if place < len(found) else "nothing more"
        wanted = str(self.names[place]) if place < len(self.names) else "nothing more"
        return Measured(None, None, None, "", f"i = {wrong}: {there}, not {wanted}", False)
