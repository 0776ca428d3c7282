"""The classes of causes: why messages wait (docs/reference/causes.md)."""

from enum import StrEnum


class Cause(StrEnum):
    """The class of a cause, by the name that the engine's explanations give it."""

    HEALTHY = "healthy"
    RESOURCE = "resource"
    SLOW_SERVICE = "slow service"
    VARIABILITY = "variability"
    INTERRUPTION = "interruption"
    LOSS = "loss"
    CIRCULAR_WAIT = "circular wait"
    BLOCKING = "blocking"
    WINDOW = "window"
    RATE_CONTROL = "rate control"
    ROUTE_CONCENTRATION = "route concentration"
    PATH_COLLISION = "path collision"
    ROUTING_LOOP = "routing loop"
    LANES = "lanes"
    OVERLOAD = "overload"

    def __repr__(self) -> str:
        """As the text that it is: notebooks show it."""
        return repr(self.value)
