"""Settings of fabrics of frames that get a row of their own, and how the rows and sentences tell of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.trying.ranking import best_of
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Confirmation, Trial

STAR = {
    "model": "fabric",
    "network": {"star": {"arms": 0, "hosts_at_hub": 9}},
    "link": {"rate": "100 Gbit/s", "delay": "500 ns"},
}
INCAST = [{"pattern": {"incast": {"senders": 8, "size": "64 KiB", "receiver": "h0"}}, "rounds": 0}]
SLOW_CONSTANTS = STAR | {
    "frames": {
        "buffer": {"size": "32 MB", "alpha": 0.1},
        "ecn": {"kmin": "100 KB", "kmax": "400 KB", "pmax": 0.2},
        "dcqcn": {"rate_timer": "20 ms", "cnp_interval": "4 us", "byte_counter": "1 GB"},
    },
    "flows": [
        {
            "pattern": {"incast": {"senders": 8, "size": "1 MB", "receiver": "h0"}},
            "rounds": 5,
            "pause": "100 us",
        }
    ],
    "measure": {"messages": 100_000, "warmup": "none"},
}
LONG_TIMEOUT = STAR | {
    "frames": {
        "flow_control": {"tail-drop": {"queue": "60 KB"}},
        "recovery": {"timeout": "50 ms"},
    },
    "flows": INCAST,
    "measure": {"messages": 200},
}
RING = {
    "model": "fabric",
    "network": {"line": {"switches": 4, "hosts_per_switch": 2}},
    "link": {"rate": "100 Gbit/s", "delay": "10 us"},
    "frames": {"buffer": {"size": "64 MB"}, "flow_control": {"pfc": {"xoff": "1 MB"}}},
    "flows": [{"pattern": {"all-reduce": {"size": "256 KiB", "algorithm": "ring"}}, "rounds": 10}],
    "measure": {"messages": 100_000, "warmup": "none"},
}
FAULT = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 4}},
    "routing": {"rule": "by-family"},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "frames": {
        "reroute": "5 ms",
        "flow_control": {"tail-drop": {}},
        "recovery": {"timeout": "200 us"},
    },
    "flows": [{"pattern": {"all-reduce": {"size": "1 MiB"}}, "rounds": 8}],
    "faults": [{"at": "500 us", "goes": "down", "link": ["leaf1", "spine1"]}],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}


def _told(why: Explanation) -> dict[str | None, Trial]:
    assert why.confirmation is not None
    return {trial.what: trial for trial in why.confirmation.trials}


def _links(*left_out: tuple[str, str]) -> list[dict[str, Any]]:
    """Three leaves under four spines, without the cables that are left out."""
    ends = [(f"leaf{leaf}", f"spine{spine}") for leaf in range(4) for spine in range(4)]
    rate = {"rate": "100 Gbit/s", "delay": "100 ns"}
    return [{"between": [*each], **rate} for each in ends if each not in left_out]


def test_constants_unlike_the_defaults_are_reset_before_rate_control_is_given_up():
    why = hopscope.explain(SLOW_CONSTANTS)
    assert why.cause == Cause.RATE_CONTROL
    assert "`dcqcn.rate_timer` is 20 ms (the default is 55 us)" in why.sentence
    assert why.confirmation is not None
    first, second = why.confirmation.trials[:2]
    assert first.set == ("frames.dcqcn={}",)
    assert first.is_sure
    assert second.what == "no DCQCN"
    usual = hopscope.explain(SLOW_CONSTANTS, set={"frames.dcqcn": {}})
    assert "the default is" not in usual.sentence


def test_a_timeout_that_is_blamed_is_tried_by_what_messages_take():
    told = _told(hopscope.explain(LONG_TIMEOUT))
    shorter = next(trial for what, trial in told.items() if what and what.startswith("a timeout of "))
    assert shorter.is_sure
    assert shorter.candidate.cause == Cause.LOSS
    # A timeout that fits is none to be told.
    fits = _told(hopscope.explain(LONG_TIMEOUT, set={"frames.recovery.timeout": "500 us"}))
    assert not any(what and what.startswith("a timeout of ") for what in fits)


def test_a_job_of_many_short_steps_is_tried_with_fewer():
    why = hopscope.explain(RING)
    assert why.cause == Cause.HEALTHY
    assert "Fewer steps or shorter ways shorten it." in why.sentence
    assert "faster switches" not in why.sentence
    (steps,) = _told(why).values()
    assert steps.set == ('flows[0].pattern.all-reduce.algorithm="halving-doubling"',)
    assert steps.goal == Goal.ROUND
    assert steps.is_sure


def test_of_a_single_round_fewer_steps_are_judged_by_the_round_and_not_by_its_messages():
    flows = [{"pattern": {"all-reduce": {"size": "64 KiB", "algorithm": "ring"}}, "rounds": 1}]
    (steps,) = _told(hopscope.explain(RING | {"flows": flows})).values()
    assert steps.goal == "time of the longest round"
    assert steps.is_sure


def test_rerouting_is_tried_faster_and_told_beside_a_fault():
    why = hopscope.explain(FAULT)
    assert "Rerouting takes 5 ms." in why.sentence
    assert why.sentence.count("Fault:") == 1
    told = _told(why)
    assert told["no faults"].is_sure
    assert told["rerouting in a tenth of the time"].is_sure
    assert dict(why.evidence_rows())["since"].startswith("500 us of simulated time")


def test_missing_cables_are_added_as_others_are_and_before_faster_ones():
    lacking = (("leaf2", "spine0"), ("leaf2", "spine1"))
    hosts = [{"name": f"h{at}", "at": f"leaf{at // 4}", "rate": "100 Gbit/s"} for at in range(16)]
    spines, leaves = ([f"{name}{at}" for at in range(4)] for name in ("spine", "leaf"))
    scenario = {
        "model": "fabric",
        "network": {"custom": {"switches": [*spines, *leaves], "links": _links(*lacking), "hosts": hosts}},
        "routing": {"rule": "by-family"},
        "frames": {"balancing": "round-robin-spray"},
        "flows": [{"pattern": {"poisson": {"load": 0.6, "sizes": {"fixed": "64 KiB"}}}}],
        "measure": {"messages": 3_000},
    }
    why = hopscope.explain(scenario)
    assert why.confirmation is not None
    first = why.confirmation.trials[0]
    assert first.what == "2 links leaf2 - spine0 and leaf2 - spine1 added"
    assert first.set[0].count('rate = "100 Gbit/s"') == 2
    assert first.is_sure


def _trial(what: str, gain: float, other: tuple[str, str, float] | None = None, **more: Any) -> Trial:
    found = Estimate(gain, gain - 0.01, gain + 0.01, "fraction", 1)
    candidate = Candidate(Cause.LANES, "Weights.", ("a",), weight=0.5)
    behind = None if other is None else (*other[:2], Estimate(other[2], other[2], other[2], "fraction", 1))
    return Trial(candidate, what, (f"a={what}",), Goal.LATENCY, found, other_class=behind, **more)


@pytest.mark.parametrize(
    ("trials", "best"),
    [
        # 15 times shorter, and a quarter of the throughput: the fault mirrored.
        (
            [("reverse", 0.935, ("b", "throughput", -0.72)), ("in turn", 0.89, ("b", "latency", -0.73))],
            "in turn",
        ),
        # It costs the other class little.
        (
            [("weights", 0.922, ("b", "latency", -0.2)), ("in turn", 0.914, ("b", "latency", -0.17))],
            "weights",
        ),
    ],
)
def test_of_changes_for_one_class_the_one_that_gains_most_for_both_is_told(
    trials: Sequence[tuple[str, float, tuple[str, str, float]]], best: str
):
    assert best_of([_trial(*each) for each in trials]).what == best


@pytest.mark.parametrize(
    ("given_up", "told"),
    [
        (None, "less latency"),
        ((741, 0), "less latency, and no message is given up"),
        ((741, 307), "less latency, and 307 messages are given up instead of 741"),
        ((307, 741), "less latency, but 741 messages are given up instead of 307"),
    ],
)
def test_what_becomes_of_messages_that_are_given_up_is_told(given_up: tuple[int, int] | None, told: str):
    words = _trial("trimming", 0.5, given_up=given_up).told
    assert words.replace(" [49.0, 51.0]", "").endswith(told)


def _rows(*trials: Trial) -> list[str]:
    why = Explanation({"outcome": "complete"}).naming(Candidate(Cause.LANES, ""))
    why = replace(why, confirmation=Confirmation(1, trials))
    return [words for _, words in why.confirmation_rows()]


def test_a_row_that_gains_more_than_the_first_says_why_it_is_not_the_first():
    first = _trial("lanes in turn", 0.6)
    wide = _trial("other switches", 0.7, is_wide=True)
    other = replace(wide.candidate, cause=Cause.BLOCKING)
    wide = Trial(other, "other", ("b=1",), wide.goal, wide.gain, is_wide=True)
    assert "at a far higher cost" in _rows(first, wide)[1]
    less = Trial(
        wide.candidate, "other", ("b=1",), wide.goal, Estimate(0.5, 0.4, 0.6, "fraction", 1), is_wide=True
    )
    assert "at a far higher cost" not in _rows(first, less)[1]


def test_a_part_of_several_repairs_gains_nothing_alone():
    whole = _trial("all repaired", 0.6, repairs=True, mended=2)
    part = _trial("a faster host", -0.02, repairs=True, mended=1)
    assert _rows(whole, part)[1] == "no noticeable gain alone: a faster host"
    assert _rows(part)[0] == "no noticeable gain: a faster host"


def test_more_trials_are_not_advised_where_they_have_been_made():
    tried = Confirmation(1, (_trial("lanes", 0.005),))
    assert "a what-if" in (tried.doubt or "")
    assert "what-if" not in (tried.doubt_beside(has_more=True) or "")
    assert "not confirmed" in (tried.doubt_beside(has_more=True) or "")
