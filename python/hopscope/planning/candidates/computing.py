"""The time in which a job has nothing in the network, because its own steps start later."""

import json
import math
from typing import TYPE_CHECKING

from hopscope.numerals import percent
from hopscope.planning.goals.mix import MEAN
from hopscope.planning.quantities import in_ps
from hopscope.results.run import RunResult
from hopscope.thresholds import WAITS
from hopscope.units import US_PER

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The pattern whose flows say when they start after others.
LIST = "list"


def outside(scenario: "Scenario", explained: RunResult | None) -> list[str]:
    """A sentence on the least share of time without any message, if that is much of a job with late steps.

    The mean number of messages under way, their rate times their time, is at least the share of time in which
    there is one. So what is missing to 1 is the least share without.
    """
    groups = json.loads(scenario.canonical_json()).get("flows", ())
    flows = [flow for group in groups for flow in group["pattern"].get(LIST, {}).get("flows", ())]
    starts_late = any(flow.get("after") and flow.get("start") and in_ps(flow["start"]) for flow in flows)
    under_way = None if explained is None else _under_way(explained)
    if not starts_late or under_way is None or under_way > 1 - WAITS:
        return []
    share = percent(math.floor(100 * (1 - under_way)) / 100)
    return [
        f"No message is in the network for at least {share} of the time. Flows start some time after those "
        "that they wait for (`start`), such as while hosts compute. A faster network does not shorten that."
    ]


def _under_way(run: RunResult) -> float | None:
    """The mean number of messages under way; None without a mean delay."""
    delay, measured = run.summary.main_delay(), run.summary.fields["measured"]
    life = None if delay is None else run.summary.find(f"{delay}.{MEAN}")
    if life is None or not measured["span_s"]:
        return None
    return measured["messages"] * life.value * US_PER[life.unit] / (US_PER["s"] * measured["span_s"])
