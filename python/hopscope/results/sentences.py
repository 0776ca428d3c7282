"""Why a run is slow, in sentences: lifetimes, what blocks the source, holders, and other causes.

The engine's explanation contains all of it; here it is compared with that of another run and printed.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.numerals import count, duration, joined, number, percent
from hopscope.results.explanation import Explanation, wait_of

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

LARGEST_WAITS = 3

Data = Mapping[str, Any]


def explained(
    run: "RunResult", against: "RunResult | None" = None, names: tuple[str, str] = ("", "")
) -> list[str]:
    """Why messages take this long, and with `against` what takes longer than there, a line each.

    `names` are those of the run and of `against`; by default their titles. Raises UsageError if a folder of
    an older version has no explanation.
    """
    why = run.explain()
    other = None if against is None else against.explain()
    there = "" if against is None else names[1] or against.title or "the other run"
    lines = (
        [] if against is None else _carried([(names[0] or run.title or "This run", run), (there, against)])
    )
    lifetime = why.data["lifetime"]
    if lifetime["mean_us"] is None:
        return [
            *lines,
            "No delays to explain: nothing was delivered, or the network is saturated or deadlocked.",
        ]
    lines.append(_life(lifetime, None if other is None else other.data["lifetime"], there))
    lines += _source(lifetime)
    for holding in why.holders:
        lines += _holding(holding)
    lines += [f"{symptom['name'].capitalize()}: {symptom['evidence']}." for symptom in why.symptoms]
    return lines + _causes(why, other, there)


def _carried(runs: Sequence[tuple[str, "RunResult"]]) -> list[str]:
    """What each run carried, and over how many hops if the model counts them."""
    parts = []
    for name, run in runs:
        rate, hops = run.summary.find("throughput"), run.summary.find("path length.mean")
        if rate is None:
            return []
        way = "" if hops is None else f" over {_plain(hops.value)} hops"
        parts.append(f"{name} carried {number(rate.value, 3)} {rate.unit}{way}")
    return [f"{parts[0]}; {parts[1]}."]


def _life(lifetime: Data, other: Data | None, there: str) -> str:
    """The mean lifetime and the longest waits, compared with those of the other run."""
    before = {} if other is None else {time["stage"]: time["mean_us"] for time in other["stages"]}
    beside = "" if other is None or other["mean_us"] is None else f" ({there}: {duration(other['mean_us'])})"
    told = [
        duration(time["mean_us"])
        + ("" if other is None else f" ({duration(before.get(time['stage'], 0.0))})")
        + f" {time['meaning']}"
        for time in lifetime["waits"][:LARGEST_WAITS]
    ]
    longest = f" Longest waits: {', '.join(told)}." if told else ""
    return f"Mean message lifetime: {duration(lifetime['mean_us'])}{beside}.{longest}"


def _source(lifetime: Data) -> list[str]:
    """What blocks the source's input, if the model has such stages."""
    if not lifetime["has_source"]:
        return []
    if not lifetime["source"]:
        return ["The subnet hardly blocks the source host."]
    told = [f"{duration(time['mean_us'])} {time['meaning']}" for time in lifetime["source"]]
    return [f"The source host is blocked, for each message: {joined(told)}."]


def _holding(holding: Data) -> list[str]:
    """Mean occupancy by holder of one resource, and what each holder waits for."""
    some = (
        "" if holding["rule"] is None else f" ({holding['capacity']:g} {holding['unit']}; {holding['rule']})"
    )
    by = ", ".join(f"{part['cause']} {number(part['occupancy'], 2)}" for part in holding["holders"])
    lines = [
        f"Mean occupancy by holder of {holding['resource']}{some}: {by}. "
        f"{number(holding['waiting'], 2)} messages wait for it on average."
    ]
    waiting = [
        f"{part['cause']}{_each(part)}: {', '.join(waits)}"
        for part in holding["holders"]
        if (waits := [wait_of(wait) for wait in part["waits_for"]])
    ]
    return [*lines, f"What they wait for: {'; '.join(waiting)}."] if waiting else lines


def _each(holder: Data) -> str:
    """The mean holding time, in parentheses; empty if it is not counted."""
    return "" if holder["each_us"] is None else f" ({duration(holder['each_us'])} each)"


def _causes(why: Explanation, other: Explanation | None, there: str) -> list[str]:
    """Superfluous requests, refusals and slow processors, if they matter."""
    here, before = why.data["causes"], {} if other is None else other.data["causes"]
    return [
        *_superfluous(here["requests"], before.get("requests"), there),
        *_refusals(here["refusals"], before.get("refusals"), there),
        *_slow_processors(here["processors"]),
    ]


def _superfluous(found: Data | None, before: Data | None, there: str) -> list[str]:
    if found is None or not found["matters"]:
        return []
    beside = (
        "" if before is None else f" ({there}: {count(before['superfluous'])} of {count(before['sent'])})"
    )
    return [
        f"{count(found['superfluous'])} of the {count(found['sent'])} REQALLs for these messages were "
        f"superfluous{beside}: another one was outstanding. Each still holds an entry and a number."
    ]


def _refusals(found: Data | None, before: Data | None, there: str) -> list[str]:
    if found is None or not found["matters"]:
        return []
    beside = "" if before is None else f" ({there}: {number(before['per_hundred'], 2)})"
    reasons = [f"{percent(part['share'])} because {part['of']}" for part in found["reasons"]]
    nodes = [f"{part['of']} ({percent(part['share'])})" for part in found["nodes"]]
    return [
        f"IMPs refused {number(found['per_hundred'], 2)} of every 100 packets that lines carried{beside}: "
        f"{joined(reasons)}. Most were refused by {joined(nodes)}."
    ]


def _slow_processors(found: Data | None) -> list[str]:
    if found is None or not found["matters"]:
        return []
    slow, fast = 1e3 * found["slow_ms"], found["fast_ms"]
    other = "" if fast is None else f", and {duration(1e3 * fast, like=slow)} for that of a 516"
    return [
        "Honeywell 316 IMPs stall packets: the mean wait for the processor of one is "
        f"{duration(slow)}{other}."
    ]


def _plain(value: float) -> str:
    """A number of hops: 9 rather than 9.0."""
    return f"{value:.1f}".removesuffix(".0")
