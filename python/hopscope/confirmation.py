"""Verdicts confirmed by trying: the likeliest causes are relieved one at a time, on the same randomness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.numerals import percent
from hopscope.overrides import options
from hopscope.planning.changes import Relaxation
from hopscope.planning.credit_loop import has_credit_loop, knows_loops
from hopscope.planning.goal import DEADLOCK, FILLED, SATURATED, Goal, may_still_fill
from hopscope.planning.ranking import apart, ranked, value_of, worth
from hopscope.planning.relaxations import FULL, mends_for, relaxations_for, relieves, unchanged_offer
from hopscope.planning.relief import Gained, gained
from hopscope.planning.short_runs import in_short, simulated
from hopscope.results.explanation import HEALTHY, WORTH_NAMING, Confirmation, Explanation, Trial
from hopscope.results.run import RunResult
from hopscope.source import messages_of
from hopscope.watching import Progress

if TYPE_CHECKING:
    from hopscope._core import Scenario

Candidate = Mapping[str, Any]
"""A cause as why.json has it."""

# So many causes are tried, with so many changes each, of so many messages: short runs, seconds at most.
CANDIDATES = 3
CHANGES = 6
# Where runs are long, no more than that have so many events together; each candidate has one.
EVENTS = 10_000_000
MESSAGES = 5_000
# The stage in which messages wait for the rate of their flow, by its id.
PACING = "Pacing"
# A run ends without a deadlock or it does not.
_SURE = Estimate(1.0, 1.0, 1.0, "fraction", 1)


def reliefs(
    listed: Sequence[Relaxation], candidate: Mapping[str, Any], most: int = CHANGES
) -> list[Relaxation]:
    """Of all changes that somebody could make, the first ones that relieve a candidate of an explanation.

    Those at its place come before those everywhere, and those of its class before those that also relieve it.
    A slow service takes ten times its usual length or more: it is relieved by as much as the list has.
    """
    found = [each for each in listed if relieves(each, candidate)]
    found = sorted(found, key=lambda each: (each.place is None, each.cause != candidate["cause"]))[:most]
    return [_at_its_largest(each) for each in found] if candidate["cause"] == Cause.SLOW_SERVICE else found


def _at_its_largest(change: Relaxation) -> Relaxation:
    if not change.curve:
        return change
    step = change.curve[-1]
    return replace(change, label=step.label, set=step.set, cost=step.cost)


def confirm(
    scenario: "Scenario", why: Explanation, progress: Progress | None = None, messages: int = MESSAGES
) -> Explanation:
    """The explanation with its likeliest causes tried.

    The cause whose relief gains most is named first; one whose relief gains nothing is not named at all. A
    cause that no listed change relieves keeps its place and stays unconfirmed, unless another one surely
    gains. What the scenario says is broken is tried as well, whatever the verdict. Of a deadlock the changes
    are tried that leave no credit loop, and larger buffers.
    """
    if why.cause == HEALTHY:
        return _repaired(scenario, why, messages, progress)
    listed = relaxations_for(scenario, why)
    if why.is_deadlock:
        return _freed(scenario, why, listed, messages, progress)
    named = [why.data["verdict"], *why.runners_up][:CANDIDATES]
    causes = [(candidate, reliefs(listed, candidate)) for candidate in named]
    causes += [*_held(why, named, listed), *_broken(listed)]
    paced = [(candidate, reliefs(listed, candidate)) for candidate in _paced(why, named)]
    if not _is_a_link_full(why):
        causes, paced = [*causes, *paced], []
    # What is offered stays as it is, whatever becomes faster.
    offer = unchanged_offer(scenario)
    found = _Trials.of(scenario.with_overrides(offer), why, messages, progress)
    trials = found.of_causes([*causes, *paced])
    if trials is None:
        return why
    trials = [replace(trial, offer=tuple(offer) if trial.set else ()) for trial in trials]
    named_first = ranked(apart(trials[: len(causes)]))
    # Where a link is full, rates that keep its queue short are tried as well, and never named in its stead.
    # What is broken is told also where its repair gains nothing.
    broken = [trial for trial in apart(trials[: len(causes)]) if trial.repairs and trial not in named_first]
    further = [trial for trial in (*broken, *trials[len(causes) :]) if trial.gain is not None]
    further += found.of_others(listed, [*causes, *paced], (*named_first, *further))
    confirmed = why.confirmed(Confirmation(found.short.seed, tuple(named_first)))
    confirmed.confirmation = Confirmation(found.short.seed, (*named_first, *further), found.messages)
    return confirmed


def _repaired(
    scenario: "Scenario", why: Explanation, messages: int, progress: Progress | None
) -> Explanation:
    """A healthy network, unless the repair of what the scenario says is broken surely gains something.

    Work in rounds may wait for the slowest of its members while hardly anybody waits for another. What is
    broken is told in either case.
    """
    broken = _broken(mends_for(scenario))
    if not broken:
        return why
    found = _Trials.of(scenario, why, messages, progress)
    trials = [trial for trial in found.of_causes(broken) or [] if trial.gain is not None]
    trials.sort(key=value_of, reverse=True)
    sure = [trial for trial in trials if trial.gain is not None and trial.gain.low >= WORTH_NAMING]
    if sure:
        return why.confirmed(Confirmation(found.short.seed, tuple(ranked(sure)), found.messages))
    if trials:
        why = Explanation(why.data, why.what_if)
        why.confirmation = Confirmation(found.short.seed, tuple(trials), found.messages)
    return why


@dataclass(frozen=True, slots=True)
class _Trials:
    """Changes tried in short runs: the short scenario, its run, and whether queues grow today."""

    short: "Scenario"
    base: RunResult
    is_saturated: bool
    progress: Progress | None

    @classmethod
    def of(
        cls, scenario: "Scenario", why: Explanation, messages: int, progress: Progress | None
    ) -> "_Trials":
        """The short runs that tell of the explained one, `messages` long unless it takes longer ones."""
        short, base = in_short(scenario, why, messages, progress, EVENTS / (CANDIDATES * CHANGES))
        return cls(short, base, SATURATED in (base.outcome, why.data["outcome"]), progress)

    @property
    def messages(self) -> int:
        """How many messages each run measures, at most."""
        return messages_of(self.short)

    @property
    def _affordable(self) -> int:
        """How many short runs there is time for."""
        return int(EVENTS / max(self.base.summary.fields["events"], 1))

    @property
    def _filled(self) -> int:
        """How many messages it takes to fill what a change stores."""
        return max(FILLED, self.messages)

    def of_causes(self, causes: Sequence[tuple[Candidate, Sequence[Relaxation]]]) -> list[Trial] | None:
        """The relief of each cause that gains most; None where no change is possible."""
        in_turn = _in_turn([changes for _, changes in causes])
        possible = [(at, each, made) for at, each in in_turn if (made := _changed(self.short, each.set))]
        if not possible:
            return None
        # A change that relieves several causes is made once.
        most = max(len(causes), self._affordable)
        distinct = dict(list({each.set: (each, made) for _, each, made in possible}.items())[:most])
        gains = self._gains(list(distinct.values()))
        loops = _closing_loops(self.short, [(each, made) for _, each, made in possible])
        tried: dict[int, list[Trial]] = {}
        for at, each, _ in possible:
            found = gains.get(each.set)
            if found is not None and _tells_of(found, causes[at][0]):
                trial = Trial(
                    causes[at][0],
                    each.label,
                    each.set,
                    found.goal,
                    found.gain,
                    has_loop=each.set in loops,
                    repairs=each.mends is not None,
                    # Room that a change has besides is another run to compare with.
                    beside=None if each.against else found.beside,
                    left=found.left,
                    is_broad=each.is_broad,
                )
                tried.setdefault(at, []).append(trial)
        return [
            max(tried[at], key=worth) if at in tried else Trial(candidate, None, (), Goal.THROUGHPUT, None)
            for at, (candidate, _) in enumerate(causes)
        ]

    def of_others(
        self,
        listed: Sequence[Relaxation],
        causes: Sequence[tuple[Candidate, Sequence[Relaxation]]],
        trials: Sequence[Trial],
    ) -> list[Trial]:
        """The other change that surely gains most, and surely more than the likely causes, if there is one.

        It is looked for where none of these is confirmed, and where there are few other changes. It is told
        and not named: no wait in the run points to it.
        """
        known = {each.set for _, changes in causes for each in changes}
        others = [each for each in listed if each.set not in known and not each.is_general]
        if len(others) > CHANGES and any(trial.is_sure for trial in trials):
            return []
        alone = [
            (_candidate(each.cause, each.label, _nodes(each), each.place), [each])
            for each in others[: self._affordable]
        ]
        sure = [trial for trial in trials if trial.is_sure]
        found = [trial for trial in self.of_causes(alone) or [] if trial.is_sure and not trial.has_loop]
        better = [trial for trial in found if all(trial.surely_exceeds(other) for other in sure)]
        return sorted(better, key=worth, reverse=True)[:1]

    def _gains(self, changes: Sequence[tuple[Relaxation, "Scenario"]]) -> dict[tuple[str, ...], Gained]:
        """What each change gains, by its overrides, over the short scenario with what it is `against`.

        Where queues grow today, changes that give switches more room run longer: they have to fill the room
        to tell anything. Where their queues grow as well, it may only take longer to fill. Routes that lock
        up are left out: they relieve nothing, and tell nothing of what better ones would.
        """
        wanted: dict[tuple[str, ...], tuple[Scenario, Scenario]] = {}
        # Longer runs take more of the time that there is, beginning with the changes that come first.
        long_runs = max(1, int(self._affordable * self.messages / self._filled))
        longer = [f"measure.messages={self._filled}"]
        for each, made in changes:
            before = self.short.with_overrides([*each.against])
            if not (self.is_saturated and each.stores):
                wanted[each.set] = before, made
            elif long_runs:
                long_runs -= 1
                wanted[each.set] = before.with_overrides(longer), made.with_overrides(longer)
        scenarios = {scenario.hash: scenario for pair in wanted.values() for scenario in pair}
        scenarios.pop(self.short.hash, None)
        runs = dict(zip(scenarios, simulated(list(scenarios.values()), self.progress), strict=True))
        runs[self.short.hash] = self.base
        gains = {}
        for each, _ in changes:
            if each.set not in wanted:
                continue
            today, after = ((scenario, runs[scenario.hash]) for scenario in wanted[each.set])
            if after[1].outcome != DEADLOCK:
                is_filling = self.is_saturated and each.stores and may_still_fill(after[1])
                gains[each.set] = replace(
                    gained(today, after, is_saturated=self.is_saturated), is_filling=is_filling
                )
        return gains


def _tells_of(found: Gained, candidate: Candidate) -> bool:
    """Whether a gain tells anything of a cause; of a window it does: more may be under way at any time."""
    return not found.is_filling or candidate["cause"] == Cause.WINDOW


def _closing_loops(
    short: "Scenario", possible: Sequence[tuple[Relaxation, "Scenario"]]
) -> set[tuple[str, ...]]:
    """The changes of routes, by their overrides, that have a credit loop where today's routes have none."""
    routes = {each.set: changed for each, changed in possible if each.cause is Cause.ROUTE_CONCENTRATION}
    if not routes or has_credit_loop(short):
        return set()
    return {change for change, changed in routes.items() if has_credit_loop(changed)}


def _broken(listed: Sequence[Relaxation]) -> list[tuple[Candidate, list[Relaxation]]]:
    """What the scenario says is broken, as further causes, each with its repair."""
    found = [each for each in listed if each.mends][:CANDIDATES]
    return [(_candidate(each.cause, each.mends or "", _nodes(each), each.place), [each]) for each in found]


def _held(
    why: Explanation, named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """The first resource of the blocking chain, where hardly any is free and somebody could have more of it.

    Its holders wait for what the run names, and more of it lets more of them wait at the same time.
    """
    first = next(iter(why.chain), None)
    if (
        first is None
        or first["utilisation"] < FULL
        or first["resource"] in [each["resource"] for each in named]
    ):
        return []
    words = f"Bottleneck: {first['resource']} ({percent(first['utilisation'])} utilised)."
    candidate = {
        **_candidate(Cause.RESOURCE, words, first["ends"] or [first["place"]], first["place"]),
        "id": first["id"],
        "resource": first["resource"],
    }
    more = [each for each in reliefs(listed, candidate) if first["id"] in each.speeds]
    return [(candidate, more)] if more else []


def _nodes(change: Relaxation) -> list[str]:
    """The nodes at which a change is made; none where it is made everywhere."""
    return sorted(change.joins) or ([] if change.place is None else [change.place])


def _is_a_link_full(why: Explanation) -> bool:
    """Whether a link behind the waiting has next to no time left: then low rates keep its queue short."""
    return any(root["ends"] and root["pressure"] >= FULL for root in why.roots)


def _paced(why: Explanation, named: Sequence[Candidate]) -> list[Candidate]:
    """The rate control, where messages wait longest for the rate of their flow, unless it is named."""
    stages = why.data["shares"]["stages"]
    longest = max(stages, key=lambda row: row["share"], default=None)
    is_named = any(each["cause"] == Cause.RATE_CONTROL for each in named)
    if is_named or longest is None or longest["id"] != PACING:
        return []
    share = longest["share"]
    words = f"Rate control: messages wait for the rate of their flow for {percent(share)} of their lifetime."
    return [_candidate(Cause.RATE_CONTROL, words, [], None, share)]


def _candidate(
    cause: Cause, sentence: str, nodes: Sequence[str], place: str | None, weight: float = 0.0
) -> Candidate:
    """A cause as why.json has them."""
    return {
        "beyond": [],
        "cause": cause.value,
        "id": None,
        "nodes": list(nodes),
        "place": place,
        "resource": place,
        "sentence": sentence,
        "weight": weight,
    }


@dataclass(frozen=True, slots=True)
class Freed(Trial):
    """A change under which the run does not lock up; without a gain it could another day."""

    def words(self) -> str:
        """Whether it is a cure, and how to make it."""
        left = "the credit loop stays" if self.has_loop else "longer ones may lock up"
        cured = f"runs without deadlock here, {left}" if self.gain is None else "no deadlock"
        return f"{self.what}: {cured} ({options(self.set)})"


def _freed(
    scenario: "Scenario",
    why: Explanation,
    listed: Sequence[Relaxation],
    messages: int,
    progress: Progress | None,
) -> Explanation:
    """A deadlock with the changes under which there is none, those first that leave no credit loop."""
    short, base = in_short(scenario, why, messages, progress)
    if base.outcome != DEADLOCK:
        return why
    # A whole network made faster is offered less, and locks up later.
    possible = [
        (each, other, has_credit_loop(other))
        for each in listed
        if not each.is_general and (other := _changed(short, each.set)) is not None
    ]
    # Of networks without routes nothing but their runs tells whether they lock up.
    has_routes = knows_loops(scenario)
    # Of changes that leave the loop, those that make room for what waits in it.
    worth = [row for row in possible if not row[2] or row[0].cause is Cause.BLOCKING]
    named = [why.data["verdict"], *why.runners_up]

    def order(row: tuple[Relaxation, "Scenario", bool]) -> tuple[bool, bool, bool]:
        is_named = any(relieves(row[0], candidate) for candidate in named)
        return row[2], row[0].cause is Cause.BLOCKING, not is_named

    worth = sorted(worth, key=order)[:CHANGES]
    runs = simulated([other for _, other, _ in worth], progress)
    trials = [
        Freed(
            why.data["verdict"],
            each.label,
            each.set,
            Goal.FREEDOM,
            _SURE if has_routes and not loop else None,
            loop,
        )
        for (each, _, loop), run in zip(worth, runs, strict=True)
        if run.outcome != DEADLOCK
    ]
    if not trials:
        return why
    found = Explanation(why.data, why.what_if)
    found.confirmation = Confirmation(short.seed, tuple(trials), messages_of(short))
    return found


def _in_turn(changes: Sequence[Sequence[Relaxation]]) -> list[tuple[int, Relaxation]]:
    """The first change of each candidate, then the second of each, with the candidate's number."""
    order = sorted((nth, at) for at, each in enumerate(changes) for nth in range(len(each)))
    return [(at, changes[at][nth]) for nth, at in order]


def _changed(scenario: "Scenario", overrides: Sequence[str]) -> "Scenario | None":
    try:
        return scenario.with_overrides(list(overrides))
    except _core.ScenarioError:
        return None
