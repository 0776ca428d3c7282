"""The gain of a change if packets are lost for good, which are in no delay."""

from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.candidates.settings import GIVEN_UP
from hopscope.planning.trying.relief import SAME_THROUGHPUT, Gained, Ran
from hopscope.results.run import RunResult
from hopscope.results.trial import WORTH_NAMING


def with_losses(found: Gained, today: Ran, after: Ran) -> Gained:
    """A gain with the packets lost for good without and with the change, if they become fewer.

    A change without a sure gain in time is judged by them. Both runs have the same random numbers and the
    same failures: the difference is not chance. Packets that are sent again and dropped again are not lost
    for good before their sender gives up: a change that delivers less saves none of them.
    """
    lost, now = (_lost_for_good(run) for _, run in (today, after))
    if now >= lost or _delivers_less(today[1], after[1]):
        return found
    if found.gain is not None and found.gain.low >= WORTH_NAMING:
        return replace(found, lost=(lost, now))
    share = 1 - now / lost
    gain = Estimate(share, share, share, "fraction", 1)
    return Gained(Goal.LOSSES, gain, gain, has_interval=False, lost=(lost, now))


def _delivers_less(today: RunResult, after: RunResult) -> bool:
    """Whether a changed run delivers noticeably less."""
    before, now = (run.summary.find(Goal.THROUGHPUT) for run in (today, after))
    return before is not None and now is not None and now.value < (1 - SAME_THROUGHPUT) * before.value


def _lost_for_good(run: RunResult) -> int:
    """The packets lost for good, and the messages that senders gave up."""
    given_up = run.summary.find(GIVEN_UP)
    lost = int(run.explain().page.get("lost_for_good", 0))
    return lost + (0 if given_up is None else int(given_up.value))
