"""Runs that are too short to call a network healthy."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from hopscope.numerals import number, percent
from hopscope.overrides import options
from hopscope.planning.quantities import scaled
from hopscope.results.explanation import HEALTHY, Explanation
from hopscope.results.summary import Doubt

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

# Where messages wait for more than this share of their lifetime, little more would be too much.
HALF = 0.5
# So many times as long a run is proposed: intervals are half as wide.
LONGER = 4


def too_short(found: Explanation, result: "RunResult") -> Explanation:
    """A verdict of health as one that is open, where messages wait for long and nobody knows for how long.

    The run says so itself: delays are correlated from batch to batch, and its intervals too narrow. A longer
    one tells.
    """
    waiting, times = found.page["waiting"], found.page["times_minimum"]
    is_doubted = Doubt.CORRELATED in result.summary.doubts
    if found.cause != HEALTHY or not is_doubted or not waiting or not times or waiting < HALF:
        return found
    sentence = (
        f"The run is too short to tell: message lifetime is {number(times, 3)} times its minimum "
        f"({percent(waiting)} of it is waiting), but delays in successive batches are correlated, so it may "
        f"be more. Run longer: {_longer(result)}."
    )
    told = found.naming(replace(found.verdict, sentence=sentence), *found.runners_up)
    told.confirmation = found.confirmation
    return told


def _longer(result: "RunResult") -> str:
    """The option that makes the run longer: by its duration, where that ended it, or else by its messages."""
    canonical = json.loads(result.scenario.canonical_json())
    duration, messages = canonical.get("duration"), canonical["measure"]["messages"]
    if duration is not None and result.summary.fields["measured"]["messages"] < messages:
        return options([f'duration="{scaled(duration, LONGER)}"'])
    return options([f"measure.messages={LONGER * messages}"])
