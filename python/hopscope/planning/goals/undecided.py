"""Runs that are too short to call a network healthy."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.numerals import number, percent
from hopscope.overrides import options
from hopscope.planning.quantities import scaled
from hopscope.results.explanation import Explanation
from hopscope.results.summary import Doubt

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

# Above this share of waiting in the lifetime, a slightly higher load may saturate the network.
CLOSE_TO_SATURATION = 0.5
# A run this many times as long is proposed: intervals are half as wide.
TIMES_AS_LONG_A_RUN = 4


def too_short(found: Explanation, result: "RunResult") -> Explanation:
    """A verdict of health made open, if messages wait long and the length of the wait is uncertain.

    The run says so itself: delays are correlated from batch to batch, and its intervals too narrow. A longer
    run decides.
    """
    waiting, times = found.page["waiting"], found.page["times_minimum"]
    is_doubted = Doubt.CORRELATED in result.summary.doubts
    if (
        found.cause != Cause.HEALTHY
        or not is_doubted
        or not waiting
        or not times
        or waiting < CLOSE_TO_SATURATION
    ):
        return found
    sentence = (
        f"The run is too short to tell: message lifetime is {number(times, 3)} times its minimum "
        f"({percent(waiting)} of it is waiting), but delays in successive batches are correlated, so it may "
        f"be more. Run longer: {_longer(result)}."
    )
    return found.naming(replace(found.verdict, sentence=sentence), *found.runners_up)


def _longer(result: "RunResult") -> str:
    """The option that makes the run longer: by duration if that ended it, else by messages."""
    canonical = json.loads(result.scenario.canonical_json())
    duration, messages = canonical.get("duration"), canonical["measure"]["messages"]
    if duration is not None and result.summary.fields["measured"]["messages"] < messages:
        return options([f'duration="{scaled(duration, TIMES_AS_LONG_A_RUN)}"'])
    return options([f"measure.messages={TIMES_AS_LONG_A_RUN * messages}"])
