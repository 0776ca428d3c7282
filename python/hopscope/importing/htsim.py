"""htsim's topology files: fat trees of two or three tiers by their radixes.

    Nodes 1024
    Tiers 3
    Podsize 64
    Tier 0
    Downlink_speed_Gbps 200
    Radix_Up 8
    Radix_Down 8
    Downlink_Latency_ns 1000

Tier 0 joins hosts to their first switches. Below the top, a switch has Radix_Up cables up; of three tiers,
the switches of one place in each pod share their cores. `Bundle` cables lie between two switches.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import rate
from hopscope.importing.source import Source

_KEYS = {
    "nodes", "tiers", "podsize", "tier", "downlink_speed_gbps", "radix_up", "radix_down", "bundle",
    "queue_up", "queue_down", "oversubscribed", "switch_latency_ns", "downlink_latency_ns",
}  # fmt: skip
_TWO, _THREE = 2, 3
MOST_CABLES = 1_000_000


@dataclass
class Tier:
    """The settings of the switches of a tier and of the cables below them."""

    at: int
    values: dict[str, int]


def looks_like(text: str) -> bool:
    """Whether the first words are those of such a file."""
    words = [line.split()[0].lower() for line in text.splitlines() if line.split() and line[0] != "#"]
    return words[:1] == ["nodes"] and "tiers" in words[:5]


def read(source: Source) -> Cabling:
    """The cables that a file stands for."""
    top, tiers = _sections(source)
    many, hosts = _need(source, top, "tiers"), _need(source, top, "nodes")
    if many not in (_TWO, _THREE) or len(tiers) != many:
        raise source.fault(f"{len(tiers)} of {many} tiers", "2 or 3 tiers, each with its section", top.at)
    pod = _need(source, top, "podsize") if many == _THREE else hosts
    down, up = _need(source, tiers[0], "radix_down"), _need(source, tiers[0], "radix_up")
    if not (pod and down and up) or hosts % pod or pod % down:
        raise source.fault(f"{hosts} nodes in pods of {pod}", f"whole pods of {down} hosts a switch", top.at)
    cables: list[Cable] = []
    edges, pods = pod // down, hosts // pod
    _check_size(source, tiers, hosts, pods)

    def join(a: str, b: str, tier: Tier, count: int = 1) -> None:
        speed = rate(source, f"{_need(source, tier, 'downlink_speed_gbps')}G", tier.at)
        lag = tier.values.get("downlink_latency_ns", 0)
        about = (tier.at, speed, f"{lag} ns" if lag else "")
        cables.extend(Cable((End(a), End(b)), *about) for _ in range(count))

    for host in range(hosts):
        join(f"h{host}", f"edge{host // down}", tiers[0])
    bundle = _bundle(source, tiers[1], up)
    above = up // bundle
    for edge in range(edges * pods):
        for place in range(above):
            join(f"edge{edge}", f"spine{edge // edges * above + place}", tiers[1], bundle)
    if many == _THREE:
        _cores(source, tiers, above, pods, join)
    return Cabling(cables, frozenset(f"h{host}" for host in range(hosts)))


def _cores(source: Source, tiers: list[Tier], above: int, pods: int, join: Callable[..., None]) -> None:
    """The cables of the third tier: each place of a pod has cores of its own."""
    up = _need(source, tiers[1], "radix_up")
    bundle = _bundle(source, tiers[2], up)
    for spine in range(above * pods):
        for number in range(up // bundle):
            join(f"spine{spine}", f"core{spine % above * (up // bundle) + number}", tiers[2], bundle)


def _bundle(source: Source, tier: Tier, up: int) -> int:
    """The number of cables between a switch and one of the tier above."""
    bundle = tier.values.get("bundle", 1)
    if not (up and bundle) or up % bundle:
        raise source.fault(f"{up} cables up in bundles of {bundle}", "whole bundles", tier.at)
    return bundle


def _check_size(source: Source, tiers: list[Tier], hosts: int, pods: int) -> None:
    """A few lines stand for any number of cables: more than a fabric has are refused before they are made."""
    down, up = tiers[0].values["radix_down"], tiers[0].values["radix_up"]
    many = hosts + hosts // down * up
    if len(tiers) == _THREE:
        many += pods * up * tiers[1].values.get("radix_up", 0)
    if many > MOST_CABLES:
        raise source.fault(f"{many} cables", f"at most {MOST_CABLES}", 0)


def _sections(source: Source) -> tuple[Tier, list[Tier]]:
    """The settings before the first tier, and the tiers in their order."""
    top = Tier(0, {})
    tiers: list[Tier] = []
    for place, line in source.lines():
        words = line.split("#")[0].split()
        if not words:
            continue
        key = words[0].lower()
        if key not in _KEYS:
            raise source.fault(f'"{words[0]}"', "a key of a topology, such as Radix_Up", place)
        if len(words) != 2:  # noqa: PLR2004 - a key and its value
            raise source.fault(f'"{line.strip()}"', f"{words[0]} and a whole number", place)
        value = source.whole(words[1], f"{words[0]} and a whole number", place)
        if key == "tier":
            if value != len(tiers):
                raise source.fault(f"tier {value}", f"tier {len(tiers)}", place)
            tiers.append(Tier(place, {}))
        else:
            (tiers[-1] if tiers else top).values[key] = value
    return top, tiers


def _need(source: Source, tier: Tier, key: str) -> int:
    if key not in tier.values:
        raise source.fault(f"{key} is missing", f"a line {key} and a number", tier.at, "is it cut short?")
    return tier.values[key]
