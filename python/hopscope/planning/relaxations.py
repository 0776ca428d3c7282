"""What somebody could change on a scenario, after a run of it has told where messages wait.

Parameters come from the lists beside them (`changes`); links, roots and added links from the network and
from where the run waited.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning import repairs, variants
from hopscope.planning.changes import FACTORS, Relaxation, Step, changes, times
from hopscope.planning.repairs import Cables
from hopscope.planning.service import arrivals_by_gap
from hopscope.planning.variants import changed

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# So many links are tried, those with most waiting first.
MOST_LINKS = 6
# So many other routes or roots are tried, the most promising first.
MOST_ROUTES = 2
USUAL = 2.0
# As much as an upgrade may be.
FASTEST = 100.0
VERY_DISTANT = ("vdh_buffers", "vdh_reassembly_buffers")
GO_BACK_N = "go-back-n"
# FIFOs of AN1's switches with room for the longest packet that the model carries, 1 MiB.
ROOM = ('switch.fifo={ bytes = "4 MiB" }', 'switch.stop_above="2 MiB"', 'switch.urgent_above="3 MiB"')
ROOMY = "FIFOs of 4 MiB"
# A link that is used so much has next to no time to spare.
FULL = 0.85
# The rate of all links between switches. They are full together where so many of them are used alike.
TIER = "upgrade.switch_links"
FEWEST_OF_A_TIER = 3
USED_ALIKE = 0.95
# A verdict with so many nodes is on a link.
BOTH_ENDS = 2


def relaxations_for(scenario: "Scenario", why: "Explanation") -> list[Relaxation]:
    """Every change worth a try: all listed parameters, and the links and lines where messages wait."""
    canonical = json.loads(scenario.canonical_json())
    considered = _of_machine(canonical)
    waited = _waited_between(why)
    listed = [
        each
        for each in changes(scenario.model, considered)
        if len(each.joins) != len(("a", "b")) or each.joins in waited
    ]
    if scenario.model != "fabric":
        return listed
    bounds, advised = _analysed(scenario)
    cables, slow = Cables(scenario), repairs.slow_cables(scenario, advised)
    # Of a fabric's parameters those of the class resource are the rates of all links of a kind.
    full = {TIER} if _is_a_tier_full(why, cables) else set()
    marked = [
        replace(each, is_general=each.cause is Cause.RESOURCE and not full.intersection(each.paths))
        for each in listed
    ]
    found = [
        *_at_outputs(canonical),
        *_mends(canonical, slow, cables),
        *marked,
        *_links(canonical, why, cables, {cables.ends(each["cable"]) for each in slow}),
        *_rows_of_links(canonical, why, cables),
        *_routes(scenario, canonical, bounds, advised),
    ]
    return found if "frames" in canonical else [*_with_room(scenario, found)]


def _is_a_tier_full(why: "Explanation", cables: Cables) -> bool:
    """Whether many cables between switches are as full as the fullest: a faster one alone moves the queue."""
    if why.cause == Cause.OVERLOAD:
        return True
    most = max((root["pressure"] for root in why.roots), default=0.0)
    alike = {
        frozenset(root["ends"])
        for root in why.roots
        if root["ends"] and root["pressure"] >= USED_ALIKE * most
    }
    return most >= FULL and len(alike) >= FEWEST_OF_A_TIER and all(map(cables.are_between_switches, alike))


def mends_for(scenario: "Scenario") -> list[Relaxation]:
    """What repairs something that is broken or fails by itself, of a fabric all of it together first."""
    canonical = json.loads(scenario.canonical_json())
    if scenario.model == "fabric":
        return _mends(canonical, repairs.slow_cables(scenario, None), Cables(scenario))
    return [each for each in changes(scenario.model, _of_machine(canonical)) if each.mends]


def _mends(
    canonical: Mapping[str, Any], slow: Sequence[Mapping[str, str]], cables: Cables
) -> list[Relaxation]:
    each = [
        *repairs.slow_hosts(canonical),
        *repairs.retrying_links(canonical),
        *repairs.replaced_cables(slow, cables),
        *repairs.slowed_links(canonical),
        *repairs.failures(canonical),
    ]
    return [*repairs.together(each), *each]


def relieves(relaxation: Relaxation, candidate: Mapping[str, Any]) -> bool:
    """Whether a change relieves a candidate of an explanation: of its class, and made there or everywhere.

    What makes a whole network faster relieves every cause, and so tells nothing of one. What makes resources
    of one sort faster relieves no other sort, also where both are at one node.
    """
    if relaxation.is_general or not _is_of_class(relaxation, candidate):
        return False
    if relaxation.joins:
        return relaxation.joins == frozenset(candidate["nodes"])
    return relaxation.place in (None, candidate["place"], candidate["resource"], *candidate["nodes"])


def _is_of_class(relaxation: Relaxation, candidate: Mapping[str, Any]) -> bool:
    """Whether a change relieves causes of a candidate's class.

    A resource is relieved by what makes its sort faster, and by faster service where it alone is. So is one
    that is offered more than it can do.
    """
    if candidate["cause"] not in (Cause.RESOURCE, Cause.OVERLOAD):
        return candidate["cause"] in {relaxation.cause, *relaxation.also}
    if relaxation.speeds:
        return candidate["id"] in relaxation.speeds
    is_its_service = relaxation.cause is Cause.SLOW_SERVICE and candidate["nodes"] == [relaxation.place]
    return is_its_service or Cause.RESOURCE in {relaxation.cause, *relaxation.also}


def unchanged_offer(scenario: "Scenario") -> list[str]:
    """Overrides under which a change leaves what is offered as it is; none where every change does."""
    if scenario.model != "queueing":
        return []
    arrivals = arrivals_by_gap(json.loads(scenario.canonical_json()))
    return [] if arrivals is None else [f"arrivals={toml_text(arrivals)}"]


def _with_room(scenario: "Scenario", found: Sequence[Relaxation]) -> Iterator[Relaxation]:
    """The changes, with FIFOs that hold whole packets where they are refused without; and such FIFOs alone.

    A packet that leaves faster than it comes cannot cut through: its input has to hold all of it. What the
    FIFOs gain by themselves is not the gain of the faster link.
    """
    needs_room = False
    for each in found:
        roomy = (*each.set, *ROOM)
        if not isinstance(changed(scenario, each.set), str) or isinstance(changed(scenario, roomy), str):
            yield each
            continue
        needs_room = True
        curve = tuple(replace(step, set=(*step.set, *ROOM)) for step in each.curve)
        label = f"{each.label}, with {ROOMY}"
        cost = f"{each.cost}, 4 MiB per input"
        yield replace(each, label=label, cost=cost, set=roomy, curve=curve, against=ROOM)
    if needs_room:
        yield Relaxation(ROOMY, ROOM, "4 MiB per input", Cause.BLOCKING, None, stores=True)


def _of_machine(canonical: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario without what its machine has no use for: with frames [switch] is the other machine's.

    A rule of choice among next hops is then that of the frames, and with credits there is no shared buffer.
    Where everything from a lost frame on is sent again, no reordering is tolerated.
    """
    if "processor" in canonical:
        return _of_imps(canonical)
    if "frames" not in canonical:
        return dict(canonical)
    kept = {key: value for key, value in canonical.items() if key not in ("switch", "reconfiguration")}
    routing = {key: value for key, value in canonical["routing"].items() if key != "choice"}
    frames = dict(canonical["frames"])
    if "credits" in frames["flow_control"]:
        del frames["buffer"]
    recovery = frames.get("recovery")
    if recovery is not None and recovery["rule"] == GO_BACK_N:
        frames["recovery"] = {key: value for key, value in recovery.items() if key != "reordering"}
    return {**kept, "routing": routing, "frames": frames}


def _of_imps(canonical: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of the ARPANET without parameters of IMPs that it does not have."""
    imps = canonical["network"]["imp"]
    without = set() if any(imp["very_distant_host"] for imp in imps) else set(VERY_DISTANT)
    protocol = {key: value for key, value in canonical["protocol"].items() if key not in without}
    kinds = {"h516"} | ({"h316"} if any(imp["processor"] == "316" for imp in imps) else set())
    processor = {key: value for key, value in canonical["processor"].items() if key in kinds}
    return {**canonical, "protocol": protocol, "processor": processor}


def _waited_between(why: "Explanation") -> list[frozenset[str]]:
    """The two nodes of each link worth a try: the one that the verdict names, then those with most waiting.

    Where messages waited the blocking chain comes first. A link that is always busy need not keep anybody
    waiting.
    """
    rows = [*reversed(why.chain), *why.roots, *why.data["shares"]["places"]]
    pairs = [frozenset(row["ends"]) for row in rows if row["ends"]]
    begins = why.back_pressure
    if begins is not None:
        pairs.insert(min(1, len(pairs)), frozenset((begins["switch"], begins["to"])))
    named = frozenset(why.nodes)
    return list(dict.fromkeys([named, *pairs] if len(named) == BOTH_ENDS else pairs))


def _links(
    canonical: Mapping[str, Any], why: "Explanation", cables: Cables, repaired: set[frozenset[str]]
) -> Iterator[Relaxation]:
    """All links and single ones, faster: whatever their rates are and wherever these are written.

    A link that is slower than its like is brought to their rate; any other one is made twice as fast. Where
    a cable is `repaired`, the good ones beside it stay as they are.
    """
    yield _all_links(canonical)
    slower = {frozenset(row["ends"]): row["times_slower"] for row in why.roots if row["times_slower"]}
    for ends in _waited_between(why)[:MOST_LINKS]:
        count = cables.between(ends)
        # A verdict may name two hosts, which no link joins.
        if ends in repaired or not count:
            continue
        name = " - ".join(sorted(ends))
        usual = min(max(USUAL, slower.get(ends, USUAL)), FASTEST)
        words = f"link {name}" if count == 1 else f"the {count} links {name}"
        steps = [_faster(canonical, [ends], words, factor, 2 * count) for factor in sorted({*FACTORS, usual})]
        chosen = next(step for step in steps if step.amount == f"x{usual:g}")
        yield Relaxation(chosen.label, chosen.set, chosen.cost, Cause.RESOURCE, name, tuple(steps), ends)


def _rows_of_links(canonical: Mapping[str, Any], why: "Explanation", cables: Cables) -> Iterator[Relaxation]:
    """Two links in a row that are as full, both faster: one alone would only move the queue."""
    for candidate in (why.data["verdict"], *why.runners_up):
        row = [frozenset(candidate[ends]) for ends in ("nodes", "beyond")]
        if candidate["beyond"]:
            name = " and ".join(" - ".join(sorted(ends)) for ends in row)
            ports = 2 * sum(cables.between(ends) for ends in row)
            step = _faster(canonical, row, f"links {name}", USUAL, ports)
            yield Relaxation(step.label, step.set, step.cost, Cause.RESOURCE, name, (), row[0])


def _faster(
    canonical: Mapping[str, Any], links: Sequence[frozenset[str]], words: str, factor: float, ports: int
) -> Step:
    """Some links so many times as fast as they are, the others as they are."""
    upgraded = canonical.get("upgrade", {}).get("links", [])
    today = {frozenset(each["between"]): each["speedup"] for each in upgraded}
    made = [{"between": sorted(ends), "speedup": today.get(ends, 1.0) * factor} for ends in links]
    kept = [each for each in upgraded if frozenset(each["between"]) not in links]
    cost = f"{ports} ports of {times(factor)} the rate"
    override = f"upgrade.links={toml_text([*kept, *made])}"
    return Step(f"x{factor:g}", f"{words} {times(factor)} as fast", (override,), cost)


def _all_links(canonical: Mapping[str, Any]) -> Relaxation:
    """Every link faster by one factor, so that none becomes slower beside the others."""
    today = canonical.get("upgrade", {})

    def step(factor: float) -> Step:
        parts = ("host_links", "switch_links")
        upgrade = {part: today.get(part, 1.0) * factor for part in parts}
        links = [{**link, "speedup": link["speedup"] * factor} for link in today.get("links", [])]
        override = f"upgrade={toml_text({**upgrade, **({'links': links} if links else {})})}"
        cost = f"all ports of {times(factor)} the rate"
        return Step(f"x{factor:g}", f"all links {times(factor)} as fast", (override,), cost)

    chosen, curve = step(USUAL), tuple(step(factor) for factor in FACTORS)
    return Relaxation(chosen.label, chosen.set, chosen.cost, Cause.RESOURCE, None, curve, is_general=True)


def _at_outputs(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Queues at the outputs of switches, where credits make frames wait in input buffers behind others."""
    if "credits" in canonical.get("frames", {}).get("flow_control", {}):
        overrides = variants.queues_at_outputs()
        yield Relaxation(
            "other switches, with queues at the outputs",
            overrides,
            "shared buffers and pauses for credits",
            Cause.BLOCKING,
            None,
            is_broad=True,
        )


def _analysed(scenario: "Scenario") -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """The bounds on what a network carries, and what `advise` compares by analysis."""
    try:
        return json.loads(scenario.bounds_json() or "null"), json.loads(scenario.advice_json(False) or "null")
    except _core.ScenarioError:
        # Flows have no load to bound, and traffic with a fixed part neither.
        return None, None


def _routes(
    scenario: "Scenario",
    canonical: Mapping[str, Any],
    bounds: Mapping[str, Any] | None,
    advised: Mapping[str, Any] | None,
) -> Iterator[Relaxation]:
    """Other routes and one more link, as the analysis of `advise` orders them."""
    for each in _promising(canonical, advised):
        overrides = tuple(variants.rerouted(canonical, each))
        label = f"{each['root']} as the root" if each["root"] else "all shortest paths"
        yield Relaxation(label, overrides, "new routes", Cause.ROUTE_CONCENTRATION, each["root"])
    if bounds is None:
        return
    for cure in variants.cures(bounds)[:1]:
        overrides = tuple(variants.with_link(scenario, cure["between"], bounds["root"]["name"]))
        name = " - ".join(cure["between"])
        yield Relaxation(
            f"a link {name} added", overrides, "2 ports and a cable", Cause.ROUTE_CONCENTRATION, name
        )


def _promising(canonical: Mapping[str, Any], advised: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Other roots of up*/down*, and routes instead of the user's own tables, the most promising first."""
    routing = canonical["routing"]
    if advised is None or (routing["rule"] != "up-down" and "tables" not in routing):
        return []
    others = [each for each in advised["roots"] if each["root"] and each["root"] != advised["now"]["root"]]
    return others[:MOST_ROUTES]
