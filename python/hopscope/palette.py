"""The colours of every chart and drawing: legible on white and, by their lightness, to colour-blind eyes."""

from itertools import pairwise

from hopscope import stage_styles

INK = "#1f2933"
QUIET_INK = "#5b6770"
RULE = "#d9dee3"
PAPER = "#ffffff"
ACCENT = "#1f5c99"
SERIES = ("#1f5c99", "#d1662b", "#3a8f7b", "#8a5fa8", "#b08a1d", "#6b7680")

QUIET_SERIES = "#9aa5b1"

# Waits are warm and services cool, to distinguish time lost from time used. The first six are those of the
# page (viewer/src/style/colours.css), which has hatching for the others.
WAITS = (
    *("#d1662b", "#a3301c", "#eaa04d", "#f5cf92", "#c76b7e", "#7d3c2f"),
    *("#e8b8a6", "#8f4a12", "#d9b44a", "#f2dcc0", "#a8486b", "#5a2a35"),
)
SERVICES = (
    *("#2f77ad", "#173f66", "#76b3d6", "#bcdcec", "#3a8f7b", "#6a7fb5"),
    *("#95cfbd", "#aab6dd", "#1f6f8b", "#4a5f9e", "#5fa39b", "#c9d8e8"),
)

# Utilisation from idle to full; lightness falls steadily.
_HEAT = (
    (0.0, (0xD3, 0xDA, 0xE1)),
    (0.3, (0xF3, 0xCB, 0x68)),
    (0.6, (0xE2, 0x76, 0x2A)),
    (0.85, (0xA6, 0x22, 0x1F)),
    (1.0, (0x4A, 0x0B, 0x1B)),
)


def heat(fraction: float) -> str:
    """The colour of a utilisation between 0 and 1, as #rrggbb; values outside count as the nearer end."""
    at = min(max(fraction, 0.0), 1.0)
    for (low, from_rgb), (high, to_rgb) in pairwise(_HEAT):
        if at <= high:
            part = (at - low) / (high - low)
            return "#" + "".join(
                f"{round(a + part * (b - a)):02x}" for a, b in zip(from_rgb, to_rgb, strict=True)
            )
    raise AssertionError("the scale ends at 1")


def stage_colours(stages: list[tuple[str, str]]) -> dict[str, str]:
    """A colour for each stage, given as (name, "wait" or "service") in order of occurrence."""
    looks = zip(stages, stage_styles.of_stages(stages), strict=True)
    return {name: (WAITS if kind == "wait" else SERVICES)[look] for (name, kind), look in looks}
