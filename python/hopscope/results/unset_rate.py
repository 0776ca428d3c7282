"""A note on frames that cross links whose rate the scenario does not give."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopscope._core import Scenario

RATE = "link.rate"


def unset_rate(scenario: "Scenario") -> str | None:
    """The rate that links under frames have by default, in words; None if the scenario gives their rates.

    The default of `link.rate` is that of AN1 (SRC report 88), a thousandth of what frames cross today. A file
    of a network has rates of its own.
    """
    canonical = json.loads(scenario.canonical_json())
    if "frames" not in canonical or scenario.is_given(RATE):
        return None
    network = canonical["network"]
    if "file" in network or _all_have_rates(network.get("custom")):
        return None
    rate = canonical["link"]["rate"]
    return f"assumed: links of {rate}, as AN1 has them, because nothing sets {RATE}"


def _all_have_rates(custom: Mapping[str, Any] | None) -> bool:
    """Whether every link and every host of a network described in the scenario has a rate of its own."""
    if custom is None:
        return False
    return all(each.get("rate") is not None for key in ("links", "hosts") for each in custom.get(key, ()))
