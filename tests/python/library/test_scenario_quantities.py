"""Quantities of a canonical scenario, as numbers."""

from decimal import Decimal

from hopscope.planning.quantities import in_bit_s, in_bytes, in_ps, scaled


def test_an_amount_is_in_bytes_also_where_it_is_no_whole_ones():
    assert in_bytes("65536 B") == 65536
    assert in_bytes("1003 bit") == Decimal("125.375")


def test_times_and_rates_are_exact():
    assert in_ps("12.5 us") == 12_500_000
    assert in_bit_s("56 kbit/s") == 56_000
    assert scaled("12.5 us", 0.1) == "1.25 us"
