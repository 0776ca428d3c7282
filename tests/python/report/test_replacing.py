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


@pytest.fixture
def named(here: Path, command: Callable[..., Result]) -> Path:
    """A scenario that names the list of its cables and that of its flows."""
    assert command("import", "sheet.csv", "--out", "cables.csv").exit_code == 0
    (here / "flows.csv").write_text("from,to,size\nh1,h2,1 KiB\n")
    (here / "named.toml").write_text(
        'model = "fabric"\n[network.file]\npath = "cables.csv"\n[frames]\n'
        '[[flows]]\npattern = { list = { path = "flows.csv" } }\n'
    )
    return here / "named.toml"


@pytest.mark.parametrize("input_file", ["cables.csv", "flows.csv", "named.toml"])
@pytest.mark.parametrize(
    "words",
    [
        ("topology", "named.toml", "--svg"),
        ("topology", "named.toml", "--write"),
        ("check", "named.toml", "--engine", "shortest", "--svg"),
        ("routes", "named.toml", "--out"),
        ("advise", "named.toml", "--write-roots"),
        ("diagnose", "named.toml", "--counters", "sheet.csv", "--counters", "sheet.csv", "--fit"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_what_a_scenario_names_is_not_what_a_command_writes(
    command: Callable[..., Result], named: Path, words: tuple[str, ...], input_file: str
):
    before = (named.parent / input_file).read_text()
    done = command(*words, input_file)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"error: `{input_file}` is an input of this command\nhint: choose another --" in done.stderr
    assert (named.parent / input_file).read_text() == before


def test_what_an_override_names_starts_at_the_working_folder(command: Callable[..., Result], named: Path):
    (named.parent / "below").mkdir()
    named.rename(named.parent / "below" / named.name)
    words = ("topology", "below/named.toml", "--set", 'network.file.path="cables.csv"')
    flows = ("--set", 'flows=[{pattern = {list = {path = "flows.csv"}}}]', "--svg", "flows.csv")
    done = command(*words, *flows)
    assert "`flows.csv` is an input of this command" in done.stderr
    assert command(*words, *flows[:3], "other.svg").exit_code == 0


def test_python_writes_no_input_either(named: Path):
    from hopscope.errors import UsageError
    from hopscope.forwarding_tables import write_fabric

    with pytest.raises(UsageError, match="is an input"):
        write_fabric(named, Path("cables.csv"))


@pytest.mark.parametrize(
    "words",
    [
        ("run", "queueing-mm1", "--out", "one", "--counters", "one"),
        ("run", "queueing-mm1", "--out", "one", "--counters", "one/below"),
        ("run", "queueing-mm1", "--out", "one/below", "--counters", "./one"),
        ("run", "pup-ipr-gateway", "--counters", "one", "--capture", "one"),
        ("sweep", "queueing-mm1", "--over", "arrivals.load=0.1,0.2", "--store", "one", "--out", "one"),
        ("sweep", "queueing-mm1", "--over", "arrivals.load=0.1,0.2", "--out", "one", "--store", "one/store"),
        ("study", "an1/limits", "--out", "one", "--store", "./one"),
        ("advise", FABRIC, "--write-roots", "one", "--store", "one"),
        ("topology", FABRIC, "--svg", "one", "--write", "one"),
    ],
    ids=" ".join,
)
def test_outputs_that_collide_are_refused_before_anything_runs(
    command: Callable[..., Result], here: Path, words: tuple[str, ...]
):
    before = sorted(here.iterdir())
    done = command(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "would collide\nhint: choose another place for --" in done.stderr
    assert sorted(here.iterdir()) == before


def test_a_folder_of_results_may_stand_in_a_store(command: Callable[..., Result], here: Path):
    swept = ("sweep", "queueing-mm1", "--set", "measure.messages=1000", "--over", "arrivals.load=0.1,0.2")
    assert command(*swept, "--store", "kept", "--out", "kept/swept", "--no-report").exit_code == 0
    assert (here / "kept" / "swept" / "sweep.json").exists()


def test_counters_of_a_model_without_ports_are_refused_before_it_runs(
    command: Callable[..., Result], here: Path
):
    before = sorted(here.iterdir())
    done = command("run", "queueing-mm1", "--counters", "counted")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "`queueing-mm1` has no ports with counters" in done.stderr
    assert "leave --counters out" in done.stderr
    assert sorted(here.iterdir()) == before


def test_a_scenario_of_ones_own_takes_the_name_of_no_file_that_it_needs(
    command: Callable[..., Result], here: Path
):
    from hopscope import ready_scenarios

    needed = ready_scenarios.write(here / "whole.toml", FABRIC)[1].name
    done = command("init", f"elsewhere/{needed}", "--from", FABRIC)
    assert (done.exit_code, f"`{needed}` is the name of a file that the scenario needs" in done.stderr) == (
        2,
        True,
    )
