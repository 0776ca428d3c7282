"""The swept value at which a metric passes a threshold."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.overrides import Value
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.verdict import Measured


@dataclass(frozen=True, slots=True)
class Crossing:
    """The swept value at which a metric passes a threshold, upwards or downwards; saturation counts as above.

    A coarse grid finds the first interval, which is then quartered until it is no wider than the resolution.
    Between integers only integers are tried, and the crossing is the first of them beyond it.
    """

    at: Callable[[Value], Setting]
    grid: tuple[float, ...]
    metric: str
    threshold: float
    resolution: float
    falls: bool

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Crossing":
        """The quantity of an object of a definition."""
        setting, path = Setting.read(data["setting"]), data["path"]
        return cls(
            lambda value: setting.having(path, value),
            tuple(data["values"]),
            data["metric"],
            data["threshold"],
            data["resolution"],
            data["falls"],
        )

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The grid, then the quarters of the interval with the crossing."""
        return [setting for setting in map(self.at, self._places(evidence)) if setting not in evidence]

    def measure(self, evidence: Evidence) -> Measured:
        """The crossing, interpolated unless whole; its interval is that of the metric over the slope."""
        places = self._places(evidence)
        bracket = self._bracket(places, evidence)
        if bracket is None:
            side = "above" if self._above(places[0], evidence) else "below"
            return Measured(None, None, None, "", f"always {side} {self.threshold:g}")
        low, high = bracket
        if self._is_whole():
            return Measured(high, high if high - low == 1 else low + 1, high, "")
        before, after = (evidence.metric(self.at(place), self.metric) for place in bracket)
        if before is None or after is None:
            return Measured((low + high) / 2, low, high, "")
        slope = (after.value - before.value) / (high - low)
        value = low + (self.threshold - before.value) / slope
        spread = max(before.half_width, after.half_width) / abs(slope)
        return Measured(value, value - spread, value + spread, "")

    def _places(self, evidence: Evidence) -> list[float]:
        """The grid and the refinements that follow from the evidence so far."""
        places = list(self.grid)
        while all(self.at(place) in evidence for place in places):
            bracket = self._bracket(places, evidence)
            if bracket is None or bracket[1] - bracket[0] <= self.resolution:
                break
            between = self._between(*bracket)
            if not between:
                break
            places = sorted([*places, *between])
        return places

    def _between(self, low: float, high: float) -> set[float]:
        """The quarters of an interval."""
        quarters = [low + (high - low) * part / 4 for part in (1, 2, 3)]
        if self._is_whole():
            whole: set[float] = {round(place) for place in quarters}
            return whole - {low, high}
        return {round(place, 9) for place in quarters}

    def _is_whole(self) -> bool:
        return all(isinstance(place, int) for place in self.grid)

    def _bracket(self, places: Sequence[float], evidence: Evidence) -> tuple[float, float] | None:
        for low, high in itertools.pairwise(places):
            if self._above(low, evidence) == self.falls and self._above(high, evidence) != self.falls:
                return low, high
        return None

    def _above(self, place: float, evidence: Evidence) -> bool:
        found = evidence.metric(self.at(place), self.metric)
        return found is None or found.value > self.threshold
