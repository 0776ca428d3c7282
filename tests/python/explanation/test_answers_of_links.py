"""Links that are full, missing, slow or down: which are named, and what is offered for them."""

from pathlib import Path
from typing import Any

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.planning.candidates.cabling import MENDED, PLACED
from hopscope.planning.candidates.relaxations import relaxations_for, relieves
from hopscope.planning.candidates.repairs import Cables
from hopscope.results.outcome import Outcome
from hopscope.results.trial import Trial

SPINES, LEAVES = [f"s{spine}" for spine in range(4)], [f"l{leaf}" for leaf in range(4)]
HOSTS = [{"name": f"h{leaf[1]}{number}", "at": leaf} for leaf in LEAVES for number in range(4)]


def _leaf_spine(without: tuple[tuple[str, str], ...] = (), **slow: str) -> dict[str, Any]:
    """Four leaves with four hosts and a link to each of four spines, but for some; and with slow ones."""
    ends = [(leaf, spine) for leaf in LEAVES for spine in SPINES if (leaf, spine) not in without]
    links = [
        {"between": list(pair), **({"rate": slow["_".join(pair)]} if "_".join(pair) in slow else {})}
        for pair in ends
    ]
    return {"custom": {"switches": [*SPINES, *LEAVES], "links": links, "hosts": HOSTS}}


FABRIC: dict[str, Any] = {
    "model": "fabric",
    "routing": {"rule": "shortest"},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
}
LACKING = (("l2", "s1"), ("l2", "s2"))
JOB: dict[str, Any] = {**FABRIC, "measure": {"messages": 1_000_000, "warmup": "none"}}
RING = {"all-reduce": {"size": "512 KiB", "algorithm": "ring"}}
TREE = {"fat-tree": {"tiers": 2, "radix": 8}}


def _trials(why: hopscope.Explanation) -> tuple[Trial, ...]:
    assert why.confirmation is not None, why.sentence
    return why.confirmation.trials


def test_a_switch_that_lacks_links_is_named_and_they_are_offered():
    tornado = {"permutation": {"size": "1 MB", "to": "tornado"}}
    job = {"flows": [{"pattern": tornado, "rounds": 2}], "frames": {"balancing": "round-robin-spray"}}
    credits_of_one_lane = {"credits": {"lanes": 1, "buffer_per_lane": "64 KiB"}}
    load = {
        "traffic": {"load": 0.6, "sizes": {"fixed": "8 KiB"}},
        "frames": {"balancing": "adaptive", "flow_control": credits_of_one_lane},
        "measure": {"messages": 4_000},
    }
    for traffic in (job, load):
        why = hopscope.explain({**JOB, "network": _leaf_spine(LACKING), **traffic})
        assert (why.cause, list(why.nodes)) == (Cause.OVERLOAD, ["l2"]), why.sentence
        assert "It has 2 such links, switches like it have 4." in why.sentence
        first = _trials(why)[0]
        assert first.is_sure
        assert first.candidate.nodes == ("l2",)
        assert {path.partition("=")[0] for path in first.set} <= {"added_links", "upgrade.links"}


def test_the_cables_that_a_switch_lacks_are_those_that_others_like_it_have():
    light = {**FABRIC, "traffic": {"load": 0.1}, "frames": {}}
    cables = Cables(engine.load({**light, "network": _leaf_spine(LACKING)}))
    assert cables.lacking("l2") == [("l2", "s1"), ("l2", "s2")]
    assert cables.lacking("l0") == []
    # Half of the leaves have no link to these spines: none is missing.
    half = ((leaf, spine) for leaf in ("l2", "l3") for spine in ("s1", "s2"))
    assert Cables(engine.load({**light, "network": _leaf_spine(tuple(half))})).lacking("l2") == []


def test_faster_links_are_offered_for_the_switch_that_needs_them_alone():
    # The four hosts of the first of four leaves, each of which has two links up.
    tree = {"fat-tree": {"tiers": 2, "radix": 4, "hosts_per_edge": 4}}
    pattern = {"flows": [{"from": f"h{at}", "to": f"h{4 + 3 * at}"} for at in range(4)]}
    rack = {
        **FABRIC,
        "network": tree,
        "frames": {"balancing": "round-robin-spray"},
        "traffic": {"load": 0.75, "sizes": {"fixed": "16 KiB"}, "pattern": pattern},
        "measure": {"messages": 2_000},
    }
    why = hopscope.explain(rack, confirm=False)
    assert (why.cause, list(why.nodes)) == (Cause.OVERLOAD, ["leaf0"]), why.sentence
    listed = relaxations_for(engine.load(rack), why)
    offered = [each for each in listed if relieves(each, why.verdict)]
    assert [each.label for each in offered] == ["links leaf0 - spine0 and leaf0 - spine1 twice as fast"]
    today, faster = hopscope.run(rack), hopscope.run(rack, set=list(offered[0].set))
    assert (today.outcome, faster.outcome) == (Outcome.SATURATED, "complete")


def test_a_shuffled_job_on_few_links_up_is_oversubscribed_and_better_placed_in_order():
    tree = {"fat-tree": {"tiers": 2, "radix": 4, "hosts_per_edge": 8}}
    ring = {"all-reduce": {"size": "2 MiB", "algorithm": "ring"}}
    group = {"name": "job", "hosts": "shuffled", "pattern": ring, "rounds": 2}
    spray = {"balancing": "round-robin-spray"}
    why = hopscope.explain({**JOB, "network": tree, "frames": spray, "flows": [group]})
    assert why.cause == Cause.OVERLOAD, why.sentence
    first = _trials(why)[0]
    assert first.set == ('flows[0].hosts="all"',)
    assert first.is_sure


def test_links_of_hosts_that_are_all_used_alike_are_no_bottleneck():
    flows = [{"pattern": {"all-reduce": {"size": "4 MiB", "algorithm": "ring"}}, "rounds": 2}]
    frames = {"balancing": "round-robin-spray", "forwarding": "cut-through"}
    why = hopscope.explain({**JOB, "network": TREE, "frames": frames, "flows": flows}, confirm=False)
    assert why.cause == Cause.HEALTHY, why.sentence


def test_a_failure_is_named_although_messages_hardly_wait():
    link = {"link": ["leaf3", "spine1"]}
    faults = [{"at": "300 us", **link, "goes": "down"}, {"at": "800 us", **link, "goes": "up"}]
    again = {"recovery": {"timeout": "100 us", "reordering": 1_000}, "reroute": "400 us"}
    frames = {"balancing": "round-robin-spray", **again}
    flows = [{"pattern": RING, "rounds": 12}]
    why = hopscope.explain({**JOB, "network": TREE, "frames": frames, "faults": faults, "flows": flows})
    assert why.cause == Cause.INTERRUPTION, why.sentence
    assert set(why.nodes) == {"leaf3", "spine1"}
    assert "failed at 300 us and came back at 800 us" in why.sentence
    first = _trials(why)[0]
    # The mean over rounds hides it: one of them is hit.
    assert first.is_sure
    assert first.goal == "time of the longest round"
    # That of one pair of runs has no interval.
    assert first.told.endswith("less time of the longest round (1 run)")

    down = {"faults": [{"at": "1 ns", "link": ["leaf4", "spine0"], "goes": "down"}]}
    tornado = {"permutation": {"size": "1 MB", "to": "bit-complement"}}
    lossless = {"balancing": "adaptive", "reroute": "1 us"}
    flows = [{"pattern": tornado, "rounds": 2}]
    why = hopscope.explain({**JOB, "network": TREE, "frames": lossless, **down, "flows": flows})
    assert why.cause == Cause.INTERRUPTION, why.sentence
    assert "failed at 1 ns and stayed down. 1 packet was lost." in why.sentence
    assert _trials(why)[0].is_sure


def test_a_slow_cable_is_in_the_sentence_also_where_it_limits_nothing():
    slow = {
        **FABRIC,
        "network": _leaf_spine((), l1_s2="60 Gbit/s"),
        "frames": {"balancing": "flow-hash"},
        "traffic": {"load": 0.05, "sizes": {"fixed": "4 KiB"}},
        "measure": {"messages": 2_000},
    }
    why = hopscope.explain(slow)
    assert "60 Gbit/s, where most have 100 Gbit/s." in why.sentence


def _of_file(folder: Path, *, without: str = "", lacking: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    """Six leaves with six hosts and a cable to each of four spines but these, in a file with ports."""
    leaves, spines = [f"leaf{leaf}" for leaf in range(6)], [f"spine{spine}" for spine in range(4)]
    rows = ["from,to,from_port,to_port,rate,kind"]
    for at, leaf in enumerate(leaves):
        rows += [f"n{at}{host},{leaf},,{1 + host},100 Gbit/s,host" for host in range(6)]
        rows += [
            f"{leaf},{spine},{7 + port},{1 + at},100 Gbit/s,trunk"
            for port, spine in enumerate(spines)
            if spine != without and (leaf, spine) not in lacking
        ]
    (folder / "fabric.csv").write_text("\n".join(rows) + "\n")
    return {
        "model": "fabric",
        "network": {"file": {"path": str(folder / "fabric.csv")}},
        "frames": {"flow_control": {"credits": {"lanes": 1}}},
        "traffic": {"load": 0.8, "sizes": {"fixed": "4 KiB"}},
        "routing": {"rule": "by-family"},
        "measure": {"messages": 3000},
    }


def test_a_spine_that_is_missing_is_the_cause_and_is_put_in_its_place(tmp_path: Path):
    why = hopscope.explain(_of_file(tmp_path, without="spine1"), allow_files=True)
    told = "Cabling: port 8 of every leaf is empty beside ports with cables up: one of the spines is probably"
    assert told in why.sentence
    first = _trials(why)[0]
    assert (first.what, first.set) == ("the missing switch in place", PLACED)


def test_cables_that_are_missing_are_offered_once(tmp_path: Path):
    lacking = (("leaf2", "spine1"), ("leaf2", "spine2"), ("leaf2", "spine3"))
    why = hopscope.explain(_of_file(tmp_path, lacking=lacking), allow_files=True)
    plugged = [each.set for each in _trials(why) if each.set == MENDED or "added_links" in each.set[0]]
    assert plugged == [MENDED]
