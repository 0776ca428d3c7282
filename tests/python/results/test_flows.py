"""Flows from end to end: what they take against closed forms, their tables, charts and pages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import Result

import hopscope
import pages
from hopscope.errors import UsageError
from hopscope.results import flows
from hopscope.results.collectives import bus_bandwidths
from hopscope.results.run import RunResult
from hopscope.results.summary import Doubt

LINE_RATE = 100e9
CLUSTER = f"""
model = "fabric"
network = {{ star = {{ arms = 0, hosts_at_hub = 16 }} }}
link = {{ rate = "{LINE_RATE / 1e9:.0f} Gbit/s", delay = "100 ns" }}

[frames]
mtu = "1000 B"
latency = "300 ns"
buffer = {{ size = "64 MB", alpha = 1.0 }}

[measure]
messages = 100_000
warmup = "none"
"""
LATENCY_US = 0.08 + 2 * 0.1 + 0.3
TORUS = {"flows[0].rounds": 2, "flows[0].pattern.all-to-all.size": "16 KiB"}


def run(here: Path, text: str, messages: int = 100_000) -> RunResult:
    """A run of these flows on a star of 16 hosts."""
    scenario = here / "cluster.toml"
    scenario.write_text(CLUSTER + text, encoding="utf-8")
    return hopscope.run(scenario, set={"measure.messages": messages})


@pytest.fixture(scope="module")
def torus() -> RunResult:
    """Two small shuffles on a torus with credits."""
    return hopscope.run("torus-7x5-credits", set=TORUS)


@pytest.mark.parametrize(("algorithm", "steps"), [("ring", 30), ("halving-doubling", 8)])
def test_an_all_reduce_takes_its_closed_form(here: Path, algorithm: str, steps: int):
    size = 1_600_000
    pattern = f'{{ all-reduce = {{ size = "{size} B", algorithm = "{algorithm}" }} }}'
    found = run(here, f"[[flows]]\npattern = {pattern}\nrounds = 3\n")
    data_us = 2 * 15 / 16 * size * 8 / LINE_RATE * 1e6
    mean = found.metric("round.mean")
    assert mean is not None
    assert mean.value == pytest.approx(steps * LATENCY_US + data_us, rel=1e-6)
    assert found.metric("slowdown.max").value == 1.0
    assert len(found.rounds) == 3
    assert len(found.flows) == 3 * 16 * steps
    # NCCL's bus bandwidth, 2 (n - 1) / n bytes / time, is what each host sends in that time.
    [bandwidth] = bus_bandwidths(found).values()
    assert bandwidth == pytest.approx(LINE_RATE * data_us / mean.value, rel=1e-6)
    sent = found.rounds["bytes"][0] / 16 * 8
    assert bandwidth == pytest.approx(sent / (mean.value * 1e-6), rel=1e-6)


@pytest.mark.parametrize("hosts", ["all", "shuffled", {"first": 9}, {"named": ["x0y4h0", "x1y0h0"]}])
@pytest.mark.parametrize("size", ["16 KiB", "20 kB", "1 Mbit"])
def test_the_bus_bandwidth_is_what_each_host_sends_in_a_round(hosts: Any, size: str):
    """Whatever hosts take part, and however their amount of data is written."""
    pattern = {"all-to-all": {"size": size}}
    changes = {"flows[0].pattern": pattern, "flows[0].hosts": hosts, "flows[0].rounds": 1}
    found = hopscope.run("torus-7x5-credits", set=changes)
    [bandwidth] = bus_bandwidths(found).values()
    ranks = found.flows["from"].n_unique()
    [begun], [ended] = found.rounds["begun_ps"], found.rounds["ended_ps"]
    assert bandwidth == pytest.approx(
        found.rounds["bytes"][0] * 8 / ranks / ((ended - begun) * 1e-12), rel=1e-6
    )


def test_a_finite_job_is_measured_whole_without_a_word_of_a_warm_up(here: Path):
    (here / "job.toml").write_text(CLUSTER.replace('warmup = "none"\n', ""), encoding="utf-8")
    ring = '{ all-reduce = { size = "160 kB" } }'
    incast = '{ incast = { senders = 12, size = "100 kB" } }'
    for pattern, rounds, sent in ((incast, 1, 12), (ring, 6, 6 * 16 * 30)):
        (here / "cluster.toml").write_text(
            (here / "job.toml").read_text() + f"[[flows]]\npattern = {pattern}\nrounds = {rounds}\n"
        )
        found = hopscope.run(here / "cluster.toml")
        assert found.outcome == "complete"
        assert Doubt.TRANSIENT not in found.summary.doubts
        assert not [note for note in found.notes if "transient" in note]
        assert found.summary.fields["warmup"]["messages"] == 0
        assert (len(found.flows), len(found.rounds)) == (sent, rounds)


def test_an_incast_takes_what_its_receiver_takes(here: Path):
    found = run(here, '[[flows]]\npattern = { incast = { senders = 12, size = "100 kB" } }\n')
    time = found.rounds["ended_ps"][0] / 1e6
    assert time == pytest.approx(LATENCY_US + 12 * 8, rel=1e-6)
    assert found.flows["to"].n_unique() == 1
    assert found.flows["from"].n_unique() == 12


def test_flows_wait_for_others(here: Path):
    (here / "steps.csv").write_text(
        "from,to,size,start,name,after,after_any\n"
        "h0,h1,1 kB,,a,,\nh2,h3,10 kB,,b,,\nh4,h5,1 kB,1 us,,a b,\nh6,h7,1 kB,,,a b,1\n",
        encoding="utf-8",
    )
    found = run(here, '[[flows]]\npattern = { list = { path = "steps.csv" } }\n')
    rows = {row["from"]: row for row in found.flows.iter_rows(named=True)}
    assert rows["h4"]["begun_ps"] == rows["h2"]["ended_ps"] + 1_000_000
    assert rows["h6"]["begun_ps"] == rows["h0"]["ended_ps"]


def test_a_distribution_of_ones_own_is_read_from_its_file(here: Path):
    (here / "sizes.txt").write_text("1000 50\n1000000 100\n", encoding="utf-8")
    sizes = '{ cdf = { path = "sizes.txt" } }'
    text = f"[[flows]]\npattern = {{ poisson = {{ load = 0.3, sizes = {sizes} }} }}\n"
    found = run(here, text, messages=10_000).flows["bytes"]
    assert found.min() == 1_000
    assert (found == 1_000).mean() == pytest.approx(0.5, abs=0.02)
    # The relative standard error of 10,000 sizes is 1.4 %.
    assert found.mean() == pytest.approx((1_000 + 500_500) / 2, rel=0.06)


def test_flows_that_have_not_ended_are_counted(here: Path):
    text = '[[flows]]\npattern = { all-to-all = { size = "100 kB", order = "at-once" } }\n'
    found = run(here, text, messages=100)
    begun, left = found.metric("flows"), found.metric("unfinished flows")
    assert begun.value == 240
    assert left.value == 240 - len(found.flows)
    assert any("had not ended" in note for note in found.summary.data["notes"])


def test_the_tables_say_who_sent_what_when(torus: RunResult):
    table = torus.flows
    assert len(table) == 2 * 35 * 34
    assert (table["ended_ps"] - table["begun_ps"] >= table["ideal_ps"]).all()
    assert table.select("round", "from", "to").n_unique() == len(table)
    assert torus.metric("slowdown.max").value == pytest.approx(table["slowdown"].max(), rel=1e-5)
    assert torus.rounds["bytes"].to_list() == [35 * 34 * 16_384] * 2


def test_a_table_with_its_slowdown_is_read_as_it_is(tmp_path: Path, torus: RunResult):
    """Earlier versions wrote it."""
    torus.save(tmp_path / "run", report=False)
    table = tmp_path / "run/flows.parquet"
    assert "slowdown" not in pl.read_parquet(table).columns
    pl.read_parquet(table).with_columns(slowdown=pl.lit(2.0)).write_parquet(table)
    again = hopscope.read(tmp_path / "run")
    assert isinstance(again, RunResult)
    assert set(again.flows["slowdown"]) == {2.0}


def test_the_same_scenario_and_seed_give_the_same_flows(torus: RunResult):
    again = hopscope.run("torus-7x5-credits", set=TORUS)
    assert again.summary.data["result_hash"] == torus.summary.data["result_hash"]
    assert again.flows.equals(torus.flows)


def test_links_held_back_are_those_without_credit(torus: RunResult):
    most = flows.most_paused(torus.summary, 3)
    assert len(most) == 3
    assert all(0 < share <= 1 for _, share in most)
    assert most == sorted(most, key=lambda row: -row[1])


@pytest.mark.parametrize("what", ["completion", "slowdown", "rounds", "pauses"])
def test_charts_have_data(torus: RunResult, what: str):
    assert '"values":' in torus.plot(what).to_json(indent=None)


def test_runs_without_flows_have_no_such_charts(queue_run: RunResult):
    with pytest.raises(UsageError):
        queue_run.plot("completion")
    assert queue_run.flows.is_empty()


def test_the_page_tells_of_flows_and_draws_the_network(torus: RunResult, tmp_path: Path):
    page = torus.report(tmp_path / "report.html").read_text(encoding="utf-8")
    drawn = [figure["title"] for figure in pages.section(page, "Flows")["figures"]]
    assert drawn == ["Completion times", "Slowdown by size", "Rounds", "Stopped links"]
    assert "Map" in pages.headings(page)
    tiles = [figure["name"] for figure in pages.section(page, "Answer")["figures"]]
    assert tiles[-2:] == ["round, mean", "bus bandwidth"]


def test_a_run_prints_rounds_slowdowns_and_pauses(command: Callable[..., Result]):
    words = [word for path, value in TORUS.items() for word in ("--set", f"{path}={value}")]
    done = command("run", "torus-7x5-credits", *words, "--no-report")
    assert done.exit_code == 0
    for name in ("round, mean", "bus bandwidth", "slowdown, p99", "flow fairness", "out of credit", "flows"):
        assert any(line.startswith(name) for line in done.stdout.splitlines()), name


@pytest.mark.parametrize("name", ["roce-fat-tree-incast", "roce-fat-tree-all-reduce"])
def test_ready_clusters_run_on_a_smaller_tree(name: str):
    few = {"network.fat-tree.radix": 4, "measure.messages": 1_000}
    if "incast" in name:
        few["flows[0].pattern.incast.senders"] = 12
    found = hopscope.run(name, set=few)
    assert found.outcome in ("complete", "unsettled")  # so short a run may not have settled
    assert found.metric("slowdown.mean").value >= 1


def test_a_dragonfly_needs_its_lanes():
    few = {"flows[0].rounds": 1}
    assert hopscope.run("dragonfly-36", set=few).outcome == "complete"
    alone = {"routing.rule": "shortest", "frames.flow_control.credits.lanes": 1}
    found = hopscope.run("dragonfly-36", set=few | alone)
    assert found.outcome == "deadlock"
    for key in ("throughput", "latency.mean", "slowdown.mean"):
        assert found.metric(key) is None, key
    assert len(found.summary.data["stuck"]["cycle"]) > 2
