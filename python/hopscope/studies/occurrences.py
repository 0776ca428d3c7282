"""What a cell measures besides metrics.

A resource's use, an order of events, a replay of routing messages.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope import engine
from hopscope.errors import UsageError
from hopscope.results.trace import EventName
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured

RESOURCE_FIGURES = ("occupancy", "utilisation", "peak", "waiting", "acquisitions")


@dataclass(frozen=True, slots=True)
class Constant:
    """A number of the study's own, to compare with."""

    value: float

    def missing(self, _: Evidence) -> list[Setting]:
        """Nothing."""
        return []

    def measure(self, _: Evidence) -> Measured:
        """The number."""
        return Measured(self.value, self.value, self.value, "")


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """A figure of one resource at one place; with `held_in`, how much holders in that stage have of it."""

    setting: Setting
    resource: str
    place: str
    figure: str
    held_in: str | None

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, until it has been simulated."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """The mean over the seeds; 0 for a resource or a stage that nobody has used."""
        values = [self._of(run.summary.data["resources"]) for run in evidence.runs(self.setting)]
        return Measured(sum(values) / len(values), min(values), max(values), "")

    def _of(self, rows: Sequence[Mapping[str, Any]]) -> float:
        row = next((row for row in rows if (row["name"], row["place"]) == (self.resource, self.place)), None)
        if row is None:
            if not any(row["name"] == self.resource for row in rows):
                raise UsageError(
                    f"the run has no resource `{self.resource}`", "see resources in summary.json"
                )
            return 0.0
        if self.held_in is None:
            return float(row[self.figure])
        return next(
            (held["occupancy"] for held in row.get("held_in", ()) if held["stage"] == self.held_in), 0.0
        )


@dataclass(frozen=True, slots=True)
class Events:
    """Events that should happen once each and in this order to message i and those around it, for every i."""

    setting: Setting
    messages: tuple[int, ...]
    names: tuple[EventName, ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, until it has been simulated."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """Whether the trace has just these, in this order; else the first that stands elsewhere."""
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


@dataclass(frozen=True, slots=True)
class Replay:
    """Routing messages in the order of a published table, with the cell that each leaves behind.

    A cell is written as the paper does: "d + 9/0/A!". `misprints` are printed cells that cannot be meant.
    """

    hold_down: str
    imps: tuple[Mapping[str, Any], ...]
    steps: tuple[Mapping[str, Any], ...]

    def missing(self, _: Evidence) -> list[Setting]:
        """Nothing: a replay needs no simulation."""
        return []

    def measure(self, _: Evidence) -> Measured:
        """How many cells are equal, and every one with its row."""
        rows = self.rows()
        equal = sum(printed == found for _, _, printed, found in rows)
        words = f"{equal} of {len(rows)} cells equal"
        return Measured(None, None, None, "", words, equal == len(rows))

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Routing message, IMP, published cell, replayed cell: one row a cell."""
        replay = {
            "hold_down": self.hold_down,
            "imps": [{key: imp[key] for key in ("name", "estimate", "neighbours")} for imp in self.imps],
            "steps": [
                {key: step[key] for key in ("from", "to", "estimate", "local") if key in step}
                for step in self.steps
            ],
        }
        cells = [_cell(cell) for cell in engine.replay_routing(json.dumps(replay))]
        printed = [("initially", imp["name"], imp["cell"]) for imp in self.imps] + [
            (f"{step['from']} → {step['to']}", step["to"], step["cell"]) for step in self.steps
        ]
        return [(*row, found) for row, found in zip(printed, cells, strict=True)]


def _cell(cell: Mapping[str, Any]) -> str:
    """A cell as the paper prints it."""
    estimate = cell["estimate"]
    relative = f"d {'+' if estimate > 0 else '-'} {abs(estimate)}" if estimate else "d"
    return f"{relative}/{cell['local']}/{cell['best']}{'!' if cell['held'] else ''}"
