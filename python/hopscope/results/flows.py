"""Further results of a run of flows: slowdowns by size, rounds, fairness, pauses."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope import kinds
from hopscope.metric_key import MetricKey

if TYPE_CHECKING:
    from hopscope.results.summary import Summary


def has_flows(summary: "Summary") -> bool:
    """Whether a run was one of flows."""
    return summary.has("flows.count")


def size_classes(summary: "Summary") -> list[str]:
    """The size classes of slowdowns, from small to large; empty if there is only one."""
    return summary.apart("slowdown")


def rounds(summary: "Summary") -> list[str]:
    """The keys of the times of rounds, without statistics: one for each group that has rounds."""
    return [str(MetricKey("round", name, None)) for name in summary.classes_of("round")]


def main_rounds(summary: "Summary") -> list[str]:
    """The keys of the times of rounds that tables of many runs have, with their statistic."""
    names = frozenset(rounds(summary))
    return [key for key in summary.main_keys() if key.rpartition(".")[0] in names]


def _held_back(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a link does while its receiver stops it, a part for each lane."""
    return [part for part in row.get("held_in", ()) if kinds.hold(part["id"])["is_held_back"]]


def most_paused(summary: "Summary", limit: int) -> list[tuple[str, float]]:
    """The links that were stopped longest, with the share of time."""
    rows = summary.resources
    shares = zip((row["name"] for row in rows), held_back_shares(rows), strict=True)
    return sorted([each for each in shares if each[1] > 0], key=lambda each: (-each[1], each[0]))[:limit]


def held_back_shares(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """The share of time in which each resource was stopped by its receiver: the mean over lanes."""
    parts_of = [_held_back(row) for row in rows]
    lanes = 1 + max((part.get("lane", 0) for parts in parts_of for part in parts), default=0)
    return [sum(part["occupancy"] for part in parts) / lanes for parts in parts_of]


def held_back_by(summary: "Summary") -> str:
    """What stopped links, pauses or a lack of credits, in a word; empty if nothing did."""
    rows = summary.resources
    parts = (part for row in rows for part in _held_back(row))
    return next((kinds.hold(part["id"])["word"] for part in parts), "")
