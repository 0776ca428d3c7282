"""Why a run is slow, in sentences: the engine's explanation printed, alone and beside that of another run."""

from types import SimpleNamespace

import pytest

import hopscope
from hopscope.numerals import duration
from hopscope.results.explanation import Explanation
from hopscope.results.sentences import explained
from hopscope.results.summary import Summary
from hopscope.results.trace import Trace

WAITING = "waiting for an entry of the pending leader table"


def time(stage: str, ms: float, meaning: str) -> dict:
    return {"stage": stage, "meaning": meaning, "mean_us": 1000 * ms}


def lifetime(*times: dict, source: tuple[dict, ...] = (), mean_ms: float | None = None) -> dict:
    total = sum(each["mean_us"] for each in times) if mean_ms is None else 1000 * mean_ms
    waits = sorted(times, key=lambda each: -each["mean_us"])
    stages = {"stages": list(times), "waits": waits, "source": list(source)}
    return {"mean_us": total if times else None, "has_source": True, **stages}


def run(
    title: str, throughput: float, lived: dict, holders=(), symptoms=(), **causes: dict
) -> SimpleNamespace:
    """A run as `explained` reads it."""
    rows = [
        {"name": name, "class": "all", "statistic": statistic, "unit": unit, "estimate": found}
        for name, statistic, unit, found in (
            ("throughput", "rate", "kbit/s", {"value": throughput, "low": 0.0, "high": 99.0, "n": 9}),
            ("path length", "mean", "hops", {"value": 9.0, "low": 9.0, "high": 9.0, "n": 9}),
        )
    ]
    summary = Summary({"outcome": "complete", "title": title, "metrics": rows, "ledger": [], "resources": []})
    none = {"requests": None, "refusals": None, "processors": None}
    data = {"lifetime": lived, "holders": list(holders), "symptoms": list(symptoms), "causes": none | causes}
    return SimpleNamespace(title=title, summary=summary, explain=lambda: Explanation(data))


def holder(cause: str, occupancy: float, each_ms: float | None, *waits: dict) -> dict:
    each = None if each_ms is None else 1000 * each_ms
    return {"cause": cause, "occupancy": occupancy, "share": 0.5, "each_us": each, "waits_for": list(waits)}


LEADER_TABLE_WAIT = time("leader table wait", 200, WAITING)
RFNM_WAIT = time("RFNM allocation wait", 300, "while its RFNM waits for an allocation")
TABLE = {
    "resource": "the pending leader table at S",
    "capacity": 6.0,
    "unit": "entries",
    "rule": "every message holds an entry until it is answered",
    "waiting": 0.5,
    "holders": [
        holder("RFNM waiting", 3.0, 600.0, {"stage": RFNM_WAIT}),
        holder(
            "REQALL",
            1.0,
            None,
            {"resource": {"resource": "the reassembly buffers at D", "utilisation": 0.98}},
        ),
    ],
}
PHASING = {"name": "phasing", "evidence": "the one and the other block each other", "source": "a paper"}
SLOW = run(
    "A row", 14.0, lifetime(LEADER_TABLE_WAIT, RFNM_WAIT, source=(LEADER_TABLE_WAIT,)), [TABLE], [PHASING]
)


def test_lifetime_source_holders_and_symptoms_are_told_in_this_order():
    assert explained(SLOW) == [
        "Mean message lifetime: 500 ms. Longest waits: 300 ms while its RFNM waits for an allocation, "
        f"200 ms {WAITING}.",
        f"The source host is blocked, for each message: 200 ms {WAITING}.",
        "Mean occupancy by holder of the pending leader table at S (6 entries; every message holds an entry "
        "until it is answered): RFNM waiting 3.0, REQALL 1.0. 0.50 messages wait for it on average.",
        "What they wait for: RFNM waiting (600 ms each): 300 ms while its RFNM waits for an allocation; "
        "REQALL: the reassembly buffers at D (98 % in use).",
        "Phasing: the one and the other block each other.",
    ]


def test_both_runs_are_named_and_the_waits_of_the_other_stand_in_parentheses():
    other = run("Fast", 27.0, lifetime(time("leader table wait", 20, WAITING)))
    assert explained(SLOW, other, ("February", "October"))[:2] == [
        "February carried 14.0 kbit/s over 9 hops; October carried 27.0 kbit/s over 9 hops.",
        "Mean message lifetime: 500 ms (October: 20 ms). Longest waits: 300 ms (0 us) while its RFNM "
        f"waits for an allocation, 200 ms (20 ms) {WAITING}.",
    ]


def test_runs_without_a_name_go_by_their_titles():
    assert explained(SLOW, SLOW)[0].startswith("A row carried")


def test_a_source_that_is_hardly_blocked_is_told_so():
    idle = run("Idle", 39.0, lifetime(time("line wait", 3, "waiting in the output queues of lines")))
    assert explained(idle)[1:] == ["The subnet hardly blocks the source host."]


def test_a_run_without_delays_has_nothing_to_explain():
    assert "No delays to explain" in explained(run("Empty", 0.0, lifetime()))[0]


LIVED = lifetime(time("line wait", 3, "waiting in the output queues of lines"))


def told(**causes: dict) -> str:
    return " ".join(explained(run("A row", 9.0, LIVED, **causes)))


@pytest.mark.parametrize("matters", [True, False])
def test_causes_are_told_where_they_matter(matters: bool):
    lacking = [
        {"of": "the output queue of the next line was full", "share": 0.8},
        {"of": "it rained", "share": 0.2},
    ]
    nodes = [{"of": "A", "share": 0.8}, {"of": "C", "share": 0.2}]
    text = told(
        requests={"sent": 279, "superfluous": 211, "matters": matters},
        refusals={"per_hundred": 5.0, "reasons": lacking, "nodes": nodes, "matters": matters},
        processors={"slow_ms": 9.13, "fast_ms": 0.9, "matters": matters},
    )
    assert ("211 of the 279 REQALLs for these messages were superfluous:" in text) == matters
    assert (
        "IMPs refused 5.0 of every 100 packets that lines carried: 80 % because the output queue of the next "
        "line was full and 20 % because it rained. Most were refused by A (80 %) and C (20 %)." in text
    ) == matters
    assert (
        "the mean wait for the processor of one is 9.1 ms, and 0.90 ms for that of a 516." in text
    ) == matters


@pytest.mark.parametrize(
    ("us", "text"),
    [(0, "0 us"), (30, "30 us"), (9130, "9.1 ms"), (573_400, "573 ms"), (2_797_000, "2.8 s")],
)
def test_times_are_rounded_as_people_say_them(us: float, text: str):
    assert duration(us) == text


BEFORE_THE_FIX = {"protocol.version": "3", "protocol.message_numbers": 8, "duration": "30 s"}


def test_the_row_of_imps_phases_before_the_fix():
    run = hopscope.run("arpanet-row", set=BEFORE_THE_FIX)
    text = " ".join(explained(run))
    assert "The source host is blocked" in text
    assert "Mean occupancy by holder of the pending leader table at " in text
    assert "(6 entries;" in text
    assert "RFNM waiting" in text
    assert "Phasing: " in text
    # The command line names the same holders.
    assert [part["cause"] for part in run.explain().holders[0]["holders"]]


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
