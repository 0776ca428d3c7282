"""A scenario from others reads nothing but what came with it; messages carry nothing of other files away."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope.errors import ScenarioError
from hopscope.results.folder import read

HASH = "$6$Zk3yQm1x$3vXyzzyPlughFrotzOzmooNitfolRezrovBlorbSwanzoAimfizXibbik"
SHADOW = f"root:{HASH}:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n"
STAR = """
model = "fabric"
network = { star = { arms = 0, hosts_at_hub = 4 } }
link = { rate = "100 Gbit/s", delay = "100 ns" }
"""
FRAMES = '[frames]\nmtu = "1000 B"\nlatency = "300 ns"\nbuffer = { size = "64 MB", alpha = 1.0 }\n'
ARPANET = 'model = "arpanet"\n'
FABRIC = 'model = "fabric"\n[link]\nrate = "100 Gbit/s"\ndelay = "100 ns"\n[traffic]\nload = 0.1\n'

# Every field of a scenario that names a file.
NAMING = {
    "network.file.path": FABRIC + '[network.file]\npath = "FILE"\n',
    "routing.tables": FABRIC + '[network.file]\npath = "torus.ibnetdiscover"\n[routing]\ntables = "FILE"\n',
    "traffic.pattern.matrix.path": STAR + '[traffic]\nload = 0.1\npattern = { matrix = { path = "FILE" } }\n',
    "flows[0].pattern.list.path": STAR + FRAMES + '[[flows]]\npattern = { list = { path = "FILE" } }\n',
    "flows[0].pattern.poisson.sizes.cdf.path": STAR
    + FRAMES
    + '[[flows]]\npattern = { poisson = { load = 0.3, sizes = { cdf = { path = "FILE" } } } }\n',
    "network.file": ARPANET + '[network]\nfile = "FILE"\n',
    "network.places_file": ARPANET + '[network]\nfile = "lines.csv"\nplaces_file = "FILE"\n',
    "sites.file": ARPANET + '[network]\nfile = "lines.csv"\n[sites]\nfile = "FILE"\n',
    "sites.hosts_file": ARPANET + '[network]\nfile = "lines.csv"\n[sites]\nhosts_file = "FILE"\n',
    "sites.sizes_file": ARPANET + '[network]\nfile = "lines.csv"\n[sites]\nsizes_file = "FILE"\n',
}


@pytest.fixture
def own(here: Path) -> Path:
    """The folder of a foreign scenario, beside a file that it may not read."""
    (here / "shadow").write_text(SHADOW)
    own = here / "own"
    own.mkdir()
    shutil.copy(PROJECT / "scenarios/torus-7x5.ibnetdiscover", own / "torus.ibnetdiscover")
    shutil.copy(PROJECT / "scenarios/arpanet-lines-1973-08.csv", own / "lines.csv")
    return own


def scenario(own: Path, field: str, file: str) -> str:
    path = own / "scenario.toml"
    path.write_text(NAMING[field].replace("FILE", file))
    return str(path)


def refused(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (2, "")
    return done.stderr


def schema_paths(node: object, under: str = "") -> list[str]:
    """The fields of the schema that hold the name of a file."""
    found: list[str] = []
    if isinstance(node, dict):
        for name, below in node.get("properties", {}).items():
            if re.search(r"path$|file$|^tables$", name) and "string" in str(below.get("type")):
                found.append(name)
            found += schema_paths(below, name)
        for key in ("$defs", "items", "oneOf", "anyOf", "allOf"):
            below = node.get(key, {})
            for each in below.values() if isinstance(below, dict) else below:
                found += schema_paths(each, under)
    return found


def test_the_list_above_has_every_field_that_names_a_file():
    tested = {field.rpartition(".")[2] for field in NAMING}
    assert set(schema_paths(hopscope.schema())) == tested


@pytest.mark.parametrize("field", NAMING)
@pytest.mark.parametrize("way", ["up", "full", "link"])
def test_a_file_elsewhere_is_refused_whatever_way_leads_to_it(
    command: Callable[..., Result], here: Path, own: Path, field: str, way: str
):
    if way == "link":
        (own / "near").symlink_to(here / "shadow")
    file = {"up": "../shadow", "full": str(here / "shadow"), "link": "near"}[way]
    told = refused(command("topology", scenario(own, field, file)))
    assert f"error: {field}: this file lies outside the scenario's folder" in told
    assert re.search(r"scenario\.toml:\d+:\d+", told)
    assert "expected a file in the scenario's folder or below" in told
    assert "hint: copy it there, or add --allow-files" in told
    assert HASH[:8] not in told
    with pytest.raises(ScenarioError, match="allow_files=True"):
        hopscope.topology(own / "scenario.toml")


@pytest.mark.parametrize("field", NAMING)
def test_what_the_user_allows_is_read_and_messages_show_nothing_of_another_kind_of_file(
    command: Callable[..., Result], own: Path, field: str
):
    told = refused(command("topology", scenario(own, field, "../shadow"), "--allow-files"))
    assert "outside" not in told
    assert re.search(r"shadow:\d+:\d+", told)
    for piece in range(0, len(HASH) - 8, 8):
        assert HASH[piece : piece + 8] not in told


@pytest.mark.parametrize("field", NAMING)
def test_whether_a_file_elsewhere_exists_is_not_told(command: Callable[..., Result], own: Path, field: str):
    there = refused(command("topology", scenario(own, field, "../shadow")))
    missing = refused(command("topology", scenario(own, field, "../shadot")))
    assert there.replace("shadow", "shadot") == missing


VERBS = {
    "run": (),
    "sweep": ("--over", "traffic.load=0.1,0.2"),
    "compare": ("an1-tandem",),
    "explain": (),
    "trace": ("--perfetto", "trace.json"),
    "topology": (),
    "capacity": (),
    "advise": (),
    "check": (),
    "routes": (),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_refuses_alike_and_every_verb_can_be_allowed(
    command: Callable[..., Result], own: Path, verb: str
):
    (own.parent / "torus.ibnetdiscover").write_text((own / "torus.ibnetdiscover").read_text()[:500])
    path = scenario(own, "network.file.path", "../torus.ibnetdiscover")
    assert "outside the scenario's folder" in refused(command(verb, path, *VERBS[verb]))
    allowed = refused(command(verb, path, *VERBS[verb], "--allow-files"))
    assert "outside" not in allowed
    assert "torus.ibnetdiscover:" in allowed


def test_an_experiment_from_python_can_be_allowed(own: Path):
    path = scenario(own, "network.file.path", "../torus.ibnetdiscover")
    shutil.copy(own / "torus.ibnetdiscover", own.parent)
    with pytest.raises(ScenarioError, match="allow_files=True"):
        hopscope.perform(hopscope.Experiment([path]))
    allowed = hopscope.Experiment([path], set={"measure.messages": 300}, allow_files=True)
    (point,) = hopscope.perform(allowed).points()
    assert point.outcome in ("complete", "unsettled")
    with pytest.raises(ScenarioError, match="allow_files=True"):
        hopscope.compare(path, path, seeds=2)


def test_what_the_command_line_names_may_lie_anywhere(command: Callable[..., Result], here: Path, own: Path):
    fabric = own / "torus.ibnetdiscover"
    (here / "linked.ibnetdiscover").symlink_to(fabric)
    for words in (
        ("topology", str(fabric), "--json"),
        ("topology", "linked.ibnetdiscover", "--json"),
        ("topology", "backbone", "--json", "--set", f"network.file.path={fabric}"),
    ):
        done = command(*words)
        assert done.exit_code == 0, done.stderr


def test_a_folder_may_be_reached_by_a_link(command: Callable[..., Result], here: Path, own: Path):
    scenario(own, "network.file.path", "torus.ibnetdiscover")
    (here / "linked").symlink_to(own)
    assert command("topology", "linked/scenario.toml", "--json").exit_code == 0


def test_suggestions_know_the_scenarios_folder_and_no_other(
    command: Callable[..., Result], own: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(own)
    near = refused(command("topology", scenario(own, "network.file.path", "torus.ibnetdiscove")))
    assert 'did you mean "torus.ibnetdiscover"?' in near
    for elsewhere in ("../shadov", str(own.parent / "shadov")):
        told = refused(command("topology", "backbone", "--set", f"network.file.path={elsewhere}"))
        assert "shadow" not in told.replace(elsewhere, "")


STUDY = 'title = "A trial"\nsource = "None"\npublished = "an1.csv"\n'
CELL = '[[cell]]\nid = "an1/table2/fixed/ct/0.05"\nmetric = "latency.mean"\n'


@pytest.mark.parametrize(
    ("head", "whose"),
    [
        ('scenario = "../other.toml"\n', "the study's folder"),
        ('scenario = "backbone"\nset = { "network.file.path" = "../shadow" }\n', "the study's folder"),
        ('scenario = "inner.toml"\n', "the scenario's folder"),
    ],
)
def test_a_study_from_others_reads_nothing_else_either(
    command: Callable[..., Result], here: Path, own: Path, head: str, whose: str
):
    (here / "other.toml").write_text((PROJECT / "scenarios/queueing-mm1.toml").read_text())
    (own / "inner.toml").write_text(NAMING["network.file.path"].replace("FILE", "../shadow"))
    (own / "study.toml").write_text(STUDY + head + CELL)
    told = refused(command("study", "own"))
    assert f"outside {whose}" in told
    assert "--allow-files" in told
    assert "outside" not in command("study", "own", "--allow-files").stderr


def test_a_study_reads_what_lies_in_its_folder(here: Path, own: Path, monkeypatch: pytest.MonkeyPatch):
    text = (PROJECT / "scenarios/backbone.toml").read_text()
    (own / "net.toml").write_text(text.replace("300_000", "2_000"))
    shutil.copy(PROJECT / "scenarios/backbone.graphml", own / "other.graphml")
    head = 'scenario = "net.toml"\nset = { "network.file.path" = "other.graphml" }\n'
    (own / "study.toml").write_text(STUDY + head + CELL)
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert hopscope.study("../own").cells[0].measured.value is not None


@pytest.mark.parametrize(
    "text", [SHADOW, "[default]\naws_secret_access_key = AKIAFROBOZZ\n", "TOKEN=hunter2 x\n"]
)
def test_a_file_that_is_no_scenario_is_not_shown(command: Callable[..., Result], here: Path, text: str):
    (here / "private").write_text(text)
    told = refused(command("run", "private"))
    assert re.search(r"private:\d+:\d+", told)
    assert not any(word in told for word in (HASH[:8], "AKIA", "hunter2"))


def test_a_sweep_from_others_leads_to_no_other_folder(here: Path):
    hopscope.sweep("queueing-mm1", {"arrivals.load": [0.5]}, set={"measure.messages": 2000}, out="sweep")
    content = here / "sweep/sweep.json"
    content.write_text(content.read_text().replace("points/001-seed-1", "../sweep/../elsewhere"))
    with pytest.raises(hopscope.UsageError, match="not its own"):
        read("sweep")
