"""Why a network saturates where it does: what each reason costs, by simulations without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.numerals import count, number, percent
from hopscope.planning.candidates.variants import LOOP_FREE, QUEUES_FOR_OUTPUTS, Variant
from hopscope.planning.capacity import words
from hopscope.planning.capacity.limit import Limit
from hopscope.planning.capacity.saturation import Saturation
from hopscope.planning.kinds import What, Why
from hopscope.thresholds import FULL_LINK

# The reasons that are defects: they are repaired before anything is bought.
BROKEN = frozenset({Why.SLOW_HOST, Why.FAULT, Why.SLOW_CABLE})

_OF_VARIANT = {
    What.NO_HEAD_OF_LINE: Why.HEAD_OF_LINE,
    What.UNBOUNDED: Why.BUFFERS,
    What.LONG_QUEUES: Why.DROPS,
    What.SHORTEST: Why.ROOT,
    What.AT_ONCE: Why.SETTING_UP,
    What.AT_ONCE_ANY: Why.HEAD_OF_LINE,
    What.MATCHED: Why.MATCHING,
    What.FAST_HOSTS: Why.SLOW_HOST,
    What.NO_FAULTS: Why.FAULT,
    What.REPLACED: Why.SLOW_CABLE,
}
# A gain below this is no reason, even if the intervals do not touch.
LEAST_GAIN_OF_A_REASON = 0.03


@dataclass(frozen=True)
class Reason:
    """A reason and its evidence. `gain` is what the load gains without it, None for a full link."""

    kind: Why
    gain: float | None
    evidence: str

    def data(self) -> dict[str, object]:
        """The same as in JSON."""
        return {"name": str(self.kind), "gain": self.gain, "evidence": self.evidence}


def reasons(
    found: Mapping[What, Saturation],
    tried: Sequence[Variant],
    where: Limit | None,
    bounds: Mapping[str, Any],
    discipline: str | None = None,
) -> list[Reason]:
    """The reasons: defects, then a full link, then what costs most; without any, from the switch.

    A deadlock is the only reason: other changes cost nothing by themselves. `discipline` is that of the
    switches, None for those of frames.
    """
    if found[What.AS_IS].high is None:
        return []
    if found[What.AS_IS].deadlocked:
        return [_deadlock(found)]
    gains = []
    for variant in tried:
        if variant.what not in _OF_VARIANT or variant.what not in found:
            continue
        before, after = found[variant.against], found[variant.what]
        gain = after.gain_over(before)
        if (gain is None or gain >= LEAST_GAIN_OF_A_REASON) and after.surely_above(before):
            evidence = f"{_without(variant)}: {before} becomes {after}{_passing(variant, bounds)}"
            gains.append(Reason(_OF_VARIANT[variant.what], gain, evidence))
    gains.sort(key=lambda reason: (reason.kind not in BROKEN, -(reason.gain or 0.0)))
    broken = sum(reason.kind in BROKEN for reason in gains)
    slow = next((each for each in tried if each.what is What.REPLACED), None)
    full = [_full_link(where, slow)] if where is not None and where.link_is_full else []
    # A slow cable is reported once, with its cost if that is certain.
    full = [each for each in full if each.kind not in {reason.kind for reason in gains}]
    return (
        [*gains[:broken], *full, *gains[broken:]]
        or _at_bound(found[What.AS_IS], bounds)
        or _by_sight(where, discipline)
    )


def _deadlock(found: Mapping[What, Saturation]) -> Reason:
    """A deadlock, with the capacity of routes without a credit loop."""
    now = found[What.AS_IS]
    others = {what: found[what] for what in LOOP_FREE.values() if what in found}
    best = max(others, key=lambda what: others[what].load, default=None)
    load = number(now.load if now.high is None else now.high, 3)
    runs = f"{count(len(now.deadlocked))} of {count(len(now.seeds))} runs"
    evidence = f"packets lock up in {runs} at load {load}"
    if best is None:
        return Reason(Why.DEADLOCK, None, evidence)
    after = others[best]
    gain = after.gain_over(now) if after.surely_above(now) else None
    return Reason(Why.DEADLOCK, gain, f"{evidence}; {words.VARIANTS[best]}: {now} becomes {after}")


def _without(variant: Variant) -> str:
    name = words.variant(variant)
    told = f"{variant.changes}; {name}" if variant.changes else name
    is_of_today = variant.against is What.AS_IS
    return told if is_of_today else f"{told}, against {words.VARIANTS[variant.against]}"


def _passing(variant: Variant, bounds: Mapping[str, Any]) -> str:
    """For the root: the share of traffic that passes it."""
    if variant.what is not What.SHORTEST:
        return ""
    root = bounds["root"]
    return f"; {percent(root['through'])} of the traffic pass the root {root['name']}"


def _at_bound(found: Saturation, bounds: Mapping[str, Any]) -> list[Reason]:
    """The host that can send or take no more, if saturation is at its bound: its link may look idle."""
    host = bounds["host_link"]
    if host is None or found.high is None or found.high < host["load"]:
        return []
    most = number(host["load"], 3)
    if "drain" in host:
        told = f"{host['to']} takes what arrives at {host['drain']}: a load of {most} at most"
        return [Reason(Why.SLOW_HOST, None, told)]
    return [Reason(Why.HOST_LINK, None, f"{host['from']} - {host['to']} carries a load of {most} at most")]


def _full_link(where: Limit, slow: Variant | None) -> Reason:
    """The full link, or slow cable: its repair gains little if links like it fill up next."""
    if slow is not None and where.ends in slow.replaces:
        return Reason(Why.SLOW_CABLE, None, f"{slow.changes}; {_sends(where)}")
    return Reason(Why.HOST_LINK if where.to_host else Why.LINK, None, _sends(where))


def _by_sight(where: Limit | None, discipline: str | None) -> list[Reason]:
    """The reason from the limiting switch, if no change gains anything; an idle link is no reason."""
    if where is None:
        return []
    if where.set_up >= LEAST_GAIN_OF_A_REASON and where.utilisation + where.set_up >= FULL_LINK:
        told = f"{_sends(where)}, and for {_of_time(where.set_up)} the switch is set up for it"
        return [Reason(Why.SETTING_UP, None, told)]
    if discipline == QUEUES_FOR_OUTPUTS and where.is_stopped < LEAST_GAIN_OF_A_REASON:
        return [Reason(Why.MATCHING, None, f"packets wait in the switch while {_sends(where)}")]
    return []


def _sends(where: Limit) -> str:
    return f"{where.link} sends for {_of_time(where.utilisation)}"


def _of_time(share: float) -> str:
    return f"{number(100 * share, 3)} % of the time"
