"""The time-space diagrams of a study, drawn from the trace of one run.

Events are marked by letters, and if the paper marks an instant, a slice shows the holders then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.drawing import time_space
from hopscope.drawing.time_space import Mark, Slice, TimeSpace
from hopscope.results import holders
from hopscope.results.trace import EventName, Row, Trace
from hopscope.studies.evidence import Evidence, Setting

SENT = " sent"
MARGIN = 0.04  # of the time between the first and the last label, on either side


def _whole(trace: Trace, row: Row) -> int:
    """The end of a row's event: a control message that is sent is shown until it arrives."""
    kind = row["event"].removesuffix(SENT)
    if kind == row["event"]:
        return row["from_ps"]
    hops = [
        passage
        for passage in trace.passages
        if (passage["event"], passage["number"]) == (kind, row["number"])
        and passage["from_ps"] >= row["from_ps"]
    ]
    way = hops[: len(trace.path()) - 1]
    return max((passage["to_ps"] for passage in way), default=row["from_ps"])


@dataclass(frozen=True, slots=True)
class Diagram:
    """A diagram to draw, before anything has been simulated."""

    title: str
    note: str
    setting: Setting
    message: int
    host: str
    labels: Mapping[str, EventName]
    slice: tuple[EventName, float] | None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Diagram":
        """The diagram of an object of a definition."""
        labels = {letter: EventName.parse(text) for letter, text in data["labels"].items()}
        cut = data["slice"]
        where = None if cut is None else (EventName.parse(cut["event"]), cut["after_ms"])
        setting = Setting.read(data["setting"])
        return cls(data["title"], data["note"], setting, data["message"], data["host"], labels, where)

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, until it has been simulated."""
        return [] if self.setting in evidence else [self.setting]

    def draw(self, evidence: Evidence) -> str:
        """The SVG. Raises UsageError if a labelled event did not happen."""
        trace = evidence.trace(self.setting)
        rows = {letter: trace.first(name, self.message) for letter, name in self.labels.items()}
        marks = [
            Mark(letter, str(self.labels[letter]), row["place"], row["from_ps"])
            for letter, row in rows.items()
        ]
        begin, end = min(mark.at_ps for mark in marks), max(_whole(trace, row) for row in rows.values())
        margin = round(MARGIN * (end - begin))
        cut = None
        if self.slice is not None:
            name, after_ms = self.slice
            at = trace.first(name, self.message)["from_ps"] + round(after_ms * time_space.PS_PER_MS)
            cut = Slice(at, holders.at(trace, at))
        return time_space.draw(
            TimeSpace(
                self.title,
                self.host,
                trace.path(),
                trace.passages,
                trace.happened,
                self.message,
                marks,
                cut,
                (begin - margin, end + margin),
            )
        )
