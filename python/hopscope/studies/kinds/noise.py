"""The range of a coefficient without correlation."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.numerals import number
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.quantity import without_number
from hopscope.studies.verdict import Measured

NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class Noise:
    """The 95 % range of a coefficient without correlation: 1.96 over the square root of n."""

    setting: Setting
    metric: str

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Noise":
        """The quantity of an object of a definition."""
        return cls(Setting.read(data["setting"]), data["metric"])

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The setting, until it has been simulated."""
        return [] if self.setting in evidence else [self.setting]

    def measure(self, evidence: Evidence) -> Measured:
        """0 between the two ends."""
        found = evidence.metric(self.setting, self.metric)
        if found is None or found.n == 0:
            return without_number(evidence, self.setting)
        end = NORMAL_95 / math.sqrt(found.n)
        words = f"{number(-end, 2)} to {number(end, 2)}"
        return Measured(0.0, -end, end, "", words, is_exact=True)
