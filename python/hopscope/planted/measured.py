"""A corpus explained: which cases are named as they were planted."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hopscope import engine
from hopscope.cause import Cause
from hopscope.confirmation import confirm
from hopscope.planted.corpus import Planted, corpus
from hopscope.progress import Progress
from hopscope.results.explanation import Explanation
from hopscope.results.run import RunResult


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with what the explanation named."""

    planted: Planted
    cause: str
    nodes: frozenset[str]
    sentence: str

    @property
    def is_right(self) -> bool:
        """Whether both the class and one of the places are what was planted."""
        case = self.planted.case
        return self.cause == case.cause and (
            not case.places
            or (case.alike and not self.nodes)
            or any(place <= self.nodes for place in case.places)
        )


def explained(seed: int, each: int, progress: Progress | None = None) -> list[Judged]:
    """Every case of the corpus of a seed, simulated, explained and confirmed as by `hopscope explain`."""
    cases = corpus(seed, each)
    with tempfile.TemporaryDirectory() as folder:
        scenarios = []
        for number, planted in enumerate(cases):
            path = Path(folder) / f"{number}.toml"
            path.write_text(planted.case.text, encoding="utf-8")
            scenarios.append(engine.load(path, seed=number + 1))
    runs = engine.sweep(scenarios, progress)
    results = [RunResult.of(scenario, run) for scenario, run in zip(scenarios, runs, strict=True)]
    found = [
        confirm(scenario, result.explain(), explained=result)
        for scenario, result in zip(scenarios, results, strict=True)
    ]
    return [_judged(*pair) for pair in zip(cases, found, strict=True)]


def _judged(planted: Planted, found: Explanation) -> Judged:
    return Judged(planted, found.cause, frozenset(found.nodes), found.sentence)


def confusion(cases: Sequence[Judged]) -> tuple[list[str], list[list[str]]]:
    """The planted against the named causes: the column heads, and a row for each planted class."""
    counted = Counter((case.planted.case.cause, case.cause) for case in cases)
    right = Counter(case.planted.case.cause for case in cases if case.is_right)
    named = [cause for cause in Cause if any(counted[planted, cause] for planted in Cause)]
    rows = []
    for planted in Cause:
        total = sum(counted[planted, cause] for cause in named)
        if total:
            shown = [str(counted[planted, cause] or "") for cause in named]
            rows.append([planted.value, *shown, f"{right[planted]} of {total}"])
    return ["planted", *(cause.value for cause in named), "named with place"], rows


def by_model(cases: Sequence[Judged]) -> list[tuple[str, str]]:
    """The number of correctly named cases of each model."""
    models = dict.fromkeys(case.planted.model for case in cases)
    of = {model: [case for case in cases if case.planted.model == model] for model in models}
    return [(model, f"{sum(case.is_right for case in of[model])} of {len(of[model])}") for model in models]
