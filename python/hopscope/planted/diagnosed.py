"""Fabrics with a planted root, simulated, and diagnosed from the counters of their ports alone."""

import tempfile
from pathlib import Path

from hopscope import engine
from hopscope.diagnosis import diagnose
from hopscope.planted.case import Draws
from hopscope.planted.corpus import Planted
from hopscope.planted.fabrics import NETWORKS, PLANTS
from hopscope.planted.measured import Judged
from hopscope.progress import Progress
from hopscope.results.run import RunResult


def corpus(seed: int, each: int) -> list[Planted]:
    """`each` cases of every kind in every family, of this seed."""
    found = []
    for family, networks in NETWORKS.items():
        for plant in PLANTS:
            for number in range(each):
                draws = Draws(f"{seed} {family} {plant.__name__} {number}")
                found.append(Planted(family, plant.__name__, plant(draws, draws.one_of(networks))))
    return found


def diagnosed(seed: int, each: int, progress: Progress | None = None) -> list[Judged]:
    """Every case of the corpus of a seed: simulated, its counters written, read and diagnosed."""
    cases = corpus(seed, each)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"{number}.toml" for number in range(len(cases))]
        for path, planted in zip(paths, cases, strict=True):
            path.write_text(planted.case.text, encoding="utf-8")
        scenarios = [engine.load(path, seed=number + 1) for number, path in enumerate(paths)]
        with engine.sweeping_with(None):
            runs = engine.sweep(scenarios, progress)
        return [
            _judged(planted, path, RunResult.of(scenario, run))
            for planted, path, scenario, run in zip(cases, paths, scenarios, runs, strict=True)
        ]


def _judged(planted: Planted, fabric: Path, result: RunResult) -> Judged:
    """The diagnosis from the counters of a run. Only they and the fabric are read."""
    readings = []
    for number, (_, text) in enumerate(result.counters() or []):
        path = fabric.with_suffix(f".{number}.perfquery")
        path.write_text(text, encoding="utf-8")
        readings.append(path)
    found = diagnose(fabric, *readings)
    nodes = frozenset(found.roots[0]["nodes"]) if found.roots else frozenset()
    return Judged(planted, found.cause, nodes, found.sentence)
