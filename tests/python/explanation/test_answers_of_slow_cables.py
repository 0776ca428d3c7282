"""What is told of slow cables and of the load that cabling sets, and in what a job's relief is told."""

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hopscope
from hopscope import engine
from hopscope.cause import Cause
from hopscope.cli.advise import conclusion
from hopscope.confirmation import _slow_cables
from hopscope.planning.candidates.marks import fitting_the_law
from hopscope.planning.candidates.relaxations import mends_for, unchanged_offer
from hopscope.planning.candidates.repairs import REPLACED
from hopscope.planning.goals.goal import Goal
from hopscope.planning.goals.mix import OfClass
from hopscope.planning.service import overloaded
from hopscope.planning.trying.relief import _of_whose_rounds
from hopscope.planning.what_if.what_if import _Search
from hopscope.results.trial import Confirmation, Trial
from made_trials import estimate_us, made_trial

LEAVES, SPINES, HOSTS = 4, 2, 4


def tree(folder: Path, slow: str = "", lost: tuple[str, ...] = ()) -> str:
    """A fat tree as a list of cables: one of them at 10 Gbit/s, and without some."""
    trunks = [
        f"leaf{leaf},spine{spine},{HOSTS + spine},{leaf},trunk"
        for leaf in range(1, LEAVES + 1)
        for spine in range(1, SPINES + 1)
    ]
    hosts = [
        f"h{leaf}{host},leaf{leaf},,{host},host"
        for leaf in range(1, LEAVES + 1)
        for host in range(1, HOSTS + 1)
    ]
    rows = [each for each in (*trunks, *hosts) if not each.startswith(lost)]
    rates = ["10 Gbit/s" if slow and each.startswith(slow) else "100 Gbit/s" for each in rows]
    file = folder / "tree.csv"
    lines = [f"{row},{rate}" for row, rate in zip(rows, rates, strict=True)]
    file.write_text("\n".join(["from,to,from_port,to_port,kind,rate", *lines]) + "\n")
    return str(file)


def job(folder: Path, slow: str = "") -> tuple[str, list[str]]:
    """One round of an all-reduce over such a tree."""
    return tree(folder, slow), [
        'flows=[{ pattern = { all-reduce = { size = "4 MB", algorithm = "ring" } } }]'
    ]


def test_the_slower_cable_of_a_host_that_sends_little_is_no_fault(tmp_path: Path):
    def of_one_host(load: float) -> hopscope.Explanation:
        others = [
            {"from": f"h{leaf}{host}", "to": f"h{leaf + 2}{host}"} for leaf in (1, 2) for host in (2, 3)
        ]
        flows = [{**each, "load": 0.2} for each in others]
        pattern = {"flows": [*flows, {"from": "h11", "to": "h31", "load": load}]}
        light = {"traffic.pattern": pattern, "measure.messages": 4_000}
        return hopscope.explain(tree(tmp_path, "h11,"), set=light)

    why = of_one_host(0.01)
    assert why.cause == "healthy", why.sentence
    assert "Slow cable: leaf1:1 - h11 runs at 10 Gbit/s" in why.sentence
    assert of_one_host(0.08).cause == "resource"


def test_a_job_over_a_slow_cable_is_not_healthy_before_any_change_is_tried(tmp_path: Path):
    file, flows = job(tmp_path, "leaf1,spine1")
    why = hopscope.run(file, set=flows).explain()
    assert why.cause == "resource", why.sentence
    assert "runs at 10 Gbit/s, where most have 100 Gbit/s" in why.sentence
    good = hopscope.run(job(tmp_path)[0], set=flows).explain()
    assert "runs at" not in good.sentence


def test_the_only_round_of_a_job_is_told_beside_the_latency_of_its_steps(tmp_path: Path):
    file, flows = job(tmp_path, "leaf1,spine1")
    why = hopscope.explain(file, set=flows)
    assert why.confirmation is not None
    assert "less round time of all-reduce (1 run)" in why.confirmation.trials[0].told


def test_tables_of_many_runs_show_the_time_of_a_round_first(tmp_path: Path):
    file, flows = job(tmp_path)
    assert hopscope.run(file, set=flows).summary.main_keys()[:2] == ["round.max", "throughput"]
    three = ['flows=[{ rounds = 3, pattern = { all-reduce = { size = "1 MB" } } }]']
    assert hopscope.run(file, set=three).summary.main_keys()[0] == "round.mean"


def test_an_unsure_gain_of_several_jobs_is_told_of_the_one_that_saves_time():
    def classes(train: float, checkpoint: float) -> dict[str, OfClass]:
        return {
            "train": OfClass(4, estimate_us(train, 0.99 * train, 1.01 * train)),
            "checkpoint": OfClass(2, estimate_us(checkpoint, 0.0, 3 * checkpoint)),
        }

    found = _of_whose_rounds(classes(740, 6200), classes(790, 4200))
    assert found is not None
    assert (found.of_class, found.goal) == ("checkpoint", Goal.ROUND)
    assert found.other_class is not None
    name, _, other = found.other_class
    assert name == "train"
    assert other.value < 0
    assert _of_whose_rounds(classes(740, 4200), classes(790, 6200)) is None


def test_the_load_that_mended_cables_would_change_is_kept(tmp_path: Path):
    cut = engine.load(tree(tmp_path, lost=("leaf1,spine1",)))
    [load] = unchanged_offer(cut)
    assert load.startswith("traffic.load=")
    assert unchanged_offer(engine.load(tree(tmp_path))) == []
    assert unchanged_offer(cut.with_overrides(["traffic.load=0.2"])) == []


def test_advice_that_a_repair_outdoes_is_for_the_time_until_then(tmp_path: Path):
    file = tree(tmp_path, "leaf1,spine1")
    found = hopscope.advise(file, messages=1000, seeds=1)
    lines = conclusion(found, file, None).splitlines()
    assert lines[0].startswith("1. Replace the cable leaf1:5 - spine1:1")
    assert found.replaced is not None
    assert found.replaced.is_better_than(found.best)
    if found.best is not found.now:
        (until,) = (line for line in lines if line.startswith("2. Until then "))
        assert until.endswith("; undo this after the repair.")


def test_long_queues_are_told_in_megabytes():
    frames: dict[str, Any] = {"ecn": {"kmin": "11000000 B"}, "rate_control": {"dctcp": {}}}
    labels = [each.label for each in fitting_the_law({"frames": frames}, [])]
    assert labels == [f"ECN marking of every frame from a queue of {mb} MB on" for mb in (704, 88)]


def test_a_station_that_is_offered_just_what_it_can_do_is_overloaded_too():
    stations = [{"servers": 4, "service": {"fixed": "40 us"}}, {"servers": 1, "service": {"fixed": "9 us"}}]
    row = {"arrivals": {"gap": "10 us"}, "station": stations}
    assert overloaded(row) == ["station 1"]


def test_room_that_ends_the_queues_by_the_confirmation_does_not_only_fill():
    def fills(*confirmed: Trial) -> bool:
        search = SimpleNamespace(saturates=True, is_window=False, confirmed=confirmed)
        change = SimpleNamespace(stores=True, sets=[("blocking", "a")])
        run = SimpleNamespace(
            outcome="complete", summary=SimpleNamespace(fields={"measured": {"messages": 9}})
        )
        return _Search._only_fills(search, change, [], run)

    assert fills()
    assert not fills(made_trial(Cause.BLOCKING, 0.1, 0.2, ends_queues=True))
    assert fills(made_trial(Cause.BLOCKING, 0.1, 0.2))


def test_an_interval_that_is_not_there_contains_nothing():
    few = made_trial(Cause.LANES, -1.0, math.inf)
    assert few.gain is not None
    doubt = Confirmation(1, (few,)).doubt
    assert doubt == (
        "not confirmed: too few messages for an interval of the first gain; a what-if with 8 seeds tells more"
    )


def test_a_cause_that_the_replacement_of_slow_cables_relieves_tells_of_them(tmp_path: Path):
    listed = list(mends_for(engine.load(tree(tmp_path, "leaf1,spine1"))))
    relieved = replace(made_trial(Cause.RESOURCE, 0.1, 0.2), set=REPLACED)
    [told] = _slow_cables(listed, relieved)
    assert told.startswith("Slow cable: leaf1:5 - spine1:1 runs at 10 Gbit/s")
    tells = replace(relieved.candidate, slow_cable_stated=True)
    assert _slow_cables(listed, replace(relieved, candidate=tells)) == []
    assert _slow_cables(listed, made_trial(Cause.RESOURCE, 0.1, 0.2)) == []
