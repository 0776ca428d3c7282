"""ECN thresholds: too low ones as a cause of their own, and the single threshold of DCTCP."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.quantities import in_bytes, of_kilobytes
from hopscope.results.candidate import Candidate
from hopscope.thresholds import SHORT_QUEUE

if TYPE_CHECKING:
    from hopscope._core import Scenario

THRESHOLDS = "frames.ecn."
# The share of frames that are marked from the second threshold on.
MARKED_SHARE = "frames.ecn.pmax"
DCTCP = "dctcp"
# Queues this many times as long keep a link busy over a long round trip.
LONGER_QUEUES = (64, 8)
# The causes of waiting at senders because of marks: rates or windows.
OF_SENDERS = (Cause.RATE_CONTROL, Cause.WINDOW)


def fitting_the_law(canonical: Mapping[str, Any], listed: Sequence[Relaxation]) -> list[Relaxation]:
    """The changes, with those of ECN thresholds as the senders' law expects them.

    DCTCP counts the marked share of a window, and needs every frame marked above one queue length (Alizadeh
    et al. 2010, section 3.1). RED's two thresholds, with a rising share between, are for DCQCN.
    """
    frames = canonical.get("frames", {})
    if DCTCP not in (frames.get("rate_control") or {}) or frames.get("ecn") is None:
        return [*listed]
    today = in_bytes(frames["ecn"]["kmin"])
    return [
        *(
            one_threshold(of_kilobytes(int(times * today / 1000) or 1), Cause.RATE_CONTROL, Cause.WINDOW)
            for times in LONGER_QUEUES
        ),
        *(each for each in listed if MARKED_SHARE not in each.paths),
    ]


def one_threshold(at: str, cause: Cause, *also: Cause) -> Relaxation:
    """ECN marking of every frame from this length of a queue on, for a cause and others that it relieves."""
    return Relaxation(
        f"ECN marking of every frame from a queue of {at} on",
        (f'{THRESHOLDS}kmin="{at}"', f'{THRESHOLDS}kmax="{at}"', f"{MARKED_SHARE}=1.0"),
        "longer queues",
        cause,
        None,
        also=frozenset(also),
    )


def of_thresholds(
    scenario: "Scenario", named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Rates or windows as causes, with changes of thresholds alone, if every waiting frame is marked.

    The best change of the law itself may be to have none, which is no evidence about marks.
    """
    frames = json.loads(scenario.canonical_json()).get("frames", {})
    ecn = frames.get("ecn")
    if ecn is None or in_bytes(ecn["kmax"]) >= SHORT_QUEUE * in_bytes(frames["mtu"]):
        return []
    first = next((each for each in named if each.cause in OF_SENDERS), None)
    own = [each for each in listed if each.paths[0].startswith(THRESHOLDS)]
    return [] if first is None or not own else [(first, own)]
