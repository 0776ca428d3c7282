"""A scenario with one reason for saturation taken away: what a reason costs is what its absence gains."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.overrides import toml_text
from hopscope.planning.credit_loop import has_credit_loop

if TYPE_CHECKING:
    from hopscope._core import Scenario

AS_IS = "as it is"
NO_HEAD_OF_LINE = "any packet of a buffer may leave"
UNBOUNDED = "unbounded FIFOs"
LONG_QUEUES = "queues that never drop"
SHORTEST = "unbounded FIFOs, all shortest paths"
JOINED = "a link"
# Rules of routing that may have no credit loop where today's routes have one, those that carry more first.
LOOP_FREE = {"dimension-order": "dimension-order routes", "up-down": "up*/down* routes"}

# An added link has to carry so much more that somebody would buy it.
WORTH_A_LINK = 1.01
# The largest buffer that a fabric of frames may have.
LARGEST_BUFFER = "1 GiB"


@dataclass(frozen=True)
class Variant:
    """A scenario changed in one respect. `against` names the variant that it is compared with."""

    name: str
    against: str
    overrides: tuple[str, ...]


def variants(scenario: "Scenario", bounds: dict[str, Any]) -> list[Variant]:
    """What is worth simulating beside the scenario itself."""
    canonical = json.loads(scenario.canonical_json())
    found = _of_frames(canonical["frames"]) if "frames" in canonical else _of_switches(canonical["switch"])
    if bounds["root"] is not None and not _has_all_shortest(bounds):
        unbounded = {each.name: each for each in found}.get(UNBOUNDED)
        large = () if unbounded is None else unbounded.overrides
        against = AS_IS if unbounded is None else UNBOUNDED
        found.append(Variant(SHORTEST, against, (_shortest(canonical), *large)))
    for cure in cures(bounds)[:1]:
        found.append(
            Variant(
                f"{JOINED} {' - '.join(cure['between'])}",
                AS_IS,
                tuple(with_link(scenario, cure["between"], bounds["root"]["name"])),
            )
        )
    if has_credit_loop(scenario):
        found += [Variant(LOOP_FREE[rule], AS_IS, overrides) for rule, overrides in without_loop(scenario)]
    return found


def without_loop(scenario: "Scenario") -> list[tuple[str, tuple[str, ...]]]:
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
    """Links to the root that bring idle switches back, and with that carry more."""
    proposed = (bounds["idle_by_levels"] or {"cures": []})["cures"]
    return [each for each in proposed if helps(bounds, each)]


def helps(bounds: Mapping[str, Any], cure: Mapping[str, Any]) -> bool:
    """Whether a link to the root carries more by the analysis."""
    return cure["expected"] > WORTH_A_LINK * bounds["expected"]


def _has_all_shortest(bounds: Mapping[str, Any]) -> bool:
    """Whether packets take every shortest path as it is: a simulation with them would only say so again."""
    lost = bounds["shortest_paths_lost"]
    return lost is not None and lost["longer"] == lost["fewer"] == 0


def _of_switches(switch: Mapping[str, Any]) -> list[Variant]:
    """The switches of the machine without frames: packets leave out of order, and FIFOs never fill."""
    found = []
    if switch["discipline"] == "input-fifo":
        found.append(Variant(NO_HEAD_OF_LINE, AS_IS, ("switch.discipline=random-access",)))
    if switch["fifo"] != "unbounded":
        found.append(Variant(UNBOUNDED, AS_IS, ("switch.fifo=unbounded",)))
    return found


def queues_at_outputs() -> tuple[str, str]:
    """Large switches of frames with queues at the outputs: nobody is behind others that go elsewhere."""
    return (
        f'frames.buffer={{ size = "{LARGEST_BUFFER}", alpha = 64.0 }}',
        "frames.flow_control={ pfc = {} }",
    )


def _of_frames(frames: Mapping[str, Any]) -> list[Variant]:
    """The switches of a fabric of frames: buffers that never fill, and with credits queues at the outputs."""
    at_outputs = queues_at_outputs()
    if "tail-drop" in frames["flow_control"]:
        queue = f'frames.flow_control.tail-drop.queue="{LARGEST_BUFFER}"'
        return [Variant(LONG_QUEUES, AS_IS, (at_outputs[0], queue))]
    if "credits" not in frames["flow_control"]:
        return [Variant(UNBOUNDED, AS_IS, at_outputs[:1])]
    return [
        Variant(UNBOUNDED, AS_IS, (f"frames.flow_control.credits.buffer_per_lane={LARGEST_BUFFER}",)),
        Variant(NO_HEAD_OF_LINE, UNBOUNDED, at_outputs),
    ]


def _shortest(canonical: dict[str, Any]) -> str:
    """All shortest paths; with buffers that cannot fill, nothing can deadlock."""
    routing = {key: value for key, value in canonical["routing"].items() if key != "root"}
    return f"routing={toml_text(routing | {'rule': 'shortest'})}"


def rerouted(canonical: Mapping[str, Any], candidate: Mapping[str, Any]) -> list[str]:
    """The overrides that give a scenario the routes of a candidate of the engine's advice."""
    if candidate["routing"] == "as now":
        return []
    today = canonical["routing"]
    if candidate["root"] is not None and today["rule"] == "up-down" and "tables" not in today:
        return [f"routing.root={toml_text(candidate['root'])}"]
    kept = {key: value for key, value in today.items() if key not in ("root", "tables")}
    root = {} if candidate["root"] is None else {"root": candidate["root"]}
    return [f"routing={toml_text({**kept, 'rule': candidate['routing'], **root})}"]


def with_link(scenario: "Scenario", between: list[str], root: str) -> list[str]:
    """The overrides that add a link and keep the root where it is."""
    canonical = json.loads(scenario.canonical_json())
    return [added_link(canonical, between), f"routing.root={toml_text(root)}"]


def added_link(canonical: Mapping[str, Any], between: Sequence[str]) -> str:
    """The override that adds a link to those that the scenario adds already."""
    added = canonical.get("added_links", [])
    return f"added_links={toml_text([*added, {'between': list(between)}])}"


def changed(scenario: "Scenario", overrides: Sequence[str]) -> "Scenario | str":
    """The scenario so changed, or why it cannot be."""
    try:
        return scenario.with_overrides(list(overrides))
    except _core.ScenarioError as refused:
        return str(refused).splitlines()[0].removeprefix("error: ")
