"""A job that waits while many other messages do not: the mean over all hides it.

A job has few, long messages. When it is relieved it sends more of them, so the mean over all messages may
even rise. So the time of its own rounds is compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.metric_key import MetricKey
from hopscope.planning.goals.mix import MEAN
from hopscope.thresholds import WAITS
from hopscope.units import US_PER

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation
    from hopscope.results.run import RunResult

ROUND = "round"
POISSON = "poisson"


def jobs(canonical: Mapping[str, Any]) -> list[str]:
    """The groups of flows in rounds, as far as they have names."""
    groups = [group for group in canonical.get("flows", ()) if POISSON not in group["pattern"]]
    return [group["name"] for group in groups if "name" in group]


def names(canonical: Mapping[str, Any]) -> list[str]:
    """The groups of flows, as far as they have names; a single one has none of its own."""
    return [group["name"] for group in canonical.get("flows", ()) if "name" in group]


def endless(canonical: Mapping[str, Any]) -> list[str]:
    """The jobs whose next round begins as soon as one has ended: the network decides how much they send."""
    groups = canonical.get("flows", ())
    own = {
        group["name"]
        for group in groups
        if "name" in group and group["rounds"] == 0 and not group.get("every")
    }
    return [name for name in jobs(canonical) if name in own]


def waiting_job(canonical: Mapping[str, Any], why: "Explanation") -> str | None:
    """The job that waits for much of its lifetime, and longest, while others do not; None if none.

    If others wait as long or longer, or queues grow, the mean over all messages includes them. A class that
    waits behind another one is judged together with that; and messages that come together wait for one
    another, which does not delay their job.
    """
    is_of_two = why.verdict.behind is not None or why.cause == Cause.VARIABILITY
    if is_of_two or why.page["waiting"] is None or why.page["times_minimum"] is None:
        return None
    groups = names(canonical)
    classes = [each for each in why.page["hurt"] if each["who"] in groups]
    waiting = [each["who"] for each in classes if each["share"] >= WAITS]
    is_alone = len(waiting) == 1 and waiting[0] == classes[0]["who"] and waiting[0] in jobs(canonical)
    return waiting[0] if is_alone else None


def of_rounds(run: "RunResult", job: str) -> Estimate | None:
    """The mean time of a job's rounds in us; None if too few have ended for an interval."""
    found = run.summary.find(str(MetricKey(ROUND, job, MEAN)))
    if found is None:
        return None
    per = US_PER[found.unit]
    return replace(found, value=per * found.value, low=per * found.low, high=per * found.high, unit="us")


def rounds_ended(run: "RunResult", of: Sequence[str] = ()) -> int:
    """The number of ended rounds of these groups, or of all; a run without any has no metric of them."""
    rows = [row for row in run.summary.fields["metrics"] if (row["name"], row["statistic"]) == (ROUND, MEAN)]
    own = [row["estimate"] for row in rows if not of or row["class"] in of]
    return sum(each["n"] for each in own if each is not None)
