"""Messages that have not arrived when a run ends: the delays of those that have do not tell of them.

What is lost waits for a timeout. In a run that ends before, it is in no delay, and a longer timeout looks
shorter. By Little's law the mean number under way tells of all messages: it is their rate times their time.
"""

import json
import math
from dataclasses import dataclass
from typing import Self

from hopscope.results.run import RunResult

# Numbers under way differ surely by so many standard deviations of a Poisson number.
SURELY = 3.0
# Those under way count where all messages took so much longer than those that arrived.
LONGER = 1.05
# Queues grow in one run, and in another one they do not, where they differ so many times.
MANY_TIMES = 2.0


@dataclass(frozen=True, slots=True)
class UnderWay:
    """Messages that were under way when a run ended, and how much longer all took than those that arrived.

    `longer` is at least 1, and 1 where no more were under way than those that arrived explain.
    """

    end: float
    longer: float = 1.0

    @classmethod
    def of(cls, run: RunResult) -> Self | None:
        """Those of a run; None where it does not tell, or has no delay.

        None also where nobody sends again what is lost: it is under way for good, and waits for nothing.
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
        is_more = exceeds(found["end"], explained) and longer > LONGER
        return cls(found["end"], longer if is_more else 1.0)

    @property
    def is_more(self) -> bool:
        """Whether more were under way than those that arrived explain."""
        return self.longer > 1


def _sends_again(run: RunResult) -> bool:
    """Whether what is lost is sent again; of a fabric's machines frames with a recovery do that."""
    scenario = run.scenario
    return scenario.model != "fabric" or "recovery" in json.loads(scenario.canonical_json()).get("frames", {})


def exceeds(number: float, other: float) -> bool:
    """Whether one number of messages under way is surely above another one, as chance has them."""
    return number > other + SURELY * math.sqrt(number + other)


def still_wait(today: UnderWay, now: UnderWay) -> bool:
    """Whether a run ends while messages wait that would have arrived without its change.

    Then the times of those that have arrived are no gain: nobody knows how long the others take.
    """
    return now.is_more and exceeds(now.end, today.end)


def less_wait(base: RunResult, run: RunResult) -> bool:
    """Whether a run whose queues grow ends with many times the messages under way of one with a change.

    Chance makes one of two runs near their capacity saturate; then they end with about as many.
    """
    today, now = (each.summary.fields.get("under_way") for each in (base, run))
    return today is not None and now is not None and today["end"] > MANY_TIMES * max(now["end"], 1)
