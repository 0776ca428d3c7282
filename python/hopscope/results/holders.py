"""Why a subnet is slow: which resource was waited for, who held it, and what its holders waited for.

Everything said is read off a run's ledger and resources. How long a holder holds is the mean occupancy of its
phase times the measured window over what came into the phase (Little). What it waits for meanwhile is the
ledger's mean, given only for phases that every message goes through.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.numerals import number
from hopscope.results import causes
from hopscope.results import subnet_words as words
from hopscope.results.summary import Summary

# A message holds the same until all of it has come: these are one phase for whoever waits.
UNDER_WAY = "message under way"
MERGED: Mapping[str, str] = {"message in transit": UNDER_WAY, "message in reassembly": UNDER_WAY}

# The stages in which every message, or its reply, spends the time in which it holds something in this phase.
STAGES_OF_HOLDERS: Mapping[str, tuple[str, ...]] = {
    UNDER_WAY: (
        "store-and-forward wait",
        "channel wait",
        "line wait",
        "retransmission wait",
        "processor wait",
        "order wait",
    ),
    "message in the queue for its host": ("host output wait",),
    "reply that waits": ("reply order wait", "piggy-back wait"),
    "reply in transit": ("reply wait",),
}

# What keeps the sending host's input standing still.
SOURCE_WAITS = (
    "buffer wait",
    "message block wait",
    "message number wait",
    "packet table wait",
    "leader table wait",
    "allocation wait",
)

BUFFERS = "reassembly buffers"
NEEDS: Mapping[str, tuple[str, ...]] = {
    "REQALL": (BUFFERS,),
    "reply that waits": (BUFFERS,),
    "message being taken in": ("message numbers", "pending leader table"),
}
"""Pools that a holder in a phase may wait for, of which the run tells whether it did."""

STAGES_OF_NEEDS: Mapping[str, tuple[str, ...]] = {
    BUFFERS: ("allocation wait", "reassembly wait", "piggy-back wait"),
    "message numbers": ("message number wait",),
    "pending leader table": ("leader table wait",),
}

_US_PER_MS = 1000.0
_MS_PER_S = 1000.0
LEAST_PART = 0.02  # of what is held; smaller holders are not named
LEAST_PART_TO_FOLLOW = 0.05  # of what is held; what smaller holders wait for is not told
LEAST_WAIT_MS = 1.0
LEAST_PART_OF_LONGEST = 0.25  # of the sender's longest wait; shorter ones are not followed
LEAST_PART_OF_LIFE = 0.02  # of a message's life; what is waited for less is no link of the chain
LARGEST_WAITS = 3
MOST_WAITS_OF_A_HOLDER = 2

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Holders:
    """The holders of a resource in one phase: how much they hold on average, and each for how long."""

    phase: str
    occupancy: float
    each_ms: float | None


def explained(
    summary: Summary, against: Summary | None = None, names: tuple[str, str] = ("", "")
) -> list[str]:
    """Why messages take so long, and with `against` what is longer than there: one sentence or two a line.

    `names` are those of the run and of `against`; their titles, where they have none.
    """
    here = names[0] or summary.data.get("title") or "This run"
    there = "" if against is None else names[1] or against.data.get("title") or "the other run"
    stages = {row["stage"]: row for row in summary.ledger() if row["estimate"] is not None}
    lines = _carried(summary, against, here, there)
    waits = [stages[name] for name in SOURCE_WAITS if name in stages]
    if not waits:
        return [
            *lines,
            "No message was delivered, or the subnet is saturated: there are no delays to explain.",
        ]
    lines += _life(summary, stages, against, there)
    lines += _sender(summary, stages, sorted(waits, key=_ms, reverse=True))
    return lines + causes.told(summary, against, there)


def _carried(summary: Summary, against: Summary | None, here: str, there: str) -> list[str]:
    if against is None:
        return []
    both = [(here, summary), (there, against)]
    parts = []
    for name, run in both:
        rate, hops = run.find("throughput"), run.find("path length.mean")
        if rate is None:
            return []
        way = "" if hops is None else f" over {_plain(hops.value)} hops"
        parts.append(f"{name} carried {number(rate.value, 3)} kbit/s{way}")
    return [f"{parts[0]}; {parts[1]}."]


def _life(summary: Summary, stages: Mapping[str, Row], against: Summary | None, there: str) -> list[str]:
    """How long a message lives and where it waits most, beside the same of the other run."""
    life = sum(_ms(row) for row in stages.values())
    waits = sorted((row for row in stages.values() if row["kind"] == "wait"), key=lambda row: -_ms(row))
    waits = [row for row in waits[:LARGEST_WAITS] if _ms(row) >= LEAST_WAIT_MS]
    other = {} if against is None else {row["stage"]: _ms(row) for row in against.ledger()}
    beside = f", in {there} {words.time(sum(other.values()))}" if other else ""
    lines = [f"A message lives {words.time(life)}{beside}."]
    if waits:
        heard = {**words.WAITS}
        if not _refuses(summary):
            heard |= words.WITHOUT_REFUSALS
        told = [
            words.time(_ms(row))
            + (f" ({words.time(other.get(row['stage'], 0.0))})" if other else "")
            + f" {heard.get(row['stage'], 'in ' + row['stage'])}"
            for row in waits
        ]
        bracket = f" (in brackets those of {there})" if other else ""
        lines[0] += f" Its largest waits{bracket}: {', '.join(told)}."
    return lines


def _refuses(summary: Summary) -> bool:
    refusals = summary.find("refusals.count")
    return refusals is None or refusals.value > 0


def _sender(summary: Summary, stages: Mapping[str, Row], waits: Sequence[Row]) -> list[str]:
    """What the sender waited for, the longest wait first, and the chain that begins there."""
    least = max(LEAST_WAIT_MS, LEAST_PART_OF_LONGEST * _ms(waits[0]))
    felt = [wait for wait in waits if _ms(wait) >= least]
    if not felt:
        return ["The sending host hardly waited for the net: no resource held it back."]
    told = [f"{words.time(_ms(wait))} for {_wanted(summary, wait)}" for wait in felt]
    pools = dict.fromkeys(_pool(wait["resource"]) for wait in felt)
    return [f"What the sender waited for: {words.listed(told)}.", *_chain(summary, stages, pools)]


def _chain(summary: Summary, stages: Mapping[str, Row], pools: Iterable[str]) -> list[str]:
    """The holders of each pool, what they wait for, the pools that this leads to, and where it closes."""
    lines: list[str] = []
    told: list[str] = []
    needs: dict[str, list[str]] = {}
    ahead = list(pools)
    while ahead:
        pool = ahead.pop(0)
        row = _row(summary, pool)
        if pool in needs or row is None:
            continue
        holders = _holders(summary, row)
        held = sum(part.occupancy for part in holders)
        leading = [part for part in holders if part.occupancy >= LEAST_PART_TO_FOLLOW * held]
        new = [part for part in leading if part.phase not in told]
        told += [part.phase for part in new]
        lines += [_who_held(pool, row, holders), *_what_they_waited_for(stages, new)]
        needs[pool] = [
            need
            for need in dict.fromkeys(need for part in leading for need in NEEDS.get(part.phase, ()))
            if need != pool and _felt(stages, need)
        ]
        circle = next((other for other in needs[pool] if pool in needs.get(other, ())), None)
        if circle is not None:
            return [*lines, _circle(summary, circle if pool == BUFFERS else pool)]
        ahead += needs[pool]
    return lines


def _circle(summary: Summary, entries: str) -> str:
    wanted = _placed(words.POOLS[entries].wanted, _row(summary, entries))
    buffers = _placed("reassembly buffers of {place}", _row(summary, BUFFERS))
    return (
        f"So each waits for the other: messages that have {buffers} wait for {wanted}, and of those who have "
        "one, some wait for such buffers. The paper calls it phasing."
    )


def _wanted(summary: Summary, wait: Row) -> str:
    """What a wait is for, with its place."""
    resource = _pool(wait["resource"])
    if resource not in words.POOLS:
        return f"the {wait['resource']}"
    return _placed(words.POOLS[resource].wanted, _row(summary, resource))


def _pool(resource: str) -> str:
    """The pool that a stage's resource is taken from: an allocation is of reassembly buffers."""
    return BUFFERS if resource == "allocation" else resource


def _row(summary: Summary, resource: str) -> Row | None:
    """Where this resource was waited for longest, of the places whose holders are known."""
    rows = [row for row in summary.data["resources"] if row["name"] == resource and row.get("held_in")]
    rows = [row for row in rows if row["kind"] != "line"]
    return max(rows, key=lambda row: (row["waiting"], row["occupancy"]), default=None)


def _placed(text: str, row: Row | None) -> str:
    if row is None:
        return text.replace("{place}'s ", "the ").replace(" of {place}", "").replace(" for {place}", "")
    return text.format(place=row["place"], capacity=words.small(row["capacity"] or 0))


def _holders(summary: Summary, row: Row) -> list[_Holders]:
    """The holders by phase, those with most first; small ones are left out."""
    span_ms = _MS_PER_S * summary.data.get("measured", {}).get("span_s", 0.0)
    found: dict[str, _Holders] = {}
    for part in row["held_in"]:
        phase = MERGED.get(part["stage"], part["stage"])
        before = found.get(phase, _Holders(phase, 0.0, 0.0))
        entered = part.get("entered", 0)
        known = entered > 0 and span_ms > 0 and before.each_ms is not None
        # One after the other: the times of merged phases add up.
        each = (before.each_ms or 0.0) + part["occupancy"] * span_ms / entered if known else None
        found[phase] = _Holders(phase, before.occupancy + part["occupancy"], each)
    held = [part for part in found.values() if part.occupancy >= LEAST_PART * row["occupancy"]]
    return sorted(held, key=lambda part: -part.occupancy)


def _who_held(pool: str, row: Row, holders: Sequence[_Holders]) -> str:
    by = [f"{words.HOLDERS[part.phase]} {number(part.occupancy, 2)}" for part in holders]
    spoken = words.POOLS[pool]
    return (
        f"{_placed(spoken.rule, row)} Who held them, on average: {words.listed(by)}; "
        f"{number(row['waiting'], 2)} {spoken.waiters} waited for more."
    )


def _what_they_waited_for(stages: Mapping[str, Row], holders: Sequence[_Holders]) -> list[str]:
    """For each kind of holder how long one stays that, and what it waits for."""
    told = []
    for part in holders:
        each = "" if part.each_ms is None else f" ({words.time(part.each_ms)} each)"
        why = _why(stages, part.phase)
        if why:
            told.append(f"{words.HOLDERS[part.phase]}{each} {why}")
    return [f"What they waited for: {'; '.join(told)}."] if told else []


def _why(stages: Mapping[str, Row], phase: str) -> str:
    """What a holder in this phase waits for."""
    if phase in words.OF_HOLDERS:
        return words.OF_HOLDERS[phase]
    if phase not in STAGES_OF_HOLDERS:
        felt = [words.WAITS[name] for pool in NEEDS.get(phase, ()) for name in _felt(stages, pool)]
        return words.listed(felt) if felt else ""
    heard = {**words.WAITS, **(words.OF_REPLIES if phase.startswith("reply") else {})}
    waits = [f"{words.time(_ms(row))} {heard[row['stage']]}" for row in _waits(stages, phase)]
    return words.listed(waits) if waits else ""


def _felt(stages: Mapping[str, Row], pool: str) -> list[str]:
    """The stages of waiting for a pool that take a fair part of a message's life."""
    least = LEAST_PART_OF_LIFE * sum(_ms(row) for row in stages.values())
    return [name for name in STAGES_OF_NEEDS[pool] if name in stages and _ms(stages[name]) >= least]


def _waits(stages: Mapping[str, Row], phase: str) -> list[Row]:
    """The waits of a holder in this phase that are worth a word, the longest first."""
    rows = [stages[name] for name in STAGES_OF_HOLDERS.get(phase, ()) if name in stages]
    worth = [row for row in rows if _ms(row) >= LEAST_WAIT_MS]
    return sorted(worth, key=lambda row: -_ms(row))[:MOST_WAITS_OF_A_HOLDER]


def _ms(row: Row) -> float:
    return 0.0 if row["estimate"] is None else row["estimate"]["value"] / _US_PER_MS


def _plain(value: float) -> str:
    """A number of hops: 9 rather than 9.0."""
    return f"{value:.1f}".removesuffix(".0")
