"""Results of planning in words, for the command line and the notebook alike."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.numerals import count, number, percent, relative_change
from hopscope.planning import faults, variants
from hopscope.planning.reasons import SLOW_HOST

if TYPE_CHECKING:
    from hopscope.planning.advice import Advice
    from hopscope.planning.capacity import Capacity
    from hopscope.planning.saturation import Saturation

CANDIDATE_COLUMNS = ("routes", "added link", "expected", "saturation", "gain")
ENGINE_COLUMNS = ("routing engine", "safe", "busiest link of the mean", "links carry up to load")
NAMES_SHOWN = 8
DIGITS = 3
# Expected and simulated loads are said to differ from this share of the expected one on.
DIFFERENT = 0.15
# Tables are said to carry less than today's routes from this ratio on.
LESS = 1.02


def bounds(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each bound with its load and its place.

    Input FIFOs in which nobody waits behind others are busy with decisions and set-up.
    """
    rows = []
    if host := found["host_link"]:
        drain = f", which takes what arrives at {host['drain']}" if "drain" in host else ""
        rows.append(("slow host" if drain else "host link", _load(host), _link(host) + drain))
    if root := found["root"]:
        share = f"{percent(root['through'])} of the traffic pass it, {percent(root['unavoidable'])} must"
        rows.append(("links of the root", _load(root), f"{root['name']}: {share}"))
    if even := found["even_split"]:
        rows.append(("link, routes shared evenly", _load(even), _link(even)))
    if best := found["best_split"]:
        loads = f"{number(best['attainable'], DIGITS)} to {number(best['at_most'], DIGITS)}"
        rows.append(("link, routes shared best", loads, "no split carries more than the second"))
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
    """What up*/down* takes from the shortest paths."""
    paths = found["shortest_paths_lost"]
    if not paths or not paths["pairs"]:
        return []
    told = []
    if paths["longer"]:
        told.append(f"makes the routes of {count(paths['longer'])} longer")
    if paths["fewer"]:
        others = " others" if told else ""
        told.append(f"forbids {count(paths['fewer'])}{others} some of their shortest paths")
    if not told:
        return ["Up*/down* forbids no shortest path between hosts that talk."]
    return [f"Of {count(paths['pairs'])} pairs of switches whose hosts talk, up*/down* {' and '.join(told)}."]


def outages(clauses: Sequence[str]) -> list[str]:
    """What the bounds leave out: links and switches that are down for a while, or for good."""
    if not clauses:
        return []
    return [f"Faults: {faults.words(clauses)}. The bounds are those of the network without its faults."]


def idle(found: Mapping[str, Any]) -> list[str]:
    """What the levels leave without traffic, and what would bring it back."""
    by_levels = found["idle_by_levels"]
    if not by_levels or not by_levels["links"]:
        return []
    links = by_levels["links"]
    lines = [
        f"Because of the levels {len(links)} of the links that shortest paths would use carry nothing: "
        + listed([" - ".join(ends) for ends in links])
        + "."
    ]
    for cure in by_levels["cures"]:
        link = f"Nothing passes {cure['switch']}. A link {' - '.join(cure['between'])} would"
        if not variants.helps(found, cure):
            carried = number(cure["expected"], DIGITS)
            lines.append(f"{link} not help: the expected saturation would be {carried} with it.")
            continue
        still = f"{cure['still_idle']} of them stay idle" if cure["still_idle"] else "all of them are used"
        lines.append(
            f"{link} put it on a level where it serves: {still}, and the expected saturation goes from "
            f"{number(found['expected'], DIGITS)} to {number(cure['expected'], DIGITS)}."
        )
    if by_levels["switches"] and not by_levels["cures"]:
        lines.append(
            f"Nothing passes {listed(by_levels['switches'])}. No link to the root is proposed: it would "
            f"need a free port at both ends ({by_levels['ports_known_from']})."
        )
    return lines


def findings(result: "Capacity") -> list[tuple[str, str]]:
    """Saturation, the limiting switch, the reasons."""
    assert result.saturation is not None
    rows = [("saturation load", str(result.saturation))]
    if result.deadlock is not None:
        rows.append(("limit", result.deadlock))
    where = result.limit
    if where is not None:
        back = (
            f", where back-pressure begins: links into it stand still {percent(where.stops)} of the time, "
            f"its own at most {percent(where.is_stopped)}"
            if where.stops > 0
            else ", which has the fullest FIFO"
        )
        rows.append(("limiting switch", where.switch + back))
        if result.reason != SLOW_HOST:
            rows.append(("its busiest output", f"{where.link}, {percent(where.utilisation)} used"))
    if not result.reasons and result.saturation.high is not None:
        rows.append(("why", "not known: no link is full, and no change below surely gains 3 % or more"))
    for place, reason in enumerate(result.reasons):
        gain = "" if reason.gain is None else f" (+{percent(reason.gain)} without it)"
        rows.append(("why" if place == 0 else "and", f"{reason.name}{gain}: {reason.evidence}"))
    if result.deadlock is not None:
        rows.append(("below that load", "runs as long as these do not lock up; longer ones may"))
    return rows


def compared(result: "Capacity") -> list[tuple[str, str, str]]:
    """Each variant with its saturation load and what it gains."""
    base = result.saturation
    assert base is not None
    found = {variants.AS_IS: base} | {
        each.variant.name: each.saturation for each in result.variants if each.saturation is not None
    }
    rows = [(variants.AS_IS, _ending(base), "")]
    for each in result.variants:
        if each.saturation is None:
            rows.append((each.variant.name, f"not simulated: {each.refused}", ""))
        else:
            rows.append(
                (
                    each.variant.name,
                    _ending(each.saturation),
                    gain(each.saturation.gain_over(found[each.variant.against])),
                )
            )
    return rows


def candidates(result: "Advice") -> list[tuple[str, ...]]:
    """What was compared: today first, then the best."""
    rows = []
    for each in result.candidates:
        now, found = result.now.saturation, each.saturation
        rows.append(
            (
                each.routes,
                " - ".join(each.between) if each.between else "",
                number(each.expected, DIGITS),
                "not simulated" if found is None else _ending(found),
                "" if each is result.now or found is None or now is None else gain(found.gain_over(now)),
            )
        )
    return rows


def _ending(found: "Saturation") -> str:
    """The load at which it saturates, and that it is a deadlock where it is one."""
    return f"{found}, deadlock" if found.deadlocked else str(found)


def cables(found: Mapping[str, Any]) -> str:
    """Slow cables with their rates and those of their like."""
    told = [f"{each['cable']} ({each['rate']}, where most have {each['usual']})" for each in found["cables"]]
    return f"the cable {told[0]}" if len(told) == 1 else f"{count(len(told))} cables: {listed(told)}"


def difference(result: "Advice") -> str:
    """Why simulation differs from what the analysis expects of today's network; nothing where it does not."""
    found, expected = result.now.saturation, result.now.expected
    if found is None or abs(found.load / expected - 1) < DIFFERENT:
        return ""
    if found.deadlocked:
        why = "the analysis knows nothing of deadlocks"
    elif found.load < expected:
        why = (
            "the analysis counts what links carry when each path has its even share; blocking behind others "
            "in a queue, pauses and paths that a hash picks unevenly cost the rest"
        )
    else:
        why = (
            "the analysis shares traffic evenly among paths and estimates what waits behind others in a "
            "queue; the network does better"
        )
    return f"Expected and simulated differ: {number(expected, DIGITS)} and {found}: {why}."


def engines(result: "Advice") -> list[tuple[str, ...]]:
    """Each routing engine: whether its tables are safe, how evenly they load the links, what these carry."""
    return [
        (each["engine"], "does not apply", "", "")
        if "refused" in each
        else (
            each["engine"] + _roots(each["roots"]),
            _safety(each),
            "" if each["imbalance"] is None else number(each["imbalance"], DIGITS),
            "" if each["carries"] is None else number(each["carries"], DIGITS),
        )
        for each in result.engines
    ]


def refusals(result: "Advice") -> list[str]:
    """Why engines do not apply, a line each."""
    refused = [each for each in result.engines if "refused" in each]
    return [f"{each['engine']} does not apply: {each['refused']}" for each in refused]


def tables(result: "Advice") -> list[str]:
    """The best safe tables, and what they carry beside today's routes; or why there are none."""
    best, now = result.best_tables, result.engines[0]["carries"]
    if best is None:
        why = [f"{each['engine']}: {each.get('refused') or _safety(each)}" for each in result.engines[1:]]
        return [f"No tables are proposed, because none are safe: {'; '.join(why)}."] if why else []
    carried = best["carries"]
    up_to = "" if carried is None else f"; links carry up to load {number(carried, DIGITS)}"
    lines = [f"Best tables: {best['engine']}{_roots(best['roots'])}: safe{up_to}."]
    if now is not None and carried is not None and now > LESS * carried:
        lines.append(
            f"Links carry up to load {number(now, DIGITS)} with today's routes, which share the packets for "
            "a host among several ports of a switch; in tables each host has a single port."
        )
    return lines


def _roots(names: Sequence[str]) -> str:
    """The roots of an engine, behind its name."""
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
    """A gain or loss in words; nothing where there is none."""
    return "" if share is None else relative_change(share)


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {count(len(names) - NAMES_SHOWN)} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more


def _load(found: Mapping[str, Any]) -> str:
    return "none" if found["load"] is None else number(found["load"], DIGITS)


def _link(found: Mapping[str, Any]) -> str:
    return f"{found['from']} - {found['to']}"
