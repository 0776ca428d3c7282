"""The closed kinds by which planning decides: variants, reasons for saturation, routes, nodes."""

from enum import StrEnum


class What(StrEnum):
    """A scenario as a search for its capacity simulates it: as it is, or changed in one respect."""

    AS_IS = "as-it-is"
    NO_HEAD_OF_LINE = "any-packet-leaves"
    UNBOUNDED = "unbounded-fifos"
    LONG_QUEUES = "queues-never-drop"
    SHORTEST = "unbounded-fifos-shortest-paths"
    AT_ONCE = "no-decision-no-set-up"
    AT_ONCE_ANY = "no-decision-no-set-up-any-packet-leaves"
    MATCHED = "all-rounds-of-matching"
    FAST_HOSTS = "fast-hosts"
    NO_FAULTS = "no-faults"
    REPLACED = "slow-cables-replaced"
    JOINED = "added-link"
    DIMENSION_ORDER = "dimension-order"
    UP_DOWN = "up-down"


class Why(StrEnum):
    """A reason for saturation."""

    HEAD_OF_LINE = "head-of-line blocking"
    ROOT = "root concentration"
    BUFFERS = "small FIFOs"
    DROPS = "full queues that drop"
    LINK = "link"
    HOST_LINK = "host link"
    DEADLOCK = "deadlock"
    SETTING_UP = "decision and set-up"
    MATCHING = "matching of the scheduler"
    SLOW_HOST = "slow host"
    FAULT = "fault"
    SLOW_CABLE = "slow cable"


class Model(StrEnum):
    """A model whose scenarios planning knows more of than what their schemas list."""

    ARPANET = "arpanet"
    FABRIC = "fabric"
    PUP = "pup"
    QUEUEING = "queueing"
    SNA = "sna"


class Sending(StrEnum):
    """When a sender has another message to send, instead of a rate or a load."""

    ALWAYS = "saturated"
    """As soon as the network has taken the previous one."""


class Pattern(StrEnum):
    """A symptom of a run, by its name in the engine's explanation."""

    CONGESTION_TREE = "congestion tree"
    SYNCHRONISED_BURSTS = "synchronised bursts"


class StageKind(StrEnum):
    """What messages do in a stage of their lifetime; only waiting is distinguished."""

    WAIT = "wait"


class Routing(StrEnum):
    """The routes of a candidate, by the names of the engine's analysis and of `routing.rule`.

    `AS_NOW` are those of the scenario, whatever they are; `TABLES` those of a routing engine.
    """

    AS_NOW = "as now"
    UP_DOWN = "up-down"
    SHORTEST = "shortest"
    DIMENSION_ORDER = "dimension-order"
    BY_FAMILY = "by-family"
    TABLES = "tables"


class Sort(StrEnum):
    """What a listed change is of, for changes made together or of whole routes."""

    LINE = "line"
    SEGMENTS = "segments"
    REJECT = "reject"
    SERVICE = "service"
    SERVERS = "servers"
    QUEUE = "queue"
    CONNECTION = "connection"
    BURSTS = "bursts"
    PRIORITY = "priority"
    PHASE = "phase"
    STEPS = "steps"
    SWITCH = "switch"
    MEMORY = "memory"


class NodeKind(StrEnum):
    """The kind of a node in a drawing of a network."""

    SWITCH = "switch"
    HOST = "host"
