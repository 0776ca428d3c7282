"""A switch all of whose cables are slower than those of others: an older one, or one that was set up so."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.numerals import amount
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.rows import FASTEST, Ends, faster
from hopscope.planning.quantities import in_bit_s, of_bit_s
from hopscope.thresholds import TIMES_SLOWER

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation

# Fewer cables of a switch than this may all be slow by chance.
FEWEST_CABLES = 3


def slow_switches(canonical: Mapping[str, Any], why: "Explanation") -> Iterator[Relaxation]:
    """Each switch of a hand-written network with nothing but slow cables, if messages wait for one of them.

    All packets to and from its hosts take two of its cables, so a faster one alone only moves the queue to
    the next. The usual rate is that of most cables elsewhere.
    """
    rates = _rates(canonical)
    slow = [frozenset(root["ends"]) for root in why.roots if root["ends"] and root["times_slower"]]
    switches = canonical["network"].get("custom", {}).get("switches", ())
    for switch in [name for name in switches if any(name in ends for ends in slow)]:
        own = {ends: rate for ends, rate in rates.items() if switch in ends}
        others = Counter(rate for ends, rate in rates.items() if switch not in ends)
        if len(own) < FEWEST_CABLES or not others:
            continue
        ((usual, _),) = others.most_common(1)
        if any(TIMES_SLOWER * rate > usual or usual > Decimal(FASTEST) * rate for rate in own.values()):
            continue
        cables = amount(len(own), "cable", "cables")
        made = faster(canonical, {ends: float(usual / rate) for ends, rate in own.items()}, "", 2 * len(own))
        yield Relaxation(
            f"all {cables} of {switch} at {of_bit_s(int(usual))}",
            made.set,
            f"{amount(2 * len(own), 'port', 'ports')} of {of_bit_s(int(usual))}",
            Cause.RESOURCE,
            switch,
            mends=(
                f"Slow switch: all {cables} of {switch} run at {_of(own.values())}, "
                f"where most others run at {of_bit_s(int(usual))}."
            ),
        )


def _of(rates: Collection[Decimal]) -> str:
    """One rate, or the least and the greatest of several."""
    least, most = (of_bit_s(int(each)) for each in (min(rates), max(rates)))
    return least if least == most else f"{least} to {most}"


def _rates(canonical: Mapping[str, Any]) -> dict[Ends, Decimal]:
    """The rate of the slowest cable between each two nodes of a hand-written network, bit/s."""
    custom, usual = canonical["network"].get("custom"), canonical["link"]["rate"]
    if custom is None:
        return {}
    found: dict[Ends, Decimal] = {}
    cables = [(link["between"], link) for link in custom["links"]]
    cables += [([host["name"], host["at"]], host) for host in custom["hosts"]]
    for ends, entry in cables:
        rate = in_bit_s(entry.get("rate") or usual)
        key = frozenset(ends)
        found[key] = min(rate, found.get(key, rate))
    return found
