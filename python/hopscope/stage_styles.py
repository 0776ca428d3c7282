"""The looks of stages of the ledger: the same on every page and in every chart."""

from collections.abc import Sequence
from functools import cache

from hopscope import kinds

COLOURS = 6
"""The number of colours of waits, and of services. As many more looks are these with hatching."""

# The stages that share a look are of different models or mechanisms, so that they hardly meet in one run.
# Stages that are often long have looks without hatching.
_WAITS = (
    ("SendQueue", "HostQueue", "HostWait", "SessionPacingWait", "wait at station 1"),
    ("Paused", "Stopped", "CreditWait", "LineWait", "EthernetWait", "wait at station 2"),
    ("Queueing", "OutputWait", "MessageNumberWait", "GatewayWait", "VirtualRouteWait", "wait at station 3"),
    ("Pacing", "AllocationWait", "RadioWait", "NodeWait", "wait at station 4"),
    ("WindowWait", "FifoWait", "ChannelWait", "AcknowledgmentWait", "ResequencingWait", "wait at station 5"),
    ("RetransmissionWait", "LaneWait", "BoundaryPacingWait", "wait at station 6"),
    ("PullWait", "RfnmQueueing", "NodeBufferWait", "wait at station 7"),
    ("OutOfOrderWait", "ReassemblyWait", "OrderWait", "wait at station 8"),
    ("BodyPaused", "ProcessorWait", "BufferWait", "UnitWait"),
    ("MessageBlockWait", "HostOutputWait", "StoreAndForwardWait"),
    ("PacketTableWait", "RfnmOrderWait"),
    ("LeaderTableWait", "RfnmAllocationWait"),
)
_SERVICES = (
    (
        "Transmission",
        "Body",
        "EthernetTransmission",
        "LineTransmission",
        "UnitService",
        "service at station 1",
    ),
    ("Propagation", "LineTransit", "service at station 2"),
    ("Switching", "Decision", "Processing", "GatewayProcessing", "NodeProcessing", "service at station 3"),
    ("SetUp", "RfnmTransit", "RadioTransit", "service at station 4"),
    ("HostInput", "RadioAcceptance", "service at station 5"),
    ("HostProcessing", "RadioDelay", "service at station 6"),
    ("Reception", "HostOutput", "service at station 7"),
    ("RfnmToHost", "Turnaround", "service at station 8"),
)


def of_stages(stages: Sequence[tuple[str, str]]) -> list[int]:
    """The looks of the stages of one figure, each given as (word, "wait" or "service").

    Each kind counts its looks from 0; from `COLOURS` on they are hatched. A stage whose own look is used by
    another of the figure gets the next free one, and so do entries that are not stages of a ledger, such as
    "other wait".
    """
    own = [_own().get(word) for word, _ in stages]
    found: list[int] = [-1] * len(stages)
    taken: dict[str, set[int]] = {"wait": set(), "service": set()}
    for number, ((_, kind), look) in enumerate(zip(stages, own, strict=True)):
        if look is not None and look not in taken[kind]:
            found[number] = look
            taken[kind].add(look)
    for number, (_, kind) in enumerate(stages):
        if found[number] < 0:
            first = own[number]
            found[number] = _free(taken[kind], 2 * COLOURS - 1 if first is None else first)
            taken[kind].add(found[number])
    return found


def _free(taken: set[int], first: int) -> int:
    """The next free look from this one on; this one if all are used."""
    looks = [(first + step) % (2 * COLOURS) for step in range(2 * COLOURS)]
    return next((look for look in looks if look not in taken), first)


@cache
def _own() -> dict[str, int]:
    """The look of each stage, by its word."""
    words = {kind["id"]: kind["word"] for kind in kinds.table()["stages"]}
    of_both = [*enumerate(_WAITS), *enumerate(_SERVICES)]
    return {words[stage]: look for look, stages in of_both for stage in stages}
