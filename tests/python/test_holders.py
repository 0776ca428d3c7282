"""The explanation of a slow subnet follows from the ledger and the resources, and from nothing else."""

import hopscope
from hopscope.results.holders import explained
from hopscope.results.summary import Summary


def stage(name: str, ms: float, resource: str) -> dict:
    estimate = {"value": 1000 * ms, "low": 1000 * ms, "high": 1000 * ms, "n": 9}
    return {
        "stage": name,
        "kind": "wait",
        "resource": resource,
        "class": "all",
        "unit": "us",
        "estimate": estimate,
        "share": 0.1,
    }


def pool(name: str, place: str, waiting: float, **held: float) -> dict:
    return {
        "name": name,
        "kind": "table",
        "place": place,
        "capacity": 6.0,
        "unit": "entries",
        "occupancy": sum(held.values()),
        "peak": 6.0,
        "waiting": waiting,
        "held_in": [
            {"stage": stage.replace("_", " "), "occupancy": amount} for stage, amount in held.items()
        ],
    }


def summary(ledger: list[dict], resources: list[dict], throughput: float) -> Summary:
    estimate = {"value": throughput, "low": throughput, "high": throughput, "n": 9}
    metric = {
        "name": "throughput",
        "class": "all",
        "statistic": "rate",
        "unit": "kbit/s",
        "estimate": estimate,
    }
    return Summary({"outcome": "complete", "metrics": [metric], "ledger": ledger, "resources": resources})


PHASING = summary(
    [
        stage("leader table wait", 200, "pending leader table"),
        stage("piggy-back wait", 300, "reassembly buffers"),
        stage("line wait", 100, "line"),
    ],
    [
        pool("pending leader table", "S", 0.5, reply_that_waits=4.0, message_in_transit=2.0),
        pool("pending leader table", "T", 0.0, reply_that_waits=0.1),
        pool("reassembly buffers", "D", 0.9, message_being_taken_in=5.0),
    ],
    14.0,
)


def test_the_chain_goes_from_waiter_to_holder_to_what_the_holder_waits_for():
    lines = explained(PHASING)
    assert lines == [
        "Before it entered the net, a message waited longest for the pending leader table: "
        "200 ms on average.",
        "The pending leader table at S: on average 6.0 of 6 are held (at most 6), 4.0 by replies that wait, "
        "2.0 by messages in transit; on average 0.50 wait for more.",
        "A reply that waits spends 300 ms in piggy-back wait.",
        "A message in transit spends 100 ms in line wait.",
        "The reassembly buffers at D: on average 5.0 of 6 are held (at most 6), 5.0 by messages "
        "being taken in; on average 0.90 wait for more.",
        "A message being taken in spends 200 ms in leader table wait.",
        "So some who hold the reassembly buffers wait for the pending leader table themselves: "
        "the circle is closed.",
    ]


def test_what_is_longer_than_elsewhere_comes_first():
    other = summary([stage("leader table wait", 20, "pending leader table")], [], 27.0)
    assert explained(PHASING, other)[:2] == [
        "14.0 kbit/s, where 27.0 are carried otherwise.",
        "A message spends 300 ms more in piggy-back wait, 180 ms more in leader table wait, "
        "100 ms more in line wait.",
    ]


def test_a_sender_that_never_waits_is_told_so():
    idle = summary([stage("message number wait", 0.2, "message numbers")], [], 39.0)
    assert explained(idle) == ["The sending host hardly waited for the net: no resource held it back."]


def test_a_run_without_delays_has_nothing_to_explain():
    assert "no delays to explain" in explained(summary([], [], 0.0))[0]


def test_the_row_of_imps_phases_before_the_fix():
    values = {"protocol.version": "3", "protocol.message_numbers": 8, "duration": "30 s"}
    text = " ".join(explained(hopscope.run("arpanet-row", set=values).summary))
    assert "waited longest for the pending leader table" in text
    assert "by replies that wait" in text
    assert "the circle is closed" in text
