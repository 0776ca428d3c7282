"""The pages are one file each, load nothing, and say what was found."""

import base64
import hashlib
import json
import math
import re
import struct
from html.parser import HTMLParser
from itertools import combinations, pairwise
from pathlib import Path

import pytest

import hopscope
import pages
from conftest import PROJECT
from hopscope import kinds, numerals, palette
from hopscope.estimate import Estimate
from hopscope.report import changes, comparison_page, figures, headline, run_figures, sweep_figures
from hopscope.report import run_page as page_of_run
from hopscope.report import sweep_page as page_of_sweep
from hopscope.report.answer import key_figures
from hopscope.report.page import style
from hopscope.results.run import RunResult
from hopscope.results.shares import lifetime, over_runs
from hopscope.results.summary import Summary
from hopscope.results.sweep import SweepResult
from hopscope.stage_styles import _SERVICES, _WAITS

FABRIC = PROJECT / "scenarios" / "leaf-spine.ibnetdiscover"
LARGEST_PAGE = 2_000_000


class Outline(HTMLParser):
    """The tags of a page with their attributes, and its text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self._inside):
            self.text += data


@pytest.fixture(scope="module")
def run_page(network_run: RunResult, tmp_path_factory: pytest.TempPathFactory) -> str:
    return network_run.report(tmp_path_factory.mktemp("run") / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sweep_page(network_sweep: SweepResult, tmp_path_factory: pytest.TempPathFactory) -> str:
    return network_sweep.report(tmp_path_factory.mktemp("sweep") / "report.html").read_text(encoding="utf-8")


@pytest.fixture(params=["run", "sweep"])
def page(request: pytest.FixtureRequest, run_page: str, sweep_page: str) -> str:
    return run_page if request.param == "run" else sweep_page


def test_a_page_loads_nothing(page: str):
    loads = [
        entry for entry in Outline(page).attributes if entry[1] in ("src", "href", "srcset", "data", "action")
    ]
    assert loads == []
    assert "default-src 'none'" in page
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert "url(" not in style
    assert "@import" not in style


def test_a_page_is_small_enough_to_mail(page: str):
    assert len(page.encode()) < LARGEST_PAGE


def test_scripts_and_styles_run_by_their_hashes_alone(page: str):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    for text in (script, style):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "unsafe" not in policy


def test_a_page_of_a_run_says_what_was_found(run_page: str, network_run: RunResult):
    document = pages.document(run_page)
    mean = network_run.metric("latency.mean")
    assert mean is not None
    assert document["title"] == network_run.title
    assert f"{mean.value:.3g} µs" in document["headline"]
    found = pages.headings(run_page)
    for heading in ("Answer", "Map", "Why", "Metrics", "Longest waits", "Over time", "Scenario"):
        assert heading in found
    assert network_run.summary.data["result_hash"] in document["footer"]
    assert f"seed {network_run.seed}" in document["footer"]


def test_what_cannot_be_negative_is_shown_from_0_on():
    few = hopscope.run("an1-mstage", set={"measure.messages": 3})
    assert few.metric("throughput").low < 0
    shown = {figure["name"]: figure["interval"] for figure in key_figures(few)}
    assert shown["throughput"].startswith("95 %: 0 to ")


def test_shares_in_the_headline_are_of_the_lifetime(network_run: RunResult):
    mean = lifetime(network_run.summary)
    assert mean is not None
    assert mean > network_run.metric("latency.mean").value
    assert f"A message's lifetime of {mean:.3g} µs is " in headline.of_run(network_run)


def test_what_too_few_messages_bound_has_no_upper_end_and_no_promise():
    few = hopscope.run("an1-mstage", set={"measure.messages": 2000})
    page = page_of_run.page(few).data()
    assert few.summary.is_unbounded("latency.p99")
    low = numerals.number(few.metric("latency.p99").low)
    shown = {figure["name"]: figure["interval"] for figure in key_figures(few)}
    assert shown["latency, 99th percentile"] == f"95 %: {low} to unknown"
    assert shown["latency, max"] == ""
    assert "stay within" not in page["headline"]
    rows = next(each for each in page["sections"] if each["heading"] == "Metrics")["rows"]
    assert next(row for row in rows if row[0] == "latency.p99")[2]["text"] == f"{low} to unknown"


def test_a_quantile_with_an_upper_bound_is_promised(queue_run: RunResult):
    tail = queue_run.metric("latency.p99")
    assert not queue_run.summary.is_unbounded("latency.p99")
    assert f"99 % of messages stay within {numerals.number(tail.value, 3)} µs" in headline.of_run(queue_run)


def test_messages_are_counted_in_messages(queue_run: RunResult):
    shown = {figure["name"]: figure["value"] for figure in key_figures(queue_run)}
    assert shown["throughput"].endswith(" messages/s")
    told = [figure["title"] for figure in run_figures.over_time(queue_run)]
    assert "throughput (messages/s)" in told
    assert not any("1/s" in text for text in pages.texts(page_of_run.page(queue_run).data()))


def test_a_last_interval_that_is_shorter_is_left_out_and_told(queue_run: RunResult):
    times = sorted(set(queue_run.series["time_s"].to_list()))
    usual = times[1] - times[0]
    assert times[-1] - times[-2] < 0.99 * usual
    [figure, *_] = run_figures.over_time(queue_run)
    (at, _), (last, _) = figure["series"][0]["rows"][-2:]
    size = {"simulated time (s)": 1, "simulated time (ms)": 1e-3}[figure["x"]["title"]]
    assert math.isclose((last - at) * size, usual, rel_tol=1e-6)
    assert math.isclose(last * size, times[-2], rel_tol=1e-9)
    over_time = next(
        each for each in page_of_run.page(queue_run).data()["sections"] if each["heading"] == "Over time"
    )
    assert "The last interval is shorter than the others, and left out." in over_time["note"]


@pytest.mark.parametrize(
    ("gap", "left_out"), [(1.0, False), (1.0000001, False), (0.9999999, False), (2.5, False), (0.4, True)]
)
def test_a_last_interval_as_long_as_the_others_or_longer_stays(gap: float, left_out: bool):
    rows = [{"time_s": time} for time in (1.0, 2.0, 3.0, 4.0, 5.0, 5.0 + gap)]
    assert run_figures._short_end(rows) == (5.0 + gap if left_out else None)


def test_twelve_stages_of_a_kind_look_different():
    stages = [(f"{kind} {number}", kind) for kind in ("wait", "service") for number in range(12)]
    looks = [look for _, look in figures.stage_looks(stages)]
    assert len(set(looks)) == len(looks)
    for look in looks:
        for name in look.split():
            assert f".key.{name}" in style()


def test_a_stage_has_one_colour_on_every_page_and_in_every_chart():
    """Other stages beside it do not change it, and those of one model do not share one."""
    stages = [(kind["word"], kind["kind"]) for kind in kinds.table()["stages"]]
    alone = {
        stage: [*figures.stage_looks([stage]), palette.stage_colours([stage])[stage[0]]] for stage in stages
    }
    assert len({ids for row in (*_WAITS, *_SERVICES) for ids in row}) == len(stages)
    ready = (
        "dctcp-long-flows",
        "an1-mstage",
        "sna-congested",
        "pup-epr-gateway",
        "queueing-tandem",
        "dragonfly-36",
    )
    for name in ready:
        rows = hopscope.run(name, set={"measure.messages": 200}).summary.ledger()
        life = [(row["stage"], row["kind"]) for row in rows]
        looks, colours = figures.stage_looks(life), palette.stage_colours(life)
        assert len({look for _, look in looks}) == len(life), looks
        assert [[look, colours[look[0]]] for look in looks] == [alone[stage] for stage in life]


def test_one_resource_is_no_number_of_resources(queue_run: RunResult):
    notes = [section.get("note", "") for section in page_of_run.page(queue_run).data()["sections"]]
    assert "The resource that messages waited for longest, with the mean number waiting." in notes


JOB = {
    "model": "fabric",
    "network": {"fat-tree": {"tiers": 2, "radix": 4}},
    "routing": {"rule": "shortest"},
    "frames": {},
    "flows": [{"hosts": "all", "pattern": {"all-reduce": {"size": "1 MiB"}}, "rounds": 3}],
    "measure": {"messages": 1_000_000, "warmup": "none"},
}


def test_a_comparison_of_jobs_begins_with_their_rounds():
    one, other = hopscope.run(JOB), hopscope.run(JOB, set={"link.rate": "25G"})
    data = comparison_page.page(one, other, ("one", "other")).data()
    assert data["headline"].startswith("other compared with one: the mean round time is ")
    [metrics] = [each for each in data["sections"] if each["heading"] == "Metrics"]
    assert [row[0] for row in metrics["rows"][:3]] == ["round.mean", "throughput.rate", "latency.mean"]


def test_a_sweep_of_jobs_draws_rounds_and_tells_the_best_and_the_worst_point():
    sweep = hopscope.sweep(JOB, {"link.rate": ["25G", "100G"], "frames.mtu": ["1KiB", "4KiB"]})
    data = page_of_sweep.page(sweep).data()
    [curves] = [each for each in data["sections"] if each["heading"] == "Curves"]
    assert [figure["title"] for figure in curves["figures"]] == ["Rounds", "Latency", "Throughput"]
    times = {
        (point.set["link.rate"], point.set["frames.mtu"]): point.metric("round.mean").value
        for point in sweep.points
    }
    best, worst = min(times, key=times.get), max(times, key=times.get)
    told = data["headline"].split(". ")[0]
    assert told.startswith("The mean round time is shortest, ")
    assert f" at rate {best[0]}, mtu {best[1]}, and longest, " in told
    assert told.endswith(f" at rate {worst[0]}, mtu {worst[1]}")
    along = hopscope.sweep(JOB, {"link.rate": ["25G", "100G"]})
    assert " at rate 25G to " in headline.of_sweep(along).split(". ")[0]


def test_changes_are_told_by_their_intervals():
    def of(key: str, before: float, change: tuple[float, float, float], unit: str = "us") -> changes.Change:
        return changes.Change(key, Estimate(before, before, before, unit, 9), Estimate(*change, unit, 9))

    assert changes.sentences(
        [
            of("round[ar].mean", 100.0, (-2.0, -9.0, 5.0)),
            of("latency.mean", 100.0, (25.0, 20.0, 30.0)),
            of("throughput", 50.0, (-5.0, -5.0, -5.0), "1/s"),
            of("round.max", 10.0, (0.0, 0.0, 0.0)),
            of("delivery.mean", 10.0, (110.0, 100.0, 120.0)),
        ]
    ) == [
        "The mean latency is 25.0 % longer: +25.0 [20.0, 30.0] µs.",
        "The throughput is 10.0 % lower: -5.000 messages/s, without an interval.",
        "The mean delivery is 12.0 times as long: +110 [100, 120] µs.",
        "No difference is shown in the mean round time of ar (-2.00 [-9.00, 5.00] µs).",
        "The longest round time is the same.",
    ]


def test_a_run_compared_with_itself_differs_in_nothing(queue_run: RunResult):
    data = comparison_page.page(queue_run, queue_run, ("one", "other")).data()
    assert data["headline"].startswith(
        "other compared with one: no difference is shown in the throughput (0 ["
    )
    [section] = [each for each in data["sections"] if each["heading"] == "What differs in the scenarios"]
    assert section["lines"] == ["Nothing: scenarios and seed are the same."]


def test_times_of_a_headline_and_their_sum_have_one_unit():
    run = hopscope.run("pup-epr-gateway", set={"measure.messages": 2_000})
    whole = lifetime(run.summary)
    assert whole is not None
    words = f"{numerals.number(whole / 1000, 3)} ms"
    told = headline.of_run(run)
    assert f"lifetime of {words} is " in told
    assert set(re.findall(r"[\d.]+ (ps|ns|µs|ms|s)\b", told)) == {"ms"}
    [answer] = [each for each in page_of_run.page(run).data()["sections"] if each["heading"] == "Answer"]
    assert answer["total"] == f"The parts add up to the mean message lifetime, {words}."


def test_bars_of_a_comparison_have_one_unit():
    one, other = (
        hopscope.run("pup-epr-gateway", set={"measure.messages": messages}) for messages in (500, 1_000)
    )
    data = comparison_page.page(one, other, ("one", "other")).data()
    [section] = [each for each in data["sections"] if each["heading"] == "Where the difference is"]
    [figure] = section["figures"]
    assert figure["unit"] == "mean message lifetime (ms)"
    assert all(step["words"].endswith(" ms") for step in figure["steps"])
    first = figure["steps"][0]
    assert first["words"] == f"{numerals.number(first['to'], 3)} ms"


def test_a_sweep_over_seeds_tells_of_all_of_them_or_says_of_which():
    sweep = hopscope.sweep(
        "queueing-mm1", {"arrivals.load": [0.3, 0.6]}, set={"measure.messages": 2_000}, seeds=3
    )
    [_, last] = sweep.points
    mean = last.metric("latency.mean")
    assert mean is not None
    assert not math.isclose(mean.value, last.summary.metric("latency.mean").value, rel_tol=1e-3)
    assert lifetime(last) == pytest.approx(mean.value, rel=1e-9)
    told = f"lifetime of {numerals.number(mean.value, 3)} µs at load 0.6 is "
    assert told in headline.of_sweep(sweep)
    assert math.isclose(sum(row["share"] for row in last.ledger()), 1.0, rel_tol=1e-9)
    data = page_of_sweep.page(sweep).data()
    headings = [each["heading"] for each in data["sections"]]
    assert "Why at load 0.6, in the run of seed 1" in headings
    notes = {each["heading"]: each.get("note", "") for each in data["sections"]}
    assert "in the run of seed 1" in notes["Longest waits"]
    assert "over all seeds" in notes["Where the time went"]


def test_a_mean_ledger_has_the_stages_of_all_runs_and_times_where_all_have():
    def stage(name: str, share: float, us: float | None) -> dict:
        return {
            "stage": name,
            "kind": "wait",
            "share": share,
            "estimate": None if us is None else {"value": us},
        }

    timed = over_runs([[stage("a", 1.0, 10.0)], [stage("a", 0.5, 15.0), stage("b", 0.5, 15.0)]])
    assert [(row["stage"], row["estimate"]["value"], row["share"]) for row in timed] == [
        ("a", 12.5, 0.625),
        ("b", 7.5, 0.375),
    ]
    untimed = over_runs([[stage("a", 1.0, 10.0)], [stage("a", 0.5, None), stage("b", 0.5, None)]])
    assert [(row["share"], row["estimate"]) for row in untimed] == [(0.75, None), (0.25, None)]


def test_lines_of_a_sweep_over_two_paths_say_what_they_are_and_look_different():
    over = {"arrivals.load": [0.3, 0.6], "measure.messages": [1_000, 2_000]}
    _, throughput = sweep_figures.curves(hopscope.sweep("queueing-mm1", over))
    offered = [each for each in throughput["series"] if each["line"] == "dashed"]
    assert [each["name"] for each in offered] == ["offered, messages 1000", "offered, messages 2000"]
    assert len({each["colour"] for each in offered}) == 2


def test_statistics_of_a_class_stand_beside_each_other():
    run = hopscope.run("pup-epr-gateway", set={"measure.messages": 2_000})
    [figure] = run_figures.delays(run)
    assert figure["x"]["names"] == ["median", "mean", "99th percentile", "maximum"]
    assert [each["name"] for each in figure["series"]] == run.summary.classes_of("latency")
    for each in figure["series"]:
        assert [place for place, _ in each["rows"]] == [0, 1, 2, 3]


def test_a_measurement_begins_where_it_says():
    run = hopscope.run("an1-deadlock")
    assert run.summary.fields["warmup"]["rule"] == "fixed at 0 s"
    [metrics] = [each for each in page_of_run.page(run).data()["sections"] if each["heading"] == "Metrics"]
    assert "from 680.0 ns on (warm-up: fixed at 0 s)" in metrics["note"]


def test_what_holders_wait_for_is_told_in_greek_too():
    run = hopscope.run("an1-congested-next-hop", set={"measure.messages": 3_000})
    assert any(" us waiting " in waits for *_, waits in run.explain().holder_rows())
    heading = "Mean occupancy by holder"
    [table] = [each for each in page_of_run.page(run).data()["sections"] if each["heading"] == heading]
    told = pages.texts(table["rows"])
    assert any(" µs waiting " in text for text in told)
    assert not any(re.search(r"\d us\b", text) for text in told)


def test_without_a_script_a_page_says_that_its_rest_needs_one(run_page: str):
    assert "The rest of this page needs it" in re.search(r"<noscript>(.*?)</noscript>", run_page)[1]


def test_maxima_have_no_percentage_in_a_comparison(network_run: RunResult):
    lighter = hopscope.run("an1-mstage", set={"measure.messages": 20_000, "traffic.load": 0.2})
    data = comparison_page.page(network_run, lighter, ("one", "other")).data()
    rows = next(each for each in data["sections"] if each["heading"] == "Metrics")["rows"]
    changes = {row[0]: row[3] if isinstance(row[3], str) else row[3]["text"] for row in rows}
    assert "%" in changes["latency.mean"]
    assert "%" not in changes["latency.max"]


def test_a_sweep_draws_throughput_by_its_name(sweep_page: str):
    figure = pages.section(sweep_page, "Curves")["figures"][1]
    assert [series["name"] for series in figure["series"]][:2] == ["offered", "throughput"]


def test_the_ledger_of_the_answer_adds_up(run_page: str, network_run: RunResult):
    answer = pages.section(run_page, "Answer")
    assert math.isclose(sum(part["share"] for part in answer["ledger"]), 1.0, rel_tol=1e-9)
    assert answer["verdict"] == network_run.explain().sentence


def test_holders_of_a_buffer_share_what_is_in_use_of_it(run_page: str):
    """They are counted in packets, and the buffer is of bytes."""
    network = json.loads(pages.block(run_page, pages.section(run_page, "Map")["network"]))
    buffers = [each for each in network["resources"] if each["kind"] == "input FIFO" and each["used"] > 0.01]
    assert buffers
    for buffer in buffers:
        held = sum(share for _, share in buffer["holders"])
        assert math.isclose(held, buffer["used"], abs_tol=2e-4)


NAMED_AS_A_RESOURCE = {
    "model": "fabric",
    "network": {
        "custom": {
            "switches": ["s0", "s1"],
            "links": [{"between": ["s0", "s1"]}],
            "hosts": [
                {"name": name, "at": at} for name, at in (("output1", "s0"), ("h1", "s1"), ("h2", "s1"))
            ],
        }
    },
    "traffic": {"pattern": "uniform", "load": 0.3, "sizes": {"fixed": "1000 B"}},
    "measure": {"messages": 3000, "journeys": 100},
}


@pytest.mark.parametrize("source", [NAMED_AS_A_RESOURCE, "arpanet-two-paths", "pup-epr-gateway"])
def test_the_map_knows_how_journeys_name_each_resource(source: dict | str, tmp_path: Path):
    if isinstance(source, dict):
        file = tmp_path / "named.json"
        file.write_text(json.dumps(source))
        source = str(file)
    run = hopscope.run(source, set={"measure.journeys": 100})
    page = run.report(tmp_path / "report.html").read_text(encoding="utf-8")
    resources = json.loads(pages.block(page, pages.section(page, "Map")["network"]))["resources"]
    journeys = run.scan("journeys.parquet")
    assert journeys is not None
    assert set(journeys.select("place").collect()["place"]) <= {each["recorded"] for each in resources}


def test_a_resource_with_a_name_is_called_by_it(tmp_path: Path):
    run = hopscope.run(FABRIC, set={"measure.messages": 1_000})
    page = run.report(tmp_path / "report.html").read_text(encoding="utf-8")
    names = {
        each["name"]
        for each in json.loads(pages.block(page, pages.section(page, "Map")["network"]))["resources"]
    }
    assert {"buffer of leaf1", "output leaf1:1 -> node01"} <= names


def test_every_link_of_the_map_has_its_resources(run_page: str, network_run: RunResult):
    network = json.loads(pages.block(run_page, pages.section(run_page, "Map")["network"]))
    assert len(network["nodes"]) == len(network_run.network["nodes"])
    rows = {row["place"]: row for row in network_run.summary.data["resources"] if row["kind"] == "output"}
    for one, other, _, out, back in network["links"]:
        for number, end in ((out, one), (back, other)):
            resource = network["resources"][number]
            assert resource["place"].split(":")[0] == network["nodes"][end]["name"]
            assert math.isclose(resource["used"], rows[resource["place"]]["utilisation"], abs_tol=1e-4)


def test_switches_of_the_map_stand_apart_where_the_network_has_no_positions(tmp_path: Path):
    run = hopscope.run(FABRIC, set={"measure.messages": 2_000})
    assert all(node["x"] is None for node in run.network["nodes"])
    page = run.report(tmp_path / "report.html").read_text(encoding="utf-8")
    network = json.loads(pages.block(page, pages.section(page, "Map")["network"]))
    switches = [node for node in network["nodes"] if node["role"] == "switch"]
    assert len(switches) == 6
    assert all(math.dist((a["x"], a["y"]), (b["x"], b["y"])) > 0.3 for a, b in combinations(switches, 2))
    assert all(node["x"] is None for node in network["nodes"] if node["role"] != "switch")


# How far a byte may be from what it stands for: docs/reference/run-folder.md.
TOLERANCE = 8


def test_the_timeline_adds_up_to_the_means(network_run: RunResult):
    frame = network_run.timeline
    edges = struct.unpack(f"<{len(frame['used'][0]) // 8}Q", frame["used"][0])
    warm = network_run.summary.data["warmup"]["until_s"] * 1e12
    first = min(range(len(edges)), key=lambda nth: abs(edges[nth] - warm))
    assert edges[first] == round(warm), "the end of the warm-up is an edge"
    used = {
        (kind, place): bytes_ for kind, place, bytes_ in frame.select("kind", "place", "used").iter_rows()
    }
    for row in network_run.summary.data["resources"]:
        if row["kind"] != "output":
            continue
        codes = used[row["kind"], row["place"]][first:]
        spans = [end - begin for begin, end in pairwise(edges[first:])]
        mean = sum(code * span for code, span in zip(codes, spans, strict=True)) / 255 / sum(spans)
        assert abs(mean - row["utilisation"]) <= (TOLERANCE + 0.5) / 255


@pytest.mark.parametrize("source", ["arpanet-1973-12", "an1-mstage"])
def test_what_holders_do_over_time_adds_up_to_the_use(source: str):
    settings = {"duration": "30 s"} if source.startswith("arpanet") else {"measure.messages": 3_000}
    run = hopscope.run(source, set=settings)
    frame = run.timeline
    bins = len(frame["used"][1])
    told = 0
    for kind, used, held_in, held in frame.select("kind", "used", "held_in", "held").iter_rows():
        causes = held_in.split("; ") if held_in else []
        # Where the first cause has no bytes, it has all that is used.
        codes = used + held if len(held) == (len(causes) - 1) * bins else held
        assert len(codes) == len(causes) * bins
        if not causes:
            continue
        told += 1
        parts = {cause: codes[nth * bins : (nth + 1) * bins] for nth, cause in enumerate(causes)}
        # Of an output what counts as use is sending; elsewhere everything that is held.
        counted = [parts.get("sending", bytes(bins))] if kind == "output" else parts.values()
        for at in range(bins):
            # Each byte is rounded, and within the tolerance of what it stands for.
            most = (len(causes) + 1) * TOLERANCE + len(causes)
            assert abs(sum(part[at] for part in counted) - used[at]) <= most, (kind, at)
    assert told > 20


def test_a_page_of_a_sweep_says_where_saturation_begins(sweep_page: str, network_sweep: SweepResult):
    document = pages.document(sweep_page)
    assert "It saturates at load 1.0" in document["headline"]
    found = pages.headings(sweep_page)
    for heading in ("Curves", "Where the time went", "All points"):
        assert heading in found
    assert [figure["title"] for figure in pages.section(sweep_page, "Curves")["figures"]] == [
        "Latency",
        "Throughput",
    ]
    assert network_sweep.first.summary.data["scenario_hash"] in document["footer"]


def test_a_hostile_title_stays_text(tmp_path: Path, network_run: RunResult):
    data = network_run.summary.data | {"title": "</title><script>alert(1)</script>"}
    hostile = RunResult(network_run._scenario, Summary(data), network_run._origin)
    text = hostile.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in text


def test_a_page_of_a_fabric_s_file_says_what_is_odd_and_assumed_line_by_line():
    run = hopscope.run(FABRIC, set={"measure.messages": 500})
    told = {each["heading"]: each.get("lines") for each in page_of_run.page(run).data()["sections"]}
    assert told["Anomalies in this fabric"] == [each["words"] for each in run.explain().data["anomalies"]]
    kind, assumed, *topics, change = told["Notes"][:7]
    assert kind.startswith("recognised: fat tree of 2 levels")
    assert assumed == "assumed, since the fabric's file does not say:"
    assert [topic.split()[0] for topic in topics] == ["routes:", "traffic:", "switches:", "links:"]
    assert change.startswith("to change them: --set ")
    assert not any("\\u000a" in line for line in told["Notes"])


def test_a_model_without_a_network_has_a_page_too(tmp_path: Path, queue_run: RunResult):
    found = pages.headings(queue_run.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "Map" not in found
    assert "Metrics" in found
