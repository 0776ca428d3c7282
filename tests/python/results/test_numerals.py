"""Numbers as people read them."""

import math

import pytest

import pages
from conftest import PROJECT
from hopscope.charts.style import unit_words
from hopscope.estimate import Estimate, gain_words
from hopscope.numerals import (
    SUM_DIGITS,
    count,
    duration,
    interval,
    listed,
    mean,
    number,
    percent,
    relative_change,
)

TABLE = PROJECT / "tests" / "numerals.tsv"


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


@pytest.mark.parametrize(("value", "digits", "words"), [(1.5e-4, 2, "0.00015"), (1.5e-5, 2, "1.5e-05")])
def test_small_numbers_are_written_out_however_few_their_digits(value: float, digits: int, words: str):
    assert number(value, digits) == words


def test_a_mean_that_is_hardly_there_is_neither_0_nor_a_long_number():
    assert [mean(value) for value in (0.0, 3.94e-6, 0.0123, 4.5)] == ["0", "<0.001", "0.0123", "4.50"]


@pytest.mark.parametrize(
    ("us", "words"),
    [
        (0.0, "0 us"),
        (1.4e-3, "1.4 ns"),
        (3e-5, "30 ps"),
        (0.5, "500 ns"),
        (12.0, "12 us"),
        (146.0, "146 us"),
        (1500.0, "1.5 ms"),
        (2.8e6, "2.8 s"),
    ],
)
def test_a_time_has_the_unit_that_makes_it_short(us: float, words: str):
    assert duration(us) == words


def _table(kind: str) -> list[tuple[float, str]]:
    """The inputs of a kind with what the engine, Python and the page write for them."""
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return [(float(value), words) for sort, value, words in rows if sort == kind]


def test_shares_and_times_are_written_as_the_engine_and_the_page_write_them():
    shares, times = _table("share"), _table("time")
    assert [percent(share) for share, _ in shares] == [words for _, words in shares] != []
    assert [duration(1e6 * time, digits=SUM_DIGITS) for time, _ in times] == [words for _, words in times]
    assert times


@pytest.mark.skipif(pages.missing_node() is not None, reason=str(pages.missing_node()))
def test_the_page_writes_shares_and_times_as_the_table_has_them():
    told = pages.node_tests("numerals.test.mjs")
    assert told.returncode == 0, told.stdout + told.stderr


def test_times_of_one_sentence_have_one_unit():
    assert duration(34_479.0, "µs", SUM_DIGITS) == "34.5 ms"
    assert duration(900.0, digits=SUM_DIGITS, like=34_479.0) == "0.900 ms"
    assert duration(1_020.0, "µs", SUM_DIGITS, like=950.0) == "1 020 µs"


def test_a_unit_is_printed_with_its_greek_letter_and_its_power():
    assert [unit_words(unit) for unit in ("us", "1/s2", "1", "ms")] == ["µs", "1/s²", "", "ms"]


def test_an_interval_decides_how_many_digits_are_worth_printing():
    assert interval(31.2401, 30.1, 32.3) == "31.2 [30.1, 32.3]"
    assert interval(31.2401, 31.23, 31.25) == "31.240 [31.230, 31.250]"
    assert interval(7.0, 7.0, 7.0) == "7.000"


def test_an_interval_is_shown_from_the_least_that_can_be():
    assert interval(1.12, -0.041, 2.27, "kbit/s", least=0.0) == "1.12 [0, 2.27] kbit/s"
    assert interval(1.12, -0.041, 2.27, "kbit/s") == "1.12 [-0.0410, 2.27] kbit/s"
    assert interval(-0.4, -0.5, -0.3, least=0.0) == "-0.400 [-0.500, -0.300]"


def test_an_interval_without_a_bound_has_no_number():
    without = -math.inf, math.inf
    assert interval(21.79, *without, "ms", n=1) == "21.79 ms (one message)"
    assert interval(21.79, *without, "ms", n=3, least=0.0) == "21.79 ms (too few messages)"
    assert interval(21.79, *without) == "21.79 (too few messages)"
    assert interval(20.0, 10.0, math.inf, "ms") == "20.00 [10.00, unknown] ms"
    assert interval(20.0, -math.inf, 30.0, "ms") == "20.00 [unknown, 30.00] ms"
    assert interval(20.0, -math.inf, 30.0, "ms", least=0.0) == "20.00 [0, 30.00] ms"


def test_an_interval_from_the_least_without_an_upper_bound_rules_nothing_out():
    assert interval(142.9, -672.4, math.inf, "us", least=0.0) == "142.9 us (too few messages)"
    assert interval(142.9, 0.0, math.inf, "us", least=0.0) == "142.9 us (too few messages)"
    assert interval(142.9, 1.0, math.inf, "us", least=0.0) == "142.9 [1.000, unknown] us"


def test_small_shares_are_not_called_nothing():
    assert [percent(share) for share in (0.414, 0.001, 0.0, 1.0)] == ["41 %", "<1 %", "0 %", "100 %"]


def test_of_many_names_the_first_are_told_and_how_many_more_there_are():
    names = ["a", "b", "c", "d"]
    assert listed(names, 4) == "a, b, c, d"
    assert listed(names, 3, "; ") == "a; b; c and 1 more"
    assert listed(names * 500, 1) == "a and 1 999 more"


def test_thousands_stand_apart():
    assert count(1_000_000) == "1 000 000"


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.123, "+12.3 %"), (-0.4, "-40.0 %"), (8.99, "+899.0 %"), (9.0, "10.0 times"), (38.6, "39.6 times")],
)
def test_a_change_from_tenfold_on_is_a_factor(share: float, words: str):
    assert relative_change(share) == words


def test_a_gain_and_its_interval_are_told_alike():
    assert gain_words(Estimate(0.123, 0.11, 0.136, "", 3)) == "+12.3 % [11.0, 13.6]"
    assert gain_words(Estimate(38.6, 30.2, 47.0, "", 3)) == "39.6 times [31.2, 48.0]"
