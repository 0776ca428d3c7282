"""The unit of a gain, its words, and the first change, in networks whose remedy is known."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.estimate import Estimate, less_words, time_gain_words
from hopscope.goal import Goal
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.goals.goal import Figures, figures, is_closed
from hopscope.planning.trying.budget import Effort
from hopscope.planning.trying.gain import Gain, Lack, gain, rank
from hopscope.planning.what_if.oversubscription import with_lifting
from hopscope.planning.what_if.tried import WhatIf
from hopscope.planning.what_if.what_if import _Search
from hopscope.results.outcome import Outcome

# What goes to d fills a slow link, and what goes to c waits behind it at switch 2.
HELD_UP = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["1", "2", "3"],
            "links": [{"between": ["1", "2"]}, {"between": ["2", "3"], "rate": "20 Mbit/s"}],
            "hosts": [
                {"name": name, "at": at}
                for name, at in (("a", "1"), ("b", "1"), ("c", "2"), ("d", "3"), ("e", "3"))
            ],
        }
    },
    "traffic": {
        "load": 0.3,
        "sizes": {"fixed": "1000 B"},
        "pattern": {"flows": [{"from": "a", "to": "d", "load": 0.15}, {"from": "b", "to": "c", "load": 0.3}]},
    },
    "measure": {"messages": 30_000},
}
# Eight hosts at each of three leaves, which have two links upwards: two thirds of 8 x load cross them.
OVERSUBSCRIBED = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["s0", "s1", "l0", "l1", "l2"],
            "links": [{"between": [spine, leaf]} for spine in ("s0", "s1") for leaf in ("l0", "l1", "l2")],
            "hosts": [{"name": f"h{leaf}{at}", "at": f"l{leaf}"} for leaf in range(3) for at in range(8)],
        }
    },
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "routing": {"roots": ["s0", "s1"]},
    "frames": {"balancing": "round-robin-spray"},
    "traffic": {"load": 0.5, "sizes": {"fixed": "4096 B"}},
}


def _tried(scenario: Mapping[str, Any], **how: Any) -> WhatIf:
    tried = hopscope.explain(dict(scenario), what_if=True, **how).what_if
    assert isinstance(tried, WhatIf)
    return tried


def test_where_queues_grow_later_than_a_first_look_throughput_is_the_goal():
    tried = _tried(HELD_UP)
    assert tried.goal is Goal.THROUGHPUT
    assert tried.best is not None
    assert tried.best.relaxation.place == "2 - 3"
    # A faster link to c carries all as well, and leaves a queue behind the slow link.
    other = next(each for each in tried.gains if each.relaxation.place == "2 - c")
    assert tried.best.delay is not None
    assert other.delay is not None
    assert other.delay > 10 * tried.best.delay
    assert "mean delay" in tried.headers()


def _change(label: str, *overrides: str, is_general: bool = False) -> Relaxation:
    return Relaxation(label, overrides or (f"{label}=1",), "", Cause.RESOURCE, None, is_general=is_general)


def test_a_time_is_given_up_where_longer_runs_saturate():
    scenario = engine.load(HELD_UP)
    why = hopscope.run(HELD_UP, set={"measure.messages": 4_000}).explain()
    search = _Search(scenario, why, [], None)
    search.first = Effort((1,), 4_000)
    short, long = ([hopscope.run(HELD_UP, set={"measure.messages": most})] for most in (4_000, 20_000))
    assert search._settle_goal(short, search.first) is Goal.LATENCY
    first = [figures(run, Goal.LATENCY) for run in short]
    room = replace(_change("room"), stores=True)
    for change in (_change("faster"), room):
        search.gains[change.label] = gain(change, Goal.LATENCY, change.set, first, first)
    assert search._settle_goal(long, Effort((1,), 20_000)) is Goal.THROUGHPUT
    assert {each.goal for each in search.gains.values()} == {Goal.THROUGHPUT}
    assert search.gains["faster"].total is not None
    # Whether its room fills, short runs do not tell.
    assert search.gains["room"].lack is Lack.UNSETTLED


def _over_saturated(label: str, ratio: float, us: float | None) -> Gain:
    """A change over runs that saturate; without a delay it saturates as well."""
    change = _change(label)
    outcome = Outcome.SATURATED if us is None else "complete"
    base = [Figures(seed, 100.0, None, None, None, Outcome.SATURATED) for seed in (1, 2)]
    other = [Figures(seed, 100.0 * ratio, us, None, None, outcome) for seed in (1, 2)]
    return gain(change, Goal.THROUGHPUT, change.set, base, other)


def test_of_changes_that_carry_all_that_is_offered_the_shortest_delay_comes_first():
    gains = [
        _over_saturated("fills", 1.3, None),
        _over_saturated("slow", 1.16, 8_000.0),
        _over_saturated("fast", 1.15, 40.0),
    ]
    assert [each.relaxation.label for each in sorted(gains, key=rank)] == ["fast", "slow", "fills"]
    assert gains[0].delay is None


def test_a_time_is_judged_by_its_mean_as_in_the_confirmation():
    change = _change("mean")
    base = [Figures(seed, 1.0, 100.0, 90.0, 400.0, "complete") for seed in (1, 2)]
    # Most messages now take the fast path, so the median falls by far more than what they gain together.
    other = [Figures(seed, 1.0, 50.0, 1.0, 400.0, "complete") for seed in (1, 2)]
    found = gain(change, Goal.LATENCY, change.set, base, other)
    assert found.total is not None
    assert found.total.value == pytest.approx(0.5)
    tried = WhatIf(Goal.LATENCY, (1, 2), 1_000, [found])
    assert tried.headers() == ("what if", "reduction of mean latency", "median", "99th percentile", "cost")
    assert tried.sentence == "What helps most: mean, 50.0 % less latency [50.0, 50.0]."


@pytest.mark.parametrize(
    ("value", "low", "high", "told"),
    [
        (0.4, 0.3, 0.5, "40.0 % less latency [30.0, 50.0]"),
        (0.95, 0.9, 0.96, "latency 20.0 times shorter [10.0, 25.0]"),
        # Student's interval reaches beyond a time of nothing: that is no end.
        (0.95, 0.9, 1.0, "latency 20.0 times shorter [at least 10.0]"),
        # What grows is more, and what stays is no less.
        (-0.4, -0.5, 0.3, "40.0 % more latency [-30.0, 50.0]"),
        (-0.0001, -0.2, 0.2, "0.0 % less latency [-20.0, 20.0]"),
        (-2.5, -3.0, -2.0, "latency 3.50 times as long [3.00, 4.00]"),
    ],
)
def test_a_time_that_changes_tenfold_is_told_as_a_factor(value: float, low: float, high: float, told: str):
    assert less_words(Estimate(value, low, high, "fraction", 3), "latency") == told


def test_in_a_column_of_reductions_a_longer_time_has_none():
    assert time_gain_words(Estimate(-9.6, -12.0, -7.0, "fraction", 3)) == (
        "none: 10.6 times as long [8.00, 13.0]"
    )


def test_the_best_change_has_one_figure_in_both_tables():
    tried = _tried(
        {
            "model": "queueing",
            "arrivals": {"load": 0.9},
            "station": [{"service": {"exponential": "10 us"}}],
            "measure": {"messages": 3_000},
        },
        confirm=False,
    )
    best = tried.best
    assert best is not None
    (own,) = (found for step, found in tried.curve if step.set == best.relaxation.set)
    assert own is best
    assert len(tried.curve) > 1


def test_both_tables_of_work_in_rounds_are_in_the_time_of_a_round():
    flows = [{"from": name, "to": "h1", "size": "2 MB"} for name in ("h0", "h2")]
    why = hopscope.explain(
        {
            "model": "fabric",
            "network": {"star": {"arms": 0, "hosts_at_hub": 3}},
            "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
            "frames": {},
            "flows": [{"pattern": {"list": {"flows": flows}}, "rounds": 3}],
        },
        what_if=True,
    )
    assert isinstance(why.what_if, WhatIf)
    assert why.what_if.goal is Goal.ROUND
    assert why.confirmation is not None
    assert {trial.goal for trial in why.confirmation.trials} == {Goal.ROUND}
    assert why.what_if.headers() == ("what if", "reduction of mean round time", "cost")


def test_the_printed_options_make_the_scenario_that_was_tried():
    row = {
        "model": "queueing",
        "arrivals": {"load": 0.9},
        "station": [{"service": {"fixed": "10 us"}}, {"service": {"fixed": "10 us"}}],
        "measure": {"messages": 3_000},
    }
    tried = _tried(row, confirm=False)
    assert tried.best is not None
    assert tried.best.relaxation.label == "stations 1 and 2 twice as fast"
    assert tried.apply is not None
    printed = shlex.split(tried.apply)
    scenario = engine.load(row, printed[1::2])
    *simulated, _messages = tried.best.set
    assert scenario.hash == engine.load(row, simulated).hash
    changed = json.loads(scenario.canonical_json())
    assert [each["service"] for each in changed["station"]] == [{"fixed": "5 us"}] * 2
    # As many messages come as before.
    assert changed["arrivals"]["gap"] == "11.111111 us"


def _no_longer_general(load: float) -> list[str]:
    scenario = engine.load({**OVERSUBSCRIBED, "traffic": {**OVERSUBSCRIBED["traffic"], "load": load}})
    sets = {
        "tier": "upgrade.switch_links=2.0",
        "hosts": "upgrade.host_links=2.0",
        "all": "upgrade={ host_links = 2.0, switch_links = 2.0 }",
    }
    changes = [_change(label, override, is_general=True) for label, override in sets.items()]
    found = with_lifting(scenario, [(each, scenario.with_overrides(list(each.set))) for each in changes])
    return [each.label for each, _ in found if not each.is_general]


def test_where_a_tier_carries_less_than_is_offered_a_faster_tier_is_a_remedy():
    # 16/23 of what eight hosts send leaves their leaf by two links: full at a load of 23 / 64.
    assert _no_longer_general(0.5) == ["tier"]
    assert _no_longer_general(0.3) == []


def test_stations_that_always_have_a_packet_send_as_fast_as_the_cable():
    stations: dict[str, Any] = {"name": "s", "network": "e", "stations": 5, "length": "48 bit"}
    assert is_closed("pup", {"raw": [stations]})
    assert not is_closed("pup", {"raw": [{**stations, "offered": "10 kbit/s"}]})


def test_a_change_that_needs_larger_fifos_is_compared_with_these_alone():
    traffic = {"load": 0.7, "sizes": {"fixed": "1000 B"}, "pattern": "uniform"}
    scenario = {
        "model": "fabric",
        "network": {"line": {"switches": 2, "hosts_per_switch": 3}},
        "switch": {"fifo": {"bytes": "8 KiB"}, "stop_above": "256 B"},
        "traffic": traffic,
        "measure": {"messages": 2_000},
    }
    tried = _tried(scenario, seeds=2, messages=2_000, confirm=False)
    found: Sequence[Gain] = [each for each in tried.gains if each.relaxation.against and each.runs]
    assert found
    before = [*found[0].relaxation.against, found[0].set[-1]]
    for one in found[0].base:
        run = hopscope.run(scenario, set=before, seed=one.seed)
        assert run.metric("throughput").value == one.throughput
