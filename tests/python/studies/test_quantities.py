"""What cells measure, on settings whose answers are known."""

import math
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from hopscope.estimate import Estimate, around, difference, ratio
from hopscope.results.outcome import Outcome
from hopscope.studies.evidence import Setting
from hopscope.studies.kinds.compared import Compared
from hopscope.studies.kinds.crossing import Crossing
from hopscope.studies.kinds.equal import Equal
from hopscope.studies.kinds.extreme import Extreme
from hopscope.studies.kinds.metric import MetricAt
from hopscope.studies.kinds.order import Order
from hopscope.studies.kinds.spread import Spread
from hopscope.studies.quantity import Quantity


class Curve:
    """Evidence whose metric is a known function of the setting's load; None is saturation."""

    def __init__(self, law: Callable[[float], float | None], half_width: float = 0.0) -> None:
        self.law = law
        self.half_width = half_width
        self.known: set[Setting] = set()

    def __contains__(self, setting: Setting) -> bool:
        return setting in self.known

    def metric(self, setting: Setting, _: str) -> Estimate | None:
        value = self.law(float(dict(setting.set)["load"]))
        return None if value is None else around(value, self.half_width, "us", 1000)

    def runs(self, _: Setting) -> list[SimpleNamespace]:
        return [SimpleNamespace(outcome=Outcome.SATURATED)]

    def answer(self, quantity: Quantity):
        """Simulate whatever is missing, round by round, as the runner does."""
        while missing := quantity.missing(self):
            self.known.update(missing)
        return quantity.measure(self)


def at(load: float) -> Setting:
    return Setting.of("any", {"load": load})


def value_at(load: float) -> MetricAt:
    return MetricAt(at(load), "latency.mean")


def crossing(threshold: float, resolution: float = 0.005, falls: bool = False) -> Crossing:
    grid = tuple(step / 10 for step in range(1, 10))
    return Crossing(at, grid, "latency.mean", threshold, resolution, falls)


def test_a_metric_is_measured_where_it_is_asked():
    found = Curve(lambda load: 10 * load, 0.5).answer(value_at(0.3))
    assert (found.value, found.low, found.high) == pytest.approx((3.0, 2.5, 3.5))


def test_a_crossing_is_found_to_the_resolution_and_interpolated():
    curve = Curve(lambda load: 1 / (1 - load))
    found = curve.answer(crossing(4.0))
    assert found.value == pytest.approx(0.75, abs=1e-4)
    assert len(curve.known) < 20


def test_the_interval_of_a_crossing_is_that_of_the_metric_over_the_slope():
    found = Curve(lambda load: 100 * load, half_width=1.0).answer(crossing(35.0))
    assert found.value == pytest.approx(0.35)
    assert (found.low, found.high) == pytest.approx((0.34, 0.36))


def test_a_falling_metric_crosses_downwards_and_not_upwards():
    falling = Curve(lambda load: 100 - 100 * load, half_width=1.0)
    found = falling.answer(crossing(35.0, falls=True))
    assert (found.value, found.low, found.high) == pytest.approx((0.65, 0.64, 0.66))
    assert Curve(lambda load: 100 - 100 * load).answer(crossing(35.0)).words == "always above 35"
    assert Curve(lambda load: 100 * load).answer(crossing(35.0, falls=True)).words == "always below 35"


def test_between_whole_numbers_a_crossing_looks_at_whole_numbers_only():
    curve = Curve(lambda senders: 1.0 if senders < 37 else 0.4)
    found = curve.answer(Crossing(at, (10, 20, 30, 40), "latency.mean", 0.5, 1, True))
    assert (found.value, found.low, found.high) == (37, 37, 37)
    assert all("." not in str(dict(setting.set)["load"]) for setting in curve.known)


def test_saturation_counts_as_above_and_brackets_the_crossing():
    found = Curve(lambda load: 1.0 if load < 0.62 else None).answer(crossing(200.0))
    assert found.low < 0.62 <= found.high
    assert found.high - found.low <= 0.0063


@pytest.mark.parametrize(
    ("law", "words"), [(lambda _: 1.0, "always below 200"), (lambda _: None, "always above 200")]
)
def test_a_threshold_that_is_never_passed_has_no_crossing(law: Callable, words: str):
    found = Curve(law).answer(crossing(200.0))
    assert found.value is None
    assert found.words == words


def test_differences_and_ratios_carry_both_uncertainties():
    curve = Curve(lambda load: 10 * load, 0.3)
    apart = curve.answer(Compared(value_at(0.5), value_at(0.2), difference))
    assert apart.value == pytest.approx(3.0)
    assert apart.high - apart.value == pytest.approx(math.hypot(0.3, 0.3))
    assert curve.answer(Compared(value_at(0.8), value_at(0.2), ratio)).value == pytest.approx(4.0)


def test_comparing_with_a_saturated_point_gives_no_number():
    curve = Curve(lambda load: None if load > 0.6 else 1.0)
    assert curve.answer(Compared(value_at(0.8), value_at(0.2), ratio)).words == "saturated"


def test_a_spread_is_the_median_between_the_extremes():
    found = Curve(lambda load: 10 * load).answer(Spread((value_at(0.9), value_at(0.1), value_at(0.2))))
    assert (found.low, found.value, found.high) == pytest.approx((1.0, 2.0, 9.0))


def test_the_least_of_several_comes_with_its_own_interval():
    curve = Curve(lambda load: 10 * load, 0.5)
    found = curve.answer(Extreme((value_at(0.9), value_at(0.2), value_at(0.4)), min))
    assert (found.low, found.value, found.high) == pytest.approx((1.5, 2.0, 2.5))


def test_the_least_of_several_is_unknown_where_one_is_saturated():
    curve = Curve(lambda load: None if load > 0.6 else 1.0)
    assert curve.answer(Extreme((value_at(0.2), value_at(0.8)), min)).words == "saturated"


def test_a_metric_may_be_measured_in_multiples_of_something():
    found = Curve(lambda load: load, 0.01).answer(MetricAt(at(0.05), "throughput.rate", per=0.1))
    assert (found.low, found.value, found.high) == pytest.approx((0.4, 0.5, 0.6))


def test_settings_are_equal_whatever_the_order_of_their_values():
    assert Setting.of("any", {"a": 1, "b": 2}) == Setting.of("any", {"b": 2, "a": 1})


def test_equal_things_are_as_far_apart_as_their_worst_pair():
    curve = Curve(lambda load: 10 * load)
    found = curve.answer(Equal(((value_at(0.5), value_at(0.5)), (value_at(0.51), value_at(0.5)))))
    assert found.value == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("relations", "holds"),
    [
        (("<", "<"), True),
        (("<<", "<"), True),
        (("<", "~"), False),
        (("<~", "<"), True),
        (("<", "<<"), False),
    ],
)
def test_an_order_holds_when_every_relation_does(relations: tuple[str, ...], holds: bool):
    parts = {"torus": value_at(0.2), "floors": value_at(0.5), "mstage": value_at(0.8)}
    found = Curve(lambda load: load).answer(Order(("torus", "floors", "mstage"), relations, parts, 0.02))
    assert found.holds is holds
    assert found.words == "torus 0.2 us, floors 0.5 us, mstage 0.8 us"


def test_saturation_stands_above_every_number_in_an_order():
    parts = {"a": value_at(0.2), "b": value_at(0.9)}
    curve = Curve(lambda load: None if load > 0.6 else 1.0)
    assert curve.answer(Order(("a", "b"), ("<<",), parts, 0.02)).holds
    assert not curve.answer(Order(("b", "a"), ("<",), parts, 0.02)).holds


def test_nothing_is_missing_once_everything_is_known():
    curve = Curve(lambda load: load)
    quantity = Spread((value_at(0.1), value_at(0.2)))
    assert quantity.missing(curve) == [at(0.1), at(0.2)]
    curve.answer(quantity)
    assert quantity.missing(curve) == []
