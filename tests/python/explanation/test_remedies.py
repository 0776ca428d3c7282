"""Remedies do what they promise, and causes are not taken for others."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope import engine
from hopscope.goal import Goal
from hopscope.planning.goals.goal import goal_of
from hopscope.planning.kinds import Why
from hopscope.results import flows

SCENARIOS = PROJECT / "scenarios"
LINK = {"rate": "100 Gbit/s", "delay": "50 ns"}
LEAF_SPINE = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 8, "hosts_per_edge": 6}},
    "routing": {"rule": "shortest"},
    "link": LINK,
    "frames": {},
    "traffic": {"load": 0.5, "sizes": {"fixed": "16 KiB"}},
    "measure": {"messages": 5_000},
}
RING = {
    "model": "fabric",
    "network": {"torus": {"width": 1, "height": 5, "servers": 0}},
    "link": LINK,
    "frames": {},
    "traffic": {"load": 0.4},
    "measure": {"messages": 5_000},
}
ONE_LINE = {
    "model": "arpanet",
    "duration": "10 min",
    "network": {"line": [{"between": ["A", "B"]}]},
    "flow": [{"from": "A", "to": "B", "size": "1000 bit", "when": {"poisson": "100 ms"}}],
    "measure": {"messages": 1_000_000, "warmup": "10 s"},
}


def _with(scenario: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {**scenario, **sections}


def test_routes_that_close_a_credit_loop_say_so():
    why = hopscope.explain(RING, what_if=True)
    assert why.confirmation is not None
    shortest = next(trial for trial in why.confirmation.trials if trial.what == "all shortest paths")
    assert shortest.has_loop
    assert "but with a credit loop, so packets may lock up" in shortest.words()
    assert why.what_if is not None
    assert 'rule="shortest"' not in (why.what_if.apply or "")


@pytest.mark.parametrize("what_if", [False, True])
def test_a_remedy_as_printed_gains_what_it_promises(what_if: bool):
    """A load is the utilisation of the busiest station: faster, it would be offered more."""
    stations = [{"service": {"exponential": f"{us} us"}} for us in (4, 10)]
    row = {
        "model": "queueing",
        "arrivals": {"load": 0.9},
        "station": stations,
        "measure": {"messages": 20_000},
    }
    why = hopscope.explain(row, what_if=what_if)
    if what_if:
        assert why.what_if is not None
        printed = why.what_if.to_data()["apply"]
    else:
        assert why.confirmation is not None
        printed = why.confirmation.trials[0].to_data()["set"]
    assert any(override.startswith("arrivals=") for override in printed)
    scenario = engine.load(row)
    before, after = (hopscope.run(each) for each in (scenario, scenario.with_overrides(printed)))
    delays = [run.metric("latency.mean").value for run in (before, after)]
    assert delays[1] < 0.7 * delays[0]
    offered = [run.metric("offered.rate").value for run in (before, after)]
    assert offered[1] == pytest.approx(offered[0], rel=0.05)


def test_a_busy_processor_is_relieved_by_a_faster_one():
    why = hopscope.explain("pup-ipr-same-machine", set={"measure.messages": 1_000})
    assert why.cause == "resource"
    assert why.confirmation is not None
    first = why.confirmation.trials[0]
    assert first.what == "hosts twice as fast"
    assert why.confirmation.is_confirmed


def test_no_cure_is_promised_where_only_runs_tell():
    """Two routes that fill each other's buffers. A few more buffers lock up as well, later."""
    nodes = [{"name": name, "buffers": 2, "service": {"exponential": "70 ms"}} for name in "abc"]
    ends = [("a", "b"), ("b", "c")]
    why = hopscope.explain(
        {
            "model": "sna",
            "node": nodes,
            "group": [
                {"name": "".join(pair), "between": list(pair), "line": [{"rate": "9600 bit/s"}]}
                for pair in ends
            ],
            "route": [
                {"name": "east", "from": "a", "groups": ["ab", "bc"]},
                {"name": "west", "from": "c", "groups": ["bc", "ab"]},
            ],
            "virtual_route": [
                {"number": nth, "route": name, "window": 20} for nth, name in enumerate(("east", "west"))
            ],
            "session": [{"virtual_route": 0}, {"virtual_route": 1}],
            "measure": {"messages": 2_000},
        }
    )
    assert why.is_deadlock
    assert why.confirmation is not None
    assert not why.confirmation.is_confirmed
    assert "runs without deadlock here, longer ones may lock up" in why.confirmation.trials[0].words()


def test_a_station_that_is_offered_what_it_can_do_is_not_offered_more():
    found = hopscope.run("queueing-mm1", set={"arrivals.load": 1.0, "measure.messages": 20_000}).explain()
    assert found.cause == "overload"
    assert re.fullmatch(
        r"Overload: station 1 is \d+ % utilised, and messages arrive as fast as it can serve them\. "
        r"Its queue grows without bound\.",
        found.sentence,
    ), found.sentence


def test_slow_cables_do_not_bound_the_network_without_them(tmp_path: Path):
    """The only slow cable is a host's: the search without it goes beyond what it carried."""
    lines = ["from,to,rate,kind"]
    fabric = tmp_path / "slow-host.csv"
    for leaf in range(4):
        lines += [f"l{leaf},s{spine},100 Gbit/s," for spine in range(4)]
        rates = ["25 Gbit/s" if leaf == host == 0 else "100 Gbit/s" for host in range(4)]
        lines += [f"h{leaf}{host},l{leaf},{rate},host" for host, rate in enumerate(rates)]
    fabric.write_text("\n".join(lines) + "\n")
    replaced = hopscope.advise(fabric, messages=2_000).replaced
    assert replaced is not None
    assert replaced.saturation is not None
    assert replaced.saturation.low > 0.4


def test_tables_of_opensm_with_a_loop_are_replaced_by_tables_without(command: Callable[..., Result]):
    tables = f"routing.tables={SCENARIOS / 'irregular-opensm.lfts'}"
    given = ("--set", tables, "--messages", "2000", "--quiet", "--allow-files")
    done = command("advise", str(SCENARIOS / "irregular.net"), *given)
    assert done.exit_code == 0, done.output
    assert "To write them: hopscope routes" in done.stdout
    assert "opensm --routing_engine file" in done.stdout
    assert "updn" not in done.stdout


def test_a_saturated_network_with_loads_of_single_flows_is_explained():
    few = {"measure.messages": 50_000}
    found = hopscope.explain("an1-congested-downstream", set=few, confirm=False)
    assert (found.cause, found.nodes, found.resource) == ("resource", ["1", "2"], "the link 1:1 -> 2:0")


def test_what_drops_is_judged_by_what_arrives():
    dropping = _with(
        LEAF_SPINE,
        frames={"flow_control": {"tail-drop": {"queue": "16 KiB"}}},
        traffic={"load": 0.7, "sizes": {"fixed": "16 KiB"}},
    )
    assert goal_of("fabric", dropping, [hopscope.run(dropping)]) is Goal.THROUGHPUT
    found = hopscope.capacity(dropping, messages=2_000)
    assert found.reason is Why.DROPS


def test_shares_of_time_are_those_of_one_lane():
    incast = {"incast": {"senders": 4, "size": "100 kB", "receiver": "h0"}}
    run = hopscope.run(
        {
            "model": "fabric",
            "network": {"star": {"arms": 0, "hosts_at_hub": 5}},
            "link": LINK,
            "frames": {"flow_control": {"pfc": {"priorities": 4}}},
            "flows": [{"name": name, "pattern": incast} for name in "abcd"],
            "measure": {"warmup": "none"},
        }
    )
    most = flows.most_paused(run.summary, 3)
    assert most
    assert all(0.5 < share <= 1 for _, share in most)


def test_a_cable_that_retries_is_no_collision_of_paths():
    bad = {"retrying_links": [{"between": ["leaf0", "spine0"], "failing": 0.99}]}
    named = hopscope.run(_with(LEAF_SPINE, frames=bad)).explain()
    assert named.cause == "resource"
    assert "It sends frames again that failed on the cable" in named.sentence
    why = hopscope.explain(_with(LEAF_SPINE, frames=bad))
    assert why.confirmation is not None
    assert why.confirmation.trials[0].what == "no retries at leaf0 - spine0"


def test_ways_that_are_down_are_no_alternatives():
    """Of four spines one works: the hash has nothing to choose from."""
    down = [{"at": "1 us", "switch": f"spine{nth}", "goes": "down"} for nth in (1, 2, 3)]
    why = hopscope.run(_with(LEAF_SPINE, frames={"reroute": "1 us"}, faults=down)).explain()
    assert why.cause != "path collision"


def test_an_outage_of_a_line_is_an_interruption():
    outage = [{"from": "200 s", "length": "50 s", "line": ["A", "B"]}]
    found = hopscope.run(_with(ONE_LINE, network={**ONE_LINE["network"], "outage": outage})).explain()
    assert found.cause == "interruption"
    assert found.nodes == ["A", "B"]
    lost = json.dumps(found.data)
    assert "line errors" not in lost


def test_delays_that_grow_with_the_duration_are_noted():
    busy = [{**ONE_LINE["flow"][0], "when": {"poisson": "10 ms"}}]
    short = _with(ONE_LINE, flow=busy, duration="1 min", measure={"messages": 1_000_000, "warmup": "none"})
    assert any("delays grow with `duration`" in note for note in hopscope.run(short).summary.data["notes"])
    idle = _with(ONE_LINE, duration="1 min")
    assert not any("delays grow" in note for note in hopscope.run(idle).summary.data["notes"])


def test_nothing_delivered_is_not_health():
    found = hopscope.run(
        "pup-saturated-ethernet",
        set={"network[0].medium.ethernet.backoff": "0 s", "measure.messages": 300},
    ).explain()
    assert "healthy" not in found.sentence


def test_the_share_of_all_is_all():
    found = hopscope.run("queueing-mm1", set={"measure.messages": 2_000}).explain()
    (only,) = found.shares("resources")
    assert (only["share"], only["low"], only["high"]) == (pytest.approx(1), 1, 1)


def test_the_largest_of_a_few_does_not_bound_a_percentile():
    run = hopscope.run("queueing-mm1", set={"measure.messages": 60})
    found = run.metric("latency.p99")
    assert found.low < found.value
