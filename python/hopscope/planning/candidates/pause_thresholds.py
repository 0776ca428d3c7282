"""Pause thresholds that fit the cables: at least what arrives in a round trip of the longest."""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation, Step, times
from hopscope.planning.candidates.variants import changed
from hopscope.planning.quantities import in_bit_s, in_bytes, in_ps
from hopscope.results.candidate import Candidate
from hopscope.units import BITS, PS

if TYPE_CHECKING:
    from hopscope._core import Scenario

# A cable is traversed twice from the decision to pause a sender until the last data it sent arrives.
THERE_AND_BACK = 2
FRAMES = 2
# These multiples of the fitting threshold are tried: a switch forwards no faster than its outputs send.
SIZES = (0.5, 1.0, 2.0)
# A buffer too small for such thresholds at all inputs is enlarged by the first of these factors that is
# enough.
BUFFERS = (2, 4, 8, 16)
XOFF = "frames.flow_control.pfc.xoff"
XON = "frames.flow_control.pfc.xon"
# A resume level (xon) below this share of the default resumes senders too late.
FAR_BELOW = 0.5
OF_PAUSES = (Cause.BLOCKING, Cause.WINDOW)
BUFFER = "frames.buffer.size"


def fitting(scenario: "Scenario", canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """A higher threshold in several sizes, if a cable has more in flight than the threshold."""
    pfc = canonical.get("frames", {}).get("flow_control", {}).get("pfc")
    if pfc is None or "alpha" in canonical["frames"]["buffer"]:
        return
    needed = in_a_round_trip(canonical)
    if in_bytes(pfc["xoff"]) >= needed:
        return
    steps = [step for size in SIZES if (step := _step(scenario, canonical, size, needed)) is not None]
    chosen = next((step for step in steps if step.amount == "x1"), None)
    if chosen is not None:
        curve = tuple(steps) if len(steps) > 1 else ()
        yield Relaxation(chosen.label, chosen.set, chosen.cost, Cause.WINDOW, None, curve)


def resumed_late(
    scenario: "Scenario", named: Sequence[Candidate]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Waits because of pauses, with the default resume level, if the scenario's is far below.

    The buffer content at the resume level has to last until the first new frame arrives. By default it is the
    pause threshold less two frames (Zhu et al. 2015, section 4).
    """
    usual = _usual_level(json.loads(scenario.canonical_json()))
    first = next((each for each in named if each.cause in OF_PAUSES), None)
    if first is None or usual is None:
        return []
    label = f"senders resume at {in_words(usual)}, two frames below xoff"
    return [(first, [Relaxation(label, (f"{XON}=",), "more pause frames", first.cause, None)])]


def resuming(scenario: "Scenario", changes: Sequence[Sequence[str]]) -> list[str]:
    """A sentence on the resume level, if a higher one surely helps."""
    if not any(each.startswith(f"{XON}=") for change in changes for each in change):
        return []
    pfc = json.loads(scenario.canonical_json())["frames"]["flow_control"]["pfc"]
    return [
        f"Senders are paused from {in_words(in_bytes(pfc['xoff']))} on and resume only at "
        f"{in_words(in_bytes(pfc['xon']))}: an input may run empty before the next frame arrives."
    ]


def _usual_level(canonical: Mapping[str, Any]) -> Decimal | None:
    """The default resume level, bytes; None if the scenario's is not far below."""
    frames = canonical.get("frames", {})
    pfc = frames.get("flow_control", {}).get("pfc", {})
    if pfc.get("xon") is None:
        return None
    usual = in_bytes(pfc["xoff"]) - FRAMES * in_bytes(frames["mtu"])
    return usual if in_bytes(pfc["xon"]) < Decimal(repr(FAR_BELOW)) * usual else None


def _step(scenario: "Scenario", canonical: Mapping[str, Any], size: float, needed: Decimal) -> Step | None:
    """One size of the threshold, with a larger buffer if needed; None if no size is enough."""
    xoff = in_words(needed * Decimal(repr(size)))
    buffer = in_bytes(canonical["frames"]["buffer"]["size"])
    ways = [(1, ()), *((more, (f"{BUFFER}={toml_text(in_words(buffer * more))}",)) for more in BUFFERS)]
    for more, larger in ways:
        made = (f"{XOFF}={toml_text(xoff)}", *larger)
        if isinstance(changed(scenario, made), str):
            continue
        fits = "for a round trip of the longest cable"
        part = "" if size == 1 else f"{times(size)} what is enough "
        buffers = "" if more == 1 else f", switch buffers {times(more)} as large"
        return Step(
            f"x{size:g}", f"pause thresholds of {xoff}, {part}{fits}{buffers}", made, f"{xoff} per input"
        )
    return None


def in_a_round_trip(canonical: Mapping[str, Any]) -> Decimal:
    """The data that arrives in a round trip of the longest cable, with a frame at either end, bytes."""
    return max(map(_under_way, cables(canonical))) + FRAMES * in_bytes(canonical["frames"]["mtu"])


def _under_way(cable: tuple[str, str]) -> Decimal:
    """The data that arrives in a round trip of a cable with this rate and delay, bytes."""
    rate, delay = cable
    return in_bit_s(rate) * THERE_AND_BACK * in_ps(delay) / PS["s"] / BITS["B"]


def cables(canonical: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Rate and delay of every kind of cable that the scenario describes."""
    usual = canonical["link"]
    yield usual["rate"], usual["delay"]
    custom = canonical["network"].get("custom", {})
    for each in (*custom.get("links", ()), *custom.get("hosts", ())):
        yield each.get("rate", usual["rate"]), each.get("delay", usual["delay"])


def in_words(size: Decimal) -> str:
    """An amount of data in words, in whole kilobytes from 1 kB on."""
    if size < 1000:  # noqa: PLR2004 - a kilobyte
        return f"{int(size.to_integral_value(ROUND_CEILING))} B"
    return f"{int((size / 1000).to_integral_value(ROUND_CEILING))} KB"
