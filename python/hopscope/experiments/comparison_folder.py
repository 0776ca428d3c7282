"""The rows of a comparison for frames and CSV, and the folder that it is kept in."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope import metric_key
from hopscope.results import frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopscope.estimate import Estimate
    from hopscope.experiments.compare import ComparisonResult, Difference

_NUMBERS = ("a", "b", "change", "share")


def columns(result: "ComparisonResult") -> dict[str, frames.Kind]:
    """The columns with their kinds: the swept paths, the metric with its units, the numbers, the verdict.

    `a` and `change` are in `unit`, `b` is in `unit_b`, and `share` is a fraction of the mean of A; each has
    the ends of its 95 % interval beside it.
    """
    text, number = frames.Kind.TEXT, frames.Kind.NUMBER
    return {
        **{path: frames.kind_of(values) for path, values in result.over.items()},
        **dict.fromkeys(("metric", "class", "statistic", "unit", "unit_b"), text),
        **{f"{name}{end}": number for name in _NUMBERS for end in ("", "_low", "_high")},
        **dict.fromkeys(("verdict", "lost_data"), text),
    }


def rows(result: "ComparisonResult", asked: "Sequence[str]" = ()) -> list[tuple]:
    """A row per setting and metric that both designs measure, the `asked` ones first; cells as `columns`."""
    kinds = columns(result)
    return [
        (
            *(frames.plain(point.set[path], kinds[path]) for path in result.over),
            *_row(point.difference(key)),
        )
        for point in result.points
        for key in point.every_metric(asked)
    ]


def write(result: "ComparisonResult", folder: Path, asked: "Sequence[str]" = ()) -> None:
    """Write comparison.json, comparison.csv and one run folder per run into an existing empty folder."""
    for number, point in enumerate(result.points, start=1):
        for name, side in point.sides.items():
            for run in side.runs:
                own = folder / "runs" / f"{number:03d}-{name.lower()}-seed-{run.seed}"
                own.mkdir(parents=True)
                run.write_into(own)
    content = {
        "hopscope": result.points[0].a[0].summary.fields["hopscope"],
        "a": result.a,
        "b": result.b,
        "set_b": result.settings_b,
        "over": result.over,
        "seeds": result.seeds,
        "differences": result.data(asked, every=True),
        "notes": result.notes(asked),
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (folder / "comparison.json").write_text(text, encoding="utf-8")
    frames.write_csv(list(columns(result)), rows(result, asked), folder / "comparison.csv")


def _row(found: "Difference") -> tuple:
    parsed = metric_key.parse(found.metric)
    unit, unit_b = ("" if each is None else each.unit for each in (found.a or found.b, found.b or found.a))
    return (
        parsed.name,
        parsed.of_class,
        parsed.statistic or "",
        unit,
        unit_b,
        *(number for name in _NUMBERS for number in _numbers(getattr(found, name))),
        str(found.verdict),
        ", ".join(found.lossy),
    )


def _numbers(estimate: "Estimate | None") -> "Sequence[float | None]":
    """A value with the ends of its interval; an unbounded end has no number."""
    return (None, None, None) if estimate is None else list(estimate.to_data().values())
