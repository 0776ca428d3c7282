"""Where the time went, in words and shares."""

from collections.abc import Callable, Mapping
from typing import Any

from hopscope.numerals import percent
from hopscope.results.summary import Summary

LEAST_SHARE_WORTH_A_WORD = 0.005
# Shares add up to one only up to the last bits of floats.
ROUNDING = 1e-9


def largest(summary: Summary, limit: int, of_class: str = "all") -> list[Mapping[str, Any]]:
    """The stages that take the largest shares of a message's mean life, the largest first."""
    rows = [row for row in summary.ledger(of_class) if row["share"] >= LEAST_SHARE_WORTH_A_WORD]
    return sorted(rows, key=lambda row: -row["share"])[:limit]


def in_words(summary: Summary, limit: int = 3) -> str:
    """The largest shares on one line, and the rest: "41 % output wait, 22 % FIFO wait, 37 % other"."""
    told = largest(summary, limit)
    rest = sum(row["share"] for row in summary.ledger()) - sum(row["share"] for row in told)
    words = [f"{percent(row['share'])} {row['stage']}" for row in told]
    return ", ".join([*words, f"{percent(rest)} other"] if rest >= LEAST_SHARE_WORTH_A_WORD else words)


def folded(summary: Summary, is_told: Callable[[Mapping[str, Any]], bool]) -> list[Mapping[str, Any]]:
    """The stages of a message's life that are told, and the others of each kind together."""
    rows = summary.ledger()
    found = [row for row in rows if is_told(row)]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        rest = [row for row in rows if row["kind"] == kind and not is_told(row)]
        share = sum(row["share"] for row in rest)
        if share > ROUNDING:
            times = [row["estimate"] for row in rest]
            whole = None if None in times else {"value": sum(each["value"] for each in times)}
            found.append({"stage": f"other {kind}", "kind": kind, "share": share, "estimate": whole})
    return found
