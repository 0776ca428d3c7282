"""What holds a network back where hardly anything waits, or where what waits is not what it looks like."""

from typing import Any

import pytest

import hopscope


def arpanet(**more: Any) -> dict[str, Any]:
    """A host S that always sends to D over two lines in a row."""
    lines = [{"between": ["I0", "I1"], "delay": "5 ms"}, {"between": ["I1", "I2"], "delay": "5 ms"}]
    return {
        "model": "arpanet",
        "duration": "2 min",
        "network": {"line": lines},
        "host": [{"name": "S", "imp": "I0"}, {"name": "D", "imp": "I2"}],
        "flow": [{"from": "S", "to": "D", "size": "8063 bit", "when": "saturated"}],
        "measure": {"messages": 1_000_000, "warmup": "none"},
        **more,
    }


def job(frames: dict[str, Any], flows: dict[str, Any], network: dict[str, Any]) -> dict[str, Any]:
    """A job of frames whose whole is measured."""
    return {
        "model": "fabric",
        "network": network,
        "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
        "frames": frames,
        "routing": {"rule": "shortest"},
        "flows": [flows],
        "measure": {"messages": 100_000, "warmup": "none"},
    }


def two_switches(first: dict[str, str] | None = None, delay: str = "100 ns") -> dict[str, Any]:
    """h0 at a, h1 at b."""
    hosts = [{"name": "h0", "at": "a", **(first or {})}, {"name": "h1", "at": "b"}]
    links = [{"between": ["a", "b"], "delay": delay}]
    return {"custom": {"switches": ["a", "b"], "links": links, "hosts": hosts}}


def transfer(size: str) -> dict[str, Any]:
    """Rounds of one message from h0 to h1."""
    return {"pattern": {"list": {"flows": [{"from": "h0", "to": "h1", "size": size}]}}, "rounds": 4}


def verdict(scenario: dict[str, Any]) -> dict[str, Any]:
    """The verdict on one run."""
    return hopscope.run(scenario).explain().data["verdict"]


def test_a_jobs_link_that_always_sends_is_its_bottleneck():
    found = verdict(job({}, transfer("10 MB"), two_switches({"rate": "10 Gbit/s"})))
    assert (found["cause"], found["nodes"]) == ("resource", ["h0", "a"])
    even = verdict(job({}, transfer("10 MB"), two_switches()))
    assert even["cause"] == "healthy"


def test_a_host_that_always_sends_on_a_slow_line_is_the_bottleneck():
    slow = [{"name": "S", "imp": "I0", "rate": "20 kbit/s"}, {"name": "D", "imp": "I2"}]
    found = verdict(arpanet(host=slow))
    assert (found["cause"], found["nodes"]) == ("resource", ["S"])


def test_an_ethernet_that_is_never_idle_is_the_bottleneck():
    found = verdict(
        {
            "model": "pup",
            "network": [{"name": "e", "number": 3, "medium": {"ethernet": {"rate": "3 Mbit/s"}}}],
            "raw": [{"name": "s", "network": "e", "stations": 1, "length": "4096 bit"}],
            "measure": {"messages": 5_000},
        }
    )
    assert found["cause"] == "resource"
    assert "the Ethernet of e (100 % utilised)" in found["sentence"]


def test_frames_that_are_sent_again_needlessly_are_the_cause():
    """Go-back-n takes no frame out of order, and spraying brings nearly all of them so."""
    tree = {"fat-tree": {"tiers": 2, "radix": 4}}
    permutation = {"pattern": {"permutation": {"size": "1 MiB", "to": "tornado"}}, "rounds": 4}
    frames = {
        "balancing": "spray",
        "flow_control": {"tail-drop": {}},
        "recovery": {"rule": "go-back-n"},
    }
    found = verdict(job(frames, permutation, tree))
    assert found["cause"] == "loss"
    assert "comes out of order or twice" in found["sentence"]


def test_of_a_timeout_below_the_round_trip_a_longer_one_is_the_remedy():
    frames = {
        "rate_control": {"dctcp": {"most": "1 MB"}},
        "ecn": {"kmin": "400 kB", "kmax": "400 kB", "pmax": 1.0},
        "flow_control": {"tail-drop": {}},
        "recovery": {"timeout": "20 us", "retries": 200},
    }
    why = hopscope.explain(job(frames, transfer("2 MB"), two_switches(delay="20 us")))
    assert why.confirmation is not None
    first = why.confirmation.trials[0]
    assert first.candidate.cause == "loss"
    assert "frames.recovery.timeout" in first.set[0]
    assert first.gain is not None
    assert first.gain.low > 0.5


def test_an_interruption_catches_no_more_than_a_full_window_holds():
    """Without the silence messages of this host wait as long: its line is full."""
    short = [
        {"name": "S", "imp": "I0"},
        {"name": "D", "imp": "I2", "silent": [{"from": "20 s", "length": "5 s"}]},
    ]
    found = verdict(arpanet(host=short))
    assert found["cause"] != "interruption", found["sentence"]


@pytest.mark.parametrize("discipline", ["input-fifo", "random-access"])
def test_a_fast_link_beside_the_way_changes_nothing(discipline: str):
    """Only an output that is faster than the input needs the whole packet first (SRC 88, section 3.3)."""

    def latency(bystander: str) -> float:
        links = [{"name": "c", "at": "s", "rate": bystander}]
        hosts = [{"name": "a", "at": "s"}, {"name": "b", "at": "s"}, *links]
        flows = [{"from": "a", "to": "b", "load": 0.3}]
        scenario = {
            "model": "fabric",
            "network": {"custom": {"switches": ["s"], "links": [], "hosts": hosts}},
            "switch": {"discipline": discipline},
            "traffic": {"load": 0.3, "sizes": {"fixed": "1000 B"}, "pattern": {"flows": flows}},
            "measure": {"messages": 1_000},
        }
        return hopscope.run(scenario).metric("latency.mean").value

    # Arrivals of last bytes are events, and a warm-up ends after a number of them.
    assert latency("200 Mbit/s") == pytest.approx(latency("100 Mbit/s"), rel=0.02)


def test_a_warm_up_with_lost_pups_lasts_until_silent_streams_are_back():
    """A stream that has lost a Pup is silent for its first timeout, 5 s: the others do too well."""
    short = hopscope.run("pup-busy-ethernet", set={"measure.messages": 5_000}, seed=2)
    assert short.outcome == "unsettled"
    truth = hopscope.run("pup-busy-ethernet", set={"measure.messages": 20_000, "measure.warmup": "1 min"})
    settled = hopscope.run("pup-busy-ethernet", set={"measure.messages": 100_000}, seed=2)
    assert settled.outcome == "complete"
    known, found = (run.metric("throughput.rate") for run in (truth, settled))
    assert known.low <= found.high
    assert found.low <= known.high
