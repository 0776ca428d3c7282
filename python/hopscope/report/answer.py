"""The first section of a run's page: verdict, key figures, the ledger as one bar, warnings."""

import math
from typing import TYPE_CHECKING, Any

from hopscope import kinds
from hopscope.charts.style import time_words, unit_words
from hopscope.numerals import SUM_DIGITS, UNITLESS, UNKNOWN, number
from hopscope.report import figures
from hopscope.results import flows, shares
from hopscope.results.collectives import bus_bandwidths, rate_words
from hopscope.results.summary import MESSAGE_RATE, OFFERED_BEFORE
from hopscope.units import US_PER

if TYPE_CHECKING:
    from hopscope.estimate import Estimate
    from hopscope.report.page import Page
    from hopscope.results.explanation import Explanation
    from hopscope.results.run import RunResult
    from hopscope.results.summary import Summary

UNEXPLAINED = (
    "There is no why.json, as in folders of earlier versions: run the scenario again to have its explanation."
)
_KEYS = ("load", "offered", "throughput")
_STATISTICS = ("mean", "p50", "p99", "max")


def explanation(run: "RunResult") -> "Explanation | None":
    """The explanation, or None if an older version has written the folder.

    Raises UsageError if it is damaged.
    """
    return run.explanation if run.has_explanation else None


def add(page: "Page", run: "RunResult", where: str = "") -> None:
    """The answer: what limits the network, by how much, and the key figures."""
    found = explanation(run)
    warnings = [] if run.outcome.warning is None else [run.outcome.warning]
    page.add(
        "answer",
        f"Answer{where}",
        link="Answer",
        verdict="" if found is None else found.sentence,
        remedy=None if found is None else _remedy(found),
        evidence=[] if found is None else evidence(found),
        figures=key_figures(run),
        ledger=ledger(run),
        total=_total(run),
        set=list(run.settings),
        warnings=warnings if found is not None else [*warnings, UNEXPLAINED],
    )


def evidence(found: "Explanation") -> list[list[str]]:
    """The evidence that an operator asks for, after the basis of the verdict, or the doubts."""
    return [*_basis(found), *map(list, found.evidence_rows())]


def _basis(found: "Explanation") -> list[list[str]]:
    """The basis of the verdict if nothing was tried; else the doubts."""
    tried = found.confirmation
    if tried is None or not tried.trials:
        alone = "this run alone; `hopscope explain` of it tests the likely causes and may name another"
        return [["rests on", alone]] if found.basis else []
    return [] if found.doubt is None else [["doubt", found.doubt]]


def _remedy(found: "Explanation") -> dict[str, str] | None:
    """The change that helps, with its effect and the options that make it; None if none is known to."""
    tried = found.confirmation
    if tried is None or not tried.trials or not tried.in_order[0].is_sure:
        return None
    first = tried.in_order[0]
    return {"change": first.told, "options": first.how}


def key_figures(run: "RunResult") -> list[dict[str, str]]:
    """Load, throughput and the main delay, each with its interval or the reason why there is no number."""
    summary = run.summary
    delay = summary.main_delay()
    keys = [*_KEYS, *([f"{delay}.{statistic}" for statistic in _STATISTICS] if delay else [])]
    told = []
    for key in keys:
        if not summary.has(key):
            continue
        found, unit = summary.as_told(key), unit_of(summary, key)
        name = key.replace(".", ", ").replace("p50", "median").replace("p99", "99th percentile")
        figure = {"name": name, "value": "none", "interval": ""}
        if found is None:
            figure["warning"] = summary.why_no_number()
        elif key == "offered" and not summary.offers_any:
            figure["warning"] = OFFERED_BEFORE
        else:
            figure["value"] = f"{number(found.value)} {'' if unit in UNITLESS else unit}".strip()
            figure["interval"] = "" if found.low == found.high else f"95 %: {spread(found)}"
        told.append(figure)
    return [*_together(told), *_rounds(run)]


def _together(told: list[dict[str, str]]) -> list[dict[str, str]]:
    """The figures, with one in place of all statistics of a delay if none of them has a number."""
    of = [each for each in told if ", " in each["name"]]
    if len({each.get("warning") for each in of}) != 1 or "warning" not in of[0]:
        return told
    first = {**of[0], "name": of[0]["name"].partition(", ")[0]}
    return [*(each for each in told if each not in of), first]


def _rounds(run: "RunResult") -> list[dict[str, str]]:
    """Durations of rounds, of collectives and other work, with their bus bandwidth."""
    bandwidths, told = bus_bandwidths(run), []
    for key in flows.rounds(run.summary):
        name = key.replace("[", " of ").replace("]", "")
        known = {each: run.summary.find(f"{key}.{each}") for each in ("mean", "max")}
        statistic, found = next(((each, one) for each, one in known.items() if one is not None), ("", None))
        if found is not None:
            told.append(
                {
                    "name": f"{name}, {statistic}",
                    "value": f"{number(found.value)} {unit_words(found.unit)}",
                    "interval": f"95 %: {spread(found)}" if spread(found) else "",
                }
            )
        if (bandwidth := bandwidths.get(key)) is not None:
            words = rate_words(bandwidth)
            told.append(
                {"name": f"bus bandwidth{name.removeprefix('round')}", "value": words, "interval": ""}
            )
    return told


def unit_of(summary: "Summary", key: str) -> str:
    """The unit of a metric as pages print it; offered and carried rates count messages."""
    row = summary.metric_row(key)
    return MESSAGE_RATE if row["unit"] == "1/s" and row["name"] in _KEYS else unit_words(row["unit"])


def spread(found: "Estimate") -> str:
    """The interval of an estimate in words; empty if it has none."""
    if found.low == found.high:
        return ""
    if math.isinf(found.high):
        rules_nothing_out = math.isinf(found.low) or (found.shown_low == 0 and not found.can_be_negative)
        return "none: too few messages" if rules_nothing_out else f"{number(found.shown_low)} to {UNKNOWN}"
    return f"{number(found.shown_low)} to {number(found.high)}"


def ledger(run: "RunResult") -> list[dict[str, Any]]:
    """The stages that take time, in order of occurrence; their shares add up to one."""
    meanings = {kind["word"]: kind["meaning"] for kind in kinds.table()["stages"]}
    rows = [row for row in run.summary.ledger() if row["share"] > 0]
    looks = figures.stage_looks([(row["stage"], row["kind"]) for row in rows])
    return [
        {
            "stage": row["stage"],
            "kind": row["kind"],
            "look": look,
            "share": row["share"],
            "time": "" if (mean_us := run.summary.stage_us(row)) is None else time_words(mean_us),
            "meaning": meanings.get(row["stage"], ""),
        }
        for row, (_, look) in zip(rows, looks, strict=True)
    ]


def _total(run: "RunResult") -> str:
    """What the parts of the ledger add up to."""
    mean = shares.lifetime(run.summary)
    if mean is None:
        return ""
    words = time_words(mean, SUM_DIGITS, mean_delay(run.summary))
    return f"The parts add up to the mean message lifetime, {words}."


def mean_delay(summary: "Summary") -> float | None:
    """The mean of the main delay in microseconds, whose unit other times use; None without one."""
    delay = summary.main_delay()
    found = summary.find(f"{delay}.mean") if delay else None
    return None if found is None else in_us(found)


def in_us(delay: "Estimate") -> float:
    """A delay in microseconds."""
    return delay.value * US_PER[delay.unit]
