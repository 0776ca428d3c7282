"""Changes of a scenario, after a run of it has shown where messages wait.

Parameters come from the lists beside them (`changes`); links, roots and added links from the network and
from where the run waited.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.cause import Cause
from hopscope.ids import ResourceId
from hopscope.overrides import toml_text
from hopscope.planning.candidates import (
    bursts,
    cabling,
    equals,
    imps,
    lane_buffers,
    lanes,
    marks,
    odd_routes,
    pause_thresholds,
    phases,
    placement,
    pools,
    repairs,
    round_trips,
    rows,
    slow_switches,
    subarea,
    variants,
    window_room,
)
from hopscope.planning.candidates.changes import FACTORS, Relaxation, Step, changes, times
from hopscope.planning.candidates.repairs import Cables
from hopscope.planning.candidates.rows import BOTH_ENDS, FASTEST, USUAL
from hopscope.planning.candidates.usual_rates import at_usual_rates
from hopscope.planning.candidates.variants import changed
from hopscope.planning.kinds import Model, Routing, Sort
from hopscope.planning.service import arrivals_by_gap, lacking_servers
from hopscope.results.candidate import Candidate

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# At most this many links are tried, those with most waiting first.
MOST_LINKS = 6
# At most this many other routes or roots are tried, the most promising first.
MOST_ROUTES = 2
# The causes that routes over more links relieve besides route concentration.
SPREAD = frozenset({Cause.RESOURCE, Cause.BLOCKING, Cause.PATH_COLLISION})
# Blocking may be due to a root that all routes share.
BEHIND = frozenset({Cause.BLOCKING})
GO_BACK_N = "go-back-n"
# FIFOs of AN1's switches with room for the longest packet that the model carries, 1 MiB.
ROOM = ('switch.fifo={ bytes = "4 MiB" }', 'switch.stop_above="2 MiB"', 'switch.urgent_above="3 MiB"')
ROOMY = "FIFOs of 4 MiB"


def relaxations_for(scenario: "Scenario", why: "Explanation") -> list[Relaxation]:
    """Every change worth a try: all listed parameters, and the links and lines where messages wait."""
    canonical = json.loads(scenario.canonical_json())
    every = changes(scenario.model, _of_machine(canonical))
    if scenario.model == Model.SNA:
        every = [rows.along_routes(subarea.on_its_way(each, canonical), canonical) for each in every]
        every = [
            *subarea.exchanged(canonical, why),
            *subarea.without_segments(every, canonical),
            *subarea.equal_lines(every, canonical),
            *subarea.smaller_windows(canonical, why),
            *every,
            *subarea.without_slow_lines(canonical),
            *subarea.far_lines(canonical),
        ]
    if scenario.model == Model.ARPANET:
        every = [
            *imps.along_the_way(every, canonical, why),
            *(imps.at_its_imp(each, canonical) for each in every),
            *imps.shorter_ways(canonical, why),
            *imps.without_slow_lines(canonical),
            *imps.usual_host_lines(canonical),
            *phases.spread(canonical),
        ]
    if scenario.model == Model.QUEUEING:
        lacking = lacking_servers(canonical)
        every = [
            replace(each, is_lacking=each.sort is Sort.SERVERS and each.place in lacking) for each in every
        ]
    waited = _waited_between(why)
    # Repairs are tried wherever they are, and so are changes that relieve a whole route.
    listed = [
        each
        for each in every
        if len(each.joins) != BOTH_ENDS or each.mends or each.joins in waited or each.row.intersection(waited)
    ]
    if scenario.model != Model.FABRIC:
        # Lines without waiters may be as full as those before them.
        is_of_stations = scenario.model == Model.QUEUEING
        together = [
            *rows.lines_together(every, why),
            *(() if is_of_stations else equals.equally_busy(every, why)),
            *(rows.stations_together(every, why, canonical) if is_of_stations else ()),
            *rows.limits_together(every),
            *pools.pools_together(every, why),
            *(rows.overloaded_together(every, why, canonical) if is_of_stations else ()),
        ]
        mends = repairs.of_one_kind([each for each in every if each.mends])
        return [*mends, *together, *at_usual_rates(listed, canonical, why)]
    return _of_fabric(scenario, why, canonical, listed)


def _of_fabric(
    scenario: "Scenario", why: "Explanation", canonical: dict[str, Any], listed: Sequence[Relaxation]
) -> list[Relaxation]:
    """The changes of a fabric: the listed ones, repairs, links and routes, the widest of a kind first."""
    bounds, advised = _analysed(scenario)
    cables, slow = Cables(scenario), repairs.slow_cables(scenario, advised)
    listed = marks.fitting_the_law(canonical, listed)
    repaired = frozenset(cables.ends(each["cable"]) for each in slow)
    # A fabric's parameters of the class resource are the rates of all links of a kind, unless they speed up
    # one kind of resource.
    full = rows.full_kinds(canonical, why, cables)
    found = [
        *_at_outputs(canonical),
        *lanes.changes_of_lanes(canonical),
        *bursts.smaller_windows(canonical, why),
        *pause_thresholds.fitting(scenario, canonical),
        *lane_buffers.fitting_credits(canonical),
        *(each for each in round_trips.fitting_windows(scenario, canonical) if not each.mends),
        *phases.shifted(canonical),
        *slow_switches.slow_switches(canonical, why),
        *_mends(scenario, canonical, slow, cables),
        # A shorter cable is no remedy of anything else: a long cable has its reason.
        *(each for _, each in repairs.far_cables(canonical) if why.cause == Cause.SLOW_SERVICE),
        *_routes(scenario, canonical, why, bounds, advised, cables),
        *(
            replace(each, is_general=_is_of_all_links(each) and not full.intersection(each.paths))
            for each in listed
        ),
        replace(_all_links(canonical), is_general=rows.ALL not in full),
        *placement.in_order(canonical),
        *rows.of_receivers(canonical, why, cables),
        *(
            each
            for each in (
                *rows.of_one_switch(canonical, why, cables),
                *rows.lacking_along(canonical, why, cables),
            )
            if not (each.is_lacking and cabling.is_mended_by(scenario, each.set))
        ),
        *rows.links_together(canonical, why, cables, repaired),
        *_links(canonical, why, cables, repaired),
        *_one_more_link(canonical, why, cables),
    ]
    return found if "frames" in canonical else [*_with_room(scenario, why, found)]


def _is_of_all_links(listed: Relaxation) -> bool:
    """Whether a listed change of a fabric makes all links of a kind faster."""
    return listed.cause is Cause.RESOURCE and not listed.speeds


def mends_for(scenario: "Scenario") -> list[Relaxation]:
    """Repairs of what is broken or fails by itself; for a fabric, all of them together first."""
    canonical = json.loads(scenario.canonical_json())
    if scenario.model == Model.FABRIC:
        return _mends(scenario, canonical, repairs.slow_cables(scenario, None), Cables(scenario))
    far = subarea.far_lines(canonical) if scenario.model == Model.SNA else ()
    each = [*far, *(each for each in changes(scenario.model, _of_machine(canonical)) if each.mends)]
    return [*repairs.of_one_kind(each), *each]


def _mends(
    scenario: "Scenario", canonical: Mapping[str, Any], slow: Sequence[Mapping[str, str]], cables: Cables
) -> list[Relaxation]:
    each = [
        *repairs.slow_hosts(canonical),
        *repairs.retrying_links(canonical),
        *repairs.replaced_cables(slow, cables),
        *repairs.slower_than_parallel(canonical, {cables.ends(each["cable"]) for each in slow}, cables),
        *cabling.mended_cabling(scenario),
        *cabling.missing_switches(scenario),
        *repairs.slowed_links(canonical),
        *repairs.low_stops(canonical),
        *repairs.failures(canonical),
        *repairs.earlier_tables(canonical),
        *(each for each in round_trips.fitting_windows(scenario, canonical) if each.mends),
        *window_room.never_marking(canonical),
    ]
    return [*repairs.together(each), *each]


def relieves(relaxation: Relaxation, candidate: Candidate) -> bool:
    """Whether a change relieves a candidate: one of its class, made there or everywhere.

    A change that makes a whole network faster relieves every cause, and so is evidence for none. A change
    that makes resources of one kind faster relieves no other kind, even at the same node. A station with a
    value of its own is not affected by a change of the default.
    """
    if relaxation.is_general or not _is_of_class(relaxation, candidate):
        return False
    if relaxation.spared.intersection(candidate.nodes):
        return False
    if relaxation.row:
        return candidate.ends in relaxation.row
    if relaxation.joins:
        return relaxation.joins == candidate.ends
    return relaxation.place in (None, candidate.place, candidate.resource, *candidate.nodes)


def _is_of_class(relaxation: Relaxation, candidate: Candidate) -> bool:
    """Whether a change relieves causes of a candidate's class.

    A resource is relieved by a change that makes its kind faster, and by faster service at its place alone.
    So is an overloaded one.
    """
    if candidate.cause not in (Cause.RESOURCE, Cause.OVERLOAD):
        classes = {relaxation.cause, *relaxation.also}
        # Spreading packets over several paths does not relieve a path that all packets of a destination take.
        is_one_way = candidate.cause is Cause.ROUTE_CONCENTRATION and len(candidate.nodes) == BOTH_ENDS
        return candidate.cause in classes or (is_one_way and Cause.PATH_COLLISION in classes)
    if relaxation.speeds or candidate.id in rows.OVERHEAD:
        # A faster line carries as much needless traffic.
        return candidate.id in relaxation.speeds
    is_its_service = relaxation.cause is Cause.SLOW_SERVICE and candidate.nodes == (relaxation.place,)
    return is_its_service or Cause.RESOURCE in {relaxation.cause, *relaxation.also}


def unchanged_offer(scenario: "Scenario") -> list[str]:
    """Overrides that keep the offered load the same under a change; empty if every change does."""
    if scenario.model == Model.FABRIC:
        return cabling.load_of_today(scenario)
    if scenario.model != Model.QUEUEING:
        return []
    arrivals = arrivals_by_gap(json.loads(scenario.canonical_json()))
    return [] if arrivals is None else [f"arrivals={toml_text(arrivals)}"]


def _with_room(scenario: "Scenario", why: "Explanation", found: Sequence[Relaxation]) -> Iterator[Relaxation]:
    """The changes, with FIFOs for whole packets where they are invalid without; and such FIFOs alone.

    A packet that leaves faster than it arrives cannot cut through: its input has to hold all of it. The gain
    of the FIFOs alone is not the gain of the faster link. If FIFOs run dry before a start takes effect, such
    FIFOs have a stop level that lasts.
    """
    runs_dry = any(each.cause is Cause.WINDOW and each.id == ResourceId.LINK for each in why.candidates)
    also = frozenset({Cause.WINDOW} if runs_dry else ())
    needs_room = runs_dry
    for each in found:
        roomy = (*each.set, *ROOM)
        if not isinstance(changed(scenario, each.set), str) or isinstance(changed(scenario, roomy), str):
            yield each
            continue
        needs_room = True
        curve = tuple(replace(step, set=(*step.set, *ROOM)) for step in each.curve)
        # A deadlock has no gain: nothing is compared.
        label = f"{each.label}, with {ROOMY}{'' if why.is_deadlock else ' in both runs'}"
        cost = f"{each.cost}, 4 MiB per input"
        yield replace(each, label=label, cost=cost, set=roomy, curve=curve, against=ROOM)
    if needs_room:
        yield Relaxation(ROOMY, ROOM, "4 MiB per input", Cause.BLOCKING, None, stores=True, also=also)


def _of_machine(canonical: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario without sections that its machine ignores: with frames, [switch] is unused.

    Load balancing is then that of the frames, and with credits there is no shared buffer. With go-back-N no
    reordering is tolerated.
    """
    if "processor" in canonical:
        return imps.of_machine(canonical)
    if "virtual_route" in canonical:
        return subarea.of_rules(canonical)
    if "frames" not in canonical:
        return dict(canonical)
    kept = {key: value for key, value in canonical.items() if key not in ("switch", "reconfiguration")}
    routing = {key: value for key, value in canonical["routing"].items() if key != "choice"}
    frames = dict(canonical["frames"])
    if not canonical.get("faults"):
        del frames["reroute"]
    if "credits" in frames["flow_control"]:
        del frames["buffer"]
    recovery = frames.get("recovery")
    if recovery is not None and recovery["rule"] == GO_BACK_N:
        frames["recovery"] = {key: value for key, value in recovery.items() if key != "reordering"}
    return {**kept, "routing": routing, "frames": frames}


def _waited_between(why: "Explanation") -> list[frozenset[str]]:
    """The two nodes of each link worth a try: the one that the verdict names, then those with most waiting.

    If messages waited, the blocking chain comes first. A link that is always busy need not make anything
    wait.
    """
    places = [*reversed(why.chain), *why.roots, *why.data["shares"]["places"]]
    pairs = [frozenset(place["ends"]) for place in places if place["ends"]]
    begins = why.back_pressure
    if begins is not None:
        pairs.insert(min(1, len(pairs)), frozenset((begins["switch"], begins["to"])))
    named = frozenset(why.nodes)
    return list(dict.fromkeys([named, *pairs] if len(named) == BOTH_ENDS else pairs))


def _links(
    canonical: Mapping[str, Any], why: "Explanation", cables: Cables, repaired: frozenset[rows.Ends]
) -> Iterator[Relaxation]:
    """Single faster links, whatever their rates are and wherever these are written.

    A link that is slower than its kind gets the usual rate; any other one is made twice as fast. If a cable
    is `repaired`, the good ones beside it stay as they are.
    """
    slower = {frozenset(row["ends"]): row["times_slower"] for row in why.roots if row["times_slower"]}
    for ends in _waited_between(why)[:MOST_LINKS]:
        count = cables.between(ends)
        # A verdict may name two hosts, which no link joins.
        if ends in repaired or not count:
            continue
        name = " - ".join(sorted(ends))
        usual = min(max(USUAL, slower.get(ends, USUAL)), FASTEST)
        words = f"link {name}" if count == 1 else f"the {count} links {name}"
        factors = sorted({*FACTORS, usual})
        steps = [rows.faster(canonical, {ends: factor}, words, 2 * count) for factor in factors]
        chosen = next(step for step in steps if step.amount == f"x{usual:g}")
        yield Relaxation(chosen.label, chosen.set, chosen.cost, Cause.RESOURCE, name, tuple(steps), ends)


def _one_more_link(canonical: Mapping[str, Any], why: "Explanation", cables: Cables) -> Iterator[Relaxation]:
    """Another link parallel to the one that the verdict names, if packets wait for it in input FIFOs.

    A packet that leaves faster than it arrives has to be received completely first, so a faster link may gain
    nothing. A parallel link takes the next packet. Equally full links downstream get a parallel one each; a
    host has one cable, which is made faster.
    """
    way = rows.along(why.verdict) or [frozenset(why.nodes)]
    doubled = [ends for ends in way if len(ends) == BOTH_ENDS and cables.between(ends)]
    doubled = [ends for ends in doubled if cables.are_between_switches(ends)]
    if "frames" in canonical or canonical["switch"]["discipline"] != variants.INPUT_FIFO:
        return
    if frozenset(why.nodes) not in doubled:
        return
    name = rows.in_words([" - ".join(sorted(ends)) for ends in doubled])
    label = f"one more link {'' if len(doubled) == 1 else 'at each of '}{name}"
    cost = f"{2 * len(doubled)} ports and {'a cable' if len(doubled) == 1 else f'{len(doubled)} cables'}"
    step = Step("", label, (variants.added_link(canonical, *map(sorted, doubled)),), cost)
    if hosts := {ends: USUAL for ends in way if ends not in doubled}:
        names = rows.in_words([" - ".join(sorted(ends)) for ends in hosts])
        more = rows.faster(canonical, hosts, f"link {names}", 2 * len(hosts))
        step = Step("", f"{label}, {more.label}", (*step.set, *more.set), f"{cost}, {more.cost}")
    yield Relaxation(
        step.label, step.set, step.cost, Cause.RESOURCE, name, joins=frozenset(why.nodes), row=frozenset(way)
    )


def _all_links(canonical: Mapping[str, Any]) -> Relaxation:
    """Every link faster by one factor, so that none becomes slower beside the others."""
    today = canonical.get("upgrade", {})

    def step(factor: float) -> Step:
        parts = ("host_links", "switch_links")
        upgrade = {part: today.get(part, 1.0) * factor for part in parts}
        links = [{**link, "speedup": link["speedup"] * factor} for link in today.get("links", [])]
        override = f"upgrade={toml_text({**today, **upgrade, **({'links': links} if links else {})})}"
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
    """The bounds on the load of a network, and what `advise` compares by analysis."""
    try:
        return json.loads(scenario.bounds_json() or "null"), json.loads(scenario.advice_json(False) or "null")
    except _core.ScenarioError:
        # Flows have no load to bound, and traffic with a fixed part neither.
        return None, None


def _routes(
    scenario: "Scenario",
    canonical: Mapping[str, Any],
    why: "Explanation",
    bounds: Mapping[str, Any] | None,
    advised: Mapping[str, Any] | None,
    cables: Cables,
) -> Iterator[Relaxation]:
    """Other routes and another link: the family's first, then in the order of `advise`."""
    by_family = [*_by_family(scenario, canonical, why, cables)]
    yield from by_family
    if "tables" in canonical["routing"]:
        yield _without_tables(scenario, canonical)
    # Instead of tables the family's own routes are balanced; roots are for networks without a family.
    promising = [] if by_family and "tables" in canonical["routing"] else _promising(canonical, advised)
    for nth, each in enumerate(promising):
        overrides = tuple(variants.rerouted(canonical, each))
        today = "up*/down* routes with " if "tables" in canonical["routing"] else ""
        label = f"{today}switch {each['root']} as the root" if each["root"] else "all shortest paths"
        also = BEHIND if nth == 0 and cables.have_a_ring else frozenset()
        yield Relaxation(label, overrides, "new routes", Cause.ROUTE_CONCENTRATION, None, also=also)
    if bounds is None:
        return
    for cure in variants.cures(bounds)[:1]:
        overrides = tuple(variants.with_link(scenario, cure["between"], bounds["root"]["name"]))
        name = " - ".join(cure["between"])
        yield Relaxation(
            f"a link {name} added", overrides, "2 ports and a cable", Cause.ROUTE_CONCENTRATION, name
        )


def _by_family(
    scenario: "Scenario", canonical: Mapping[str, Any], why: "Explanation", cables: Cables
) -> Iterator[Relaxation]:
    """The routes of the network's family, if the current ones are tables or have a single root.

    If the run has shown that packets concentrate at the root, it causes waits of other classes as well;
    blocking may be due to the root in any case. A network described in a scenario has its routes chosen
    there; for a fabric's file they are an anomaly, and the change repairs them.
    """
    routing = canonical["routing"]
    if "tables" not in routing and routing["rule"] != Routing.UP_DOWN:
        return
    change = variants.with_rule(canonical, Routing.BY_FAMILY)
    if isinstance(variants.changed(scenario, [change]), str):
        return
    told = json.loads(scenario.topology_json() or "{}")
    spread = odd_routes.with_all_roots(scenario, canonical, told["figures"])
    seen = any(symptom["cause"] == Cause.ROUTE_CONCENTRATION for symptom in why.symptoms)
    today = " in place of the tables" if "tables" in routing else ""
    yield Relaxation(
        f"routes by family{today}" if spread is None else "routes by family, over all roots",
        (change,),
        "new routes",
        Cause.ROUTE_CONCENTRATION,
        None,
        also=SPREAD if seen else BEHIND if cables.have_a_ring else frozenset(),
        mends=f"Routes: {spread.words}." if spread is not None and seen and told.get("facts") else None,
    )


def _without_tables(scenario: "Scenario", canonical: Mapping[str, Any]) -> Relaxation:
    """Routes by the scenario's rule instead of its tables.

    If the links carry more with these, the tables cause waits of other classes as well.
    """
    rule = canonical["routing"]["rule"]
    override = variants.with_rule(canonical, rule)
    loads = [_carried(scenario.with_overrides(each)) for each in ([], [override])]
    is_more = loads[1] > variants.WORTH_A_LINK * loads[0]
    return Relaxation(
        f'routes by routing.rule = "{rule}" in place of the tables',
        (override,),
        "new routes",
        Cause.ROUTE_CONCENTRATION,
        None,
        also=SPREAD if is_more else frozenset(),
    )


def _carried(scenario: "Scenario") -> float:
    """The expected load that the links carry of uniform traffic."""
    uniform = scenario.with_overrides(repairs.ANY_TRAFFIC)
    return json.loads(uniform.bounds_json() or "{}").get("expected") or 0.0


def _promising(canonical: Mapping[str, Any], advised: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Other roots of up*/down*, and routes instead of the user's own tables, the most promising first.

    Routes by the family also have a single root if the family is none that spreads over several. Then only
    roots are tried whose links are expected to carry more.
    """
    routing = canonical["routing"]
    if advised is None:
        return []
    now = advised["now"]
    others = [each for each in advised["roots"] if each["root"] and each["root"] != now["root"]]
    if routing["rule"] != Routing.UP_DOWN and "tables" not in routing:
        is_rooted = routing["rule"] == Routing.BY_FAMILY and now["root"] is not None
        least = variants.WORTH_A_LINK * now["expected"] if is_rooted else float("inf")
        others = [each for each in others if each["expected"] > least]
    return others[:MOST_ROUTES]
