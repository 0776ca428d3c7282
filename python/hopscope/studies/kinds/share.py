"""The share of a message's latency that goes into one resource."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import measured, without_number
from hopscope.studies.verdict import Measured


@dataclass(frozen=True, slots=True)
class ShareAt:
    """The share of a message's latency that goes into one resource, in one setting."""

    setting: Setting
    resource: str
    of_class: str

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "ShareAt":
        """The quantity of an object of a definition."""
        return cls(Setting.read(data["setting"]), data["resource"], data["class"])

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """The share with its interval: 0 if no message needs the resource; or the reason if none."""
        shares = evidence.shares(self.setting, self.of_class)
        if shares is None:
            return without_number(evidence, self.setting)
        found = shares.get(self.resource)
        return Measured(0.0, 0.0, 0.0, "fraction") if found is None else measured(found)
