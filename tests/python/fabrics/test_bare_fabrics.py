"""A fabric's file instead of a scenario: the switches that are assumed, and how they give way."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope import engine

Command = Callable[..., Result]

SQUARE = PROJECT / "crates" / "formats" / "tests" / "data" / "square.ibnetdiscover"


def cables(folder: Path, link: str = "25 Gbit/s,", hosts: int = 2) -> Path:
    """Two leaves and a spine as a list of cables, with this rate and delay."""
    lines = ["from,to,rate,delay,kind"]
    for leaf in range(2):
        lines.append(f"leaf{leaf},spine,{link},trunk")
        lines += [f"h{leaf}-{host},leaf{leaf},{link},host" for host in range(hosts)]
    file = folder / "cables.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def meant(file: Path, *settings: str) -> dict[str, Any]:
    """The scenario of the file with these settings, and its note on assumed values."""
    scenario = engine.load(file, list(settings))
    return json.loads(scenario.canonical_json()) | json.loads(scenario.facts_json() or "{}")


@pytest.mark.parametrize("link", ["25 Gbit/s,", "1 Gbit/s,", ","])
def test_a_list_of_cables_of_today_is_ethernet_with_pause_frames(tmp_path: Path, link: str):
    found = meant(cables(tmp_path, link))
    assert found["frames"]["flow_control"]["pfc"]["xoff"] == "32768 B"
    assert found["frames"]["buffer"]["size"] == "16777216 B"
    assert (
        "  switches: Ethernet with PFC above 32 KiB, shared buffer of 16 MiB, MTU 4 KiB" in found["assumed"]
    )
    assert "`hopscope init mine.toml --from cables.csv`" in found["assumed"]


def test_a_slow_list_of_cables_has_the_switches_of_its_time(tmp_path: Path):
    found = meant(cables(tmp_path, "100 Mbit/s,"))
    assert "frames" not in found
    assert "  switches: AN1's with FIFO of 64 KiB, stop threshold 32 KiB" in found["assumed"]


@pytest.mark.parametrize(
    ("link", "hosts", "kib", "mib"),
    [
        # 400 kB are in flight there and back: the next power of two.
        ("800 Gbit/s,2 us", 2, 512, 16),
        # Of 129 ports each may hold 32 KiB, and 20 kB and a few frames that come after the pause.
        ("800 Gbit/s,50 ns", 128, 32, 32),
    ],
)
def test_thresholds_and_buffers_hold_what_is_in_flight(
    tmp_path: Path, link: str, hosts: int, kib: int, mib: int
):
    frames = meant(cables(tmp_path, link, hosts))["frames"]
    assert frames["flow_control"]["pfc"]["xoff"] == f"{kib * 1024} B"
    assert frames["buffer"]["size"] == f"{mib * 1024 * 1024} B"


def test_cables_for_which_no_pause_frame_would_do_have_other_switches(tmp_path: Path):
    assert "frames" not in meant(cables(tmp_path, "400 Gbit/s,2 ms"))


@pytest.mark.parametrize("name", ["cables.csv", "square.anynet", "graph.graphml"])
def test_frames_that_are_set_replace_the_switches_that_are_assumed(tmp_path: Path, name: str):
    graph = (
        '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
        '<edge source="a" target="b"/></graph></graphml>'
    )
    files = {
        "cables.csv": cables(tmp_path, "100 Mbit/s,").read_text(),
        "square.anynet": "router 0 node 0 router 1\nrouter 1 node 1\n",
        "graph.graphml": graph,
    }
    file = tmp_path / name
    file.write_text(files[name])
    assert "frames" not in meant(file)
    found = meant(file, "frames={}")
    assert "pfc" in found["frames"]["flow_control"]
    assert "FIFO" not in found["assumed"]


def test_a_switch_that_is_set_replaces_the_frames_that_are_assumed(tmp_path: Path):
    file = cables(tmp_path)
    found = meant(file, 'switch.decision="1 us"')
    assert "frames" not in found
    assert found["switch"]["decision"] == "1 us"
    # What was not set is still assumed.
    assert found["switch"]["fifo"] == {"bytes": "65536 B"}
    assert "frames" not in meant(file, "frames=")
    with pytest.raises(hopscope.ScenarioError, match="AN1's \\[switch\\] together with frames"):
        meant(file, 'switch.decision="1 us"', "frames.mtu=1 KiB")
    with pytest.raises(hopscope.ScenarioError, match="AN1's \\[switch\\] together with frames"):
        meant(SQUARE, 'switch.decision="1 us"')


@pytest.mark.parametrize(
    "settings", [("frames={}",), ('faults=[{ at = "1 ms", goes = "down", link = ["leaf0", "spine"] }]',)]
)
def test_what_is_set_runs(command: Command, here: Path, settings: tuple[str, ...]):
    cables(here)
    words = [word for setting in (*settings, "measure.messages=2000") for word in ("--set", setting)]
    done = command("run", "cables.csv", *words, "--no-report")
    assert done.exit_code == 0, done.output


def test_what_a_fabric_means_is_written_as_a_scenario_to_edit(command: Command, here: Path):
    for fabric in (cables(here), SQUARE):
        done = command("init", f"{fabric.stem}.toml", "--from", str(fabric))
        assert done.exit_code == 0, done.stderr
        written = Path(f"{fabric.stem}.toml")
        brought = [] if fabric.parent == here else [f"wrote {fabric.name}"]
        assert done.stdout.splitlines() == [f"wrote {written}", *brought]
        assert "[switch]" not in written.read_text()
        assert engine.load(written).hash == engine.load(fabric).hash


def test_a_load_that_was_fitted_is_written(command: Command, here: Path):
    thin = cables(here, hosts=10)
    assert command("init", "--from", thin.name).exit_code == 0
    load = json.loads(engine.load(thin).canonical_json())["traffic"]["load"]
    assert load < 0.1
    assert f"load = {load}\n" in Path("scenario.toml").read_text()


def test_a_scenario_is_not_written_around_a_scenario_or_over_a_file(command: Command, here: Path):
    Path("mine.toml").write_text(
        'model = "queueing"\n[arrivals]\nload = 0.5\n[[station]]\nservice = { exponential = "1 us" }\n'
    )
    done = command("init", "other.toml", "--from", "mine.toml")
    assert done.exit_code == 2
    assert "`mine.toml` is a scenario, not a fabric's file" in done.stderr
    Path(SQUARE.name).write_text("mine")
    done = command("init", "other.toml", "--from", str(SQUARE))
    assert done.exit_code == 2
    assert f"{SQUARE.name}` exists already" in done.stderr
    assert not Path("other.toml").exists()
