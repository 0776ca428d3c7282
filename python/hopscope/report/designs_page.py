"""The page about a comparison of two designs, setting by setting and seed by seed."""

from collections import Counter
from typing import TYPE_CHECKING

from hopscope.experiments.compare import Comparison
from hopscope.metric_key import ROUND
from hopscope.numerals import amount, count, joined, relative_change, with_unit
from hopscope.overrides import toml_text
from hopscope.report import changes, comparison_page, sections
from hopscope.report.curves import Curves, Figure, place_of
from hopscope.report.page import Cell, Page
from hopscope.results.points import no_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hopscope.estimate import Estimate
    from hopscope.experiments.compare import ComparedPoint, ComparisonResult, Difference
    from hopscope.overrides import Value
    from hopscope.results.outcome import Outcome

NAMES = ("A", "B")


def page(result: "ComparisonResult") -> Page:
    """The page."""
    seeds = f"{amount(len(result.seeds), 'seed', 'seeds')} from {result.seeds[0]}"
    made = Page(
        "comparison",
        f"A: {result.a} · B: {result.b_in_words} · {seeds}, the same for both",
        f"{result.a} and {result.b_in_words}, compared",
        _headline(result),
    )
    _differences(made, result)
    made.figures("Curves", "The bands are 95 % confidence intervals.", _curves(result))
    sections.notes(made, result.notes())
    first = result.points[0]
    at = f" at {changes.setting(first.set)}" if first.set else ""
    made.words("One pair of runs", [f"The sections below are about the runs of seed {result.seeds[0]}{at}."])
    comparison_page.add_scenarios(made, first.a[0], first.b[0], NAMES)
    comparison_page.add_places(made, first.a[0], first.b[0])
    made.footer = sections.origin(first.a[0])
    return made


def _headline(result: "ComparisonResult") -> str:
    """What B changes: with its intervals for one setting, for several the number of each verdict."""
    points = result.points
    told = _changes(points[0]) if len(points) == 1 else _verdicts(points)
    lossy = [name for name in NAMES if any(name in point.lossy for point in points)]
    runs = [side.summary for point in points for side in point.sides.values()]
    return " ".join([*told, *changes.lost(lossy, any(run.classes_of(ROUND) for run in runs))])


def _changes(point: "ComparedPoint") -> list[str]:
    found, missing = [], []
    for key in _keys(point):
        difference = point.difference(key)
        if difference.change is not None and difference.a is not None and not difference.lacks_interval:
            found.append(changes.Change(key, difference.a, difference.change))
        missing += [
            f"{name} has no {changes.words_of(key)} ({side.summary.why_no_number()})."
            for name, side in point.sides.items()
            if side.metric(key) is None
        ]
    told = changes.sentences(found)
    return [*changes.of_one_to_other("B compared with A, seed by seed", told), *missing]


def _verdicts(points: "Sequence[ComparedPoint]") -> list[str]:
    """For each main metric, at how many settings there is each verdict."""
    sentences = []
    for key in _keys(points[0]):
        verdicts = [str(point.difference(key).verdict) for point in points if key in _keys(point)]
        (first, times), *others = Counter(verdicts).most_common()
        told = [f"{first} at {count(times)} of {count(len(verdicts))} settings"]
        told += [f"{verdict} at {count(times)}" for verdict, times in others]
        sentences.append(f"{changes.capital(changes.words_of(key))}: {joined(told)}.")
    return sentences


def _keys(point: "ComparedPoint") -> "Sequence[str]":
    return changes.told_keys(point.a[0].summary, point.b[0].summary)


def _differences(made: Page, result: "ComparisonResult") -> None:
    """A row per setting and main metric: both means, the difference, the verdict."""
    rows: list[list[Cell]] = []
    for point in result.points:
        settings: list[Cell] = [(toml_text(value).strip('"'), "number") for value in point.set.values()]
        outcomes = [side.outcome for side in point.sides.values()]
        for key in point.metrics():
            found = point.difference(key)
            means = zip((found.a, found.b), outcomes, strict=True)
            share = "" if found.share is None else relative_change(found.share.value)
            row: list[Cell] = [
                *settings,
                _title(found),
                *(_mean(found, mean, outcome) for mean, outcome in means),
                ("no number" if found.change is None else found.change.numbers, "number"),
                (share, "number"),
                found.in_words,
            ]
            rows.append(row)
    note = "Means over the seeds, and differences taken seed by seed, each with its 95 % confidence interval."
    columns = [*result.over, "metric", *NAMES, "B minus A", "relative", "verdict"]
    made.table("Differences", note, columns, rows)


def _title(found: "Difference") -> str:
    """A metric, with the unit of its row if both designs have one."""
    known = found.a or found.b
    has_one = known is not None and found.verdict is not Comparison.OTHER_UNITS
    return with_unit(found.metric.replace(".", ", "), changes.unit_of(known) if known and has_one else "")


def _mean(of: "Difference", found: "Estimate | None", outcome: "Outcome") -> Cell:
    if found is None:
        return (no_number(outcome), "number interval")
    own = f" {changes.unit_of(found)}" if of.verdict is Comparison.OTHER_UNITS else ""
    return (f"{found.numbers}{own}", "number")


def _curves(result: "ComparisonResult") -> list[Figure]:
    """The main figures of both designs over the first swept path; none for a single setting."""
    if len(result.points) == 1:
        return []
    path = next(iter(result.over))
    sides = [(name, side) for point in result.points for name, side in point.sides.items()]
    lines = Curves(
        path=path,
        points=[side for _, side in sides],
        places=[place_of(side.set[path]) for _, side in sides],
        groups=[_group(name, side.set, path) for name, side in sides],
    )
    return lines.main_figures(result.points[0].a[0].summary)


def _group(name: str, settings: "Mapping[str, Value]", path: str) -> str:
    """A design with its settings besides the path of the x axis."""
    others = {each: value for each, value in settings.items() if each != path}
    return f"{name}, {changes.setting(others)}" if others else name
