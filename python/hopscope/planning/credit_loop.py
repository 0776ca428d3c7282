"""Whether routes have a credit loop: a cycle of links that wait for each other's credits."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopscope._core import Scenario


def has_credit_loop(scenario: "Scenario") -> bool:
    """Whether a deadlock is possible: routes have a credit loop, and buffers can fill.

    False for a model whose routes are not analysed for loops.
    """
    found = json.loads(scenario.topology_json() or "{}").get("deadlock")
    return bool(found and found["possible"]) and not never_stops(scenario)


def knows_loops(scenario: "Scenario") -> bool:
    """Whether the model has routes that are analysed for credit loops."""
    return "deadlock" in json.loads(scenario.topology_json() or "{}")


def never_stops(scenario: "Scenario") -> bool:
    """Whether no buffer ever stops its senders: unbounded FIFOs, and queues that drop."""
    canonical = json.loads(scenario.canonical_json())
    if "frames" in canonical:
        return "tail-drop" in canonical["frames"]["flow_control"]
    return canonical["switch"]["fifo"] == "unbounded"
