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
SETTING_UP = "decision and set-up"
MATCHING = "matching of the scheduler"
SLOW_HOST = "slow host"
FAULT = "fault"

# What is broken is to be mended before anything is bought.
BROKEN = frozenset({SLOW_HOST, FAULT})

_OF_VARIANT = {
    variants.NO_HEAD_OF_LINE: HEAD_OF_LINE,
    variants.UNBOUNDED: BUFFERS,
    variants.LONG_QUEUES: DROPS,
    variants.SHORTEST: ROOT,
    variants.AT_ONCE: SETTING_UP,
    variants.AT_ONCE_ANY: HEAD_OF_LINE,
    variants.MATCHED: MATCHING,
    variants.FAST_HOSTS: SLOW_HOST,
    variants.NO_FAULTS: FAULT,
}
# A gain below this is no reason, even where the brackets do not touch.
LEAST_GAIN = 0.03
# An output that sends or is set up for so much of the time hardly ever rests: what is left is chance.
FULL = 0.93


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
    found: Mapping[str, Saturation],
    tried: Sequence[Variant],
    where: Limit | None,
    bounds: Mapping[str, Any],
    discipline: str | None = None,
) -> list[Reason]:
    """The reasons: what is broken, then a full link, then what costs most. Without any, the switch tells.

    A deadlock is the only reason: what changes it for better or worse costs nothing by itself.
    `discipline` is that of the switches, None for those of frames.
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
            evidence = f"{_without(variant)}: {before} becomes {after}{_passing(variant, bounds)}"
            gains.append(Reason(_OF_VARIANT[variant.name], gain, evidence))
    gains.sort(key=lambda reason: (reason.name not in BROKEN, -(reason.gain or 0.0)))
    broken = sum(reason.name in BROKEN for reason in gains)
    full = [_full_link(where)] if where is not None and where.link_is_full else []
    return (
        [*gains[:broken], *full, *gains[broken:]]
        or _at_bound(found[variants.AS_IS], bounds)
        or _by_sight(where, discipline)
    )


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
    told = f"{variant.changes}; {variant.name}" if variant.changes else variant.name
    return told if variant.against == variants.AS_IS else f"{told}, against {variant.against}"


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
    if "drain" in host:
        told = f"{host['to']} takes what arrives at {host['drain']}: a load of {most} at most"
        return [Reason(SLOW_HOST, None, told)]
    return [Reason(HOST_LINK, None, f"{host['from']} - {host['to']} carries a load of {most} at most")]


def _full_link(where: Limit) -> Reason:
    return Reason(HOST_LINK if where.to_host else LINK, None, _sends(where))


def _by_sight(where: Limit | None, discipline: str | None) -> list[Reason]:
    """What the limiting switch shows where no change gains anything: a link that rests is no reason."""
    if where is None:
        return []
    if where.set_up >= LEAST_GAIN and where.utilisation + where.set_up >= FULL:
        told = f"{_sends(where)}, and for {_of_time(where.set_up)} the switch is set up for it"
        return [Reason(SETTING_UP, None, told)]
    if discipline == variants.QUEUES_FOR_OUTPUTS and where.is_stopped < LEAST_GAIN:
        return [Reason(MATCHING, None, f"packets wait in the switch while {_sends(where)}")]
    return []


def _sends(where: Limit) -> str:
    return f"{where.link} sends for {_of_time(where.utilisation)}"


def _of_time(share: float) -> str:
    return f"{number(100 * share, 3)} % of the time"
