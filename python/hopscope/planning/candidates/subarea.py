"""Changes of an SNA network besides parameters: parallel lines, smaller windows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median_high, median_low
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.ids import ResourceId
from hopscope.numerals import amount as count_of
from hopscope.numerals import percent
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import FAR_FROM_USUAL, Relaxation, share
from hopscope.planning.candidates.rows import at_once, in_words
from hopscope.planning.kinds import Sort
from hopscope.planning.quantities import in_bit_s, in_ps
from hopscope.results.candidate import Candidate
from hopscope.results.outcome import Outcome
from hopscope.thresholds import NEARLY_FULL, TIMES_SLOWER, WAITS

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation

HDLC = "hdlc"
# The ends of parameter paths of a virtual route that only HDLC uses.
_RECOVERY = ("reject", "timeout")
# Windows that wait for a full line are tried this many times as small: the necessary size is unknown.
TIMES_SMALLER = (2.0, 4.0, 10.0)
# A route has spare time if its lines are utilised at most this share of the busy one, as in verdicts.
TIME_TO_SPARE = 2 / 3
# The transmission priorities, from 0 on.
PRIORITIES = ("low", "medium", "high")
# A line is shared from this many virtual routes on.
BOTH = 2
# The id of a node's buffers.
BUFFERS = "NodeBuffers"
# The least size of a smaller window: one PIU that is sent and one that is acknowledged.
FEWEST_PIUS = 2


def of_rules(canonical: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario without settings that virtual routes do not use under their rules."""
    routes = [
        route
        if route.get("rule") == HDLC
        else {key: value for key, value in route.items() if key not in _RECOVERY}
        for route in canonical["virtual_route"]
    ]
    return {**canonical, "virtual_route": routes}


def on_its_way(change: Relaxation, canonical: Mapping[str, Any]) -> Relaxation:
    """A change of a virtual route's priority or recovery, which relieves each of its lines."""
    if change.sort not in (Sort.REJECT, Sort.PRIORITY):
        return change
    path = change.paths[0]
    route = canonical["virtual_route"][int(path.partition("[")[2].partition("]")[0])]
    explicit = next(each for each in canonical["route"] if each["name"] == route["route"])
    joined = {group["name"]: frozenset(group["between"]) for group in canonical["group"]}
    # A cause that is at no particular line is everywhere.
    return replace(change, row=frozenset({frozenset(), *(joined[name] for name in explicit["groups"])}))


def exchanged(canonical: Mapping[str, Any], why: "Explanation") -> Iterator[Relaxation]:
    """The priorities of two classes exchanged, if one waits behind the other, which a line sends first.

    A line sends nothing of a lower priority while a higher one waits. Traffic that always has more to send
    takes all of it, and gets what is left if it comes last. Only if queues grow: then throughput is compared,
    while delays of a class are not, because a class is a priority and has other messages afterwards.
    """
    ranks = {name: rank for rank, name in enumerate(PRIORITIES)}
    for candidate in why.candidates if why.outcome == Outcome.SATURATED else ():
        own, other = (ranks.get(name or "") for name in (candidate.of_class, candidate.behind))
        if candidate.cause is not Cause.LANES or own is None or other is None or own >= other:
            continue
        new = {own: other, other: own}
        routes = [
            (nth, each, new[each["priority"]])
            for nth, each in enumerate(canonical["virtual_route"])
            if each["priority"] in new
        ]
        last = in_words([str(each["number"]) for _, each, rank in routes if rank == own])
        first = in_words([str(each["number"]) for _, each, rank in routes if rank == other])
        yield Relaxation(
            f"virtual route {first} at {PRIORITIES[other]} priority, and {last} at {PRIORITIES[own]}",
            tuple(f"virtual_route[{nth}].priority={rank}" for nth, _, rank in routes),
            f"waiting of virtual route {last}",
            Cause.LANES,
            None,
            sort=Sort.PRIORITY,
        )


def without_segments(listed: Sequence[Relaxation], canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """No segments on all groups of an explicit route that cut messages, together.

    The next group would cut what one alone leaves whole. Segments are made where the route begins, by the
    shortest limit on it.
    """
    paths = {group["name"]: f"group[{nth}].longest" for nth, group in enumerate(canonical["group"])}
    cut = {each.paths[0]: each for each in listed if each.sort is Sort.SEGMENTS and len(each.set) == 1}
    rows: dict[tuple[str, ...], list[Relaxation]] = {}
    for route in canonical["route"]:
        names = tuple(name for name in route["groups"] if paths[name] in cut)
        rows.setdefault(names, [cut[paths[name]] for name in names])
    for names, parts in rows.items():
        if len(parts) > 1:
            yield replace(
                parts[0],
                label=f"no segments on groups {in_words(names)}",
                set=tuple(text for part in parts for text in part.set),
                place=None,
                joins=frozenset(),
                row=frozenset().union(*(part.row for part in parts)),
            )


def equal_lines(listed: Sequence[Relaxation], canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """The lines of each group with several of one rate, faster together: all are equally full.

    PIUs take the line that is free first, and leave the group in order, so one faster line only adds its own
    rate.
    """
    for nth, group in enumerate(canonical["group"]):
        rates = {line["rate"] for line in group["line"]}
        paths = {f"group[{nth}].line[{at}].rate" for at in range(len(group["line"]))}
        parts = [each for each in listed if each.sort is Sort.LINE and paths.issuperset(each.paths)]
        if len(rates) == 1 and len(parts) > 1:
            yield at_once(parts, f"the {len(parts)} lines of {group['name']}, each of {min(rates)},")


def smaller_windows(canonical: Mapping[str, Any], why: "Explanation") -> Iterator[Relaxation]:
    """Smaller windows of virtual routes, if lines are full: PIUs that wait for these are useless.

    They are judged by the delay, and only if they carry as much.
    """
    if not any(root["id"] == ResourceId.LINE and root["pressure"] >= NEARLY_FULL for root in why.roots):
        return
    for nth, route in enumerate(canonical["virtual_route"]):
        window = route.get("window")
        if window is None:
            continue
        for factor in TIMES_SMALLER:
            smaller = round(window / factor)
            if smaller >= FEWEST_PIUS:
                yield Relaxation(
                    f"a window {share(factor)} as large for virtual route {route['number']}",
                    (f"virtual_route[{nth}].window={smaller}",),
                    "none",
                    Cause.WINDOW,
                    f"virtual route {route['number']}",
                    is_smaller=True,
                )


def without_slow_lines(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each group of parallel lines without those slower than most of them.

    PIUs leave a group in order, so all wait for those on a slow line.
    """
    for nth, group in enumerate(canonical["group"]):
        rates = [in_bit_s(line["rate"]) for line in group["line"]]
        most = median_high(rates)
        slow = [at for at, rate in enumerate(rates) if rate * TIMES_SLOWER <= most]
        if not slow:
            continue
        kept = [line for at, line in enumerate(group["line"]) if at not in slow]
        numbers = " and ".join(str(at + 1) for at in slow)
        words = f"line {numbers}" if len(slow) == 1 else f"lines {numbers}"
        yield Relaxation(
            f"group {group['name']} without {words}",
            (f"group[{nth}].line={toml_text(kept)}",),
            "one line less" if len(slow) == 1 else f"{len(slow)} lines less",
            Cause.RESOURCE,
            group["name"],
            joins=frozenset(group["between"]),
        )


def far_lines(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each group of parallel lines with far longer ones shortened, and without them.

    PIUs leave a group in order: those on a short line wait for those on a long one. The first free line takes
    the next PIU, however long it is.
    """
    for nth, group in enumerate(canonical["group"]):
        lines, name = group["line"], group["name"]
        delays = [in_ps(line["propagation"]) for line in lines]
        near = median_low(delays)
        far = [at for at, delay in enumerate(delays) if delay > 0 and delay >= FAR_FROM_USUAL * near]
        if not far:
            continue
        usual = lines[delays.index(near)]["propagation"]
        which = f"line{'' if len(far) == 1 else 's'} {' and '.join(str(at + 1) for at in far)} of {name}"
        takes = f"{'takes' if len(far) == 1 else 'take'} {lines[far[0]]['propagation']} one way"
        shorter = tuple(f"group[{nth}].line[{at}].propagation={toml_text(usual)}" for at in far)
        without = (
            f"group[{nth}].line={toml_text([line for at, line in enumerate(lines) if at not in far])}",
        )
        for label, made, cost in (
            (f"{which} as near as most there ({usual})", shorter, "another way of the line"),
            (f"{name} without {which.removesuffix(f' of {name}')}", without, "less capacity"),
        ):
            yield Relaxation(
                label,
                made,
                cost,
                Cause.SLOW_SERVICE,
                name,
                joins=frozenset(group["between"]),
                mends=f"Far line: {which} {takes}, where most beside it take {usual}.",
            )


def other_ways(
    canonical: Mapping[str, Any], why: "Explanation", first: Candidate
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Several virtual routes over a busy line, each moved to an idle explicit route with the same ends.

    Another route costs nothing, and makes a faster line unnecessary. One virtual route alone would only take
    its queue along.
    """
    used = {frozenset(root["ends"]): root["pressure"] for root in why.roots if root["id"] == ResourceId.LINE}
    if "virtual_route" not in canonical or first.cause is not Cause.RESOURCE or first.ends not in used:
        return []
    joined = {group["name"]: frozenset(group["between"]) for group in canonical["group"]}
    lines = {each["name"]: [joined[name] for name in each["groups"]] for each in canonical["route"]}
    ends = {
        each["name"]: (each["from"], _last_node(each["from"], lines[each["name"]]))
        for each in canonical["route"]
    }
    here = [
        (nth, each)
        for nth, each in enumerate(canonical["virtual_route"])
        if first.ends in lines[each["route"]]
    ]
    found = []
    for nth, each in here:
        uses = {
            name: max(used.get(line, 0.0) for line in lines[name])
            for name in lines
            if ends[name] == ends[each["route"]] and first.ends not in lines[name]
        }
        other = min(uses, key=lambda name: uses[name], default=None)
        if other is not None and uses[other] <= TIME_TO_SPARE * used[first.ends]:
            found.append((other, uses[other], _over(nth, each["number"], other)))
    if len(here) < BOTH or not found:
        return []
    other, use, _ = found[0]
    numbers = in_words([str(each["number"]) for _, each in here])
    words = (
        f"Route concentration: virtual routes {numbers} go over {first.resource}, while the lines of the "
        f"explicit route {other}, with the same ends, are at most {percent(use)} utilised. {first.sentence}"
    )
    candidate = replace(first, cause=Cause.ROUTE_CONCENTRATION, sentence=words, beyond=())
    return [(candidate, [change for _, _, change in found])]


def _last_node(begin: str, lines: Sequence[frozenset[str]]) -> str:
    """The last node of a route that begins at a node and takes these lines, one after another."""
    node = begin
    for line in lines:
        (node,) = line - {node}
    return node


def _over(nth: int, number: int, route: str) -> Relaxation:
    """A virtual route over another explicit one."""
    return Relaxation(
        f"virtual route {number} over the explicit route {route}",
        (f"virtual_route[{nth}].route={toml_text(route)}",),
        "new routes",
        Cause.ROUTE_CONCENTRATION,
        f"virtual route {number}",
    )


def few_buffers(
    canonical: Mapping[str, Any], named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """The buffers of the node to which a named line leads, if their number is limited.

    A line to a node without a free buffer stops. The run counts that time as waiting for the line.
    """
    limited = {each["name"]: each["buffers"] for each in canonical.get("node", ()) if "buffers" in each}
    lines = [each for each in named if each.id == ResourceId.LINE and len(each.nodes) == BOTH]
    for line in lines:
        node = line.nodes[1]
        more = [each for each in listed if each.place == node and BUFFERS in each.speeds]
        if node in limited and more:
            has = count_of(limited[node], "buffer", "buffers")
            words = f"Buffers: the node {node} has {has}, and {line.resource} stops while none is free."
            where = f"the node buffers of {node}"
            return [(Candidate(Cause.RESOURCE, words, (node,), node, where, BUFFERS), more)]
    return []


def behind_a_unit(
    canonical: Mapping[str, Any], why: "Explanation", first: Candidate, listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Session pacing for a class that waits while messages for a busy unit hold its node's buffers.

    The unit is as busy with a few messages as with many. Messages that wait in their host do not hold buffers
    that others need for transit.
    """
    unit = next((each for each in canonical.get("unit", ()) if each["name"] == first.place), None)
    if first.cause is not Cause.RESOURCE or first.id != ResourceId.UNIT or unit is None:
        return []
    if all(node["name"] != unit["node"] or "buffers" not in node for node in canonical["node"]):
        return []
    own = [nth for nth, each in enumerate(canonical["session"]) if each.get("unit") == unit["name"]]
    routes = {each["number"]: each for each in canonical["virtual_route"]}
    usual = canonical["virtual_route"][0]["number"]
    ranks = {routes[canonical["session"][nth].get("virtual_route", usual)]["priority"] for nth in own}
    others = {name for rank, name in enumerate(PRIORITIES) if rank not in ranks}
    waits = (row["who"] for row in why.page["hurt"] if row["who"] in others and row["share"] >= WAITS)
    who = next(waits, None)
    paths = {f"session[{nth}].pacing" for nth in own}
    paced = [each for each in listed if each.cause is Cause.BLOCKING and paths.issuperset(each.paths)]
    if who is None or not paced:
        return []
    words = (
        f"Blocking: messages for the unit {unit['name']} hold buffers of {unit['node']}, for which messages "
        f"of priority {who} wait."
    )
    return [(Candidate(Cause.BLOCKING, words, (unit["node"],), unit["node"], of_class=who), paced)]
