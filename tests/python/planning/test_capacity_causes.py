"""What `capacity` names as the cause of saturation, in networks whose cause can be told by hand."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from click.testing import Result

import hopscope
from hopscope import engine
from hopscope.planning import faults
from hopscope.planning.candidates.variants import QUEUES_FOR_OUTPUTS, Variant, variants
from hopscope.planning.capacity import words
from hopscope.planning.capacity.capacity import Capacity
from hopscope.planning.capacity.limit import Limit
from hopscope.planning.capacity.reasons import reasons
from hopscope.planning.capacity.saturation import Saturation
from hopscope.planning.kinds import What, Why

Command = Callable[..., Result]

STAR = {"model": "fabric", "network": {"star": {"arms": 0, "hosts_at_hub": 3}}}
SHORT = {"load": 0.3, "sizes": {"fixed": "64 B"}}
ONE_FLOW = {**STAR, "traffic": {**SHORT, "pattern": {"flows": [{"from": "h0", "to": "h1"}]}}}
TWO_INTO_ONE = {
    **STAR,
    "traffic": {**SHORT, "pattern": {"flows": [{"from": "h0", "to": "h2"}, {"from": "h1", "to": "h2"}]}},
}
# 64 bytes take 5.12 us; decision and set-up 2 us of an input's time, set-up 1.52 us of an output's.
SHARE_OF_INPUT, SHARE_OF_OUTPUT = 5.12 / 7.12, 5.12 / 6.64

LEAVES = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["s0", "s1", "l0", "l1"],
            "links": [{"between": [leaf, spine]} for leaf in ("l0", "l1") for spine in ("s0", "s1")],
            "hosts": [{"name": f"h{leaf}{at}", "at": f"l{leaf}"} for leaf in range(2) for at in range(2)],
        }
    },
    "routing": {"rule": "shortest"},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "traffic": {"load": 0.5, "sizes": {"fixed": "2 KiB"}, "pattern": "uniform"},
}
SLOW = {"frames": {"balancing": "spray", "slow_hosts": [{"host": "h11", "drain": "20 Gbit/s"}]}}
DOWN = {
    "frames": {"balancing": "spray", "reroute": "10 us"},
    "faults": [{"at": "1 us", "switch": "s1", "goes": "down"}],
}


def _capacity(scenario: Mapping[str, Any]) -> tuple[Capacity, Saturation]:
    found = hopscope.capacity(scenario, seeds=4, messages=20_000)
    assert found.saturation is not None
    return found, found.saturation


def _told(found: Capacity) -> str:
    return "\n".join(": ".join(row) for row in words.findings(found))


@pytest.mark.parametrize(
    ("scenario", "expected"), [(ONE_FLOW, SHARE_OF_INPUT), (TWO_INTO_ONE, SHARE_OF_OUTPUT / 2)]
)
def test_where_nobody_waits_behind_others_decision_and_set_up_are_the_cause(
    scenario: Mapping[str, Any], expected: float
):
    found, saturation = _capacity(scenario)
    assert saturation.low <= expected * 1.01
    assert saturation.high is not None
    assert expected <= saturation.high
    assert [reason.kind for reason in found.reasons] == [Why.SETTING_UP]
    named = {name: load for name, load, _ in words.bounds(found.bounds)}
    assert "head-of-line blocking, estimate" not in named
    assert float(named["decision and set-up, estimate"]) == pytest.approx(expected, abs=1e-3)


def test_head_of_line_blocking_is_what_is_left_without_decision_and_set_up():
    """Each of three hosts sends to the other two: one in four slots is lost to heads that wait."""
    found, _ = _capacity({**STAR, "traffic": {**SHORT, "pattern": "uniform"}})
    assert {reason.kind for reason in found.reasons} == {Why.SETTING_UP, Why.HEAD_OF_LINE}
    (blocking,) = (reason for reason in found.reasons if reason.kind == Why.HEAD_OF_LINE)
    assert f"against {words.VARIANTS[What.AT_ONCE]}" in blocking.evidence
    assert "head-of-line blocking, estimate" in [name for name, *_ in words.bounds(found.bounds)]


def test_an1_s_own_packets_are_too_long_for_set_up_to_be_a_cause():
    scenario = engine.load("an1-torus")
    bounds = hopscope.capacity("an1-torus", simulate=False).bounds
    assert bounds["head_of_line"]["blocks"]
    assert What.AT_ONCE not in [each.what for each in variants(scenario, dict(bounds))]


def test_a_scheduler_of_one_round_is_the_cause_where_more_rounds_carry_more():
    switch = {"decision": "0 s", "setup": "0 s", "fifo": "unbounded"}
    traffic = {"load": 0.5, "arrivals": "slotted", "pattern": "uniform", "sizes": {"fixed": "1000 B"}}
    found, saturation = _capacity(
        {
            "model": "fabric",
            "network": {"star": {"arms": 0, "hosts_at_hub": 16}},
            "link": {"delay": "0 s"},
            "switch": {**switch, "discipline": {"voq": {"scheduler": "pim"}}},
            "traffic": traffic,
        }
    )
    # 1 - (15/16)^16, what random grants match.
    assert saturation.load == pytest.approx(0.644, abs=0.03)
    assert found.reason == Why.MATCHING
    assert "PIM matches in 1 round; " in found.reasons[0].evidence
    carried = {each.variant.what: each.saturation for each in found.variants}[What.MATCHED]
    assert carried is not None
    assert carried.low > 0.9


def test_a_slow_host_is_named_and_no_link(command: Command):
    found, saturation = _capacity({**LEAVES, **SLOW})
    assert saturation.load == pytest.approx(0.2, abs=0.01)
    assert found.reason == Why.SLOW_HOST
    assert "h11 takes what arrives at 20 Gbit/s; " in found.reasons[0].evidence
    # The busiest output is one to an innocent host.
    assert "busiest output" not in _told(found)
    name, load, where = words.bounds(found.bounds)[0]
    assert (name, load, where) == ("slow host", "0.200", "l1 - h11, which takes what arrives at 20 Gbit/s")
    # A host that drains as fast as it needs bounds nothing.
    fast = {"frames": {"slow_hosts": [{"host": "h11", "drain": "100 Gbit/s"}]}}
    assert words.bounds(hopscope.capacity({**LEAVES, **fast}, simulate=False).bounds)[0][0] == "host link"


def test_a_fault_is_named_before_the_link_that_it_fills(command: Command):
    found, saturation = _capacity({**LEAVES, **DOWN})
    # Two thirds of what the two hosts of a leaf send cross the one link that is left.
    assert saturation.load == pytest.approx(0.75, abs=0.02)
    assert found.reason == Why.FAULT
    assert "s1 is down from 1 us on; nothing fails: " in found.reasons[0].evidence
    assert found.data()["outages"] == ["s1 is down from 1 us on"]
    assert "without its faults" in found._repr_html_()
    done = command("capacity", "an1-reconfiguration", "--bounds")
    assert "Faults: x0y0 - x1y0 is down from 200 ms to 900 ms. The bounds are those of" in done.stdout


def test_outages_begin_and_end_in_the_order_of_time():
    link, switch = {"link": ["a", "b"]}, {"switch": "c"}
    planned = [
        {**link, "at": "2 s", "goes": "up"},
        {**link, "at": "300 ms", "goes": "down"},
        {**switch, "at": "1 s", "goes": "down"},
        {**link, "at": "400 ms", "goes": "down"},
        {**switch, "at": "1 us", "goes": "up"},
    ]
    told = ["a - b is down from 300 ms to 2 s", "c is down from 1 s on"]
    assert faults.outages({"faults": planned}) == told
    assert faults.outages({}) == []
    assert faults.words([*told, *told]) == f"{'; '.join([*told, told[0]])}; and 1 more"


def _reasons(
    where: Limit, gains: Mapping[What, float] | None = None, discipline: str | None = None, **host: object
) -> list[str]:
    """The reasons, with variants of these gains."""
    gains = gains or {}
    found = {What.AS_IS: Saturation(0.5, 0.51, (1,))}
    found |= {what: Saturation(0.5 + gain, 0.51 + gain, (1,)) for what, gain in gains.items()}
    tried = [Variant(what, What.AS_IS, ()) for what in gains]
    bounds = {"root": None, "host_link": {"load": 0.51, "from": "s0", "to": "h0", **host} if host else None}
    return [reason.kind for reason in reasons(found, tried, where, bounds, discipline)]


def test_a_link_that_rests_is_no_cause():
    def output(used: float, set_up: float = 0.0, stopped: float = 0.0) -> Limit:
        return Limit("s0", "s0 - s1", False, used, 0.3, stopped, used >= 0.93, 0.51, set_up)

    assert _reasons(output(0.92)) == []
    assert _reasons(output(0.93)) == [Why.LINK]
    # An output that is set up while it does not send.
    assert _reasons(output(0.77, 0.23)) == [Why.SETTING_UP]
    assert _reasons(output(0.77, 0.1)) == []
    assert _reasons(output(0.65), discipline=QUEUES_FOR_OUTPUTS) == [Why.MATCHING]
    # The next switch stops it, so more than matching holds it back.
    assert _reasons(output(0.65, stopped=0.2), discipline=QUEUES_FOR_OUTPUTS) == []
    assert _reasons(output(0.65), discipline="output") == []
    assert _reasons(output(0.2), drain="20 Gbit/s") == [Why.SLOW_HOST]
    assert _reasons(output(0.2), rate="20 Gbit/s") == [Why.HOST_LINK]
    # What is broken comes before the link that it fills, and that before what costs more.
    gains = {What.AT_ONCE: 0.4, What.NO_FAULTS: 0.1, What.FAST_HOSTS: 0.2}
    assert _reasons(output(0.95), gains) == [Why.SLOW_HOST, Why.FAULT, Why.LINK, Why.SETTING_UP]
