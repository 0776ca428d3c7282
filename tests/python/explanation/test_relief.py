"""What confirms a verdict: runs long enough to tell, and repairs before what is only faster or other."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.candidates.rows import TIER
from hopscope.planning.goals.goal import ROUND_MEAN, figures, goal_of
from hopscope.planning.trying.ranking import ranked, worth
from hopscope.planning.trying.short_runs import FEWEST_ROUNDS, _lengths, in_short
from hopscope.planted import fabrics
from hopscope.planted.case import Draws
from hopscope.results.trial import Confirmation, Trial
from hopscope.source import messages_of
from made_trials import made_trial

# Four stations in a row, one of them used 90 %.
ROW: dict[str, Any] = {
    "model": "queueing",
    "arrivals": {"gap": "10 ms"},
    "station": [{"service": {"exponential": f"{ms} ms"}} for ms in (3, 9, 3, 3)],
    "measure": {"messages": 40_000},
}
# Half as much again as two servers can do.
OVERLOADED: dict[str, Any] = {
    "model": "queueing",
    "arrivals": {"load": 1.5},
    "station": [{"service": {"fixed": "5 ms"}, "servers": 2}, {"service": {"fixed": "1 ms"}}],
    "measure": {"messages": 20_000},
}
FABRIC: dict[str, Any] = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 4, "hosts_per_edge": 6}},
    "link": {"rate": "100 Gbit/s", "delay": "500 ns"},
    "routing": {"rule": "by-family"},
    "frames": {"balancing": "adaptive"},
}
RING = {"name": "ring", "hosts": "all", "pattern": {"all-reduce": {"size": "48 KiB", "algorithm": "ring"}}}
ROUNDS = FABRIC | {
    "flows": [RING | {"rounds": 8, "pause": "20 us"}],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}
# Every leaf offers three times what its links up carry.
TORNADO = FABRIC | {
    "frames": {"balancing": "adaptive", "buffer": {"size": "32 MB", "alpha": 1.0}},
    "flows": [{"pattern": {"permutation": {"size": "512 KiB", "to": "tornado"}}, "rounds": 6}],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}
# Rates that grow again so slowly that flows wait for them on links used a third.
SLOW_TIMERS = FABRIC | {
    "network": {"fat-tree": {"tiers": 2, "radix": 8}},
    "frames": {
        "balancing": "adaptive",
        "ecn": {"kmin": "5 kB", "kmax": "6 kB", "pmax": 1.0},
        "dcqcn": {"rate_timer": "1500 us"},
    },
    "flows": [{"pattern": {"poisson": {"load": 0.3, "sizes": {"fixed": "512 KiB"}}}}],
    "measure": {"messages": 4_000},
    "seed": 7,
}
BURSTS: dict[str, Any] = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["a", "b"],
            "links": [{"between": ["a", "b"], "delay": "500 us"}],
            "hosts": [{"name": "s", "at": "a"}, {"name": "d", "at": "b"}],
        }
    },
    "switch": {"fifo": {"bytes": "64 KiB"}},
    "traffic": {
        "load": 0.07,
        "pattern": {
            "flows": [{"from": "s", "to": "d", "bursts": {"packet_share": 1.0, "window": 1, "size": "60 kB"}}]
        },
    },
    "measure": {"messages": 5_000},
}
FEW_ENTRIES: dict[str, Any] = {
    "model": "arpanet",
    "duration": "3 min",
    "protocol": {"pending_leaders": 1},
    "network": {"line": [{"between": pair, "delay": "5 ms"} for pair in (["A", "B"], ["B", "C"])]},
    "host": [{"name": "X", "imp": "A"}, {"name": "Y", "imp": "A"}],
    "flow": [
        {"from": "X", "to": "C", "size": "8063 bit", "when": "saturated"},
        {"from": "Y", "to": "B", "size": "8063 bit", "when": "saturated"},
    ],
    "measure": {"messages": 100_000, "warmup": "10 s"},
}


_trial = functools.partial(made_trial, goal=Goal.THROUGHPUT)
"""A change that was tried for a cause, with its gain in throughput."""


def _left(us: float) -> Estimate:
    return Estimate(us, 0.9 * us, 1.1 * us, "us", 1)


def _trials(scenario: dict[str, Any], **settings: Any) -> tuple[Trial, ...]:
    why = hopscope.explain(scenario, **settings)
    assert why.confirmation is not None
    return why.confirmation.trials


def test_short_runs_of_rounds_have_enough_of_them_for_an_interval():
    scenario = engine.load(ROUNDS)
    short, base = in_short(scenario, hopscope.run(ROUNDS).explain(), 300, None)
    rounds = base.summary.find(ROUND_MEAN)
    assert rounds is not None
    assert rounds.n >= FEWEST_ROUNDS
    assert messages_of(short) < messages_of(scenario)


def test_the_whole_run_is_tried_last_where_it_is_hardly_longer():
    """Queues may grow in a run of two thirds of the length, and be no longer at its end."""
    why = hopscope.run(ROW).explain()

    def lengths(whole: int) -> list[int]:
        scenario = engine.load(ROW, [f"measure.messages={whole}"])
        return [*_lengths(scenario, why, 5_000, 5_000)]

    assert lengths(60_000) == [5_000, 10_000, 20_000, 40_000, 60_000]
    assert lengths(80_000) == [5_000, 10_000, 20_000, 40_000]


def test_a_short_run_beside_the_whole_runs_mean_is_made_longer():
    """Of a station used 90 % the first 5 000 customers wait less than those that come later."""
    whole = hopscope.run(ROW).explain()
    scenario = engine.load(ROW)
    start, full = (in_short(scenario, whole, 5_000, None, most)[1] for most in (0, 1e6))
    whole_us = whole.data["lifetime"]["mean_us"]
    lives = [run.summary.find(f"{run.summary.explained_delay()}.mean") for run in (start, full)]
    assert lives[0] is not None
    assert lives[1] is not None
    assert lives[0].high < whole_us
    assert lives[1].low <= whole_us <= lives[1].high


def test_an_interval_without_a_bound_keeps_no_place():
    rounds = {"goal": Goal.ROUND}
    says_nothing = _trial("blocking", -float("inf"), 0.886, gain=Estimate(0.166, -float("inf"), 0.886, "", 1))
    assert not says_nothing.is_judged
    sure = _trial("resource", 0.4, 0.6, at="b", **rounds)
    assert ranked([says_nothing, sure])[0] is sure


@pytest.mark.parametrize(
    ("repair", "named"),
    [
        ((0.45, 0.55), "loss"),
        # The faster link is surely the better remedy.
        ((0.10, 0.20), "resource"),
        # The repair may gain nothing.
        ((-0.10, 0.55), "resource"),
    ],
)
def test_a_repair_comes_before_a_faster_link_at_its_place(repair: tuple[float, float], named: str):
    faster, mended = _trial("resource", 0.46, 0.56), _trial("loss", *repair, repairs=True)
    assert ranked([faster, mended])[0].candidate.cause == named


def test_the_retries_of_a_hosts_cable_are_named_and_not_that_it_could_be_faster(tmp_path: Path):
    for family in ("fat tree", "irregular"):
        case = fabrics.retrying_host_cable(Draws(f"host {family}"), fabrics.NETWORKS[family][0])
        path = tmp_path / "retries.toml"
        path.write_text(case.text)
        found = hopscope.explain(path)
        assert found.cause == Cause.LOSS, found.sentence
        assert frozenset(found.nodes) == case.places[0]


def test_a_repair_gives_way_only_to_what_surely_gains_more():
    mended = _trial("interruption", 0.18, 0.30, at="b", repairs=True)
    assert ranked([_trial("path collision", 0.14, 0.29), mended])[0] is mended
    assert ranked([_trial("path collision", 0.50, 0.60), mended])[0].candidate.cause == "path collision"
    # A faster cable shortens every wait for it: too few lanes there are what makes messages wait.
    lanes, cable = _trial("lanes", 0.20, 0.30), _trial("resource", 0.21, 0.32, repairs=True)
    assert ranked([lanes, cable])[0] is lanes


def test_other_switches_take_no_place_from_a_relief_that_surely_gains():
    other = _trial("blocking", 0.7, 0.8, is_broad=True)
    window = _trial("window", 0.3, 0.4)
    assert ranked([window, other])[0] is window
    # The same for a cause without a possible trial.
    unknown = _trial("route concentration", 0, 0, gain=None)
    assert ranked([unknown, other])[0] is unknown
    mended = _trial("loss", 0.2, 0.3, repairs=True)
    assert ranked([other, mended])[0] is mended
    # What gains nothing sure gives way.
    assert ranked([_trial("window", -0.1, 0.2), other])[0] is other


def test_of_changes_that_carry_all_the_shorter_delay_decides():
    full, spare = _trial("resource", 0.40, 0.60, left=_left(222e3)), _trial("resource", 0.39, 0.59)
    fast = _trial("resource", 0.41, 0.57, left=_left(5.3e3))
    assert max([full, spare, fast], key=worth) is fast
    other = _trial("window", 0.41, 0.57, at="b", left=_left(5.3e3))
    assert ranked([full, other])[0] is other


def test_an_overload_is_relieved_by_a_station_that_is_not_left_full():
    trials = _trials(OVERLOADED)
    assert [trial.candidate.cause for trial in trials] == ["overload"]
    assert trials[0].what == "station 1 twice as fast"
    assert trials[0].left is not None


def test_a_gain_below_what_is_worth_naming_confirms_nothing():
    tiny, sure = _trial("window", 0.001, 0.003), _trial("window", 0.4, 0.6, at="b")
    assert not Confirmation(1, (tiny,)).is_confirmed
    assert Confirmation(1, (tiny,)).doubt is not None
    elsewhere = Confirmation(1, (tiny, sure)).doubt
    assert elsewhere is not None
    assert "the first row, one for the same cause at another place" in elsewhere
    another = Confirmation(1, (tiny, _trial("loss", 0.4, 0.6))).doubt
    assert another is not None
    assert "the first row, the one for another cause" in another


def test_where_many_links_between_switches_are_full_all_of_them_are_made_faster():
    first = _trials(TORNADO)[0]
    assert first.set == (f"{TIER}=2.0",)
    assert first.is_sure
    calm = FABRIC | {"traffic": {"load": 0.1}, "measure": {"messages": 2_000}}
    listed = relaxations_for(engine.load(calm), hopscope.run(calm).explain())
    assert [each.is_general for each in listed if TIER in each.paths] == [True]


def test_rate_control_is_named_where_no_link_is_full():
    why = hopscope.explain(SLOW_TIMERS)
    assert why.cause == Cause.RATE_CONTROL
    assert why.confirmation is not None
    assert why.confirmation.is_confirmed


def test_bursts_are_judged_by_the_time_of_a_burst():
    first = _trials(BURSTS)[0]
    assert (first.what, first.goal) == ("8 times the window of bursts", Goal.BURST)
    # A burst takes a round trip for each window, eight packets in place of one, and those one after another.
    assert first.gain is not None
    assert first.gain.value == pytest.approx(7 / 8, abs=0.03)
    canonical = json.loads(engine.load(BURSTS).canonical_json())
    run = hopscope.run(BURSTS)
    assert goal_of("fabric", canonical, [run]) is Goal.BURST
    # The metric is in ms.
    burst, told = run.metric("burst time.mean"), figures(run, Goal.BURST).mean
    assert burst is not None
    assert told == pytest.approx(1e3 * burst.value)


def test_the_first_resource_of_the_chain_is_relieved_as_well():
    """The line behind the table is used 80 %, the table's one entry always."""
    first, second = _trials(FEW_ENTRIES)[:2]
    assert (first.what, second.what) == ("2 more PLT entries", "line A - B twice as fast")
    assert first.surely_exceeds(second)


def test_a_tolerance_of_reordering_is_offered_only_where_there_is_one():
    lossy = {"flow_control": {"tail-drop": {}}}
    for rule, offered in (("selective-repeat", 1), ("go-back-n", 0)):
        scenario = FABRIC | {"frames": lossy | {"recovery": {"rule": rule}}, "traffic": {"load": 0.1}}
        small = scenario | {"measure": {"messages": 500}}
        listed = relaxations_for(engine.load(small), hopscope.run(small).explain())
        tolerated = [each for each in listed if "frames.recovery.reordering" in each.paths]
        assert len(tolerated) == offered, rule
