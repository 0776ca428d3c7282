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
        """The mean over the seeds; 0 for a resource or a stage that nobody has used."""
        values = [self._of(run.summary.resources) for run in evidence.runs(self.setting)]
        return Measured(sum(values) / len(values), min(values), max(values), "", is_exact=True)

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
