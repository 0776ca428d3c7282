"""Real InfiniBand tools on a simulated subnet: what they print is read, our tables held against theirs."""

from pathlib import Path

import pytest

import hopscope
from subnet import Subnet, needs_tools, simulated

pytestmark = needs_tools

SCENARIOS = Path(__file__).parents[2] / "scenarios"
ROOT = "0x200000"  # ibsim's first switch


def _torus(width: int, height: int, wraps: bool = True) -> str:
    """A net file: ports 1 and 2 lead east and west, 3 and 4 south and north, 5 to the host."""
    switches, hosts = [], []
    for y in range(height):
        for x in range(width):
            ways = ((1, x + 1, y, 2), (2, x - 1, y, 1), (3, x, y + 1, 4), (4, x, y - 1, 3))
            cables = [
                f'[{port}] "x{to_x % width}y{to_y % height}"[{far}]'
                for port, to_x, to_y, far in ways
                if wraps or (0 <= to_x < width and 0 <= to_y < height)
            ]
            name = f"x{x}y{y}"
            switches.append("\n".join([f'Switch 5 "{name}"', *cables, f'[5] "h{name}"[1]']) + "\n")
            hosts.append(f'Hca 1 "h{name}"\n[1] "{name}"[5]\n')
    return "\n".join(switches + hosts)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A 5x4 torus."""
    path = tmp_path / "torus.net"
    path.write_text(_torus(5, 4))
    return path


def _routed(subnet: Subnet, engine: str) -> Path:
    """The tables of OpenSM with its first switch as the root."""
    roots = subnet.folder / "roots"
    roots.write_text(f"{ROOT}\n")
    subnet.opensm(engine, "-a", str(roots))
    return subnet.folder / "opensm-lfts.dump"


def _findings(fabric: Path, tables: Path) -> dict[str, object]:
    found = dict(hopscope.check(fabric, tables=tables, roots=["x0y0"]).data)
    del found["tables"]
    return found


def test_every_form_of_the_same_fabric_and_tables_is_checked_alike(net: Path, tmp_path: Path) -> None:
    with simulated(net, tmp_path / "sm") as subnet:
        dump = _routed(subnet, "updn")
        discovered, queried = tmp_path / "torus.ibnetdiscover", tmp_path / "queried.lfts"
        discovered.write_text(subnet.run("ibnetdiscover"))
        queried.write_text(subnet.run("dump_fts"))
    found = _findings(net, dump)
    assert found["safe"]
    assert found["unreachable_pairs"] == found["looping_pairs"] == 0

    def figures(fabric: Path, tables: Path) -> dict[str, object]:
        names = ("pairs", "detours", "longest", "down_up_turns", "safe", "mean_load")
        other = _findings(fabric, tables)
        return {name: other[name] for name in names}

    listed = dump.parent / "opensm-subnet.lst"
    expected = figures(net, dump)
    assert figures(net, queried) == expected
    for fabric in (discovered, listed):
        for tables in (dump, queried, dump.parent / "opensm.fdbs"):
            assert figures(fabric, tables) == expected


@pytest.mark.parametrize(
    ("theirs", "ours"), [("minhop", "shortest"), ("dor", "dimension-order"), ("updn", "up-down")]
)
def test_their_ways_are_as_long_as_ours(net: Path, tmp_path: Path, theirs: str, ours: str) -> None:
    with simulated(net, tmp_path / "sm") as subnet:
        dump = _routed(subnet, theirs)
    mine = hopscope.check(net, engine_name=ours, roots=["x0y0"]).data
    other = hopscope.check(net, tables=dump, roots=["x0y0"]).data
    for figure in ("detours", "longest", "mean_load", "unreachable_pairs", "looping_pairs", "safe"):
        assert mine[figure] == other[figure], figure


def test_their_dimension_order_on_a_mesh_is_ours(tmp_path: Path) -> None:
    mesh = tmp_path / "mesh.net"
    mesh.write_text(_torus(4, 4, wraps=False))
    with simulated(mesh, tmp_path / "sm") as subnet:
        dump = _routed(subnet, "dor")
    assert _entries(dump.read_text()) == _entries(hopscope.routes(mesh, engine_name="dimension-order"))


def _entries(lfts: str) -> dict[tuple[str, str], str]:
    """The port of every switch for every host, by GUID."""
    entries, switch = {}, ""
    for line in lfts.splitlines():
        if " guid " in line:
            switch = line.split(" guid ")[1].split()[0]
        elif "Channel Adapter" in line:
            entries[switch, line.split("portguid ")[1].split(":")[0]] = line.split()[1]
    return entries


@pytest.mark.parametrize("engine", ["up-down", "shortest", "dimension-order"])
def test_opensm_loads_what_we_write(net: Path, tmp_path: Path, engine: str) -> None:
    written = tmp_path / "ours.lfts"
    written.write_text(hopscope.routes(net, engine_name=engine))
    with simulated(net, tmp_path / "sm") as subnet:
        loaded = subnet.opensm("file", "-U", str(written))
        assert _entries(loaded) == _entries(written.read_text())
        locks = subnet.credit_loops()
        queried = tmp_path / "queried.lfts"
        queried.write_text(subnet.run("dump_fts"))
    assert locks == (engine != "up-down")
    assert _findings(net, queried)["safe"] == (engine == "up-down")


def test_their_updn_locks_up_an_irregular_fabric(tmp_path: Path) -> None:
    net = SCENARIOS / "irregular.net"
    with simulated(net, tmp_path / "sm") as subnet:
        dump = _routed(subnet, "updn")
        assert subnet.credit_loops()
    assert _entries(dump.read_text()) == _entries((SCENARIOS / "irregular-opensm.lfts").read_text())
    found = hopscope.check(net, tables=dump, roots=["S0"])
    assert not found.safe
    assert [hop["from"] for hop in found.data["credit_loop"]] == ["S3", "S7", "S22", "S9", "S5"]
    assert found.data["down_up_turns"] == 1
    assert found.data["turns"][0]["to"] == "H25"
