"""The result of a search for changes that help: changes by gain, the answer, and what is left out."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopscope.estimate import Estimate, less_words, more_words
from hopscope.goal import Goal, Measure
from hopscope.numerals import amount, duration
from hopscope.overrides import options
from hopscope.planning.candidates.changes import Step
from hopscope.planning.trying.budget import Effort
from hopscope.planning.trying.gain import WORTH, Gain, Lack, words
from hopscope.results.trial import Trial

ROWS_SHOWN = 12
OLD_LOOP = "runs without deadlock here, the credit loop of the routes stays"
NEW_LOOP = "the routes have a credit loop with this change, so packets may lock up"
# If seeds were too few, this many times as many are proposed.
MORE_SEEDS = 2
# If messages were too few, this many times as many are proposed.
MORE_MESSAGES = 100


@dataclass(frozen=True)
class WhatIf:
    """Changes, ranked by their mean gain in the goal: throughput, or the mean of a time.

    `curve` has the gain of the best change at other sizes. `is_whole` is false after an interrupt; `left_out`
    changes did not fit into the budget. `first` are the runs of a first look, if there was one, and
    `confirmed` the reliefs that the confirmation found to be sure. `offer` are the overrides that keep the
    offered load as without a change. `whole` is the number of messages that the explained run measured.
    """

    goal: Goal
    seeds: tuple[int, ...]
    messages: int
    gains: Sequence[Gain]
    curve: Sequence[tuple[Step, Gain]] = field(default=())
    base: Sequence[str] = field(default=())
    is_whole: bool = True
    left_out: int = 0
    first: Effort | None = None
    confirmed: Sequence[Trial] = field(default=())
    offer: Sequence[str] = field(default=())
    whole: int = 0

    @property
    def best(self) -> Gain | None:
        """The largest gain among the sure ones; None if no single change surely helps.

        Also None if a relief found by the confirmation may gain more: then seeds are too few.
        """
        return None if self._rival else self._surest

    @property
    def _surest(self) -> Gain | None:
        return next((gain for gain in self.gains if gain.is_sure), None)

    @property
    def _rival(self) -> tuple[Trial, Gain] | None:
        """A confirmed relief that may gain more than the best sure change here, with its gain."""
        surest = self._surest
        most = 0.0 if surest is None or surest.total is None else surest.total.value
        for relieved in self._confirmed_above(surest):
            for gain in self.gains:
                if relieved.set not in gain.relaxation.sets or gain.is_sure or gain.has_loop:
                    continue
                if gain.refused is None and (gain.total is None or gain.total.high > most):
                    return relieved, gain
        return None

    def _confirmed_above(self, surest: Gain | None) -> list[Trial]:
        """The reliefs that gain more than the best sure change here by the confirmation, if it tried that."""

        def value(relieved: Trial) -> float:
            return -math.inf if relieved.gain is None else relieved.gain.value

        own = [each for each in self.confirmed if surest is not None and each.set in surest.relaxation.sets]
        least = max(map(value, own), default=-math.inf)
        return [each for each in self.confirmed if value(each) > least]

    @property
    def sentence(self) -> str:
        """The answer in one or two sentences: what surely helps most, and what may help more."""
        if self._rival is not None:
            return self._too_few_seeds(*self._rival)
        best = self._surest
        above = self.gains[: len(self.gains) if best is None else self.gains.index(best)]
        unsure = next((gain for gain in above if gain.is_promising), None)
        more = ""
        if unsure is not None:
            than = "" if best is None else " more"
            found = words(self.goal, unsure.total)
            more = f" {_capital(unsure.relaxation.label)} may help{than} ({found}): {self._more_seeds}."
        if best is None and (unjudged := self._too_short) is not None:
            return f"{unjudged}{more}"
        if best is None:
            tried = "single change" if self.is_whole else "change that was tried to its end"
            return f"No {tried} has a significant gain of {100 * WORTH:g} % or more.{more}"
        return f"What helps most: {best.relaxation.label}, {_told(self.goal, best.total)}.{more}"

    @property
    def _too_short(self) -> str | None:
        """A sentence if runs were too short to judge most changes; else None."""
        lacks = [gain.lack for gain in self._possible]
        short = [lack for lack in lacks if lack in (Lack.FEW, Lack.WAIT)]
        if not self.is_whole or not short or len(short) < len(lacks) - len(short):
            return None
        messages = amount(self.messages, "message", "messages")
        whom = f"{len(short)} of {amount(len(lacks), 'change', 'changes')} could not"
        whom = whom if len(short) < len(lacks) else "No change could"
        told = f"{whom} be judged: runs of up to {messages} are too short ({short[0]})"
        if self.messages >= self.whole:
            return f"{told}, and the scenario has no more: raise `measure.messages`, `rounds` or `duration`."
        return f"{told}; run with --messages {min(self.whole, MORE_MESSAGES * self.messages)}."

    @property
    def _more_seeds(self) -> str:
        return f"run with --seeds {MORE_SEEDS * len(self.seeds)}"

    def _too_few_seeds(self, relieved: Trial, gain: Gain) -> str:
        """A sentence that a confirmed relief cannot be distinguished from other sure gains."""
        above = _told(relieved.goal, relieved.gain)
        told = f"Too few seeds for a verdict: {gain.relaxation.label}, {above} in the confirmation, has here "
        told += f"no figure ({gain.lack})" if gain.total is None else _told(self.goal, gain.total)
        surest, sure = self._surest, ""
        if surest is not None:
            sure = f" {_capital(surest.relaxation.label)} helps: {_told(self.goal, surest.total)}."
        return f"{told}; {self._more_seeds}.{sure}"

    @property
    def apply(self) -> str | None:
        """The options that make the best change."""
        if self.best is None:
            return None
        return options(self._set_of_best)

    @property
    def _set_of_best(self) -> tuple[str, ...]:
        """The overrides of the best change, after those that keep the offered load."""
        return () if self.best is None else (*self.offer, *self.best.relaxation.set)

    def to_data(self) -> dict[str, Any]:
        """The same as in JSON."""
        first = self.first
        return {
            "goal": str(self.goal),
            "best": None if self.best is None else self.best.relaxation.label,
            "sentence": self.sentence,
            "apply": list(self._set_of_best) or None,
            "seeds": list(self.seeds),
            "messages": self.messages,
            "first_look": None if first is None else {"seeds": list(first.seeds), "messages": first.messages},
            "base_set": list(self.base),
            "complete": self.is_whole,
            "left_out": self.left_out,
            "gains": [gain.to_data() for gain in self.gains],
            "curve": [{"amount": step.amount, **gain.to_data()} for step, gain in self.curve],
        }

    def headers(self) -> tuple[str, ...]:
        """The columns of the table."""
        total = f"reduction of mean {self.goal}" if self.goal.is_time else str(self.goal)
        parts = ("median", "99th percentile") if self.goal.has_parts else ()
        return ("what if", total, *parts, *(("mean delay",) if self._has_delays else ()), "cost")

    def rows(self) -> list[tuple[str, ...]]:
        """As a table: change, gain, for most times also of median and tail, cost; the best first."""
        return [
            (
                ("for comparison: " if each.relaxation.is_general else "") + each.relaxation.label,
                _gain_or_why_not(each),
                *self._parts(each),
                each.relaxation.cost,
            )
            for each in self._shown
        ]

    @property
    def _possible(self) -> list[Gain]:
        return [gain for gain in self.gains if gain.refused is None]

    @property
    def _shown(self) -> list[Gain]:
        single = [gain for gain in self._possible if not gain.relaxation.is_general]
        return [*single[:ROWS_SHOWN], *(gain for gain in self._possible if gain.relaxation.is_general)]

    def _parts(self, gain: Gain) -> tuple[str, ...]:
        if self.goal.has_parts:
            return words(self.goal, gain.median), words(self.goal, gain.tail)
        if self._has_delays:
            return ("" if gain.delay is None else duration(gain.delay),)
        return ()

    @property
    def _has_delays(self) -> bool:
        """Whether queues grow, and no longer with some change: then the remaining delay is listed."""
        return any(gain.delay is not None for gain in self.gains)

    def notes(self) -> list[str]:
        """Notes on the runs, and on what the table leaves out: further and impossible changes."""
        refused = [gain for gain in self.gains if gain.refused is not None]
        hidden = [gain for gain in self._possible if gain not in self._shown]
        less = sum(gain.lack is None for gain in hidden)
        lines = [self._runs(), *([_of_further(less, "gains less", "gain less")] if less else [])]
        lines += _without_a_figure(hidden)
        few = sum(0 < len(gain.runs) < len(self.seeds) for gain in self.gains)
        if few:
            lines.append(f"{amount(few, 'change', 'changes')} had a first look only: fewer and shorter runs")
        if any(_gains_with_a_loop(gain) for gain in self._shown):
            is_new = self.goal is not Goal.FREEDOM
            lines.append(f"credit loop: {NEW_LOOP}" if is_new else f"loop stays: {OLD_LOOP}")
        if self.left_out:
            left_out = amount(self.left_out, "change was", "changes were")
            lines.append(f"{left_out} not tried: all runs together may cost ten times the run")
        if refused:
            lines.append("not possible here: " + "; ".join(gain.relaxation.label for gain in refused))
        return lines + ([] if self.is_whole else ["interrupted: results so far"])

    def _runs(self) -> str:
        """Seeds and messages that were used."""
        used = f"used: {_used(self.seeds, self.messages)}"
        return used if self.first is None else f"{used}; first look: {_used(*_of(self.first))}"

    def curve_rows(self) -> list[tuple[str, str]]:
        """The gain of the best change by its size."""
        return [(step.label, _gain_or_why_not(gain)) for step, gain in self.curve]


def _without_a_figure(gains: Sequence[Gain]) -> list[str]:
    """Notes on the number of changes without a figure, and why."""
    why: Mapping[str, int] = Counter(gain.lack.value for gain in gains if gain.lack is not None)
    if not why:
        return []
    told = ", ".join(f"{number} {reason}" for reason, number in why.items())
    return [f"{_of_further(sum(why.values()), 'has no figure', 'have no figure')}: {told}"]


def _of_further(count: int, one: str, many: str) -> str:
    """A sentence about this many further changes."""
    return amount(count, f"other change {one}", f"other changes {many}")


def _of(effort: Effort) -> tuple[tuple[int, ...], int]:
    return effort.seeds, effort.messages


def _used(seeds: Sequence[int], messages: int) -> str:
    """Seeds and messages of a run in words."""
    which = amount(len(seeds), "seed", "seeds")
    return f"{which} from {seeds[0]}, {amount(messages, 'message', 'messages')} a run"


def _gain_or_why_not(gain: Gain) -> str:
    """A gain, or why there is none."""
    if gain.lack is not None:
        return f"no figure: {gain.lack}"
    return words(gain.goal, gain.total) + _loop(gain)


def _loop(gain: Gain) -> str:
    """A remark that a gain comes with a credit loop: one that remains after a deadlock, or a new one."""
    if not _gains_with_a_loop(gain):
        return ""
    return ", loop stays" if gain.goal is Goal.FREEDOM else ", credit loop"


def _gains_with_a_loop(gain: Gain) -> bool:
    """Whether some gain comes with a credit loop, a possible deadlock."""
    return gain.has_loop and gain.total is not None and gain.total.value > 0


def _told(goal: Measure, gain: Estimate | None) -> str:
    """A gain with its measure: a goal, or another time that the confirmation compares."""
    if gain is None:
        return ""
    if goal in (Goal.THROUGHPUT, Goal.FREEDOM):
        return more_words(gain, goal)
    return less_words(gain, goal)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
