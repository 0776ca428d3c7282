"""A program of one's own: hopscope reads, explains and shows what it runs, and refuses what only it can run.

It is built from examples/own-rate-control, which docs/how-to/your-own-rate-control.md describes.
"""

import importlib.util
import json
import pickle
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT

EXAMPLE = PROJECT / "examples/own-rate-control"
RULE = "frames.rate_control.own.aimd"
HOW_TO = PROJECT / "docs/how-to/your-own-rate-control.md"
FEW = ("--set", "measure.messages=100")


@pytest.fixture(scope="session")
def own() -> Callable[..., subprocess.CompletedProcess[str]]:
    """The program, as a process in the folder of its example."""
    specification = importlib.util.spec_from_file_location("own_program", PROJECT / "docs/own_program.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    program = module.built()

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        line = [str(program), *words]
        return subprocess.run(line, cwd=EXAMPLE, capture_output=True, text=True, check=False)

    return call


@pytest.fixture(scope="session")
def kept(own: Callable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the program."""
    folder = tmp_path_factory.mktemp("own") / "run"
    done = own("run", "incast.toml", *FEW, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def test_its_run_is_read_explained_and_shown(kept: Path, command: Callable[..., Result]):
    run = hopscope.read(kept)
    assert run.lacks == [RULE]
    assert run.metric("throughput.rate").value > 9
    explained = command("explain", str(kept))
    assert explained.exit_code == 0, explained.output
    assert "Bottleneck: the link hub:0 -> h0" in explained.output
    assert "not confirmed: no change was tried" in explained.output
    page = run.report(kept.parent / "report.html").read_text(encoding="utf-8")
    assert "additive increase" in page
    viewed = command("view", str(kept), "--export", "page.html")
    assert viewed.exit_code == 0, viewed.output
    again = pickle.loads(pickle.dumps(run))
    assert (again.lacks, again.scenario_text) == (run.lacks, run.scenario_text)


def test_hopscope_alone_does_not_run_it(kept: Path, command: Callable[..., Result]):
    for words in (["run"], ["explain", "--what-if"]):
        source = kept / "scenario.toml" if words == ["run"] else kept
        refused = command(*words, str(source))
        assert refused.exit_code == 2
        assert f'{RULE.removesuffix(".aimd")}: this program has no rule "aimd"' in refused.output
        assert re.search(r"scenario\.toml:\d+:\d+", refused.output)
        assert "hint: run it with the program that adds this rule" in refused.output


def test_its_sweep_is_read_as_hopscopes_own(own: Callable, tmp_path: Path):
    values = "0.3..0.9:0.3"
    over = (f"{RULE}.step=1500B,15kB", f"{RULE}.decrease={values}")
    out = tmp_path / "sweep"
    done = own("sweep", "incast.toml", *FEW, "--over", over[0], "--over", over[1], "--out", str(out))
    assert done.returncode == 0, done.stderr
    sweep = hopscope.read(out)
    assert sweep.over == {f"{RULE}.step": ["1500B", "15kB"], f"{RULE}.decrease": [0.3, 0.6, 0.9]}
    assert [list(point.set.values()) for point in sweep.points][:2] == [["1500B", 0.3], ["1500B", 0.6]]
    assert len({point.runs[0].summary.data["result_hash"] for point in sweep.points}) > 1
    saved = sweep.save(tmp_path / "saved", report=False)
    assert (saved / "metrics.csv").read_text().startswith(f"{RULE}.step,{RULE}.decrease,seed,outcome,metric")


def test_without_its_rules_it_finds_what_hopscope_finds(own: Callable, tmp_path: Path):
    few = "measure.messages=2000"
    out = tmp_path / "run"
    assert own("run", "queueing-mm1", "--set", few, "--seed", "7", "--out", str(out)).returncode == 0
    found = json.loads((out / "run.json").read_text())
    ours = hopscope.run("queueing-mm1", set=[few], seed=7).save(tmp_path / "ours", report=False)
    assert found == json.loads((ours / "run.json").read_text())
    assert sorted(path.name for path in out.iterdir()) == sorted(path.name for path in ours.iterdir())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "incast.toml", "--set", f"{RULE}.decrese=1"], ["--set:1:30", 'did you mean "decrease"?']),
        (["run", "incast.toml", "--set", f"{RULE}.decrease=1"], ["--set:1:39", "above 0, below 1"]),
        (["run", "incast.toml", "--set", f"{RULE}.most=1 B"], ["holds no frame of 1500 B"]),
        (["run", "incast.toml", "--set", f"{RULE}.step=4 parsec"], ["an amount of data"]),
        (["run", "incast.toml", "--set", "frames.rate_control={own={aimdd={}}}"], ['did you mean "aimd"?']),
        (["run", "dctcp-incast", "--set", f"{RULE}.step=4kB"], ['"dctcp" and "own" are given together']),
        (["run", "no-such"], ["there is no ready scenario"]),
        (["run", "incast.toml", "--out", "src"], ["exists already"]),
        (
            ["run", "incast.toml", "--over", "seed=1,2"],
            ["unexpected argument '--over' found", "own-rate-control run"],
        ),
        (["run", "incast.toml", "--sed", "1"], ["a similar argument exists: '--seed'"]),
        (["sweep", "incast.toml"], ["were not provided", "--over <PATH=V1,V2,...>"]),
        (["sweep", "incast.toml", "--over", "seed=1,2"], ["--over:1:1", "the seed is no path to vary"]),
        (["sweep", "incast.toml", "--over", f"{RULE}.decrease=0.5,0.5"], ["twice"]),
        (["sweep", "incast.toml", "--over", f"{RULE}.decrease=0.5,2"], ["share 2 is out of range"]),
        (
            ["sweep", "incast.toml", "--over", f"{RULE}.step=1B", "--seeds", "0"],
            ["'--seeds <N>'", "0 is not in 1..=10000"],
        ),
        (["swep"], ["a similar subcommand exists: 'sweep'"]),
        (["run", "incast.toml", "again"], ["unexpected argument 'again' found"]),
        ([], ["Usage: own-rate-control <COMMAND>", "sweep"]),
        (
            ["sweep", "incast.toml", "--over", "flows[0].rounds=0..9999:1", "--seeds", "11"],
            ["more than 100000 runs"],
        ),
    ],
)
def test_bad_use_has_place_and_hint(own: Callable, words: list[str], told: list[str]):
    done = own(*words)
    assert done.returncode == 2, done.stdout
    assert not done.stdout
    for each in told:
        assert each in done.stderr


def test_a_result_that_cannot_be_written_is_printed(own: Callable, tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    out = str(tmp_path / "link")
    for words, told in (
        (["run"], "throughput.rate"),
        (["sweep", "--over", f"{RULE}.decrease=0.5,0.7"], "2  seed 1"),
    ):
        done = own(words[0], "incast.toml", *FEW, *words[1:], "--out", out)
        assert done.returncode == 2
        assert told in done.stdout
        assert "results in" not in done.stdout
        assert "exists already" in done.stderr
    done = own("run", "incast.toml", *FEW, "--json", "--out", out)
    assert json.loads(done.stdout)["folder"] is None


def test_help_and_version_are_no_mistakes(own: Callable):
    told = own("--help")
    assert (told.returncode, told.stderr) == (0, "")
    assert "hopscope view DIR" in told.stdout
    assert "--over <PATH=V1,V2,...>" in own("sweep", "--help").stdout
    assert own("--version").stdout.startswith("own-rate-control 0.1.0 (hopscope ")


def test_its_schema_has_the_rule(own: Callable):
    schema = json.loads(own("schema").stdout)
    rules = schema["$defs"]["RateControlParams"]["oneOf"][-1]["properties"]["own"]["oneOf"]
    fields = rules[0]["properties"]["aimd"]["properties"]
    assert fields["step"]["description"].startswith("What a round trip without marks adds")


def test_the_how_to_shows_the_example():
    text = HOW_TO.read_text(encoding="utf-8")
    files = {
        "rust": EXAMPLE / "src/main.rs",
        "toml incast.toml": EXAMPLE / "incast.toml",
        "toml": EXAMPLE / "Cargo.toml",
    }
    for kind, file in files.items():
        shown = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        assert shown
        for piece in shown:
            assert piece in file.read_text(encoding="utf-8"), piece
