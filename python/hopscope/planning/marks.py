"""ECN thresholds that no queue can keep below, as a cause of their own."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.planning.changes import Relaxation
from hopscope.planning.quantities import in_bytes

if TYPE_CHECKING:
    from hopscope._core import Scenario

THRESHOLDS = "frames.ecn."
# One frame that waits behind one that is sent is no sign of congestion.
SHORT_QUEUE = 2
# What senders wait for by such marks: their rates, or their windows.
OF_SENDERS = (Cause.RATE_CONTROL, Cause.WINDOW)


def of_thresholds(
    scenario: "Scenario", named: Sequence[Mapping[str, Any]], listed: Sequence[Relaxation]
) -> list[tuple[Mapping[str, Any], list[Relaxation]]]:
    """What senders wait for, with changes of the thresholds alone, where these mark every frame that waits.

    The best change of the law itself may be to have none: that tells nothing of the marks.
    """
    frames = json.loads(scenario.canonical_json()).get("frames", {})
    ecn = frames.get("ecn")
    if ecn is None or in_bytes(ecn["kmax"]) >= SHORT_QUEUE * in_bytes(frames["mtu"]):
        return []
    first = next((each for each in named if each["cause"] in OF_SENDERS), None)
    own = [each for each in listed if each.paths[0].startswith(THRESHOLDS)]
    return [] if first is None or not own else [(first, own)]
