"""What a network carries: bounds first, then the saturation load, what limits it, and why."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, SupportsIndex

from hopscope import _core, engine
from hopscope.engine import ScenarioSource
from hopscope.errors import Interrupted, other_model
from hopscope.numerals import number
from hopscope.overrides import Overrides, true_or_false
from hopscope.planning import faults
from hopscope.planning.candidates import variants
from hopscope.planning.candidates.odd_routes import OddRoute, odd_routes
from hopscope.planning.candidates.variants import Variant
from hopscope.planning.capacity import html, words
from hopscope.planning.capacity.limit import Limit, limit
from hopscope.planning.capacity.reasons import Reason, reasons
from hopscope.planning.capacity.saturation import (
    Saturation,
    Search,
    find,
    longest,
    run_at,
    search,
    seeds_of,
    thoroughness,
)
from hopscope.planning.kinds import What, Why
from hopscope.progress import Progress, Watch, callback
from hopscope.progress_bar import with_bar

if TYPE_CHECKING:
    from hopscope._core import Scenario

MESSAGES = 40_000
SEEDS = 6


@dataclass(frozen=True)
class Compared:
    """A variant with its saturation; `refused` says why it could not be simulated."""

    variant: Variant
    saturation: Saturation | None
    refused: str | None = None


@dataclass(frozen=True, repr=False)
class Capacity:
    """Bounds on the load, and where a simulation saturates. Loads are in the unit of `traffic.load`.

    `limit` is the switch that limits a saturated network; if it ends in a deadlock instead, `deadlock` is a
    sentence on what waits for what. `outages` are the parts that faults take down, a clause each. `facts` are
    those of a fabric's file, None without one; `odd_routes` the anomalies of the routes.
    """

    name: str
    title: str
    bounds: Mapping[str, Any]
    messages: int
    saturation: Saturation | None = None
    limit: Limit | None = None
    variants: Sequence[Compared] = field(default=())
    reasons: Sequence[Reason] = field(default=())
    deadlock: str | None = None
    outages: Sequence[str] = field(default=())
    facts: Mapping[str, Any] | None = None
    odd_routes: Sequence[OddRoute] = field(default=())

    @property
    def reason(self) -> Why | None:
        """The main reason in two words, such as "root concentration"; None without a simulation."""
        return self.reasons[0].kind if self.reasons else None

    def data(self) -> dict[str, Any]:
        """Everything found, as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "facts": self.facts,
            "odd_routes": [each.data() for each in self.odd_routes],
            "bounds": dict(self.bounds),
            "outages": list(self.outages),
            "messages": self.messages,
            "saturation": None if self.saturation is None else self.saturation.data(),
            "limit": None if self.limit is None else self.limit.data(),
            "deadlock": self.deadlock,
            "reason": self.reason,
            "reasons": [reason.data() for reason in self.reasons],
            "variants": [
                {
                    "what": str(each.variant.what),
                    "name": words.variant(each.variant),
                    "against": str(each.variant.against),
                    "set": list(each.variant.overrides),
                    "saturation": None if each.saturation is None else each.saturation.data(),
                    "refused": each.refused,
                }
                for each in self.variants
            ],
        }

    def to_json(self) -> str:
        """Everything found, as JSON."""
        return json.dumps(self.data(), indent=1, ensure_ascii=False)

    def __repr__(self) -> str:
        """One line: the saturation load, and why."""
        found = "bounds only" if self.saturation is None else f"saturates at {self.saturation.load:.3g}"
        return f"<Capacity {self.name}: {found}{f'; {self.reason}' if self.reason else ''}>"

    def _repr_html_(self) -> str:
        return html.of_capacity(self)


@with_bar
def capacity(
    source: ScenarioSource,
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: SupportsIndex | None = None,
    seeds: SupportsIndex = SEEDS,
    messages: SupportsIndex = MESSAGES,
    simulate: bool = True,
    allow_files: bool = False,
    progress: Watch = None,
) -> Capacity:
    """Bound the load that a scenario's network carries, then find its saturation load and why.

    The scenario's own `traffic.load` is ignored: the load is searched. Each load is tried with `seeds` seeds,
    at least 4, from `seed` (or the scenario's own) on and at most `messages` messages a run, or 20 000 if
    that is more; `simulate=False` leaves it at the bounds. Raises ScenarioError for a bad scenario,
    UsageError if its model has no network, Interrupted with the bounds if the user stops the search.
    """
    progress = callback(progress)
    seeds, messages = thoroughness(seeds, messages)
    simulate = true_or_false("simulate", simulate)
    scenario = engine.load(source, set, seed, allow_files=allow_files)
    bounds = variants.with_causes(scenario, bounds_of(scenario))
    outages = faults.outages(json.loads(scenario.canonical_json()))
    facts = json.loads(scenario.topology_json() or "{}").get("facts")
    bounded = Capacity(
        scenario.name,
        scenario.title,
        bounds,
        messages,
        outages=outages,
        facts=facts,
        odd_routes=odd_routes(scenario),
    )
    if not simulate:
        return bounded
    try:
        return _searched(scenario, bounded, seeds, progress)
    except KeyboardInterrupt:
        # An interrupt keeps what is known so far.
        raise Interrupted(bounded) from None


def _searched(scenario: "Scenario", bounded: Capacity, seeds: int, progress: Progress | None) -> Capacity:
    """The bounds, with the results of simulations."""
    bounds, messages = bounded.bounds, bounded.messages
    tried = variants.variants(scenario, dict(bounds))
    changed = {variant.what: variants.changed(scenario, variant.overrides) for variant in tried}
    searches = {
        what: search(other, bounds_of(other), seeds_of(scenario, seeds))
        for what, other in {What.AS_IS: scenario, **changed}.items()
        if not isinstance(other, str)
    }
    find(list(searches.values()), messages, progress)
    found = {what: each.result() for what, each in searches.items()}
    where, locked = _held_back(searches[What.AS_IS], found[What.AS_IS], messages)
    compared = [
        Compared(
            each, found.get(each.what), refused if isinstance(refused := changed[each.what], str) else None
        )
        for each in tried
    ]
    why = reasons(found, tried, where, bounds, variants.discipline_of(scenario))
    most = longest(messages)
    odd = bounded.odd_routes if locked is None else odd_routes(scenario, locked_up=True)
    return replace(
        bounded,
        messages=most,
        saturation=found[What.AS_IS],
        limit=where,
        variants=compared,
        reasons=why,
        deadlock=locked,
        odd_routes=odd,
    )


def _held_back(asked: Search, found: Saturation, messages: int) -> tuple[Limit | None, str | None]:
    """The switch that limits the network just above saturation, or the deadlock in which it ends."""
    seen_at = found.high or found.low
    for seed in found.deadlocked[:1]:
        run = run_at(asked, seen_at, seed, messages)
        return None, f"{run.explain().sentence} Seen at load {number(seen_at, 3)} with seed {seed}."
    return limit(run_at(asked, seen_at, asked.seeds[0], messages), seen_at), None


def bounds_of(scenario: "Scenario") -> dict[str, Any]:
    """The bounds on the load of a scenario. Raises UsageError if its model has no network to bound."""
    text = scenario.bounds_json()
    if text is None:
        raise other_model("capacity", "`fabric`", scenario.name, scenario.model)
    return json.loads(text)


def overload(scenario: "Scenario") -> tuple[float, float] | None:
    """The offered load and the highest load that links carry, if that is less; None otherwise.

    Also None if nothing bounds the load: for flows, and for traffic with a part that has its own load.
    """
    load = json.loads(scenario.canonical_json()).get("traffic", {}).get("load")
    if not isinstance(load, int | float):
        return None
    try:
        bounds = json.loads(scenario.bounds_json() or "null")
    except _core.ScenarioError:
        return None
    most = None if bounds is None else bounds["at_most"]
    return None if most is None or load <= most else (load, most)
