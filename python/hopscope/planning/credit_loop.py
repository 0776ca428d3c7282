"""Whether routes have a credit loop: links that can wait for one another in a circle."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopscope._core import Scenario


def has_credit_loop(scenario: "Scenario") -> bool:
    """Whether packets may lock up, now or another day: routes have a loop, and buffers can fill.

    False where a model has no routes of which that could be told.
    """
    found = json.loads(scenario.topology_json() or "{}").get("deadlock")
    return bool(found and found["possible"]) and not never_stops(scenario)


def knows_loops(scenario: "Scenario") -> bool:
    """Whether the model has routes of which a credit loop could be told."""
    return "deadlock" in json.loads(scenario.topology_json() or "{}")


def never_stops(scenario: "Scenario") -> bool:
    """Whether no buffer ever stops its senders: those of FIFOs without a bound, and queues that drop."""
    canonical = json.loads(scenario.canonical_json())
    if "frames" in canonical:
        return "tail-drop" in canonical["frames"]["flow_control"]
    return canonical["switch"]["fifo"] == "unbounded"
