"""Captures: written whole or not at all, refused where there is nothing to capture, and read by tshark."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope import engine
from hopscope.errors import Interrupted, UsageError

DISSECTOR = PROJECT / "crates/pup/wireshark/pup.lua"
FEW = ("--set", "measure.messages=200", "--set", "measure.warmup=5 s", "--quiet", "--no-report")
SECTION_HEADER = b"\x0a\x0d\x0d\x0a"


def test_a_run_writes_its_packets_to_a_file(command: Callable[..., Result], here: Path):
    done = command("run", "pup-ipr-gateway", *FEW, "--out", "found", "--capture", "deep/pups.pcapng")
    assert done.exit_code == 0, done.output
    assert (here / "deep/pups.pcapng").read_bytes().startswith(SECTION_HEADER)
    assert sorted(path.name for path in here.rglob("*.pcapng")) == ["pups.pcapng"]
    assert (here / "found/run.json").exists()


def test_a_capture_changes_no_result(here: Path):
    few = {"measure.messages": 200}
    with_it = hopscope.run("pup-ipr-radio", set=few, capture="pups.pcapng")
    assert with_it.summary.data == hopscope.run("pup-ipr-radio", set=few).summary.data


@pytest.mark.parametrize("scenario", ["an1-mstage", "queueing-mm1", "arpanet-1974-10"])
def test_a_model_without_packets_in_bytes_is_refused(
    command: Callable[..., Result], here: Path, scenario: str
):
    done = command("run", scenario, "--capture", "pups.pcapng")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert f"`{scenario}` has no packets to capture" in done.stderr
    assert "hint: " in done.stderr
    assert list(here.iterdir()) == []


def test_nothing_is_overwritten_and_nothing_stands_in_the_way(command: Callable[..., Result], here: Path):
    (here / "taken.pcapng").write_text("a week of work")
    for capture, words in [
        ("taken.pcapng", "exists already"),
        ("found/pups.pcapng", "would collide"),
        ("found", "would collide"),
        ("taken.pcapng/pups.pcapng", "cannot write"),
    ]:
        done = command("run", "pup-ipr-gateway", *FEW, "--out", "found", "--capture", capture)
        assert (done.exit_code, done.stdout) == (2, "")
        assert words in done.stderr
        assert [path.name for path in here.iterdir()] == ["taken.pcapng"]
    assert (here / "taken.pcapng").read_text() == "a week of work"


def test_an_interrupted_run_leaves_no_half_of_a_capture(here: Path, monkeypatch: pytest.MonkeyPatch):
    def stop(scenario: object, progress: object, capture: Path) -> None:
        capture.write_bytes(SECTION_HEADER)
        raise Interrupted(None)

    monkeypatch.setattr(engine, "run", stop)
    with pytest.raises(Interrupted):
        hopscope.run("pup-ipr-gateway", capture="deep/pups.pcapng")
    assert list(here.iterdir()) == []


def test_a_full_disk_is_told_and_leaves_nothing(here: Path, monkeypatch: pytest.MonkeyPatch):
    import errno

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(engine, "run", full)
    with pytest.raises(UsageError, match="no space left on the disk") as refused:
        hopscope.run("pup-ipr-gateway", capture="pups.pcapng")
    assert refused.value.hint == "free some space or choose another capture"
    assert list(here.iterdir()) == []


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed (Debian: tshark)")
def test_tshark_reads_every_field_of_a_capture(here: Path):
    hopscope.run("pup-ipr-gateway", set={"measure.messages": 200}, capture="pups.pcapng")
    columns = ["frame.time_epoch", "pup.type", "pup.hops", "pup.length", "pup.checksum.good", "pup.from"]
    fields = [word for column in [*columns, "pup.allocation.pups"] for word in ("-e", column)]
    line = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", "pups.pcapng", "-T", "fields", *fields]
    done = subprocess.run([*line, "-E", "separator=;"], capture_output=True, text=True, check=True)
    rows = [row.split(";") for row in done.stdout.splitlines()]
    assert len(rows) > 500
    # The request for a connection, on the first Ethernet and behind the gateway, which counts a hop.
    assert rows[0] == ["0.007512150", "8", "0", "28", "1", "3#12#400", ""]
    assert rows[1][1:3] == ["8", "1"]
    assert {row[4] for row in rows} == {"1"}, "every checksum is good, also behind the gateway"
    data = [row for row in rows if row[1] in ("16", "17")]
    assert {row[3] for row in data} == {"222"}
    acknowledgments = [row for row in rows if row[1] == "18"]
    assert {row[6] for row in acknowledgments} == {"5"}
    times = [float(row[0]) for row in rows]
    assert times == sorted(times)
