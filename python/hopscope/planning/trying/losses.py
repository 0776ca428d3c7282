"""The gain of a change if packets are lost for good, which are in no delay."""

from dataclasses import replace

from hopscope.estimate import Estimate
from hopscope.goal import Goal
from hopscope.planning.candidates.settings import GIVEN_UP
from hopscope.planning.trying.relief import Gained, Ran
from hopscope.results.run import RunResult
from hopscope.results.trial import WORTH_NAMING


def with_losses(found: Gained, today: Ran, after: Ran) -> Gained:
    """A gain with the packets lost for good without and with the change, if they become fewer.

    A change without a sure gain in time is judged by them. Both runs have the same random numbers and the
    same failures: the difference is not chance.
    """
    lost, now = (_lost_for_good(run) for _, run in (today, after))
    if now >= lost:
        return found
    if found.gain is not None and found.gain.low >= WORTH_NAMING:
        return replace(found, lost=(lost, now))
    share = 1 - now / lost
    gain = Estimate(share, share, share, "fraction", 1)
    return Gained(Goal.LOSSES, gain, gain, has_interval=False, lost=(lost, now))


def _lost_for_good(run: RunResult) -> int:
    """The packets lost for good, and the messages that senders gave up."""
    given_up = run.summary.find(GIVEN_UP)
    lost = int(run.explain().page.get("lost_for_good", 0))
    return lost + (0 if given_up is None else int(given_up.value))
