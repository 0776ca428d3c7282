"""How a run with a change is compared with today's: what still waits, which mix of classes, which words."""

from typing import Any

import pytest

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.confirmation import confirm
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.goals.goal import Figures, figures, relative
from hopscope.planning.goals.mix import OfClass, at_todays_mix, differ, ratio_at_todays_mix
from hopscope.planning.goals.unfinished import UnderWay, still_wait
from hopscope.planning.trying.gain import Lack, gain
from hopscope.planning.trying.ranking import best_of, ranked
from hopscope.planning.trying.relief import Gained, gained
from hopscope.planning.trying.short_runs import simulated
from hopscope.planning.what_if.tried import WhatIf
from hopscope.planning.what_if.what_if import messages_of_rounds
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.run import RunResult
from hopscope.results.trial import Confirmation, Trial
from made_trials import made_trial

FABRIC: dict[str, Any] = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 4}},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "routing": {"rule": "shortest"},
}
# Short queues drop a few frames, and what is lost waits for a timeout, which is a large part of the run.
LOSING = FABRIC | {
    "frames": {
        "balancing": "spray",
        "flow_control": {"tail-drop": {"queue": "28 kB"}},
        "recovery": {"timeout": "1 ms"},
    },
    "traffic": {"load": 0.6, "sizes": {"fixed": "8 KiB"}},
    "measure": {"messages": 20_000},
}
# Flows on one path of two, of which one is overloaded at any moment.
COLLIDING = FABRIC | {
    "network": {"fat-tree": {"tiers": 2, "radix": 8}},
    "frames": {},
    "traffic": {"load": 0.75, "sizes": {"fixed": "16 KiB"}},
    "measure": {"messages": 10_000},
}
# One group sends for long, the other one answers in between; both begin again as soon as they may.
TWO_GROUPS = FABRIC | {
    "frames": {"balancing": "spray", "buffer": {"size": "3 MB", "alpha": 0.003}},
    "flows": [
        {"name": "bulk", "pattern": {"permutation": {"size": "1 MB"}}, "rounds": 0},
        {
            "name": "answers",
            "pattern": {"incast": {"senders": 4, "size": "16 KiB"}},
            "rounds": 0,
            "every": "20 us",
        },
    ],
    "measure": {"messages": 1_000},
}
# Every host link sends all the time, and no message waits: a faster one alone changes nothing.
RING = FABRIC | {
    "network": {"fat-tree": {"tiers": 2, "radix": 8}},
    "link": {"rate": "200 Gbit/s", "delay": "100 ns"},
    "frames": {"balancing": "round-robin-spray", "forwarding": "cut-through", "latency": "10 ns"},
    "flows": [
        {"name": "job", "pattern": {"all-reduce": {"size": "2 MiB", "algorithm": "ring"}}, "rounds": 2}
    ],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}


def _gained(scenario: dict[str, Any], *overrides: str, is_saturated: bool = False) -> list[Gained]:
    """What each change gains over a run without any."""
    today = engine.load(scenario)
    changed = [today.with_overrides([each]) for each in overrides]
    base, *runs = simulated([today, *changed], None)
    return [
        gained((today, base), pair, is_saturated=is_saturated) for pair in zip(changed, runs, strict=True)
    ]


def _run(under_way: dict[str, float] | None, life_us: float) -> RunResult:
    """A run of 1 000 messages in 1 ms with such a life: one is under way for each microsecond of it."""
    run = hopscope.run(LOSING, set={"traffic.load": 0.1, "measure.messages": 500})
    row = {"value": life_us, "low": life_us, "high": life_us, "n": 1_000}
    rows = [{**run.summary.ledger()[0], "estimate": row}]
    measured = {"messages": 1_000, "span_s": 1e-3}
    run.summary.fields = {
        **run.summary.fields,
        "under_way": under_way,
        "ledger": rows,
        "measured": measured,
    }
    return run


def test_messages_that_wait_when_a_run_ends_count_as_far_as_they_have_come():
    """In 2 ms of simulated time nothing comes back that waits for a timeout of 8 ms."""
    longer, shorter = _gained(LOSING, 'frames.recovery.timeout="8 ms"', 'frames.recovery.timeout="100 us"')
    assert longer.still_wait or (longer.gain is not None and longer.gain.value < 0)
    assert shorter.gain is not None
    assert shorter.gain.low > 0.1


def test_by_littles_law_those_under_way_tell_how_long_all_took():
    few = UnderWay.of(_run({"mean": 31.0, "end": 33}, 30.0))
    assert few == UnderWay(33, 1.0)
    many = UnderWay.of(_run({"mean": 90.0, "end": 120}, 30.0))
    assert many == UnderWay(120, pytest.approx(3.0))
    assert many is not None
    assert few is not None
    assert still_wait(few, many)
    assert not still_wait(many, few)
    # Another run without it was as full when it ended.
    assert not still_wait(UnderWay(118, 3.0), many)
    assert UnderWay.of(_run(None, 30.0)) is None, "a run of an earlier version does not tell"


def test_of_pairs_of_runs_no_gain_is_told_while_messages_still_wait():
    base = [Figures(seed, 1.0, 30.0, 20.0, 90.0, "complete", under_way=UnderWay(33, 1.0)) for seed in (1, 2)]
    later = [Figures(seed, 1.0, 5.0, 5.0, 10.0, "complete", under_way=UnderWay(400, 2.0)) for seed in (1, 2)]
    change = Relaxation("a timeout 8 times as long", ("a=1",), "", "loss", None)  # type: ignore[arg-type]
    found = gain(change, Goal.LATENCY, change.set, base, later)
    assert (found.total, found.lack) == (None, Lack.WAIT)
    # With those under way it took longer: that is known.
    lost = [Figures(seed, 1.0, 5.0, 5.0, 10.0, "complete", under_way=UnderWay(400, 12.0)) for seed in (1, 2)]
    assert relative(Goal.LATENCY, base[0], lost[0]) == pytest.approx(-1.0)


def _mean(us: float, n: int) -> Estimate:
    return Estimate(us, 0.9 * us, 1.1 * us, "us", n)


def test_another_mix_of_classes_is_no_gain_and_no_loss():
    """Both classes take half as long, and three times as many of the long ones are sent."""
    today = {"long": OfClass(100, _mean(300, 100), 300), "short": OfClass(900, _mean(10, 900), 9)}
    now = {"long": OfClass(300, _mean(150, 300), 150), "short": OfClass(900, _mean(5, 900), 4.5)}
    assert differ(today, now)
    assert ratio_at_todays_mix(today, now, lambda each: each.median) == pytest.approx(0.5)
    means = at_todays_mix(today, now)
    assert means is not None
    assert means[1].value == pytest.approx(means[0].value / 2)
    # As many of each: the means over all of them tell.
    assert not differ(today, {"long": OfClass(50, _mean(150, 50)), "short": OfClass(450, _mean(5, 450))})
    # Of a class that has most of the time too few are left for a mean.
    assert at_todays_mix(today, {"long": OfClass(5, None), "short": OfClass(900, _mean(5, 900))}) is None


def test_groups_that_begin_again_as_soon_as_they_may_are_compared_by_their_rounds():
    (found,) = _gained(TWO_GROUPS, "frames.buffer.alpha=0.5")
    assert found.goal == Goal.ROUND
    assert found.gain is not None
    assert found.gain.low > 0.1
    whole = figures(hopscope.run(TWO_GROUPS), Goal.ROUND)
    assert set(whole.classes) == {"bulk", "answers"}
    assert whole.mean is not None


def test_what_ends_the_saturation_is_a_gain_however_little_more_gets_through():
    (found,) = _gained(COLLIDING, 'frames.balancing="adaptive"', is_saturated=True)
    assert found.ends_queues
    assert found.left is not None
    ends = made_trial("path collision", -0.02, 0.08, goal=Goal.THROUGHPUT, left=found.left, ends_queues=True)
    assert ends.is_sure
    assert "no longer saturated" in ends.words()
    more = made_trial("blocking", 0.02, 0.05, at="b", goal=Goal.THROUGHPUT)
    assert ends.surely_exceeds(more)
    assert not more.surely_exceeds(ends)


def test_a_change_that_gains_nothing_is_not_told_as_what_helps():
    loses, unsure = (
        made_trial("resource", -0.4, -0.3, what="a faster link"),
        made_trial("resource", -0.1, 0.2),
    )
    assert loses.words() == "no noticeable gain: a faster link"
    assert "no noticeable gain" not in unsure.words()
    # A change within a few per cent is not noticeable.
    assert made_trial("resource", -0.019, 0.019, what="no faults").words() == "no noticeable gain: no faults"
    waits = made_trial("loss", None, what="a longer timeout", still_wait=True)
    assert waits.words() == "not judged: a longer timeout: messages still wait when the test run ends"


def test_a_gain_near_the_whole_is_told_as_a_factor():
    near = Trial(
        Candidate(Cause.WINDOW, ""),
        "a larger window",
        ("a=1",),
        Goal.ROUND,
        Estimate(0.999, 0.998, 0.9995, "fraction", 1),
    )
    assert near.words() == "a larger window: round time 1 000 times shorter [500, 2 000] (--set a=1)"
    assert "less latency" in made_trial("window", 0.4, 0.6).words()


def test_what_surely_helps_is_the_first_row_and_the_named_cause_follows():
    named, other = made_trial("variability", None), made_trial("resource", 0.2, 0.3, at="b")
    tried = Confirmation(1, (named, other))
    assert tried.in_order == (other, named)
    assert tried.doubt is not None
    none = "no change could be tried for the named cause alone"
    assert f"{none}. The change in the first row helps." in tried.doubt
    sure = made_trial("blocking", 0.2, 0.3)
    assert Confirmation(1, (sure, other)).in_order == (sure, other)
    assert Confirmation(1, (sure, other)).doubt is None


def test_a_sure_relief_of_what_explains_more_comes_before_one_that_may_gain_nothing():
    first = made_trial("resource", -0.025, 0.446, weight=0.42)
    assert ranked([first, made_trial("loss", 0.306, 0.414, weight=0.6)])[0].candidate.cause == "loss"
    assert ranked([first, made_trial("loss", 0.306, 0.414, weight=0.1)])[0] is first


def test_of_repairs_that_gain_as_much_the_smallest_is_named():
    whole = made_trial("resource", 0.84, 1.24, what="all repaired", repairs=True, mended=2)
    part = made_trial("resource", 0.85, 1.23, what="host h9", repairs=True, mended=1)
    nothing = made_trial("loss", -0.1, 0.2, at="b", what="a cable", repairs=True, mended=1)
    assert best_of([whole, part]) is part
    assert [trial.what for trial in ranked([whole, nothing, part])] == ["host h9", "a cable"]
    more = made_trial("resource", 1.5, 1.9, what="all repaired", repairs=True, mended=2)
    assert ranked([more, part])[0] is more


def test_a_network_in_which_nobody_waits_and_no_change_gains_is_healthy():
    run = hopscope.run(RING)
    name = "the link leaf0:4 -> h0"
    nodes, place = ("leaf0", "h0"), "leaf0:4"
    link = Candidate(Cause.RESOURCE, f"Bottleneck: {name}.", nodes, place, name, "Output", 0.9)
    named = run.explain().naming(link)
    why = confirm(engine.load(RING), named, explained=run)
    assert why.cause == "healthy"
    assert "no change that was tried gains anything" in why.sentence
    assert why.confirmation is None
    # Where messages wait it is not.
    waits = Explanation({**named.data, "page": {**named.page, "waiting": 0.3}})
    assert confirm(engine.load(RING), waits, explained=run).cause == "resource"


def test_runs_that_are_too_short_to_judge_most_changes_say_so():
    base = [Figures(seed, 1.0, None, None, None, "complete") for seed in (1, 2)]
    changes = [Relaxation(name, (f"{name}=1",), "", "loss", None) for name in "ab"]  # type: ignore[arg-type]
    gains = [gain(each, Goal.ROUND, each.set, base, base) for each in changes]
    found = WhatIf(Goal.ROUND, (1, 2), 500, gains, whole=4_000)
    assert found.sentence == (
        "No change could be judged: runs of up to 500 messages are too short (too few messages finished); "
        "run with --messages 4000."
    )


def test_changes_of_work_in_rounds_are_tried_in_runs_that_have_rounds():
    whole = hopscope.run(RING)
    assert messages_of_rounds(whole) == whole.summary.fields["measured"]["messages"], "of two rounds"
    # Of two groups, that whose rounds take longer.
    both = hopscope.run(TWO_GROUPS)
    rounds = both.metric("round[bulk].mean")
    assert rounds is not None
    assert messages_of_rounds(both) >= 2 * 1_000 / rounds.n
