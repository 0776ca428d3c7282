"""Where the time went, in words and shares."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from hopscope.metric_key import ALL_CLASSES
from hopscope.numerals import percent

Row = Mapping[str, Any]

LEAST_SHARE_WORTH_A_WORD = 0.005
# Rounding error of shares that should add up to one.
ROUNDING = 1e-9


class Lived(Protocol):
    """What has a ledger: the summary of a run, or a point over all its seeds."""

    def ledger(self, of_class: str = ALL_CLASSES) -> Sequence[Row]:
        """The stages of messages of one class, in order of occurrence."""


def over_runs(ledgers: Sequence[Sequence[Row]]) -> list[Row]:
    """The mean ledger of several runs of equal weight, like means of metrics.

    The shares are those of the mean times. If one run has no times, as a saturated one, the mean has none
    either, and its shares are the means of theirs.
    """
    if len(ledgers) == 1:
        return list(ledgers[0])
    is_timed = all(row["estimate"] is not None for rows in ledgers for row in rows)
    found = {row["stage"]: row for rows in ledgers for row in rows}
    shares = {
        stage: math.fsum(_held(rows, stage, is_timed) for rows in ledgers) / len(ledgers) for stage in found
    }
    whole = math.fsum(shares.values()) or 1.0
    return [
        {
            "stage": stage,
            "kind": row["kind"],
            "share": shares[stage] / whole,
            "estimate": {"value": shares[stage]} if is_timed else None,
        }
        for stage, row in found.items()
    ]


def _held(rows: Sequence[Row], stage: str, is_timed: bool) -> float:
    """The mean time of a stage in one run, or its share of the lifetime."""
    row = next((row for row in rows if row["stage"] == stage), None)
    if row is None:
        return 0.0
    return row["estimate"]["value"] if is_timed else row["share"]


def lifetime(lived: Lived) -> float | None:
    """The mean message lifetime in microseconds, the sum of the ledger; None if it has no mean."""
    rows = lived.ledger()
    if not rows or any(row["estimate"] is None for row in rows):
        return None
    return math.fsum(row["estimate"]["value"] for row in rows)


def largest(lived: Lived, limit: int, of_class: str = ALL_CLASSES) -> list[Row]:
    """The stages with the largest shares of the mean lifetime, the largest first."""
    rows = [row for row in lived.ledger(of_class) if row["share"] >= LEAST_SHARE_WORTH_A_WORD]
    return sorted(rows, key=lambda row: -row["share"])[:limit]


def in_words(lived: Lived, limit: int = 3) -> str:
    """The largest shares on one line, and the rest: "41 % output wait, 22 % FIFO wait, 37 % other"."""
    told = largest(lived, limit)
    rest = sum(row["share"] for row in lived.ledger()) - sum(row["share"] for row in told)
    words = [f"{percent(row['share'])} {row['stage']}" for row in told]
    return ", ".join([*words, f"{percent(rest)} other"] if rest >= LEAST_SHARE_WORTH_A_WORD else words)


def folded(lived: Lived, is_told: Callable[[Row], bool]) -> list[Row]:
    """The listed stages of a message, and the others of each kind together."""
    rows = lived.ledger()
    found = [row for row in rows if is_told(row)]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        rest = [row for row in rows if row["kind"] == kind and not is_told(row)]
        share = sum(row["share"] for row in rest)
        if share > ROUNDING:
            times = [row["estimate"] for row in rest]
            whole = None if None in times else {"value": sum(each["value"] for each in times)}
            found.append({"stage": f"other {kind}", "kind": kind, "share": share, "estimate": whole})
    return found
