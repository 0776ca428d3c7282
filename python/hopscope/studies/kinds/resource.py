"""A figure of one resource at one place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.errors import UsageError
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """A figure of one resource at one place; with `held_in`, how much holders in that stage have of it."""

    setting: Setting
    resource: str
    place: str
    figure: str
    held_in: str | None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "ResourceUse":
        """The quantity of an object of a definition."""
        setting = Setting.read(data["setting"])
        return cls(setting, data["resource"], data["place"], data["figure"], data["held_in"])

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, until it has been simulated."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """The mean over the seeds; 0 for an unused resource or stage."""
        found = [self._of(run.summary.resources) for run in evidence.runs(self.setting)]
        values = [value for value, _ in found]
        mean, is_certain = sum(values) / len(values), all(is_end for _, is_end in found)
        return Measured(mean, min(values), max(values), "", is_exact=True, is_certain=is_certain)

    def _of(self, rows: Sequence[Mapping[str, Any]]) -> tuple[float, bool]:
        """The figure of a run, and whether it is certain because all of the resource was held."""
        row = next((row for row in rows if (row["name"], row["place"]) == (self.resource, self.place)), None)
        if row is None:
            if not any(row["name"] == self.resource for row in rows):
                raise UsageError(
                    f"the run has no resource `{self.resource}`", "see resources in summary.json"
                )
            return 0.0, False
        if self.held_in is None:
            value = float(row[self.figure])
            return value, self.figure == "peak" and value == row["capacity"]
        return next(
            ((held["occupancy"], False) for held in row.get("held_in", ()) if held["stage"] == self.held_in),
            (0.0, False),
        )
