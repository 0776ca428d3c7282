"""What holds one class of messages back, though all together hardly wait; and thresholds in frames."""

from typing import Any

import pytest

import hopscope
from small_fabrics import fabric

LEAVES = {"fat-tree": {"tiers": 2, "radix": 4}}


def star(hosts: int) -> dict[str, Any]:
    """One switch."""
    return {"star": {"arms": 0, "hosts_at_hub": hosts}}


def group(name: str, pattern: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A group of flows that goes on as long as the run."""
    return {"name": name, "pattern": pattern, "rounds": 0, **more}


def incast(size: str, **more: Any) -> dict[str, Any]:
    """Hosts that send to h0."""
    return {"incast": {"senders": 4, "size": size, "receiver": "h0", **more}}


TWO = {"pfc": {"priorities": 2}}
# Each with what waits, behind what, how, and a change that ends it.
WAITING: dict[str, tuple[dict[str, Any], tuple[str, str, str, str]]] = {
    "strict priority": (
        fabric(
            LEAVES,
            frames={
                "balancing": "spray",
                "scheduling": "strict",
                "buffer": {"size": "64 MB", "alpha": 0.5},
                "flow_control": TWO,
            },
            flows=[
                group("bulk", {"permutation": {"size": "1 MB", "to": "tornado"}}),
                group("control", {"all-reduce": {"size": "64 KiB", "algorithm": "ring"}}),
            ],
            measure={"messages": 800},
        ),
        ("control", "bulk", "Strict priority: ", "frames.scheduling="),
    ),
    "weights": (
        fabric(
            star(9),
            frames={
                "scheduling": {"weighted": [1, 50]},
                "buffer": {"size": "64 MB", "alpha": 0.5},
                "flow_control": TWO,
            },
            flows=[
                group("training", incast("64 KiB"), pause="2 us"),
                group("backup", incast("4 MB")),
            ],
            measure={"messages": 600},
        ),
        ("training", "backup", "Weights: ", "frames.scheduling="),
    ),
    "one lane behind a full link": (
        fabric(
            {"fat-tree": {"tiers": 2, "radix": 8}},
            frames={"balancing": "spray"},
            flows=[
                group("backup", {"incast": {"senders": 16, "size": "256 KiB", "receiver": "h0"}}),
                group("rpc", {"permutation": {"size": "64 KiB"}}),
            ],
            measure={"messages": 1500},
        ),
        ("rpc", "backup", "Shared priority: ", "frames.flow_control.pfc.priorities=2"),
    ),
    "one lane": (
        fabric(
            LEAVES,
            frames={"balancing": "spray"},
            flows=[
                group("elephants", {"permutation": {"size": "4 MB"}}),
                group("mice", {"poisson": {"load": 0.02, "sizes": {"fixed": "2 KB"}}}, rounds=1),
            ],
            measure={"messages": 2000},
        ),
        ("mice", "elephants", "Shared priority: ", "frames.flow_control.pfc.priorities=2"),
    ),
}


@pytest.mark.parametrize("name", WAITING)
def test_a_class_that_waits_behind_another_is_named_and_relieved(name: str):
    given, (waits, behind, begins, change) = WAITING[name]
    found = hopscope.explain(given)
    verdict = found.data["verdict"]
    assert verdict["sentence"].startswith(begins), verdict["sentence"]
    assert (verdict["cause"], verdict["class"], verdict["behind"]) == ("lanes", waits, behind)
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    assert first.is_sure, first.words()
    assert first.of_class == waits, first.words()
    assert first.set[0].startswith(change), first.words()
    assert f"of {waits}" in first.words()
    assert f"of {behind}" in first.words()


def test_a_class_with_a_lane_of_its_own_that_takes_its_turn_keeps_nobody_waiting():
    """As above, but the priorities take turns: mice hardly wait."""
    given, _ = WAITING["one lane"]
    found = hopscope.run(given | {"frames": {"balancing": "spray", "flow_control": TWO}}).explain()
    assert found.cause == "healthy", found.sentence


def test_marks_at_a_queue_of_less_than_a_frame_are_told_and_higher_thresholds_tried():
    given = fabric(
        LEAVES,
        frames={
            "balancing": "spray",
            "buffer": {"size": "32 MB", "alpha": 0.1},
            "ecn": {"kmin": "1 KB", "kmax": "4 KB", "pmax": 1.0},
            "dcqcn": {},
        },
        flows=[{"name": "job", "pattern": {"permutation": {"size": "2 MB"}}, "rounds": 2}],
        measure={"messages": 100_000, "warmup": "none"},
    )
    found = hopscope.explain(given)
    assert "the rates of DCQCN" in found.sentence
    assert "senders alike" in found.sentence
    assert "ECN marks every frame that leaves more than 4 KB behind" in found.sentence
    assert found.confirmation is not None
    thresholds = [each for each in found.confirmation.trials if each.set[0].startswith("frames.ecn.kmin")]
    assert thresholds, [each.words() for each in found.confirmation.trials]
    assert thresholds[0].is_sure, thresholds[0].words()


def long_cable(xoff: str) -> dict[str, Any]:
    """Two switches 4 km apart, whose trunk has 1 MB under way."""
    hosts = [{"name": name, "at": at} for name, at in (("h1", "a"), ("h2", "a"), ("h3", "b"), ("h4", "b"))]
    trunk = {"between": ["a", "b"], "rate": "200 Gbit/s", "delay": "20 us"}
    pairs = [{"from": "h1", "to": "h3", "weight": 1}, {"from": "h2", "to": "h4", "weight": 1}]
    return fabric(
        {"custom": {"switches": ["a", "b"], "hosts": hosts, "links": [trunk]}},
        frames={"flow_control": {"pfc": {"xoff": xoff}}, "buffer": {"size": "64 MB"}},
        traffic={"load": 0.8, "sizes": {"fixed": "32 KiB"}, "pattern": {"matrix": {"pairs": pairs}}},
        measure={"messages": 4_000},
    )


def test_a_pause_threshold_below_what_is_under_way_on_the_cable_is_named_and_one_that_fits_tried():
    found = hopscope.explain(long_cable("10 KB"))
    assert (found.cause, sorted(found.nodes)) == ("window", ["a", "b"]), found.sentence
    assert found.sentence.startswith("Pause threshold: the link a:0 -> b:0 is paused"), found.sentence
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    assert first.is_sure, first.words()
    assert first.goal == "latency", first.words()
    assert not hopscope.run(long_cable("100 KB")).explain().sentence.startswith("Pause threshold")


def test_switches_that_store_frames_are_named_where_cut_through_surely_shortens_a_job():
    given = fabric(
        {"fat-tree": {"tiers": 3, "radix": 4}},
        link={"rate": "10 Gbit/s", "delay": "100 ns"},
        frames={"balancing": "round-robin-spray"},
        flows=[
            {
                "name": "job",
                "pattern": {"all-reduce": {"size": "64 KiB", "algorithm": "halving-doubling"}},
                "rounds": 10,
            }
        ],
        measure={"messages": 100_000, "warmup": "none"},
    )
    found = hopscope.explain(given)
    assert found.cause == "slow service", found.sentence
    assert found.sentence.startswith("Store and forward: ")
    assert found.confirmation is not None
    assert found.confirmation.trials[0].is_sure, found.confirmation.trials[0].words()


def test_an_arbiter_chooses_among_the_heads_of_input_lanes_where_there_are_credits():
    """Four hosts that always send to one: with the lowest port first the others starve."""

    def carried(arbiter: str) -> list[float]:
        flows = [{"from": f"h{n}", "to": "h0", "class": f"c{n}"} for n in range(1, 5)]
        run = hopscope.run(
            fabric(
                star(5),
                frames={
                    "arbiter": arbiter,
                    "flow_control": {"credits": {"lanes": 1, "buffer_per_lane": "16 KiB"}},
                },
                traffic={"load": "saturated", "sizes": {"fixed": "16 KiB"}, "pattern": {"flows": flows}},
                measure={"messages": 2_000},
            )
        )
        rates = [run.summary.find(f"throughput[c{n}].rate") for n in range(1, 5)]
        return [0.0 if rate is None else rate.value for rate in rates]

    fair, lowest = carried("round-robin"), carried("lowest")
    assert max(fair) < 1.1 * min(fair), fair
    assert max(lowest) > 10 * sorted(lowest)[1], lowest
