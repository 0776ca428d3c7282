"""What a change gains where packets are lost that nobody sends again: no delay tells of these."""

from hopscope.estimate import Estimate
from hopscope.planning.goals.goal import Goal
from hopscope.planning.trying.relief import GIVEN_UP, Gained, Ran
from hopscope.results.run import RunResult


def gained_of_losses(today: Ran, after: Ran) -> Gained | None:
    """How many fewer packets are lost for good; None where none are today, or no fewer with the change.

    Both runs have the same random numbers, and what fails is the same in both: the difference is no chance.
    """
    lost, now = (_lost_for_good(run) for _, run in (today, after))
    if now >= lost:
        return None
    share = 1 - now / lost
    gain = Estimate(share, share, share, "fraction", 1)
    return Gained(Goal.LOSSES, gain, gain, has_interval=False, lost=(lost, now))


def _lost_for_good(run: RunResult) -> int:
    """The packets that nobody sends again, and the messages that senders gave up."""
    given_up = run.summary.find(GIVEN_UP)
    lost = int(run.explain().page.get("lost_for_good", 0))
    return lost + (0 if given_up is None else int(given_up.value))
