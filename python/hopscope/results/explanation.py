"""Why a run was as slow as it was: the engine's explanation, with words for people."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.errors import UsageError, none_such
from hopscope.escaping import escaped
from hopscope.ids import PolicyId
from hopscope.metric_key import ALL_CLASSES
from hopscope.numerals import UNITLESS, count, duration, number, percent
from hopscope.results.candidate import Candidate
from hopscope.results.outcome import Outcome
from hopscope.results.trial import Confirmation, Trial
from hopscope.results.what_if import WhatIf

if TYPE_CHECKING:
    from pathlib import Path

    from hopscope.results.run import RunResult

LEAST_SHARE = 0.01
LEAST_PLACE = 0.05
"""A table of places is shown only if one has at least this share of the waiting."""
# A share of the lifetime below this is no measure of the gain of a relief.
HARDLY_ANY = 0.05
SHARED_BY = ("stages", "resources", "places")
LEAST_AMOUNT = 0.01
FOLLOW_FROM_DEADLOCK = (Cause.BLOCKING, Cause.VARIABILITY)
# Rounding error of shares that should add up to one.
ROUNDING = 1e-9
# A wait of this many times the mean wait is longer than others.
LONGER = 1.2
# Up to this many places, or equal waits, are listed one by one.
FEW_PLACES = 3


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The verdict on a run, the blocking chain, the symptoms, and where the time went.

    `data` is the decoded why.json; `what_if` is set if changes were tried, `confirmation` if the likely
    causes were; `run` is the run that `hopscope.explain` explained. `kept_changes` are the changes in a run
    folder. Explanations are made by `RunResult.explain` and by `explain`.
    """

    data: Mapping[str, Any]
    what_if: WhatIf | None = None
    confirmation: Confirmation | None = None
    run: "RunResult | None" = None
    kept_changes: Mapping[str, Any] | None = None

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Explanation":
        """From data of `to_data`, with what was tried: explanation.json of a run folder."""
        tried = ("test_runs", "confirmation", "what_if")
        return cls(
            {key: value for key, value in data.items() if key not in tried},
            confirmation=Confirmation.of_data(data) if "confirmation" in data else None,
            kept_changes=data.get("what_if"),
        )

    @property
    def changes(self) -> Mapping[str, Any] | None:
        """The changes that `what_if` tried, as in JSON; None if it tried none."""
        return self.kept_changes if self.what_if is None else self.what_if.to_data()

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, with its numbers."""
        return self.data["verdict"]["sentence"]

    @property
    def outcome(self) -> Outcome:
        """How the run ended."""
        return Outcome(self.data["outcome"])

    @property
    def cause(self) -> Cause:
        """The class of the cause, such as "resource", "window" or "healthy" (docs/reference/causes.md)."""
        return Cause(self.data["verdict"]["cause"])

    @property
    def nodes(self) -> Sequence[str]:
        """The nodes of the cause, by name: one, or the two that a link joins; empty if it is everywhere."""
        return self.data["verdict"]["nodes"]

    @property
    def verdict(self) -> Candidate:
        """The named cause; "healthy" is one as well."""
        return Candidate.of_data(self.data["verdict"])

    @property
    def runners_up(self) -> list[Candidate]:
        """Other possible causes, the most likely first."""
        return [Candidate.of_data(each) for each in self.data["verdict"]["runners_up"]]

    @property
    def candidates(self) -> list[Candidate]:
        """The named cause, then other possible causes."""
        return [self.verdict, *self.runners_up]

    @property
    def page(self) -> Mapping[str, Any]:
        """The evidence: since when, how much of the time, which messages wait most, what was counted."""
        return self.data["page"]

    @property
    def is_deadlock(self) -> bool:
        """Whether messages waited for one another in a deadlock."""
        return self.outcome is Outcome.DEADLOCK

    @property
    def resource(self) -> str | None:
        """The resource that causes it, in words, such as "the line UCLA -> RAND"; None if there is none."""
        return self.data["verdict"]["resource"]

    @property
    def chain(self) -> Sequence[Mapping[str, Any]]:
        """The blocking chain, from the awaited resource to the root, each with what its holders do."""
        return self.data["chain"]

    @property
    def roots(self) -> Sequence[Mapping[str, Any]]:
        """The root causes of waiting, the largest first."""
        return self.data["roots"]

    @property
    def holders(self) -> Sequence[Mapping[str, Any]]:
        """Mean occupancy by holder of the important resources, and what each holder waits for."""
        return self.data["holders"]

    @property
    def back_pressure(self) -> Mapping[str, Any] | None:
        """The switch at which back-pressure begins; None without switches or traffic."""
        return self.data["congestion"]["back_pressure"]

    @property
    def symptoms(self) -> Sequence[Mapping[str, str]]:
        """The patterns recognised: name, evidence, source."""
        return self.data["symptoms"]

    @property
    def further_symptoms(self) -> Sequence[Mapping[str, str]]:
        """The symptoms that say more than the verdict: without those of its resource that say as much."""
        return [
            each for each in self.symptoms if self.resource is None or each.get("resource") != self.resource
        ]

    def shares(self, by: str = "stages") -> list[Mapping[str, Any]]:
        """Where messages spend their time, with intervals: by "stages", "resources" or "places".

        Raises UsageError for anything else.
        """
        if by not in SHARED_BY:
            raise none_such(f"table of shares by `{by}`", SHARED_BY)
        return [row for row in self.data["shares"][by] if row["share"] >= LEAST_SHARE]

    def offered(self, load: float, most: float) -> "Explanation":
        """The same for a network with this offered load, whose bounds permit at most the load `most`."""
        return self._with(bound={"load": load, "at_most": most})

    def naming(self, first: Candidate, *others: Candidate) -> "Explanation":
        """The same with other causes: the named one, and the runners-up."""
        verdict = {**first.to_data(), "runners_up": [each.to_data() for each in others]}
        return self._with(verdict=verdict)

    def confirmed(self, confirmation: Confirmation) -> "Explanation":
        """The same with causes tried: the verdict is the first of them, the runners-up are the others."""
        found = self.naming(*(trial.candidate for trial in confirmation.trials))
        return replace(found, confirmation=confirmation)

    def begun(self, at_s: float | None) -> "Explanation":
        """The same for a state that began at an instant, if the run itself does not show since when."""
        page = self.page
        since = page["since_s"] if page["since_s"] is not None else at_s
        return self._with(page={**page, "since_s": since})

    def adding(self, sentences: Sequence[str]) -> "Explanation":
        """The same with more sentences after that of the verdict."""
        words = " ".join([self.sentence, *sentences])
        return self.naming(replace(self.verdict, sentence=words), *self.runners_up)

    def as_healthy(self, reason: str = "", *, is_in_vain: bool = True) -> "Explanation":
        """The same for a healthy network; `reason` says why messages wait.

        With `is_in_vain` changes were tried, and none gains anything. A run whose warm-up had not ended is
        not called healthy.
        """
        page = self.page
        begins = "This network is healthy: message"
        if self.outcome is Outcome.UNSETTLED:
            begins = "Too short to judge: the warm-up had not ended. Message"
        tried = ", and no change that was tried gains anything" if is_in_vain else ""
        sentence = (
            f"{begins} lifetime is {page['times_minimum']:.2f} times its minimum "
            f"({percent(page['waiting'])} of it is waiting){tried}.{reason}"
        )
        healthy = Candidate(Cause.HEALTHY, sentence, weight=page["waiting"], weight_stated=True)
        return self.naming(healthy)._with(chain=[])

    def _with(self, **data: Any) -> "Explanation":
        """The same with other values of some keys of why.json."""
        return replace(self, data={**self.data, **data})

    @property
    def doubt(self) -> str | None:
        """The doubt about the named cause, as a line; None if there is none."""
        if self.confirmation is None or self.cause is Cause.HEALTHY:
            return None
        return self.confirmation.doubt_beside(has_more=self.changes is not None)

    @property
    def basis(self) -> str | None:
        """The basis of the named cause if no change was tried; None if that needs no remark.

        A healthy network has no cause, and a deadlock is observed.
        """
        if self.confirmation is not None or self.cause is Cause.HEALTHY or self.is_deadlock:
            return None
        return "by this run alone: no change was tried"

    @property
    def _sure(self) -> list[Trial]:
        """What was tried and surely helps."""
        return [] if self.confirmation is None else [t for t in self.confirmation.in_order if t.is_sure]

    def confirmation_rows(self, room: float = math.inf) -> list[tuple[str, str]]:
        """What was tried, as a table: the cause, and the gain of its relief. Empty if nothing was.

        The options of a change have a row of their own if `room` characters are not enough.
        """
        rows: list[tuple[str, str]] = []
        shown = () if self.confirmation is None else self.confirmation.in_order
        for trial in shown:
            cause, words = _kind(trial.candidate), trial.words(shown[0])
            if len(words) <= room or not trial.how:
                rows.append((cause, words))
            else:
                rows += [(cause, trial.told_after(shown[0])), ("", f"  {trial.how}")]
        return rows

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        tried = self.confirmation
        return {
            **self.data,
            **(tried.to_data() if tried is not None and tried.trials else {}),
            **({} if (changes := self.changes) is None else {"what_if": changes}),
        }

    def to_json(self) -> str:
        """Everything, as JSON."""
        return json.dumps(self.to_data(), indent=1, ensure_ascii=False)

    def save(self, folder: "str | Path", report: bool = True, *, or_next: bool = False) -> "Path":
        """Write the folder of the run that was explained, with explanation.json, and then report.html.

        The page then also shows what was tried and what it gained. Otherwise as `RunResult.save`. Raises
        UsageError for the explanation of `RunResult.explain`, in which nothing was tried.
        """
        if self.run is None:
            raise UsageError("this explanation is the run's own", "save the run, or use `hopscope.explain`")
        return self.run.explained(self).save(folder, report, or_next=or_next)

    def chain_rows(self) -> list[tuple[str, str, str, str]]:
        """The chain as a table: resource, in use, mean number waiting, held by with the share of all held."""
        return [
            (
                link["resource"],
                percent(link["utilisation"]),
                f"{number(link['waiting'], 3)} {link.get('waiting_unit', '')}".rstrip()
                if link["waiting"]
                else "0",
                f"{link['held_by']} ({percent(link['held_share'])})" if link["held_by"] else "",
            )
            for link in self.chain
        ]

    def holder_rows(self) -> list[tuple[str, str, str, str, str]]:
        """Holders as a table: resource, holder, mean amount held, time of each, what it waits for."""
        return [
            (
                holding["resource"] if at == 0 else "",
                part["cause"],
                f"{_amount_held(part, holding)} ({percent(part['share'])})",
                "" if part["each_us"] is None else duration(part["each_us"]),
                ", ".join(wait_of(wait) for wait in part["waits_for"]),
            )
            for holding in self.holders
            for at, part in enumerate(holding["holders"])
        ]

    def evidence_rows(self) -> list[tuple[str, str]]:
        """The evidence that an operator asks for, as a table: question and answer."""
        page = self.page
        rows = []
        if (bound := self.data.get("bound")) is not None:
            load, most = (number(bound[key], 3) for key in ("load", "at_most"))
            rows.append(
                (
                    "offered",
                    f"a load of {load}; these links and routes carry at most {most}, however it is split",
                )
            )
        # In a deadlock before the first arrival there is no lifetime.
        has_lifetime = not self.is_deadlock or self.data["lifetime"]["mean_us"] is not None
        # The sentence of a healthy network has it already.
        has_row = page["times_minimum"] is not None and has_lifetime and self.cause is not Cause.HEALTHY
        if has_row:
            rows.append(("lifetime", f"{number(page['times_minimum'], 3)} times its minimum; {self._waits}"))
        if self.cause is not Cause.HEALTHY and (since := page["since_s"]) is not None:
            share = page["time_share"]
            how_much = "" if share is None else f"; then {percent(share)} of the time"
            rows.append(("since", f"{duration(1e6 * since)} of simulated time{how_much}"))
        for at, other in enumerate(filter(self._tells_more, self.runners_up)):
            where = f" at {other.resource}" if other.resource else ""
            explained = self._explained_by(other)
            words = f"{_kind(other)}{where}{f' ({explained})' if explained else ''}"
            rows.append(("also possible" if at == 0 else "", words))
        # The row "lifetime" has the wait of all messages.
        for at, words in enumerate(_who_wait(page["hurt"], of_all=not has_row)):
            rows.append(("who waits" if at == 0 else "", words))
        for at, words in enumerate(_counted(page["counts"])):
            rows.append(("counted" if at == 0 else "", words))
        return rows

    @property
    def _waits(self) -> str:
        """The share of waiting in a lifetime, with the mean wait of all messages if it is known."""
        share = percent(self.page["waiting"])
        hurt = {each["who"]: each["waits_us"] for each in self.page["hurt"]}
        wait = hurt.get(ALL_CLASSES)
        return f"{share} of it is waiting" + ("" if wait is None else f", {duration(wait)} on average")

    def _explained_by(self, other: Candidate) -> str:
        """The share of the lifetime that a runner-up explains, and that of the verdict.

        If the verdict explains less, it is given only with what decided between the two. A share that is far
        less than the gain of the relief is no measure of it: if queues grow, lifetimes are spent in them.
        """
        if not other.weight or self._gains_beyond(other):
            return ""
        verdict = self.verdict
        explained = f"accounts for {percent(other.weight)} of lifetimes"
        is_less = other.weight > verdict.weight and self._gains_less(other)
        # The share of the verdict is given if its sentence has the same measure.
        is_comparable = bool(verdict.weight) and verdict.weight_stated
        if is_comparable and (is_less or other.weight <= verdict.weight):
            explained = f"{explained}, the verdict for {percent(verdict.weight)}"
        return f"{explained}, but relieving it gains less" if is_less else explained

    def _gains_beyond(self, other: Candidate) -> bool:
        """Whether a runner-up explains little of a lifetime, and its relief surely gains more than that."""
        trials = () if self.confirmation is None else self.confirmation.trials
        tried = _trial_of(other, trials)
        if tried is None or tried.gain is None or other.weight >= HARDLY_ANY:
            return False
        return tried.is_sure and tried.gain.low > other.weight

    def _tells_more(self, other: Candidate) -> bool:
        """Whether a runner-up is a different cause from the verdict, or the same one at another place.

        In a deadlock packets wait behind others and come in bursts: these follow from the deadlock. About a
        cause without place and share nothing is known beyond the table of changes.
        """
        follows = self.is_deadlock and other.cause in FOLLOW_FROM_DEADLOCK
        if follows or not (other.weight or other.resource):
            return False
        verdict = self.verdict
        return (other.cause, other.ends) != (verdict.cause, verdict.ends)

    def _gains_less(self, other: Candidate) -> bool:
        """Whether the relief of a runner-up was tried, and gains less than that of the verdict."""
        if self.confirmation is None or not self.confirmation.trials:
            return False
        first, *others = self.confirmation.trials
        tried = _trial_of(other, others)
        if tried is None or tried.gain is None or first.gain is None or tried.goal != first.goal:
            return False
        return tried.gain.value < first.gain.value

    def tells(self, by: str) -> bool:
        """Whether a table of shares is useful: by places, one has to stand out."""
        shares = self.shares(by)
        return bool(shares) and (by != "places" or max(row["share"] for row in shares) >= LEAST_PLACE)

    def share_rows(self, by: str) -> list[tuple[str, str, str]]:
        """Shares as a table: name, share, interval."""
        told = [
            (row.get("name", row.get("place")), percent(row["share"]), _interval(row))
            for row in self.shares(by)
        ]
        rest = sum(row["share"] for row in self.data["shares"][by] if row["share"] < LEAST_SHARE)
        # Only the greatest places are listed: the rest is at others.
        rest = 1.0 - sum(row["share"] for row in self.shares(by)) if by == "places" and told else rest
        return [*told, ("other", _amount_of(rest), "")] if rest > ROUNDING else told

    def __repr__(self) -> str:
        """The verdict, and its basis if no change was tried."""
        return f"<Explanation: {self.sentence}{f' ({self.basis})' if self.basis else ''}>"

    def _repr_html_(self) -> str:
        """The verdict with what helps and the symptoms, for notebooks."""
        lines = [f"<p><strong>{escaped(self.sentence)}</strong></p>"]
        lines += [f"<p>{escaped(self.basis.capitalize())}.</p>"] if self.basis else []
        lines += [f"<p>{escaped(trial.words())}</p>" for trial in self._sure]
        lines += [
            f"<p>{escaped(symptom['name'])}: {escaped(symptom['evidence'])}</p>"
            for symptom in self.further_symptoms
        ]
        return "".join(lines)


def _trial_of(candidate: Candidate, trials: Sequence[Trial]) -> Trial | None:
    """The first trial of a cause; None if it was not tried."""
    return next((trial for trial in trials if trial.candidate.identity == candidate.identity), None)


def _kind(candidate: Candidate) -> str:
    """The class of a cause in tables; an arbiter is distinguished from a full resource."""
    return "arbiter" if candidate.id == PolicyId.ARBITER else candidate.cause.value


def _counted(counts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The counts, the largest first: by place, or together if counted at many places."""
    for what in dict.fromkeys(each["what"] for each in counts):
        rows = [each for each in counts if each["what"] == what]
        if len(rows) > FEW_PLACES:
            least, most = count(rows[-1]["count"]), count(rows[0]["count"])
            yield f"{least} to {most} {what} at each of {len(rows)} places, the most at {rows[0]['place']}"
        else:
            yield from (f"{count(each['count'])} {what} at {each['place']}" for each in rows)


def _who_wait(hurt: Sequence[Mapping[str, Any]], *, of_all: bool) -> list[str]:
    """The messages that wait most, with their waits; of equal ones the first, and the number of others.

    Without `of_all` only those that do not wait like all messages.
    """
    alike: dict[str, list[str]] = {}
    for each in hurt:
        alike.setdefault(_waits(each), []).append(_who(each))
    told = {words: names for words, names in alike.items() if of_all or names[0] != ALL_CLASSES}
    return [f"{_first_of(names)}: {words}" for words, names in told.items()]


def _who(hurt: Mapping[str, Any]) -> str:
    """Whose messages they are: those of a class, or of a pair of sender and receiver."""
    if hurt["who"] == ALL_CLASSES:
        return ALL_CLASSES
    return f"{'pair' if hurt['is_pair'] else 'class'} {hurt['who']}"


def _first_of(names: Sequence[str]) -> str:
    """Some equal ones, of many the first; "all messages" stands for every class."""
    if names[0] == ALL_CLASSES:
        return names[0]
    return ", ".join(names) if len(names) <= FEW_PLACES else f"{names[0]} and {len(names) - 1} others alike"


def _waits(hurt: Mapping[str, Any]) -> str:
    """A mean wait, its share of the lifetime, and its ratio to that of all messages if that is larger."""
    wait = f"{percent(hurt['share'])} of their lifetime"
    if hurt["waits_us"] is not None:
        wait = f"{duration(hurt['waits_us'])}, {wait}"
    times = hurt["times_mean"]
    is_compared = times is not None and times >= LONGER and hurt["who"] != ALL_CLASSES
    return f"{wait}, {number(times, 2)} times the mean wait" if is_compared else wait


def _amount_of(share: float) -> str:
    """A share that may be very small."""
    return f"<{percent(LEAST_SHARE)}" if share < LEAST_SHARE / 2 else percent(share)


def wait_of(wait: Mapping[str, Any]) -> str:
    """What a holder waits for: a stage with its mean time, or a scarce resource with its use."""
    if stage := wait.get("stage"):
        return f"{duration(stage['mean_us'])} {stage['meaning']}"
    resource = wait["resource"]
    return f"{resource['resource']} ({percent(resource['utilisation'])} in use)"


def _amount_held(part: Mapping[str, Any], of: Mapping[str, Any]) -> str:
    """A mean amount held in its unit, if informative; for a resource held by one at a time, how long."""
    held, unit = part["occupancy"], part.get("unit", of["unit"])
    if of["capacity"] == 1:
        return f"{percent(held)} of the time"
    words = f"<{LEAST_AMOUNT}" if 0 < held < LEAST_AMOUNT else number(held, 2)
    return words if unit in UNITLESS else f"{words} {unit}"


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row.get("low"), row.get("high")
    if low is None or high is None or percent(low) == percent(high):
        return ""
    return f"{percent(low)} to {percent(high)}"
