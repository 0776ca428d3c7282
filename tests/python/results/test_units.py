"""Units of one kind: what a number of one is in another, and that others have no common one."""

import json
import math
from collections.abc import Mapping

import pytest

from hopscope import engine, units
from hopscope.estimate import Estimate, converted


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


@pytest.mark.parametrize(
    ("path", "sizes", "base", "least"),
    [
        ("duration", units.PS, "ps", units.PS["ms"]),
        ("link.rate", units.BIT_S, "bit/s", units.BIT_S["kbit/s"]),
    ],
)
def test_the_engine_reads_units_by_their_sizes(path: str, sizes: Mapping[str, int], base: str, least: int):
    scenario = "arpanet-row" if path == "duration" else "an1-tandem"

    def read(quantity: str) -> object:
        return json.loads(engine.load(scenario, [f'{path}="{quantity}"']).canonical_json())

    for unit, size in sizes.items():
        assert size < least or read(f"1 {unit}") == read(f"{size} {base}"), unit
