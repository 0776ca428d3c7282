"""The bus bandwidth of collectives, as NCCL's tests state it beside the time of a round."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hopscope.metric_key import ALL_CLASSES, MetricKey
from hopscope.numerals import SUM_DIGITS, number
from hopscope.units import US_PER

if TYPE_CHECKING:
    from hopscope.results.run import RunResult


def bus_bandwidths(run: "RunResult") -> dict[str, float]:
    """The bus bandwidth of each collective at the mean time of its rounds, in bit/s, by the key of the time.

    It is the data that every host sends in a round, divided by the time of the round: at most the rate of its
    link, whatever the number of hosts. In an all-reduce of S bytes each host sends 2 (n - 1) / n S, in an
    all-to-all n - 1 times the size of its flows. A single round has no mean; its time is the greatest.
    """
    summary, network = run.summary, run.network
    if network is None or not summary.classes_of("round"):
        return {}
    hosts = network["figures"]["hosts"]
    groups = json.loads(run.scenario.canonical_json()).get("flows", [])
    names = [_name(group) for group in groups]
    # Rounds of groups with the same name are one class: their time belongs to neither.
    alone = {name for name, count in Counter(names).items() if count == 1}
    classes = summary.classes_of("round")
    found = {}
    for name, group in zip(names, groups, strict=True):
        of_class = name if name in classes else ALL_CLASSES
        bits = _sent(group["pattern"], _ranks(group.get("hosts", "all"), hosts))
        key = str(MetricKey("round", of_class, None))
        if bits is None or name not in alone or (of_class == ALL_CLASSES and len(groups) > 1):
            continue
        time = summary.find(f"{key}.mean") or summary.find(f"{key}.max")
        if time is not None and time.value > 0:
            found[key] = bits * US_PER["s"] / (time.value * US_PER[time.unit])
    return found


def rate_words(bits_per_s: float) -> str:
    """A bandwidth in the unit of links, and in that of NCCL's tests: "190.6 Gbit/s (23.8 GB/s)"."""
    return f"{number(bits_per_s / 1e9)} Gbit/s ({number(bits_per_s / 8e9, SUM_DIGITS)} GB/s)"


def _name(group: Mapping[str, Any]) -> str:
    """The class of a group's flows: its name, or that of its pattern."""
    return str(group.get("name") or next(iter(group["pattern"])))


def _ranks(chosen: str | Mapping[str, Any], hosts: int) -> int:
    """The number of participating hosts: all, a number, or those that are named."""
    if isinstance(chosen, str):
        return hosts
    [choice] = chosen.values()
    return choice if isinstance(choice, int) else len(choice)


def _sent(pattern: Mapping[str, Any], ranks: int) -> float | None:
    """The bits that each of the hosts sends in a round; None if they do not all send the same."""
    if (sums := pattern.get("all-reduce")) is not None:
        return 2 * (ranks - 1) / ranks * _bits(sums["size"])
    if (shuffle := pattern.get("all-to-all")) is not None:
        return (ranks - 1) * _bits(shuffle["size"])
    return None


def _bits(size: str) -> float:
    """An amount of data, in bits, from a full scenario's text in bytes, or in bits if not whole bytes."""
    amount, unit = size.split()
    return float(amount) * {"B": 8.0, "bit": 1.0}[unit]
