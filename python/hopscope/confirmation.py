"""Verdicts confirmed by trials: likely causes are relieved one at a time, with the same random numbers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.goal import Goal
from hopscope.ids import ResourceId
from hopscope.overrides import paths_of
from hopscope.planning.candidates.cabling import MENDED, PLACED
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.computing import outside
from hopscope.planning.candidates.credit_loops import looped
from hopscope.planning.candidates.early_marks import earlier
from hopscope.planning.candidates.engine_tables import safe_tables
from hopscope.planning.candidates.free_settings import LEAST_GAIN_OF_ROUTES, free_settings
from hopscope.planning.candidates.marks import of_thresholds
from hopscope.planning.candidates.pause_thresholds import resumed_late, resuming
from hopscope.planning.candidates.phases import in_phase
from hopscope.planning.candidates.pools import on_the_way
from hopscope.planning.candidates.relaxations import mends_for, relaxations_for, unchanged_offer
from hopscope.planning.candidates.reliefs import reliefs, with_larger
from hopscope.planning.candidates.repairs import REPLACED, Cables, slow_cables
from hopscope.planning.candidates.settings import (
    begins,
    constants_beside,
    for_adapters,
    more_retries,
    of_steps,
    rerouting,
    sent_in_vain,
    with_settings,
)
from hopscope.planning.candidates.shared_memory import unlimited
from hopscope.planning.candidates.subarea import behind_a_unit, few_buffers, other_ways
from hopscope.planning.candidates.suspects import (
    CANDIDATES,
    broken,
    collided,
    filled,
    hashed,
    held,
    in_turn,
    is_a_link_full,
    is_by_chance,
    is_full,
    is_idle,
    lacking,
    likeliest,
    paced,
    waits_for_nothing,
)
from hopscope.planning.candidates.waiting_jobs import of_a_waiting_job
from hopscope.planning.candidates.window_room import for_a_round_trip
from hopscope.planning.goals.job import names, waiting_job
from hopscope.planning.trying.by_trying import by_routes, in_its_stead, of_symptoms
from hopscope.planning.trying.detours import of_detour
from hopscope.planning.trying.freed import freed
from hopscope.planning.trying.ranking import apart, ranked, value_of
from hopscope.planning.trying.trials import Trials, longer
from hopscope.progress import Progress
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.results.trial import UNNOTICED, WORTH_NAMING, Confirmation, Trial
from hopscope.source import messages_of
from hopscope.thresholds import INTERRUPTED_WAITS

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The number of messages in each run: short ones, seconds at most.
MESSAGES = 5_000
# If hardly anything waits, gains are small or affect few messages: this many times as many are measured.
TIMES_THE_MESSAGES = 4
# Up to this share of the lifetime, waits for rates do not make a network slow that looks healthy.
LEAST_PACING = 0.2
FORWARDING = "frames.forwarding"
# The parameters of the time of a frame in every switch, which is independent of waits.
SWITCHES = frozenset({FORWARDING, "frames.latency"})
# Storing frames is a cause if it takes at least this share of a round, or of a lifetime.
OF_A_ROUND, OF_A_LIFE = 0.2, 0.5
# Below this utilisation the link of a host is hardly used.
HARDLY_USED = 0.05
# Below this utilisation a resource has spare time: defects are reported with it.
NOT_FULL = 0.8


def confirm(
    scenario: "Scenario",
    why: Explanation,
    progress: Progress | None = None,
    messages: int = MESSAGES,
    explained: RunResult | None = None,
) -> Explanation:
    """The explanation with its likeliest causes tried; `explained` is the run that it explains.

    The cause whose relief gains most is named first; one whose relief gains nothing is not named at all. A
    cause that no listed change relieves keeps its place and stays unconfirmed, unless another one surely
    gains. Repairs of defects in the scenario are tried as well, whatever the verdict. For a deadlock, changes
    that leave no credit loop and larger buffers are tried.
    """
    if why.cause == Cause.HEALTHY:
        found = _mended(scenario, why, messages, progress, explained)
        return found.adding(outside(scenario, explained)) if found.cause == Cause.HEALTHY else found
    listed = relaxations_for(scenario, why)
    if why.is_deadlock:
        return freed(scenario, why, listed, messages, progress)
    with TemporaryDirectory(prefix="hopscope-") as folder:
        tables = safe_tables(scenario, Path(folder))
        listed = [*([] if tables is None else [tables.change]), *listed]
        found = _tried(scenario, why, listed, messages, progress, explained)
        return found if tables is None else tables.by_name(found)


def _tried(
    scenario: "Scenario",
    why: Explanation,
    listed: Sequence[Relaxation],
    messages: int,
    progress: Progress | None,
    explained: RunResult | None,
) -> Explanation:
    """The explanation with its causes relieved by the listed changes."""
    named = likeliest(why)
    canonical = json.loads(scenario.canonical_json())
    causes = _causes(scenario, why, named, listed, explained)
    slowed = [(candidate, reliefs(listed, candidate)) for candidate in paced(why, named)]
    if not is_a_link_full(why):
        causes, slowed = [*causes, *slowed], []
    causes = for_adapters(scenario, with_settings(scenario, why, causes, listed), listed)
    causes = for_a_round_trip(scenario, causes)
    causes += earlier(scenario, named)
    # The offered load stays the same, whatever becomes faster.
    offer = unchanged_offer(scenario)
    likely = [*causes, *slowed]
    scenario = scenario.with_overrides(offer)
    found = Trials.of(scenario, why, messages, progress, explained, likely)
    trials, left_out = found.of_causes(likely)
    is_shortened = found.messages < min(messages, messages_of(scenario))
    if is_shortened and not any(trial.is_sure and not trial.is_broad for trial in trials):
        found, trials = longer(scenario, why, messages, progress, explained, (found, trials, likely))
    if not any(trial.is_sure and not trial.is_broad for trial in trials):
        seen = of_symptoms(why, named, listed)
        tried = zip(seen, found.of_causes(seen)[0], strict=True)
        sure = [(cause, trial) for cause, trial in tried if trial.is_sure]
        trials[len(causes) : len(causes)] = [trial for _, trial in sure]
        causes += [cause for cause, _ in sure]
        likely = [*causes, *slowed]
    trials = [replace(trial, offer=tuple(offer) if trial.set else ()) for trial in trials]
    trials[0] = replace(trials[0], is_full=is_full(why))
    named_first = ranked(apart(trials[: len(causes)]), why.page["waiting"])
    # If a link is full, rates that keep its queue short are tried as well, but never named instead of it.
    # Defects are reported even if their repair gains nothing, each by itself.
    unhelped = [
        trial for trial in apart(trials[: len(causes)]) if trial.mended == 1 and trial not in named_first
    ]
    further = [trial for trial in (*unhelped, *trials[len(causes) :]) if trial.gain is not None]
    if _does_no_harm(why, (*named_first, *further)):
        return _as_harmless(why, listed, found, (*named_first, *further))
    others = found.of_others(listed, likely, (*named_first, *further))
    _place(why, canonical, [replace(each, offer=tuple(offer)) for each in others], named_first, further)
    named_first[0] = by_routes(scenario, listed, of_detour(why, listed, named_first))
    if (healthy := _as_healthy(why, canonical, (*named_first, *further))) is not None:
        return healthy
    beside = [*_since(scenario, listed, named_first), *_besides(why, named_first)]
    beside += [*constants_beside(named_first), *_broken_windows(listed, named_first[0])]
    beside += _slow_cables(listed, named_first[0])
    beside += [*_slow_hosts(listed, named_first[0]), *resuming(scenario, _sure_changes(named_first))]
    why = why.begun(begins(scenario, listed, named_first[0].set))
    confirmation = Confirmation(
        found.short.seed,
        (*named_first, *further),
        found.messages,
        left_out,
        found.unlike(explained),
        tuple(found.failed),
    )
    named_alone = why.naming(*(trial.candidate for trial in named_first)).adding(beside)
    return replace(named_alone, confirmation=confirmation)


def _causes(
    scenario: "Scenario",
    why: Explanation,
    named: Sequence[Candidate],
    listed: Sequence[Relaxation],
    explained: RunResult | None,
) -> list[tuple[Candidate, Sequence[Relaxation]]]:
    """The likely causes and other suspects of the waiting, each with its reliefs."""
    canonical = json.loads(scenario.canonical_json())
    causes: list[tuple[Candidate, Sequence[Relaxation]]] = [
        (named[0], with_larger(named[0], reliefs(listed, named[0]))),
        *((each, reliefs(listed, each)) for each in named[1:]),
    ]
    # Synchronised bursts are named first; for a busy link they are a further trial.
    where = 0 if why.cause == Cause.VARIABILITY else 1
    causes[where:where] = in_phase(canonical, named[0], listed)
    where = 1 if is_full(why) else 0
    causes[where:where] = other_ways(canonical, why, named[0])
    causes += resumed_late(scenario, named)
    causes += [*held(why, named, listed), *of_thresholds(scenario, named, listed), *broken(listed)]
    causes += [*hashed(scenario, named, listed), *on_the_way(why, named, listed)]
    causes += [*behind_a_unit(canonical, why, named[0], listed), *few_buffers(canonical, named, listed)]
    causes += [*collided(scenario, why, named, listed), *in_turn(named, listed)]
    causes += [*lacking(named, listed), *filled(scenario, named, listed), *looped(scenario, why, named)]
    causes += [*unlimited(scenario, why), *more_retries(scenario, explained, named)]
    causes += sent_in_vain(scenario, explained, named, listed)
    return causes


def _place(
    why: Explanation,
    canonical: Mapping[str, Any],
    others: Sequence[Trial],
    named_first: list[Trial],
    further: list[Trial],
) -> None:
    """Puts other changes before the named cause if they represent one, else after all.

    Faster switches than usual shorten any lifetime: the switches have to take much of it, unless nothing
    could be tried for the named cause.
    """
    groups = names(canonical)
    for other in others:
        is_of_switches = SWITCHES.issuperset(paths_of(other.set)) and not _takes_much(other)
        if is_of_switches and named_first[0].gain is not None:
            continue
        leading = in_its_stead(why, named_first[0], other, groups)
        if leading is None:
            further.append(other)
        else:
            named_first.insert(0, leading)


def _since(scenario: "Scenario", listed: Sequence[Relaxation], trials: Sequence[Trial]) -> list[str]:
    """What began during the run, and when, if its repair relieves a cause that does not say it.

    The sentence of an interruption says it. The time of rerouting is reported if it matters.
    """
    named = trials[0]
    told = [each.mends for each in listed if each.happens and each.mends and each.set == named.set]
    is_told = named.candidate.cause is Cause.INTERRUPTION
    begun = [words for words in told[:1] if not is_told and words != named.candidate.fault]
    return [*begun, *rerouting(scenario, _sure_changes(trials))]


def _sure_changes(trials: Sequence[Trial]) -> list[tuple[str, ...]]:
    """The changes that surely help."""
    return [trial.set for trial in trials if trial.is_sure]


def _slow_hosts(listed: Sequence[Relaxation], named: Trial) -> list[str]:
    """The slow host, or the missing switch, if its repair surely relieves the named link.

    A run shows the link into a slow host as paused, and nothing else of the host, and nothing of a missing
    switch.
    """
    if named.candidate.id != ResourceId.LINK or not named.is_sure:
        return []
    own = (each for each in listed if each.mends and each.set == named.set)
    is_unseen = ((each, each.set == PLACED or (each.place and not each.joins)) for each in own)
    return [each.mends or "" for each, unseen in is_unseen if unseen][:1]


def _slow_cables(listed: Sequence[Relaxation], named: Trial) -> list[str]:
    """The slow or missing cables whose repair surely relieves a cause that does not name them."""
    is_told = named.candidate.slow_cable_stated or named.candidate.fault is not None
    if named.set not in (REPLACED, MENDED) or not named.is_sure or is_told:
        return []
    return [each.mends for each in listed if each.mends and each.set == named.set][:1]


def _broken_windows(listed: Sequence[Relaxation], named: Trial) -> list[str]:
    """The defect behind full windows, if the relief repairs it and the cause does not state it."""
    if named.candidate.cause is not Cause.WINDOW or not named.is_sure:
        return []
    own = [each.mends for each in listed if each.mends and each.set == named.set]
    return [words for words in own[:1] if words != named.candidate.fault]


def _as_healthy(
    why: Explanation, canonical: Mapping[str, Any], trials: Sequence[Trial]
) -> Explanation | None:
    """The verdict "healthy" if nothing gains, and little waits, or by chance, or where hardly any is used."""
    if waits_for_nothing(why) and all(trial.is_none for trial in trials):
        return why.as_healthy()
    # Few messages leave wide intervals.
    gains_nothing = all(trial.gain is not None and not trial.is_worth for trial in trials)
    if is_idle(why) and gains_nothing:
        reason = "No resource is used more than 10 % of the time: messages wait within their own burst."
        return why.as_healthy(f" {reason}")
    if is_by_chance(canonical, why) and not any(_surely_relieves(trial) for trial in trials):
        is_in_vain = any(trial.gain is not None for trial in trials) and not any(
            each.is_sure for each in trials
        )
        reason = " Messages sometimes meet by chance, and wait for one another."
        return why.as_healthy(reason, is_in_vain=is_in_vain)
    return None


def _surely_relieves(trial: Trial) -> bool:
    """Whether a change surely relieves waiting; faster switches than usual shorten every way a little."""
    is_of_switches = SWITCHES.issuperset(paths_of(trial.set)) and not _takes_much(trial)
    return trial.is_sure and not trial.is_broad and not is_of_switches


def _does_no_harm(why: Explanation, trials: Sequence[Trial]) -> bool:
    """Whether something failed, nothing else is wrong, and no repair or faster rerouting surely gains.

    Few packets are lost while routes change, and are sent again: messages hardly wait on average, and the
    slowest wait no longer than without the failure. Faster switches would gain, as in any idle network.
    """
    waiting = why.page["waiting"]
    is_calm = why.outcome != Outcome.SATURATED and waiting is not None and waiting < INTERRUPTED_WAITS
    is_alone = all(each.cause is Cause.INTERRUPTION for each in why.candidates)
    return is_calm and is_alone and not any(trial.is_sure for trial in trials)


def _as_harmless(
    why: Explanation, listed: Sequence[Relaxation], found: Trials, trials: Sequence[Trial]
) -> Explanation:
    """The verdict "healthy", with what failed and the gain of its repair."""
    fault = [each.mends for each in listed if each.happens and each.mends]
    healthy = why.as_healthy().adding(fault[:1])
    tried = tuple(trial for trial in trials if trial.gain is not None)
    told = Confirmation(found.short.seed, tried, found.messages, failed=tuple(found.failed))
    return replace(healthy, confirmation=told)


def _besides(why: Explanation, trials: Sequence[Trial]) -> list[str]:
    """Further sentences that complete a verdict on a resource.

    Defects whose repair surely gains, if the resource has spare time: it may be busy because of them. Also
    the class that waits for it longest, as the run named it before a trial.
    """
    first = trials[0]
    slow = [trial for trial in trials[1:] if trial.repairs and trial.is_sure and _is_slow_setting(trial)]
    if first.candidate.cause is not Cause.RESOURCE or first.repairs:
        return [trial.candidate.sentence for trial in slow[:1] if first.repairs]
    used = next((root["pressure"] for root in why.roots if root["resource"] == first.candidate.resource), 1.0)
    broken_too = [trial for trial in trials[1:] if trial.repairs and trial.is_sure and used < NOT_FULL]
    told = why.verdict
    is_of_a_class = told.cause is Cause.LANES and told.ends == first.candidate.ends
    return [
        *(trial.candidate.sentence for trial in broken_too[:1]),
        *([told.sentence] if is_of_a_class else []),
    ]


def _is_slow_setting(trial: Trial) -> bool:
    """Whether a trial is of a setting far from its usual value, which has no place."""
    return trial.candidate.cause is Cause.SLOW_SERVICE and not trial.candidate.nodes


def _mended(
    scenario: "Scenario",
    why: Explanation,
    messages: int,
    progress: Progress | None,
    explained: RunResult | None,
) -> Explanation:
    """A healthy network, unless a repair of a defect or of a suspect surely gains something.

    Other routes cost nothing and are tried as well: they have to gain much. Work in rounds may wait for its
    slowest member while other messages hardly wait. Defects are reported in either case. Flows that wait only
    for their rates look healthy too, and so do senders that always have more: what may limit these is among
    the runners-up of the verdict.
    """
    causes: list[tuple[Candidate, Sequence[Relaxation]]] = [*broken(mends_for(scenario))]
    suspects = [*why.runners_up][:CANDIDATES]
    suspects += [] if is_a_link_full(why) else paced(why, [], LEAST_PACING)
    if suspects:
        listed = relaxations_for(scenario, why)
        causes += [(candidate, _reliefs_of_suspect(listed, candidate)) for candidate in suspects]
    steps, free = of_steps(scenario, why), free_settings(scenario, why)
    if waiting_job(json.loads(scenario.canonical_json()), why) is not None:
        free += of_a_waiting_job(scenario, why, relaxations_for(scenario, why))
    causes += [*steps, *free]
    if not causes:
        return why
    # The offered load stays the same, whatever becomes faster.
    offer = unchanged_offer(scenario)
    scenario = scenario.with_overrides(offer)
    found = Trials.of(scenario, why, TIMES_THE_MESSAGES * messages, progress, explained, causes)
    trials = [trial for trial in found.of_causes(causes)[0] if trial.gain is not None]
    trials = [replace(trial, offer=tuple(offer) if trial.set else ()) for trial in trials]
    trials.sort(key=value_of, reverse=True)
    sure = [trial for trial in trials if trial.gain is not None and trial.gain.low >= WORTH_NAMING]
    # Another algorithm is another job: its gain is reported, but is no cause.
    fewer = [trial for trial in sure if _is_of(trial, steps)]
    # Many settings gain a little if links are busy, and nothing is wrong.
    little = [trial for trial in sure if _is_of(trial, free) and _gains_little(trial)]
    sure = [trial for trial in sure if trial not in fewer and trial not in little]
    sure = [trial for trial in sure if not _is_of_hosts_alone(trial, scenario, found.base)]
    # Switches usually store frames: that is a cause only if it takes much.
    if sure := [trial for trial in sure if not _is_storing(trial) or _takes_much(trial)]:
        told = tuple(ranked(apart(sure)))
        return why.confirmed(Confirmation(found.short.seed, told, found.messages, failed=tuple(found.failed)))
    # The suspects have no effect.
    why = why.naming(why.verdict)
    repairs = tuple(trial for trial in trials if trial.repairs)
    if repairs or fewer:
        why = why.adding([trial.candidate.sentence for trial in apart(repairs)[:1]])
        tried = (*repairs, *fewer)
        return replace(
            why,
            confirmation=Confirmation(found.short.seed, tried, found.messages, failed=tuple(found.failed)),
        )
    return why


def _is_of(trial: Trial, causes: Sequence[tuple[Candidate, Sequence[Relaxation]]]) -> bool:
    """Whether a trial is of one of these causes."""
    return any(trial.candidate is candidate for candidate, _ in causes)


def _gains_little(trial: Trial) -> bool:
    """Whether a free setting gains too little for a cause, or only with a possible deadlock."""
    return value_of(trial) < LEAST_GAIN_OF_ROUTES or trial.has_loop


def _is_of_hosts_alone(trial: Trial, scenario: "Scenario", base: RunResult) -> bool:
    """Whether a trial is of slower cables of hosts, which hardly matter to all messages.

    A host may have been given a slower link. What that takes longer to send or take its own messages keeps
    nobody else waiting, if it is hardly used; a round that uses it more, though, waits for its slowest
    member. Of one host the gain of all messages tells whether it matters.
    """
    if trial.set != REPLACED:
        return False
    cables = Cables(scenario)
    slow = [cables.ends(each["cable"]) for each in slow_cables(scenario, None)]
    if any(cables.are_between_switches(ends) for ends in slow):
        return False
    if slow and max(_use_of(ends, base) for ends in slow) < HARDLY_USED:
        return True
    return trial.goal != Goal.ROUND and value_of(trial) < UNNOTICED and len(slow) == 1


def _use_of(ends: frozenset[str], base: RunResult) -> float:
    """The utilisation of the cable between two nodes in its busier direction, 0 to 1."""
    rows = (row for row in base.summary.resources if frozenset(row.get("ends") or ()) == ends)
    return max((row["utilisation"] for row in rows), default=0.0)


def _is_storing(trial: Trial) -> bool:
    """Whether a trial is of switches that store frames, which are everywhere."""
    is_everywhere = not trial.candidate.nodes and not trial.repairs
    return trial.candidate.cause is Cause.SLOW_SERVICE and is_everywhere


def _takes_much(trial: Trial) -> bool:
    """Whether a trial surely gains enough to justify other switches.

    A job waits for each of its steps in turn; random traffic waits for one message.
    """
    least = OF_A_ROUND if trial.goal == Goal.ROUND else OF_A_LIFE
    return trial.gain is not None and trial.gain.low >= least


def _reliefs_of_suspect(listed: Sequence[Relaxation], candidate: Candidate) -> list[Relaxation]:
    """What relieves a suspect; of switches that store frames, switches that do not."""
    if candidate.cause is Cause.SLOW_SERVICE:
        return [each for each in listed if FORWARDING in each.paths]
    return reliefs(listed, candidate)
