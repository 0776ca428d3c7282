"""A class behind a queue that ECN lets grow: marks at a few frames instead of another lane."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.numerals import percent
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.marks import MARKED_SHARE, THRESHOLDS
from hopscope.planning.candidates.suspects import of_class_of, suspect
from hopscope.planning.quantities import in_bytes
from hopscope.results.candidate import Candidate

if TYPE_CHECKING:
    from hopscope._core import Scenario

# ECN thresholds that keep a queue to a few frames: kmin and kmax in frames, and the share marked below kmax.
EARLY_FRAMES, ALL_FRAMES, EARLY_SHARE = 4, 16, 0.5
# The usual kmax in bytes, and the share marked just below it: Zhu et al. 2015, section 5.2.
USUAL_MOST, USUAL_SHARE = 200_000, 0.01


def earlier(scenario: "Scenario", named: Sequence[Candidate]) -> list[tuple[Candidate, list[Relaxation]]]:
    """A class that waits behind another one's queue, with ECN marks that keep that queue short.

    Another lane helps the class whatever fills the first one, and is no evidence of why that is full. If only
    pauses slow senders down, a law with such marks is tried; else only if a law of rates or windows reacts to
    marks, and these come later than is usual.
    """
    frames = json.loads(scenario.canonical_json()).get("frames", {})
    ecn, first = frames.get("ecn"), next((each for each in named if each.behind is not None), None)
    if first is None or not frames:
        return []
    low, high = (_size(number * in_bytes(frames["mtu"])) for number in (EARLY_FRAMES, ALL_FRAMES))
    if _is_without_control(frames):
        return [_with_control(first, low, high)]
    if ecn is None or not (frames.get("dcqcn") or frames.get("rate_control")):
        return []
    most, share = in_bytes(ecn["kmax"]), ecn["pmax"]
    if most <= USUAL_MOST and share >= USUAL_SHARE:
        return []
    change = Relaxation(
        f"ECN marking from a queue of {low} on, of every frame from {high} on",
        (
            f'{THRESHOLDS}kmin="{low}"',
            f'{THRESHOLDS}kmax="{high}"',
            f"{MARKED_SHARE}={max(share, EARLY_SHARE)}",
        ),
        "rates cut earlier",
        Cause.RATE_CONTROL,
        None,
    )
    if first.cause is Cause.RATE_CONTROL:
        return [(first, [change])]
    words = (
        f"Late marks: ECN marks {percent(share)} of the frames in a queue of nearly {_size(most)}, and all "
        f"of them only in a longer one. `{first.of_class}` waits behind such a queue of `{first.behind}`."
    )
    return [(of_class_of(first, suspect(Cause.RATE_CONTROL, words, [], None)), [change])]


def _is_without_control(frames: Mapping[str, Any]) -> bool:
    """Whether nothing but pauses slows senders down, where switches could mark frames.

    With priorities of their own, a class waits behind another one as the scheduling has it.
    """
    is_none = not any(frames.get(key) for key in ("ecn", "dcqcn", "rate_control"))
    return is_none and frames.get("flow_control", {}).get("pfc", {}).get("priorities") == 1


def _with_control(first: Candidate, low: str, high: str) -> tuple[Candidate, list[Relaxation]]:
    """DCQCN with marks that keep a queue to a few frames, for a class that waits behind one without any."""
    marks = toml_text({"kmin": low, "kmax": high, "pmax": EARLY_SHARE})
    change = Relaxation(
        f"DCQCN, with ECN marking from a queue of {low} on, of every frame from {high} on",
        (f"frames.ecn={marks}", "frames.dcqcn={}"),
        "adapters with congestion control",
        Cause.RATE_CONTROL,
        None,
    )
    words = (
        f"No congestion control: only pauses slow down the senders of `{first.behind}`. "
        f"`{first.of_class}` waits {percent(first.weight)} of its lifetime behind their queue."
    )
    return of_class_of(first, suspect(Cause.RATE_CONTROL, words, [], None)), [change]


def _size(size: Decimal | int) -> str:
    """A length of a queue in whole KB, or MB."""
    number = int(size)
    return f"{number / 10**6:g} MB" if number % 10**6 == 0 else f"{number // 1000} KB"
