"""The answer is the fault that is there: what only looks like one is not named, and what is broken is."""

import json
from typing import Any

import hopscope

LEAVES, SPINES, HOSTS = 4, 4, 4
LINKS = [{"between": [f"l{leaf}", f"s{spine}"]} for leaf in range(LEAVES) for spine in range(SPINES)]
NETWORK = {
    "custom": {
        "switches": [*(f"s{spine}" for spine in range(SPINES)), *(f"l{leaf}" for leaf in range(LEAVES))],
        "links": LINKS,
        "hosts": [{"name": f"h{leaf}_{n}", "at": f"l{leaf}"} for leaf in range(LEAVES) for n in range(HOSTS)],
    }
}
LEAF_SPINE: dict[str, Any] = {
    "model": "fabric",
    "seed": 3,
    "network": NETWORK,
    "routing": {"rule": "shortest"},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "frames": {},
    "traffic": {"load": 0.5, "sizes": {"fixed": "64 KiB"}},
    "measure": {"messages": 8_000},
}
FLOWS: dict[str, Any] = {
    **{key: value for key, value in LEAF_SPINE.items() if key != "traffic"},
    "measure": {"messages": 1_000_000, "warmup": "none"},
}
SLOW_HOST = {"slow_hosts": [{"host": "h2_1", "drain": "30 Gbit/s"}]}
# Of all cables only the slow one says its rate.
SLOW_CABLE = {
    "custom": {
        **NETWORK["custom"],
        "links": [
            {**link, "rate": "25 Gbit/s"} if link["between"] == ["l1", "s2"] else link for link in LINKS
        ],
    }
}
SNA_LINE = {
    "model": "sna",
    "measure": {"messages": 1_000},
    "node": [{"name": "a"}, {"name": "b"}],
    "group": [{"name": "g", "between": ["a", "b"], "line": [{"rate": "9600 bit/s", "errors": 0.8}]}],
    "route": [{"name": "r", "from": "a", "groups": ["g"]}],
    "virtual_route": [{"number": 1, "route": "r", "rule": "sliding", "window": 255}],
    "session": [{"virtual_route": 1, "gap": "100 s"}],
}
LONG_LINE = {
    "model": "arpanet",
    "duration": "120 s",
    "network": {"line": [{"between": ["A", "B"], "rate": "1 Mbit/s", "delay": "30 ms"}]},
    "protocol": {"version": "3", "message_numbers": 4},
    "host": [{"name": "h1", "imp": "A"}, {"name": "h2", "imp": "B"}],
    "flow": [{"from": "h1", "to": "h2", "size": "1000 bit", "when": "saturated"}],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}


def _patterns(why: hopscope.Explanation) -> set[str]:
    return {symptom["name"] for symptom in why.symptoms}


def test_room_that_only_takes_longer_to_fill_is_no_remedy():
    why = hopscope.explain({**LEAF_SPINE, "frames": SLOW_HOST}, what_if=True)
    assert why.confirmation is not None
    assert "frames.buffer.alpha=1.0" not in {
        option for trial in why.confirmation.trials for option in trial.set
    }
    assert "alpha" not in (why.what_if.apply or "" if why.what_if else "")
    assert "h2_1" in why.sentence


def test_a_cable_is_slow_although_no_other_says_its_rate():
    slow = {**LEAF_SPINE, "network": SLOW_CABLE}
    why = hopscope.explain(slow)
    assert {"l1", "s2"} <= set(why.data["verdict"]["nodes"]), why.sentence
    today, mended = hopscope.run(slow), hopscope.run(slow, set={"upgrade.replace_slow_cables": True})
    carried = [run.metric("throughput") for run in (today, mended)]
    assert carried[0] is not None
    assert carried[1] is not None
    assert carried[1].low > 1.4 * carried[0].high


def test_two_faults_are_also_repaired_together():
    why = hopscope.explain({**LEAF_SPINE, "network": SLOW_CABLE, "frames": SLOW_HOST})
    assert why.confirmation is not None
    first = why.confirmation.trials[0]
    assert first.what is not None
    assert first.what.startswith("all repaired: host h2_1 drains as fast as its link; the slow cable")
    assert first.gain is not None
    assert first.gain.low > 0.3


def test_a_job_that_fills_its_links_and_waits_for_nothing_is_no_overload():
    ring = {
        **FLOWS,
        "network": {"star": {"arms": 0, "hosts_at_hub": 8}},
        "flows": [{"pattern": {"all-reduce": {"size": "4 MB"}}, "rounds": 3}],
    }
    assert hopscope.explain(ring).cause == "healthy"


def test_messages_of_many_frames_that_come_at_random_are_no_bursts():
    why = hopscope.explain({**LEAF_SPINE, "frames": {"balancing": "spray"}}, set={"traffic.load": 0.3})
    assert "synchronised bursts" not in _patterns(why)
    assert why.cause != "variability", why.sentence


def test_frames_that_are_dropped_by_an_incast_are_no_path_collisions():
    drops = {"flow_control": {"tail-drop": {"queue": "20 kB"}}, "recovery": {}}
    incast = {"pattern": {"incast": {"senders": 12, "size": "100 kB"}}, "rounds": 10}
    why = hopscope.explain({**FLOWS, "frames": drops, "flows": [incast]})
    assert why.cause in {"loss", "variability"}, why.sentence
    assert why.confirmation is not None
    tried = {trial.candidate.cause: trial for trial in why.confirmation.trials}
    assert "loss" in tried


def test_a_cable_that_mostly_fails_is_named_although_nobody_waits():
    retrying = {"retrying_links": [{"between": ["h0_0", "l0"], "failing": 0.99}]}
    pattern = {"flows": [{"from": "h1_0", "to": "h0_0"}]}
    why = hopscope.explain(
        {**LEAF_SPINE, "frames": retrying, "traffic": {"load": 0.002, "pattern": pattern}},
        set={"measure.messages": 2_000},
    )
    assert why.cause == "loss", why.sentence
    assert "99 %" in why.sentence
    line = hopscope.explain(SNA_LINE)
    assert line.cause == "loss", line.sentence
    # Four of five transmissions fail: a frame takes five, give or take what chance does to 1,000 of them.
    assert 4.5 < float(line.sentence.partition("Each packet is sent ")[2].partition(" times")[0]) < 5.5


def test_a_job_of_rounds_names_the_host_that_all_wait_for():
    job = {"pattern": {"all-to-all": {"size": "400 kB", "order": "barrier"}}, "rounds": 2}
    slow = {"slow_hosts": [{"host": "h2_1", "drain": "50 Gbit/s"}], "balancing": "round-robin-spray"}
    why = hopscope.explain({**FLOWS, "frames": slow, "flows": [job]})
    assert "h2_1" in why.sentence
    assert why.confirmation is not None
    assert why.confirmation.trials[0].gain is not None
    assert why.confirmation.trials[0].gain.low > 0.2


def test_what_is_down_is_named_where_everything_else_is_only_busy():
    dead = [{"at": "1 us", "switch": "s2", "goes": "down"}]
    why = hopscope.explain({**LEAF_SPINE, "faults": dead}, set={"traffic.load": 0.8})
    assert why.confirmation is not None
    assert "no faults" in {trial.what for trial in why.confirmation.trials}


def test_a_sender_that_its_message_numbers_hold_back_is_not_healthy():
    why = hopscope.explain(LONG_LINE)
    assert why.cause == "window", why.sentence


def test_what_a_failed_line_loses_is_not_called_destroyed():
    square = {
        **LONG_LINE,
        "network": {
            "line": [{"between": pair} for pair in (["A", "B"], ["B", "C"], ["C", "D"], ["D", "A"])],
            "outage": [{"line": ["A", "B"], "from": "30 s", "length": "30 s"}],
        },
        "protocol": {},
        "host": [{"name": "h1", "imp": "A"}, {"name": "h2", "imp": "B"}],
        "flow": [{"from": "h1", "to": "h2", "size": "1000 bit", "when": {"every": "200 ms"}}],
    }
    assert "transmissions were lost." in hopscope.explain(square).sentence


def test_a_network_that_locks_up_is_not_said_to_be_idle():
    why = hopscope.explain("ib-irregular-opensm", confirm=False)
    assert "synchronised bursts" not in _patterns(why)
    assert why.page["times_minimum"] is None
    assert all(hurt["waits_us"] is None for hurt in why.page["hurt"])


def test_one_message_says_little():
    why = hopscope.explain("an1-mstage", set={"measure.messages": 1})
    assert "Only 1 message was measured" in why.sentence


def test_an_overload_has_no_beginning_but_that_of_the_run():
    why = hopscope.explain(
        "queueing-mm1", set={"arrivals.load": 1.5, "measure.messages": 5_000}, confirm=False
    )
    assert why.page["since_s"] is None
    for seed in (1, 2, 3):
        steady = hopscope.explain(
            "queueing-tandem", seed=seed, set={"measure.messages": 20_000}, confirm=False
        )
        assert steady.page["since_s"] is None, json.dumps(steady.page)


def test_windows_below_one_frame_say_so():
    swift = {"target": "2 us", "per_switch": "0 us", "range": "0 us"}
    frames = {
        "flow_control": {"tail-drop": {}},
        "recovery": {},
        "rate_control": {"swift": swift},
        "balancing": "spray",
    }
    flows = [{"pattern": {"permutation": {"size": "500 kB", "to": "tornado"}}, "rounds": 1}]
    why = hopscope.explain({**FLOWS, "frames": frames, "flows": flows})
    assert "All 0 frames" not in why.sentence
    assert why.confirmation is not None
    assert any("target" in trial.what for trial in why.confirmation.trials if trial.what)
