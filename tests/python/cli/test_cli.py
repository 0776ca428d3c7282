"""What a person types and sees: words, numbers, exit codes."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import LITTLE, NETWORK, QUEUE
from hopscope.experiments.kept import kept_experiments
from hopscope.store.store import open_store

Command = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[str]]


def test_a_quantile_without_an_upper_bound_is_told_so_by_a_run_as_by_a_sweep(command: Command):
    few = ("--set", "measure.messages=2000")
    one = command("run", NETWORK, *few, "--no-report").stdout
    many = command("sweep", NETWORK, *few, "--over", "traffic.load=0.5", "--no-report").stdout
    told = next(line for line in one.splitlines() if line.startswith("latency, p99"))
    value = told.split("latency, p99")[1].removesuffix("us").strip()
    assert value.endswith(", unknown]")
    assert value in many


def test_shares_say_of_what_they_are(command: Command):
    assert "share of lifetime" in command("run", NETWORK, *LITTLE, "--no-report").stdout
    explained = command("explain", NETWORK, *LITTLE, "--no-confirm").stdout
    assert "by stage     share of lifetime" in explained
    row = command("explain", "queueing-tandem", *LITTLE, "--no-confirm", "--details").stdout
    assert "waiting by place  share of waiting" in row


def test_a_run_prints_its_figures_and_writes_its_folder(command: Command):
    done = command("run", NETWORK, *LITTLE)
    assert done.exit_code == 0
    for word in ("throughput", "latency, mean", "latency, p99", "where the time went", "seed"):
        assert word in done.stdout
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith(NETWORK)
    assert {path.name for path in folder.iterdir()} >= {
        "run.json",
        "scenario.toml",
        "summary.json",
        "why.json",
        "report.html",
    }
    assert str(folder) in done.stderr


def test_what_was_set_stands_under_the_title(command: Command):
    done = command("run", QUEUE, *LITTLE, "--set", "arrivals.load=0.25", "--out", "set")
    title, changed, *_ = done.stdout.splitlines()
    assert title == hopscope.read("set").title
    assert changed.startswith("with ")
    assert changed.endswith("arrivals.load=0.25")
    assert changed in Path("set/report.html").read_text(encoding="utf-8")


def test_a_run_with_broadcasts_prints_when_the_last_host_has_one(command: Command, here: Path):
    done = command("run", "an1-broadcast", "--set", "measure.messages=2000", "--no-report", "--out", "run")
    last = hopscope.read(here / "run").metric("last delivery.mean")
    assert f"last delivery, mean  {last}" in done.stdout


def test_a_run_without_a_title_is_called_by_its_name(command: Command, here: Path):
    scenario = here / "untitled.toml"
    scenario.write_text(
        'model = "queueing"\n[arrivals]\nload = 0.5\nprocess = "poisson"\n'
        '[[station]]\nservice = { fixed = "1 us" }\n[measure]\nmessages = 2000\n'
    )
    assert command("run", str(scenario), "--no-report").stdout.splitlines()[0] == "untitled"
    assert "station 1" in command("explain", str(scenario)).stdout.splitlines()[0]


def test_the_same_run_again_goes_into_a_numbered_folder(command: Command):
    for _ in range(2):
        assert command("run", QUEUE, *LITTLE, "--no-report").exit_code == 0
    first, second = sorted(Path("runs").iterdir())
    assert second.name == f"{first.name}-2"
    assert (first / "summary.json").read_bytes() == (second / "summary.json").read_bytes()


def test_json_is_all_that_stands_on_stdout(command: Command):
    done = command("run", QUEUE, *LITTLE, "--json", "--no-report")
    found = json.loads(done.stdout)
    assert found["outcome"] == "complete"
    assert Path(found["folder"]).is_dir()
    assert found["metrics"]


def test_quiet_says_nothing_on_stderr(command: Command):
    done = command("run", QUEUE, *LITTLE, "--quiet", "--no-report")
    assert done.stderr == ""
    assert done.stdout != ""


def test_seed_and_overrides_reach_the_run(command: Command):
    done = command(
        "run", QUEUE, *LITTLE, "--set", "arrivals.load=0.25", "--seed", "77", "--json", "--no-report"
    )
    found = json.loads(done.stdout)
    assert found["seed"] == 77
    offered = next(metric for metric in found["metrics"] if metric["name"] == "offered")
    assert offered["estimate"]["value"] == pytest.approx(
        25_000, rel=0.1
    )  # a second, where a service takes 10 us


def test_a_sweep_prints_one_row_a_point(command: Command):
    done = command("sweep", NETWORK, *LITTLE, "--over", "traffic.load=0.2,0.4,1.0", "--no-report")
    rows = done.stdout.splitlines()
    assert done.exit_code == 0
    assert rows[3].split()[0] == "traffic.load"
    assert [row.split()[0] for row in rows[4:]] == ["0.2", "0.4", "1.0"]
    assert "saturated" in rows[-1]
    assert "%" in rows[4]


def test_a_sweep_says_what_speaks_against_its_figures(command: Command):
    short = ("--over", "arrivals.load=0.5,0.9", "--set", "measure.messages=1000", "--seeds", "2")
    done = command("sweep", QUEUE, *short, "--no-report")
    note = (
        "note: 2 of 2 points have no upper bound of latency.p99 (arrivals.load = 0.5, 0.9): too few messages."
    )
    assert note in done.stdout.splitlines()
    assert " (too few messages)" in done.stdout
    points = json.loads(command("sweep", QUEUE, *short, "--json").stdout)["points"]
    assert all("no-upper-bound" in point["doubts"] for point in points)
    found = {row["statistic"]: row["estimate"] for row in points[0]["metrics"] if row["name"] == "latency"}
    assert found["p99"]["high"] is None
    assert found["p999"] is None
    assert found["mean"]["high"] is not None


def test_a_sweep_without_doubts_has_no_notes(command: Command):
    done = command("sweep", QUEUE, "--over", "arrivals.load=0.2,0.3", *LITTLE, "--no-report")
    assert "note" not in done.stdout


ONE_FLOW = """
model = "fabric"
network = { star = { arms = 0, hosts_at_hub = 3 } }
frames = {}
link = { rate = "10 Gbit/s" }
[[flows]]
pattern = { list = { flows = [{ from = "h0", to = "h2", size = "1 MiB" }] } }
"""


def test_what_was_measured_too_seldom_for_a_number_says_so(command: Command, here: Path):
    # A second flow is under way when the run ends, so the first is a sample.
    longer = '{ from = "h1", to = "h0", size = "1 GiB" }'
    (here / "one.toml").write_text(ONE_FLOW.replace("flows = [", f"flows = [{longer}, "))
    cut = ("--set", "measure.messages=1", "--set", "measure.warmup=none")
    done = command("run", "one.toml", *cut, "--no-report")
    words = " ".join(done.stdout.split())
    assert re.search(r"latency, mean [0-9. ]+ us \(one message\) ", words)
    assert "latency, p99 too few messages for an interval" in words
    assert "measured 1 message in" in words
    swept = command("sweep", "one.toml", *cut, "--over", 'link.rate="10 Gbit/s","20 Gbit/s"')
    rows = [line for line in swept.stdout.splitlines() if line.startswith(("10 Gbit/s", "20 Gbit/s"))]
    assert [row.count("too few messages") for row in rows] == [2, 2]
    assert "unsettled" not in swept.stdout


def test_a_job_that_was_measured_whole_has_its_figures_without_intervals(command: Command, here: Path):
    (here / "one.toml").write_text(ONE_FLOW)
    words = " ".join(command("run", "one.toml", "--no-report").stdout.split())
    assert "latency, mean 843.0 us latency, p99 843.0 us measured 1 message in" in words
    assert (
        "note: All messages of the job were measured, so its latencies and rates have no intervals. "
        "`hopscope sweep --seeds 5` shows how much they differ between seeds."
    ) in words
    run = hopscope.run("one.toml")
    values = {run.metric(f"latency.{key}") for key in ("mean", "p50", "p99", "p99.9", "p999", "max")}
    assert len(values) == 1
    (latency,) = values
    assert latency is not None
    assert latency.low == latency.value == latency.high


SLOW_HOST = """
model = "fabric"
network = { star = { arms = 0, hosts_at_hub = 100 } }
link = { rate = "10 Gbit/s" }
measure = { messages = 30_000 }
[traffic]
pattern = "uniform"
load = 0.25
sizes = { fixed = "4 KiB" }
[frames]
slow_hosts = [{ host = "h33", drain = "1 Gbit/s" }]
buffer = { size = "1 GiB", alpha = 64.0 }
flow_control = { pfc = {} }
"""


def test_a_queue_that_grows_for_one_host_of_many_is_named(command: Command, here: Path):
    (here / "slow.toml").write_text(SLOW_HOST)
    words = " ".join(command("run", "slow.toml", "--out", "slow", "--no-report").stdout.split())
    assert "complete: 30" in words
    told = re.search(
        r"note: More is offered to h33 than arrives there: 2\.[0-9]+ Gbit/s offered, "
        r"(0\.9[0-9]+|1\.0[0-9]) Gbit/s delivered\. "
        r"The queue for it grows for as long as the run lasts, and the mean latency with it\.",
        words,
    )
    assert told is not None, words
    assert hopscope.read("slow").summary.doubts[-1] == "growing-queue"
    explained = " ".join(command("explain", "slow", "--no-confirm").stdout.split())
    growing = (
        "More is offered to some host than arrives there, so the mean latency grows with the length of the "
        "run; the notes of `hopscope run` name the host."
    )
    assert growing in explained
    healthy = ("run", "slow.toml", "--no-report", "--set", "frames.slow_hosts=[]")
    assert "More is offered" not in command(*healthy).stdout


def test_a_precision_that_is_not_reached_is_named(command: Command):
    asked = ("--set", "measure.messages=3000", "--set", "measure.precision=0.01")
    done = command("run", QUEUE, *asked, "--out", "missed")
    (note,) = [line for line in done.stdout.splitlines() if "precision not reached" in line]
    mean = hopscope.read("missed").metric("latency.mean")
    within = 100 * mean.half_width / mean.value
    assert note == (
        f"note: precision not reached: the mean latency is within {within:.3g} %, asked 1 %; "
        "raise measure.messages"
    )
    assert "precision not reached" in Path("missed/report.html").read_text(encoding="utf-8")
    notes = json.loads(command("run", QUEUE, *asked, "--no-report", "--json").stdout)["notes"]
    assert note.removeprefix("note: ") in notes
    reached = command("run", QUEUE, "--set", "measure.precision=0.2", "--no-report")
    assert "precision not reached" not in reached.stdout


@pytest.mark.parametrize("verb", ["sweep", "compare", "experiment"])
def test_points_that_do_not_reach_their_precision_are_named(command: Command, here: Path, verb: str):
    asked = ("--set", "measure.messages=3000", "--over", "measure.precision=0.4,0.001")
    (here / "asked.toml").write_text(
        f'scenarios = ["{QUEUE}"]\nseeds = 2\nset = {{ "measure.messages" = 3000 }}\n'
        '[over]\n"measure.precision" = [0.4, 0.001]\n'
    )
    words = {
        "sweep": ("sweep", QUEUE, *asked, "--seeds", "2"),
        "compare": ("compare", QUEUE, QUEUE, *asked, "--seeds", "2"),
        "experiment": ("experiment", "asked.toml", "--store", "kept"),
    }
    done = command(*words[verb])
    (note,) = [line for line in done.stdout.splitlines() if "did not reach" in line]
    points = {
        "sweep": "1 of 2 points did not reach measure.precision (measure.precision = 0.001)",
        "compare": "2 of 4 points did not reach measure.precision (A at measure.precision = 0.001; B at ",
        "experiment": "1 of 2 points did not reach measure.precision (measure.precision = 0.001)",
    }
    assert note.startswith(f"note: {points[verb]}")
    assert " %, asked 0.1 %; raise measure.messages." in note
    if verb == "sweep":
        within = [
            100 * run.metric("latency.mean").half_width / run.metric("latency.mean").value
            for run in hopscope.read("runs/queueing-mm1-sweep-1").points[1].runs
        ]
        assert f"the mean latency is within {min(within):.3g} to {max(within):.3g} %, asked" in note
    if verb == "experiment":
        (kept,) = kept_experiments(open_store("kept")).values()
        assert [len(point.short) for point in kept.points()] == [0, 2]
    assert "precision-not-reached" in command(*words[verb], "--json").stdout


def test_a_sweep_over_two_paths_is_a_grid(command: Command):
    over = ("--over", "arrivals.load=0.2..0.6:0.2", "--over", "measure.precision=0.1,0.2")
    done = command("sweep", QUEUE, *LITTLE, *over, "--seeds", "2", "--json", "--no-report")
    found = json.loads(done.stdout)
    assert len(found["points"]) == 6
    assert found["points"][0]["set"] == {"arrivals.load": 0.2, "measure.precision": 0.1}
    assert len(found["seeds"]) == 2
    assert {path.name for path in Path(found["folder"]).iterdir()} == {"sweep.json", "metrics.csv", "points"}


def test_topology_prints_figures_and_draws(command: Command):
    done = command("topology", NETWORK)
    assert done.exit_code == 0
    most_loaded = "most loaded links: 10 or more directed links, such as "
    for word in ("switches", "hosts", "diameter", "mean path", most_loaded):
        assert word in done.stdout
    assert (Path("runs") / f"{NETWORK}-network.svg").read_text().startswith("<svg")
    command("topology", NETWORK, "--svg", "mine.svg", "--quiet")
    assert Path("mine.svg").exists()


def test_topology_of_an_internet_counts_gateways_and_draws_networks(command: Command):
    done = command("topology", "pup-ipr-radio-gateways", "--svg", "internet.svg")
    assert done.exit_code == 0
    rows = dict(
        line.split(maxsplit=1) for line in done.stdout.splitlines() if line[:4] in ("netw", "gate", "host")
    )
    assert (rows["networks"], rows["hosts"]) == ("3", "2")
    assert "mean path  2.000 gateways" in done.stdout
    drawn = Path("internet.svg").read_text()
    for name in ("parc", "prnet", "hanover", "parc-gateway", "hanover-gateway", "network", "gateway"):
        assert f">{name}</text>" in drawn
    assert ">switch</text>" not in drawn


def test_topology_as_json_draws_only_on_request(command: Command):
    assert json.loads(command("topology", NETWORK, "--json").stdout)["figures"]["switches"] > 0
    assert not Path("runs").exists()


def test_scenarios_and_schema_are_listed(command: Command):
    assert NETWORK in command("scenarios").stdout
    assert {"name", "model", "title"} == set(json.loads(command("scenarios", "--json").stdout)[0])
    assert "$schema" in json.loads(command("schema").stdout)


BAD_USES = [
    ("run",),
    ("run", "no-such-scenario"),
    ("run", QUEUE, "--seed", "minus one"),
    ("run", QUEUE, "--seed", "-1"),
    ("run", QUEUE, "--set", "arrivals.load"),
    ("run", QUEUE, "--set", "arrivals.load=lots"),
    ("run", QUEUE, "--set", "arrivals.loud=0.5"),
    ("run", QUEUE, "--out", "file/below"),
    ("run", QUEUE, "--nonsense"),
    ("sweep", QUEUE),
    ("sweep", QUEUE, "--over", "arrivals.load"),
    ("sweep", QUEUE, "--over", "arrivals.load=0.5..0.1:0.1"),
    ("sweep", QUEUE, "--over", "arrivals.load=0.1,0.1"),
    ("sweep", QUEUE, "--over", "arrivals.load=0.1", "--over", "arrivals.load=0.2"),
    ("sweep", QUEUE, "--over", "arrivals.loud=0.1"),
    ("sweep", QUEUE, "--over", "arrivals.load=0.1", "--seeds", "0"),
    ("topology", QUEUE),
    ("topology", NETWORK, "--svg", "file/below.svg"),
    ("explain", "x" * 300),
    ("view", "x" * 300),
    ("view", "x" * 300, "--export", "page.html"),
    ("view", ""),
    ("store", "ls", "x" * 300),
    ("store", "ls", ""),
    ("init", "x" * 300),
    ("run", "pup-ipr-gateway", "--capture", "x" * 300),
    ("run", QUEUE, "--out", ""),
    ("sweep", QUEUE, "--over", "arrivals.load=0.1,0.2", "--store", ""),
    ("dance",),
]


@pytest.mark.parametrize("words", BAD_USES, ids=lambda words: " ".join(words)[:60])
def test_bad_use_is_refused_in_words(command: Command, here: Path, words: tuple[str, ...]):
    (here / "file").write_text("in the way")
    done = command(*words)
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert re.search("^error", done.stderr, re.MULTILINE | re.IGNORECASE)
    assert [path.name for path in here.iterdir()] == ["file"]


NOT_TOGETHER = {
    ("explain", QUEUE, "--seeds", "3"): "are for the changes of `what_if` (--what-if)",
    ("explain", QUEUE, "--messages", "3000"): "are for the changes of `what_if` (--what-if)",
    (
        "capacity",
        NETWORK,
        "--bounds",
        "--store",
        "kept",
    ): "--store is for runs, and --bounds simulates nothing",
    ("capacity", NETWORK, "--bounds", "--seeds", "6"): "--seeds is for runs, and --bounds simulates nothing",
    ("study", "--all", "an1/table3"): "--all runs every study, and `an1/table3` is named as well",
    ("check", "ib-torus-updn", "--routes", "file", "--engine", "shortest"): "tables are given in two ways",
    ("run", QUEUE, "--out", "/dev/full"): "`/dev/full` exists already and is no folder",
}
"""Commands of which a part would be of no account, or cannot be meant."""


@pytest.mark.parametrize("words", NOT_TOGETHER, ids=lambda words: " ".join(words)[:60])
def test_what_would_be_passed_over_is_refused(command: Command, here: Path, words: tuple[str, ...]):
    (here / "file").write_text("0x0001 001\n")
    done = command(*words)
    assert done.exit_code == 2
    assert NOT_TOGETHER[words] in done.stderr
    assert "remove it" not in done.stderr
    assert [path.name for path in here.iterdir()] == ["file"]


MEANT = {
    ("rum", QUEUE): "Did you mean 'run'?",
    ("run", NETWORK, "--traffic", "incast"): "--set 'flows=[{ pattern = { incast = {",
    ("explain", "done", "--set", "arrivals.load=0.1"): "give its scenario instead: done/scenario.toml",
}
"""Commands of which it is known what was meant."""


@pytest.mark.parametrize("words", MEANT, ids=" ".join)
def test_what_was_meant_is_named(command: Command, words: tuple[str, ...]):
    command("run", QUEUE, "--set", "measure.messages=300", "--no-report", "--out", "done")
    done = command(*words)
    assert done.exit_code == 2
    assert MEANT[words] in done.stderr


def test_a_folder_that_holds_something_is_never_overwritten(command: Command):
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("all of it")
    done = command("run", QUEUE, *LITTLE, "--out", "mine")
    assert done.exit_code == 2
    assert "choose another --out" in done.stderr
    assert [path.name for path in Path("mine").iterdir()] == ["thesis.txt"]


def test_a_deadlock_is_a_failed_check(command: Command):
    done = command("run", "an1-deadlock", "--no-report", "--out", "stuck")
    assert done.exit_code == 1
    stuck = hopscope.read("stuck").summary.fields["stuck"]
    assert stuck["reason"] in done.stdout
    assert all(line in done.stdout for line in stuck["cycle"])


def test_our_own_fault_prints_the_command_that_replays_it(command: Command, monkeypatch: pytest.MonkeyPatch):
    from hopscope import engine

    class PanicException(BaseException):
        """As the Rust core's failed assertions arrive."""

    def broken(*_: object) -> None:
        raise PanicException("assertion failed: the stages add up")

    monkeypatch.setattr(engine._core, "run", broken)
    done = command("run", QUEUE, "--set", "arrivals.load=0.25", "--seed", "3")
    assert done.exit_code == 3
    assert "the stages add up" in done.stderr
    assert f"hopscope run {QUEUE} --set arrivals.load=0.25 --seed 3" in done.stderr
    assert not Path("runs").exists()


def test_a_process_prints_the_version_and_the_help(process: Process):
    assert process("--version").stdout.startswith("hopscope ")
    helped = process("--help")
    assert helped.returncode == 0
    for verb in ("run", "sweep", "scenarios", "topology", "schema", "study"):
        assert verb in helped.stdout


def test_a_process_leaves_with_the_exit_code(process: Process):
    refused = process("run", "no-such-scenario")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "no-such-scenario" in refused.stderr


def test_output_has_no_colours_where_there_is_no_terminal(process: Process):
    for environment in ({}, {"NO_COLOR": "1"}, {"FORCE_COLOR": ""}):
        done = process("run", QUEUE, *LITTLE, "--no-report", **environment)
        assert "\x1b[" not in done.stdout + done.stderr


def test_a_reader_that_goes_away_is_no_traceback(here: Path):
    line = f'set -o pipefail; "{sys.executable}" -m hopscope schema | head -c 1 > first'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=here, check=False)
    assert Path("first").read_text() == "{"
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr


def test_help_imports_no_heavy_library():
    heavy = ("polars", "altair", "rich", "networkx", "vl_convert", "hopscope._core")
    code = (
        "import sys\nfrom hopscope.cli import program\n"
        "try:\n    program.main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


# The tests call the program so.
RUN = "program run"


@pytest.mark.parametrize(
    ("words", "what", "of"),
    [
        (("run", "--ouy", "x"), "error: no such option '--ouy'.", RUN),
        (("run",), "error: missing argument 'SCENARIO'", RUN),
        (
            ("run", "x", "--seed", "abc"),
            "error: invalid value for '--seed': 'abc' is not a valid whole number",
            RUN,
        ),
        (("run", "a", "b"), "error: got unexpected extra argument (b)", RUN),
        (("run", "x", "--out"), "error: option '--out' requires an argument", "hopscope"),
    ],
)
def test_options_are_refused_like_everything_else(
    command: Command, words: tuple[str, ...], what: str, of: str
):
    done = command(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    first, hint = done.stderr.splitlines()
    assert first.startswith(what)
    assert hint == f"hint: `{of} --help` lists the options and arguments"


def test_a_group_without_a_verb_shows_its_help(command: Command):
    done = command("pup")
    assert done.stderr.startswith("Usage: program pup")
