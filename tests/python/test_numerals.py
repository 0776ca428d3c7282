"""Numbers as people read them."""

import pytest

from hopscope.numerals import count, interval, number, percent


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (31.2401, "31.24"),
        (0.711249, "0.7112"),
        (1030.4, "1 030"),
        (0.08, "0.08000"),
        (2.5e9, "2.500e+09"),
    ],
)
def test_numbers_have_few_digits(value: float, words: str):
    assert number(value) == words


def test_an_interval_decides_how_many_digits_are_worth_printing():
    assert interval(31.2401, 30.1, 32.3) == "31.2 [30.1, 32.3]"
    assert interval(31.2401, 31.23, 31.25) == "31.240 [31.230, 31.250]"
    assert interval(7.0, 7.0, 7.0) == "7.000"


def test_small_shares_are_not_called_nothing():
    assert [percent(share) for share in (0.414, 0.001, 0.0, 1.0)] == ["41 %", "<1 %", "0 %", "100 %"]


def test_thousands_stand_apart():
    assert count(1_000_000) == "1 000 000"
