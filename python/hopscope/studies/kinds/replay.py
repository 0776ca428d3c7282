"""Routing messages in the order of a published table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope import engine
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured


@dataclass(frozen=True, slots=True)
class Replay:
    """Routing messages in the order of a published table, with the cell that each leaves behind.

    A cell is written as the paper does: "d + 9/0/A!". `misprints` are printed cells that cannot be right.
    """

    hold_down: str
    imps: tuple[Mapping[str, Any], ...]
    steps: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Replay":
        """The quantity of an object of a definition."""
        return cls(data["hold_down"], tuple(data["imps"]), tuple(data["steps"]))

    def missing(self, _: Evidence) -> list[Setting]:
        """Nothing: a replay needs no simulation."""
        return []

    def measure(self, _: Evidence) -> Measured:
        """The number of equal cells, and every cell with its row."""
        rows = self.rows()
        equal = sum(printed == found for _, _, printed, found in rows)
        words = f"{equal} of {len(rows)} cells equal"
        return Measured(None, None, None, "", words, equal == len(rows))

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Routing message, IMP, published cell, replayed cell: one row per cell."""
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
