"""What would help: a scenario run again with one change at a time and the same random numbers.

All changes are first tried with a few short runs; then the best of them with more and longer ones, together
with those that the confirmation of the explanation found; then those that short runs could not judge; and the
best of all also in other sizes. All runs together have a budget of events, ten times the time of the
explained run on two cores. Runs are as long as the budget allows, unless seeds or messages are requested;
changes that do not fit into it are not tried, those that relieve the named causes being the last to be
dropped.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hopscope import engine
from hopscope.cause import Cause
from hopscope.errors import Interrupted, UsageError
from hopscope.goal import Goal
from hopscope.ids import StageId
from hopscope.numerals import amount
from hopscope.planning import faults
from hopscope.planning.candidates.changes import Relaxation, Step
from hopscope.planning.candidates.relaxations import relaxations_for, relieves, unchanged_offer
from hopscope.planning.candidates.rows import HOSTS
from hopscope.planning.candidates.variants import changed
from hopscope.planning.credit_loop import has_credit_loop
from hopscope.planning.goals.goal import ROUND_MEAN, Figures, figures, goal_of, may_still_fill
from hopscope.planning.goals.mix import of_classes
from hopscope.planning.trying.budget import FEWEST_SEEDS, Budget, Effort, Size, Wanted
from hopscope.planning.trying.gain import Gain, Lack, gain, rank
from hopscope.planning.what_if.oversubscription import with_lifting
from hopscope.planning.what_if.tried import MORE_SEEDS, WhatIf
from hopscope.progress import Progress
from hopscope.results.outcome import Outcome
from hopscope.results.run import RunResult
from hopscope.results.trial import Trial

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# Seeds of the first look at all changes, and the number of changes in the second look.
FIRST_SEEDS = 2
FINALISTS = 5
CURVE_SEEDS = 2
# With timed events runs cannot be shortened: the second look has fewer of them.
TIMED_FINALISTS = 3
TIMED_SEEDS = 3
# Shares of the budget for the first look, the second, the third at unsure gains, and the curve.
FIRST_SHARE, SECOND_SHARE, AGAIN_SHARE, CURVE_SHARE = 0.35, 0.3, 0.2, 0.15
# The share of the budget for reliefs of confirmed causes and the changes beside them, if necessary.
CONFIRMED_SHARE = 0.6
BESIDE = 1
# At least this many seeds are needed to judge what the confirmation found.
VERDICT_SEEDS = 3
# Shorter runs have no useful 99th percentile; a first look only chooses changes for the next.
FEWEST_MESSAGES = 1_000
FEWEST_AT_FIRST = 500
# A first look needs at least this many finished rounds to estimate a round's time.
FIRST_ROUNDS = 2
# The stages, by their ids, in which messages wait for their own sender.
OF_SENDERS = frozenset({StageId.PACING, StageId.WINDOW_WAIT, StageId.PULL_WAIT})
# If the largest gain is not sure, this many changes are run with this many times the seeds.
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
    """Try every possible change of a scenario, each with the scenario's own seeds.

    `explained` is the run that `why` explains: its length sets the budget of all runs. The changes of the
    second look run with `seeds` seeds of `messages` messages; without these, with as many as fit into the
    budget. Raises UsageError for fewer than two seeds, which give no interval, and Interrupted with what was
    known by then.
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
    """The identity of a change: those of two parallel cables have the same words."""
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
        # Timed events must not be cut off.
        is_timed = faults.happen(self.canonical)
        self.budget = Budget(Size.of(scenario, explained), self.scenario.seed, is_timed=is_timed)
        self.confirmed = _confirmed(why)
        self.possible: list[Change] = []
        self.gains: dict[_Key, Gain] = {}
        # Short runs may not show yet that queues grow: the explained run has the scenario's full length.
        self.saturates = why.outcome == Outcome.SATURATED
        self.is_window = why.cause == Cause.WINDOW
        self.goal = None if explained is None else self._goal_of([explained])
        self.rounds = messages_of_rounds(explained) if self.goal is Goal.ROUND else 0
        self.first: Effort | None = None
        self.second: Effort | None = None
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
        """Few and short runs of all changes that fit into the budget."""
        looks = wanted.at_most(1 if self.budget.is_timed else FIRST_SEEDS)
        fewest = max(FEWEST_AT_FIRST, self.rounds)
        self.first = self.budget.effort(FIRST_SHARE, looks, len(self.possible), fewest)
        self._leave_out(self.first)
        self._look(self.possible, self.first, progress)

    def _second_look(self, wanted: Wanted, progress: Progress | None) -> None:
        """More and longer runs of the best, and of reliefs of confirmed causes."""
        most = wanted.seeds if wanted.keeps_seeds or not self.budget.is_timed else TIMED_SEEDS
        longer = replace(wanted, seeds=min(most, wanted.seeds))
        relieving = [pair for pair in self.possible if self._is_confirmed(pair[0])]
        share = SECOND_SHARE
        least = max(FEWEST_MESSAGES, self.rounds)
        effort = self.budget.effort(share, longer, FINALISTS, least)
        if relieving:
            fewest = max(least, _messages_of_confirmation(self.why))
            verdict = self.budget.effort(
                CONFIRMED_SHARE, longer, len(relieving) + BESIDE, fewest, VERDICT_SEEDS
            )
            if len(effort.seeds) < VERDICT_SEEDS or effort.messages < min(fewest, verdict.messages):
                share, effort = CONFIRMED_SHARE, verdict
        self.second = effort
        self._look(self._finalists(effort, share, relieving), effort, progress)

    def _is_confirmed(self, change: Relaxation) -> bool:
        return any(trial.set in change.sets for trial in self.confirmed)

    def _leave_out(self, effort: Effort) -> None:
        """If not all changes fit into the budget, those that relieve the named causes stay."""
        fitting = max(1, self.budget.fitting(effort, FIRST_SHARE, len(self.possible)))
        named = self.why.candidates
        # If senders limit themselves, the links that they send to may be the reason.
        is_of_senders = _wait_for_themselves(self.why)
        symptoms = {symptom["cause"] for symptom in self.why.symptoms}

        def order(pair: Change) -> tuple[bool, bool, bool, int]:
            fits = (at for at, candidate in enumerate(named) if relieves(pair[0], candidate))
            at = 0 if is_of_senders and HOSTS in pair[0].paths else next(fits, len(named))
            # A symptom was observed. A runner-up may be relieved by nearly anything.
            is_seen = pair[0].cause in symptoms and not pair[0].is_general
            return not self._is_confirmed(pair[0]), at > 0, not is_seen, at

        self.possible.sort(key=order)
        self.left_out = len(self.possible[fitting:])
        self.possible = self.possible[:fitting]

    def _look_again(self, progress: Progress | None) -> None:
        """More seeds if the largest gain is not sure and has to be distinguished from the next."""
        effort, ranked = self.second, self._ranked()
        if effort is None or not ranked or not ranked[0].is_promising:
            return
        more = Effort(self.budget.numbers(MORE_SEEDS * len(effort.seeds)), effort.messages)
        if self.budget.fitting(more, AGAIN_SHARE, UNSURE) < UNSURE:
            return
        best = [_key(gain.relaxation) for gain in ranked[:UNSURE]]
        sure = next((_key(gain.relaxation) for gain in ranked if gain.is_sure), None)
        wanted = [pair for pair in self.possible if _key(pair[0]) in {*best, sure}]
        self._look(wanted, more, progress)

    def _judge(self, wanted: Wanted, progress: Progress | None) -> None:
        """Runs of the scenario's full length for changes that got no figure from their first look."""
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
        # The rest of the budget, except for the curve.
        share = max(0.0, self.budget.left - CURVE_SHARE)
        effort = self.budget.effort(share, wanted, len(unjudged), self.budget.size.messages)
        fitting = self.budget.fitting(effort, share, len(unjudged))
        if fitting:
            self._look([pair for _, pair in unjudged[:fitting]], effort, progress)

    def _had_a_first_look(self, found: Gain) -> bool:
        """Whether a change has only the runs of the first look."""
        first = self.first
        return first is not None and (len(found.runs), [*found.set[-1:]]) == (
            len(first.seeds),
            first.overrides(),
        )

    def _tell_loops(self) -> None:
        """Mark changes with a credit loop: for a deadlock those that leave it, else those that add one."""
        if self.goal is not Goal.FREEDOM and has_credit_loop(self.scenario):
            return
        for relaxation, other in self.possible:
            found = self.gains.get(_key(relaxation))
            may_close = self.goal is Goal.FREEDOM or relaxation.cause is Cause.ROUTE_CONCENTRATION
            if found is not None and may_close and has_credit_loop(other):
                self.gains[_key(relaxation)] = replace(found, has_loop=True)

    def _finalists(self, effort: Effort, share: float, relieving: Sequence[Change]) -> Sequence[Change]:
        """The possible best changes: reliefs of confirmed causes, then by the first look's means."""
        if len(self.possible) <= FINALISTS:
            return self.possible
        most = self.budget.fitting(effort, share, TIMED_FINALISTS if self.budget.is_timed else FINALISTS)
        ranked = [gain.relaxation for gain in self._ranked() if gain.refused is None]
        general = next((each for each in ranked if each.is_general), None)
        chosen = [relaxation for relaxation, _ in relieving]
        others = [each for each in ranked if each not in chosen]
        chosen += others[: max(most, 1) - len(chosen)] if len(chosen) < max(most, 1) else []
        chosen += [general] if general is not None and len(chosen) < most + 1 else []
        return [pair for pair in self.possible if pair[0] in chosen]

    def _look(self, tried: Sequence[Change], effort: Effort, progress: Progress | None) -> None:
        """Run the scenario and some changes of it, and keep each gain over its own reference."""
        against = list(dict.fromkeys([(), *(relaxation.against for relaxation, _ in tried)]))
        scenarios = [*map(self._with, against), *(other for _, other in tried)]
        self.budget.spend(effort, len(scenarios))
        runs, stopped = _simulated(scenarios, effort, progress)
        bases = dict(zip(against, runs, strict=False))
        if all(len(base) == len(effort.seeds) for base in bases.values()):
            goal = self._settle_goal(bases[()], effort)
            for (relaxation, _), found in zip(tried, runs[len(bases) :], strict=True):
                base = bases[relaxation.against]
                if len(found) == len(base):
                    overrides = (*self.offer, *relaxation.set, *effort.overrides())
                    told = [
                        _unsettled(each) if self._only_fills(relaxation, base, run) else each
                        for each, run in zip(_of(found, goal), found, strict=True)
                    ]
                    self.gains[_key(relaxation)] = gain(relaxation, goal, overrides, _of(base, goal), told)
        if stopped:
            raise Interrupted

    def _with(self, overrides: Sequence[str]) -> "Scenario":
        return self.scenario.with_overrides(list(overrides))

    def _settle_goal(self, base: Sequence[RunResult], effort: Effort) -> Goal:
        """The measure of gains from this look on; earlier runs are judged by it again.

        A time is dropped if longer runs than those of the first look show that it does not exist.
        """
        found = self._goal_of(base)
        if self.goal is None or (effort is not self.first and self.goal.is_time and not found.is_time):
            self.goal = found
            for key, known in self.gains.items():
                # The longer runs of this look show whether an added buffer would fill.
                fills = found is Goal.THROUGHPUT and known.relaxation.stores
                runs = [_unsettled(run) for run in known.runs] if fills else known.runs
                if known.refused is None:
                    self.gains[key] = gain(known.relaxation, found, known.set, known.base, runs)
        return self.goal

    def _only_fills(self, relaxation: Relaxation, base: Sequence[RunResult], run: RunResult) -> bool:
        """Whether an added buffer may still be filling up, if queues grow without it.

        It does not matter for a window: more may be in flight at any time. Nor for a change that ends the
        queues by the confirmation, in runs that are long enough for that.
        """
        grow = self.saturates or any(one.outcome == Outcome.SATURATED for one in base)
        ends = any(trial.ends_queues and trial.set in relaxation.sets for trial in self.confirmed)
        if ends and run.outcome != Outcome.SATURATED:
            return False
        return relaxation.stores and grow and not self.is_window and may_still_fill(run)

    def _curve(self, wanted: Wanted, progress: Progress | None) -> list[tuple[Step, Gain]]:
        """The best change at its other sizes."""
        best = next((each for each in self._ranked() if each.is_sure), None)
        if best is None or not best.relaxation.curve or self.goal is None:
            return []
        # The size in the table has its gain already, from more runs.
        own = {step.set: (step, best) for step in best.relaxation.curve if step.set == best.relaxation.set}
        others = [step for step in best.relaxation.curve if step.set not in own]
        steps = [(step, changed(self.scenario, step.set)) for step in others]
        possible = [(step, other) for step, other in steps if not isinstance(other, str)]
        looks = wanted.at_most(CURVE_SEEDS)
        effort = self.budget.effort(CURVE_SHARE, looks, len(possible), max(FEWEST_MESSAGES, self.rounds))
        possible = possible[: self.budget.fitting(effort, CURVE_SHARE, len(possible))]
        if not possible:
            return []
        before = self._with(best.relaxation.against)
        runs, stopped = _simulated([before, *(other for _, other in possible)], effort, progress)
        if stopped:
            raise Interrupted
        base = _of(runs[0], self.goal)
        told = dict(own)
        for (step, _), found in zip(possible, runs[1:], strict=True):
            overrides = (*self.offer, *step.set, *effort.overrides())
            other = gain(best.relaxation, self.goal, overrides, base, _of(found, self.goal))
            told[step.set] = (step, other)
        return [told[step.set] for step in best.relaxation.curve if step.set in told]

    def _ranked(self) -> list[Gain]:
        return sorted(self.gains.values(), key=rank)

    def _found(self, curve: Sequence[tuple[Step, Gain]], *, is_whole: bool) -> WhatIf:
        effort = self.second or self.first or Effort(self.budget.numbers(FEWEST_SEEDS), FEWEST_MESSAGES)
        return WhatIf(
            self.goal or Goal.THROUGHPUT,
            effort.seeds,
            effort.messages,
            self._ranked(),
            tuple(curve),
            (*self.offer, *effort.overrides()),
            is_whole,
            self.left_out,
            self.first,
            self.confirmed,
            self.offer,
            self.budget.size.messages,
        )


def _confirmed(why: "Explanation") -> list[Trial]:
    """The sure reliefs of a cause, by the confirmation of an explanation."""
    trials = () if why.confirmation is None else why.confirmation.trials
    return [trial for trial in trials if trial.gain is not None and trial.gain.low > 0]


def messages_of_rounds(explained: RunResult | None) -> int:
    """The number of messages of the first rounds of every group: fewer give no time of a round."""
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
    """The number of messages of its runs; 0 if nothing was confirmed."""
    return 0 if why.confirmation is None else why.confirmation.messages


def _simulated(
    scenarios: Sequence["Scenario"], effort: Effort, progress: Progress | None
) -> tuple[list[list[RunResult]], bool]:
    """Runs of every scenario with every seed, until an interrupt; and whether one came."""
    wanted = [
        each.with_overrides([*effort.overrides(), f"seed={seed}"])
        for each in scenarios
        for seed in effort.seeds
    ]
    stopped = False
    try:
        runs = engine.sweep(wanted, progress)
    except Interrupted as interrupt:
        runs, stopped = interrupt.so_far or [], True
    results = [RunResult.of(*pair) for pair in zip(wanted, runs, strict=False)]
    count = len(effort.seeds)
    grouped = [results[at * count : (at + 1) * count] for at in range(len(scenarios))]
    return [[run for run in group if run.outcome is not Outcome.INTERRUPTED] for group in grouped], stopped


def _of(runs: Iterable[RunResult], goal: Goal) -> list[Figures]:
    return [figures(run, goal) for run in runs]


def _unsettled(found: Figures) -> Figures:
    return replace(found, throughput=None, median=None, tail=None, outcome=Outcome.UNSETTLED)


def _part(progress: Progress | None, begin: float, end: float, what: str) -> Progress | None:
    """Progress of a part as progress of the whole."""
    if progress is None:
        return None
    return lambda fraction, text: progress(begin + (end - begin) * fraction, f"{what}: {text}")
