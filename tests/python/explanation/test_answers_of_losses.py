"""What is lost for good, late marks, cables at a wrong switch: the sentence and the first remedies."""

from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.candidates.suspects import likeliest, suspect
from hopscope.planning.trying.ranking import ranked
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Trial

LINK = {"rate": "100 Gbit/s", "delay": "100 ns"}
BUFFER = {"size": "32 MB", "alpha": 0.5}
FAULT = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 4, "hosts_per_edge": 2}},
    "routing": {"rule": "shortest"},
    "link": LINK,
    "frames": {"balancing": "round-robin-spray", "reroute": "50 us"},
    "faults": [{"at": "50 us", "switch": "spine0", "goes": "down"}],
    "traffic": {"load": 0.2, "pattern": "uniform", "sizes": {"fixed": "8 KiB"}},
    "measure": {"messages": 2000, "warmup": "none"},
}
ELEPHANTS = [{"from": f"h{number}", "to": "h0", "size": "20 MB"} for number in (1, 2, 3, 4)]
MARKS: dict[str, Any] = {
    "model": "fabric",
    "network": {"star": {"arms": 0, "hosts_at_hub": 6}},
    "link": LINK,
    "frames": {
        "buffer": {"size": "12 MB", "alpha": 0.05},
        "ecn": {"kmin": "10 KB", "kmax": "2 MB", "pmax": 0.0005},
        "dcqcn": {"additive": "400 Mbit/s"},
    },
    "flows": [
        {"name": "elephants", "pattern": {"list": {"flows": ELEPHANTS}}},
        {"name": "rpc", "pattern": {"poisson": {"load": 0.05, "sizes": {"fixed": "8 KiB"}}}},
    ],
    "measure": {"messages": 2000},
}


def _trials(why: Explanation) -> tuple[Trial, ...]:
    assert why.confirmation is not None
    return why.confirmation.trials


def test_repairs_of_what_is_lost_for_good_are_judged_by_that():
    why = hopscope.explain(FAULT)
    assert why.cause == Cause.INTERRUPTION
    assert "They are not sent again." in why.sentence
    first = _trials(why)[0]
    assert (first.what, first.is_sure) == ("no faults", True)
    lost = why.page["lost_for_good"]
    assert first.lost == (lost, 0)
    # The slowest messages gain surely as well.
    assert first.gained.endswith(f", and no packets lost for good instead of {lost}")
    again = next(trial for trial in _trials(why) if trial.set == ("frames.recovery={}",))
    assert (again.goal, again.lost) == (Goal.LOSSES, (lost, 0))
    assert again.gained == f"no packets lost for good instead of {lost} (1 run)"
    assert Trial.of_data(first.to_data()).told == first.told


def test_losses_of_those_who_send_again_have_no_such_row():
    frames = FAULT["frames"] | {"recovery": {"timeout": "100 us", "reordering": 64}}
    why = hopscope.explain(FAULT | {"frames": frames})
    assert why.page["lost_for_good"] == 0
    assert not [trial for trial in _trials(why) if trial.lost or trial.set == ("frames.recovery={}",)]


def test_rounds_that_went_on_without_what_was_lost_say_so():
    job = {"pattern": {"all-reduce": {"size": "1 MiB"}}, "rounds": 20}
    scenario = {key: value for key, value in FAULT.items() if key != "traffic"} | {"flows": [job]}
    told = "lost frames that are not sent again. What depends on them began as if all had arrived"
    assert any(told in note for note in hopscope.run(scenario).notes)
    frames = FAULT["frames"] | {"recovery": {"timeout": "100 us", "reordering": 64}}
    assert not any(told in note for note in hopscope.run(scenario | {"frames": frames}).notes)


def test_few_packets_lost_do_not_come_before_what_makes_all_wait():
    sure, one = Estimate(0.5, 0.4, 0.6, "fraction", 1), Estimate(1.0, 1.0, 1.0, "fraction", 1)
    full = Trial(suspect(Cause.RESOURCE, "A", ["a", "b"], "a - b"), "faster", ("a=1",), "latency", sure)
    fault = suspect(Cause.INTERRUPTION, "Fault", ["c"], "c")
    lost = Trial(fault, "no faults", ("faults=[]",), Goal.LOSSES, one, repairs=True, mended=1, lost=(3, 0))
    assert ranked([full, lost]) == [full, lost]
    assert ranked([lost, full]) == [lost, full]


def test_marks_that_come_late_are_named_before_one_more_priority():
    why = hopscope.explain(MARKS)
    assert why.cause == Cause.RATE_CONTROL
    assert why.sentence.startswith("Late marks: ECN marks <1 % of the frames in a queue of nearly 2 MB")
    first, second = _trials(why)[:2]
    assert "frames.ecn.pmax=0.5" in first.set
    assert first.is_sure
    assert second.candidate.cause == Cause.LANES
    usual = MARKS["frames"] | {"ecn": {}}
    assert "Late marks" not in hopscope.explain(MARKS | {"frames": usual}).sentence


def test_a_constant_that_spares_a_class_is_named_before_one_more_priority():
    ecn, law = {"kmin": "20 KB", "kmax": "60 KB", "pmax": 0.5}, {"least": "30 Gbit/s"}
    frames = MARKS["frames"] | {"ecn": ecn, "dcqcn": MARKS["frames"]["dcqcn"] | law}
    why = hopscope.explain(MARKS | {"frames": frames})
    assert why.cause == Cause.RATE_CONTROL
    assert "`dcqcn.least` is 30 Gbit/s (the default is 40 Mbit/s)" in why.sentence
    first, second = _trials(why)[:2]
    assert first.set == ("frames.dcqcn.least=",)
    assert first.of_class == "rpc"
    assert second.candidate.cause == Cause.LANES


@pytest.mark.parametrize(("loss", "leads"), [(-0.1, True), (-0.8, False)])
def test_a_constant_for_which_another_class_surely_pays_does_not_lead(loss: float, leads: bool):
    about = {"of_class": "rpc", "behind": "elephants"}
    gain = Estimate(0.9, 0.88, 0.92, "fraction", 1)
    paid = ("elephants", "throughput", Estimate(loss, loss - 0.05, loss + 0.05, "fraction", 1))
    lanes, law = (Candidate(cause, "", **about) for cause in (Cause.LANES, Cause.RATE_CONTROL))
    more = Trial(lanes, "one more priority", ("a=2",), "latency", gain, of_class="rpc")
    reset = Trial(law, "the default", ("b=",), "latency", gain, of_class="rpc", other_class=paid)
    assert (ranked([more, reset])[0] is reset) == leads


def test_cables_at_a_wrong_switch_are_put_right_first():
    leaves, spines = [f"leaf{number}" for number in range(4)], [f"spine{number}" for number in range(3)]
    links = [{"between": [leaf, spine]} for leaf in leaves for spine in spines]
    links[0], links[4] = {"between": ["leaf0", "spine1"]}, {"between": ["leaf1", "spine0"]}
    hosts = [{"name": f"n{number}", "at": leaves[number // 3]} for number in range(12)]
    network = {"custom": {"switches": spines + leaves, "hosts": hosts, "links": links}}
    traffic = {"load": 0.8, "pattern": "uniform", "sizes": {"fixed": "16 KiB"}}
    frames = {"buffer": BUFFER, "balancing": "round-robin-spray"}
    why = hopscope.explain(
        {"model": "fabric", "network": network, "routing": {"rule": "shortest"}, "link": LINK}
        | {"frames": frames, "traffic": traffic, "measure": {"messages": 3000}}
    )
    assert why.sentence.startswith("Cabling: 2 cables at leaf0 - spine1, leaf1 - spine0 belong to ")
    assert _trials(why)[0].set == ("upgrade.mend_cables=true",)


def test_losses_are_tried_however_many_causes_come_before_them():
    every = [
        suspect(cause, cause, [name], name)
        for name, cause in zip(
            "abcd", (Cause.RESOURCE, Cause.BLOCKING, Cause.RESOURCE, Cause.LOSS), strict=True
        )
    ]
    none = Explanation({})
    assert likeliest(none.naming(*every)) == every
    last = replace(every[3], cause=Cause.WINDOW)
    assert likeliest(none.naming(*every[:3], last)) == every[:3]
