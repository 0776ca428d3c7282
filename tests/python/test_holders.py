"""The explanation of a slow subnet follows from the ledger, the resources and the counters alone."""

import pytest

import hopscope
from hopscope.results import subnet_words
from hopscope.results.holders import explained
from hopscope.results.summary import Summary
from hopscope.results.trace import Trace


def stage(name: str, ms: float, resource: str) -> dict:
    return {
        "stage": name,
        "kind": "wait",
        "resource": resource,
        "class": "all",
        "unit": "us",
        "estimate": estimate(1000 * ms),
        "share": ms / 1000,
    }


def estimate(value: float) -> dict:
    return {"value": value, "low": value, "high": value, "n": 9}


def pool(name: str, place: str, waiting: float, capacity: float = 6.0, **held: tuple[float, int]) -> dict:
    """`held` is of each phase the mean amount and the amount that came into it."""
    return {
        "name": name,
        "kind": "table",
        "place": place,
        "capacity": capacity,
        "unit": "entries",
        "occupancy": sum(amount for amount, _ in held.values()),
        "peak": 6.0,
        "waiting": waiting,
        "acquisitions": 1,
        "held_in": [
            {"stage": stage.replace("_", " "), "occupancy": amount, "entered": entered}
            for stage, (amount, entered) in held.items()
        ],
    }


def summary(ledger: list[dict], resources: list[dict], throughput: float, **metrics: float) -> Summary:
    values = [("throughput", "rate", "kbit/s", throughput), ("path length", "mean", "hops", 9.0)]
    values += [
        (name.replace("_", " "), "mean" if "wait" in name else "count", "", v) for name, v in metrics.items()
    ]
    rows = [
        {"name": name, "class": "all", "statistic": statistic, "unit": unit, "estimate": estimate(value)}
        for name, statistic, unit, value in values
    ]
    return Summary(
        {
            "outcome": "complete",
            "title": "A row",
            "measured": {"span_s": 100.0, "messages": 9},
            "metrics": rows,
            "ledger": ledger,
            "resources": resources,
        }
    )


PHASING = summary(
    [
        stage("leader table wait", 200, "pending leader table"),
        stage("reply order wait", 50, "reply order"),
        stage("piggy-back wait", 300, "reassembly buffers"),
        stage("line wait", 100, "line"),
    ],
    [
        pool(
            "pending leader table",
            "S",
            0.5,
            message_in_transit=(1.0, 200),
            message_in_reassembly=(1.0, 100),
            reply_that_waits=(3.0, 500),
            REQALL=(1.0, 50),
        ),
        pool("pending leader table", "T", 0.0, reply_that_waits=(0.1, 1)),
        pool("reassembly buffers", "D", 0.9, 34.0, message_being_taken_in=(5.0, 1000)),
    ],
    14.0,
)


def test_the_chain_goes_from_waiter_to_holder_to_what_the_holder_waits_for():
    """The times of holders are those of Little: 3 replies on average, 500 in 100 s, are 600 ms each."""
    assert explained(PHASING) == [
        "A message lives 650 ms. Its largest waits: 300 ms while its reply waited for buffers to announce, "
        "200 ms for an entry of the pending leader table, 100 ms in the queues of lines.",
        "What the sender waited for: 200 ms for an entry of S's pending leader table.",
        "S's pending leader table has six entries; every message under way and every request for buffers "
        "(REQALL) holds one until it is answered. Who held them, on average: replies waiting at the "
        "destination 3.0, messages under way 2.0 and REQALLs 1.0; 0.50 messages and REQALLs waited for more.",
        "What they waited for: replies waiting at the destination (600 ms each) 300 ms for buffers to "
        "announce and 50 ms for their turn behind earlier replies; messages under way (1.5 s each) 100 ms in "
        "the queues of lines; REQALLs (2.0 s each) behind earlier replies at the destination, and "
        "then for buffers there.",
        "D has 34 reassembly buffers; eight are held from when they are announced to the source of a message "
        "until its host has taken it. Who held them, on average: messages being taken in 5.0; 0.90 replies "
        "and REQALLs waited for more.",
        "What they waited for: messages being taken in (500 ms each) for an entry of the pending leader "
        "table.",
        "So each waits for the other: messages that have reassembly buffers of D wait for an entry of S's "
        "pending leader table, and of those who have one, some wait for such buffers. The paper "
        "calls it phasing.",
    ]


def test_both_runs_are_named_and_the_waits_of_the_other_stand_in_brackets():
    other = summary([stage("leader table wait", 20, "pending leader table")], [], 27.0)
    assert explained(PHASING, other, ("February", "October"))[:2] == [
        "February carried 14.0 kbit/s over 9 hops; October carried 27.0 kbit/s over 9 hops.",
        "A message lives 650 ms, in October 20 ms. Its largest waits (in brackets those of October): "
        "300 ms (0 ms) while its reply waited for buffers to announce, "
        "200 ms (20 ms) for an entry of the pending leader table, 100 ms (0 ms) in the queues of lines.",
    ]


def test_runs_without_a_name_go_by_their_titles():
    assert explained(PHASING, PHASING)[0].startswith("A row carried")


def test_a_sender_that_never_waits_is_told_so():
    idle = summary([stage("message number wait", 0.2, "message numbers")], [], 39.0)
    assert explained(idle)[1:] == ["The sending host hardly waited for the net: no resource held it back."]


def test_a_run_without_delays_has_nothing_to_explain():
    assert "no delays to explain" in explained(summary([], [], 0.0))[0]


def test_every_large_wait_of_the_sender_is_followed_and_small_ones_are_not():
    waits = [("allocation wait", 100, "allocation"), ("leader table wait", 30, "pending leader table")]
    pools = [
        pool("reassembly buffers", "D", 0.9, 34.0, message_in_transit=(5.0, 9)),
        pool("pending leader table", "S", 0.5, message_in_transit=(6.0, 9)),
    ]
    text = explained(summary([stage(*wait) for wait in waits], pools, 14.0))
    assert text[1] == (
        "What the sender waited for: 100 ms for eight reassembly buffers of D and 30 ms for an entry of S's "
        "pending leader table."
    )
    less = [waits[0], ("leader table wait", 20, "pending leader table")]
    assert "leader table" not in " ".join(
        explained(summary([stage(*wait) for wait in less], pools, 14.0))[1:]
    )


REFUSING = [
    {**pool("acknowledgment channels", "A -> B", 0.0), "refused": 60},
    {**pool("acknowledgment channels", "C -> B", 0.0), "refused": 20},
    {**pool("buffers", "A", 0.0), "refused": 20},
    {**pool("line", "A -> B", 0.0), "kind": "line", "acquisitions": 2000},
]


def test_who_refused_and_why_is_told_where_it_costs_a_fair_part_of_a_life():
    waits = [
        stage("message number wait", 1, "message numbers"),
        stage("retransmission wait", 60, "acknowledgment"),
    ]
    assert explained(summary(waits, REFUSING, 9.0))[-1] == (
        "Who refused packets: for every 100 passed from IMP to IMP, 5.0 were refused, 80 % because the queue "
        "of the next line was full and 20 % because too few buffers were free. Those that "
        "refused most: A (80 %) and C (20 %)."
    )
    waits[1] = stage("retransmission wait", 40, "acknowledgment")
    assert "refused packets" not in " ".join(explained(summary(waits, REFUSING, 9.0)))


@pytest.mark.parametrize(("superfluous", "told"), [(211, True), (20, False)])
def test_superfluous_requests_are_told_where_they_are_a_tenth(superfluous: int, told: bool):
    waits = [stage("message number wait", 1, "message numbers")]
    counts = {"measured_requests": 279, "superfluous_measured_requests": superfluous}
    text = " ".join(explained(summary(waits, [], 9.0, **counts)))
    assert (f"{superfluous} of the 279 REQALLs for these messages were superfluous:" in text) == told


@pytest.mark.parametrize(("slow", "told"), [(9.13, True), (0.7, False), (1.5, False)])
def test_slow_imps_are_told_where_a_packet_waits_a_millisecond_and_twice_as_long(slow: float, told: bool):
    waits = [stage("message number wait", 1, "message numbers")]
    of_kinds = {"processor_wait_of_316s": slow, "processor_wait_of_516s": 0.9}
    text = " ".join(explained(summary(waits, [], 9.0, **of_kinds)))
    assert (
        "Slow IMPs: a packet waits 9.1 ms for the processor of each Honeywell 316, 0.90 ms" in text
    ) == told


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 ms"), (0.03, "less than 0.1 ms"), (9.13, "9.1 ms"), (573.4, "573 ms"), (2797, "2.8 s")],
)
def test_times_are_rounded_as_people_say_them(ms: float, text: str):
    assert subnet_words.time(ms) == text


BEFORE_THE_FIX = {"protocol.version": "3", "protocol.message_numbers": 8, "duration": "30 s"}


def test_the_row_of_imps_phases_before_the_fix():
    text = " ".join(explained(hopscope.run("arpanet-row", set=BEFORE_THE_FIX).summary))
    assert "What the sender waited for" in text
    assert "'s pending leader table has six entries" in text
    assert "replies waiting at the destination" in text
    assert "The paper calls it phasing" in text
    assert "piggy" not in text


def test_the_time_of_a_holder_is_that_of_its_trace():
    """A REQALL holds an entry until its answer is back: Little's mean agrees with the trace's."""
    run = hopscope.run("arpanet-row", set={**BEFORE_THE_FIX, "duration": "60 s", "measure.journeys": 2000})
    rows = [row for row in run.summary.data["resources"] if row["name"] == "pending leader table"]
    (held,) = [part for row in rows for part in row["held_in"] if part["stage"] == "REQALL"]
    by_little = held["occupancy"] * run.summary.data["measured"]["span_s"] / held["entered"]
    spans = [
        (back - sent) * 1e-12
        for request in Trace(run.trace).requests
        if (sent := request.at("REQALL sent", "superfluous REQALL sent")) is not None
        and (back := request.at("ALL arrives")) is not None
    ]
    assert len(spans) > 5
    assert by_little == pytest.approx(sum(spans) / len(spans), rel=0.15)
