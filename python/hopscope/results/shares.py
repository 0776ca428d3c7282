"""Where the time went, in words and shares."""

from collections.abc import Mapping
from typing import Any

from hopscope.numerals import percent
from hopscope.results.summary import Summary

LEAST_SHARE_WORTH_A_WORD = 0.005


def largest(summary: Summary, limit: int, of_class: str = "all") -> list[Mapping[str, Any]]:
    """The stages that take the largest shares of a message's mean life, the largest first."""
    rows = [row for row in summary.ledger(of_class) if row["share"] >= LEAST_SHARE_WORTH_A_WORD]
    return sorted(rows, key=lambda row: -row["share"])[:limit]


def in_words(summary: Summary, limit: int = 3) -> str:
    """The largest shares on one line: "41 % output wait, 22 % FIFO wait, 9 % decision"."""
    return ", ".join(f"{percent(row['share'])} {row['stage']}" for row in largest(summary, limit))
