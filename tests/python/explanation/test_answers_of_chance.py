"""Messages that meet by chance, changes that harm other classes, slow constants of senders, slow switches."""

from typing import Any

import pytest

import hopscope
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.trying.ranking import apart
from hopscope.results.trial import Confirmation
from made_trials import made_trial
from small_fabrics import fabric

TREE = {"fat-tree": {"tiers": 2, "radix": 8}}
MENDED = ("upgrade.mend_cables=true",)


def random(name: str, load: float, size: str) -> dict[str, Any]:
    """Messages of one size at random times."""
    return {"name": name, "pattern": {"poisson": {"load": load, "sizes": {"fixed": size}}}}


def told(given: dict[str, Any]) -> tuple[hopscope.Explanation, list[tuple[str, ...]]]:
    """The explanation, and the changes that surely gain, in the order of the table."""
    why = hopscope.explain(given)
    rows = () if why.confirmation is None else why.confirmation.in_order
    return why, [trial.set for trial in rows if trial.is_sure]


@pytest.mark.parametrize("load", [0.3, 0.4, 0.5])
def test_long_messages_at_random_times_meet_by_chance(load: float):
    """The frames of one message come one after another: that is no burst."""
    given = fabric(
        TREE,
        frames={"balancing": "spray", "ecn": {}, "dcqcn": {}, "flow_control": {"pfc": {"xoff": "200 KB"}}},
        flows=[{"pattern": {"poisson": {"load": load, "sizes": {"fixed": "64 KiB"}}}}],
        measure={"messages": 6000},
    )
    why, _ = told(given)
    assert why.sentence.startswith("This network is healthy: "), why.sentence
    assert "synchronised bursts" not in {symptom["name"] for symptom in why.symptoms}


@pytest.mark.parametrize(
    "classes",
    [[("ctl", 0.02, "1 KiB"), ("data", 0.35, "32 KiB")], [("a", 0.05, "2 KiB"), ("b", 0.35, "64 KiB")]],
)
def test_a_class_that_waits_for_itself_by_chance_is_healthy(classes: list[tuple[str, float, str]]):
    """Messages of one class wait for 30 to 60 % of their lifetime, and no change surely helps them."""
    given = fabric(
        TREE,
        frames={
            "balancing": "spray",
            "scheduling": "strict",
            "ecn": {},
            "dcqcn": {},
            "flow_control": {"pfc": {"priorities": 2, "xoff": "200 KB"}},
        },
        flows=[random(*each) for each in classes],
        measure={"messages": 12_000},
    )
    why, _ = told(given)
    assert why.sentence.startswith("This network is healthy: "), why.sentence
    assert why.sentence.endswith("Messages sometimes meet by chance, and wait for one another."), why.sentence


def test_an_order_of_service_that_harms_more_important_classes_is_no_gain():
    """Weights let bulk wait less, and the classes that went first far longer."""
    classes = [("ctl", 0.01, "512 B"), ("rpc", 0.1, "8 KiB"), ("bulk", 0.2, "64 KiB")]
    given = fabric(
        TREE,
        frames={
            "balancing": "adaptive",
            "scheduling": "strict",
            "flow_control": {"pfc": {"priorities": 3, "xoff": "200 KB"}},
        },
        flows=[random(*each) for each in classes],
        measure={"messages": 20_000},
    )
    _, sure = told(given)
    assert not [change for change in sure if change[0].startswith("frames.scheduling")]


def test_rows_tell_what_the_class_that_always_has_more_to_send_loses():
    """ECN marks too late, so bulk fills the queues that rpc waits in; other paths help rpc at its cost."""
    flows = [{"from": f"h{8 + i}", "to": f"h{i % 4}", "size": "16 MiB"} for i in range(16)]
    given = fabric(
        TREE,
        link={"rate": "100 Gbit/s", "delay": "200 ns"},
        frames={
            "flow_control": {"pfc": {"xoff": "500 KB"}},
            "ecn": {"kmin": "1.5 MB", "kmax": "3 MB", "pmax": 1},
            "dcqcn": {},
        },
        flows=[
            {"name": "bulk", "pattern": {"list": {"flows": flows}}, "rounds": 0},
            random("rpc", 0.02, "4 KiB"),
        ],
        measure={"messages": 4000},
    )
    why, sure = told(given)
    assert why.sentence.startswith("Late marks: "), why.sentence
    assert sure[0] == ("frames.flow_control.pfc.priorities=2",)
    assert why.confirmation is not None
    paths = [each for each in why.confirmation.trials if each.set[0].startswith("frames.balancing")]
    assert paths, [each.words() for each in why.confirmation.trials]
    assert "less throughput of bulk" in paths[0].told, paths[0].told
    assert paths[0].costs_others


def test_a_change_that_costs_another_class_much_comes_after_one_that_does_not():
    def of_rpc(what: str, loss: float) -> Any:
        other = ("bulk", Goal.THROUGHPUT, Estimate(-loss, -loss - 0.05, -loss + 0.05, "fraction", 1))
        return made_trial("lanes", 0.8, 0.9, what=what, of_class="rpc", other_class=other)

    marks, lane = of_rpc("earlier marks", 0.7), of_rpc("one more priority", 0.08)
    assert marks.costs_others
    assert not lane.costs_others
    assert Confirmation(1, (marks, lane)).in_order == (lane, marks)


def test_missing_cables_are_the_cause_and_not_the_blocking_that_they_relieve():
    blocking = made_trial("blocking", 0.4, 0.6, repairs=True, mended=1)
    cabling = made_trial("resource", 0.4, 0.6, repairs=True, mended=1)
    fault = cabling.candidate.__class__(cabling.candidate.cause, "Cabling: so.", fault="Cabling: so.")
    same = [type(each)(**{**_fields(each), "set": MENDED}) for each in (blocking, cabling)]
    same[1] = type(cabling)(**{**_fields(same[1]), "candidate": fault})
    assert apart(same) == [same[1]]


def _fields(trial: Any) -> dict[str, Any]:
    """The fields of a trial."""
    return {name: getattr(trial, name) for name in type(trial).__dataclass_fields__}


def test_constants_that_let_rates_recover_too_slowly_are_judged_by_the_job_that_sends():
    """Incasts meet their own answers; the job beside them recovers its rates only after milliseconds."""
    flows = [{"from": f"h{2 * i}", "to": f"h{(2 * i + 8) % 32}", "size": "4 MiB"} for i in range(16)]
    given = fabric(
        TREE,
        frames={"ecn": {}, "dcqcn": {"rate_timer": "5 ms", "byte_counter": "1 GB"}},
        flows=[
            {
                "name": "rpc",
                "pattern": {"incast": {"senders": 8, "size": "64 KiB"}},
                "every": "250 us",
                "rounds": 0,
            },
            {"name": "bulk", "pattern": {"list": {"flows": flows}}, "rounds": 0},
        ],
        measure={"messages": 1500},
    )
    why, sure = told(given)
    assert why.sentence.startswith("Rate control: `dcqcn.byte_counter` is 1000 MB (the default is 10 MB)"), (
        why.sentence
    )
    assert sure[0][0].startswith("frames.dcqcn"), sure
    assert why.confirmation is not None
    assert why.confirmation.trials[0].of_class == "bulk"


def test_frames_that_were_only_overtaken_are_sent_again_in_vain():
    given = fabric(
        TREE,
        frames={
            "balancing": "spray",
            "flow_control": {"tail-drop": {"queue": "300 kB"}},
            "ecn": {"kmin": "60 kB", "kmax": "60 kB", "pmax": 1},
            "rate_control": {"dctcp": {}},
            "recovery": {"reordering": 1},
        },
        flows=[{"pattern": {"poisson": {"load": 0.6, "sizes": {"fixed": "256 KiB"}}}}],
        measure={"messages": 4000},
    )
    why, sure = told(given)
    assert why.sentence.startswith("Retransmission: "), why.sentence
    assert "A frame is sent again once 1 later one has overtaken it (`recovery.reordering`)." in why.sentence
    assert sure[0] == ("frames.recovery.reordering=32",)


def test_frames_that_are_dropped_again_are_not_saved_by_sending_them_again():
    """Frames between leaves pass three switches; `ttl` allows two."""
    given = fabric(
        TREE,
        frames={"ecn": {}, "dcqcn": {}, "ttl": 2},
        flows=[{"pattern": {"poisson": {"load": 0.2, "sizes": {"fixed": "64 KiB"}}}}],
        measure={"messages": 3000},
    )
    _, sure = told(given)
    assert sure == [("frames.ttl=8",)]


def test_a_switch_all_of_whose_cables_are_slow_is_replaced_before_rounds_become_fewer():
    leaves, slow = [f"leaf{i}" for i in range(4)], {"rate": "25 Gbit/s"}
    network = {
        "switches": ["spine0", "spine1", *leaves],
        "links": [
            {"between": [leaf, spine], **(slow if leaf == "leaf1" else {})}
            for leaf in leaves
            for spine in ("spine0", "spine1")
        ],
        "hosts": [{"name": f"h{i}", "at": leaves[i // 2], **(slow if i // 2 == 1 else {})} for i in range(8)],
    }
    flows = [{"from": f"h{i}", "to": f"h{(i + 3) % 8}", "size": "256 KiB"} for i in range(8)]
    given = fabric(
        {"custom": network},
        frames={"ecn": {}, "dcqcn": {}, "balancing": "spray"},
        flows=[{"pattern": {"list": {"flows": flows}}, "every": "70 us", "rounds": 0}],
        measure={"messages": 3000},
    )
    why, sure = told(given)
    assert (
        "Slow switch: all 4 cables of leaf1 run at 25 Gbit/s, where most others run at 100 Gbit/s."
        in why.sentence
    )
    assert sure[0][0].startswith("upgrade.links=")
    assert sure[0][0].count("speedup = 4.0") == 4
