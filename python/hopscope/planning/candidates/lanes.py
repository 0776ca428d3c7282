"""Changes of how ports serve several classes: another order of lanes, and a lane for each class."""

from collections.abc import Iterator, Mapping
from typing import Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation

SCHEDULING = "frames.scheduling"
STRICT = "strict"
WEIGHTED = "weighted"
IN_TURN = "round-robin"
# Every lane sends as much as the others.
SERVED_IN_TURN = (f"{SCHEDULING}={toml_text(IN_TURN)}",)
# The flow controls whose lanes are priorities: any number of them is as deadlock-free as one.
WITH_PRIORITIES = ("pfc", "tail-drop")
MOST_PRIORITIES = 8
# The ratio of weights of successive lanes, where the last one is to be served first.
WEIGHT_RATIO = 4
MOST_WEIGHT = 1000


def changes_of_lanes(canonical: Mapping[str, Any]) -> list[Relaxation]:
    """Changes for a class that waits behind another one: another order of lanes, and more lanes."""
    if "frames" not in canonical:
        return []
    return [*_in_another_order(canonical["frames"]), *_for_each_class(canonical)]


def _in_another_order(frames: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Round robin, and the reverse order, if lanes are not served in turn now."""
    scheduling, lanes = frames["scheduling"], _lanes(frames)
    if scheduling == IN_TURN or lanes == 1:
        return
    yield _order(IN_TURN, "lanes served in turn")
    if scheduling == STRICT:
        weights = [WEIGHT_RATIO**lane for lane in range(lanes)]
        words = "instead of strict priority"
    else:
        weights = scheduling[WEIGHTED][::-1]
        words = f"instead of {' : '.join(map(str, scheduling[WEIGHTED]))}"
    if max(weights) <= MOST_WEIGHT and scheduling != {WEIGHTED: weights}:
        yield _order({WEIGHTED: weights}, f"weights {' : '.join(map(str, weights))} {words}")


def _order(scheduling: str | dict[str, Any], label: str) -> Relaxation:
    made = (f"{SCHEDULING}={toml_text(scheduling)}",)
    return Relaxation(label, made, "more waiting of the classes that go first today", Cause.LANES, None)


def _for_each_class(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """A priority for each group of flows, if one more is not enough."""
    kind, control = next(iter(canonical["frames"]["flow_control"].items()))
    groups = len(canonical.get("flows", ()))
    if kind in WITH_PRIORITIES and control["priorities"] + 1 < groups <= MOST_PRIORITIES:
        made = (f"frames.flow_control.{kind}.priorities={groups}",)
        cost = f"{groups} priorities, buffer for each"
        yield Relaxation("a priority for each group of flows", made, cost, Cause.LANES, None)


def _lanes(frames: Mapping[str, Any]) -> int:
    """The number of lanes or priorities of a port."""
    control = next(iter(frames["flow_control"].values()))
    return int(control.get("priorities", control.get("lanes", 1)))
