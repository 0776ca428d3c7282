"""Units of one kind, and what a number of one of them is in another."""

from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.results.summary import US_PER

_BITS_PER_S = {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "Tbit/s": 1e12}
_SCALES = (US_PER, _BITS_PER_S)
"""Each kind of quantity that has several units: times and rates of bits."""


def converted(estimate: Estimate, unit: str) -> Estimate | None:
    """The estimate in another unit; None where the two units are of different kinds."""
    if estimate.unit == unit:
        return estimate
    for scale in _SCALES:
        if estimate.unit in scale and unit in scale:
            factor = scale[estimate.unit] / scale[unit]
            numbers = {name: factor * getattr(estimate, name) for name in ("value", "low", "high")}
            return replace(estimate, unit=unit, **numbers)
    return None
