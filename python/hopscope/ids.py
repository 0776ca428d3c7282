"""The ids of the engine's kinds that Python decides by: of resources, holds, policies and stages.

What a cause is of (`Candidate.id`) and what a change makes faster (`speeds` in a schema) is one of the
first three. All kinds there are, with their words: `hopscope.kinds`.
"""

from enum import StrEnum


class ResourceId(StrEnum):
    """A sort of resource."""

    LINK = "Output"
    """A link of a fabric, by the output of the node that sends on it."""
    LINE = "Line"
    """A line of the other networks."""
    SWITCH_BUFFER = "SwitchBuffer"
    """The memory that the output queues of a switch share."""
    UNIT = "Unit"
    """A logical unit of SNA."""


class HoldId(StrEnum):
    """What a holder does with a resource."""

    SET_UP = "SetUp"
    """The crossbar is being set up for an output."""
    ROUTING_MESSAGES = "RoutingMessages"
    REPLIES = "Replies"


class PolicyId(StrEnum):
    """A rule of the network or of its load that holds messages back; these are all."""

    ARBITER = "Arbiter"
    ROUNDS = "Rounds"
    SEGMENTS = "Segments"


class StageId(StrEnum):
    """A stage of a message's lifetime."""

    PACING = "Pacing"
    """Messages wait for the rate of their flow."""
    WINDOW_WAIT = "WindowWait"
    PULL_WAIT = "PullWait"
