"""Networks whose links carry less than is offered: faster links of a whole tier are the remedy."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.capacity.capacity import bounds_of, overload

if TYPE_CHECKING:
    from hopscope._core import Scenario

# A bound is higher if it is at least this many times the other: equal bounds differ by rounding.
HIGHER = 1.001


def with_lifting(
    scenario: "Scenario", possible: Sequence[tuple[Relaxation, "Scenario"]]
) -> list[tuple[Relaxation, "Scenario"]]:
    """The changes, in which those of whole networks are not general if they lift a bound below the offer.

    If a tier of links is the bound, one of its links alone gains hardly anything. Among changes that lift the
    bound, those that upgrade the fewest kinds of links count.
    """
    exceeded = overload(scenario) if any(change.is_general for change, _ in possible) else None
    if exceeded is None:
        return list(possible)
    today = _upgrades(scenario)
    lifting = {
        change.set: sum(1 for part, factor in _upgrades(other).items() if factor != today[part])
        for change, other in possible
        if change.is_general and (bounds_of(other)["at_most"] or 0.0) > HIGHER * exceeded[1]
    }
    fewest = min(lifting.values(), default=0)
    return [
        (replace(change, is_general=False) if lifting.get(change.set) == fewest else change, other)
        for change, other in possible
    ]


def _upgrades(scenario: "Scenario") -> dict[str, Any]:
    """The factors by which links of a kind, and single ones, are faster than in the network."""
    mended = {"replace_slow_cables": False, "mend_cables": False, "place_missing_switches": False}
    none = {"host_links": 1.0, "switch_links": 1.0, "links": [], **mended}
    return none | json.loads(scenario.canonical_json()).get("upgrade", {})
