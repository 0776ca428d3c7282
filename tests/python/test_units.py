"""Units of one kind: what a number of one is in another, and that others have no common one."""

import math

import pytest

from hopscope.estimate import Estimate
from hopscope.units import converted


@pytest.mark.parametrize(
    ("unit", "to", "factor"),
    [("ms", "us", 1e3), ("us", "ms", 1e-3), ("Gbit/s", "kbit/s", 1e6), ("1", "1", 1)],
)
def test_units_of_one_kind_are_converted_with_both_ends(unit: str, to: str, factor: float):
    found = converted(Estimate(2.0, 1.0, math.inf, unit, 7, can_be_negative=False), to)
    assert found.value == pytest.approx(2 * factor)
    assert (found.low, found.high) == (pytest.approx(factor), math.inf)
    assert (found.unit, found.n, found.can_be_negative) == (to, 7, False)


@pytest.mark.parametrize(("unit", "to"), [("1/s", "Gbit/s"), ("us", "kbit/s"), ("packets", "messages")])
def test_units_of_two_kinds_have_nothing_in_common(unit: str, to: str):
    assert converted(Estimate(2.0, 1.0, 3.0, unit, 7), to) is None
