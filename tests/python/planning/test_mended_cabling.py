"""A fabric whose cabling is odd: the mended cabling is the first that is tried."""

import json
from pathlib import Path

import pytest

import hopscope
from hopscope import engine
from hopscope.planning.candidates.relaxations import mends_for

LEAVES, SPINES, HOSTS, EACH = 6, 2, 6, 3
HEADING = "from,to,from_port,to_port,rate,delay,kind"


def fabric(folder: Path, without: tuple[str, ...] = (), exchanged: tuple[str, str] | None = None) -> str:
    """Leaves with three cables to each of two spines: without some, or with two exchanged at the spines."""
    ends: dict[str, tuple[str, int]] = {}
    for leaf in range(1, LEAVES + 1):
        for number in range(SPINES * EACH):
            spine, cable = divmod(number, EACH)
            ends[f"leaf{leaf}:{HOSTS + 1 + number}"] = (f"spine{spine + 1}", EACH * (leaf - 1) + cable + 1)
    if exchanged is not None:
        one, other = exchanged
        ends[one], ends[other] = ends[other], ends[one]
    rows = [
        f"h{leaf}-{host},leaf{leaf},,{host},100 Gbit/s,,host"
        for leaf in range(1, LEAVES + 1)
        for host in range(1, HOSTS + 1)
    ]
    for place, (spine, port) in ends.items():
        leaf, own = place.split(":")
        if place not in without:
            rows.append(f"{leaf},{spine},{own},{port},100 Gbit/s,,trunk")
    file = folder / "pod.csv"
    file.write_text("\n".join([HEADING, *rows]) + "\n")
    return str(file)


@pytest.mark.parametrize(
    ("without", "exchanged", "label"),
    [
        (("leaf3:11",), None, "the missing cable leaf3 - spine2 plugged in"),
        (("leaf3:11", "leaf3:12"), None, "the missing 2 cables leaf3 - spine2 plugged in"),
        ((), ("leaf2:7", "leaf5:10"), "cables put right: leaf2 - spine1, leaf5 - spine2"),
    ],
)
def test_the_cabling_is_mended_and_then_nothing_is_odd(
    tmp_path: Path, without: tuple[str, ...], exchanged: tuple[str, str] | None, label: str
):
    scenario = engine.load(fabric(tmp_path, without, exchanged))
    (mended,) = mends_for(scenario)
    assert mended.label == label
    assert str(mended.mends).startswith("Cabling: ")
    facts = [
        json.loads(each.topology_json() or "{}")["facts"]["anomalies"]
        for each in (scenario, scenario.with_overrides(list(mended.set)))
    ]
    kinds = [{each["kind"] for each in odd} & {"missing-link", "misplaced-link"} for odd in facts]
    assert kinds[0], facts
    assert not kinds[1], facts


def test_only_the_missing_cables_of_a_torus_are_named(tmp_path: Path):
    """Mended cables change how far switches are from the root: no other cable is new by that."""
    name = "s{}-{}".format
    rows = [f"h{x}-{y},{name(x, y)},,9,100 Gbit/s,,host" for x in range(5) for y in range(4)]
    for x in range(5):
        for y in range(4):
            rows.append(f"{name(x, y)},{name((x + 1) % 5, y)},1,2,100 Gbit/s,,trunk")
            rows.append(f"{name(x, y)},{name(x, (y + 1) % 4)},3,4,100 Gbit/s,,trunk")
    gone = ("s0-0,s1-0,", "s3-3,s3-0,")
    file = tmp_path / "torus.csv"
    file.write_text("\n".join([HEADING, *(row for row in rows if not row.startswith(gone))]) + "\n")
    (mended,) = mends_for(engine.load(str(file)))
    assert mended.label.startswith("the missing 2 cables "), mended.label
    assert all(switch in mended.label for switch in ("s0-0", "s1-0", "s3-3", "s3-0")), mended.label


def test_a_sound_cabling_is_not_mended(tmp_path: Path):
    assert mends_for(engine.load(fabric(tmp_path))) == []


def test_explain_tries_the_cables_that_are_missing(tmp_path: Path):
    file = fabric(tmp_path, ("leaf3:10", "leaf3:11"))
    told = hopscope.explain(file, set={"traffic.load": 0.7, "measure.messages": 6000})
    assert told.confirmation is not None
    first = told.confirmation.trials[0]
    assert first.what == "the missing 2 cables leaf3 - spine2 plugged in"
    assert first.repairs
    assert first.is_sure
