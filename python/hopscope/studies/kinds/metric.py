"""A metric of one setting, or a figure of its network."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hopscope.studies.evidence import TOPOLOGY, Evidence, Setting
from hopscope.studies.quantity import measured, without_number
from hopscope.studies.verdict import Measured

COUNTED = ".count"  # the statistic of what is counted and not estimated


@dataclass(frozen=True, slots=True)
class MetricAt:
    """A metric of one setting, or a figure of its network ("topology.figures.switches").

    It is measured in multiples of `per`, which is in the metric's unit.
    """

    setting: Setting
    metric: str
    per: float = 1.0

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "MetricAt":
        """The quantity of an object of a definition."""
        return cls(Setting.read(data["setting"]), data["metric"], data["per"])

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, unless it is a figure of the network alone."""
        return [] if self.metric.startswith(TOPOLOGY) or self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """The metric's estimate; if there is none, "saturated" or what did not happen."""
        if self.metric.startswith(TOPOLOGY):
            value = evidence.figure(self.setting, self.metric)
            return Measured(value, value, value, "", is_certain=True)
        found = evidence.metric(self.setting, self.metric)
        if found is None:
            return without_number(evidence, self.setting, self.metric)
        if self.per == 1:
            return replace(measured(found), is_certain=self.metric.endswith(COUNTED))
        value, low, high = (number / self.per for number in (found.value, found.low, found.high))
        shown = measured(found)
        return replace(shown, value=value, low=low, high=high, unit="fraction")
