"""What a run of flows tells besides: slowdowns by size, rounds, goodput, fairness, pauses."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopscope.results.summary import Summary

PAUSED = "paused"
WITHOUT_CREDIT = "without credit"


def has_flows(summary: "Summary") -> bool:
    """Whether a run was one of flows."""
    return summary.has("flows.count")


def size_classes(summary: "Summary") -> list[str]:
    """The classes of sizes that slowdowns are measured for, from small to large; none where there is one."""
    seen = dict.fromkeys(row["class"] for row in summary.data["metrics"] if row["name"] == "slowdown")
    return [name for name in seen if name != "all"]


def rounds(summary: "Summary") -> list[str]:
    """The keys of the times of rounds, without their statistics: one for each group that has rounds."""
    seen = dict.fromkeys(row["class"] for row in summary.data["metrics"] if row["name"] == "round")
    return ["round" if name == "all" else f"round[{name}]" for name in seen]


def paused_share(row: Mapping[str, Any]) -> float:
    """The share of time that a link was held back by its receiver, over all its lanes."""
    held = (part for part in row.get("held_in", ()) if part["stage"].startswith((PAUSED, WITHOUT_CREDIT)))
    return sum(part["occupancy"] for part in held)


def most_paused(summary: "Summary", limit: int) -> list[tuple[str, float]]:
    """The links that were held back longest, with the share of time."""
    rows = [(row["name"], paused_share(row)) for row in summary.data["resources"] if row["kind"] == "output"]
    held = [(name, share) for name, share in rows if share > 0]
    return sorted(held, key=lambda row: (-row[1], row[0]))[:limit]


def held_back_by(summary: "Summary") -> str:
    """What links were held back by: pauses, or a lack of credits."""
    stages = (part["stage"] for row in summary.data["resources"] for part in row.get("held_in", ()))
    return WITHOUT_CREDIT if any(stage.startswith(WITHOUT_CREDIT) for stage in stages) else PAUSED
