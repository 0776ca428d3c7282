"""A drawing or a table takes the place of an older file, and of nothing else."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

SHEET = "Side A;Port A;Side B;Port B\nh1;eth0;leaf1;Ethernet1\nh2;eth0;leaf1;Ethernet2\n"
FABRIC = "ib-torus-updn"
WRITERS = {
    "topology --svg": ("topology", FABRIC, "--svg"),
    "topology --write": ("topology", FABRIC, "--write"),
    "check --svg": ("check", FABRIC, "--engine", "shortest", "--svg"),
    "routes --out": ("routes", FABRIC, "--out"),
    "import --out": ("import", "sheet.csv", "--out"),
}


@pytest.fixture(autouse=True)
def sheet(here: Path) -> Path:
    """A file to import."""
    (here / "sheet.csv").write_text(SHEET)
    return here / "sheet.csv"


@pytest.fixture(params=["fifo.csv", "folder.csv", "link.csv", "dangling.csv"])
def irregular(request: pytest.FixtureRequest, here: Path) -> Path:
    """Something that is no regular file."""
    place = here / request.param
    if place.stem == "fifo":
        os.mkfifo(place)
    elif place.stem == "folder":
        place.mkdir()
    else:
        (here / "real.csv").write_text("precious")
        place.symlink_to("real.csv" if place.stem == "link" else "nowhere")
    return place


@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_no_regular_file_stays(command: Callable[..., Result], irregular: Path, writer: str):
    before = irregular.lstat()
    done = command(*WRITERS[writer], irregular.name)
    assert (done.exit_code, irregular.lstat().st_ino) == (2, before.st_ino)
    assert f"error: `{irregular.name}` is no regular file\nhint: choose another --" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("writer", WRITERS)
def test_an_older_file_is_replaced(command: Callable[..., Result], here: Path, writer: str):
    (here / "old.csv").write_text("old")
    assert command(*WRITERS[writer], "old.csv").exit_code in (0, 1)
    assert (here / "old.csv").read_text() != "old"


@pytest.mark.parametrize(
    "words",
    [
        ("import", "sheet.csv", "--out", "sheet.csv"),
        ("import", "sheet.csv", "--out", "again.csv"),
        ("topology", "sheet.csv", "--svg", "./sheet.csv"),
        ("topology", "sheet.csv", "--write", "sheet.csv"),
        ("routes", "sheet.csv", "--out", "sheet.csv"),
        ("routes", FABRIC, "--root-guids", "sheet.csv", "--out", "sheet.csv"),
        ("check", "sheet.csv", "--svg", "sheet.csv"),
        ("check", FABRIC, "--routes", "sheet.csv", "--svg", "sheet.csv"),
        ("check", FABRIC, "--sl2vl", "sheet.csv", "--svg", "sheet.csv"),
        ("diagnose", FABRIC, "--counters", "sheet.csv", "--counters", "b", "--fit", "sheet.csv"),
    ],
)
def test_what_a_command_reads_is_not_what_it_writes(
    command: Callable[..., Result], sheet: Path, words: tuple[str, ...]
):
    os.link(sheet, "again.csv")
    done = command(*words)
    assert done.exit_code == 2
    assert "is an input of this command\nhint: choose another --" in done.stderr
    assert sheet.read_text() == SHEET
