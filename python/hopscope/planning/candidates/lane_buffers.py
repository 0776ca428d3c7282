"""Lane buffers that fit the cables: credits for all data sent until the first one returns."""

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING
from typing import Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.pause_thresholds import in_a_round_trip, in_words
from hopscope.planning.quantities import in_bytes

BUFFER = "frames.flow_control.credits.buffer_per_lane"


def fitting_credits(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Larger lane buffers, if the longest cable has more in flight in a round trip than they hold.

    A sender has as many credits as the buffer has room. With fewer than it can send in a round trip it waits
    for credit although the link is idle, and doubling a small buffer leaves most of that wait. The size is in
    whole frames, plus one: the credit of a frame returns only after all of it has left.
    """
    control = canonical.get("frames", {}).get("flow_control", {}).get("credits")
    if control is None:
        return
    needed = in_a_round_trip(canonical)
    if in_bytes(control["buffer_per_lane"]) >= needed:
        return
    mtu = in_bytes(canonical["frames"]["mtu"])
    size = in_words(mtu * ((needed / mtu).to_integral_value(ROUND_CEILING) + 1))
    label = f"buffers of lanes of {size}, enough for a round trip of the longest cable"
    made = (f"{BUFFER}={toml_text(size)}",)
    yield Relaxation(label, made, f"{size} per lane of a port", Cause.WINDOW, None)
