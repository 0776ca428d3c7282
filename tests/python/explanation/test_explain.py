"""Why a run is slow, and what would help: small scenarios whose bottleneck is planted."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from hopscope import engine, kinds
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.planning.candidates import repairs, suspects
from hopscope.planning.candidates.changes import changes
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.trying import trials
from hopscope.planning.trying.ranking import ranked
from hopscope.report import run_page
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.shares import folded, in_words
from hopscope.results.trial import Confirmation, Trial

Command = Callable[..., Result]

QUICK = ("--set", "measure.messages=5000")


def test_a_result_names_the_slow_station_with_its_numbers(row: str):
    found = hopscope.run(row).explain()
    assert found.cause == "resource"
    assert found.nodes == ["station 2"]
    assert found.resource == "station 2"
    assert found.sentence.startswith("Bottleneck: station 2 (")
    assert [link["resource"] for link in found.chain] == ["station 2"]
    assert sum(share["share"] for share in found.shares("resources")) > 0.9
    widest = found.shares()[0]
    assert widest["low"] <= widest["share"] <= widest["high"]
    assert "station 2" in found._repr_html_()
    assert "station 2" in repr(found)


def test_a_cause_is_confirmed_by_relieving_it(command: Command, row: str):
    found = hopscope.explain(row)
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    assert first.candidate.resource == "station 2"
    assert first.what in ("station 2 twice as fast", "one more server at station 2")
    assert found.confirmation.is_confirmed
    assert first.gain is not None
    assert 0.3 < first.gain.value < 1
    shown = command("explain", row).stdout
    assert "change and its effect (test runs of up to 5 000 messages, same random numbers)" in shown
    assert "--set 'station[1]." in shown


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.1, 0.3, None),
        (-0.1, 0.2, "not confirmed: the interval of the first gain contains 0"),
        (-0.1, 0.105, "not confirmed: no change for a likely cause gains anything"),
    ],
)
def test_what_speaks_against_a_cause_is_said(low: float, high: float, words: str | None):
    gain = Estimate((low + high) / 2, low, high, "fraction", 1)
    tried = Trial(Candidate(Cause.RESOURCE, "", ("a",)), "faster", (), "latency", gain)
    doubt = Confirmation(1, (tried,)).doubt
    assert (doubt or "").startswith(words or "")
    assert (doubt is None) == (words is None)


def test_a_sure_gain_of_another_cause_speaks_against_the_one_that_is_named():
    none, sure = Estimate(0.0, -0.1, 0.1, "fraction", 1), Estimate(0.5, 0.4, 0.6, "fraction", 1)
    trials = tuple(
        Trial(Candidate(cause, ""), "a change", (), "latency", gain)
        for cause, gain in ((Cause.LOSS, none), (Cause.PATH_COLLISION, sure))
    )
    assert "the first row, the one for another cause" in (Confirmation(1, trials).doubt or "")


def test_without_confirmation_it_is_said(command: Command, row: str):
    done = command("explain", row, "--no-confirm")
    assert "not confirmed: no change was tried" in done.stdout
    assert hopscope.explain(row, confirm=False).confirmation is None


def test_senders_that_wait_for_the_network_are_judged_by_throughput():
    found = hopscope.explain("pup-epr-radio", set={"measure.messages": 1_000})
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    # The radio takes a Pup as often as its interval lets it: a faster channel alone would gain little.
    assert first.goal == "throughput"
    assert first.set[0].startswith("network[0].medium.radio.interval=")
    assert first.gain is not None
    assert first.gain.low > 0.2


RING = {
    "model": "fabric",
    "network": {"ring": {"switches": 8, "hosts_per_switch": 1}},
    "link": {"rate": "100 Gbit/s"},
    "routing": {"rule": "up-down"},
    "frames": {"balancing": "spray"},
    "traffic": {"load": 0.5, "sizes": {"fixed": "16 KiB"}},
    "measure": {"messages": 4_000},
}


def test_routes_that_lock_up_are_no_relief(tmp_path):
    path = tmp_path / "ring.json"
    path.write_text(json.dumps(RING))
    shortest = 'routing.rule="shortest"'
    assert hopscope.run(path, set=[shortest]).outcome == "deadlock"
    why = hopscope.explain(path)
    assert why.confirmation is not None
    assert all(shortest not in trial.set for trial in why.confirmation.trials)
    tried = {trial.candidate.cause: trial for trial in why.confirmation.trials}
    # What surely gains is named instead of the routes.
    assert why.cause == "blocking"
    assert tried["blocking"].is_sure


def test_flows_that_meet_under_a_hash_are_named_with_what_helps(command: Command, here: Path):
    """The scenario that `init` writes, at a load that its short runs cannot settle at."""
    assert command("init", "fabric.toml").exit_code == 0
    load = {"traffic.load": 0.6}
    assert hopscope.run("fabric.toml", set=load | {"measure.messages": 5_000}).outcome == "saturated"
    why = hopscope.explain("fabric.toml", set=load)
    assert why.cause == "path collision"
    assert why.confirmation is not None
    first, second = why.confirmation.trials[:2]
    assert first.goal == second.goal == "latency"
    assert first.set in (('frames.balancing="adaptive"',), ('frames.balancing="round-robin-spray"',))
    assert first.gain is not None
    assert first.gain.low > 0.3
    assert (second.candidate.cause, second.set) == ("blocking", ("frames.buffer.alpha=1.0",))


def test_a_change_that_relieves_two_places_is_made_once_and_leaves_time_for_others(tmp_path: Path):
    """Short buffers for credits; runs long enough to try three changes. ECN is one for two places."""
    path = tmp_path / "credits.json"
    short = {"lanes": 2, "buffer_per_lane": "16 KiB"}
    torus = RING | {
        "network": {"torus": {"width": 4, "height": 4, "hosts_per_switch": 2, "servers": 0}},
        "link": {"rate": "100 Gbit/s", "delay": "0 ns"},
        "routing": {"rule": "dimension-order"},
        "frames": {"mtu": "1000 B", "flow_control": {"credits": short}},
        "traffic": {"load": 0.3, "sizes": {"fixed": "64 KiB"}},
    }
    path.write_text(json.dumps(torus))
    why = hopscope.explain(path)
    assert why.confirmation is not None
    first = why.confirmation.trials[0]
    assert "buffer_per_lane" in first.set[0]
    assert first.gain is not None
    assert first.gain.value > 0.05


def _two_switches(cables: list[dict[str, str]], **frames: object) -> dict[str, object]:
    """Two hosts at each of two switches, with these cables between them, and credits."""
    hosts = [{"name": f"h{at}", "at": "ab"[at % 2]} for at in range(4)]
    links = [{"between": ["a", "b"], **cable} for cable in cables]
    return {
        "model": "fabric",
        "network": {"custom": {"switches": ["a", "b"], "hosts": hosts, "links": links}},
        "routing": {"rule": "shortest"},
        "link": {"rate": "100 Gbit/s", "delay": "50 ns"},
        "frames": {"flow_control": {"credits": {"buffer_per_lane": "64 KiB"}}, **frames},
        "traffic": {
            "load": 0.6,
            "sizes": {"fixed": "4 KiB"},
            "pattern": {"flows": [{"from": "h0", "to": "h1"}]},
        },
        "measure": {"messages": 20_000},
    }


def _relieved(scenario: dict[str, object]) -> dict[str, Trial]:
    """What was tried of a scenario, by the cause."""
    confirmation = hopscope.explain(scenario).confirmation
    assert confirmation is not None
    return {trial.candidate.cause: trial for trial in confirmation.trials}


def test_too_few_credits_are_relieved_by_larger_buffers():
    long = _two_switches([{"delay": "5 us"}], flow_control={"credits": {"buffer_per_lane": "32 KiB"}})
    window = _relieved(long)["window"]
    # What a link of 100 Gbit/s sends in 10 us and two frames, in whole frames of 4 KiB, and one more.
    assert window.set == ('frames.flow_control.credits.buffer_per_lane="140 KB"',)
    # 32 KiB a round trip of 10.5 us are a quarter of the rate; with more the link carries the load of 0.6.
    assert window.gain is not None
    assert window.gain.value == pytest.approx(0.6 / 0.25 - 1, abs=0.2)


def test_a_slow_host_is_relieved_where_it_is_slow():
    trial = _relieved(_two_switches([{}], slow_hosts=[{"host": "h1", "drain": "10 Gbit/s"}]))["resource"]
    assert trial.what == "host h1 drains as fast as its link"
    assert trial.set == ("frames.slow_hosts=[]",)
    assert trial.gain is not None
    assert trial.gain.low > 1


def test_of_several_slow_hosts_one_at_a_time_is_repaired():
    slow = [{"host": host, "drain": "10 Gbit/s"} for host in ("h1", "h3")]
    scenario = engine.load(_two_switches([{}], slow_hosts=slow))
    repaired = repairs.slow_hosts(json.loads(scenario.canonical_json()))
    assert [each.set for each in repaired] == [
        ('frames.slow_hosts=[{ drain = "10 Gbit/s", host = "h3" }]',),
        ('frames.slow_hosts=[{ drain = "10 Gbit/s", host = "h1" }]',),
    ]


def test_a_link_that_retries_is_tried_without_its_errors():
    trial = _relieved(_two_switches([{}], retrying_links=[{"between": ["a", "b"], "failing": 0.7}]))["loss"]
    assert trial.what == "no retries at a - b"
    assert trial.set == ("frames.retrying_links=[]",)
    assert trial.gain is not None
    assert trial.gain.low > 0.5


def test_of_a_bundle_only_the_slow_cable_is_replaced():
    usual = {"rate": "100 Gbit/s"}
    bundle = _two_switches([usual, usual, usual, usual, {"rate": "10 Gbit/s"}], balancing="spray")
    trial = _relieved(bundle)["resource"]
    assert trial.set == ("upgrade.replace_slow_cables=true",)
    assert trial.what == "the slow cable a:4 - b:4 replaced by one of 100 Gbit/s"
    scenario = engine.load(bundle)
    listed = relaxations_for(scenario, hopscope.explain(bundle, confirm=False))
    replaced = next(each for each in listed if each.set == trial.set)
    assert replaced.cost == "2 ports of 100 Gbit/s instead of 10 Gbit/s"
    # The good cables beside it are as fast as they should be.
    assert not any(each.joins == replaced.joins and each is not replaced for each in listed)


def test_a_bundle_that_is_too_slow_costs_all_of_its_ports():
    found = hopscope.explain(_two_switches([{"rate": "10 Gbit/s"}] * 4), confirm=False)
    listed = relaxations_for(engine.load(_two_switches([{"rate": "10 Gbit/s"}] * 4)), found)
    bundle = next(each for each in listed if each.joins == frozenset(("a", "b")))
    assert bundle.label.startswith("the 4 links a - b")
    assert bundle.cost.startswith("8 ports")


LOCKED = {
    "model": "fabric",
    "network": {"ring": {"switches": 5, "hosts_per_switch": 2}},
    "routing": {"rule": "shortest"},
    "link": {"rate": "100 Gbit/s", "delay": "50 ns"},
    "frames": {"latency": "200 ns", "flow_control": {"credits": {"buffer_per_lane": "16 KiB"}}},
    "traffic": {"load": 0.9, "sizes": {"fixed": "16 KiB"}},
    "measure": {"messages": 20_000},
}


def test_a_deadlock_is_relieved_by_routes_without_a_credit_loop(command: Command, tmp_path: Path):
    path = tmp_path / "locked.json"
    path.write_text(json.dumps(LOCKED))
    why = hopscope.explain(path)
    assert why.cause == "circular wait"
    assert why.confirmation is not None
    first, *_, last = why.confirmation.trials
    assert first.set == ('routing.rule="up-down"',)
    assert why.confirmation.is_confirmed
    assert not first.to_data()["credit_loop"]
    # Large buffers end no loop, and are no cure.
    assert last.to_data()["credit_loop"]
    assert "runs without deadlock here, the credit loop stays" in last.words()
    told = command("explain", str(path)).stdout
    cycle = hopscope.run(path).summary.data["stuck"]["cycle"]
    assert cycle
    assert all(line in told for line in cycle)


def test_where_rate_control_holds_senders_back_it_is_tried_without():
    flows = [{"from": f"h{at}", "to": "h0", "size": "2 MB"} for at in range(4, 10)]
    paced = {
        "model": "fabric",
        "network": {"fat-tree": {"tiers": 2, "radix": 4, "hosts_per_edge": 4}},
        "routing": {"rule": "shortest"},
        "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
        "frames": {"buffer": {"alpha": 0.5}, "ecn": {}, "dcqcn": {}},
        "flows": [{"name": "answers", "pattern": {"list": {"flows": flows}}}],
        "measure": {"warmup": "none", "messages": 1_000},
    }
    why = hopscope.explain(paced, what_if=True)
    stages = {row["id"]: row["share"] for row in why.data["shares"]["stages"]}
    assert stages["Pacing"] == max(stages.values())
    assert why.confirmation is not None
    tried = next(each for each in why.confirmation.trials if each.candidate.cause == "rate control")
    assert tried.what == "no DCQCN"
    assert why.what_if is not None
    gains = {gain.relaxation.label: gain.total for gain in why.what_if.gains}
    assert gains["no DCQCN"].low > 0.5
    assert gains["DCQCN steps 4 times as large"] is not None
    assert gains["ECN marking from 4 times the queue"] is not None


def test_a_load_beyond_what_links_can_carry_is_told(command: Command, tmp_path: Path):
    """Four leaves of three hosts and one uplink each: two thirds of a load leave their leaf."""
    path = tmp_path / "narrow.json"
    hosts = [{"name": f"h{at}", "at": f"l{at % 4}"} for at in range(12)]
    links = [{"between": [f"l{at}", "spine"]} for at in range(4)]
    switches = ["spine", *(f"l{at}" for at in range(4))]
    narrow = RING | {
        "network": {"custom": {"switches": switches, "links": links, "hosts": hosts}},
        "routing": {"rule": "shortest"},
    }
    path.write_text(json.dumps(narrow))
    # Of the eleven others nine are at other leaves: 3 * 9/11 of a host's load go over the uplink.
    carried = 11 / 27
    told = command("explain", str(path), "--set", "traffic.load=0.6").stdout
    assert f"a load of 0.600; these links and routes carry at most {carried:.3f}" in told
    assert "these links and routes" not in command("explain", str(path), "--set", "traffic.load=0.3").stdout


def test_changes_of_a_scenario_differ_in_words():
    for name, model, _ in hopscope.scenarios():
        canonical = json.loads(engine.load(name).canonical_json())
        labels = [change.label for change in changes(model, canonical)]
        assert len(set(labels)) == len(labels), name


def test_a_sure_relief_comes_before_one_at_the_same_place_that_may_gain_nothing():
    def trial(cause: str, low: float, high: float) -> Trial:
        gain = Estimate((low + high) / 2, low, high, "fraction", 1)
        return Trial(Candidate(Cause(cause), "", ("a", "b")), "more", (cause,), "latency", gain)

    for low, first in ((-0.1, "resource"), (0.1, "blocking")):
        order = ranked([trial("blocking", low, 0.4), trial("resource", 0.5, 0.7)])
        assert order[0].candidate.cause == first
    # A mechanism that surely gains more than a faster resource is what makes messages wait.
    order = ranked([trial("resource", 0.1, 0.4), trial("blocking", 0.5, 0.7)])
    assert order[0].candidate.cause == "blocking"


def test_where_runs_are_long_each_candidate_has_one_change_of_its_place_first(
    row: str, monkeypatch: pytest.MonkeyPatch
):
    ran: list[int] = []
    monkeypatch.setattr(trials, "EVENTS", 1)
    simulated = trials.simulated_or_failed
    monkeypatch.setattr(
        trials,
        "simulated_or_failed",
        lambda these, progress: ran.append(len(these)) or simulated(these, progress),
    )
    hopscope.explain(row)
    assert max(ran) <= suspects.CANDIDATES


def test_a_cause_whose_relief_gains_nothing_is_not_named():
    def trial(node: str, low: float, high: float) -> Trial:
        gain = Estimate((low + high) / 2, low, high, "fraction", 1)
        return Trial(Candidate(Cause.RESOURCE, "", (node,)), "faster", (), "latency", gain)

    useless, better, best = trial("a", -0.01, 0.005), trial("b", 0.1, 0.2), trial("c", 0.3, 0.4)
    assert ranked([useless, better]) == [better]
    assert ranked([better, best]) == [best, better]
    # Where none helps, what use and waiting tell remains.
    assert ranked([useless]) == [useless]


def test_the_page_tells_who_waits_and_by_how_much_the_lifetime_is_longer(row: str):
    found = hopscope.run(row).explain()
    words = dict(found.evidence_rows())
    assert re.fullmatch(r".* times its minimum; .* % of it is waiting, .* us on average", words["lifetime"])
    # That is the wait of all messages, and it has been there from the beginning.
    assert not {"who waits", "since"} & words.keys()
    begun = dict(found.begun(0.25).evidence_rows())
    assert re.fullmatch(r"250 ms of simulated time; then .* % of the time", begun["since"])


def test_what_was_counted_at_many_places_is_one_row(row: str):
    run = hopscope.run(row).explain()

    def counted(places: int) -> list[str]:
        counts = [{"what": "interruptions", "place": f"IMP {at}", "count": 9 - at} for at in range(places)]
        page = {**run.page, "counts": counts}
        rows = Explanation({**run.data, "page": page}).evidence_rows()
        return [words for _, words in rows if "interruptions" in words]

    assert counted(2) == ["9 interruptions at IMP 0", "8 interruptions at IMP 1"]
    assert counted(4) == ["6 to 9 interruptions at each of 4 places, the most at IMP 0"]


def test_shares_have_a_row_for_the_rest():
    found = hopscope.run("pup-epr-gateway", set={"measure.messages": 500}).explain()
    for by in ("stages", "resources", "places"):
        rows = found.share_rows(by)
        told = sum(row["share"] for row in found.shares(by))
        assert (rows[-1][0] == "other") == (told < 1 - 1e-9), by


SHORT = {"arpanet": {"duration": "30 s", "measure.warmup": "1 s"}, "other": {"measure.messages": 500}}


# Flows that never end, or two of them: what counts is the queue or the rates that they keep, no mean delay.
WITHOUT_A_DELAY = {"dctcp-long-flows", "dctcp-convergence"}


@pytest.mark.parametrize("name", [name for name, *_ in hopscope.scenarios()])
def test_the_stages_add_up_to_the_delay_that_is_printed_first(name: str):
    model = engine.load(name).model
    run = hopscope.run(name, set=SHORT.get(model, SHORT["other"]))
    summary = run.summary
    delay = summary.explained_delay()
    if delay is None or summary.metric(f"{delay}.mean") is None:
        if name in WITHOUT_A_DELAY:
            return
        assert summary.outcome != "complete" or not summary.data["measured"]["messages"]
        return
    told = folded(summary, lambda row: row["share"] >= 0.1)
    assert sum(row["share"] for row in told) == pytest.approx(1.0, rel=1e-12)
    words = in_words(summary)
    assert sum(int(part.split(" %")[0]) for part in words.split(", ")) == pytest.approx(100, abs=2)
    mean = summary.metric(f"{delay}.mean")
    assert mean is not None
    within = [row for row in summary.ledger() if not kinds.follows_latency(row["stage"])]
    us = {"us": 1.0, "ms": 1e3}[mean.unit]
    assert sum(row["estimate"]["value"] for row in within) == pytest.approx(mean.value * us, rel=1e-12)


def test_a_run_folder_is_explained_as_its_run_was(command: Command, row: str):
    assert command("run", row, "--out", "kept", "--quiet").exit_code == 0
    fresh = command("explain", row)
    kept = command("explain", "kept")
    assert fresh.exit_code == kept.exit_code == 0
    assert kept.stdout == fresh.stdout
    assert "station 2" in kept.stdout
    assert json.loads(command("explain", "kept", "--json").stdout)["verdict"]["resource"] == "station 2"


def test_what_has_been_run_cannot_be_changed_and_a_sweep_is_many_runs(command: Command, row: str):
    command("run", row, "--out", "kept", "--quiet")
    refused = command("explain", "kept", "--seed", "3")
    assert refused.exit_code == 2
    assert "cannot be changed" in refused.stderr
    command("sweep", row, "--over", "arrivals.load=0.2,0.4", "--out", "swept", "--quiet")
    refused = command("explain", "swept")
    assert refused.exit_code == 2
    assert "points/" in refused.stderr
    assert command("explain", "swept/points/001-seed-1").exit_code == 0


def test_a_folder_of_an_older_version_says_what_it_lacks(command: Command, row: str, here):
    command("run", row, "--out", "kept", "--quiet")
    (here / "kept/why.json").unlink()
    refused = command("explain", "kept")
    assert refused.exit_code == 2
    assert "why.json" in refused.stderr
    assert "run the scenario again" in refused.stderr


DAMAGED = {
    "nothing": "",
    "no object": "[]",
    "null": "null",
    "no fields": "{}",
    "somebody else's fields": '{"title": 3, "verdict": "slow"}',
    "too deep": "[" * 100_000,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("file", ["why.json", "summary.json"])
def test_a_damaged_file_of_a_run_folder_is_named(command: Command, row: str, here, file: str, content: str):
    command("run", row, "--out", "kept", "--quiet")
    (here / "kept" / file).write_text(content)
    refused = command("explain", "kept")
    assert refused.exit_code == 2
    assert file in refused.stderr
    assert "hint:" in refused.stderr


@pytest.mark.parametrize(
    "content", [None, b"", b"no table", b"PAR1" * 9], ids=["gone", "empty", "text", "marks"]
)
def test_a_damaged_table_of_resources_is_named(command: Command, row: str, here, content: bytes | None):
    command("run", row, "--out", "kept", "--quiet")
    table = here / "kept/resources.parquet"
    table.unlink()
    if content is not None:
        table.write_bytes(content)
    refused = command("explain", "kept")
    assert refused.exit_code == 2
    assert table.name in refused.stderr
    assert "hint:" in refused.stderr


def test_a_deadlock_is_explained_with_exit_code_1(command: Command):
    done = command("explain", "an1-deadlock")
    assert done.exit_code == 1
    assert "Deadlock" in done.stdout


def test_the_report_says_why_draws_the_chain_and_the_life_of_messages():
    run = hopscope.run(
        "an1-mstage", set={"measure.messages": 3_000, "measure.journeys": 50, "traffic.load": 0.9}
    )
    sections = {section["heading"]: section for section in run_page.page(run).data()["sections"]}
    found = run.explain()
    assert sections["Answer"]["verdict"] == found.sentence
    assert [each["evidence"] for each in sections["Why"]["symptoms"]] == [
        symptom["evidence"] for symptom in found.further_symptoms
    ]
    # The verdict says as much of head-of-line blocking.
    assert found.cause == Cause.BLOCKING
    assert "head-of-line blocking" in {symptom["name"] for symptom in found.symptoms}
    assert "head-of-line blocking" not in {symptom["name"] for symptom in found.further_symptoms}
    assert [link["resource"] for link in sections["Why"]["chain"]] == [row[0] for row in found.chain_rows()]
    assert sections["Time and space"]["journeys"]


def test_the_report_of_a_sweep_tells_the_verdict_at_every_point(row: str, tmp_path):
    swept = hopscope.sweep(row, {"arrivals.load": [0.3, 0.95]})
    page = swept.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Why, point by point" in page
    assert "This network is healthy" in page
    assert "Bottleneck: station 2" in page


def test_an_explanation_is_data(row: str):
    data = json.loads(hopscope.run(row).explain().to_json())
    assert Explanation(data).sentence == data["verdict"]["sentence"]
    assert {"verdict", "chain", "roots", "holders", "congestion", "symptoms", "shares", "result_hash"} <= set(
        data
    )


def test_holders_of_every_model_are_shown(command: Command):
    for scenario, resource, holder in (
        ("an1-mstage", "the FIFO at l0s2:3", "packets"),
        ("arpanet-row", "the message numbers source -> destination", "message in transit"),
    ):
        done = command("explain", scenario, "--set", "measure.messages=2000", "--details")
        assert done.exit_code == 0, done.output
        shown = done.stdout.partition("mean occupancy by holder")[2]
        assert re.search(rf"^{resource} +{holder} ", shown, re.MULTILINE)
