"""Changes tried in short runs, with the same random numbers as a run without them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from hopscope import _core, overrides
from hopscope.cause import Cause
from hopscope.errors import InternalError
from hopscope.goal import Goal
from hopscope.numerals import number
from hopscope.overrides import paths_of
from hopscope.planning import faults
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.pause_thresholds import BITS
from hopscope.planning.candidates.reliefs import CHANGES
from hopscope.planning.candidates.rows import ALL, BOTH_ENDS, HOSTS, TIER
from hopscope.planning.candidates.suspects import full_links, relieved_by, who_wait
from hopscope.planning.candidates.window_room import QUEUE
from hopscope.planning.credit_loop import has_credit_loop
from hopscope.planning.goals.goal import FILLED, are_rounds, may_still_fill
from hopscope.planning.goals.job import jobs, of_rounds, waiting_job
from hopscope.planning.kinds import Sort
from hopscope.planning.quantities import in_bit_s, in_bytes
from hopscope.planning.trying.budget import Size
from hopscope.planning.trying.class_relief import (
    gained_beside_bursts,
    gained_if_hidden,
    gained_of_class,
    gained_of_job,
    gained_of_one_job,
    with_all,
)
from hopscope.planning.trying.harm import with_harm
from hopscope.planning.trying.losses import with_losses
from hopscope.planning.trying.ranking import best_of, worth
from hopscope.planning.trying.relief import Gained, Ran, gained, less_queued, trial_of
from hopscope.planning.trying.short_runs import in_short, is_like, simulated_or_failed
from hopscope.planning.trying.worst import gained_at_worst, gained_of_few, gained_of_longest
from hopscope.progress import Progress
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.results.trial import WORTH_NAMING, Trial
from hopscope.source import messages_of

if TYPE_CHECKING:
    from hopscope._core import Scenario

# Runs are shortened until all changes together have at most this many events.
EVENTS = 10_000_000
# If shorter runs would be useless, this many changes of each cause are tried, within the same events.
FEWEST_CHANGES = 4
MOST_EVENTS = 60_000_000
# Runs that fill an added buffer are left out only if they take more than this many times as long.
FAR_LONGER = 12
# Switches that trim: few of those for Ethernet do, and any of them can have longer queues.
TRIMMING = "frames.flow_control.tail-drop.trimming"
# Queues are full long before the end of a run that delivers at least this many times what they hold.
FAR_MORE = 10
# The parameter of added links: two more ports and a cable, where a faster link may be enough.
ADDED = "added_links"


@dataclass(frozen=True, slots=True)
class Trials:
    """Changes tried in short runs: the short scenario, its run, and whether queues grow now."""

    short: "Scenario"
    base: RunResult
    is_saturated: bool
    # The nearly full links, each by its two nodes.
    full_links: frozenset[frozenset[str]]
    progress: Progress | None
    # Whether hardly anything waits on average, or something failed: then the slowest messages show the gain
    # of a repair.
    is_calm: bool
    # The names of the classes that wait longest now.
    waiting: tuple[str, ...] = ()
    # The only waiting job: beside other traffic every change is judged by its rounds; among jobs, changes
    # with hardly any gain over all rounds are.
    job: str | None = None
    are_rounds: bool = False
    # The jobs of a network that looks healthy: a resource at one place may delay one of them alone.
    jobs: tuple[str, ...] = ()
    # The changes whose runs ended with an internal error, each once, in words.
    failed: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        scenario: "Scenario",
        why: Explanation,
        messages: int,
        progress: Progress | None,
        explained: RunResult | None,
        causes: Sequence[tuple[Candidate, Sequence[Relaxation]]],
    ) -> "Trials":
        """The short runs that represent the explained one, `messages` long unless longer ones are needed.

        All changes of the causes have their events, and if these have few, others as well.
        """
        runs = 1 + max(CHANGES, len({each.set for _, changes in causes for each in changes}))
        short, base = in_short(scenario, why, messages, progress, EVENTS / runs, explained)
        is_saturated = Outcome.SATURATED in (base.outcome, why.outcome)
        canonical = json.loads(scenario.canonical_json())
        is_calm = why.cause in (Cause.HEALTHY, Cause.INTERRUPTION) or faults.happen(canonical)
        job = None if is_saturated else waiting_job(canonical, why)
        has_rounds = job is not None and of_rounds(base, job) is not None
        full, waiting = full_links(why), who_wait(why)
        return cls(
            short,
            base,
            is_saturated,
            full,
            progress,
            is_calm,
            waiting,
            job if has_rounds else None,
            are_rounds(canonical),
            tuple(jobs(canonical)) if why.cause == Cause.HEALTHY and not are_rounds(canonical) else (),
        )

    @property
    def messages(self) -> int:
        """The largest number of messages that each run measures."""
        return messages_of(self.short)

    def unlike(self, explained: RunResult | None) -> str | None:
        """How the short run differs from the whole one in throughput; None if it does not."""
        if explained is None or not self.is_saturated or is_like(self.base, explained):
            return None
        short, whole = (run.summary.find(Goal.THROUGHPUT) for run in (self.base, explained))
        if short is None or whole is None:
            return None
        return (
            f"short runs differ from the whole run: they carry {number(short.value, 3)} {short.unit}, "
            f"it carries {number(whole.value, 3)} {whole.unit}, so gains in it may differ too"
        )

    def _affordable(self, fewest: int = 0) -> int:
        """The number of short runs for which there is time, or `fewest` if these take little more."""
        each = max(self.base.summary.fields["events"], 1)
        return max(int(EVENTS / each), min(fewest, int(MOST_EVENTS / each)))

    @property
    def _filled(self) -> int:
        """The number of messages needed to fill an added buffer."""
        return max(FILLED, self.messages)

    def of_causes(self, causes: Sequence[tuple[Candidate, Sequence[Relaxation]]]) -> tuple[list[Trial], int]:
        """The best relief of each cause, and the number of changes for which there was no time."""
        in_turn = _in_turn([changes for _, changes in causes])
        possible = [
            (at, each, made) for at, each in in_turn if (made := changed_or_none(self.short, each.set))
        ]
        # A change that relieves several causes is made once.
        in_order = list({each.set: (each, made) for _, each, made in possible}.values())
        most = max(len(causes), self._affordable(FEWEST_CHANGES * len(causes)))
        timely = self._timely(in_order[:most])
        ran = self._ran(timely)
        loops = _closing_loops(self.short, [(each, made) for _, each, made in possible])
        gains: dict[tuple[tuple[str, ...], bool], Gained] = {}
        tried: dict[int, list[Trial]] = {}
        for at, each, _ in possible:
            if each.set not in ran:
                continue
            candidate = causes[at][0]
            key = each.set, _is_window_of_bursts(candidate, each)
            if key not in gains:
                gains[key] = self._gained(each, *ran[each.set], of_bursts=key[1])
            found = gained_of_class(candidate, *ran[each.set], gains[key])
            found = with_harm(found, *ran[each.set])
            if _tells_of(found, candidate):
                of_kind = is_of_a_kind(each.set)
                is_added = ADDED in each.paths and not each.is_lacking
                # Other routes, or larger FIFOs, cost less than other switches.
                is_other = each.is_broad or each.sort is Sort.SWITCH or TRIMMING in each.paths
                is_wide = is_other or of_kind or each.is_largest or is_added
                is_broad = each.is_broad or (of_kind and not self._is_full(candidate))
                has_loop = each.set in loops
                trial = trial_of(
                    candidate, each, found, has_loop=has_loop, is_broad=is_broad, is_wide=is_wide
                )
                tried.setdefault(at, []).append(trial)
        best = [
            best_of(tried[at]) if at in tried else Trial(candidate, None, (), Goal.THROUGHPUT, None)
            for at, (candidate, _) in enumerate(causes)
        ]
        return best, len(in_order) - len(timely)

    def of_others(
        self,
        listed: Sequence[Relaxation],
        causes: Sequence[tuple[Candidate, Sequence[Relaxation]]],
        trials: Sequence[Trial],
    ) -> list[Trial]:
        """The other change that surely gains most, and surely more than the likely causes, if any.

        It is searched if the named cause is not confirmed, or only by faster links everywhere; if there are
        few other changes; and else among those of a mechanism's class at other places. It is reported and not
        named: no wait in the run points to it.
        """
        known = {each.set for _, changes in causes for each in changes}
        named = trials[0]
        others = [each for each in listed if each.set not in known and not each.is_general]
        # The most likely come first: there may be no time for all.
        others.sort(key=lambda each: each.cause != named.candidate.cause)
        if len(others) > CHANGES and named.is_sure and not is_of_a_kind(named.set):
            # The blocking chain leads to the resource that causes the others: none of them is tried.
            own = {named.candidate.cause} - {Cause.RESOURCE}
            others = [each for each in others if each.cause in own]
        # A cause about one class is compared with other changes by which that class gains.
        about = named.candidate
        alone = [
            (replace(relieved_by(each, each.label), of_class=about.of_class, behind=about.behind), [each])
            for each in others[: self._affordable(CHANGES)]
        ]
        sure = [trial for trial in trials if trial.is_sure]
        found = [trial for trial in self.of_causes(alone)[0] if trial.is_sure and not trial.has_loop]
        better = [trial for trial in found if all(trial.surely_exceeds(other) for other in sure)]
        return sorted(better, key=worth, reverse=True)[:1]

    def _is_full(self, candidate: Candidate) -> bool:
        """Whether the link that a cause names is full; for a cause without one, whether any is."""
        named = candidate.ends
        return named in self.full_links if len(named) == BOTH_ENDS else bool(self.full_links)

    def _fills(self, change: Relaxation) -> bool:
        """Whether a change gives switches room that queues, which grow today, have to fill first."""
        return self.is_saturated and change.stores and not self._are_soon_full(change)

    def _are_soon_full(self, change: Relaxation) -> bool:
        """Whether a change makes queues that discard longer, and a run delivers far more than they hold.

        A queue that discards is full again and again where it is short, so a short run tells what it loses.
        """
        longer_queues = changed_or_none(self.short, change.set) if QUEUE in change.paths else None
        carried = self.base.summary.find(Goal.THROUGHPUT)
        if longer_queues is None or carried is None or not carried.unit.endswith("bit/s"):
            return False
        # Each cable has an output at either end.
        outputs = 2 * len(json.loads(self.short.topology_json() or "{}").get("links", ()))
        held = outputs * in_bytes(overrides.at(json.loads(longer_queues.canonical_json()), QUEUE))
        bits_s = in_bit_s(f"{carried.value:f} {carried.unit}")
        delivered = bits_s * Decimal(repr(self.base.summary.fields["measured"]["span_s"])) / BITS["B"]
        return FAR_MORE * held <= delivered

    def _timely(
        self, changes: Sequence[tuple[Relaxation, "Scenario"]]
    ) -> list[tuple[Relaxation, "Scenario"]]:
        """The changes for which there is time: fewer of those with longer runs, none with far longer ones."""
        long_runs = int(self._affordable() * self.messages / self._filled)
        if self._filled <= FAR_LONGER * self.messages:
            long_runs = max(1, long_runs)
        filling = [each.set for each, _ in changes if self._fills(each)]
        left_out = set(filling[long_runs:])
        return [(each, made) for each, made in changes if each.set not in left_out]

    def _ran(
        self, changes: Sequence[tuple[Relaxation, "Scenario"]]
    ) -> dict[tuple[str, ...], tuple[Ran, Ran]]:
        """The runs of each change, by its overrides: the scenario that it is `against`, and the changed one.

        If queues grow now, changes that add buffers to switches run longer: the buffers have to fill before
        the run is of use. Routes that deadlock are left out: they relieve nothing, and are no evidence about
        better ones. So are changes whose runs end with an internal error, which are noted.
        """
        wanted: dict[tuple[str, ...], tuple[Scenario, Scenario]] = {}
        longer = [f"measure.messages={self._filled}"]
        for each, made in changes:
            length = longer if self._fills(each) else []
            before = self.short.with_overrides([*each.against, *length])
            wanted[each.set] = before, made.with_overrides(length)
        scenarios = {scenario.hash: scenario for pair in wanted.values() for scenario in pair}
        scenarios.pop(self.short.hash, None)
        found = simulated_or_failed(list(scenarios.values()), self.progress)
        ended = dict(zip(scenarios, found, strict=True))
        runs = {key: run for key, run in ended.items() if not isinstance(run, InternalError)}
        runs[self.short.hash] = self.base
        whole = {key: pair for key, pair in wanted.items() if all(each.hash in runs for each in pair)}
        broken = [each.label for each, _ in changes if each.set in wanted.keys() - whole.keys()]
        self.failed.extend(label for label in broken if label not in self.failed)
        return {
            key: ((today, runs[today.hash]), (other, runs[other.hash]))
            for key, (today, other) in whole.items()
            if runs[other.hash].outcome != Outcome.DEADLOCK
        }

    def _gained(self, change: Relaxation, today: Ran, after: Ran, *, of_bursts: bool) -> Gained:
        """The gain of a change; if queues still grow with it, the buffer may only take longer to fill."""
        if change.is_smaller and change.sort is Sort.BURSTS:
            return gained_beside_bursts(today, after) or Gained(Goal.LATENCY, None, None)
        if change.is_smaller:
            return less_queued(today, after, self.waiting)
        found = gained(
            today, after, is_saturated=self.is_saturated, of_bursts=of_bursts, waiting=self.waiting
        )
        if self.job is not None and not self.are_rounds and not change.against:
            found = with_all(gained_of_job(self.job, today, after), found)
            return with_losses(found, today, after) if change.mends or change.cause is Cause.LOSS else found
        if change.sort is Sort.STEPS and found.goal != Goal.ROUND:
            # Other steps send other messages: only the time of a round is comparable.
            found = gained_at_worst(today, after) or Gained(Goal.ROUND, None, None)
        # A lane of its own helps the few messages of a class that meet those of another one. Another priority
        # only makes others wait instead: its gain is visible in the mean.
        spares = change.cause is Cause.LANES and change.sort is not Sort.PRIORITY
        is_of_fault = change.mends or change.cause is Cause.INTERRUPTION
        tells_slowest = (self.is_calm and is_of_fault) or spares
        if tells_slowest and found.gain is not None and found.gain.low < WORTH_NAMING:
            found = (gained_of_few if spares else gained_at_worst)(today, after) or found
        if change.mends and found.gain is not None and found.gain.low < WORTH_NAMING:
            found = gained_of_longest(today, after, self.waiting) or found
        if self.job is not None and self.are_rounds:
            found = gained_if_hidden(self.job, today, after, found)
        if change.mends or change.joins:
            found = gained_of_one_job(self.jobs, today, after, found) or found
        if is_of_fault or change.cause is Cause.LOSS:
            found = with_losses(found, today, after)
        is_filling = self._fills(change) and may_still_fill(after[1])
        return replace(found, is_filling=is_filling)


def longer(
    scenario: "Scenario",
    why: Explanation,
    messages: int,
    progress: Progress | None,
    explained: RunResult | None,
    short: tuple[Trials, list[Trial], Sequence[tuple[Candidate, Sequence[Relaxation]]]],
) -> tuple[Trials, list[Trial]]:
    """The best change of each cause in runs of full length, if there is time for these.

    Shortened runs leave time for every change, and have wide intervals: they find only large gains.
    """
    found, trials, likely = short
    best = [
        (candidate, [each for each in changes if each.set == trial.set])
        for trial, (candidate, changes) in zip(trials, likely, strict=True)
    ]
    size = Size.of(scenario, explained)
    distinct = {trial.set for trial in trials if trial.set}
    if (1 + len(distinct)) * size.cost(min(messages, messages_of(scenario))) > MOST_EVENTS:
        return found, trials
    again = Trials.of(scenario, why, messages, progress, None, best)
    again.failed.extend(found.failed)
    return again, again.of_causes(best)[0]


def is_of_a_kind(change: Sequence[str]) -> bool:
    """Whether overrides make all links of a kind faster, which shortens every wait anywhere."""
    return not {TIER, HOSTS, ALL}.isdisjoint(paths_of(change))


def _is_window_of_bursts(candidate: Candidate, change: Relaxation) -> bool:
    """Whether a cause is the window of bursts, of all or of a flow: its gain is not visible in packets."""
    return candidate.cause is Cause.WINDOW and change.sort is Sort.BURSTS


def _tells_of(found: Gained, candidate: Candidate) -> bool:
    """Whether a gain is evidence for a cause; for a window it always is."""
    return not found.is_filling or candidate.cause is Cause.WINDOW


def _closing_loops(
    short: "Scenario", possible: Sequence[tuple[Relaxation, "Scenario"]]
) -> set[tuple[str, ...]]:
    """The changes of routes, by their overrides, that add a credit loop to routes without one."""
    routes = {each.set: changed for each, changed in possible if each.cause is Cause.ROUTE_CONCENTRATION}
    if not routes or has_credit_loop(short):
        return set()
    return {change for change, changed in routes.items() if has_credit_loop(changed)}


def _in_turn(changes: Sequence[Sequence[Relaxation]]) -> list[tuple[int, Relaxation]]:
    """The changes in turn: the first of each candidate, then the second, with the candidate's number."""
    order = sorted((nth, at) for at, each in enumerate(changes) for nth in range(len(each)))
    return [(at, changes[at][nth]) for nth, at in order]


def changed_or_none(scenario: "Scenario", overrides: Sequence[str]) -> "Scenario | None":
    """The changed scenario; None if the change is invalid."""
    try:
        return scenario.with_overrides(list(overrides))
    except _core.ScenarioError:
        return None
