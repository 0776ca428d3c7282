"""A cause with the gain of its relief, and all trials for one run."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hopscope.estimate import TOO_FEW, Estimate, less_words, more_words, rules_nothing_out
from hopscope.goal import Goal, Measure, measure_of
from hopscope.numerals import amount, count, number
from hopscope.overrides import options
from hopscope.results.candidate import Candidate

# The least gain that makes a cause worth naming.
WORTH_NAMING = 0.01
# An interval around 0 whose ends are less than this is no noticeable gain.
UNNOTICED = 0.05
# A class may lose at most this share for the gain of another class.
MOST_LOSS_OF_A_CLASS = 0.25
# A change gains nearly as much as another one if it gains at least this share of that.
NEARLY_AS_MUCH = 0.9

OfOther = tuple[str, Measure, Estimate]
"""Another class than the one with a gain: its name, the measure of its own gain, and that gain."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A cause with the gain of its relief.

    `candidate` is the cause; `what` and `set` are the change, None if no listed change relieves the cause;
    `gain` is a share of `goal`: a reduction of the mean delay, or an increase of throughput. With `has_loop`
    the change's routes have a credit loop. `offer` are the overrides that keep the offered load as without
    the change. `repairs` marks the repair of a defect in the scenario. `beside` is the gain with the
    unchanged run taken as exact: all gains are over that one run. `left` is the remaining mean delay if
    queues grow without the change and no longer with it: then the whole offered load is carried. `is_broad`
    marks a change that ends several mechanisms at once: its gain is evidence for none. `is_wide` marks other
    switches, and faster links of a whole kind, which cost most. `is_full` marks the first cause if it is a
    full resource of a network whose queues grow. `mended` is the number of repairs. `ends_queues` says that
    queues grow in the very same run without the change, and not with it. `of_class` is the class of messages
    that has the gain, if not all do, and `other_class` the one that it waits behind, with its own gain. With
    `still_wait` there is no gain: with the change more messages wait when the run ends. Without
    `has_interval` the gain is that of one pair of runs. `is_lacking` marks cables that a switch lacks, unlike
    similar switches. `given_up` are the messages that their senders gave up without the change and with it,
    which are in no delay. `lost` are the packets lost for good without it and with it, if the gain is in
    these. `gains_most` is the group whose rounds gain far more than all rounds together.
    """

    candidate: Candidate
    what: str | None
    set: tuple[str, ...]
    goal: Measure
    gain: Estimate | None
    has_loop: bool = False
    offer: tuple[str, ...] = ()
    repairs: bool = False
    beside: Estimate | None = None
    left: Estimate | None = None
    is_broad: bool = False
    is_full: bool = False
    ends_queues: bool = False
    mended: int = 0
    of_class: str | None = None
    still_wait: bool = False
    other_class: OfOther | None = None
    has_interval: bool = True
    is_wide: bool = False
    is_lacking: bool = False
    given_up: tuple[int, int] | None = None
    lost: tuple[int, int] | None = None
    gains_most: OfOther | None = None

    @property
    def is_judged(self) -> bool:
        """Whether the interval of the gain is bounded: with too few messages it is not."""
        return self.gain is not None and (self.gain.low > 0 or math.isfinite(self.gain.half_width))

    @property
    def is_told(self) -> bool:
        """Whether the trial is reported."""
        return self.gain is not None or self.still_wait

    @property
    def is_sure(self) -> bool:
        """Whether the interval of the gain excludes 0, and the gain is worth naming.

        Also if queues no longer grow, unless because less is delivered.
        """
        if self.gain is None:
            return False
        return (self.ends_queues and self.gain.high > 0) or (self.gain.low > 0 and self.is_worth)

    @property
    def is_worth(self) -> bool:
        """Whether the gain itself, whatever its interval, is worth naming."""
        return self.gain is not None and (self.ends_queues or self.gain.value >= WORTH_NAMING)

    @property
    def costs_others(self) -> bool:
        """Whether another class surely loses much by the change."""
        other = self.other_class
        return other is not None and other[2].high < -MOST_LOSS_OF_A_CLASS

    @property
    def is_none(self) -> bool:
        """Whether the change surely gains nothing worth naming."""
        return self.gain is not None and not self.ends_queues and self.gain.high < WORTH_NAMING

    @property
    def is_nothing(self) -> bool:
        """Whether the gain of the change is not noticeable."""
        is_little = self.gain is not None and not self.is_worth and -self.gain.low < UNNOTICED
        return self.is_none or (is_little and self.gain is not None and self.gain.high < UNNOTICED)

    @property
    def _is_loss(self) -> bool:
        """Whether the gain itself is negative, whatever its interval: that is no remedy."""
        return self.gain is not None and self.gain.value <= 0 and not self.ends_queues and self.lost is None

    @property
    def made_by(self) -> tuple[str, ...]:
        """The overrides of the change, after those of the offer, some of which it may replace."""
        return (*self.offer, *self.set)

    def surely_exceeds(self, other: "Trial") -> bool:
        """Whether the gain is surely more than that of another change, in the same measure.

        A cause observed in a run keeps its place unless the printed intervals are disjoint. A defect is not
        inferred: its repair is compared by the two changed runs. If both carry the whole offered load, the
        shorter delay decides. A broad change does not replace a sure relief, nor a repair: the defect is
        known, and the gain of other switches is no evidence about it.
        """
        is_alike = (self.goal, self.of_class) == (other.goal, other.of_class)
        if not is_alike or (self.is_broad and (other.is_sure or other.repairs)):
            return False
        if self.left is not None and other.left is not None:
            return self.left.high < other.left.low
        if self.ends_queues != other.ends_queues:
            return self.ends_queues and self.is_sure
        if self.repairs != other.repairs:
            mine, others = self.beside or self.gain, other.beside or other.gain
            return mine is not None and others is not None and mine.low > others.high
        return self.exceeds_as_printed(other)

    def exceeds_as_printed(self, other: "Trial") -> bool:
        """Whether the printed interval of the gain is above that of another change."""
        return self.gain is not None and other.gain is not None and self.gain.low > other.gain.high

    def beside_named(self, named: "Trial") -> str:
        """Its relation to the change of the named cause, in words."""
        if self.candidate.cause != named.candidate.cause:
            return "the one for another cause"
        is_there = self.candidate.ends == named.candidate.ends
        return "another one there" if is_there else "one for the same cause at another place"

    @property
    def told(self) -> str:
        """The change and its gain with its interval."""
        if self.still_wait:
            return f"not judged: {self.what}: messages still wait when the test run ends"
        if self.what is None or self.gain is None:
            return "not confirmed: no change could be judged"
        if self.is_nothing:
            return f"no noticeable gain: {self.what}"
        words = f"{self.what}: {self.gained}"
        return f"no significant gain: {words}" if self._is_loss else words

    @property
    def gained(self) -> str:
        """The gain in words, with its measure."""
        if self.gain is None:
            return "not judged"
        loop = ", but with a credit loop, so packets may lock up" if self.has_loop else ""
        lost = "" if self.lost is None or self._is_of_losses else f", and {_lost(self.lost)}"
        return f"{self._gained(self.gain)}{self._giving_up}{lost}{loop}"

    @property
    def _is_of_losses(self) -> bool:
        """Whether the gain is in packets lost for good, counted in one pair of runs."""
        return self.lost is not None and not self.has_interval

    @property
    def _giving_up(self) -> str:
        """What happens to the messages that senders give up now, as words after the gain."""
        if self.given_up is None:
            return ""
        today, now = self.given_up
        if not now:
            return ", and no message is given up"
        but = "and" if now < today else "but"
        return f", {but} {count(now)} messages are given up instead of {count(today)}"

    def _gained(self, gain: Estimate) -> str:
        if self.lost is not None and self._is_of_losses:
            return f"{_lost(self.lost)} (1 run)"
        if not self.has_interval:
            return less_words(replace(gain, low=-math.inf, high=math.inf), self._in_what)
        if self.goal != Goal.THROUGHPUT:
            of = self._in_what
            return f"{less_words(gain, of)}{_of_class(self.other_class)}{_of_class(self.gains_most)}"
        more = more_words(gain, self._in_what)
        if not self.ends_queues or self.left is None:
            return more
        return f"no longer saturated, mean latency {number(self.left.value, 3)} {self.left.unit}, {more}"

    @property
    def _in_what(self) -> str:
        """The measure of the gain, with the class that has it."""
        return self.goal if self.of_class is None else f"{self.goal} of {self.of_class}"

    @property
    def how(self) -> str:
        """The options that make the change; empty if none was judged."""
        return (
            ""
            if self.what is None or self.gain is None or self.is_nothing or self._is_loss
            else options(self.made_by)
        )

    def words(self, first: "Trial | None" = None) -> str:
        """The change, its gain with its interval, and how to make it; after a first one, why it is later."""
        told = self.told_after(first)
        return f"{told} ({self.how})" if self.how else told

    def told_after(self, first: "Trial | None") -> str:
        """The change and its gain, with why it comes after a first one that gains less."""
        if first is None or first is self:
            return self.told
        if self.is_nothing and self.repairs and first.mended > self.mended:
            return f"no noticeable gain alone: {self.what}"
        is_alike = (self.goal, self.of_class) == (first.goal, first.of_class)
        if not is_alike or not self.is_wide or first.is_wide or self.candidate.is_same(first.candidate):
            return self.told
        gains = [trial.gain.value for trial in (first, self) if trial.gain is not None]
        is_more = len(gains) > 1 and gains[1] > gains[0] and not self.is_nothing
        return f"{self.told}, but at a far higher cost" if is_more else self.told

    def to_data(self) -> dict[str, Any]:
        """The same as in JSON."""
        left = self.left
        return {
            "cause": self.candidate.cause.value,
            "nodes": list(self.candidate.nodes),
            "candidate": self.candidate.to_data(),
            "what": self.what,
            "set": list(self.made_by),
            "goal": self.goal,
            "class": self.of_class,
            "gain": None if self.gain is None else self.gain.to_data(),
            "has_interval": self.has_interval,
            "other_class": _class_data(self.other_class),
            "gains_most": _class_data(self.gains_most),
            "ends_saturation": self.ends_queues,
            "delay_left": None if left is None else {**left.to_data(), "unit": left.unit},
            "still_wait": self.still_wait,
            "credit_loop": self.has_loop,
            "broad": self.is_broad,
            "wide": self.is_wide,
            "repairs": self.mended,
            "given_up": None if self.given_up is None else list(self.given_up),
            "lost": None if self.lost is None else list(self.lost),
            "words": self.told,
        }

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Trial":
        """From data of `to_data`: enough to report a trial, not to rank it again."""
        gain, left = data["gain"], data["delay_left"]
        return cls(
            candidate=Candidate.of_data(data["candidate"]),
            what=data["what"],
            set=tuple(data["set"]),
            goal=measure_of(data["goal"]),
            gain=None if gain is None else Estimate.of_data(gain),
            has_loop=data["credit_loop"],
            is_broad=data["broad"],
            is_wide=data["wide"],
            repairs=data["repairs"] > 0,
            mended=data["repairs"],
            given_up=data["given_up"] and tuple(data["given_up"]),
            lost=data.get("lost") and tuple(data["lost"]),
            left=None if left is None else Estimate.of_data(left, left["unit"]),
            ends_queues=data["ends_saturation"],
            of_class=data["class"],
            still_wait=data["still_wait"],
            other_class=_class_of(data["other_class"]),
            gains_most=_class_of(data.get("gains_most")),
            has_interval=data["has_interval"],
        )


def _of_class(told: OfOther | None) -> str:
    """The gain of one class, as words after another gain; empty if there is none."""
    if told is None:
        return ""
    name, goal, gain = told
    of = f"{goal} of {name}"
    return f"; {more_words(gain, of) if goal == Goal.THROUGHPUT else less_words(gain, of)}"


def _class_data(told: OfOther | None) -> dict[str, Any] | None:
    """The gain of one class as in JSON."""
    return None if told is None else {"class": told[0], "goal": told[1], "gain": told[2].to_data()}


def _class_of(data: Mapping[str, Any] | None) -> OfOther | None:
    """From data of `_class_data`."""
    return None if data is None else (data["class"], measure_of(data["goal"]), Estimate.of_data(data["gain"]))


def _lost(counts: tuple[int, int]) -> str:
    """The packets lost for good with a change, and those without it."""
    today, now = counts
    left = amount(now, "packet", "packets") if now else "no packets"
    return f"{left} lost for good instead of {count(today)}"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The causes that were tried with one seed, the named one first; each run had `messages`.

    `left_out` changes for these causes were not tried, because runs are long. `unlike` says in words how the
    short runs differ from the whole one, if they do. `failed` are the changes whose runs ended with an
    internal error, in words.
    """

    seed: int
    trials: tuple[Trial, ...]
    messages: int = 0
    left_out: int = 0
    unlike: str | None = None
    failed: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The basis of the gains, as the heading of their column."""
        return f"change and its effect ({self.runs})"

    @property
    def runs(self) -> str:
        """The runs that are the basis of the gains, in words."""
        return f"test runs of up to {count(self.messages)} messages, same random numbers"

    def to_data(self) -> dict[str, Any]:
        """Its runs and trials as in JSON."""
        runs = {
            "seed": self.seed,
            "messages": self.messages,
            "left_out": self.left_out,
            "unlike": self.unlike,
            **({"failed": list(self.failed)} if self.failed else {}),
        }
        return {"test_runs": runs, "confirmation": [each.to_data() for each in self.trials]}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Confirmation":
        """From data of `to_data`."""
        runs = {**data["test_runs"], "failed": tuple(data["test_runs"].get("failed", ()))}
        return cls(trials=tuple(map(Trial.of_data, data["confirmation"])), **runs)

    @property
    def in_order(self) -> tuple[Trial, ...]:
        """The trials in the order of reports: sure gains before those that may be nothing.

        A change that costs another class much comes after one that gains as much for the same messages and
        does not.

        If the named cause is not confirmed, changes that are evidence for no cause come last among them:
        faster links of a whole kind, other switches. Another cause that could not be judged is not reported.
        A cause of one class keeps the first row if it likely gains more than all that surely helps other
        classes: few messages of the class make its gain unsure.
        """
        told = [each for each in self.trials if each.is_told or each is self.trials[0]]
        if self.is_confirmed:
            return tuple(sorted(told, key=lambda trial: (not trial.is_sure, self._is_outdone(trial))))
        ahead, rest = (told[:1], told[1:]) if self._leads_for_its_class else ([], told)
        return (*ahead, *sorted(rest, key=lambda trial: (not trial.is_sure, trial.is_broad)))

    def _is_outdone(self, trial: Trial) -> bool:
        """Whether a change costs another class much, and one that does not surely gains nearly as much."""
        alike = [
            other.gain.value
            for other in self.trials
            if (other.goal, other.of_class) == (trial.goal, trial.of_class)
            and other.is_sure
            and not other.costs_others
            and other.gain is not None
        ]
        return (
            trial.costs_others
            and trial.gain is not None
            and max(alike, default=-math.inf) >= NEARLY_AS_MUCH * trial.gain.value
        )

    @property
    def _leads_for_its_class(self) -> bool:
        """Whether the first is about one class, and likely gains more than what surely helps others."""
        first, sure = self.trials[0], [trial for trial in self.trials[1:] if trial.is_sure]
        return first.of_class is not None and all(
            trial.of_class != first.of_class and trial.gain.value <= first.gain.value
            for trial in sure
            if trial.gain is not None and first.gain is not None
        )

    @property
    def is_confirmed(self) -> bool:
        """Whether the relief of the named cause helps."""
        return bool(self.trials) and self.trials[0].is_sure

    @property
    def doubt(self) -> str | None:
        """The doubts about the named cause or its gain, as lines; None if there are none."""
        return self.doubt_beside(has_more=False)

    def doubt_beside(self, *, has_more: bool) -> str | None:
        """The same, without advice to try more if that has been done (`has_more`)."""
        lines = (self._against(has_more=has_more), self.unlike, self._failures)
        return "\n".join(line for line in lines if line) or None

    @property
    def _failures(self) -> str | None:
        """The changes whose runs ended with an internal error; None if there are none."""
        if not self.failed:
            return None
        few = amount(len(self.failed), "change", "changes")
        return f"{few} could not be tried, because of an internal error of hopscope: {'; '.join(self.failed)}"

    def _against(self, *, has_more: bool) -> str | None:
        """The doubt about the named cause; None if its relief surely helps."""
        first = self.trials[0] if self.trials else None
        if first is None or first.is_sure:
            return None
        sure = next((trial for trial in self.trials[1:] if trial.is_sure), None)
        if sure is not None and first.gain is None:
            none = "no change could be tried for the named cause alone"
            return f"not confirmed: {none}. The change in the first row helps."
        if sure is not None:
            of_named = "the change tried for the named cause has no significant gain in short runs"
            row = "second" if self._leads_for_its_class else "first"
            helps = f"The change that helps is in the {row} row"
            return f"not confirmed: {of_named}. {helps}, {sure.beside_named(first)}."
        if first.gain is None:
            return None
        if first.gain.value < WORTH_NAMING:
            of_all = "no change for a likely cause gains anything in short runs"
            if self.left_out:
                left_out = amount(self.left_out, "further one was", "further ones were")
                of_all = f"no change that was tried gains anything in short runs, and {left_out} not tried"
            more = "" if has_more else "; a what-if tries all changes"
            return f"not confirmed: {of_all}{more}"
        more = "" if has_more else "; a what-if with 8 seeds tells more"
        if rules_nothing_out(first.gain):
            return f"not confirmed: {TOO_FEW} of the first gain{more}"
        return f"not confirmed: the interval of the first gain contains 0{more}"
