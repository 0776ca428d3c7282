"""What may delay a job that alone waits in a healthy network: its rates, windows and paths.

The mean over all messages hides the job's few ones. No resource is busy: the job's long messages wait for
rates or windows of their senders, or for one another if a hash puts them on one link.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.ids import StageId
from hopscope.numerals import percent
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.reliefs import reliefs
from hopscope.planning.candidates.settings import Causes, with_settings
from hopscope.planning.candidates.suspects import HASH, suspect
from hopscope.planning.goals.job import waiting_job
from hopscope.planning.kinds import StageKind
from hopscope.results.candidate import Candidate

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# The ids of stages in which messages wait for rates or windows, with the class of cause.
OF_SENDERS = {
    StageId.PACING: (Cause.RATE_CONTROL, "the rates"),
    StageId.WINDOW_WAIT: (Cause.WINDOW, "the windows"),
    StageId.PULL_WAIT: (Cause.RATE_CONTROL, "the pulls"),
}


def of_a_waiting_job(scenario: "Scenario", why: "Explanation", listed: Sequence[Relaxation]) -> Causes:
    """Causes for the job that alone waits: its law of rates or windows, and a hash of its flows."""
    canonical = json.loads(scenario.canonical_json())
    job = waiting_job(canonical, why)
    if job is None:
        return []
    share = next(each["share"] for each in why.page["hurt"] if each["who"] == job)
    waits = f"`{job}` waits {percent(share)} of its lifetime"
    all_wait = f"All classes together wait {percent(why.page['waiting'] or 0.0)} of theirs."

    def of_job(cause: Cause, words: str) -> Candidate:
        return replace(suspect(cause, words, [], None, share), of_class=job)

    rows = [row for row in why.data["shares"]["stages"] if row["kind"] == StageKind.WAIT]
    longest = max(rows, key=lambda row: row["share"], default=None)
    found: Causes = []
    if longest is not None and longest["id"] in OF_SENDERS:
        cause, what = OF_SENDERS[longest["id"]]
        named = of_job(
            cause, f"{cause.capitalize()}: {waits}, most of it for {what} of its flows. {all_wait}"
        )
        found += with_settings(scenario, why, [(named, reliefs(listed, named))], listed)
    if canonical.get("frames", {}).get("balancing") == HASH:
        words = f"Path collisions: a hash puts several flows of `{job}` on one of several links to the same"
        named = of_job(Cause.PATH_COLLISION, f"{words} places. {waits}. {all_wait}")
        found += [(named, reliefs(listed, named))]
    return [(candidate, changes) for candidate, changes in found if changes]
