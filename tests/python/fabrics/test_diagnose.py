"""`hopscope diagnose`: counters in, the root of congestion out."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope import engine
from hopscope.cause import Cause
from hopscope.diagnosis import diagnose, fit
from hopscope.errors import ScenarioError
from hopscope.estimate import Estimate
from hopscope.planted import diagnosed, fabrics
from hopscope.planted.case import Draws
from subnet import needs_tools, simulated

Command = Callable[..., Result]
DATA = PROJECT / "crates/formats/tests/data"
FABRIC = DATA / "one-slow-cable.ibnetdiscover"
# Two hosts that always have something for a third.
PAUSED = """
model = "fabric"
link = { rate = "100 Gbit/s", delay = "100 ns" }
routing.rule = "shortest"
frames = {}
measure = { warmup = "0 s" }

[network.custom]
switches = ["s"]
hosts = [{ name = "a", at = "s" }, { name = "b", at = "s" }, { name = "c", at = "s" }]

[[flows]]
pattern.incast = { senders = 2, receiver = "c", size = "100 MB" }
"""


@pytest.fixture(scope="module")
def readings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The counters of the fabric with one slow cable, before and after."""
    folder = tmp_path_factory.mktemp("counters")
    files = hopscope.run(FABRIC, set={"measure.messages": 20_000}).counters()
    assert files is not None
    for name, text in files:
        (folder / name).write_text(text)
    return folder / files[0][0], folder / files[1][0]


def test_the_slow_cable_is_right_from_counters_alone(readings: tuple[Path, Path]) -> None:
    found = diagnose(FABRIC, *readings)
    assert found.cause == Cause.RESOURCE
    assert found.roots[0]["kind"] == "slow-link"
    assert set(found.roots[0]["nodes"]) == {"spine2", "leaf2"}
    assert "16 Gbit/s, where most have 100 Gbit/s" in found.sentence
    # Switch-IB counts 32 bytes a lane; hosts' adapters are not known.
    assert "32 bytes a lane (SwitchX, Switch-IB)" in found.data["wait_rules"]


def _counted(command: Command, scenario: Path, folder: Path, *instants: str) -> list[Path]:
    """The files of a run's counters at these instants."""
    given = ("--out", str(folder / "run"), "--quiet", "--no-report", "--set", "measure.messages=20_000")
    asked = [word for each in instants for word in ("--counters-at", each)]
    at = ("--counters", str(folder / "counters"), *asked)
    done = command("run", str(scenario), *given, *at)
    assert done.exit_code == 0, done.stderr
    return sorted((folder / "counters").iterdir())


def test_counters_are_written_at_the_instants_asked_for(command: Command, tmp_path: Path) -> None:
    files = _counted(command, FABRIC, tmp_path, "20us, 40us", "9s")
    assert [file.name for file in files] == ["at-0.00002s.perfquery", "at-0.00004s.perfquery"]
    assert diagnose(FABRIC, *files).data["interval_s"] == pytest.approx(20e-6)


def test_an_instant_after_the_end_of_the_run_is_told(command: Command, tmp_path: Path) -> None:
    given = ("--out", str(tmp_path / "run"), "--no-report", "--set", "measure.messages=2_000")
    at = ("--counters", str(tmp_path / "counters"), "--counters-at", "20us,9s")
    done = command("run", str(FABRIC), *given, *at)
    assert done.exit_code == 0, done.stderr
    assert "the run ended before 1 of the 2 instants" in done.output


def test_pause_frames_are_counted_as_ethtool_does(command: Command, tmp_path: Path) -> None:
    scenario = tmp_path / "two.toml"
    scenario.write_text(PAUSED)
    files = _counted(command, scenario, tmp_path, "1ms,2ms")
    assert [file.name for file in files] == [
        "at-0.001s.ethtool",
        "at-0.001s.perfquery",
        "at-0.002s.ethtool",
        "at-0.002s.perfquery",
    ]
    found = diagnose(scenario, files[0], files[2])
    assert found.data["tool"] == "ethtool -S"
    # Both senders want all of the one link to the receiver.
    assert "c" in found.roots[0]["nodes"]


def test_counters_at_instants_need_a_folder_and_frames(command: Command, tmp_path: Path) -> None:
    alone = command("run", str(FABRIC), "--counters-at", "1ms")
    assert alone.exit_code == 2
    assert "--counters DIR" in alone.stderr
    other = command("run", "an1-torus", "--counters-at", "1ms", "--counters", str(tmp_path / "counters"))
    assert other.exit_code == 2
    assert "no ports with counters" in other.stderr


def test_the_command_answers_first_and_ends_with_1(command: Command, readings: tuple[Path, Path]) -> None:
    before, after = map(str, readings)
    done = command("diagnose", str(FABRIC), "--counters", before, "--counters", after)
    assert done.exit_code == 1, done.stderr
    assert "The link spine2:11 -> leaf2:11 is slower than comparable links" in done.stdout
    again = command("diagnose", str(FABRIC), "--counters", before, "--counters", after, "--json")
    assert json.loads(again.stdout)["roots"][0]["kind"] == "slow-link"


def test_readings_in_the_wrong_order_are_refused_by_line(
    command: Command, readings: tuple[Path, Path]
) -> None:
    before, after = map(str, readings)
    done = command("diagnose", str(FABRIC), "--counters", after, "--counters", before)
    assert done.exit_code == 2
    assert "ran backwards" in done.stderr
    assert f"{before}:" in done.stderr


def test_one_reading_is_none(command: Command, readings: tuple[Path, Path]) -> None:
    done = command("diagnose", str(FABRIC), "--counters", str(readings[0]))
    assert done.exit_code == 2
    assert "twice" in done.stderr


def test_counters_of_another_fabric_are_refused(readings: tuple[Path, Path]) -> None:
    with pytest.raises(ScenarioError, match="the fabric has no node of LID"):
        diagnose(DATA / "square.ibnetdiscover", *readings)


def test_missing_ports_are_said_and_cost_sureness(readings: tuple[Path, Path], tmp_path: Path) -> None:
    whole = diagnose(FABRIC, *readings)
    cut = []
    for number, path in enumerate(readings):
        head, *sections = path.read_text().split("# Port extended")
        kept = [section for section in sections if "counters: Lid 1" not in section.splitlines()[0]]
        cut.append(tmp_path / f"{number}.perfquery")
        cut[-1].write_text("# Port extended".join([head, *kept]))
    found = diagnose(FABRIC, *cut)
    assert found.data["sure"] < whole.data["sure"]


def _of_switches_alone(readings: tuple[Path, Path], folder: Path) -> list[Path]:
    """The same readings without counters of host ports."""
    lid_of_host = re.compile(r"# lid (\d+) lmc")
    hosts = set(lid_of_host.findall(FABRIC.read_text()))
    cut = []
    for number, path in enumerate(readings):
        head, *sections = path.read_text().split("# Port extended")
        lid = re.compile(r"counters: Lid (\d+) ")
        kept = [section for section in sections if lid.search(section)[1] not in hosts]
        assert 0 < len(kept) < len(sections)
        cut.append(folder / f"{number}.perfquery")
        cut[-1].write_text("# Port extended".join([head, *kept]))
    return cut


def test_of_switches_alone_nobody_knows_how_many_hosts_wait(
    command: Command, readings: tuple[Path, Path], tmp_path: Path
) -> None:
    before, after = map(str, _of_switches_alone(readings, tmp_path))
    found = diagnose(FABRIC, before, after)
    assert found.data["hosts_waiting"] is None
    assert any("nothing says for how long it waited" in note for note in found.data["notes"])
    done = command("diagnose", str(FABRIC), "--counters", before, "--counters", after)
    assert "not known (no counters of host ports)" in done.stdout


def test_an_interval_that_contradicts_the_files_is_refused(readings: tuple[Path, Path]) -> None:
    own = diagnose(FABRIC, *readings).data["interval_s"]
    assert diagnose(FABRIC, *readings, interval_s=1.01 * own).data["interval_s"] == own
    with pytest.raises(ScenarioError, match="apart by the files, and not 10 s"):
        diagnose(FABRIC, *readings, interval_s=10.0)
    with pytest.raises(ScenarioError, match="both readings are of one instant"):
        diagnose(FABRIC, readings[0], readings[0])


def test_more_than_links_carry_is_refused(readings: tuple[Path, Path], tmp_path: Path) -> None:
    bare = []
    for number, path in enumerate(readings):
        bare.append(tmp_path / f"{number}.perfquery")
        bare[-1].write_text(path.read_text().partition("\n")[2])
    with pytest.raises(ScenarioError, match="% utilised: in 100 ns it carried"):
        diagnose(FABRIC, *bare, interval_s=1e-7)


def test_without_counters_of_waiting_nothing_is_sure(readings: tuple[Path, Path], tmp_path: Path) -> None:
    files = []
    for number, path in enumerate(readings):
        kept = [line for line in path.read_text().splitlines() if not line.startswith("PortXmitWait")]
        files.append(tmp_path / f"{number}.perfquery")
        files[-1].write_text("\n".join(kept) + "\n")
    found = diagnose(FABRIC, *files)
    assert found.sentence.startswith("Whether ports wait is not known: no counter of waiting was read.")
    assert found.data["sure"] == 0


def test_pause_counters_that_stand_still_tell_that_nobody_waits(tmp_path: Path, command: Command) -> None:
    """Three hosts at a hundredth of what their links carry."""
    scenario = tmp_path / "idle.toml"
    seldom = 'traffic = { pattern = "uniform", load = 0.01, sizes = { fixed = "1 KiB" } }'
    network = PAUSED.partition("[[flows]]")[0]
    scenario.write_text(network.replace("frames = {}", f"frames = {{}}\n{seldom}"))
    files = _counted(command, scenario, tmp_path, "1ms,2ms")
    found = diagnose(scenario, files[0], files[2])
    assert found.data["tool"] == "ethtool -S"
    assert found.sentence.startswith("No port waits")
    assert found.data["sure"] == 1


def _without_instant(path: Path, text: str) -> Path:
    """The file with a reading that does not say when it was made."""
    path.write_text(text.partition("\n")[2])
    return path


def test_two_copies_of_one_reading_are_refused(
    command: Command, readings: tuple[Path, Path], tmp_path: Path
) -> None:
    copy = str(_without_instant(tmp_path / "copy", readings[0].read_text()))
    done = command("diagnose", str(FABRIC), "--counters", copy, "--counters", copy, "--interval", "1s")
    assert done.exit_code == 2
    assert "no counter changed between the readings" in done.stderr


def test_a_bad_cable_for_which_no_port_waits_is_the_answer(
    command: Command, readings: tuple[Path, Path], tmp_path: Path
) -> None:
    text = readings[0].read_text()
    before = _without_instant(tmp_path / "before", text)
    zero = "SymbolErrorCounter:..............0"
    after = _without_instant(tmp_path / "after", text.replace(zero, zero[:-1] + "5000", 1))
    given = ("--counters", str(before), "--counters", str(after), "--interval", "1s")
    done = command("diagnose", str(FABRIC), *given, "--json")
    assert done.exit_code == 1, done.stderr
    found = json.loads(done.stdout)
    assert (found["cause"], found["roots"]) == ("loss", [])
    (cable,) = found["cables_with_errors"]
    assert cable["errors"] == 5000
    assert found["sentence"].startswith(f"The cable {cable['place']} is bad: 5000 errors")


def test_a_port_that_was_cleared_is_left_out_with_a_note(readings: tuple[Path, Path], tmp_path: Path) -> None:
    head, first, *sections = readings[1].read_text().split("# Port extended")
    cleared = re.sub(r"^(?!PortSelect)(\w+:\.+)\d+$", r"\g<1>0", first, flags=re.MULTILINE)
    after = tmp_path / "after"
    after.write_text("# Port extended".join([head, cleared, *sections]))
    found = diagnose(FABRIC, readings[0], after)
    assert found.roots[0]["kind"] == "slow-link"
    assert any(
        note.startswith("1 port is left out, because counters ran backwards") for note in found.data["notes"]
    )


@needs_tools
def test_real_perfquery_output_of_an_idle_subnet_accuses_nobody(tmp_path: Path) -> None:
    with simulated(DATA / "square.net", tmp_path / "subnet") as subnet:
        subnet.opensm("minhop")
        fabric = tmp_path / "square.ibnetdiscover"
        fabric.write_text(subnet.run("ibnetdiscover"))
        lids = {1: "1-5", 3: "1-6", 4: "1-5", 6: "1-4"}
        paths = [tmp_path / "before", tmp_path / "after"]
        for path in paths:
            path.write_text(
                "".join(subnet.run("perfquery", "-x", "-l", str(n), ports) for n, ports in lids.items())
            )
        found = diagnose(fabric, *paths, interval_s=1.0)
    assert found.is_healthy


def test_planted_roots_are_named_and_healthy_fabrics_are_not_accused() -> None:
    """A slice of the study insight/counters, whose other runs are simulated by worker processes."""
    with engine.sweeping_with(lambda *_: pytest.fail("runs from elsewhere have no counters")):
        cases = diagnosed.diagnosed(seed=7, each=1)
    healthy = [case for case in cases if case.planted.case.cause == Cause.HEALTHY]
    assert all(case.is_right for case in healthy)
    missed = [case for case in cases if not case.is_right]
    assert len(missed) <= len(cases) // 10, "\n".join(
        f"{case.planted.model} {case.planted.case.name}: {case.sentence}" for case in missed
    )


def test_fitted_traffic_reproduces_the_counters(readings: tuple[Path, Path], tmp_path: Path) -> None:
    """A repaired fabric under uniform traffic: hosts send as much in the fitted scenario as they did."""
    fabric = tmp_path / "repaired.ibnetdiscover"
    fabric.write_text(FABRIC.read_text().replace("4xDDR", "4xEDR"))
    run = hopscope.run(fabric, set={"measure.messages": 60_000, "traffic.load": 0.2})
    paths = []
    for name, text in run.counters() or []:
        paths.append(tmp_path / name)
        paths[-1].write_text(text)
    notes = fit(fabric, *paths, tmp_path / "fitted.toml")
    assert "not determined by the counters" in notes[1]
    again = hopscope.run(tmp_path / "fitted.toml", set={"measure.messages": 20_000})
    first, second = (each.summary.metric("throughput").value for each in (run, again))
    assert second == pytest.approx(first, rel=0.03)


@pytest.mark.parametrize("family", fabrics.NETWORKS)
def test_explain_names_the_slow_host_of_a_run_as_diagnose_does(family: str, tmp_path: Path) -> None:
    case = fabrics.slow_host(Draws(f"explain {family}"), fabrics.NETWORKS[family][0])
    path = tmp_path / "slow.toml"
    path.write_text(case.text)
    found = hopscope.run(path).explain()
    # `diagnose` calls it a slow service; in a run the host is busy all the time, and so a full resource.
    assert found.cause == Cause.RESOURCE, found.sentence
    assert case.places[0] <= frozenset(found.nodes), found.sentence


def _fitted(fabric: Path, folder: Path, **changes: object) -> Path:
    """A scenario fitted to the counters of a run of this fabric with changes that its file does not know."""
    run = hopscope.run(fabric, set={"measure.messages": 60_000, **changes})
    paths = []
    for name, text in run.counters() or []:
        paths.append(folder / name)
        paths[-1].write_text(text)
    fit(fabric, *paths, folder / "fitted.toml")
    return folder / "fitted.toml"


def _throughput(scenario: Path, **changes: object) -> Estimate:
    run = hopscope.run(scenario, set={"measure.messages": 60_000, **changes})
    return run.summary.metric("throughput")


def test_a_fitted_scenario_has_the_slow_host_of_the_fabric(tmp_path: Path) -> None:
    healthy = tmp_path / "healthy.ibnetdiscover"
    healthy.write_text(FABRIC.read_text().replace("4xDDR", "4xEDR"))
    slow = [{"host": "node030", "drain": "20 Gbit/s"}]
    fitted = _fitted(healthy, tmp_path, **{"frames.slow_hosts": slow, "traffic.load": 0.4})
    (found,) = tomllib.loads(fitted.read_text())["frames"]["slow_hosts"]
    assert found["host"] == "node030"
    number, unit = found["drain"].split()
    assert unit == "Gbit/s"
    assert float(number) == pytest.approx(20, rel=0.02)
    assert found["host"] in hopscope.run(fitted, set={"measure.messages": 20_000}).explain().nodes


def test_a_fitted_fabric_carries_more_once_its_fault_is_repaired(tmp_path: Path) -> None:
    """Hosts that always had something to send are not taken to have wanted what the bad cable let through."""
    fabric = tmp_path / FABRIC.name
    fabric.write_text(FABRIC.read_text())
    fitted = _fitted(fabric, tmp_path)
    before, faulty = _throughput(fabric), _throughput(fitted)
    assert before.low <= faulty.high
    assert faulty.low <= before.high
    assert _throughput(fitted, **{"upgrade.replace_slow_cables": True}).low > 1.5 * faulty.high


def test_a_fitted_scenario_follows_the_tables_of_the_diagnosis(tmp_path: Path) -> None:
    fabric = tmp_path / FABRIC.name
    fabric.write_text(FABRIC.read_text().replace("4xDDR", "4xEDR"))
    tables = tmp_path / "tables.lfts"
    tables.write_text(hopscope.routes(fabric, engine="shortest"))
    changes = {"routing.tables": str(tables), "measure.messages": 60_000, "traffic.load": 0.2}
    paths = []
    for name, text in hopscope.run(fabric, set=changes).counters() or []:
        paths.append(tmp_path / name)
        paths[-1].write_text(text)
    (tmp_path / "fits").mkdir()
    fitted = tmp_path / "fits" / "fitted.toml"
    *_, told = fit(fabric, *paths, fitted, routes=tables)
    # What it names lies above its folder, which needs an option.
    assert f"`hopscope explain {fitted} --allow-files`" in told
    assert tomllib.loads(fitted.read_text())["routing"]["tables"] == "../tables.lfts"
    # The paths are right where the files are found.
    assert engine.load(fitted, allow_files=True).title == engine.load(fabric).title
