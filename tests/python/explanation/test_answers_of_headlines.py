"""What the headline of an explanation says, after its causes were tried."""

from dataclasses import replace
from typing import Any

import pytest

import hopscope
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.trying.ranking import ranked
from hopscope.results.candidate import Candidate
from hopscope.results.trial import Trial
from small_fabrics import fabric

LEAVES = {"fat-tree": {"tiers": 2, "radix": 8}}
POISSON = {"poisson": {"load": 0.02, "sizes": {"fixed": "8 KiB"}}}


def trial(
    cause: Cause, low: float, value: float, high: float, nodes: tuple[str, ...] = (), **more: Any
) -> Trial:
    """A change of mean latency that was tried for a cause, and what it took off."""
    classes = {key: more.pop(key) for key in ("of_class", "behind") if key in more}
    candidate = Candidate(cause, "It is so.", nodes, weight=0.5, **classes)
    made = (f"{cause.value} {value}",)
    return Trial(candidate, "a change", made, Goal.LATENCY, Estimate(value, low, high, "fraction", 1), **more)


def first_of(*trials: Trial) -> Cause:
    """The cause that is named of those tried, of which the run points to the first."""
    return ranked(trials)[0].candidate.cause


def test_what_the_run_names_keeps_its_place_where_nothing_surely_gains():
    named, other = trial(Cause.RESOURCE, -0.2, -0.005, 0.2), trial(Cause.WINDOW, -0.2, 0.02, 0.2)
    assert first_of(named, other) is Cause.RESOURCE
    # What loses, or surely gains nothing, does not.
    assert first_of(trial(Cause.RESOURCE, -0.4, -0.3, 0.02), other) is Cause.WINDOW
    assert first_of(trial(Cause.RESOURCE, -0.01, 0.0, 0.005), other) is Cause.WINDOW


def test_what_surely_gains_more_than_the_named_cause_could_is_named():
    collisions = trial(Cause.PATH_COLLISION, -0.2, 0.2, 0.45, ("a", "b"))
    blocking = replace(trial(Cause.BLOCKING, 0.4, 0.55, 0.65).candidate, weight=0.4)
    sure = trial(Cause.BLOCKING, 0.4, 0.55, 0.65)
    assert first_of(collisions, Trial(blocking, sure.what, sure.set, sure.goal, sure.gain)) is Cause.BLOCKING
    # It is sure, and more than the named cause likely gains: nobody names what may gain nothing before it.
    likely = trial(Cause.BLOCKING, 0.2, 0.3, 0.4)
    assert first_of(collisions, Trial(blocking, likely.what, likely.set, likely.goal, likely.gain)) is (
        Cause.BLOCKING
    )
    less = trial(Cause.BLOCKING, 0.02, 0.1, 0.15)
    assert first_of(collisions, Trial(blocking, less.what, less.set, less.goal, less.gain)) is (
        Cause.PATH_COLLISION
    )


@pytest.mark.parametrize("behind", ["bulk", "other"])
def test_a_lane_of_its_own_tells_nothing_of_marks_that_come_too_late(behind: str):
    """It is named only where it parts classes of another queue."""
    late = trial(Cause.RATE_CONTROL, 0.4, 0.6, 0.7, of_class="rpc", behind="bulk")
    lane = trial(Cause.LANES, 0.9, 0.95, 0.99, of_class="rpc", behind=behind)
    assert (first_of(late, lane) is Cause.RATE_CONTROL) == (behind == "bulk")


def test_the_links_of_a_root_and_what_waits_behind_them_are_full_because_of_the_routes():
    root = trial(Cause.ROUTE_CONCENTRATION, -0.02, 0.02, 0.07, ("s0",))
    link = trial(Cause.RESOURCE, 0.01, 0.07, 0.13, ("s0", "s7"), ends_queues=True)
    behind = trial(Cause.BLOCKING, 0.02, 0.04, 0.06, ("s3",), ends_queues=True)
    assert first_of(root, link, behind) is Cause.ROUTE_CONCENTRATION
    elsewhere = trial(Cause.RESOURCE, 0.01, 0.07, 0.13, ("s4", "s5"), ends_queues=True)
    assert first_of(root, elsewhere) is Cause.RESOURCE
    more = trial(Cause.RESOURCE, 0.3, 0.4, 0.5, ("s0", "s7"), ends_queues=True)
    assert first_of(root, more) is Cause.RESOURCE


def test_an_order_of_service_is_judged_by_the_slowest():
    """Hosts of a line of switches send to the last one: by any order all together wait as long."""
    given = fabric(
        {"line": {"switches": 6, "hosts_per_switch": 3}},
        frames={
            "mtu": "2 KiB",
            "flow_control": {"credits": {"lanes": 1, "buffer_per_lane": "32 KiB"}},
            "arbiter": "lowest",
        },
        traffic={
            "load": 0.058,
            "sizes": {"fixed": "8 KiB"},
            "pattern": {"flows": [{"from": f"h{at}", "to": f"h{15 + at % 3}"} for at in range(15)]},
        },
        measure={"messages": 12_000},
    )
    found = hopscope.explain(given)
    assert found.sentence.startswith("Fixed order: "), found.sentence
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    assert (first.set, first.is_sure) == (('frames.arbiter="oldest"',), True)
    assert first.goal == "latency at the 99th percentile"


def test_pauses_while_the_buffer_is_free_are_those_of_a_low_threshold():
    found = {}
    incast = {"incast": {"senders": 10, "size": "64 KiB"}}
    background = {"poisson": {"load": 0.2, "sizes": {"fixed": "16 KiB"}}}
    for alpha in (0.002, 1.0):
        given = fabric(
            LEAVES,
            frames={"balancing": "round-robin-spray", "buffer": {"size": "12 MB", "alpha": alpha}},
            flows=[
                {"name": "a", "pattern": incast, "every": "80 us", "rounds": 0},
                {"name": "bg", "pattern": background},
            ],
            measure={"messages": 4_000},
        )
        found[alpha] = hopscope.explain(given)
    low = found[0.002]
    assert low.sentence.startswith("Pause threshold: "), low.sentence
    assert "`frames.buffer.alpha`" in low.sentence
    assert low.confirmation is not None
    assert low.confirmation.trials[0].set == ("frames.buffer.alpha=1.0",)
    assert not found[1.0].sentence.startswith("Pause threshold: ")


def jobs(start: str) -> dict[str, Any]:
    """Two jobs that send to h3 by the same clock."""
    incast = {"incast": {"senders": 12, "size": "64 KiB", "receiver": "h3"}}
    each = {"pattern": incast, "every": "400 us", "rounds": 10}
    return fabric(
        LEAVES,
        frames={"balancing": "round-robin-spray"},
        flows=[{"name": "jobA", **each}, {"name": "jobB", "start": start, **each}],
        measure={"messages": 100_000, "warmup": "none"},
    )


def test_rounds_that_start_at_the_same_instants_are_told_with_the_shift_that_parts_them():
    found = hopscope.explain(jobs("0 us"))
    assert found.sentence.startswith(
        "In phase: rounds of `jobA` and `jobB` start at the same instants, every 400 us."
    )
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    assert (first.set, first.is_sure) == (('flows[1].start="200 us"',), True)
    assert not hopscope.explain(jobs("200 us")).sentence.startswith("In phase")


def test_a_class_behind_rare_bursts_of_another_one_is_named_with_the_lane_that_spares_it():
    dump = {"incast": {"senders": 24, "size": "256 KiB", "receiver": "h0"}}
    given = fabric(
        LEAVES,
        frames={"balancing": "round-robin-spray", "flow_control": {"pfc": {"priorities": 1}}},
        flows=[
            {"name": "dump", "pattern": dump, "every": "20 ms", "rounds": 0},
            {"name": "rpc", "pattern": POISSON},
        ],
        measure={"messages": 40_000},
    )
    found = hopscope.explain(given)
    assert found.cause == Cause.LANES
    assert found.sentence.startswith("Shared priority: `rpc` shares its priority with others"), found.sentence


def test_what_waits_behind_others_on_routes_by_a_root_waits_because_of_these_routes():
    given = fabric(
        {"random": {"switches": 16, "degree": 4, "hosts_per_switch": 2, "regular": False, "seed": 5}},
        frames={"flow_control": {"credits": {"lanes": 1, "buffer_per_lane": "32 KiB"}}},
        traffic={"load": 0.2, "sizes": {"fixed": "8 KiB"}},
        measure={"messages": 12_000},
    )
    given["routing"] = {"rule": "up-down", "root": "s15"}
    found = hopscope.explain(given)
    assert (found.cause, found.nodes) == (Cause.ROUTE_CONCENTRATION, ["s15"])
    assert found.confirmation is not None
    assert found.confirmation.trials[0].is_sure


@pytest.mark.parametrize(("mtu", "is_named"), [("4 KiB", True), ("512 B", False)])
def test_switches_that_store_frames_are_named_where_that_takes_much_of_a_round(mtu: str, is_named: bool):
    given = fabric(
        {"fat-tree": {"tiers": 3, "radix": 4}},
        frames={"balancing": "round-robin-spray", "mtu": mtu},
        flows=[
            {
                "pattern": {"all-reduce": {"size": "64 KiB", "algorithm": "halving-doubling"}},
                "rounds": 10,
            }
        ],
        measure={"messages": 1_000_000, "warmup": "none"},
    )
    given["link"]["rate"] = "10 Gbit/s"
    found = hopscope.explain(given)
    assert found.sentence.startswith("Store and forward: ") == is_named, found.sentence
    assert (found.cause == Cause.SLOW_SERVICE) == is_named
