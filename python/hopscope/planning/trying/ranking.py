"""The order of trials: of changes that relieve one cause, and of causes by their relief."""

import math
from collections.abc import Sequence
from dataclasses import replace

from hopscope.cause import Cause
from hopscope.goal import Goal
from hopscope.ids import ResourceId
from hopscope.metric_key import ALL_CLASSES
from hopscope.overrides import paths_of
from hopscope.planning.candidates.cabling import MENDED
from hopscope.planning.candidates.rows import BOTH_ENDS, OVERHEAD
from hopscope.planning.goals.goal import times_left
from hopscope.results.candidate import Candidate
from hopscope.results.trial import WORTH_NAMING, Trial

# A cause that explains less than this fraction of what another one does is not the main cause.
LEAST_RELATIVE_WEIGHT = 0.5
# Waits for one resource count from this share of a lifetime on.
LEAST_SHARE_OF_WAITS = 0.1
# A change at one place with at least this fraction of the gain of a change everywhere is preferred: it costs
# far less.
LEAST_RELATIVE_GAIN = 0.9


def worth(trial: Trial) -> tuple[bool, bool, bool, float, float]:
    """The order of changes that relieve one cause: gains without a credit loop, then shorter delays.

    If queues grow now, changes that carry the whole offered load come first, by the remaining delay, to two
    digits: nothing carries more, and an exactly full resource leaves a long delay.
    """
    is_safe = not trial.has_loop and trial.is_worth
    left = -math.inf if trial.left is None else -float(f"{trial.left.value:.2g}")
    return is_safe, trial.goal != Goal.THROUGHPUT, trial.left is not None, left, _of_both(trial)


def _of_both(trial: Trial) -> float:
    """The gain; for a cause about two classes that of both: from the product of their remaining times.

    A change that only exchanges the classes gains nothing: it costs the one the factor that it saves the
    other.
    """
    other = trial.other_class
    if trial.gain is None or other is None or other[0] == ALL_CLASSES:
        return value_of(trial)
    _, goal, gain = other
    return 1 - (1 - trial.gain.value) * times_left(goal, gain.value)


def best_of(trials: Sequence[Trial]) -> Trial:
    """The best change that relieves a cause; one with a credit loop only if no other surely gains.

    Other switches, or faster links of a whole kind, are chosen only if nothing smaller gains nearly as much.
    Missing cables of a switch precede faster ones that gain little more.
    """
    best = max(trials, key=worth)
    if best.is_wide:
        smaller = [trial for trial in trials if not trial.is_wide and _is_nearly_as_good(trial, best)]
        best = max(smaller, key=worth, default=best)
    if best.is_wide:
        # The smallest size of a change that gains nearly all.
        sizes = [each for each in trials if paths_of(each.set) == paths_of(best.set)]
        best = next((each for each in sizes if _is_nearly_as_good(each, best)), best)
    lacking = [each for each in trials if each.is_lacking and _is_nearly_as_good(each, best)]
    best = max(lacking, key=worth, default=best)
    if best.repairs:
        # The smallest of the repairs that surely gain as much: the others repair more for nothing.
        as_good = [trial for trial in trials if trial.repairs and trial.is_sure and _is_as_good(trial, best)]
        best = min(as_good, key=lambda trial: (trial.mended, -value_of(trial)), default=best)
    looped = [trial for trial in trials if trial.has_loop and trial.is_sure]
    return max(looped, key=worth) if looped and not best.is_sure else best


def _is_nearly_as_good(smaller: Trial, wide: Trial) -> bool:
    """Whether a change surely gains, and nearly as much as a wider one of the same measure.

    If queues grow now, it has to end that if the wider one does.
    """
    is_alike = (smaller.goal, smaller.of_class) == (wide.goal, wide.of_class) and not smaller.has_loop
    ends_as_well = smaller.left is not None or wide.left is None
    return (
        smaller.is_sure
        and is_alike
        and ends_as_well
        and value_of(smaller) >= LEAST_RELATIVE_GAIN * value_of(wide)
    )


def value_of(trial: Trial) -> float:
    """The gain, as a share; less than any other if it could not be judged."""
    return -math.inf if trial.gain is None else trial.gain.value


def apart(trials: Sequence[Trial]) -> list[Trial]:
    """The trials without repetitions of a change, such as both directions of a link.

    Of the same constants, judged by several classes, the trial stays by which they surely gain. Cables that
    are missing are the cause, and not the waiting in buffers before the others that they relieve.
    """
    found: dict[object, Trial] = {}
    for nth, trial in enumerate(trials):
        kept = found.setdefault(trial.set or nth, trial)
        is_surer = _are_same_constants(trial, kept) and trial.is_sure and not kept.is_sure
        is_of_link = kept.candidate.cause is Cause.RESOURCE and len(kept.candidate.ends) == BOTH_ENDS
        is_cabling = trial.set == MENDED and not is_of_link and kept.candidate.fault is None
        if is_surer or (is_cabling and trial.candidate.fault is not None and trial.is_sure):
            found[trial.set or nth] = trial
    return list(found.values())


def ranked(trials: Sequence[Trial], waiting: float | None = None) -> list[Trial]:
    """The trials without those that gain nothing; one that surely gains more replaces the first.

    `waiting` is the share of waiting in the lifetime, if known.

    Queues grow at a full resource even if a faster one gains nothing because the next one is as full. A trial
    that could not be judged does not replace a cause that explains far more.
    """
    named = trials[0]
    trials = [_where_it_matters(trial, named.candidate) for trial in _smallest_repairs(trials)]
    kept = [trial for trial in trials if trial.is_full or trial.is_worth or trial.gain is None]
    is_open = named not in kept and not named.is_none and not any(trial.is_sure for trial in kept)
    if is_open and (value_of(named) > -WORTH_NAMING or all(_is_little(trial, named) for trial in kept)):
        # The named cause keeps its place if nothing surely gains, even if its interval is below that of a
        # resource for which hardly anything waits.
        kept = [named, *kept]
    if kept and all(trial.gain is None and _is_little(trial, trials[0]) for trial in kept):
        kept = [trials[0], *(trial for trial in kept if trial is not trials[0])]
    kept = _repairs_first(kept or [trials[0]])
    if waiting and kept[0].candidate.cause is Cause.RESOURCE and not kept[0].repairs:
        kept.sort(key=lambda trial: not _ends_waiting(trial, waiting))
    if waiting and _ends_waiting(kept[0], waiting):
        return kept
    rivals = [trial for trial in kept[1:] if _leads(trial, kept[0])]
    best = max(rivals, key=lambda trial: _place_among(trial, rivals), default=None)
    return kept if best is None else [best, *(trial for trial in kept if trial is not best)]


def _where_it_matters(trial: Trial, named: Candidate) -> Trial:
    """A setting of all resources of a kind as one of the resource that the run names.

    A defect known only from the scenario, to which no run points, explains no share of the lifetime.
    """
    own = trial.candidate
    is_setting = trial.repairs and not own.weight and own.id is not None
    if not is_setting or own.id != named.id or own.nodes not in ((), named.nodes):
        return trial
    words = f"{own.sentence} {named.sentence}"
    at = replace(own, nodes=named.nodes, place=named.place, resource=named.resource, sentence=words)
    return replace(trial, candidate=at)


def _ends_waiting(trial: Trial, waiting: float) -> bool:
    """Whether constant services remove nearly all waiting; faster ones would only end sooner."""
    is_of_time = trial.goal != Goal.THROUGHPUT and trial.candidate.cause is Cause.VARIABILITY
    return is_of_time and trial.is_sure and value_of(trial) >= LEAST_RELATIVE_GAIN * waiting


def _place_among(trial: Trial, rivals: Sequence[Trial]) -> tuple[bool, bool, float]:
    """The order of possible first trials: no credit loop, then repairs unless another surely gains more."""
    is_known = trial.repairs and not any(other.surely_exceeds(trial) for other in rivals)
    return not trial.has_loop, is_known, value_of(trial)


def _smallest_repairs(trials: Sequence[Trial]) -> list[Trial]:
    """The trials without repairs of several defects of which a subset surely gains as much.

    The subset replaces the whole.
    """
    found = list(trials)
    for whole in [trial for trial in trials if trial.mended > 1]:
        parts = [trial for trial in found if 0 < trial.mended < whole.mended and trial.is_sure]
        as_good = [trial for trial in parts if _is_as_good(trial, whole)]
        if as_good:
            best = max(as_good, key=value_of)
            found.remove(best)
            found[found.index(whole)] = best
    return found


def _is_as_good(part: Trial, whole: Trial) -> bool:
    """Whether a repair gains as much as a larger one, within their intervals."""
    return part.goal == whole.goal and not whole.surely_exceeds(part)


def _repairs_first(trials: Sequence[Trial]) -> list[Trial]:
    """Repairs before a faster link at their place that gains no more: the defect is known."""
    found = list(trials)
    for repair in (trial for trial in trials if trial.repairs and trial.is_sure):
        before = found[: found.index(repair)]
        places = [nth for nth, other in enumerate(before) if _may_stand_for(repair, other)]
        if places:
            found.remove(repair)
            found.insert(places[0], repair)
    return found


def _may_stand_for(repair: Trial, faster: Trial) -> bool:
    """Whether a repair is no worse than a faster resource at its place, by the printed intervals.

    What is broken everywhere is broken there too.
    """
    is_resource = faster.candidate.cause is Cause.RESOURCE and not faster.repairs
    is_as_good = repair.goal == faster.goal and not faster.exceeds_as_printed(repair)
    is_there = not repair.candidate.nodes or _are_at_one_place(repair, faster)
    return is_resource and is_as_good and is_there


def _leads(rival: Trial, first: Trial) -> bool:
    """Whether a cause precedes the one that the run points to: its relief surely gains, and more.

    A relief that surely gains precedes one that could not be judged, except for a broad one, which is
    evidence for no cause. The repair of a known defect comes first unless the other surely gains more.
    """
    if first.is_full and not first.is_sure and _hardly_explains(rival, first):
        return False
    is_no_more = first.repairs and first.is_sure and _may_stand_for(first, rival)
    is_faster = _is_place_alone(rival, first) or _is_faster_line(rival, first)
    is_faster = is_faster or (_serves_all(first) and not _ends_growth(rival))
    # A few packets lost for good do not precede a cause that surely makes all messages wait.
    is_of_few = rival.goal == Goal.LOSSES and first.is_sure
    is_of_lost = _is_window_of_lost(rival, first) or _carries_it_again(rival, first)
    if is_faster or is_of_few or is_of_lost or is_no_more:
        return False
    are_all_links = first.is_broad and first.candidate.cause is Cause.RESOURCE and not rival.is_broad
    is_other_setting = _are_its_constants(rival, first) or _spares_as_well(rival, first)
    is_other_setting = is_other_setting or (_are_same_constants(rival, first) and not first.is_sure)
    is_other_setting = is_other_setting or _is_its_memory(rival, first)
    if are_all_links or is_other_setting or _is_of_its_bursts(rival, first) or _breaks_loop(rival, first):
        # All links of a kind are faster, and none was full; or rate control is removed; or a faster link
        # would serve bursts that need not meet; or a larger buffer would move a queue around a credit loop.
        return rival.is_sure
    if rival.has_loop and first.is_sure and not first.has_loop:
        # It makes a deadlock possible.
        return False
    if rival.repairs and not first.repairs:
        return rival.is_sure and not _parts_classes(first, rival) and not first.surely_exceeds(rival)
    is_broad = rival.is_broad and first.gain is None
    if is_broad or _is_its_lane(rival, first) or _is_of_its_root(rival, first):
        return False
    is_told = not first.is_judged or rival.surely_exceeds(first) or _explains_more(rival, first)
    is_told = is_told or _lies_higher(rival, first)
    return rival.is_sure and (is_told or _gains_where_first_may_not(rival, first))


def _serves_all(first: Trial) -> bool:
    """Whether another order of service alone ends the growth of queues.

    A faster link under which they still grow only carries more of the class that goes first.
    """
    return first.candidate.cause is Cause.LANES and first.is_sure and _ends_growth(first)


def _breaks_loop(rival: Trial, first: Trial) -> bool:
    """Whether a rival ends a credit loop, and the first only enlarges its buffers.

    A loop has no single place. If queues grow it has to end that as well, if the first does.
    """
    is_of_loop = rival.candidate.cause is Cause.CIRCULAR_WAIT and not rival.candidate.nodes
    is_of_loop = is_of_loop and first.candidate.cause is not Cause.CIRCULAR_WAIT and not first.repairs
    ends_as_well = _ends_growth(rival) or not _ends_growth(first)
    return is_of_loop and rival.is_sure and ends_as_well and not first.surely_exceeds(rival)


def _is_place_alone(rival: Trial, first: Trial) -> bool:
    """Whether a rival is only a faster resource at the place of another mechanism, no evidence for it.

    It shortens every wait there, whatever the mechanism. It competes with a mechanism whose relief may gain
    nothing; if nothing could be tried for the mechanism, only a repair does. A repair is not merely a faster
    resource: if it gains more than the relief of the mechanism, such as other thresholds, messages wait
    because of the defect. Nor is a faster link if nothing could be tried against bursts of a job: its members
    always send together, and a round lasts until the link has carried their data.
    """
    is_resource = rival.candidate.cause is Cause.RESOURCE is not first.candidate.cause
    if not is_resource or not _are_at_one_place(rival, first):
        return False
    if rival.repairs and (value_of(rival) > value_of(first) or first.candidate.cause is Cause.LANES):
        # Lanes are compared with it by the gain of all messages.
        return False
    if first.candidate.cause is Cause.LANES and first.is_worth and value_of(first) >= value_of(rival):
        # A faster link takes its share off both classes: what parts them takes more off the one that waits.
        return True
    is_of_bursts = first.candidate.cause is Cause.VARIABILITY and first.gain is None
    if is_of_bursts and rival.goal == Goal.ROUND and rival.is_sure:
        return False
    return first.gain is None or first.gain.low > 0


def _is_of_its_bursts(rival: Trial, first: Trial) -> bool:
    """Whether the first is a faster link, and a rival separates the bursts there, for nearly as much.

    A faster link serves bursts, or flows that a hash puts on it, in less time whatever the reason that they
    meet.
    """
    is_of_link = first.candidate.cause is Cause.RESOURCE and first.candidate.id in (
        ResourceId.LINK,
        ResourceId.LINE,
    )
    parts = rival.candidate.cause in (Cause.VARIABILITY, Cause.PATH_COLLISION)
    is_of_bursts = parts and not rival.is_broad and rival.is_sure
    is_there = is_of_link and is_of_bursts and _are_at_one_place(rival, first) and not first.repairs
    is_alike = (rival.goal, rival.of_class) == (first.goal, first.of_class)
    return is_there and is_alike and value_of(rival) >= LEAST_RELATIVE_GAIN * value_of(first)


def _is_its_memory(rival: Trial, first: Trial) -> bool:
    """Whether the first is a faster link, and a rival a limit of its queue with nearly the same gain.

    An unlimited queue takes all of the shared buffer: a faster link empties one queue, and is no evidence of
    why frames for others find no room.
    """
    is_of_link = (
        first.candidate.cause is Cause.RESOURCE
        and first.candidate.id == ResourceId.LINK
        and not first.repairs
    )
    is_limit = rival.candidate.id == ResourceId.SWITCH_BUFFER and rival.is_sure
    is_alike = (rival.goal, rival.of_class) == (first.goal, first.of_class)
    return is_of_link and is_limit and is_alike and value_of(rival) >= LEAST_RELATIVE_GAIN * value_of(first)


def _are_its_constants(rival: Trial, first: Trial) -> bool:
    """Whether the first removes rate control, and a rival changes its constants.

    A network without congestion control is no evidence about its constants.
    """
    is_of_senders = first.candidate.cause in (Cause.RATE_CONTROL, Cause.WINDOW)
    is_same = rival.candidate.cause is first.candidate.cause
    return is_of_senders and is_same and first.is_broad and not rival.is_broad


def _are_same_constants(rival: Trial, first: Trial) -> bool:
    """Whether both change the constants of one law, and another class is judged by each."""
    constants = rival.candidate.constants
    return constants is not None and constants == first.candidate.constants


def _is_faster_line(rival: Trial, first: Trial) -> bool:
    """Whether the first reduces overhead on a line, and surely gains, and a rival is only faster lines.

    Faster lines carry as much overhead.
    """
    is_line = rival.candidate.id == ResourceId.LINE and not rival.repairs
    return first.candidate.id in OVERHEAD and first.is_sure and is_line


def _parts_classes(first: Trial, rival: Trial) -> bool:
    """Whether the first separates classes into lanes, and gains as much as a repair, the rival.

    Messages that wait behind others for a slow link do not need that link. If queues grow, a repair is better
    if it alone ends that. A repair with nearly the same gain for all messages as lanes have for one class
    also helps the other class.
    """
    is_longer = rival.exceeds_as_printed(first) or (_ends_growth(rival) and not _ends_growth(first))
    is_for_all = rival.of_class is None and first.of_class is not None and rival.goal == first.goal
    is_better = is_longer or (is_for_all and value_of(rival) >= LEAST_RELATIVE_GAIN * value_of(first))
    return first.candidate.cause is Cause.LANES and first.is_sure and not is_better


def _ends_growth(trial: Trial) -> bool:
    """Whether queues grow now, and no longer with a change."""
    return trial.left is not None


def _spares_as_well(rival: Trial, first: Trial) -> bool:
    """Whether constants of a law, or marks, help a class nearly as much as a lane of its own.

    They explain the length of the queue before the class. Not if the other class surely loses.
    """
    if rival.costs_others:
        return False
    are_same = _about(rival) == _about(first)
    is_of_law = rival.candidate.cause is Cause.RATE_CONTROL and first.candidate.cause is Cause.LANES
    return is_of_law and are_same and not rival.is_broad and _is_nearly_as_good(rival, first)


def _about(trial: Trial) -> tuple[str | None, str | None]:
    """The class that a cause is about, and the one that this class waits behind."""
    return trial.candidate.of_class, trial.candidate.behind


def _is_its_lane(rival: Trial, first: Trial) -> bool:
    """Whether a rival separates classes of which one fills the queue that the first shortens.

    A lane of its own helps a class whatever fills the other one, and is no evidence of why that is full.
    """
    one, other = rival.candidate, first.candidate
    is_of_marks = other.cause is Cause.RATE_CONTROL and other.behind is not None and first.is_sure
    are_same = _about(rival) == _about(first)
    return is_of_marks and one.cause is Cause.LANES and are_same


def _gains_where_first_may_not(rival: Trial, first: Trial) -> bool:
    """Whether a rival surely gains at least what the first is likely to, whose relief may gain nothing.

    A faster resource at the place of another mechanism shortens every wait there, and is no evidence for it.
    Nor is a rival that explains hardly anything beside the first one.
    """
    is_open = not first.is_sure and not first.is_full and not first.repairs and not rival.is_broad
    is_resource = rival.candidate.cause is Cause.RESOURCE is not first.candidate.cause
    is_alike = (rival.goal, rival.of_class) == (first.goal, first.of_class)
    is_more = value_of(rival) >= value_of(first) and not _is_little(rival, first)
    is_clear = rival.gain is not None and rival.gain.low > WORTH_NAMING
    return is_open and not is_resource and is_alike and is_more and is_clear


def _lies_higher(rival: Trial, first: Trial) -> bool:
    """Whether a rival surely gains a greater share of a time than the first, which may gain nothing, could.

    The first is about one class, and the rival about others: neither is evidence for the other's class.
    """
    is_open = not first.is_sure and not first.is_full and not first.repairs and not rival.is_broad
    are_times = {Goal.LOSSES, Goal.THROUGHPUT}.isdisjoint((rival.goal, first.goal))
    is_of_class = first.of_class is not None and rival.candidate.cause is not first.candidate.cause
    return is_open and are_times and is_of_class and rival.exceeds_as_printed(first)


def _is_of_its_root(rival: Trial, first: Trial) -> bool:
    """Whether the first is route concentration at a switch, and a rival the waiting that it causes there.

    Faster links of that switch carry the concentrated traffic, and queues at outputs avoid blocking: neither
    is evidence for another cause, unless it surely gains more.
    """
    nodes = first.candidate.ends
    is_root = first.candidate.cause is Cause.ROUTE_CONCENTRATION and len(nodes) == 1
    is_its_link = rival.candidate.cause is Cause.RESOURCE and nodes <= rival.candidate.ends
    is_behind = rival.candidate.cause is Cause.BLOCKING
    is_more = rival.goal == first.goal and rival.exceeds_as_printed(first)
    return is_root and first.is_worth and not rival.repairs and (is_its_link or is_behind) and not is_more


def _is_window_of_lost(rival: Trial, first: Trial) -> bool:
    """Whether a rival is a window, and the first a loss: the window is full of lost messages."""
    is_loss = first.candidate.cause is Cause.LOSS and first.repairs and first.is_sure
    return is_loss and rival.candidate.cause is Cause.WINDOW and not rival.repairs


def _carries_it_again(rival: Trial, first: Trial) -> bool:
    """Whether the first is what is lost, surely relieved, and a rival only more of what carries it again.

    Where queues grow today and no more without the losses, no link lacks rate: it was full of copies. Else
    hardly anybody may wait for the rival, and what is sent again is all that a faster one carries sooner. Or
    faster lines carry at most twice as much more: then copies are a large part of what they carry.
    """
    is_loss = first.candidate.cause is Cause.LOSS and first.is_sure
    is_resource = rival.candidate.cause is Cause.RESOURCE and not rival.repairs
    hardly_any = rival.candidate.weight < LEAST_SHARE_OF_WAITS and _is_little(rival, first)
    are_copies = (
        rival.candidate.id == ResourceId.LINE
        and rival.goal == first.goal == Goal.THROUGHPUT
        and value_of(first) >= LEAST_RELATIVE_WEIGHT * value_of(rival)
    )
    lacks_none = _ends_growth(first) or ((hardly_any or are_copies) and not _ends_growth(rival))
    return is_loss and is_resource and lacks_none


def _explains_more(rival: Trial, first: Trial) -> bool:
    """Whether a cause explains at least as much of a lifetime as the first, which may gain nothing."""
    is_open = not first.is_sure and not first.is_full and not first.repairs
    return is_open and not rival.is_broad and rival.candidate.weight >= first.candidate.weight


def _hardly_explains(rival: Trial, first: Trial) -> bool:
    """Whether a cause explains far less than a full resource, and its relief ends no growing queue."""
    return _is_little(rival, first) and rival.left is None and not rival.repairs


def _is_little(rival: Trial, first: Trial) -> bool:
    return rival.candidate.weight < LEAST_RELATIVE_WEIGHT * first.candidate.weight


def _are_at_one_place(one: Trial, other: Trial) -> bool:
    """Whether two causes are at the same nodes, in any order."""
    return one.candidate.ends == other.candidate.ends
