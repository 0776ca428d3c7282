"""Messages that have not arrived when a run ends: they are not in the delays of the others.

A lost message waits for a timeout. In a run that ends before, it is in no delay, and a longer timeout seems
to be faster. By Little's law the mean number under way includes all messages: it is their rate times their
time.
"""

import json
import math
from dataclasses import dataclass
from typing import Self

from hopscope.planning.kinds import Model
from hopscope.results.run import RunResult

# Numbers under way surely differ if they do by this many standard deviations of a Poisson number.
DEVIATIONS_WHERE_SURE = 3.0
# Messages under way count if all messages took at least this many times as long as those that arrived.
LEAST_LENGTHENING = 1.05
# Queues grow in only one of two runs if their backlogs differ by at least this factor.
TIMES_THE_BACKLOG = 2.0


@dataclass(frozen=True, slots=True)
class UnderWay:
    """Messages under way when a run ended, and the ratio of the time of all to that of arrived ones.

    `longer` is at least 1, and 1 if no more were under way than those that arrived explain.
    """

    end: float
    longer: float = 1.0

    @classmethod
    def of(cls, run: RunResult) -> Self | None:
        """Those of a run; None if it does not count them, or has no delay.

        Also None without retransmission: lost messages then stay under way and wait for nothing.
        """
        found, measured = run.summary.fields.get("under_way"), run.summary.fields["measured"]
        rows = [row["estimate"] for row in run.summary.ledger()]
        if found is None or not rows or None in rows:
            return None
        if not measured["span_s"] or not measured["messages"] or not _sends_again(run):
            return None
        life_s = 1e-6 * math.fsum(row["value"] for row in rows)
        explained = measured["messages"] / measured["span_s"] * life_s
        if not explained:
            return None
        longer = found["mean"] / explained
        is_more = exceeds(found["end"], explained) and longer > LEAST_LENGTHENING
        return cls(found["end"], longer if is_more else 1.0)

    @property
    def is_more(self) -> bool:
        """Whether more were under way than those that arrived explain."""
        return self.longer > 1


def _sends_again(run: RunResult) -> bool:
    """Whether lost packets are sent again; in a fabric that needs frames with `recovery`."""
    scenario = run.scenario
    return scenario.model != Model.FABRIC or "recovery" in json.loads(scenario.canonical_json()).get(
        "frames", {}
    )


def exceeds(number: float, other: float) -> bool:
    """Whether one random number of messages under way is surely above another."""
    return number > other + DEVIATIONS_WHERE_SURE * math.sqrt(number + other)


def still_wait(today: UnderWay, now: UnderWay) -> bool:
    """Whether a run ends while messages wait that would have arrived without its change.

    Then the times of those that have arrived show no gain: the times of the others are unknown.
    """
    return now.is_more and exceeds(now.end, today.end)


def less_wait(base: RunResult, run: RunResult) -> bool:
    """Whether a run with growing queues ends with many times the messages under way of a changed one.

    Near capacity chance may saturate one of two runs; then they end with about as many.
    """
    today, now = (each.summary.fields.get("under_way") for each in (base, run))
    return today is not None and now is not None and today["end"] > TIMES_THE_BACKLOG * max(now["end"], 1)
