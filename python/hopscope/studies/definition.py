"""A study as the engine has read it: which cells it has, how each is measured, and what is drawn.

The engine reads and checks `study.toml` as it does scenarios: `hopscope schema --study` has its fields. Here
its definition becomes what measures and draws.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.studies import kinds
from hopscope.studies.diagram import Diagram
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.histogram import Histogram
from hopscope.studies.published import PublishedCell
from hopscope.studies.quantity import Quantity
from hopscope.studies.why import Why


@dataclass(frozen=True, slots=True)
class StudyCell:
    """A published cell with the way to measure it; `reason` explains a miss.

    `is_rough` says that a quick run measures it by shorter runs than the study's own.
    """

    published: PublishedCell
    quantity: Quantity
    reason: str
    is_rough: bool = False


@dataclass(frozen=True, slots=True)
class FigureSeries:
    """One line of a figure: a quantity at each x, and the published values that belong to it."""

    label: str
    points: tuple[tuple[float, Quantity], ...]
    published: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """The study's figure in the axes of the paper."""

    title: str
    x_title: str
    y_title: str
    log: bool
    series: tuple[FigureSeries, ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings that its points still need."""
        points = [quantity for series in self.series for _, quantity in series.points]
        return [setting for quantity in points for setting in quantity.missing(evidence)]


@dataclass(frozen=True, slots=True)
class ShareBars:
    """A figure of where the time of one class of messages goes, by resource: one bar a setting."""

    title: str
    of_class: str
    bars: tuple[tuple[str, Setting], ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """The settings that its bars still need."""
        return [setting for _, setting in self.bars if setting not in evidence]


@dataclass(frozen=True, slots=True)
class Definition:
    """A study, read and checked."""

    name: str
    title: str
    source: str
    readme: str
    cells: tuple[StudyCell, ...]
    figures: tuple[Figure | ShareBars, ...]
    histogram: Histogram | None
    diagrams: tuple[Diagram, ...]
    why: tuple[Why, ...]

    @property
    def figure(self) -> Figure | ShareBars | None:
        """The first figure, if any."""
        return self.figures[0] if self.figures else None


def study_names() -> list[str]:
    """The names of the studies that hopscope carries."""
    return _core.study_names()


def with_papers(names: Iterable[str]) -> list[str]:
    """These names, each once; that of a paper, such as "an1", stands for all of its studies."""
    known = study_names()
    papers = _papers(known)
    listed = (
        [name] if name not in papers else [study for study in known if study.startswith(f"{name}/")]
        for name in names
    )
    return list(dict.fromkeys(study for studies in listed for study in studies))


def refuse_unknown(names: Iterable[str]) -> None:
    """Raise UsageError for a name that is neither that of a study or a paper nor a folder."""
    known = study_names()
    named = [*_papers(known), *known]
    for name in names:
        if name in named or os.path.exists(name):
            continue
        near = get_close_matches(name, named, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "give a name, or a folder with a study.toml."
        raise UsageError(
            f"there is no study `{name}`", f"{hint} `hopscope study` lists all {len(known)} studies"
        )


def _papers(studies: Iterable[str]) -> list[str]:
    """The papers that studies belong to, each once."""
    return list(dict.fromkeys(name.partition("/")[0] for name in studies))


def load(name: str, quick: bool = False, *, allow_files: bool = False) -> Definition:
    """The study of this name, or in the folder of this path.

    What it names lies in its own folder or below, unless `allow_files`. Raises ScenarioError if it is missing
    or wrong, with all errors and their places.
    """
    data = json.loads(_core.study_definition(str(name), quick, allow_files))
    own = json.loads(_core.study_definition(str(name), False, allow_files)) if quick else data
    histogram = data["histogram"]
    return Definition(
        data["name"],
        data["title"],
        data["source"],
        data["readme"],
        tuple(_cell(*both) for both in zip(data["cells"], own["cells"], strict=True)),
        tuple(_figure(figure) for figure in data["figures"]),
        None if histogram is None else Histogram.of(histogram),
        tuple(Diagram.of(diagram) for diagram in data["diagrams"]),
        tuple(Why.of(why) for why in data["why"]),
    )


def _cell(data: Mapping[str, Any], own: Mapping[str, Any]) -> StudyCell:
    """A cell, and the same in the full study."""
    published, is_rough = PublishedCell(**data["published"]), data["quantity"] != own["quantity"]
    return StudyCell(published, kinds.quantity(data["quantity"]), data["reason"], is_rough)


class _FigureKind(StrEnum):
    """What a figure shows, where that is no curves."""

    SHARES = "shares"


def _figure(data: Mapping[str, Any]) -> Figure | ShareBars:
    if data["kind"] == _FigureKind.SHARES:
        bars = tuple((bar["label"], Setting.read(bar["setting"])) for bar in data["bars"])
        return ShareBars(data["title"], data["class"], bars)
    series = tuple(_series(line) for line in data["series"])
    return Figure(data["title"], data["x_title"], data["y_title"], data["log"], series)


def _series(data: Mapping[str, Any]) -> FigureSeries:
    points = tuple((x, kinds.quantity(quantity)) for x, quantity in data["points"])
    return FigureSeries(data["label"], points, tuple((x, value) for x, value in data["published"]))
