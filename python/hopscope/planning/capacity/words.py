"""Results of planning in words, for the command line and the notebook alike."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.numerals import amount, count, number, percent, relative_change
from hopscope.planning import faults
from hopscope.planning.candidates import variants
from hopscope.planning.kinds import Routing, What, Why

if TYPE_CHECKING:
    from hopscope.planning.candidates.variants import Variant
    from hopscope.planning.capacity.advice import Advice, RouteOption
    from hopscope.planning.capacity.capacity import Capacity
    from hopscope.planning.capacity.saturation import Saturation

VARIANTS = {
    What.AS_IS: "as it is",
    What.NO_HEAD_OF_LINE: "any packet of a buffer may leave",
    What.UNBOUNDED: "unbounded FIFOs",
    What.LONG_QUEUES: "queues that never drop",
    What.SHORTEST: "unbounded FIFOs, all shortest paths",
    What.AT_ONCE: "decision and set-up in no time",
    What.AT_ONCE_ANY: "decision and set-up in no time, any packet of a buffer may leave",
    What.MATCHED: "as many rounds of matching as ports",
    What.FAST_HOSTS: "hosts drain as fast as their links",
    What.NO_FAULTS: "nothing fails",
    What.REPLACED: "slow cables replaced",
    What.JOINED: "a link",
    What.DIMENSION_ORDER: "dimension-order routes",
    What.UP_DOWN: "up*/down* routes",
}
ROUTINGS = {
    Routing.AS_NOW: "current",
    Routing.SHORTEST: "all shortest paths",
    Routing.DIMENSION_ORDER: "dimension-order routes",
}
TABLES = {"up-down": "up*/down*", "shortest": "shortest-path"}
"""The words for routing engines whose names are not the usual ones of their routes."""
CANDIDATE_COLUMNS = ("routes", "added link", "expected load", "saturation load", "gain")
ENGINE_COLUMNS = ("routing engine", "safe", "busiest link / mean", "first link full at load")
NAMES_SHOWN = 8
# At most this many candidates with the same remark are named.
ROWS_NAMED = 2
DIGITS = 3
# Expected and simulated loads differ if they do by at least this share of the expected one.
LOADS_DIFFER_FROM = 0.15
# Tables carry less than the current routes if the ratio is at least this.
CARRIES_LESS_FROM = 1.02


def bounds(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each bound with its load and its place.

    Input FIFOs without head-of-line blocking are busy with decisions and set-up.
    """
    rows = []
    if host := found["host_link"]:
        drain = f", which takes what arrives at {host['drain']}" if "drain" in host else ""
        rows.append(("slow host" if drain else "host link", _load(host), _link(host) + drain))
    if root := found["root"]:
        share = f"{percent(root['through'])} of the traffic passes it, {percent(root['unavoidable'])} must"
        rows.append(("links of the root", _load(root), f"{root['name']}: {share}"))
    if even := found["even_split"]:
        rows.append(("link, routes shared evenly", _load(even), _link(even)))
    if best := found["best_split"]:
        loads = f"{number(best['attainable'], DIGITS)} to {number(best['at_most'], DIGITS)}"
        rows.append(("link, best split of routes", loads, "best split found, and upper bound"))
    if blocked := found["head_of_line"]:
        rows.append(
            (
                "decision and set-up, estimate"
                if blocked.get("blocks") is False
                else "head-of-line blocking, estimate",
                _load(blocked),
                f"{blocked['switch']}, input from {blocked['from']}",
            )
        )
    return rows


def lost(found: Mapping[str, Any]) -> list[str]:
    """What up*/down* loses against shortest paths."""
    paths = found["shortest_paths_lost"]
    if not paths or not paths["pairs"]:
        return []
    pairs = f"of the {amount(paths['pairs'], 'pair', 'pairs')} of switches whose hosts exchange traffic"
    if not (paths["longer"] or paths["fewer"]):
        return [f"Up*/down* forbids no shortest path for any {pairs}."]
    told = [f"makes the routes of {count(paths['longer'])} {pairs} longer"] if paths["longer"] else []
    if paths["fewer"]:
        whose = f"{count(paths['fewer'])} others" if told else f"{count(paths['fewer'])} {pairs}"
        told.append(f"forbids some shortest paths for {whose}")
    return [f"Up*/down* {' and '.join(told)}."]


def outages(clauses: Sequence[str]) -> list[str]:
    """What the bounds ignore: links and switches that are down temporarily or permanently."""
    if not clauses:
        return []
    return [f"Faults: {faults.words(clauses)}. The bounds are those of the network without its faults."]


def idle(found: Mapping[str, Any]) -> list[str]:
    """The switches that the levels leave without traffic, and a link that would bring them back."""
    by_levels = found["idle_by_levels"]
    if not by_levels or not by_levels["links"]:
        return []
    links = by_levels["links"]
    carry = "link on shortest paths carries" if len(links) == 1 else "links on shortest paths carry"
    lines = [
        f"{count(len(links))} {carry} no traffic, because of the levels of up*/down*: "
        + listed([" - ".join(ends) for ends in links])
        + "."
    ]
    for cure in by_levels["cures"]:
        link = f"No traffic passes {cure['switch']}. Adding a link {' - '.join(cure['between'])} would"
        carried = number(cure["expected"], DIGITS)
        if not variants.helps(found, cure):
            lines.append(f"{link} not help: the expected saturation load would be {carried} with it.")
            continue
        expected = number(found["expected"], DIGITS)
        raised = f"raise the expected saturation load from {expected} to {carried}"
        lines.append(f"{link} {_put_to_use(cure, links)} and {raised}.")
    if by_levels["switches"] and not by_levels["cures"]:
        lines.append(
            f"No traffic passes {listed(by_levels['switches'])}. No link to the root is proposed: it would "
            f"need a free port at both ends ({by_levels['ports_known_from']})."
        )
    return lines


def _put_to_use(cure: Mapping[str, Any], links: Sequence[Sequence[str]]) -> str:
    """What an added link does to the idle switch and to the links that are idle without it."""
    if cure["still_idle"]:
        return f"put {cure['switch']} to use, leave {count(cure['still_idle'])} of these links idle"
    whole = "this link" if len(links) == 1 else "all of these links"
    return f"put {cure['switch']} and {whole} to use"


def findings(result: "Capacity") -> list[tuple[str, str]]:
    """Saturation, the limiting switch, the reasons."""
    assert result.saturation is not None
    rows = [("saturation load", str(result.saturation))]
    if result.deadlock is not None:
        rows.append(("limit", result.deadlock))
    where = result.limit
    if where is not None and where.link_is_full:
        rows.append(("limiting link", f"{where.link}, {percent(where.utilisation)} used"))
    elif where is not None:
        back = (
            f", where back-pressure begins: links into it are stopped {percent(where.stops)} of the time, "
            f"its own at most {percent(where.is_stopped)}"
            if where.stops > 0
            else ", which has the fullest FIFO"
        )
        rows.append(("limiting switch", where.switch + back))
        if result.reason is not Why.SLOW_HOST:
            rows.append(("its busiest output", f"{where.link}, {percent(where.utilisation)} used"))
    if not result.reasons and result.saturation.high is not None:
        rows.append(
            ("why", "not known: no link is full, and no change below has a significant gain of 3 % or more")
        )
    for place, reason in enumerate(result.reasons):
        gain = "" if reason.gain is None else f" (+{percent(reason.gain)} without it)"
        rows.append(("why" if place == 0 else "and", f"{reason.kind}{gain}: {reason.evidence}"))
    if result.deadlock is not None:
        rows.append(("below that load", "runs as long as these do not lock up; longer ones may"))
    return rows


def compared(result: "Capacity") -> list[tuple[str, str, str]]:
    """Each variant with its saturation load and its gain."""
    base = result.saturation
    assert base is not None
    found = {What.AS_IS: base} | {
        each.variant.what: each.saturation for each in result.variants if each.saturation is not None
    }
    rows = [(VARIANTS[What.AS_IS], _ending(base), "")]
    for each in result.variants:
        name = variant(each.variant)
        if each.saturation is None:
            rows.append((name, f"not simulated: {each.refused}", ""))
        else:
            gained = gain(each.saturation.gain_over(found[each.variant.against]))
            rows.append((name, _ending(each.saturation), gained))
    return rows


def variant(each: "Variant") -> str:
    """The words for a variant; for an added link with its ends."""
    name = VARIANTS[each.what]
    return f"{name} {' - '.join(each.between)}" if each.between else name


def routes(candidate: "RouteOption") -> str:
    """The routes of a candidate."""
    if candidate.replaces_cables:
        return f"{ROUTINGS[Routing.AS_NOW]}, slow cables replaced"
    if candidate.engine is not None:
        return tables_of(candidate.engine)
    if candidate.root is not None:
        return f"root {candidate.root}"
    return ROUTINGS[candidate.routing]


def tables_of(engine: str) -> str:
    """The tables of a routing engine."""
    return f"{TABLES.get(engine, engine)} tables"


def candidates(result: "Advice") -> list[tuple[str, ...]]:
    """The compared candidates: the current network first, then the best."""
    rows: list[tuple[str, ...]] = []
    for each in result.candidates:
        now, found = result.now.saturation, each.saturation
        rows.append(
            (
                routes(each),
                " - ".join(each.between) if each.between else "",
                number(each.expected, DIGITS),
                "not simulated" if found is None else _ending(found),
                "" if each is result.now or found is None or now is None else gain(found.gain_over(now)),
            )
        )
    return rows


def _ending(found: "Saturation") -> str:
    """The saturation load, and a remark if it is a deadlock."""
    return f"{found}, deadlock" if found.deadlocked else str(found)


def differences(result: "Advice") -> list[str]:
    """Why simulation differs from what the analysis expects: a line for each reason, with its routes."""
    by_reason: dict[str, list[str]] = {}
    for each in result.candidates:
        if (why := _difference(each)) is not None:
            link = f", added link {' - '.join(each.between)}" if each.between else ""
            by_reason.setdefault(why, []).append(f'"{routes(each)}{link}"')
    rows = len(result.candidates)
    return [
        f"Expected and simulated loads differ {_where(told, rows)}: {why}." for why, told in by_reason.items()
    ]


def _where(told: Sequence[str], rows: int) -> str:
    """The candidates that a remark is about; of many only their number."""
    if len(told) <= ROWS_NAMED:
        return f"with {listed(told)}"
    return (
        f"in all {count(rows)} rows" if len(told) == rows else f"in {count(len(told))} of {count(rows)} rows"
    )


def _difference(candidate: "RouteOption") -> str | None:
    """Why a candidate's simulation differs from what the analysis expects; None if it does not."""
    found, expected = candidate.saturation, candidate.expected
    if found is None or abs(found.load / expected - 1) < LOADS_DIFFER_FROM:
        return None
    if found.deadlocked:
        return "the analysis does not consider deadlocks"
    if found.load < expected:
        return (
            "the analysis gives each path an even share and counts what links carry; head-of-line blocking, "
            "pauses and an uneven hash cost the rest"
        )
    return (
        "the analysis shares traffic evenly among paths and estimates head-of-line blocking; "
        "the network does better"
    )


def engines(result: "Advice") -> list[tuple[str, ...]]:
    """Each routing engine: safety of its tables, balance of the links, and their capacity."""
    return [
        (each["engine"], "not compared", "", "")
        if "refused" in each
        else (
            _engine(each["engine"]) + _roots(each["roots"]),
            _safety(each),
            "" if each["imbalance"] is None else number(each["imbalance"], DIGITS),
            "" if each["carries"] is None else number(each["carries"], DIGITS),
        )
        for each in result.engines
    ]


def _engine(name: str) -> str:
    """A row of the table of engines."""
    return ROUTINGS[Routing.AS_NOW] if name == Routing.AS_NOW else name


def refusals(result: "Advice") -> list[str]:
    """Why engines are not compared, one line each."""
    refused = [each for each in result.engines if "refused" in each]
    return [f"{each['engine']} is not compared: {each['refused']}" for each in refused]


def tables(result: "Advice") -> list[str]:
    """The best safe tables, and their capacity against the current routes; or why there are none."""
    best, now = result.best_tables, result.engines[0]["carries"]
    if best is None:
        why = [f"{each['engine']}: {each.get('refused') or _safety(each)}" for each in result.engines[1:]]
        return [f"No tables are proposed, because none are safe: {'; '.join(why)}."] if why else []
    carried = best["carries"]
    up_to = "" if carried is None else f"; the first link is full at load {number(carried, DIGITS)}"
    lines = [f"Best tables: {best['engine']}{_roots(best['roots'])} (safe{up_to})."]
    if now is not None and carried is not None and now > CARRIES_LESS_FROM * carried:
        lines.append(
            f"With the current routes the first link is full at load {number(now, DIGITS)}: they share the "
            "packets for a host among several ports of a switch; in tables each host has a single port."
        )
    return lines


def _roots(names: Sequence[str]) -> str:
    """The roots of an engine, after its name."""
    if not names:
        return ""
    return f", root {names[0]}" if len(names) == 1 else f", {count(len(names))} roots"


def _safety(engine: Mapping[str, Any]) -> str:
    """Whether an engine's tables are safe, and why not."""
    if engine["undelivered"] is not None:
        return f"NO: {engine['undelivered'][0]} cannot reach {engine['undelivered'][1]}"
    if engine["credit_loop"] is not None:
        return f"NO: credit loop of {engine['credit_loop']} links"
    return "yes"


def gain(share: float | None) -> str:
    """A gain or loss in words; empty if there is none."""
    return "" if share is None else relative_change(share)


def listed(names: Sequence[str]) -> str:
    """The first names, then the number of others."""
    more = f" and {count(len(names) - NAMES_SHOWN)} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more


def _load(found: Mapping[str, Any]) -> str:
    return "none" if found["load"] is None else number(found["load"], DIGITS)


def _link(found: Mapping[str, Any]) -> str:
    return f"{found['from']} - {found['to']}"
