"""A scenario with one reason for saturation removed: the gain is what the reason costs."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.numerals import amount, count, listed
from hopscope.overrides import toml_text
from hopscope.planning import faults
from hopscope.planning.candidates import repairs
from hopscope.planning.credit_loop import has_credit_loop
from hopscope.planning.kinds import Routing, What

if TYPE_CHECKING:
    from hopscope._core import Scenario

# Routing rules that may have no credit loop where the current routes have one, best capacity first.
LOOP_FREE = {Routing.DIMENSION_ORDER: What.DIMENSION_ORDER, Routing.UP_DOWN: What.UP_DOWN}
# Settings of the current routes, which another rule or other tables replace.
_OF_TODAYS_ROUTES = ("root", "roots", "tables")

# An added link has to carry at least this many times as much to be worth its price.
WORTH_A_LINK = 1.01
# Bounds that follow from the same flow differ by rounding only.
ALMOST = 1 - 1e-6
# Decision and set-up are a reason, and worth a simulation, if the load without them is this many times as
# much.
WORTH_SETTING_UP = 1.03
_IN_NO_TIME = ('switch.decision="0 s"', 'switch.setup="0 s"')
_ANY_PACKET = "switch.discipline=random-access"
# Disciplines by which packets wait at the inputs, where decision and set-up hold inputs and outputs.
INPUT_FIFO = "input-fifo"
QUEUES_FOR_OUTPUTS = "voq"
_FAST = ("frames.slow_hosts=[]",)
_SCHEDULERS = {"pim": "PIM", "islip": "iSLIP"}
_AT_INPUTS = frozenset({INPUT_FIFO, "random-access", QUEUES_FOR_OUTPUTS})
# The largest buffer that a fabric of frames may have.
LARGEST_BUFFER = "1 GiB"
# At most this many slow cables are named, then the number of others.
CABLES_TOLD = 8


@dataclass(frozen=True)
class Variant:
    """A scenario changed in one respect. `against` is the variant that it is compared with.

    `changes` is a sentence on what the variant removes, if its kind does not say it. `between` are the ends
    of an added link, `replaces` those of the cables that it replaces.
    """

    what: What
    against: What
    overrides: tuple[str, ...]
    changes: str = ""
    between: tuple[str, ...] = ()
    replaces: frozenset[frozenset[str]] = frozenset()


def variants(scenario: "Scenario", bounds: dict[str, Any]) -> list[Variant]:
    """What is worth simulating beside the scenario itself."""
    canonical = json.loads(scenario.canonical_json())
    found = _of_frames(canonical["frames"]) if "frames" in canonical else _of_switches(scenario, canonical)
    found += _mended(scenario, canonical)
    if bounds["root"] is not None and not _has_all_shortest(bounds):
        unbounded = {each.what: each for each in found}.get(What.UNBOUNDED)
        large = () if unbounded is None else unbounded.overrides
        against = What.AS_IS if unbounded is None else What.UNBOUNDED
        found.append(Variant(What.SHORTEST, against, (with_rule(canonical, Routing.SHORTEST), *large)))
    for cure in cures(bounds)[:1]:
        found.append(
            Variant(
                What.JOINED,
                What.AS_IS,
                tuple(with_link(scenario, cure["between"], bounds["root"]["name"])),
                between=tuple(cure["between"]),
            )
        )
    if has_credit_loop(scenario):
        found += [
            Variant(LOOP_FREE[rule], What.AS_IS, overrides) for rule, overrides in without_loop(scenario)
        ]
    return found


def without_loop(scenario: "Scenario") -> list[tuple[Routing, tuple[str, ...]]]:
    """The rules of routing that apply and have no credit loop, each with the overrides that choose it."""
    canonical = json.loads(scenario.canonical_json())
    rules = [(rule, tuple(rerouted(canonical, {"routing": rule, "root": None}))) for rule in LOOP_FREE]
    others = [(rule, overrides, changed(scenario, overrides)) for rule, overrides in rules]
    return [
        (rule, overrides)
        for rule, overrides, other in others
        if not isinstance(other, str) and not has_credit_loop(other)
    ]


def cures(bounds: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Links to the root that bring idle switches back into use, and so carry more."""
    proposed = (bounds["idle_by_levels"] or {"cures": []})["cures"]
    return [each for each in proposed if helps(bounds, each)]


def helps(bounds: Mapping[str, Any], cure: Mapping[str, Any]) -> bool:
    """Whether a link to the root carries more by the analysis."""
    return cure["expected"] > WORTH_A_LINK * bounds["expected"]


def _has_all_shortest(bounds: Mapping[str, Any]) -> bool:
    """Whether packets take every shortest path already: a simulation with them would change nothing."""
    lost = bounds["shortest_paths_lost"]
    return lost is not None and lost["longer"] == lost["fewer"] == 0


def _of_switches(scenario: "Scenario", canonical: Mapping[str, Any]) -> list[Variant]:
    """The switches of the machine without frames: packets leave out of order, and FIFOs never fill.

    A switch that picks any packet also decides while the packet waits. So if decision and set-up cost
    something, head-of-line blocking is the cost that remains without them.
    """
    switch = canonical["switch"]
    found = []
    is_slow = _is_slow_to_set_up(scenario, switch)
    if is_slow:
        found.append(Variant(What.AT_ONCE, What.AS_IS, _IN_NO_TIME))
    if switch["discipline"] == INPUT_FIFO:
        found.append(
            Variant(What.AT_ONCE_ANY, What.AT_ONCE, (_ANY_PACKET, *_IN_NO_TIME))
            if is_slow
            else Variant(What.NO_HEAD_OF_LINE, What.AS_IS, (_ANY_PACKET,))
        )
    found += _matched(scenario, switch)
    if switch["fifo"] != "unbounded":
        found.append(Variant(What.UNBOUNDED, What.AS_IS, ("switch.fifo=unbounded",)))
    return found


def with_causes(scenario: "Scenario", bounds: dict[str, Any]) -> dict[str, Any]:
    """The bounds, with the causes of two of them.

    `drain` of the host link is the rate at which a slow host takes data, if that bounds the load. `blocks` of
    the input FIFOs is whether packets wait behind others that go elsewhere: if not, the FIFOs of a switch
    without decision and set-up times carry what the links do.
    """
    host, fifos = bounds["host_link"], bounds["head_of_line"]
    slow = json.loads(scenario.canonical_json()).get("frames", {}).get("slow_hosts", [])
    drains = {each["host"]: each["drain"] for each in slow}
    if host is not None and host["to"] in drains:
        fast = _bounds(scenario, _FAST)
        if fast is not None and fast["host_link"]["load"] > host["load"]:
            host = host | {"drain": drains[host["to"]]}
    if fifos is not None and fifos["load"] is not None:
        at_once = _bounds(scenario, _IN_NO_TIME)
        if at_once is not None and at_once["head_of_line"] is not None and at_once["at_most"] is not None:
            fifos = fifos | {"blocks": at_once["head_of_line"]["load"] < ALMOST * at_once["at_most"]}
    return bounds | {"host_link": host, "head_of_line": fifos}


def _bounds(scenario: "Scenario", overrides: Sequence[str]) -> dict[str, Any] | None:
    """The bounds of the changed scenario; None if the change is invalid."""
    other = changed(scenario, overrides)
    return None if isinstance(other, str) else json.loads(other.bounds_json() or "null")


def discipline_of(scenario: "Scenario") -> str | None:
    """The discipline of the switches; None for those of frames."""
    canonical = json.loads(scenario.canonical_json())
    return None if "frames" in canonical else _discipline(canonical["switch"])


def _discipline(switch: Mapping[str, Any]) -> str:
    """The name of a discipline, of which some have settings."""
    found = switch["discipline"]
    return found if isinstance(found, str) else next(iter(found))


def _is_slow_to_set_up(scenario: "Scenario", switch: Mapping[str, Any]) -> bool:
    """Whether decision and set-up cost enough to be a reason: the analysis of input FIFOs knows both.

    With 1000 bytes AN1's switches lose 2.5 % by them, which is less than a reason costs.
    """
    if _discipline(switch) not in _AT_INPUTS:
        return False
    with_input_fifos = f"switch.discipline={INPUT_FIFO}"
    as_it_is = _bounds(scenario, (with_input_fifos,))
    at_once = _bounds(scenario, (with_input_fifos, *_IN_NO_TIME))
    if as_it_is is None or at_once is None or as_it_is["head_of_line"] is None:
        return False
    before, after = as_it_is["head_of_line"]["load"], at_once["head_of_line"]["load"]
    return before is not None and after is not None and after >= WORTH_SETTING_UP * before


def _matched(scenario: "Scenario", switch: Mapping[str, Any]) -> list[Variant]:
    """A scheduler that iterates until no match is left, if the current one stops earlier."""
    if _discipline(switch) != QUEUES_FOR_OUTPUTS:
        return []
    links = json.loads(scenario.topology_json() or "{}").get("links", [])
    ports = max(Counter(link[end] for link in links for end in ("from", "to")).values(), default=0)
    settings = switch["discipline"][QUEUES_FOR_OUTPUTS]
    now = settings["iterations"]
    if now >= ports:
        return []
    matching = f"{_SCHEDULERS[settings['scheduler']]} matches in {amount(now, 'round', 'rounds')}"
    return [Variant(What.MATCHED, What.AS_IS, (f"switch.discipline.voq.iterations={ports}",), matching)]


def _mended(scenario: "Scenario", canonical: Mapping[str, Any]) -> list[Variant]:
    """Repairs: slow hosts, failures, and cables slower than their kind."""
    found = []
    if slow := canonical.get("frames", {}).get("slow_hosts"):
        told = "; ".join(
            f"{each['host']} takes what arrives at {each['drain']}" for each in slow[: faults.FAULTS_NAMED]
        )
        more = (
            f"; and {len(slow) - faults.FAULTS_NAMED} more are slow"
            if len(slow) > faults.FAULTS_NAMED
            else ""
        )
        found.append(Variant(What.FAST_HOSTS, What.AS_IS, _FAST, told + more))
    if down := faults.outages(canonical):
        found.append(Variant(What.NO_FAULTS, What.AS_IS, ("faults=[]",), faults.words(down)))
    if slow := repairs.slow_cables(scenario, None):
        ends = repairs.Cables(scenario).ends
        joined = frozenset(ends(each["cable"]) for each in slow)
        found.append(Variant(What.REPLACED, What.AS_IS, repairs.REPLACED, cables(slow), replaces=joined))
    return found


def cables(slow: Sequence[Mapping[str, str]]) -> str:
    """Slow cables with their rates and the usual rates of their kind."""
    told = [f"{each['cable']} ({each['rate']}, where most have {each['usual']})" for each in slow]
    return (
        f"the cable {told[0]}"
        if len(told) == 1
        else f"{count(len(told))} cables: {listed(told, CABLES_TOLD)}"
    )


def queues_at_outputs() -> tuple[str, str]:
    """Large switches of frames with queues at the outputs, without head-of-line blocking."""
    return (
        f'frames.buffer={{ size = "{LARGEST_BUFFER}", alpha = 64.0 }}',
        "frames.flow_control={ pfc = {} }",
    )


def _of_frames(frames: Mapping[str, Any]) -> list[Variant]:
    """The switches of a fabric of frames: buffers that never fill, and with credits queues at the outputs."""
    at_outputs = queues_at_outputs()
    if "tail-drop" in frames["flow_control"]:
        queue = f'frames.flow_control.tail-drop.queue="{LARGEST_BUFFER}"'
        return [Variant(What.LONG_QUEUES, What.AS_IS, (at_outputs[0], queue))]
    if "credits" not in frames["flow_control"]:
        return [Variant(What.UNBOUNDED, What.AS_IS, at_outputs[:1])]
    return [
        Variant(
            What.UNBOUNDED, What.AS_IS, (f"frames.flow_control.credits.buffer_per_lane={LARGEST_BUFFER}",)
        ),
        Variant(What.NO_HEAD_OF_LINE, What.UNBOUNDED, at_outputs),
    ]


def with_rule(canonical: Mapping[str, Any], rule: str) -> str:
    """The override that gives a scenario routes by another rule, without the current roots or tables."""
    if set(_OF_TODAYS_ROUTES) & set(canonical["routing"]):
        return _routing(canonical, rule=rule)
    return f"routing.rule={toml_text(rule)}"


def with_tables(canonical: Mapping[str, Any], file: str) -> str:
    """The override that gives a scenario the forwarding tables in a file, which exclude roots."""
    if {"root", "roots"} & set(canonical["routing"]):
        return _routing(canonical, tables=file)
    return f"routing.tables={toml_text(file)}"


def _routing(canonical: Mapping[str, Any], **new: str) -> str:
    """The override of routes that keeps all settings but those of the current routes alone."""
    kept = {key: value for key, value in canonical["routing"].items() if key not in _OF_TODAYS_ROUTES}
    return f"routing={toml_text(kept | new)}"


def rerouted(canonical: Mapping[str, Any], candidate: Mapping[str, Any]) -> list[str]:
    """The overrides that give a scenario the routes of a candidate of the engine's advice."""
    if candidate["routing"] == Routing.AS_NOW:
        return []
    today, root = canonical["routing"], candidate["root"]
    is_same_rule = today["rule"] == Routing.UP_DOWN and not {"roots", "tables"} & set(today)
    if root is not None and is_same_rule:
        return [f"routing.root={toml_text(root)}"]
    return [_routing(canonical, rule=candidate["routing"], **({} if root is None else {"root": root}))]


def with_link(scenario: "Scenario", between: list[str], root: str) -> list[str]:
    """The overrides that add a link and keep the root where it is."""
    canonical = json.loads(scenario.canonical_json())
    return [added_link(canonical, between), f"routing.root={toml_text(root)}"]


def added_link(canonical: Mapping[str, Any], *links: Sequence[str]) -> str:
    """The override that adds links, each by its two ends, to those that the scenario adds already.

    In a hand-written network an added link is like most of those at its ends.
    """
    added = [{"between": list(between), **_as_others(canonical, between)} for between in links]
    return f"added_links={toml_text([*canonical.get('added_links', []), *added])}"


def _as_others(canonical: Mapping[str, Any], between: Sequence[str]) -> dict[str, str]:
    """The rate and delay of most links at two switches, if a hand-written network gives them."""
    written = canonical["network"].get("custom", {}).get("links", [])
    beside = [link for link in written if not set(between).isdisjoint(link["between"])]
    most = {key: Counter(link.get(key) for link in beside).most_common(1) for key in ("rate", "delay")}
    return {key: value for key, found in most.items() for value, _ in found if value is not None}


def changed(scenario: "Scenario", overrides: Sequence[str]) -> "Scenario | str":
    """The changed scenario, or why the change is invalid."""
    try:
        return scenario.with_overrides(list(overrides))
    except _core.ScenarioError as refused:
        return str(refused).splitlines()[0].removeprefix("error: ")
