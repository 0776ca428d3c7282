"""What would help: a scenario run again with one change at a time, on the same random numbers.

All changes are first tried with a few short runs; the best of them again with more and longer ones, and with
them what the confirmation of the explanation found; then what short runs could not judge; and the best of all
also in other sizes. All of it together has a budget of events, ten times that of the run that is explained on
two cores. Runs are as long as the budget allows, unless somebody asks for so many seeds or messages; changes
that do not fit into it are not tried, those that relieve what the explanation names last of all.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hopscope import engine
from hopscope.cause import Cause
from hopscope.errors import Interrupted, UsageError
from hopscope.numerals import amount
from hopscope.planning import faults
from hopscope.planning.candidates.changes import Relaxation, Step
from hopscope.planning.candidates.relaxations import relaxations_for, relieves, unchanged_offer
from hopscope.planning.candidates.rows import HOSTS
from hopscope.planning.candidates.variants import changed
from hopscope.planning.credit_loop import has_credit_loop
from hopscope.planning.goals.goal import (
    ROUND_MEAN,
    SATURATED,
    UNSETTLED,
    Figures,
    Goal,
    figures,
    goal_of,
    may_still_fill,
)
from hopscope.planning.goals.mix import of_classes
from hopscope.planning.trying.budget import FEWEST_SEEDS, Budget, Size, Trial, Wanted
from hopscope.planning.trying.gain import Gain, Lack, gain, rank
from hopscope.planning.what_if.oversubscription import with_lifting
from hopscope.planning.what_if.tried import MORE_SEEDS, WhatIf
from hopscope.results.run import RunResult
from hopscope.results.trial import Trial as Relieved
from hopscope.watching import Progress

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# Of all changes a first look, of so many a second one.
FIRST_SEEDS = 2
FINALISTS = 5
CURVE_SEEDS = 2
# Where something happens at a time, runs cannot be shortened: there are fewer of them.
TIMED_FINALISTS = 3
TIMED_SEEDS = 3
# What of the budget the first look may take, the second, the one at what is not sure, and the curve.
FIRST_SHARE, SECOND_SHARE, AGAIN_SHARE, CURVE_SHARE = 0.35, 0.3, 0.2, 0.15
# What relieves a confirmed cause, and so many others beside it, take nearly all of the rest, if need be.
CONFIRMED_SHARE = 0.6
BESIDE = 1
# Fewer seeds than these are no verdict on what the confirmation found.
VERDICT_SEEDS = 3
# Shorter runs have no 99th percentile worth the name; a first look only chooses what to look at again.
FEWEST_MESSAGES = 1_000
FEWEST_AT_FIRST = 500
# Nor have they the time of a round where so many have not ended.
FIRST_ROUNDS = 2
# The stages, by their ids, in which messages wait for their own sender.
OF_SENDERS = frozenset({"Pacing", "WindowWait", "PullWait"})
# Where the largest gain is not sure, so many changes are run with so many times the seeds.
UNSURE = 2


def what_if(
    scenario: "Scenario",
    why: "Explanation",
    *,
    seeds: int | None = None,
    messages: int | None = None,
    explained: RunResult | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Try every change of a scenario that somebody could make, each with the scenario's own seeds.

    `explained` is the run that `why` explains: its length sets how much all runs cost. The changes that are
    looked at again run with `seeds` seeds of `messages` messages; without these, with as many as the budget
    has room for. Raises UsageError for fewer than two seeds, from which no interval could be told, and
    Interrupted with what was known by then.
    """
    wanted = Wanted.of(seeds, messages)
    if wanted.seeds < FEWEST_SEEDS or wanted.messages < 1:
        raise UsageError(
            f"{amount(wanted.seeds, 'seed', 'seeds')} of {wanted.messages} messages give no interval",
            "ask for two seeds or more",
        )
    search = _Search(scenario, why, relaxations_for(scenario, why), explained)
    return search.run(wanted, progress)


Change = tuple[Relaxation, "Scenario"]
"""A change, and the scenario with it."""


_Key = tuple[str, tuple[str, ...]]


def _key(change: Relaxation) -> _Key:
    """What tells a change from all others: those of two cables side by side have the same words."""
    return change.label, change.set


class _Search:
    """One search: the first look, the second look at the best, and the curve of the best of all."""

    def __init__(
        self,
        scenario: "Scenario",
        why: "Explanation",
        tried: Sequence[Relaxation],
        explained: RunResult | None,
    ) -> None:
        self.why = why
        self.left_out = 0
        self.offer = unchanged_offer(scenario)
        self.scenario = scenario.with_overrides(self.offer)
        self.canonical = json.loads(scenario.canonical_json())
        # What happens at a time must not be cut off.
        is_timed = faults.happen(self.canonical)
        self.budget = Budget(Size.of(scenario, explained), self.scenario.seed, is_timed=is_timed)
        self.confirmed = _confirmed(why)
        self.possible: list[Change] = []
        self.gains: dict[_Key, Gain] = {}
        # Short runs may not show yet that queues grow: the explained run has the scenario's full length.
        self.saturates = why.data["outcome"] == SATURATED
        self.is_window = why.cause == Cause.WINDOW
        self.goal = None if explained is None else self._goal_of([explained])
        self.rounds = messages_of_rounds(explained) if self.goal is Goal.ROUND else 0
        self.first: Trial | None = None
        self.second: Trial | None = None
        for each in tried:
            other = changed(self.scenario, each.set)
            if isinstance(other, str):
                self.gains[_key(each)] = Gain(each, Goal.THROUGHPUT, each.set, refused=other)
            elif other.hash != self.scenario.hash:
                self.possible.append((each, other))
        self.possible = with_lifting(self.scenario, self.possible)

    def _goal_of(self, base: Sequence[RunResult]) -> Goal:
        return goal_of(self.scenario.model, self.canonical, base)

    def run(self, wanted: Wanted, progress: Progress | None) -> WhatIf:
        """All looks; an interrupt carries what is known."""
        curve: list[tuple[Step, Gain]] = []
        is_timed = self.budget.is_timed
        try:
            if len(self.possible) > FINALISTS:
                self._first_look(wanted, _part(progress, 0.0, 0.4, "all changes"))
            self._second_look(wanted, _part(progress, 0.4, 0.7, "the best changes"))
            if not is_timed and not wanted.keeps_seeds:
                self._look_again(_part(progress, 0.7, 0.8, "the best changes again"))
            self._judge(wanted, _part(progress, 0.8, 0.9, "changes without a figure"))
            self._tell_loops()
            if not is_timed:
                curve = self._curve(wanted, _part(progress, 0.9, 1.0, "sizes of the best"))
        except Interrupted:
            raise Interrupted(self._found(curve, is_whole=False)) from None
        return self._found(curve, is_whole=True)

    def _first_look(self, wanted: Wanted, progress: Progress | None) -> None:
        """Few and short runs of all changes that the budget has room for."""
        looks = wanted.at_most(1 if self.budget.is_timed else FIRST_SEEDS)
        fewest = max(FEWEST_AT_FIRST, self.rounds)
        self.first = self.budget.trial(FIRST_SHARE, looks, len(self.possible), fewest)
        self._leave_out(self.first)
        self._look(self.possible, self.first, progress)

    def _second_look(self, wanted: Wanted, progress: Progress | None) -> None:
        """More and longer runs of the best, and of what relieves a confirmed cause."""
        most = wanted.seeds if wanted.keeps_seeds or not self.budget.is_timed else TIMED_SEEDS
        longer = replace(wanted, seeds=min(most, wanted.seeds))
        relieving = [pair for pair in self.possible if self._is_confirmed(pair[0])]
        share = SECOND_SHARE
        least = max(FEWEST_MESSAGES, self.rounds)
        trial = self.budget.trial(share, longer, FINALISTS, least)
        if relieving:
            fewest = max(least, _messages_of_confirmation(self.why))
            verdict = self.budget.trial(
                CONFIRMED_SHARE, longer, len(relieving) + BESIDE, fewest, VERDICT_SEEDS
            )
            if len(trial.seeds) < VERDICT_SEEDS or trial.messages < min(fewest, verdict.messages):
                share, trial = CONFIRMED_SHARE, verdict
        self.second = trial
        self._look(self._finalists(trial, share, relieving), trial, progress)

    def _is_confirmed(self, change: Relaxation) -> bool:
        return any(trial.set in change.sets for trial in self.confirmed)

    def _leave_out(self, trial: Trial) -> None:
        """Of more changes than the budget has room for, those that relieve what is named stay."""
        fitting = max(1, self.budget.fitting(trial, FIRST_SHARE, len(self.possible)))
        named = self.why.candidates
        # Where senders limit themselves, they may do so for the links that they send to.
        is_of_senders = _wait_for_themselves(self.why)
        symptoms = {symptom["cause"] for symptom in self.why.symptoms}

        def order(pair: Change) -> tuple[bool, bool, bool, int]:
            fits = (at for at, candidate in enumerate(named) if relieves(pair[0], candidate))
            at = 0 if is_of_senders and HOSTS in pair[0].paths else next(fits, len(named))
            # A symptom has been seen. A runner-up may be relieved by nearly anything.
            is_seen = pair[0].cause in symptoms and not pair[0].is_general
            return not self._is_confirmed(pair[0]), at > 0, not is_seen, at

        self.possible.sort(key=order)
        self.left_out = len(self.possible[fitting:])
        self.possible = self.possible[:fitting]

    def _look_again(self, progress: Progress | None) -> None:
        """More seeds where the largest gain is not sure and has to be told from the next."""
        trial, ranked = self.second, self._ranked()
        if trial is None or not ranked or not ranked[0].is_promising:
            return
        more = Trial(self.budget.numbers(MORE_SEEDS * len(trial.seeds)), trial.messages)
        if self.budget.fitting(more, AGAIN_SHARE, UNSURE) < UNSURE:
            return
        best = [_key(gain.relaxation) for gain in ranked[:UNSURE]]
        sure = next((_key(gain.relaxation) for gain in ranked if gain.is_sure), None)
        wanted = [pair for pair in self.possible if _key(pair[0]) in {*best, sure}]
        self._look(wanted, more, progress)

    def _judge(self, wanted: Wanted, progress: Progress | None) -> None:
        """Runs of the scenario's full length of changes that had a first look, and got no figure from it."""
        lacks = {Lack.FEW: 0, Lack.WAIT: 0, Lack.UNSETTLED: 1, Lack.SATURATES: 2}
        known = [(pair, self.gains.get(_key(pair[0]))) for pair in self.possible]
        unjudged = [
            (lacks[found.lack], pair)
            for pair, found in known
            if found is not None and found.lack in lacks and self._had_a_first_look(found)
        ]
        if not unjudged:
            return
        unjudged.sort(key=lambda each: each[0])
        # All that is left but for the curve.
        share = max(0.0, self.budget.left - CURVE_SHARE)
        trial = self.budget.trial(share, wanted, len(unjudged), self.budget.size.messages)
        fitting = self.budget.fitting(trial, share, len(unjudged))
        if fitting:
            self._look([pair for _, pair in unjudged[:fitting]], trial, progress)

    def _had_a_first_look(self, found: Gain) -> bool:
        """Whether a change has no more runs than those of the first look."""
        first = self.first
        return first is not None and (len(found.runs), [*found.set[-1:]]) == (
            len(first.seeds),
            first.overrides(),
        )

    def _tell_loops(self) -> None:
        """Mark changes with a credit loop: of a deadlock those that leave it, else those that close one."""
        if self.goal is not Goal.FREEDOM and has_credit_loop(self.scenario):
            return
        for relaxation, other in self.possible:
            found = self.gains.get(_key(relaxation))
            may_close = self.goal is Goal.FREEDOM or relaxation.cause is Cause.ROUTE_CONCENTRATION
            if found is not None and may_close and has_credit_loop(other):
                self.gains[_key(relaxation)] = replace(found, has_loop=True)

    def _finalists(self, trial: Trial, share: float, relieving: Sequence[Change]) -> Sequence[Change]:
        """What may still be the best: what relieves a confirmed cause, then by the first look's means."""
        if len(self.possible) <= FINALISTS:
            return self.possible
        most = self.budget.fitting(trial, share, TIMED_FINALISTS if self.budget.is_timed else FINALISTS)
        ranked = [gain.relaxation for gain in self._ranked() if gain.refused is None]
        general = next((each for each in ranked if each.is_general), None)
        chosen = [relaxation for relaxation, _ in relieving]
        others = [each for each in ranked if each not in chosen]
        chosen += others[: max(most, 1) - len(chosen)] if len(chosen) < max(most, 1) else []
        chosen += [general] if general is not None and len(chosen) < most + 1 else []
        return [pair for pair in self.possible if pair[0] in chosen]

    def _look(self, tried: Sequence[Change], trial: Trial, progress: Progress | None) -> None:
        """Run the scenario and some changes of it, and keep what each gained over what it is against."""
        against = list(dict.fromkeys([(), *(relaxation.against for relaxation, _ in tried)]))
        scenarios = [*map(self._with, against), *(other for _, other in tried)]
        self.budget.spend(trial, len(scenarios))
        runs, stopped = _simulated(scenarios, trial, progress)
        bases = dict(zip(against, runs, strict=False))
        if all(len(base) == len(trial.seeds) for base in bases.values()):
            goal = self._settle_goal(bases[()], trial)
            for (relaxation, _), found in zip(tried, runs[len(bases) :], strict=True):
                base = bases[relaxation.against]
                if len(found) == len(base):
                    overrides = (*self.offer, *relaxation.set, *trial.overrides())
                    told = [
                        _unsettled(each) if self._only_fills(relaxation, base, run) else each
                        for each, run in zip(_of(found, goal), found, strict=True)
                    ]
                    self.gains[_key(relaxation)] = gain(relaxation, goal, overrides, _of(base, goal), told)
        if stopped:
            raise Interrupted

    def _with(self, overrides: Sequence[str]) -> "Scenario":
        return self.scenario.with_overrides(list(overrides))

    def _settle_goal(self, base: Sequence[RunResult], trial: Trial) -> Goal:
        """What gains are in from this look on; what was measured before is judged by it anew.

        A time is given up where longer runs than those of the first look show that it does not exist.
        """
        found = self._goal_of(base)
        if self.goal is None or (trial is not self.first and self.goal.is_time and not found.is_time):
            self.goal = found
            for key, known in self.gains.items():
                # The longer runs of this look tell whether room that a change gives would fill.
                fills = found is Goal.THROUGHPUT and known.relaxation.stores
                runs = [_unsettled(run) for run in known.runs] if fills else known.runs
                if known.refused is None:
                    self.gains[key] = gain(known.relaxation, found, known.set, known.base, runs)
        return self.goal

    def _only_fills(self, relaxation: Relaxation, base: Sequence[RunResult], run: RunResult) -> bool:
        """Whether room that a change gives may still be filling up, where queues grow without it.

        Of a window it is no matter: more may be under way at any time. Nor of what ends the queues by the
        confirmation, in runs that are long enough for that.
        """
        grow = self.saturates or any(one.outcome == SATURATED for one in base)
        ends = any(trial.ends_queues and trial.set in relaxation.sets for trial in self.confirmed)
        if ends and run.outcome != SATURATED:
            return False
        return relaxation.stores and grow and not self.is_window and may_still_fill(run)

    def _curve(self, wanted: Wanted, progress: Progress | None) -> list[tuple[Step, Gain]]:
        """The best change at its other sizes."""
        best = next((each for each in self._ranked() if each.is_sure), None)
        if best is None or not best.relaxation.curve or self.goal is None:
            return []
        # The size of the table has its gain already, from more runs.
        own = {step.set: (step, best) for step in best.relaxation.curve if step.set == best.relaxation.set}
        others = [step for step in best.relaxation.curve if step.set not in own]
        steps = [(step, changed(self.scenario, step.set)) for step in others]
        possible = [(step, other) for step, other in steps if not isinstance(other, str)]
        looks = wanted.at_most(CURVE_SEEDS)
        trial = self.budget.trial(CURVE_SHARE, looks, len(possible), max(FEWEST_MESSAGES, self.rounds))
        possible = possible[: self.budget.fitting(trial, CURVE_SHARE, len(possible))]
        if not possible:
            return []
        before = self._with(best.relaxation.against)
        runs, stopped = _simulated([before, *(other for _, other in possible)], trial, progress)
        if stopped:
            raise Interrupted
        base = _of(runs[0], self.goal)
        told = dict(own)
        for (step, _), found in zip(possible, runs[1:], strict=True):
            overrides = (*self.offer, *step.set, *trial.overrides())
            other = gain(best.relaxation, self.goal, overrides, base, _of(found, self.goal))
            told[step.set] = (step, other)
        return [told[step.set] for step in best.relaxation.curve if step.set in told]

    def _ranked(self) -> list[Gain]:
        return sorted(self.gains.values(), key=rank)

    def _found(self, curve: Sequence[tuple[Step, Gain]], *, is_whole: bool) -> WhatIf:
        trial = self.second or self.first or Trial(self.budget.numbers(FEWEST_SEEDS), FEWEST_MESSAGES)
        return WhatIf(
            self.goal or Goal.THROUGHPUT,
            trial.seeds,
            trial.messages,
            self._ranked(),
            tuple(curve),
            (*self.offer, *trial.overrides()),
            is_whole,
            self.left_out,
            self.first,
            self.confirmed,
            self.offer,
            self.budget.size.messages,
        )


def _confirmed(why: "Explanation") -> list[Relieved]:
    """What surely relieves a cause, by the confirmation of an explanation."""
    trials = () if why.confirmation is None else why.confirmation.trials
    return [trial for trial in trials if trial.gain is not None and trial.gain.low > 0]


def messages_of_rounds(explained: RunResult | None) -> int:
    """How many messages the first rounds of every group take: in fewer there is no time of a round."""
    if explained is None:
        return 0
    ended: list[int] = [each.number for each in of_classes(explained, Goal.ROUND.metric).values()]
    found = explained.summary.find(ROUND_MEAN)
    ended += [] if found is None else [found.n]
    measured = explained.summary.fields["measured"]["messages"]
    fewest = min(ended, default=0)
    return math.ceil(FIRST_ROUNDS * measured / fewest) if fewest else measured


def _wait_for_themselves(why: "Explanation") -> bool:
    """Whether messages wait longest for the rate or the window of their own flow."""
    longest = max(why.data["shares"]["stages"], key=lambda stage: stage["share"], default=None)
    is_cause = why.cause in (Cause.WINDOW, Cause.RATE_CONTROL)
    return is_cause or (longest is not None and longest["id"] in OF_SENDERS)


def _messages_of_confirmation(why: "Explanation") -> int:
    """How many messages its runs measured; none where nothing was confirmed."""
    return 0 if why.confirmation is None else why.confirmation.messages


def _simulated(
    scenarios: Sequence["Scenario"], trial: Trial, progress: Progress | None
) -> tuple[list[list[RunResult]], bool]:
    """Every scenario with every seed, as far as an interrupt let it; whether one came."""
    wanted = [
        each.with_overrides([*trial.overrides(), f"seed={seed}"])
        for each in scenarios
        for seed in trial.seeds
    ]
    stopped = False
    try:
        runs = engine.sweep(wanted, progress)
    except Interrupted as interrupt:
        runs, stopped = interrupt.so_far or [], True
    results = [RunResult.of(*pair) for pair in zip(wanted, runs, strict=False)]
    count = len(trial.seeds)
    grouped = [results[at * count : (at + 1) * count] for at in range(len(scenarios))]
    return [[run for run in group if run.outcome != "interrupted"] for group in grouped], stopped


def _of(runs: Iterable[RunResult], goal: Goal) -> list[Figures]:
    return [figures(run, goal) for run in runs]


def _unsettled(found: Figures) -> Figures:
    return replace(found, throughput=None, median=None, tail=None, outcome=UNSETTLED)


def _part(progress: Progress | None, begin: float, end: float, what: str) -> Progress | None:
    """Progress of a part as progress of the whole."""
    if progress is None:
        return None
    return lambda fraction, text: progress(begin + (end - begin) * fraction, f"{what}: {text}")
