"""A study's answer to "why": what limited a run, as the engine explains it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.results import sentences
from hopscope.studies.evidence import Evidence, Setting


@dataclass(frozen=True, slots=True)
class Why:
    """A heading with the run to explain, and another to compare it with, and the names of the two."""

    heading: str
    setting: Setting
    against: Setting | None
    names: tuple[str, str]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Why":
        """The explanation of an object of a definition."""
        against = None if data["against"] is None else Setting.read(data["against"])
        first, second = data["names"]
        return cls(data["heading"], Setting.read(data["setting"]), against, (first, second))

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings that have not been simulated."""
        wanted = [self.setting, *([self.against] if self.against else [])]
        return [setting for setting in wanted if setting not in evidence]

    def words(self, evidence: Evidence) -> list[str]:
        """The sentences, from the first run of each setting."""
        runs = evidence.runs(self.setting)
        other = None if self.against is None else evidence.runs(self.against)[0]
        first, *more = sentences.explained(runs[0], other, self.names)
        if other is not None and len(runs) > 1:
            first = f"{first.removesuffix('.')} (in one run; the cell is the mean of several)."
        return [first, *more]
