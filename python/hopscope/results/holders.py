"""Why a subnet is slow: which resource was waited for, who held it, and what its holders waited for.

Everything said is read off a run's ledger and resources. Only the words for what a holder in each phase can
wait for are given here; which of them it was, and for how long, is the ledger's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.numerals import number
from hopscope.results.summary import Summary

# The stages of the ledger in which a holder of each phase spends its time.
STAGES_OF_HOLDERS: Mapping[str, tuple[str, ...]] = {
    "message being taken in": (
        "leader table wait",
        "allocation wait",
        "message number wait",
        "store-and-forward wait",
        "channel wait",
    ),
    "REQALL": ("reassembly wait", "allocation wait"),
    "message in transit": ("line wait", "retransmission wait", "processor wait", "transmission"),
    "message in reassembly": ("line wait", "retransmission wait", "processor wait", "order wait"),
    "message in the queue for its host": ("host output wait",),
    "reply that waits": ("reply order wait", "piggy-back wait"),
    "reply in transit": ("reply wait", "reply transit"),
}

# What keeps the sending host's input standing still: it holds nothing of the net's yet.
SOURCE_WAITS = (
    "buffer wait",
    "message block wait",
    "message number wait",
    "leader table wait",
    "allocation wait",
)

_US_PER_MS = 1000.0
LEAST_PART = 0.02  # of what is held; smaller holders are not named
LEAST_PART_TO_FOLLOW = 0.08  # of what is held; what smaller holders wait for is not told
LEAST_WAIT_MS = 1.0
MOST_GROWN = 3

Row = Mapping[str, Any]


def explained(summary: Summary, against: Summary | None = None) -> list[str]:
    """Why messages take so long, and with `against` what is longer than there: one sentence a line."""
    lines = [*_compared(summary, against)]
    stages = {row["stage"]: row for row in summary.ledger() if row["estimate"] is not None}
    waits = [stages[name] for name in SOURCE_WAITS if name in stages]
    if not waits:
        return [
            *lines,
            "No message was delivered, or the subnet is saturated: there are no delays to explain.",
        ]
    first = max(waits, key=_ms)
    if _ms(first) < LEAST_WAIT_MS:
        return [*lines, "The sending host hardly waited for the net: no resource held it back."]
    lines.append(
        f"Before it entered the net, a message waited longest for the {first['resource']}: "
        f"{_time(first)} on average."
    )
    return [*lines, *_chain(summary, stages, _pool(first["resource"]))]


def _chain(summary: Summary, stages: Mapping[str, Row], resource: str) -> list[str]:
    """From a resource to its holders, to what these wait for, until a resource comes again."""
    lines: list[str] = []
    seen: list[str] = []
    while resource not in seen:
        seen.append(resource)
        row = _row(summary, resource)
        if row is None:
            return lines
        held = sorted(row["held_in"], key=lambda part: -part["occupancy"])
        held = [part for part in held if part["occupancy"] >= LEAST_PART * row["occupancy"]]
        lines.append(_holders(row, held))
        held = [part for part in held if part["occupancy"] >= LEAST_PART_TO_FOLLOW * row["occupancy"]]
        waits = [_waits(stages, part["stage"]) for part in held]
        told = [_waiting(part["stage"], some) for part, some in zip(held, waits, strict=True) if some]
        lines += [line for line in told if line not in lines]
        wanted = {_pool(wait["resource"]): wait for some in reversed(waits) for wait in reversed(some)}
        again = [name for name in wanted if name in seen]
        onward = [name for name in wanted if name not in seen and _row(summary, name) is not None]
        if again:
            names = " and ".join(f"the {name}" for name in again)
            lines.append(
                f"So some who hold the {resource} wait for {names} themselves: the circle is closed."
            )
        if not onward:
            return lines
        resource = max(onward, key=lambda name: _ms(wanted[name]))
    return lines


def _pool(resource: str) -> str:
    """The pool that a stage's resource is taken from: an allocation is of reassembly buffers."""
    return "reassembly buffers" if resource == "allocation" else resource


def _waiting(phase: str, waits: Sequence[Row]) -> str:
    parts = [f"{_time(wait)} in {wait['stage']}" for wait in waits]
    return f"A {phase} spends {' and '.join(parts)}."


def _waits(stages: Mapping[str, Row], phase: str) -> list[Row]:
    """The waits of a holder in this phase that are worth a word, the longest first."""
    rows = [stages[name] for name in STAGES_OF_HOLDERS.get(phase, ()) if name in stages]
    worth = [row for row in rows if row["kind"] == "wait" and _ms(row) >= LEAST_WAIT_MS]
    return sorted(worth, key=lambda row: -_ms(row))[:2]


def _row(summary: Summary, resource: str) -> Row | None:
    """Where this resource was waited for longest, of the places whose holders are known."""
    rows = [row for row in summary.data["resources"] if row["name"] == resource and row.get("held_in")]
    rows = [row for row in rows if row["kind"] != "line"]
    return max(rows, key=lambda row: (row["waiting"], row["occupancy"]), default=None)


def _holders(row: Row, held: list[Row]) -> str:
    by = ", ".join(f"{number(part['occupancy'], 2)} by {_many(part['stage'])}" for part in held)
    capacity = "" if row["capacity"] is None else f" of {row['capacity']:g}"
    return (
        f"The {row['name']} at {row['place']}: on average {number(row['occupancy'], 2)}{capacity} are held "
        f"(at most {row['peak']:g}), {by}; on average {number(row['waiting'], 2)} wait for more."
    )


def _compared(summary: Summary, against: Summary | None) -> list[str]:
    here = summary.find("throughput")
    there = None if against is None else against.find("throughput")
    if against is None or here is None or there is None:
        return []
    lines = [f"{number(here.value, 3)} kbit/s, where {number(there.value, 3)} are carried otherwise."]
    before = {row["stage"]: _ms(row) for row in against.ledger() if row["estimate"] is not None}
    grown = [
        (row, _ms(row) - before.get(row["stage"], 0.0))
        for row in summary.ledger()
        if row["estimate"] is not None
    ]
    grown = sorted((pair for pair in grown if pair[1] > LEAST_WAIT_MS), key=lambda pair: -pair[1])[
        :MOST_GROWN
    ]
    if grown:
        words = ", ".join(f"{number(more, 3)} ms more in {row['stage']}" for row, more in grown)
        lines.append(f"A message spends {words}.")
    return lines


def _ms(row: Row) -> float:
    return 0.0 if row["estimate"] is None else row["estimate"]["value"] / _US_PER_MS


def _time(row: Row) -> str:
    return f"{number(_ms(row), 3)} ms"


def _many(phase: str) -> str:
    """A phase in the plural: "messages in transit"."""
    head, _, rest = phase.partition(" ")
    plurals = {"message": "messages", "reply": "replies", "REQALL": "REQALLs", "unassigned": "unassigned"}
    rest = (
        rest.replace("allocation", "allocations")
        .replace("that waits", "that wait")
        .replace("its host", "their host")
    )
    return f"{plurals.get(head, head)} {rest}".strip()
