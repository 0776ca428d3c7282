"""Pooling of estimates."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscope.errors import UsageError
from hopscope.estimate import (
    Estimate,
    around,
    difference,
    from_zero,
    gain_words,
    interval_of_mean,
    pooled,
    ratio,
)

ESTIMATES = st.builds(
    around, st.floats(0.1, 1e3), st.floats(0.0, 10.0), st.just("us"), st.integers(1, 1_000_000)
)


def test_pooling_equal_runs_narrows_the_interval_by_the_root_of_their_number():
    one = around(10.0, 2.0, "us", 100)
    four = pooled([one] * 4)
    assert four.value == 10.0
    assert four.half_width == pytest.approx(1.0)
    assert four.n == 400


@given(ESTIMATES)
def test_pooling_one_run_changes_nothing(one: Estimate):
    assert pooled([one]).value == one.value
    assert pooled([one]).half_width == pytest.approx(one.half_width)


def own(*values: float, half_width: float) -> list[Estimate]:
    """Runs of these means, all with intervals of the same width."""
    return [around(value, half_width, "us", 100) for value in values]


def test_seeds_that_lie_further_apart_than_their_intervals_explain_have_the_interval_of_their_values():
    # Study rfc632/trap by seed: the fifth run never falls into the trap.
    values = [11.55, 11.86, 9.37, 12.84, 34.95, 11.27]
    found = pooled(own(*values, half_width=0.15))
    # By hand: deviation 9.690, t of 5 degrees 2.5706.
    assert found.value == pytest.approx(15.307, abs=1e-3)
    assert found.low == pytest.approx(5.14, abs=0.01)
    assert found.high == pytest.approx(25.48, abs=0.01)
    assert found.half_width == interval_of_mean(values, "us").half_width
    assert found.n == 600


def test_the_spread_of_seeds_counts_from_the_95_percent_point_of_chi_squared_on():
    # Two runs with deviations of 1: their distance squared, over 2, is chi-squared, 3.84 at that point.
    near, far = own(0.0, 2.6, half_width=1.96), own(0.0, 2.9, half_width=1.96)
    assert pooled(near).half_width == pytest.approx(1.96 / math.sqrt(2))
    assert pooled(far).half_width == interval_of_mean([0.0, 2.9], "us").half_width


@pytest.mark.parametrize("runs", [2, 3, 6, 20])
def test_runs_of_one_mean_are_taken_for_others_five_times_in_a_hundred(runs: int):
    draws = random.Random(runs)
    groups = [own(*(draws.gauss(10.0, 1.0) for _ in range(runs)), half_width=1.96) for _ in range(4_000)]
    plain = pooled(own(*[10.0] * runs, half_width=1.96)).half_width
    wider = sum(pooled(group).half_width > plain * (1 + 1e-9) for group in groups)
    assert 0.035 < wider / len(groups) < 0.065


def test_values_without_intervals_that_differ_have_the_interval_of_their_values():
    maxima = own(3.0, 5.0, 4.0, half_width=0.0)
    assert pooled(maxima).half_width == interval_of_mean([3.0, 5.0, 4.0], "us").half_width
    assert pooled(own(0.1, 0.1, 0.1, half_width=0.0)).half_width == 0.0


@given(st.lists(ESTIMATES, min_size=2, max_size=8))
def test_the_spread_of_seeds_makes_no_interval_narrower(parts: list[Estimate]):
    plain = math.sqrt(sum(part.half_width**2 for part in parts)) / len(parts)
    # Ends of an interval are rounded as floats are, by what the value is large.
    rounding = 4 * max(math.ulp(part.high) for part in parts)
    assert pooled(parts).half_width >= plain * (1 - 1e-9) - rounding


@given(ESTIMATES, ESTIMATES)
def test_variances_add_in_a_difference(first: Estimate, second: Estimate):
    apart = difference(first, second)
    assert apart.value == first.value - second.value
    assert apart.half_width == pytest.approx(math.hypot(first.half_width, second.half_width))


def test_relative_variances_add_in_a_ratio():
    found = ratio(around(8.0, 0.8, "us", 10), around(2.0, 0.2, "us", 10))
    assert found.value == 4.0
    assert found.half_width == pytest.approx(4.0 * math.hypot(0.1, 0.1))


def test_an_estimate_reads_as_value_interval_and_unit():
    assert str(around(31.24, 0.4, "us", 9)) == "31.2 [30.8, 31.6] us"
    assert str(around(0.5, 0.01, "fraction", 9)) == "0.500 [0.490, 0.510]"
    assert str(around(5_100, 0, "1", 9)) == "5 100"


def test_what_cannot_be_negative_is_shown_from_0_on_and_its_difference_is_not():
    amount = Estimate(1.0, -1.0, 3.0, "ms", 9, can_be_negative=False)
    assert str(amount) == "1.00 [0, 3.00] ms"
    assert amount.numbers == "1.00 [0, 3.00]"
    assert amount.low == -1.0
    assert str(pooled([amount, amount])).startswith("1.00 [0, ")
    assert str(amount / amount).startswith("1.00 [0, ")
    assert "[-" in str(amount - amount)


def test_an_interval_that_is_cut_at_0_is_as_wide_as_before_for_what_is_computed_from_it():
    whole = Estimate(1.0, -1.0, 3.0, "ms", 9, can_be_negative=False)
    cut = from_zero(whole)
    assert (cut.low, cut.high, cut.to_data()["low"]) == (0.0, 3.0, 0.0)
    assert cut.half_width == whole.half_width
    assert cut - cut == whole - whole
    assert from_zero(around(1.0, 2.0, "ms", 9)).low == -1.0, "a difference may be negative"


def test_estimates_of_one_unit_are_subtracted_and_divided():
    before, after = around(8.0, 0.3, "us", 10), around(2.0, 0.4, "us", 20)
    assert before - after == difference(before, after)
    assert (before - after).half_width == pytest.approx(0.5)
    assert before / after == ratio(before, after)
    assert float(before) == 8.0


def test_units_are_not_mixed():
    with pytest.raises(UsageError, match="us cannot be subtracted from Gbit/s"):
        around(1.0, 0.1, "us", 10) - around(1.0, 0.1, "Gbit/s", 10)
    with pytest.raises(TypeError, match=r"float\(\) gives its value"):
        around(1.0, 0.1, "us", 10) - 1.0  # type: ignore[operator]


def test_an_estimate_is_shown_with_its_observations():
    assert repr(around(10.0, 0.5, "us", 12_345)) == "<Estimate 10.0 [9.50, 10.5] us, n = 12 345>"


def test_a_gain_says_which_end_of_its_interval_nothing_bounds():
    def told(low: float, high: float) -> str:
        return gain_words(Estimate(0.5, low, high, "fraction", 2))

    assert told(0.4, 0.6) == "+50.0 % [40.0, 60.0]"
    assert told(-1.0, math.inf) == "+50.0 % (too few messages for an interval)"
    # That it may be a loss, or as much again, is nothing that anybody could use.
    assert told(-math.inf, 0.6) == "+50.0 % (too few messages for an interval)"
    assert told(-0.9, math.inf) == "+50.0 % (too few messages for an interval)"
    assert told(-math.inf, 0.04) == "+50.0 % [at most 4.0]"
    assert told(-math.inf, 1.0) == "+50.0 % (too few messages for an interval)"
    assert told(0.4, math.inf) == "+50.0 % [at least 40.0]"
    assert told(-math.inf, math.inf) == "+50.0 % (1 run)"
    half_known = Estimate(0.5, 0.4, math.inf, "fraction", 2)
    assert half_known.to_data() == {"value": 0.5, "low": 0.4, "high": None}
