"""The figures of a study: measured lines and bands with published marks, bars of shares, histograms."""

import math
from typing import TYPE_CHECKING, Any

from hopscope.report import figures
from hopscope.stage_styles import COLOURS
from hopscope.studies import figure as of_study
from hopscope.studies.definition import Figure, ShareBars

if TYPE_CHECKING:
    from hopscope.studies.evidence import Evidence
    from hopscope.studies.histogram import Histogram
    from hopscope.studies.result import StudyResult


def drawn(result: "StudyResult") -> list[dict[str, Any]]:
    """Every figure of a study, or its histogram."""
    definition, evidence = result.definition, result.evidence
    if definition.histogram is not None:
        return _histogram(definition.histogram, evidence)
    return [
        _bars(each, evidence) if isinstance(each, ShareBars) else _lines(each, evidence)
        for each in definition.figures
    ]


def _lines(figure: Figure, evidence: "Evidence") -> dict[str, Any]:
    measured, published = of_study.rows_of(figure, evidence)
    series = []
    for number, each in enumerate(figure.series):
        mine = [row for row in measured if row["series"] == each.label]
        bands = [(row["x"], row["value"], row["low"], row["high"]) for row in mine if row["band"]]
        points = [(row["x"], row["value"], row["low"], row["high"]) for row in mine if not row["band"]]
        marks = [(row["x"], row["value"]) for row in published if row["series"] == each.label]
        if bands:
            series.append(figures.series(f"{each.label} (spread)".strip(), number, bands, spread="band"))
        if points:
            series.append(
                figures.series(each.label, number, points, line="solid", marks="dots", spread="bars")
            )
        if marks:
            name = f"{each.label}, published".removeprefix(", ")
            series.append(figures.series(name, number, marks, marks="diamonds"))
    x, y = figures.axis(figure.x_title), figures.axis(figure.y_title, log=figure.log)
    return figures.lines(x, y, series, figure.title, of_study.note_of(figure, measured))


def _bars(figure: ShareBars, evidence: "Evidence") -> dict[str, Any]:
    found = [(label, evidence.shares(setting, figure.of_class) or {}) for label, setting in figure.bars]
    names = list(dict.fromkeys(name for _, shares in found for name in shares))
    # The parts of a delay in a study are not stages of the ledger: they are coloured in order.
    looks = [f"{kind}{place}" for kind in ("service", "wait") for place in range(COLOURS)]
    parts = [(name, looks[number % len(looks)]) for number, name in enumerate(names)]
    rows = [
        (label, [shares[name].value if name in shares else 0.0 for name in names]) for label, shares in found
    ]
    return figures.stacked("share of a message's latency, with the waits", parts, rows, figure.title)


def _histogram(histogram: "Histogram", evidence: "Evidence") -> list[dict[str, Any]]:
    panels = []
    for number, (label, setting) in enumerate(histogram.lines):
        bins = histogram.shares(setting, evidence)
        inside = [(upper, share) for upper, share in bins if math.isfinite(upper)]
        beyond = sum(share for upper, share in bins if not math.isfinite(upper))
        note = f"{100 * beyond:.0f} % lie above {histogram.until:g}." if beyond else ""
        series = figures.series(label, number, inside, columns=True)
        x, y = figures.axis(histogram.x_title), figures.axis(histogram.y_title, percent=True)
        panels.append(figures.lines(x, y, [series], f"{histogram.title}: {label}", note, wide=True))
    return panels
