"""What fills links in vain, is never served or waits for a default value: causes with their remedies."""

from typing import Any

import pytest

import hopscope
from small_fabrics import fabric

LEAVES = {"fat-tree": {"tiers": 2, "radix": 8}}
NARROW_LEAVES = {"fat-tree": {"tiers": 2, "radix": 8, "hosts_per_edge": 8}}
FAMILY = {"rule": "by-family"}
CREDITS = {"credits": {"lanes": 1, "buffer_per_lane": "32 KiB"}}


def star(hosts: int) -> dict[str, Any]:
    """One switch."""
    return {"star": {"arms": 0, "hosts_at_hub": hosts}}


def to_h0(senders: int, classes: list[str]) -> list[dict[str, str]]:
    """Hosts that send to h0, those behind each class the last ones."""
    return [
        {"from": f"h{at}", "to": "h0", "class": classes[min(at - 1, len(classes) - 1)]}
        for at in range(1, senders + 1)
    ]


# Each with its cause, words of its sentence and what the first remedy sets.
CASES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "hosts that a fixed order starves": (
        fabric(
            star(5),
            frames={"arbiter": "lowest", "flow_control": CREDITS},
            traffic={
                "load": "saturated",
                "sizes": {"fixed": "4 KiB"},
                "pattern": {"flows": to_h0(4, ["all of them"])},
            },
            measure={"messages": 4000},
        ),
        "resource",
        "Starvation: ",
        "frames.arbiter=",
    ),
    "a class that a fixed order serves last": (
        fabric(
            star(8),
            frames={"arbiter": "lowest", "flow_control": CREDITS},
            traffic={
                "load": 0.13,
                "sizes": {"fixed": "4 KiB"},
                "pattern": {"flows": to_h0(7, [*6 * ["others"], "last"])},
            },
            measure={"messages": 20_000},
        ),
        "resource",
        "Fixed order: `last` waits ",
        "frames.arbiter=",
    ),
    "timeouts that fill a link with duplicates": (
        fabric(
            LEAVES,
            routing=FAMILY,
            frames={
                "balancing": "round-robin-spray",
                "flow_control": {"tail-drop": {}},
                "recovery": {"timeout": "10 us", "reordering": 1000},
            },
            flows=[
                {
                    "pattern": {"incast": {"senders": 16, "size": "64 KiB", "receiver": "h0"}},
                    "rounds": 0,
                    "pause": "10 us",
                }
            ],
            measure={"messages": 1200, "warmup": "none"},
        ),
        "loss",
        "It fills the link leaf0:4 -> h0",
        "frames.recovery.timeout=",
    ),
    "a first class behind long frames": (
        fabric(
            {"line": {"switches": 2, "hosts_per_switch": 3}},
            link={"rate": "10 Gbit/s", "delay": "200 ns"},
            frames={
                "mtu": "64 KiB",
                "scheduling": "strict",
                "buffer": {"size": "64 MB"},
                "flow_control": {"pfc": {"priorities": 2, "xoff": "1 MB"}},
            },
            flows=[
                {
                    "name": "voice",
                    "hosts": {"named": ["h0", "h3"]},
                    "pattern": {"poisson": {"load": 0.02, "sizes": {"fixed": "512 B"}}},
                },
                {
                    "name": "bulk",
                    "hosts": {"named": ["h1", "h2", "h4", "h5"]},
                    "pattern": {"poisson": {"load": 0.35, "sizes": {"fixed": "1 MiB"}}},
                },
            ],
            measure={"messages": 10_000},
        ),
        "slow service",
        "Long frames: `voice` goes first, and yet waits ",
        "frames.mtu=",
    ),
    "rounds that pile up": (
        fabric(
            LEAVES,
            routing=FAMILY,
            frames={"balancing": "round-robin-spray"},
            flows=[
                {
                    "hosts": {"first": 8},
                    "pattern": {"all-to-all": {"size": "64 KiB"}},
                    "every": "30 us",
                    "rounds": 20,
                }
            ],
            measure={"messages": 100_000, "warmup": "none"},
        ),
        "overload",
        "Overload: rounds of `all-to-all` start every 30 us",
        "flows[0].every=",
    ),
    "a job on a tree of two to one": (
        fabric(
            NARROW_LEAVES,
            routing=FAMILY,
            frames={"balancing": "round-robin-spray"},
            flows=[{"pattern": {"all-to-all": {"size": "64 KiB"}}, "rounds": 1}],
            measure={"messages": 100_000, "warmup": "none"},
        ),
        "overload",
        "Oversubscription: links between switches are ",
        "upgrade.switch_links=",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_behind_it_is_named_and_relieved(name: str):
    given, cause, words, sets = CASES[name]
    found = hopscope.explain(given)
    assert found.cause == cause, found.sentence
    assert words in found.sentence
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    assert first.set[0].startswith(sets), found.confirmation.trials
    assert first.is_sure, first.told


def test_marks_that_come_too_late_are_tried_earlier_beside_one_more_priority():
    def found(kmin: str) -> list[str]:
        why = hopscope.explain(
            fabric(
                star(5),
                link={"rate": "10 Gbit/s", "delay": "1 us"},
                frames={
                    "mtu": "1500 B",
                    "flow_control": {"tail-drop": {}},
                    "ecn": {"kmin": kmin, "kmax": kmin, "pmax": 1},
                    "rate_control": {"dctcp": {}},
                    "recovery": {"timeout": "20 ms"},
                },
                flows=[
                    {
                        "name": "bulk",
                        "pattern": {
                            "list": {
                                "flows": [
                                    {"from": "h1", "to": "h0", "size": "20 MB"},
                                    {"from": "h2", "to": "h0", "size": "20 MB"},
                                ]
                            }
                        },
                        "rounds": 0,
                    },
                    {
                        "name": "rpc",
                        "pattern": {"list": {"flows": [{"from": "h3", "to": "h0", "size": "2 KB"}]}},
                        "rounds": 0,
                        "pause": "20 us",
                    },
                ],
                measure={"messages": 600, "warmup": "none"},
            )
        )
        assert why.confirmation is not None
        return [override for trial in why.confirmation.trials for override in trial.set]

    assert any(each.startswith("frames.ecn.kmin=") for each in found("2 MB"))


def test_switches_that_store_frames_are_named_where_random_traffic_is_received_again_for_most_of_its_time():
    given = fabric(
        {"line": {"switches": 6, "hosts_per_switch": 1}},
        link={"rate": "10 Gbit/s", "delay": "50 ns"},
        frames={"latency": "300 ns", "mtu": "8 KiB"},
        traffic={
            "load": 0.1,
            "sizes": {"fixed": "8 KiB"},
            "pattern": {"flows": [{"from": "h0", "to": "h5"}]},
        },
        measure={"messages": 5000},
    )
    found = hopscope.explain(given)
    assert found.cause == "slow service", found.sentence
    assert found.sentence.startswith("Store and forward: ")
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    assert (first.set, first.is_sure) == (('frames.forwarding="cut-through"',), True)


def test_a_job_that_waits_for_nothing_tells_what_its_steps_take():
    ring = {"pattern": {"all-reduce": {"size": "64 KiB", "algorithm": "ring"}}, "rounds": 5}
    given = fabric(
        {"line": {"switches": 4, "hosts_per_switch": 1}},
        link={"rate": "100 Gbit/s", "delay": "10 us"},
        frames={"flow_control": {"pfc": {"xoff": "1 MB"}}, "buffer": {"size": "64 MB"}},
        flows=[ring],
        measure={"messages": 10_000, "warmup": "none"},
    )
    found = hopscope.run(given).explain()
    assert found.cause == "healthy"
    assert "Its job is bound by latency: of each step " in found.sentence
