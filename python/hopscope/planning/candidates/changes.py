"""The changes that the engine lists beside each parameter of a model, applied to one scenario.

A parameter's schema has a list `what-if`: words with places to fill in, the class of the cause that the
change relieves, what it costs, and one rule that makes the new value: `multiply`, `divide`, `more`, `to`,
`constant`, `like` (the value of that other field of its section), `without`, or `usual`: the value that the
real machine has, for one that is far above it (far below with `is_least`). `relieves` are further classes,
`speeds` the kinds of resources that become faster or more, by their ids, `sort` what the change is of,
`rate_of` what the parameter is the rate of, `drops` which fields are invalid beside the new value, `larger`
marks a further size of the previous change, `repairs` names the failure that the change ends. Pages plan
nothing, so the engine in a page has no such lists.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hopscope import simulation
from hopscope.cause import Cause
from hopscope.numerals import amount as count_of
from hopscope.overrides import paths_of, toml_text
from hopscope.planning import service
from hopscope.planning.kinds import Sort
from hopscope.planning.quantities import in_units, scaled, whole_ps

KEY = "what-if"
_MISSING = object()
# The best change is also tried in these sizes: times as fast or as large.
FACTORS = (1.25, 1.5, 2.0, 4.0, 8.0)
MULTIPLES = (1, 2, 4)
# Windows are also tried at these multiples: throughput grows with them until something else is full.
WINDOW_TIMES = (2, 4, 8)
# The words for the remainder after a division by this factor. A setting is far from its usual value if it
# differs by at least this factor.
FAR_FROM_USUAL = 5
SHARES = {2.0: "half", 4.0: "a quarter", 8.0: "an eighth", 10.0: "a tenth", 16.0: "a sixteenth"}


# The words for what may be down.
_FAILS = {"line": "the line {}", "imp": "the IMP {}"}
# The causes of failures that a scenario describes: shares that are lost, and times in which something is
# down.
_FAILING = frozenset({Cause.LOSS, Cause.INTERRUPTION})


@dataclass(frozen=True)
class Step:
    """One size of a change: its words, the overrides that make it, its cost."""

    amount: str
    label: str
    set: tuple[str, ...]
    cost: str


@dataclass(frozen=True)
class Relaxation:
    """A possible change of a scenario.

    `label` is its words, `set` the overrides that make it, `cost` what it takes (ports, buffers, rates),
    `cause` the class of causes that it relieves, `place` where ("a - b", "station 2"; None is everywhere).
    `curve` has other sizes of the same change, the smallest first; empty if it has no size. `is_general`
    marks a change that makes a whole network faster: it shortens every time, and so does not locate the
    cause. `also` has further classes that it relieves. `speeds` are the ids of resources that it makes faster
    or more; it relieves no other resources. `mends` is a sentence on what is broken without the change.
    `stores` marks more buffer for whole switches: where queues grow, it helps until that is full. `against`
    are overrides that `set` needs and contains: the gain is over a scenario with these. `is_lacking` marks
    cables that a switch lacks, unlike similar switches. `is_broad` marks other switches: they end several
    mechanisms at once, so the gain is evidence for none. `row` has the links, by their nodes, at each of
    which it relieves a cause. `repaired` is the number of repairs, if it `mends` anything. `spared` are nodes
    with a value of their own, which it does not change. `sort` is what it is of. `happens` marks the repair
    of something that begins during the run, as in `mends`. `is_largest` marks the largest size of a change
    whose usual size is tried as well: it costs more. `is_smaller` marks a smaller window: it is judged by
    delays, and only if it carries as much. `rate_of` names the line or cable whose rate the parameter is, if
    it is one. `adds` marks a change that adds to a number instead of multiplying or setting it.
    """

    label: str
    set: tuple[str, ...]
    cost: str
    cause: Cause
    place: str | None
    curve: tuple[Step, ...] = ()
    joins: frozenset[str] = frozenset()
    is_general: bool = False
    also: frozenset[Cause] = frozenset()
    speeds: frozenset[str] = frozenset()
    mends: str | None = None
    stores: bool = False
    against: tuple[str, ...] = ()
    is_broad: bool = False
    row: frozenset[frozenset[str]] = frozenset()
    repaired: int = 1
    spared: frozenset[str] = frozenset()
    sort: Sort | None = None
    happens: bool = False
    is_lacking: bool = False
    is_largest: bool = False
    is_smaller: bool = False
    rate_of: str | None = None
    adds: bool = False

    @property
    def paths(self) -> list[str]:
        """The parameters that the overrides set."""
        return paths_of(self.set)

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """The overrides of every size."""
        return [self.set, *(step.set for step in self.curve)]


@dataclass(frozen=True)
class _Spot:
    """A parameter of a scenario: its path, its value, and the items of lists that it is within.

    An item has a number: its own if it has one, else its place in the list, from 1. `default` is the value
    if the scenario does not give one.
    """

    path: str
    value: Any
    parent: Mapping[str, Any]
    item: Mapping[str, Any]
    default: Any = None


def changes(model: str, canonical: Mapping[str, Any]) -> list[Relaxation]:
    """Every listed change that alters something in a scenario, in the order of its parameters."""
    branch = next(each for each in simulation.schema()["oneOf"] if each["title"] == model)
    found: list[Relaxation] = []
    far = defaultdict[str, list[tuple[Mapping[str, Any], _Spot]]](list)
    for change, spot in _spots(branch, canonical, "", {}):
        if "usual" not in change:
            found.extend(_relaxation(change, spot, canonical))
        elif _is_far(change, spot.value):
            far[change["words"]].append((change, spot))
    unusual = [_as_usual(each) for each in far.values()]
    # A repair is more informative than the same change as one of many.
    found = [*(each for each in found if each.set not in {other.set for other in unusual}), *unusual]
    named = Counter(each.label for each in found)
    return [_with_path(each) if named[each.label] > 1 else each for each in found]


def _with_path(change: Relaxation) -> Relaxation:
    """A change with the same words as another, extended by the field that it sets."""
    where = f" ({change.paths[0]})"
    curve = tuple(replace(step, label=step.label + where) for step in change.curve)
    return replace(change, label=change.label + where, curve=curve)


def _spots(
    node: Mapping[str, Any], value: Any, path: str, item: Mapping[str, Any]
) -> Iterator[tuple[Mapping[str, Any], _Spot]]:
    """Every parameter with a listed change, in sections that the scenario has or that always exist."""
    if isinstance(value, list):
        inner: Mapping[str, Any] = next(
            (each["items"] for each in _alternatives(node) if "items" in each), {}
        )
        for at, element in enumerate(value):
            fields = element if isinstance(element, Mapping) else {}
            yield from _spots(inner, element, f"{path}[{at}]", {**item, "number": at + 1, **fields})
        return
    if not isinstance(value, Mapping):
        return
    for branch in _alternatives(node):
        for name, parameter in branch.get("properties", {}).items():
            within = value.get(name, _MISSING)
            place = f"{path}.{name}".lstrip(".")
            for change in parameter.get(KEY, ()):
                if within is not _MISSING or "absent" in change:
                    today = change["absent"] if within is _MISSING else within
                    yield change, _Spot(place, today, value, item, parameter.get("default"))
            if within is not _MISSING:
                yield from _spots(parameter, within, place, item)
            elif not _may_be_null(parameter):
                yield from _spots(parameter, {}, place, item)


def _alternatives(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A node of the schema with its references and alternatives, flattened."""
    yield node
    if "$ref" in node:
        yield from _alternatives(_definitions()[node["$ref"].removeprefix("#/$defs/")])
    for each in (*node.get("oneOf", ()), *node.get("anyOf", ())):
        yield from _alternatives(each)


def _may_be_null(parameter: Mapping[str, Any]) -> bool:
    """Whether an omitted section differs from the section with its defaults."""
    return any(each.get("type") == "null" for each in parameter.get("anyOf", ()))


@cache
def _definitions() -> Mapping[str, Any]:
    return simulation.schema()["$defs"]


def _relaxation(change: Mapping[str, Any], spot: _Spot, canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    usual = _usual(change)
    far = _to_default(change, spot)
    sizes = [*_sizes(change), *_larger_sizes(change, spot.value), *([] if far is None else [far])]
    overrides = {size: _override(change, spot, size, canonical) for size in sizes}
    if overrides[usual] is None:
        return
    steps = {}
    for size, override in overrides.items():
        # A small integer may have no such size: 1.25 lanes are one, and 1.5 are two.
        if override is None or (size != usual and override == overrides[usual]):
            continue
        words = {**spot.item, **_words(change, float(f"{size:.2g}") if size > FACTORS[-1] else size)}
        label, cost = (change[key].format(**words) for key in ("words", "cost"))
        label += f", at the usual {spot.default}" if size == far else ""
        steps[size] = Step(_amount(change, size), label, override, cost)
    chosen = steps[usual]
    joins = frozenset(spot.item.get("between", ()))
    place = " - ".join(spot.item["between"]) if joins else spot.item.get("name")
    if "place" in change:
        place = change["place"].format(**spot.item)
    if place is None and isinstance(spot.item.get("to"), str) and "from" in spot.item:
        place = f"{spot.item['from']} - {spot.item['to']}"
    if place is None and "number" in spot.item:
        place = f"{spot.path.split('[')[0].replace('_', ' ')} {spot.item['number']}"
    curve = tuple(steps.values()) if len(steps) > 1 else ()
    cause = Cause(change["cause"])
    yield Relaxation(
        chosen.label,
        chosen.set,
        chosen.cost,
        cause,
        place,
        curve,
        joins,
        also=frozenset(map(Cause, change.get("relieves", ()))),
        speeds=frozenset(change.get("speeds", ())),
        mends=_failing(change, spot, cause),
        stores=change.get("stores", False),
        is_largest=change.get("larger", False),
        spared=_with_their_own(spot),
        sort=Sort(change["sort"]) if "sort" in change else None,
        rate_of=change["rate_of"].format(**spot.item) if "rate_of" in change else None,
        adds="more" in change,
    )


def _is_far(change: Mapping[str, Any], value: Any) -> bool:
    """Whether a setting is far worse than its usual value, which stands for the real machine."""
    own, usual = in_units(value), in_units(change["usual"])
    if change.get("is_least"):
        return FAR_FROM_USUAL * own <= usual
    return own > 0 and own >= FAR_FROM_USUAL * usual


def _as_usual(found: Sequence[tuple[Mapping[str, Any], _Spot]]) -> Relaxation:
    """The usual value of a setting wherever the scenario is far from it, as a repair.

    Such a setting is suspect without any evidence: an engineer corrects it and checks whether that helps. A
    user who needs it learns from the trial what it costs.
    """
    change, spot = found[0]
    more = f", and in {count_of(len(found) - 1, 'more place', 'more places')}" if len(found) > 1 else ""
    usual = change["usual"] if in_units(change["usual"]) else "none"
    told = f"{change['repairs']} is {spot.value} (`{spot.path}`{more}), where {usual} is usual"
    return Relaxation(
        change["words"],
        tuple(_set(each.path, change["usual"]) for _, each in found),
        change["cost"],
        Cause(change["cause"]),
        None,
        speeds=frozenset(change.get("speeds", ())),
        mends=f"Slow setting: {told}.",
    )


def _with_their_own(spot: _Spot) -> frozenset[str]:
    """The stations to which a list beside a parameter gives a value of their own."""
    name = spot.path.rpartition(".")[2]
    beside = [items for items in spot.parent.values() if isinstance(items, list)]
    entries = [entry for items in beside for entry in items if isinstance(entry, Mapping)]
    return frozenset(entry["station"] for entry in entries if "station" in entry and name in entry)


def _failing(change: Mapping[str, Any], spot: _Spot, cause: Cause) -> str | None:
    """The failure and its place, if a change ends all failures of a kind in the scenario."""
    ends_it = change.get("without", False) or ("to" in change and not change["to"])
    if cause not in _FAILING or not ends_it or not spot.value:
        return None
    told = change["repairs"].format(**{**spot.parent, **spot.item, **_happening(spot.value)})
    return f"{told} (`{spot.path}`)."


def _happening(value: Any) -> dict[str, Any]:
    """The failure in words: a share, or the first of several times and the number of others."""
    if isinstance(value, float):
        return {"share": f"{100 * value:.3g} %"}
    first, more = (value, 0) if isinstance(value, Mapping) else (value[0], len(value) - 1)
    kind = next((kind for kind in ("line", "imp") if first.get(kind)), None)
    again = f", then every {first['every']}" if first.get("every") else ""
    return {
        **first,
        "what": None if kind is None else _FAILS[kind].format(_joined(first[kind])),
        "more": f", and {count_of(more, 'more time', 'more times')}" if more else again,
    }


def _joined(names: Any) -> str:
    return names if isinstance(names, str) else " - ".join(names)


def _usual(change: Mapping[str, Any]) -> float:
    """The size at which a change is tried first."""
    return next((change[rule] for rule in ("multiply", "divide", "more") if rule in change), 1.0)


def _sizes(change: Mapping[str, Any]) -> tuple[float, ...]:
    usual = _usual(change)
    if "more" in change:
        return tuple(usual * times for times in MULTIPLES)
    return FACTORS if usual in FACTORS[1:] else (usual,)


def _larger_sizes(change: Mapping[str, Any], value: Any) -> list[float]:
    """The additions that make a window several times as large, if they exceed its other sizes."""
    if "more" not in change or change["cause"] != Cause.WINDOW or not isinstance(value, int):
        return []
    return [(times - 1) * value for times in WINDOW_TIMES if (times - 1) * value > max(_sizes(change))]


def _to_default(change: Mapping[str, Any], spot: _Spot) -> float | None:
    """How many times a service is as long as by default, where that is more than the other sizes make of it.

    If a service is far longer than usual, the usual value is the repair, and not a multiple of the rate.
    """
    if "divide" not in change or change["cause"] != Cause.SLOW_SERVICE or not isinstance(spot.default, str):
        return None
    usual = in_units(spot.default)
    ratio = float(in_units(spot.value) / usual) if usual else 0.0
    return ratio if ratio > FACTORS[-1] else None


def _override(
    change: Mapping[str, Any], spot: _Spot, size: float, canonical: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """The overrides of one size; None if the scenario has this value already."""
    if "without" in change:
        return (f"{spot.path}=",)
    if "like" in change and spot.parent.get(change["like"]) is None:
        return None
    new = spot.parent[change["like"]] if "like" in change else _changed(change, spot.value, size)
    if new == spot.value and "absent" not in change:
        return None
    if "absent" in change and "to" in change and spot.parent.get(spot.path.rpartition(".")[2]) is not None:
        return None
    dropped = [f"{path}=" for path in change.get("drops", ()) if _at(canonical, path) is not _MISSING]
    found = [*dropped, _set(spot.path, new)]
    for other in change.get("also", ()):
        value = _at(canonical, other["path"])
        if value is _MISSING and "to" not in other:
            continue
        found.append(_set(other["path"], _changed(other, value, size)))
    return tuple(found)


def _changed(change: Mapping[str, Any], value: Any, size: float) -> Any:
    if "to" in change:
        return change["to"]
    if "constant" in change:
        return service.constant(value)
    if "more" in change:
        return value + int(size)
    factor = size if "multiply" in change else 1 / size
    fields = change.get("fields")
    if fields is None:
        return whole_ps(scaled(value, factor))
    return {key: whole_ps(scaled(inner, factor)) if key in fields else inner for key, inner in value.items()}


def _words(change: Mapping[str, Any], size: float) -> dict[str, str]:
    noun = change.get("noun", "")
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    amount = f"one more {noun}" if size == 1 else f"{size:g} more {plural}"
    return {"factor": times(size), "share": share(size), "amount": amount}


def _amount(change: Mapping[str, Any], size: float) -> str:
    return f"+{size:g}" if "more" in change else f"x{size:g}"


def times(size: float) -> str:
    """A factor in words: "twice", "1.25 times"."""
    return "twice" if size == 2 else f"{size:g} times"  # noqa: PLR2004 - the word


def share(size: float) -> str:
    """The inverse of a factor in words: "half", "a quarter"."""
    return SHARES.get(size, f"{1 / size:.3g} times")


def _set(path: str, value: Any) -> str:
    return f"{path}={toml_text(value)}"


def _at(canonical: Any, path: str) -> Any:
    for word in path.split("."):
        if not isinstance(canonical, Mapping) or word not in canonical:
            return _MISSING
        canonical = canonical[word]
    return canonical
