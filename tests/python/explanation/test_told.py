"""What `run` and `explain` tell an operator: what a verdict rests on, units, tables worth their lines."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import Result

import hopscope
from conftest import QUEUE
from hopscope.cause import Cause
from hopscope.cli import terminal
from hopscope.estimate import Estimate
from hopscope.report import answer
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import Confirmation, Trial

Command = Callable[..., Result]
ALONE = "To test this verdict and see what would help: hopscope explain kept"
# Two flows that have begun before the measurement, and are all that it measures.
TWO_FLOWS = "dctcp-long-flows"
# Hosts of a fabric with pause frames, where many congestion trees come and go.
PAUSES: dict[str, Any] = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 8}},
    "routing": {"rule": "shortest"},
    "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
    "frames": {"flow_control": {"pfc": {"xoff": "16 KiB"}}},
    "traffic": {"load": 0.5, "sizes": {"fixed": "64 KiB"}},
    "measure": {"messages": 5_000},
}
LOCKED: dict[str, Any] = {
    "model": "fabric",
    "network": {"ring": {"switches": 5, "hosts_per_switch": 2}},
    "routing": {"rule": "shortest"},
    "link": {"rate": "100 Gbit/s", "delay": "50 ns"},
    "frames": {"flow_control": {"credits": {"buffer_per_lane": "16 KiB"}}},
    "traffic": {"load": 0.9, "sizes": {"fixed": "16 KiB"}},
    "measure": {"messages": 20_000},
}


def test_a_verdict_of_one_run_says_what_it_rests_on(command: Command, row: str):
    done = command("run", row, "--no-report", "--out", "kept")
    assert ALONE in done.stdout
    run = hopscope.read("kept")
    why = run.explain()
    assert "by this run alone" in repr(why)
    assert "By this run alone" in why._repr_html_()
    assert answer.evidence(why)[0][0] == "rests on"
    # What has been tried rests on more.
    tried = hopscope.explain(row)
    assert "by this run alone" not in repr(tried)
    assert answer.evidence(tried)[0][0] != "rests on"


def test_a_verdict_without_a_cause_and_a_deadlock_need_no_such_word(command: Command, here: Path):
    (here / "locked.json").write_text(json.dumps(LOCKED))
    for source, load in ((QUEUE, "arrivals.load=0.1"), ("locked.json", "traffic.load=0.9")):
        done = command("run", source, "--set", load, "--set", "measure.messages=5000", "--no-report")
        assert done.exit_code in (0, 1), done.output
        assert "rests on" not in done.stdout


@pytest.mark.parametrize(("share", "tells"), [(0.3, True), (0.05, True), (0.04, False)])
def test_a_table_of_places_is_left_out_where_none_stands_out(row: str, share: float, tells: bool):
    run = hopscope.run(row).explain()
    places = [{"place": f"leaf{at}, output", "ends": None, "share": share} for at in range(3)]
    why = Explanation({**run.data, "shares": {**run.data["shares"], "places": places}})
    assert why.tells("places") == tells
    assert why.tells("stages")


def test_of_pairs_that_wait_like_all_messages_none_is_told(row: str):
    run = hopscope.run(row).explain()

    def told(*hurt: tuple[str, float], lifetime: float | None = None) -> list[str]:
        nothing = dict.fromkeys(("waits_us", "times_mean"))
        rows = [{"who": who, "is_pair": "->" in who, "share": share, **nothing} for who, share in hurt]
        why = Explanation({**run.data, "page": {**run.page, "hurt": rows, "times_minimum": lifetime}})
        return [words for _, words in why.evidence_rows() if "of their lifetime" in words]

    assert told(("all", 0.999), ("a -> b", 0.998), ("c -> d", 0.997)) == ["all: 100 % of their lifetime"]
    assert told(("all", 0.5), ("a -> b", 0.8), ("c -> d", 0.8), ("e -> f", 0.7)) == [
        "all: 50 % of their lifetime",
        "pair a -> b, pair c -> d: 80 % of their lifetime",
        "pair e -> f: 70 % of their lifetime",
    ]
    # The row "lifetime" has what all messages wait.
    assert told(("all", 0.999), ("a -> b", 0.998), lifetime=2.0) == []
    assert told(("all", 0.5), ("e -> f", 0.7), lifetime=2.0) == ["pair e -> f: 70 % of their lifetime"]
    assert told(("AData", 0.65)) == ["class AData: 65 % of their lifetime"]
    many = [(f"{name} -> x", 0.8) for name in "abcd"]
    assert told(*many) == ["pair a -> x and 3 others alike: 80 % of their lifetime"]


def test_a_symptom_of_the_resource_that_the_verdict_names_is_not_told_again(row: str):
    run = hopscope.run(row).explain()
    own, other = ({"name": "saturated link", "evidence": "so", "resource": at} for at in ("a", "b"))
    bursts = {"name": "synchronised bursts", "evidence": "so"}

    def told(resource: str | None) -> list[Any]:
        verdict = {**run.data["verdict"], "resource": resource}
        why = Explanation({**run.data, "verdict": verdict, "symptoms": [own, other, bursts]})
        return list(why.further_symptoms)

    assert told("a") == [other, bursts]
    assert told(None) == [own, other, bursts]


def _candidate(sentence: str, weight: float, *nodes: str, stated: bool = True) -> Candidate:
    return Candidate(Cause.RESOURCE, sentence, nodes, weight=weight, weight_stated=stated)


def _trial(candidate: Candidate, gain: float) -> Trial:
    found = Estimate(gain, gain - 0.1, gain + 0.1, "fraction", 1)
    return Trial(candidate, "faster", ("link.rate='200 Gbit/s'",), "latency", found)


@pytest.mark.parametrize(
    ("first", "second", "gains", "words"),
    [
        (0.75, 0.6, (0.5, 0.2), "accounts for 60 % of lifetimes, the verdict for 75 %"),
        (
            0.75,
            0.89,
            (0.5, 0.2),
            "accounts for 89 % of lifetimes, the verdict for 75 %, but relieving it gains less",
        ),
        # Nothing that is known says why it is second.
        (0.75, 0.89, (0.2, 0.5), "accounts for 89 % of lifetimes"),
        (0.75, 0.89, None, "accounts for 89 % of lifetimes"),
    ],
)
def test_a_runner_up_that_explains_more_is_told_with_what_decided(
    row: str, first: float, second: float, gains: tuple[float, float] | None, words: str
):
    run = hopscope.run(row).explain()
    named = _candidate(f"One explains {first:.0%}".replace("%", " %"), first, "a")
    other = _candidate("Two.", second, "b")
    why = run.naming(named, other)
    if gains is not None:
        trials = tuple(_trial(each, gain) for each, gain in zip((named, other), gains, strict=True))
        why = why.confirmed(Confirmation(1, trials))
    assert dict(why.evidence_rows())["also possible"] == f"resource ({words})"


def test_the_share_of_the_verdict_is_told_where_its_sentence_states_it_whatever_its_numbers(row: str):
    run = hopscope.run(row).explain()
    other = _candidate("Two.", 0.1, "b")
    stated = _candidate("Messages spend half a quarter of their lifetime there.", 0.125, "a")
    used = _candidate("The link is 13 % utilised.", 0.125, "a", stated=False)
    rows = [dict(run.naming(each, other).evidence_rows()) for each in (stated, used)]
    assert rows[0]["also possible"] == "resource (accounts for 10 % of lifetimes, the verdict for 13 %)"
    assert rows[1]["also possible"] == "resource (accounts for 10 % of lifetimes)"


def test_a_trial_is_of_a_cause_whatever_is_said_of_it(row: str):
    run = hopscope.run(row).explain()
    named, other = _candidate("One.", 0.5, "a"), _candidate("Two.", 0.6, "b")
    other = replace(other, resource="the window")
    alike = replace(other, resource="the line")
    said = replace(other, sentence="The same in other words.")
    for tried, is_told in ((said, True), (alike, False)):
        why = run.naming(named, other)
        trials = (_trial(named, 0.5), _trial(tried, 0.2))
        words = dict(replace(why, confirmation=Confirmation(1, trials)).evidence_rows())["also possible"]
        assert ("but relieving it gains less" in words) is is_told


@pytest.mark.parametrize(
    ("outcome", "other", "told"),
    [
        ("complete", {"cause": Cause.BLOCKING}, ["blocking (accounts for 40 % of lifetimes)"]),
        # The verdict's sentence has another measure than its share of a lifetime.
        ("complete", {"nodes": ("b",)}, ["resource (accounts for 40 % of lifetimes)"]),
        # The same cause at the same place.
        ("complete", {}, []),
        # What is locked up waits behind others: that follows.
        ("deadlock", {"cause": Cause.BLOCKING}, []),
        ("deadlock", {"cause": Cause.LOSS}, ["loss (accounts for 40 % of lifetimes)"]),
    ],
)
def test_runners_up_that_tell_nothing_more_are_not_told(
    row: str, outcome: str, other: Mapping[str, Any], told: list[str]
):
    run = hopscope.run(row).explain()
    named = _candidate("86 % of all waiting is there.", 0.71, "a", stated=False)
    runner_up = replace(_candidate("Two.", 0.4, "a"), **other)
    why = Explanation({**run.naming(named, runner_up).data, "outcome": outcome})
    assert [words for name, words in why.evidence_rows() if name == "also possible"] == told


def test_the_options_of_a_long_row_have_a_line_of_their_own(row: str):
    why = hopscope.run(row).explain()
    why = why.confirmed(Confirmation(1, (_trial(_candidate("One.", 0.5), 0.3),)))
    told, how = "faster: 30.0 % less latency [20.0, 40.0]", "--set 'link.rate='\"'\"'200 Gbit/s'\"'\"''"
    assert why.confirmation_rows() == [("resource", f"{told} ({how})")]
    assert why.confirmation_rows(60) == [("resource", told), ("", f"  {how}")]


def test_amounts_that_are_held_and_wait_have_their_unit(command: Command, here: Path):
    (here / "pauses.json").write_text(json.dumps(PAUSES))
    shown = command("explain", "pauses.json", "--no-confirm", "--details").stdout
    assert " % of the time (" in shown
    assert " packets" in shown.partition("blocking chain")[2].partition("by stage")[0]
    # The model counts no times of holders: a column without any is left out.
    assert "mean held (share)" in shown
    assert "mean time held" not in shown
    queue = hopscope.run("an1-mstage", set={"measure.messages": 2_000}).explain()
    held = [mean for _, holder, mean, *_ in queue.holder_rows() if holder == "packets"]
    assert held
    assert all(" packets (" in mean for mean in held)


def test_times_of_a_run_have_the_unit_that_makes_them_short(command: Command):
    done = command("run", QUEUE, "--set", "measure.messages=2000", "--no-report")
    measured = next(line for line in done.stdout.splitlines() if line.startswith("measured"))
    assert "ms of simulated time, after a warm-up of " in measured
    assert "e-0" not in measured
    whole = command("run", TWO_FLOWS, "--set", 'measure.warmup="none"', "--no-report").stdout
    assert "of simulated time, without a warm-up" in whole


def test_few_messages_have_a_mean_without_an_interval(command: Command):
    done = command("run", TWO_FLOWS, "--no-report", "--out", "kept")
    run = hopscope.read("kept")
    flows = run.flows.select((pl.col("ended_ps") - pl.col("begun_ps")).mean() * 1e-6).item()
    mean = run.summary.as_told("latency.mean")
    assert run.metric("latency.mean") is None
    assert mean is not None
    assert (mean.value, mean.low, mean.high) == (pytest.approx(flows, rel=1e-3), -math.inf, math.inf)
    lines = done.stdout.splitlines()
    assert f"latency, mean        {mean}" in lines
    assert str(mean).endswith(" us (too few messages)")
    # The ledger adds up to it.
    stages = [run.summary.stage_us(each) for each in run.summary.ledger()]
    assert None not in stages
    assert math.fsum(each or 0.0 for each in stages) == pytest.approx(mean.value)
    assert next(line for line in lines if line.startswith("transmission ")).endswith(" us")


def test_what_was_offered_before_the_measurement_is_no_rate_of_0(command: Command):
    done = command("run", TWO_FLOWS, "--no-report", "--out", "kept")
    assert "offered              none: all of it came before the measurement began" in done.stdout
    figures = {each["name"]: each for each in answer.key_figures(hopscope.read("kept"))}
    assert figures["offered"]["value"] == "none"
    assert "before the measurement" in figures["offered"]["warning"]


def test_a_run_ends_in_words_of_its_model(command: Command):
    assert "complete: all flows finished" in command("run", TWO_FLOWS, "--no-report").stdout


def test_congestion_trees_are_one_line_and_the_rest_is_in_the_folder(command: Command, here: Path):
    (here / "pauses.json").write_text(json.dumps(PAUSES))
    done = command("run", "pauses.json", "--no-report", "--out", "kept")
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: congestion tree")]
    run = hopscope.read("kept")
    congestion = run.explain().data["congestion"]
    roots, trees = congestion["roots_sampled"], congestion["trees"]
    assert roots > 1
    assert len(trees) == min(roots, 8)
    assert len(notes) == 1
    assert notes[0].startswith(
        f"note: congestion trees: {roots} roots seen; most often {trees[0]['root']}, in "
    )
    assert "up to 0" not in notes[0]
    # The folder and the page have them one by one.
    assert [each["note"] for each in trees] == [each for each in run.notes if "congestion tree: " in each]


def test_sentences_fit_a_terminal_and_are_one_line_elsewhere(monkeypatch: pytest.MonkeyPatch):
    text = "Bottleneck: the link leaf-1 -> spine-2 (97 % utilised; 99 % of all waiting is for it)."
    assert terminal.wrapped(text, "note: ") == [f"note: {text}"]
    monkeypatch.setattr(terminal.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "50")
    lines = terminal.wrapped(text, "note: ")
    assert len(lines) > 1
    assert all(len(line) <= 50 for line in lines)
    assert lines[1].startswith("      ")
    assert " ".join(line.strip() for line in lines) == f"note: {text}"
