"""A scenario with one reason for saturation taken away: what a reason costs is what its absence gains."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.overrides import toml_text

if TYPE_CHECKING:
    from hopscope._core import Scenario

AS_IS = "as it is"
NO_HEAD_OF_LINE = "any packet of a buffer may leave"
UNBOUNDED = "unbounded FIFOs"
SHORTEST = "unbounded FIFOs, all shortest paths"
JOINED = "a link"


@dataclass(frozen=True)
class Variant:
    """A scenario changed in one respect. `against` names the variant that it is compared with."""

    name: str
    against: str
    overrides: tuple[str, ...]


def variants(scenario: "Scenario", bounds: dict[str, Any]) -> list[Variant]:
    """What is worth simulating beside the scenario itself."""
    canonical = json.loads(scenario.canonical_json())
    found = []
    if canonical["switch"]["discipline"] == "input-fifo":
        found.append(Variant(NO_HEAD_OF_LINE, AS_IS, ("switch.discipline=random-access",)))
    unbounded = canonical["switch"]["fifo"] == "unbounded"
    if not unbounded:
        found.append(Variant(UNBOUNDED, AS_IS, ("switch.fifo=unbounded",)))
    if bounds["root"] is not None:
        against = AS_IS if unbounded else UNBOUNDED
        found.append(Variant(SHORTEST, against, tuple(_shortest(canonical))))
    for cure in (bounds["idle_by_levels"] or {"cures": []})["cures"][:1]:
        found.append(
            Variant(
                f"{JOINED} {' - '.join(cure['between'])}",
                AS_IS,
                tuple(with_link(scenario, cure["between"], bounds["root"]["name"])),
            )
        )
    return found


def _shortest(canonical: dict[str, Any]) -> list[str]:
    """All shortest paths, with buffers that cannot fill, so that nothing can wait in a circle."""
    routing = {key: value for key, value in canonical["routing"].items() if key != "root"}
    return [f"routing={toml_text(routing | {'rule': 'shortest'})}", "switch.fifo=unbounded"]


def with_link(scenario: "Scenario", between: list[str], root: str) -> list[str]:
    """The overrides that add a link and keep the root where it is."""
    added = json.loads(scenario.canonical_json()).get("added_links", [])
    return [f"added_links={toml_text([*added, {'between': between}])}", f"routing.root={toml_text(root)}"]


def changed(scenario: "Scenario", variant: Variant) -> "Scenario | str":
    """The scenario so changed, or why it cannot be."""
    try:
        return scenario.with_overrides(list(variant.overrides))
    except _core.ScenarioError as refused:
        return str(refused).splitlines()[0]
