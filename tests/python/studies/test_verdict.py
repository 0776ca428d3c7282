"""Every role of published/README.md, judged."""

import math
import random

import pytest

from conftest import PROJECT
from hopscope.studies.published import PublishedCell, Role, cells
from hopscope.studies.verdict import (
    LENGTHENED,
    Measured,
    is_worth_lengthening,
    judge,
    judge_rough,
    lacking,
)

PUBLISHED = PROJECT / "published"
SATURATED = Measured(None, None, None, "", "saturated")


def cell(value: str, role: str, tolerance: float = 0.0) -> PublishedCell:
    return PublishedCell("an1/x", "latency", "", "", value, "us", role, tolerance, "")


def found(value: float, low: float | None = None, high: float | None = None) -> Measured:
    return Measured(value, value if low is None else low, value if high is None else high, "us")


@pytest.mark.parametrize("role", ["calibrates", "predicts"])
@pytest.mark.parametrize(
    ("value", "verdict"),
    [(10.2, "within"), (9.996, "within"), (10.404, "within"), (9.99, "miss"), (10.41, "miss")],
)
def test_a_number_may_be_off_by_its_relative_tolerance(role: str, value: float, verdict: str):
    assert judge(cell("10.2", role, 0.02), found(value)) == verdict


@pytest.mark.parametrize("word", ["predict", "Predicts", "predictsx", "upper limit", ""])
def test_a_word_that_is_no_role_switches_nothing_off(word: str):
    with pytest.raises(ValueError, match="begins with no role"):
        judge(cell("10", word, 0.02), found(99))


def test_every_published_cell_states_a_role():
    files = sorted(path.name for path in PUBLISHED.glob("*.csv"))
    assert {each.is_for for file in files for each in cells(file)} == set(Role)


@pytest.mark.parametrize("role", ["exact", "exact for switch pairs, (3/4)^d"])
def test_an_exact_value_is_exact(role: str):
    assert judge(cell("24", role), found(24.0)) == "within"
    assert judge(cell("24", role), found(24.001)) == "miss"


@pytest.mark.parametrize(
    ("value", "role"),
    [("0.4", "range 0.38..0.58"), ("0.38..0.58", "range"), ("0.5", "upper range 0.38..0.58")],
)
def test_a_range_stands_in_the_role_or_in_the_value(value: str, role: str):
    assert judge(cell(value, role), found(0.38)) == "within"
    assert judge(cell(value, role), found(0.58)) == "within"
    assert judge(cell(value, role), found(0.59)) == "miss"
    assert judge(cell(value, role, 0.02), found(0.59)) == "within"


def test_bounds_are_open_on_one_side():
    assert judge(cell("4", "lower bound"), found(400)) == "within"
    assert judge(cell("4", "lower bound"), found(3.99)) == "miss"
    assert judge(cell("360", "lower bound within 3 %", 0.03), found(350)) == "within"
    assert judge(cell("360", "lower bound within 3 %", 0.03), found(349)) == "miss"
    assert judge(cell("1.1", "upper bound"), found(0.2)) == "within"
    assert judge(cell("1.1", "upper bound"), found(1.11)) == "miss"


def test_a_spread_must_hold_the_published_value():
    role = "within the spread over server placements"
    assert judge(cell("700", role), found(450, 193, 18_000)) == "within"
    assert judge(cell("700", role), found(450, 193, 690)) == "miss"


def test_equal_things_may_differ_by_the_tolerance():
    assert judge(cell("", "equal", 0.02), found(-0.015)) == "within"
    assert judge(cell("", "equal", 0.02), found(0.021)) == "miss"


@pytest.mark.parametrize("role", ["order", "exact order", "shape", "present"])
def test_what_asks_for_yes_or_no_is_judged_by_the_answer(role: str):
    assert judge(cell("", role), Measured(None, None, None, "", "a 1, b 2", holds=True)) == "within"
    assert judge(cell("", role), Measured(None, None, None, "", "a 2, b 1", holds=False)) == "miss"


@pytest.mark.parametrize("role", ["shape", "present", "exact order"])
def test_a_number_does_not_answer_a_question_of_shape(role: str):
    assert judge(cell("", role), found(1.0)) == "not judged"


@pytest.mark.parametrize("role", ["predicts", "range 1..2", "lower bound", "exact"])
def test_saturation_where_a_number_is_expected_is_a_miss(role: str):
    assert judge(cell("1", role, 0.5), SATURATED) == "miss"


@pytest.mark.parametrize("role", ["predicts", "range 1..2", "lower bound", "exact", "within the spread"])
def test_where_nothing_was_measured_nothing_is_decided(role: str):
    nothing = Measured(None, None, None, "", "no message was measured", is_empty=True)
    for judged in (judge, judge_rough):
        assert judged(cell("1", role, 0.5), nothing) == "undecided"
        assert judged(cell("1", "not judged"), nothing) == "not judged"
    assert lacking(cell("1", role, 0.5), nothing) == "no message was measured; a longer run may decide"


def test_a_quick_run_decides_nothing_by_a_value_without_an_interval():
    asked = cell("10", "predicts", 0.02)
    for value, verdict in ((10.0, "within"), (12.0, "miss")):
        assert judge(asked, found(value)) == verdict
        assert judge_rough(asked, found(value)) == "undecided"
        assert "no interval in a quick run; run without --quick" in lacking(asked, found(value))
        assert judge_rough(asked, found(value, value - 0.01, value + 0.01)) == verdict
        assert judge_rough(asked, Measured(value, value, value, "us", is_certain=True)) == verdict
    assert judge_rough(asked, Measured(12.0, 5.0, 20.0, "us", is_exact=True)) == "undecided"
    assert judge_rough(asked, SATURATED) == "miss"


def test_a_quick_run_decides_no_order_of_values_without_intervals():
    for has_bare, verdict in ((True, "undecided"), (False, "within")):
        found = Measured(None, None, None, "", "a 1, b 2", holds=True, has_bare=has_bare)
        assert judge_rough(cell("", "order"), found) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(9.9, 10.1, "within"), (10.3, 10.5, "miss"), (10.1, 10.3, "undecided"), (8.0, 12.0, "undecided")],
)
def test_only_an_interval_on_one_side_decides(low: float, high: float, verdict: str):
    asked, measured = cell("10", "predicts", 0.02), found((low + high) / 2, low, high)
    assert judge(asked, measured) == verdict
    if verdict == "undecided":
        assert lacking(asked, measured)


def test_an_undecided_cell_says_how_long_a_run_would_decide():
    # The edge is 0.1 away, and the interval reaches 2.42 / 1.96 of 0.2: (2.469)^2 = 6.1.
    assert "about 7 times" in lacking(cell("10", "predicts", 0.02), found(10.1, 9.9, 10.3))
    endless = found(10.1, -math.inf, math.inf)
    assert lacking(cell("10", "predicts", 0.02), endless) == "too few messages for an interval"
    at_the_limit = lacking(cell("10", "predicts", 0.02), found(10.2, 10.0, 10.4))
    assert at_the_limit == "the value lies at the tolerance limit"


@pytest.mark.parametrize("times", [1, 2, 4])
@pytest.mark.parametrize("apart", [0.0, 0.5, 1.0, 1.5, 2.0])
def test_runs_are_made_longer_where_the_longest_decide_in_one_of_three_cases(apart: float, times: int):
    """`apart` is how far the value is from the edge, in the standard deviations of its mean."""
    stream = random.Random(1977)
    edge, deviation, cases = 10.2, 0.1, 4000
    decided = 0
    for _ in range(cases):
        # What the true value may be, after runs of this length, and the mean of the longest runs then.
        true = stream.gauss(edge + apart * deviation, deviation)
        further = stream.gauss(true, deviation * math.sqrt(times / (LENGTHENED[-1] - times)))
        mean = (times * (edge + apart * deviation) + (LENGTHENED[-1] - times) * further) / LENGTHENED[-1]
        half = 1.96 * deviation * math.sqrt(times / LENGTHENED[-1])
        decided += judge(cell("10", "predicts", 0.02), found(mean, mean - half, mean + half)) != "undecided"
    value, half = edge + apart * deviation, 1.96 * deviation
    longer = is_worth_lengthening(
        cell("10", "predicts", 0.02), found(value, value - half, value + half), times
    )
    if abs(decided / cases - 1 / 3) > 0.03:
        assert longer is (decided / cases > 1 / 3), decided / cases


def test_what_nothing_is_known_of_is_made_longer():
    asked = cell("10", "predicts", 0.02)
    endless = found(10.1, -math.inf, math.inf)
    nothing = Measured(None, None, None, "", "no message was measured", is_empty=True)
    an_order = Measured(None, None, None, "", "a 1, b 1", is_open=True)
    for measured in (endless, nothing, an_order):
        assert is_worth_lengthening(asked, measured, 4)
    assert not is_worth_lengthening(asked, found(10.0, 9.99, 10.01), 1), "it is decided"
    assert not is_worth_lengthening(asked, found(10.2, 10.0, 10.4), 4), "it is at the edge"


def test_extremes_of_a_spread_are_no_interval():
    spread = Measured(10.0, 5.0, 20.0, "us", is_exact=True)
    assert judge(cell("10", "predicts", 0.02), spread) == "within"


def test_an_open_order_is_undecided():
    assert judge(cell("", "order"), Measured(None, None, None, "", "a 1, b 1", is_open=True)) == "undecided"


@pytest.mark.parametrize("off", [-0.01, 0.01])
def test_of_a_thousand_cells_at_the_edge_at_most_5_percent_are_wrong(off: float):
    """The true value lies just inside the edge of the tolerance, or just outside.

    Each cell is looked at after runs of 1, 2, 4 and 8 times the length, until it is decided.
    """
    stream = random.Random(1977)
    edge, deviation = 10.2, 0.1
    right = "within" if off < 0 else "miss"
    wrong = decided = 0
    for _ in range(1000):
        total = 0.0
        for runs in range(1, LENGTHENED[-1] + 1):
            total += stream.gauss(edge + off * deviation, deviation)
            if runs not in (1, *LENGTHENED):
                continue
            mean, half = total / runs, 1.96 * deviation / math.sqrt(runs)
            verdict = judge(cell("10", "predicts", 0.02), found(mean, mean - half, mean + half))
            if verdict != "undecided":
                decided += 1
                wrong += verdict != right
                break
    assert wrong <= 50
    assert 0 < decided < 200  # an interval that is never on one side would not be wrong either


def test_a_published_file_may_name_its_columns_differently():
    found = {cell.id: cell for cell in cells("ien138.csv")}["ien138/epr/same/266"]
    assert (found.at, found.number, found.tolerance) == ("EPR 266", 200_000.0, 0.06)
