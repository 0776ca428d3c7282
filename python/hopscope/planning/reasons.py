"""Why a network saturates where it does: what each reason costs, by simulations without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.numerals import count, number, percent
from hopscope.planning import variants
from hopscope.planning.limit import Limit
from hopscope.planning.saturation import Saturation
from hopscope.planning.variants import Variant

HEAD_OF_LINE = "head-of-line blocking"
ROOT = "root concentration"
BUFFERS = "small FIFOs"
DROPS = "full queues that drop"
LINK = "link"
HOST_LINK = "host link"
DEADLOCK = "deadlock"

_OF_VARIANT = {
    variants.NO_HEAD_OF_LINE: HEAD_OF_LINE,
    variants.UNBOUNDED: BUFFERS,
    variants.LONG_QUEUES: DROPS,
    variants.SHORTEST: ROOT,
}
# A gain below this is no reason, even where the brackets do not touch.
LEAST_GAIN = 0.03
# A link that sends for less of the time is no reason either.
BUSY = 0.5


@dataclass(frozen=True)
class Reason:
    """A reason and its evidence. `gain` is what the load gains without it, None for a full link."""

    name: str
    gain: float | None
    evidence: str

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {"name": self.name, "gain": self.gain, "evidence": self.evidence}


def reasons(
    found: Mapping[str, Saturation], tried: Sequence[Variant], where: Limit | None, bounds: Mapping[str, Any]
) -> list[Reason]:
    """The reasons, the one that costs most first. Without any gain a full link is what limits.

    A deadlock is the only reason: what changes it for better or worse costs nothing by itself.
    """
    if found[variants.AS_IS].high is None:
        return []
    if found[variants.AS_IS].deadlocked:
        return [_deadlock(found)]
    gains = []
    for variant in tried:
        if variant.name not in _OF_VARIANT or variant.name not in found:
            continue
        before, after = found[variant.against], found[variant.name]
        gain = after.gain_over(before)
        if (gain is None or gain >= LEAST_GAIN) and after.surely_above(before):
            evidence = f"{_without(variant)}: {before} becomes {after}"
            gains.append(Reason(_OF_VARIANT[variant.name], gain, evidence + _passing(variant, bounds)))
    gains.sort(key=lambda reason: -(reason.gain or 0.0))
    full = [_full_link(where)] if where is not None and where.link_is_full else []
    found_any = [*full, *gains] or _at_bound(found[variants.AS_IS], bounds)
    is_busy = where is not None and where.utilisation >= BUSY
    return found_any or ([_full_link(where)] if is_busy else [])


def _deadlock(found: Mapping[str, Saturation]) -> Reason:
    """A deadlock, with what the routes carry that have no credit loop."""
    now = found[variants.AS_IS]
    others = {name: found[name] for name in variants.LOOP_FREE.values() if name in found}
    best = max(others, key=lambda name: others[name].load, default=None)
    load = number(now.load if now.high is None else now.high, 3)
    runs = f"{count(len(now.deadlocked))} of {count(len(now.seeds))} runs"
    evidence = f"packets lock up in {runs} at load {load}"
    if best is None:
        return Reason(DEADLOCK, None, evidence)
    after = others[best]
    gain = after.gain_over(now) if after.surely_above(now) else None
    return Reason(DEADLOCK, gain, f"{evidence}; {best}: {now} becomes {after}")


def _without(variant: Variant) -> str:
    return variant.name if variant.against == variants.AS_IS else f"{variant.name}, against {variant.against}"


def _passing(variant: Variant, bounds: Mapping[str, Any]) -> str:
    """For the root: how much passes it."""
    if variant.name != variants.SHORTEST:
        return ""
    root = bounds["root"]
    return f"; {percent(root['through'])} of the traffic pass the root {root['name']}"


def _at_bound(found: Saturation, bounds: Mapping[str, Any]) -> list[Reason]:
    """The host that sends or takes no more, where saturation is at its bound: its link may look idle."""
    host = bounds["host_link"]
    if host is None or found.high is None or found.high < host["load"]:
        return []
    most = number(host["load"], 3)
    return [Reason(HOST_LINK, None, f"{host['from']} - {host['to']} carries a load of {most} at most")]


def _full_link(where: Limit) -> Reason:
    name = HOST_LINK if where.to_host else LINK
    return Reason(name, None, f"{where.link} sends for {number(100 * where.utilisation, 3)} % of the time")
