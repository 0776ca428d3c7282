"""The page about two runs side by side: their differences in settings and results."""

import math
import tomllib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hopscope.charts.style import axis_title, time_words
from hopscope.estimate import Estimate, converted
from hopscope.metric_key import ROUND
from hopscope.numerals import SUM_DIGITS, number, relative_change, time_unit
from hopscope.overrides import toml_text
from hopscope.report import answer, changes, network_map, sections
from hopscope.report.page import Cell, Page, in_greek
from hopscope.results.gaps import Gap, has_gap

if TYPE_CHECKING:
    from hopscope.results.run import RunResult


def page(one: "RunResult", other: "RunResult", names: tuple[str, str]) -> Page:
    """The second run compared with the first."""
    made = Page(
        "comparison",
        f"{names[1]} compared with {names[0]}",
        f"{other.title}, compared",
        _headline(one, other, names),
    )
    add_scenarios(made, one, other, names)
    _metrics(made, one, other, names)
    add_places(made, one, other)
    told = zip(names, (one, other), strict=True)
    sections.notes(made, [f"{name}: {note}" for name, run in told for note in run.notes])
    return made


def add_scenarios(made: Page, one: "RunResult", other: "RunResult", names: tuple[str, str]) -> None:
    """The verdicts on two runs, and what differs in their scenarios."""
    _verdicts(made, one, other, names)
    _settings(made, one, other, names)


def add_places(made: Page, one: "RunResult", other: "RunResult") -> None:
    """Where two runs differ: by stages of the ledger, and on the map."""
    _waterfall(made, one, other)
    network_map.add_difference(made, one, other)


def _headline(one: "RunResult", other: "RunResult", names: tuple[str, str]) -> str:
    """What changed in each main figure: rounds of jobs first, then throughput and the mean delay."""
    runs = dict(zip(names, (one, other), strict=True))
    found, missing = [], []
    for key in changes.told_keys(one.summary, other.summary):
        before, after = one.metric(key), other.metric(key)
        if before is None or after is None:
            missing += [
                f"{name} has no {changes.words_of(key)} ({run.summary.why_no_number()})."
                for name, run in runs.items()
                if run.metric(key) is None
            ]
        elif (in_its_unit := converted(after, before.unit)) is not None:
            found.append(changes.Change(key, before, difference(before, in_its_unit)))
    lossy = [name for name, run in runs.items() if has_gap(Gap.LOST, run.summary)]
    has_rounds = any(run.summary.classes_of(ROUND) for run in runs.values())
    told = changes.of_one_to_other(f"{names[1]} compared with {names[0]}", changes.sentences(found))
    return " ".join([*told, *missing, *changes.lost(lossy, has_rounds)])


def difference(before: Estimate, after: Estimate) -> Estimate:
    """After minus before, with its 95 % interval: runs of different seeds are independent.

    Runs with the same seed are correlated, and the interval of their difference is in truth narrower.
    """
    value = after.value - before.value
    half = math.hypot((before.high - before.low) / 2, (after.high - after.low) / 2)
    return Estimate(value, value - half, value + half, before.unit, min(before.n, after.n))


def _verdicts(made: Page, one: "RunResult", other: "RunResult", names: tuple[str, str]) -> None:
    found = [answer.explanation(run) for run in (one, other)]
    rows: list[list[Cell]] = [
        [name, run.outcome, "" if told is None else in_greek(told.sentence)]
        for name, run, told in zip(names, (one, other), found, strict=True)
    ]
    made.table("Verdicts", "", ("run", "outcome", "verdict"), rows)


def _settings(made: Page, one: "RunResult", other: "RunResult", names: tuple[str, str]) -> None:
    before, after = (dict(_leaves(tomllib.loads(run.scenario_text))) for run in (one, other))
    rows: list[list[Cell]] = [
        [path, before.get(path, "not set"), after.get(path, "not set")]
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]
    if rows:
        made.table("What differs in the scenarios", "", ("path", *names), rows)
    else:
        made.words("What differs in the scenarios", ["Nothing: scenarios and seed are the same."])


def _leaves(section: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in section.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{path}.")
        else:
            yield path, toml_text(value)


def _waterfall(made: Page, one: "RunResult", other: "RunResult") -> None:
    """From the mean lifetime of the first run to that of the second, stage by stage."""
    before, after = (
        {row["stage"]: row for row in run.summary.ledger() if row["estimate"] is not None}
        for run in (one, other)
    )
    if not before or not after:
        return
    at, end = (math.fsum(row["estimate"]["value"] for row in rows.values()) for rows in (before, after))
    like = max(at, end)
    steps = [_step("first run", 0.0, at, time_words(at, SUM_DIGITS, like), like)]
    for stage in dict.fromkeys([*before, *after]):
        change = sum(
            sign * found[stage]["estimate"]["value"]
            for sign, found in ((1, after), (-1, before))
            if stage in found
        )
        if abs(change) > 1e-3 * max(at, 1e-9):
            words = f"{'+' if change > 0 else '−'}{time_words(abs(change), SUM_DIGITS, like)}"
            steps.append(_step(stage, at, at + change, words, like))
            at += change
    steps.append(_step("second run", 0.0, end, time_words(end, SUM_DIGITS, like), like))
    figure = {
        "kind": "waterfall",
        "title": "",
        "note": "",
        "unit": axis_title("mean message lifetime", time_unit(like)[1]),
        "steps": steps,
    }
    made.figures(
        "Where the difference is", "The ledger of the first run becomes that of the second.", [figure]
    )


def _step(name: str, begin_us: float, end_us: float, words: str, like: float) -> dict[str, Any]:
    """A bar of the waterfall, in the unit that suits the time `like`."""
    size, _ = time_unit(like)
    return {"name": name, "from": begin_us / size, "to": end_us / size, "words": words}


def _metrics(made: Page, one: "RunResult", other: "RunResult", names: tuple[str, str]) -> None:
    rows: list[list[Cell]] = []
    # The main figures first: a long table shows its first rows alone.
    for key in one.summary.keys_main_first():
        if not other.summary.has(key):
            continue
        before, found = one.summary.as_told(key), other.summary.as_told(key)
        after = found if before is None or found is None else converted(found, before.unit)
        if before is None or found is None:
            change = "none"
        elif after is None:
            change = "units differ"
        else:
            apart = difference(before, after)
            change = changes.signed(apart)
            if before.value and not apart.low <= 0 <= apart.high and _have_intervals(before, after):
                change += f" ({relative_change(apart.value / before.value)})"
        unit = answer.unit_of(one.summary, key)
        rows.append([key, (_value(before), "number"), (_value(after), "number"), (change, "number"), unit])
    note = (
        "Differences with 95 % intervals, as of independent runs; a percentage where these exclude 0. "
        "`hopscope compare` takes differences seed by seed, and its intervals are narrower."
    )
    made.table("Metrics", note, ("metric", *names, "difference", "unit"), rows)


def _have_intervals(*found: Estimate) -> bool:
    """Whether all have intervals: the maximum of a run has none, and may differ in the next."""
    return all(each.low < each.high for each in found)


def _value(found: Estimate | None) -> str:
    return "none" if found is None else number(found.value)
