"""Units of times, data and rates, by the names that the engine reads (crate `units`), with their sizes."""

from collections.abc import Mapping

from hopscope import _core

_TABLE = _core.units()

PS: Mapping[str, int] = _TABLE["time"]
"""The picoseconds of each unit of time."""
BITS: Mapping[str, int] = _TABLE["data"]
"""The bits of each unit of data."""
BIT_S: Mapping[str, int] = _TABLE["rate"]
"""The bits a second of each unit of rates."""

US_PER: dict[str, float] = {unit: PS[unit] / PS["us"] for unit in ("ps", "ns", "us", "ms", "s")}
"""The microseconds of each unit in which metrics are times, the smallest first."""
RATE_UNITS = ("bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s")
"""The units in which metrics are rates and rates are written, the smallest first."""
_OF_METRICS: tuple[Mapping[str, float], ...] = (US_PER, {unit: float(BIT_S[unit]) for unit in RATE_UNITS})
"""Each kind of quantity whose metrics have several units: times and rates of bits."""


def factor(unit: str, to: str) -> float | None:
    """The factor from one unit to another; None if the two are of different kinds."""
    if unit == to:
        return 1.0
    return next((sizes[unit] / sizes[to] for sizes in _OF_METRICS if unit in sizes and to in sizes), None)
