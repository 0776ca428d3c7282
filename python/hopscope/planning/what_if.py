"""What would help: a scenario run again with one change at a time, on the same random numbers.

All changes are first tried with a few short runs; the best of them again with more and longer ones; and the
best of all also in other sizes. All of it together has a budget of events, ten times that of the run that is
explained on two cores. Runs are as long as the budget allows; changes that do not fit into it are not tried,
those that relieve what the explanation names last of all.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hopscope import engine
from hopscope.engine import Progress
from hopscope.errors import Interrupted, UsageError
from hopscope.overrides import options
from hopscope.planning.changes import Relaxation, Step
from hopscope.planning.gain import WORTH, Gain, gain, rank, words
from hopscope.planning.goal import Figures, Goal, figures, goal_of
from hopscope.planning.relaxations import relaxations_for, relieves, unchanged_offer
from hopscope.planning.variants import changed
from hopscope.results.run import RunResult
from hopscope.source import messages_of

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

SEEDS = 5
MESSAGES = 20_000
FEWEST_SEEDS = 2
# Of all changes a first look, of so many a second one.
FIRST_SEEDS = 2
FINALISTS = 5
CURVE_SEEDS = 2
# Where something happens at a time, runs cannot be shortened: there are fewer of them.
TIMED_FINALISTS = 3
TIMED_SEEDS = 3
# All runs together have so many times the events of the explained run: ten times its cost on two cores.
TIMES_THE_RUN = 20.0
# But always so many, a few seconds' worth: runs of milliseconds would leave nothing to compare.
CHEAP_EVENTS = 10_000_000
# What of the budget the first look may take, the second, the one at what is not sure, and the curve.
FIRST_SHARE, SECOND_SHARE, AGAIN_SHARE, CURVE_SHARE = 0.35, 0.3, 0.2, 0.15
# Shorter runs have no 99th percentile worth the name; a first look only chooses what to look at again.
FEWEST_MESSAGES = 1_000
FEWEST_AT_FIRST = 500
# Where the largest gain is not sure, so many changes are run with so many times the seeds.
UNSURE = 2
MORE_SEEDS = 2
ROWS_SHOWN = 12


@dataclass(frozen=True)
class Trial:
    """Runs that are compared: how many seeds from which on, and how many messages each measures at most."""

    seeds: tuple[int, ...]
    messages: int

    def overrides(self) -> list[str]:
        """What every run of the trial is set to, its seed aside."""
        return [f"measure.messages={self.messages}"]


@dataclass(frozen=True)
class WhatIf:
    """Changes, ranked by their mean gain in the goal: throughput, or median and tail of a time.

    `curve` has the gain of the best change at other sizes. `is_whole` is false where an interrupt came first;
    `left_out` changes did not fit into the budget.
    """

    goal: Goal
    seeds: tuple[int, ...]
    messages: int
    gains: Sequence[Gain]
    curve: Sequence[tuple[Step, Gain]] = field(default=())
    base: Sequence[str] = field(default=())
    is_whole: bool = True
    left_out: int = 0

    @property
    def best(self) -> Gain | None:
        """The largest gain among those that are sure; None where nothing single surely helps."""
        return next((gain for gain in self.gains if gain.is_sure), None)

    @property
    def sentence(self) -> str:
        """The answer in one sentence or two: what surely helps most, and what may help more."""
        best = self.best
        above = self.gains[: len(self.gains) if best is None else self.gains.index(best)]
        unsure = next((gain for gain in above if gain.is_promising), None)
        more = ""
        if unsure is not None:
            than = "" if best is None else " more"
            more = (
                f" {_capital(unsure.relaxation.label)} may help{than}: {words(unsure.total)}; --seeds tells."
            )
        if best is None:
            return f"Nothing single helps for sure: no change surely gains {100 * WORTH:g} % or more.{more}"
        return f"What helps most: {best.relaxation.label}, {words(best.total)} {_better(self.goal)}.{more}"

    @property
    def apply(self) -> str | None:
        """The options that make the best change."""
        if self.best is None:
            return None
        return options(self.best.relaxation.set)

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "goal": str(self.goal),
            "best": None if self.best is None else self.best.relaxation.label,
            "sentence": self.sentence,
            "apply": None if self.best is None else list(self.best.relaxation.set),
            "seeds": list(self.seeds),
            "messages": self.messages,
            "base_set": list(self.base),
            "complete": self.is_whole,
            "left_out": self.left_out,
            "gains": [gain.to_data() for gain in self.gains],
            "curve": [{"amount": step.amount, **gain.to_data()} for step, gain in self.curve],
        }

    def headers(self) -> tuple[str, ...]:
        """The columns of the table."""
        if self.goal.is_time:
            return ("what if", f"{self.goal}, less", "median", "99th percentile", "cost")
        return ("what if", str(self.goal), "cost")

    def rows(self) -> list[tuple[str, ...]]:
        """As a table: change, gain, of a time also that of median and tail, cost; the best first."""
        possible = [gain for gain in self.gains if gain.refused is None]
        single = [gain for gain in possible if not gain.relaxation.is_general]
        shown = [*single[:ROWS_SHOWN], *(gain for gain in possible if gain.relaxation.is_general)]
        return [
            (
                ("for comparison: " if each.relaxation.is_general else "") + each.relaxation.label,
                words(each.total) or _no_gain(each),
                *self._parts(each),
                each.relaxation.cost,
            )
            for each in shown
        ]

    def _parts(self, gain: Gain) -> tuple[str, ...]:
        return (words(gain.median), words(gain.tail)) if self.goal.is_time else ()

    def notes(self) -> list[str]:
        """What the table leaves out: further changes, and what is not possible."""
        refused = [gain for gain in self.gains if gain.refused is not None]
        more = len(self.gains) - len(refused) - len(self.rows())
        lines = [f"{more} further changes gain less"] if more > 0 else []
        few = sum(0 < len(gain.runs) < len(self.seeds) for gain in self.gains)
        if few:
            lines.append(f"{few} changes had a first look only: fewer and shorter runs")
        if self.left_out:
            lines.append(
                f"{self.left_out} changes were not tried: all runs together may cost ten times the run"
            )
        if refused:
            lines.append("not possible here: " + "; ".join(gain.relaxation.label for gain in refused))
        return lines + ([] if self.is_whole else ["interrupted: what was tried by then"])

    def curve_rows(self) -> list[tuple[str, str]]:
        """The gain of the best change by its size."""
        return [(step.label, words(gain.total) or _no_gain(gain)) for step, gain in self.curve]


def what_if(
    scenario: "Scenario",
    why: "Explanation",
    *,
    seeds: int = SEEDS,
    messages: int = MESSAGES,
    explained: RunResult | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Try every change of a scenario that somebody could make, each with the scenario's own seeds.

    `explained` is the run that `why` explains: its length sets how much all runs cost. Runs have at most
    `messages`. Raises UsageError for fewer than two seeds, from which no interval could be told, and
    Interrupted with what was known by then.
    """
    if seeds < FEWEST_SEEDS or messages < 1:
        raise UsageError(
            f"{seeds} seeds of {messages} messages give no interval", "ask for two seeds or more"
        )
    search = _Search(scenario, why, relaxations_for(scenario, why), _Size.of(scenario, explained))
    return search.run(seeds, messages, progress)


@dataclass(frozen=True)
class _Size:
    """The explained run: messages measured, events of the warm-up, and events for each message."""

    messages: int
    warmup: float
    each: float

    @classmethod
    def of(cls, scenario: "Scenario", run: RunResult | None) -> "_Size":
        """That of a run; of a scenario of which no run is known, what it asks for."""
        asked = messages_of(scenario)
        if run is None or not run.summary.fields["measured"]["messages"]:
            return cls(asked, 0.0, 0.0)
        measured, events = run.summary.fields["measured"], run.summary.fields["events"]
        # Events come at an even rate, so a part of the time has that part of them.
        warmup_s = run.summary.fields["warmup"]["until_s"]
        share = warmup_s / (warmup_s + measured["span_s"])
        return cls(
            min(asked, measured["messages"]), share * events, (1 - share) * events / measured["messages"]
        )

    def cost(self, messages: int) -> float:
        """The events of a run of so many messages."""
        return self.warmup + self.each * messages

    @property
    def budget(self) -> float:
        """The events of all runs together."""
        return max(CHEAP_EVENTS, TIMES_THE_RUN * self.cost(self.messages))

    def messages_for(self, events: float) -> int:
        """How many messages a run has with so many events."""
        return int(max(0.0, events - self.warmup) / self.each) if self.each else self.messages


class _Search:
    """One search: the first look, the second look at the best, and the curve of the best of all."""

    def __init__(
        self, scenario: "Scenario", why: "Explanation", tried: Sequence[Relaxation], size: _Size
    ) -> None:
        self.why = why
        self.left_out = 0
        self.offer = unchanged_offer(scenario)
        self.scenario = scenario.with_overrides(self.offer)
        self.size = size
        # What happens at a time must not be cut off.
        self.is_timed = _has_events(json.loads(scenario.canonical_json()))
        self.possible: list[tuple[Relaxation, Scenario]] = []
        self.gains: dict[str, Gain] = {}
        self.goal: Goal | None = None
        for each in tried:
            other = changed(self.scenario, each.set)
            if isinstance(other, str):
                self.gains[each.label] = Gain(each, Goal.THROUGHPUT, each.set, refused=other)
            elif other.hash != self.scenario.hash:
                self.possible.append((each, other))

    def run(self, seeds: int, messages: int, progress: Progress | None) -> WhatIf:
        """All looks; an interrupt carries what is known."""
        looks = 1 if self.is_timed else min(FIRST_SEEDS, seeds)
        first = self._trial(FIRST_SHARE, looks, len(self.possible) + 1, messages, FEWEST_AT_FIRST)
        again = min(TIMED_SEEDS, seeds) if self.is_timed else seeds
        second = self._trial(SECOND_SHARE, again, FINALISTS + 1, messages, FEWEST_MESSAGES)
        curve: list[tuple[Step, Gain]] = []
        try:
            if len(self.possible) > FINALISTS:
                self._leave_out(first, FIRST_SHARE)
                self._look(self.possible, first, _part(progress, 0.0, 0.4, "all changes"))
            self._look(self._finalists(second), second, _part(progress, 0.4, 0.7, "the best changes"))
            if not self.is_timed:
                self._look_again(second, _part(progress, 0.7, 0.9, "the best changes again"))
                curve = self._curve(messages, _part(progress, 0.9, 1.0, "sizes of the best"))
        except Interrupted:
            raise Interrupted(self._found(second, curve, is_whole=False)) from None
        return self._found(second, curve, is_whole=True)

    def _trial(self, share: float, seeds: int, changes: int, messages: int, fewest: int) -> Trial:
        """Seeds and messages whose runs cost this share of the budget, with fewer seeds if need be."""
        size, events = self.size, share * self.size.budget
        most = size.messages if self.is_timed else min(messages, size.messages)
        least = most if self.is_timed else min(fewest, most)
        while seeds > FEWEST_SEEDS and seeds * changes * size.cost(least) > events:
            seeds -= 1
        each = size.messages_for(events / (seeds * changes))
        numbers = tuple(range(self.scenario.seed, self.scenario.seed + seeds))
        return Trial(numbers, max(least, min(each, most)))

    def _fitting(self, trial: Trial, share: float) -> int:
        """How many changes can be tried so for this share of the budget, beside the scenario as it is."""
        cost = len(trial.seeds) * self.size.cost(trial.messages)
        return max(1, int(share * self.size.budget / cost) - 1) if cost else len(self.possible)

    def _leave_out(self, trial: Trial, share: float) -> None:
        """Of more changes than the budget has room for, those that relieve what is named stay."""
        fitting = self._fitting(trial, share)
        named = [self.why.data["verdict"], *self.why.runners_up]

        def order(pair: tuple[Relaxation, "Scenario"]) -> int:
            fits = (at for at, candidate in enumerate(named) if relieves(pair[0], candidate))
            return next(fits, len(named))

        self.possible.sort(key=order)
        self.left_out = len(self.possible[fitting:])
        self.possible = self.possible[:fitting]

    def _look_again(self, trial: Trial, progress: Progress | None) -> None:
        """More seeds where the largest gain is not sure and has to be told from the next."""
        ranked = self._ranked()
        if not ranked or not ranked[0].is_promising:
            return
        first = trial.seeds[0]
        more = Trial(tuple(range(first, first + MORE_SEEDS * len(trial.seeds))), trial.messages)
        if self._fitting(more, AGAIN_SHARE) < UNSURE:
            return
        best = [gain.relaxation.label for gain in ranked[:UNSURE]]
        sure = next((gain.relaxation.label for gain in ranked if gain.is_sure), None)
        wanted = [pair for pair in self.possible if pair[0].label in {*best, sure}]
        self._look(wanted, more, progress)

    def _finalists(self, trial: Trial) -> list[tuple[Relaxation, "Scenario"]]:
        """What may still be the best: by the first look's means."""
        if len(self.possible) <= FINALISTS:
            return self.possible
        most = min(TIMED_FINALISTS if self.is_timed else FINALISTS, self._fitting(trial, SECOND_SHARE))
        ranked = [gain.relaxation for gain in self._ranked()]
        general = next((each for each in ranked if each.is_general), None)
        chosen = [*ranked[:most], *([] if general is None else [general])]
        return [pair for pair in self.possible if pair[0] in chosen]

    def _look(
        self, tried: Sequence[tuple[Relaxation, "Scenario"]], trial: Trial, progress: Progress | None
    ) -> None:
        """Run the scenario and some changes of it, and keep what each gained."""
        scenarios = [self.scenario, *(other for _, other in tried)]
        runs, stopped = _simulated(scenarios, trial, progress)
        base = runs[0]
        if len(base) == len(trial.seeds):
            if self.goal is None:
                self.goal = goal_of(self.scenario.model, json.loads(self.scenario.canonical_json()), base)
            for (relaxation, _), found in zip(tried, runs[1:], strict=True):
                if len(found) == len(base):
                    overrides = (*self.offer, *relaxation.set, *trial.overrides())
                    self.gains[relaxation.label] = gain(
                        relaxation, self.goal, overrides, _of(base, self.goal), _of(found, self.goal)
                    )
        if stopped:
            raise Interrupted

    def _curve(self, messages: int, progress: Progress | None) -> list[tuple[Step, Gain]]:
        """The best change at its other sizes."""
        best = next((each for each in self._ranked() if each.is_sure), None)
        if best is None or not best.relaxation.curve or self.goal is None:
            return []
        steps = [(step, changed(self.scenario, step.set)) for step in best.relaxation.curve]
        possible = [(step, other) for step, other in steps if not isinstance(other, str)]
        trial = self._trial(CURVE_SHARE, CURVE_SEEDS, len(possible) + 1, messages, FEWEST_MESSAGES)
        possible = possible[: self._fitting(trial, CURVE_SHARE)]
        runs, stopped = _simulated([self.scenario, *(other for _, other in possible)], trial, progress)
        if stopped:
            raise Interrupted
        base = _of(runs[0], self.goal)
        return [
            (
                step,
                gain(
                    best.relaxation,
                    self.goal,
                    (*self.offer, *step.set, *trial.overrides()),
                    base,
                    _of(found, self.goal),
                ),
            )
            for (step, _), found in zip(possible, runs[1:], strict=True)
        ]

    def _ranked(self) -> list[Gain]:
        return sorted(self.gains.values(), key=rank)

    def _found(self, trial: Trial, curve: Sequence[tuple[Step, Gain]], *, is_whole: bool) -> WhatIf:
        base = (*self.offer, *trial.overrides())
        goal = self.goal or Goal.THROUGHPUT
        return WhatIf(
            goal, trial.seeds, trial.messages, self._ranked(), tuple(curve), base, is_whole, self.left_out
        )


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


def _has_events(canonical: Mapping[str, Any]) -> bool:
    """Whether something happens at a time: a fault, or a host that is silent for a while."""
    return bool(canonical.get("faults")) or any(host.get("silent") for host in canonical.get("host", ()))


def _part(progress: Progress | None, begin: float, end: float, what: str) -> Progress | None:
    """Progress of a part as progress of the whole."""
    if progress is None:
        return None
    return lambda fraction, text: progress(begin + (end - begin) * fraction, f"{what}: {text}")


def _no_gain(gain: Gain) -> str:
    return "saturates" if not gain.settles else "no figure"


def _better(goal: Goal) -> str:
    return f"less {goal} (median and 99th percentile)" if goal.is_time else f"more {goal}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
