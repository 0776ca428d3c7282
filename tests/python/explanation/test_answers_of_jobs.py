"""A job that alone waits beside a crowd of small messages: causes and changes are judged by its rounds."""

from dataclasses import replace
from typing import Any

import hopscope
from hopscope.cause import Cause
from hopscope.goal import Goal
from hopscope.ids import ResourceId
from hopscope.planning.trying.by_trying import in_its_stead
from hopscope.planning.trying.class_relief import gained_if_hidden
from hopscope.planning.trying.ranking import ranked
from hopscope.planning.trying.relief import gained
from hopscope.results.trial import Confirmation, Trial
from made_trials import made_trial
from small_fabrics import fabric

SPINES, LEAVES = ["s0", "s1"], ["l0", "l1", "l2", "l3"]
HOSTS = [f"h{leaf[1]}{number}" for leaf in LEAVES for number in range(4)]


def leaf_spine(**delays: str) -> dict[str, Any]:
    """Four leaves with four hosts and a link to each of two spines, of which some take longer."""
    ends = [(leaf, spine) for leaf in LEAVES for spine in SPINES]
    links = [
        {"between": list(pair), **({"delay": delays["_".join(pair)]} if "_".join(pair) in delays else {})}
        for pair in ends
    ]
    hosts = [{"name": host, "at": f"l{host[1]}"} for host in HOSTS]
    return {"custom": {"switches": [*SPINES, *LEAVES], "links": links, "hosts": hosts}}


def crowd(load: float) -> dict[str, Any]:
    """Small messages between hosts of the last two leaves."""
    hosts = [host for host in HOSTS if host[1] in "23"]
    pattern = {"poisson": {"load": load, "sizes": {"fixed": "4 KiB"}}}
    return {"name": "crowd", "hosts": {"named": hosts}, "pattern": pattern}


def beside_crowd(
    job: dict[str, Any], network: dict[str, Any], load: float = 0.1, **frames: Any
) -> dict[str, Any]:
    """A job that goes on as long as the run, with the crowd."""
    flows = [{"name": "job", "rounds": 0, **job}, crowd(load)]
    return fabric(network, frames=frames, flows=flows, measure={"messages": 15_000, "warmup": "none"})


RING = {
    "hosts": {"named": ["h00", "h01", "h10", "h11"]},
    "pattern": {"all-reduce": {"size": "1 MiB"}},
}


def copies(size: str) -> dict[str, Any]:
    """Two hosts of one leaf that each copy to a host of another."""
    flows = [{"from": f"h0{number}", "to": f"h1{number}", "size": size} for number in range(2)]
    return {"pattern": {"list": {"flows": flows}}}


COPIES = copies("1 MB")


def trials_of(given: dict[str, Any]) -> tuple[hopscope.Explanation, tuple[Trial, ...]]:
    why = hopscope.explain(given)
    assert why.confirmation is not None, why.sentence
    return why, why.confirmation.trials


def test_a_bad_cable_of_a_job_is_named_by_the_rounds_of_that_job():
    retrying = [{"between": ["h01", "l0"], "failing": 0.75}]
    why, trials = trials_of(beside_crowd(RING, leaf_spine(), retrying_links=retrying))
    first = trials[0]
    assert first.set == ("frames.retrying_links=[]",), why.sentence
    assert (first.goal, first.of_class, first.is_sure) == (Goal.ROUND, "job", True), first.told
    assert first.gain is not None
    assert first.gain.low > 0.5, first.told
    # The crowd's own times are no measure of what holds the job up.
    assert all((trial.goal, trial.of_class) == (Goal.ROUND, "job") for trial in trials if trial.gain)


def test_copies_that_a_hash_puts_on_one_link_are_named_where_the_network_looks_healthy():
    """Marks slow the copies down, so that no link is busy; and of few messages the run names no class."""
    frames = {"ecn": {}, "dcqcn": {}, "buffer": {"size": "32 MB", "alpha": 0.5}}
    given = beside_crowd(copies("10 MB"), leaf_spine(), 0.03, **frames)
    given["flows"][0]["rounds"] = 4
    assert hopscope.run(given).explain().cause == Cause.HEALTHY
    why, trials = trials_of(given)
    assert why.cause == Cause.PATH_COLLISION, why.sentence
    assert "`job`" in why.sentence
    assert (trials[0].of_class, trials[0].is_sure) == ("job", True), trials[0].told


def test_a_long_cable_of_a_job_is_named_in_a_network_that_looks_healthy():
    why, trials = trials_of(beside_crowd(RING, leaf_spine(l1_s0="60 us")))
    assert why.sentence.startswith("Long link: the cable l1 - s0 takes 60 us"), why.sentence
    assert (trials[0].goal, trials[0].of_class) == (Goal.ROUND, "job"), trials[0].told
    assert "less round time of job" in trials[0].told


def test_copies_at_the_rate_of_their_links_are_healthy_beside_a_crowd():
    why = hopscope.explain(beside_crowd(COPIES, leaf_spine(), 0.03, balancing="round-robin-spray"))
    assert why.cause == Cause.HEALTHY, why.sentence


def test_faster_switches_do_not_stand_for_copies_at_the_rate_of_their_links():
    """Cut-through takes a fifth off the crowd's messages, which wait for nothing."""
    why = hopscope.explain(beside_crowd(COPIES, leaf_spine(), 0.1, balancing="round-robin-spray"))
    assert why.cause != Cause.SLOW_SERVICE, why.sentence
    trials = why.confirmation.trials if why.confirmation else ()
    assert not any("forwarding" in path or "latency" in path for trial in trials for path in trial.set)


def test_cables_that_a_switch_lacks_after_the_named_link_are_offered():
    """All that comes to the last leaf goes over its one cable, so the link before that is as full."""
    spines, leaves = [f"s{spine}" for spine in range(4)], [f"l{leaf}" for leaf in range(5)]
    links = [{"between": [leaf, spine]} for leaf in leaves for spine in spines]
    links = [link for link in links if "l4" not in link["between"] or "s0" in link["between"]]
    hosts = [{"name": f"h{leaf[1]}{number}", "at": leaf} for leaf in leaves for number in range(4)]
    network = {"custom": {"switches": [*spines, *leaves], "links": links, "hosts": hosts}}
    flows = [{"from": f"h0{number}", "to": f"h4{number}", "size": "1 MB"} for number in range(4)]
    job = {"pattern": {"list": {"flows": flows}}}
    why, trials = trials_of(beside_crowd(job, network, balancing="round-robin-spray"))
    assert trials[0].is_lacking, trials[0].told
    assert trials[0].is_sure, trials[0].told
    assert trials[0].what == "3 links l4 - s1, l4 - s2 and l4 - s3 added", why.sentence


def test_a_lane_that_surely_helps_says_who_waits_behind_whom():
    slow = [{"host": "h01", "drain": "20 Gbit/s"}]
    why = hopscope.run(beside_crowd(RING, leaf_spine(), slow_hosts=slow)).explain()
    named = made_trial("path collision", -0.2, 0.0)
    lane = made_trial("lanes", 0.2, 0.3, what="one more priority")
    lane = replace(
        lane,
        set=("frames.flow_control.pfc.priorities=2",),
        candidate=replace(lane.candidate, nodes=(), place=None),
    )
    found = in_its_stead(why, named, lane, ["job", "crowd"])
    assert found is not None
    told = found.candidate.sentence
    assert told.startswith("Shared priority: `job` waits ")
    assert "of its lifetime, and shares its priority with `crowd`. The change that helps: one more" in told
    assert "The change that helps: one more priority. Relief of " in told
    # Sharing of a lane is not reported if only its order changes.
    order = replace(lane, set=('frames.scheduling="round-robin"',))
    other = in_its_stead(why, named, order, ["job", "crowd"])
    assert other is not None
    assert "shares its" not in other.candidate.sentence


def test_flows_that_a_hash_puts_on_a_link_come_before_a_faster_link_that_gains_no_more():
    faster = made_trial("resource", 0.1, 0.3, what="a faster link")
    faster = replace(faster, candidate=replace(faster.candidate, id=ResourceId.LINK))
    spread = made_trial("path collision", 0.15, 0.3, what="spraying")
    assert ranked([faster, spread])[0] is spread
    less = made_trial("path collision", 0.05, 0.15, what="spraying")
    assert ranked([faster, less])[0] is faster


def test_a_sure_relief_that_gains_more_takes_the_headline_of_a_class_whose_relief_may_gain_nothing():
    named = made_trial("resource", -0.05, 0.19, of_class="ping", weight=0.7)
    sure = made_trial("rate control", 0.36, 0.43, at="b", goal=Goal.ROUND, weight=0.0)
    assert ranked([named, sure])[0] is sure
    # What may be as much does not.
    little = made_trial("rate control", 0.1, 0.43, at="b", goal=Goal.ROUND, weight=0.0)
    assert ranked([named, little])[0] is named


def two_jobs(size: str, pause: str) -> dict[str, Any]:
    """A job with a slow host, and one without whose rounds take as long as its data is large."""
    every = {"rounds": 0}
    slow = {"name": "slow", "hosts": {"named": ["h0", "h1"]}, "pattern": RING["pattern"], "pause": pause}
    hosts = {"named": ["h4", "h5", "h6", "h7"]}
    other = {"name": "other", "hosts": hosts, "pattern": {"all-reduce": {"size": size}}}
    return fabric(
        {"star": {"arms": 0, "hosts_at_hub": 8}},
        frames={"slow_hosts": [{"host": "h1", "drain": "20 Gbit/s"}]},
        flows=[slow | every, other | every],
        measure={"messages": 1_000, "warmup": "none"},
    )


def mended(size: str, pause: str) -> Trial:
    _, trials = trials_of(two_jobs(size, pause))
    return next(trial for trial in trials if trial.set == ("frames.slow_hosts=[]",))


def test_the_group_whose_rounds_gain_far_more_is_told():
    found = mended("4 MiB", "100 us")
    assert (found.of_class, found.is_sure) == (None, True), found.told
    assert found.gains_most is not None, found.told
    assert found.gains_most[0] == "slow"
    assert "less round time of slow" in found.told
    told = Confirmation(1, (found,), 100).to_data()
    assert Confirmation.of_data(told).trials[0].told == found.told


def test_what_hardly_gains_over_all_rounds_is_judged_by_those_of_the_job_that_waits():
    given = two_jobs("16 MiB", "10 ms")
    today, after = (hopscope.run(given, set=change) for change in ([], ["frames.slow_hosts=[]"]))
    before, now = (today.scenario, today), (after.scenario, after)
    of_all = gained(before, now, is_saturated=False)
    assert of_all.gain is not None
    assert of_all.gain.value < 0.1
    found = gained_if_hidden("slow", before, now, of_all)
    assert (found.goal, found.of_class) == (Goal.ROUND, "slow")
    assert found.gain is not None
    assert found.gain.low > 0.5
    assert found.other_class == ("all", Goal.ROUND, of_all.gain)
    # Of the other job there is nothing to tell.
    assert gained_if_hidden("other", before, now, of_all) is of_all


def test_a_gain_at_the_99th_percentile_names_its_class_once():
    goal = "latency at the 99th percentile"
    few = made_trial("lanes", 0.7, 0.8, goal=goal, of_class="query", has_interval=False)
    assert few.gained == "75.0 % less latency at the 99th percentile of query (1 run)"
