"""Verdicts confirmed by trying: the likeliest causes are relieved one at a time, on the same randomness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope import _core, kinds
from hopscope.cause import Cause
from hopscope.estimate import Estimate
from hopscope.numerals import number, percent
from hopscope.overrides import options
from hopscope.planning.budget import Size
from hopscope.planning.changes import Relaxation
from hopscope.planning.class_relief import gained_of_class
from hopscope.planning.credit_loop import has_credit_loop, knows_loops
from hopscope.planning.goal import DEADLOCK, FILLED, SATURATED, Goal, may_still_fill
from hopscope.planning.marks import of_thresholds
from hopscope.planning.ranking import apart, best_of, ranked, value_of, worth
from hopscope.planning.relaxations import mends_for, relaxations_for, relieves, unchanged_offer
from hopscope.planning.relief import Gained, Ran, gained, trial_of
from hopscope.planning.rows import ALL, FULL, HOSTS, TIER
from hopscope.planning.short_runs import in_short, is_like, simulated
from hopscope.planning.worst import gained_at_worst
from hopscope.results.explanation import HEALTHY, Explanation
from hopscope.results.run import RunResult
from hopscope.results.trial import WORTH_NAMING, Confirmation, Trial
from hopscope.source import messages_of
from hopscope.watching import Progress

if TYPE_CHECKING:
    from hopscope._core import Scenario

Candidate = Mapping[str, Any]
"""A cause as why.json has it."""

# So many causes are tried, with so many changes each, of so many messages: short runs, seconds at most.
CANDIDATES = 3
CHANGES = 6
# Runs are shortened until all changes have so many events together.
EVENTS = 10_000_000
# Runs that tell nothing when they are shorter: so many changes of each cause, if these have no more events.
FEWEST_CHANGES = 4
MOST_EVENTS = 60_000_000
MESSAGES = 5_000
# Where hardly anybody waits gains are small, or show in few messages: so many times as many are measured.
LONGER = 4
# Runs that fill what a change stores are left out only where they take more than so many times as long.
FAR_LONGER = 12
# What is no more than this share of a lifetime does not make a network slow that looks healthy.
LEAST_PACING = 0.2
# Nobody waits where waiting takes less of a lifetime.
HARDLY_WAITING = 0.01
# The stage in which messages wait for the rate of their flow, by its id.
PACING = "Pacing"
FORWARDING = "frames.forwarding"
# The kind of a stage in which messages wait.
WAIT = "wait"
# What is taken by one and given back by it: the nature of buffers, and of windows.
HELD = "held"
# A run ends without a deadlock or it does not.
_SURE = Estimate(1.0, 1.0, 1.0, "fraction", 1)


def reliefs(
    listed: Sequence[Relaxation], candidate: Mapping[str, Any], most: int = CHANGES
) -> list[Relaxation]:
    """Of all changes that somebody could make, the first ones that relieve a candidate of an explanation.

    Those at its place come before those everywhere, and those of its class before those that also relieve it;
    where there is no room for all, either have half of it. A slow service takes ten times its usual length or
    more: it is relieved by as much as the list has.
    """
    found = [each for each in listed if relieves(each, candidate)]
    own = [each for each in found if each.cause == candidate["cause"]]
    further = [each for each in found if each.cause != candidate["cause"]]
    least = most // 2
    chosen = [
        *_nearest(own, max(least, most - len(further))),
        *_nearest(further, max(least, most - len(own))),
    ]
    found = _nearest(chosen, most)
    return [_at_its_largest(each) for each in found] if candidate["cause"] == Cause.SLOW_SERVICE else found


def _nearest(changes: Sequence[Relaxation], most: int) -> list[Relaxation]:
    """The first of some changes, those at a place before those everywhere."""
    return sorted(changes, key=lambda each: each.place is None)[:most]


def _at_its_largest(change: Relaxation) -> Relaxation:
    if not change.curve:
        return change
    step = change.curve[-1]
    return replace(change, label=step.label, set=step.set, cost=step.cost)


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
    gains. What the scenario says is broken is tried as well, whatever the verdict. Of a deadlock the changes
    are tried that leave no credit loop, and larger buffers.
    """
    if why.cause == HEALTHY:
        return _mended(scenario, why, messages, progress, explained)
    listed = relaxations_for(scenario, why)
    if why.is_deadlock:
        return _freed(scenario, why, listed, messages, progress)
    named = [why.data["verdict"], *why.runners_up][:CANDIDATES]
    causes = [(candidate, reliefs(listed, candidate)) for candidate in named]
    causes += [*_held(why, named, listed), *of_thresholds(scenario, named, listed), *_broken(listed)]
    paced = [(candidate, reliefs(listed, candidate)) for candidate in _paced(why, named)]
    if not _is_a_link_full(why):
        causes, paced = [*causes, *paced], []
    # What is offered stays as it is, whatever becomes faster.
    offer = unchanged_offer(scenario)
    likely = [*causes, *paced]
    scenario = scenario.with_overrides(offer)
    found = _Trials.of(scenario, why, messages, progress, explained, likely)
    trials, left_out = found.of_causes(likely)
    is_shortened = found.messages < min(messages, messages_of(scenario))
    if is_shortened and not any(trial.is_sure and not trial.is_broad for trial in trials):
        found, trials = _longer(scenario, why, messages, progress, explained, (found, trials, likely))
    trials = [replace(trial, offer=tuple(offer) if trial.set else ()) for trial in trials]
    trials[0] = replace(trials[0], is_full=_is_full(why))
    named_first = ranked(apart(trials[: len(causes)]))
    # Where a link is full, rates that keep its queue short are tried as well, and never named in its stead.
    # What is broken is told also where its repair gains nothing, each thing by itself.
    broken = [
        trial for trial in apart(trials[: len(causes)]) if trial.mended == 1 and trial not in named_first
    ]
    further = [trial for trial in (*broken, *trials[len(causes) :]) if trial.gain is not None]
    further += found.of_others(listed, likely, (*named_first, *further))
    if _waits_for_nothing(why) and all(trial.is_none for trial in (*named_first, *further)):
        return why.as_healthy()
    confirmed = why.confirmed(Confirmation(found.short.seed, tuple(named_first)))
    confirmed.confirmation = Confirmation(
        found.short.seed, (*named_first, *further), found.messages, left_out, found.unlike(explained)
    )
    return confirmed


def _longer(
    scenario: "Scenario",
    why: Explanation,
    messages: int,
    progress: Progress | None,
    explained: RunResult | None,
    short: tuple["_Trials", list[Trial], Sequence[tuple[Candidate, Sequence[Relaxation]]]],
) -> tuple["_Trials", list[Trial]]:
    """The best change of each cause in runs that are not shortened, where there is time for these.

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
    longer = _Trials.of(scenario, why, messages, progress, None, best)
    return longer, longer.of_causes(best)[0]


def _mended(
    scenario: "Scenario",
    why: Explanation,
    messages: int,
    progress: Progress | None,
    explained: RunResult | None,
) -> Explanation:
    """A healthy network, unless the repair of what is broken, or of what may slow it, surely gains something.

    Work in rounds may wait for the slowest of its members while hardly anybody waits for another. What is
    broken is told in either case. Flows that wait for their rates and for nothing else look healthy too, and
    so do senders that always have more: what may hold these back is among the runners-up of the verdict.
    """
    causes: list[tuple[Candidate, Sequence[Relaxation]]] = [*_broken(mends_for(scenario))]
    suspects = [*why.runners_up][:CANDIDATES]
    suspects += [] if _is_a_link_full(why) else _paced(why, [], LEAST_PACING)
    if suspects:
        listed = relaxations_for(scenario, why)
        causes += [(candidate, _reliefs_of_suspect(listed, candidate)) for candidate in suspects]
    if not causes:
        return why
    found = _Trials.of(scenario, why, LONGER * messages, progress, explained, causes)
    trials = [trial for trial in found.of_causes(causes)[0] if trial.gain is not None]
    trials.sort(key=value_of, reverse=True)
    sure = [trial for trial in trials if trial.gain is not None and trial.gain.low >= WORTH_NAMING]
    # Switches that store frames are as most are: what others would gain is told, and names no cause.
    shorter = tuple(trial for trial in sure if trial.candidate["cause"] == Cause.SLOW_SERVICE)
    if sure := [trial for trial in sure if trial not in shorter or trial.repairs]:
        return why.confirmed(Confirmation(found.short.seed, tuple(ranked(sure)), found.messages))
    # What may have slowed it does not.
    why = Explanation({**why.data, "verdict": {**why.data["verdict"], "runners_up": []}}, why.what_if)
    broken = tuple(trial for trial in trials if trial.repairs)
    if broken or shorter:
        why = why.adding([trial.candidate["sentence"] for trial in apart(broken)[:1]])
        why.confirmation = Confirmation(found.short.seed, broken + shorter, found.messages)
    return why


def _reliefs_of_suspect(listed: Sequence[Relaxation], candidate: Candidate) -> list[Relaxation]:
    """What relieves a suspect; of switches that store frames, switches that do not."""
    if candidate["cause"] == Cause.SLOW_SERVICE:
        return [each for each in listed if FORWARDING in each.paths]
    return reliefs(listed, candidate)


@dataclass(frozen=True, slots=True)
class _Trials:
    """Changes tried in short runs: the short scenario, its run, and whether queues grow today."""

    short: "Scenario"
    base: RunResult
    is_saturated: bool
    has_full_link: bool
    progress: Progress | None
    # Whether hardly anybody waits on average, or something failed: then the slowest tell what a repair gains.
    is_calm: bool

    @classmethod
    def of(
        cls,
        scenario: "Scenario",
        why: Explanation,
        messages: int,
        progress: Progress | None,
        explained: RunResult | None,
        causes: Sequence[tuple[Candidate, Sequence[Relaxation]]],
    ) -> "_Trials":
        """The short runs that tell of the explained one, `messages` long unless it takes longer ones.

        All changes of the causes are to have their events, and where these have few, others as well.
        """
        runs = 1 + max(CHANGES, len({each.set for _, changes in causes for each in changes}))
        short, base = in_short(scenario, why, messages, progress, EVENTS / runs, explained)
        is_saturated = SATURATED in (base.outcome, why.data["outcome"])
        is_calm = why.cause in (HEALTHY, Cause.INTERRUPTION)
        return cls(short, base, is_saturated, _is_a_link_full(why), progress, is_calm)

    @property
    def messages(self) -> int:
        """How many messages each run measures, at most."""
        return messages_of(self.short)

    def unlike(self, explained: RunResult | None) -> str | None:
        """How the short run differs from the whole one where throughput tells; None where it does not."""
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
        """How many short runs there is time for, or `fewest` where these take not much more."""
        each = max(self.base.summary.fields["events"], 1)
        return max(int(EVENTS / each), min(fewest, int(MOST_EVENTS / each)))

    @property
    def _filled(self) -> int:
        """How many messages it takes to fill what a change stores."""
        return max(FILLED, self.messages)

    def of_causes(self, causes: Sequence[tuple[Candidate, Sequence[Relaxation]]]) -> tuple[list[Trial], int]:
        """The relief of each cause that gains most, and how many changes there was no time for."""
        in_turn = _in_turn([changes for _, changes in causes])
        possible = [(at, each, made) for at, each in in_turn if (made := _changed(self.short, each.set))]
        # A change that relieves several causes is made once.
        in_order = list({each.set: (each, made) for _, each, made in possible}.values())
        most = max(len(causes), self._affordable(FEWEST_CHANGES * len(causes)))
        timely = self._timely(in_order[:most])
        ran = self._ran(timely)
        loops = _closing_loops(self.short, [(each, made) for _, each, made in possible])
        gains: dict[tuple[tuple[str, ...], bool, str | None], Gained] = {}
        tried: dict[int, list[Trial]] = {}
        for at, each, _ in possible:
            if each.set not in ran:
                continue
            candidate = causes[at][0]
            key = each.set, _is_window_of_bursts(candidate), candidate.get("class")
            found = gains.get(key) or self._gained(each, *ran[each.set], of_bursts=key[1])
            found = gains[key] = gained_of_class(candidate, *ran[each.set], found)
            if _tells_of(found, candidate):
                is_broad = each.is_broad or (not self.has_full_link and _is_of_a_kind(each.set))
                trial = trial_of(candidate, each, found, has_loop=each.set in loops, is_broad=is_broad)
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
        """The other change that surely gains most, and surely more than the likely causes, if there is one.

        It is looked for where the cause that is named is not confirmed, or by nothing but faster links
        everywhere, where there are few other changes, and else among those of a mechanism's class: they are
        at another place. It is told and not named: no wait in the run points to it.
        """
        known = {each.set for _, changes in causes for each in changes}
        named = trials[0]
        others = [each for each in listed if each.set not in known and not each.is_general]
        # The likeliest come first: there may be no time for all.
        others.sort(key=lambda each: each.cause != named.candidate["cause"])
        if len(others) > CHANGES and named.is_sure and not _is_of_a_kind(named.set):
            # The blocking chain leads to the resource behind the others: none of them is tried.
            own = {named.candidate["cause"]} - {Cause.RESOURCE}
            others = [each for each in others if each.cause in own]
        alone = [
            (_candidate(each.cause, each.label, _nodes(each), each.place), [each])
            for each in others[: self._affordable(CHANGES)]
        ]
        sure = [trial for trial in trials if trial.is_sure]
        found = [trial for trial in self.of_causes(alone)[0] if trial.is_sure and not trial.has_loop]
        better = [trial for trial in found if all(trial.surely_exceeds(other) for other in sure)]
        return sorted(better, key=worth, reverse=True)[:1]

    def _fills(self, change: Relaxation) -> bool:
        """Whether a change gives switches room that queues, which grow today, have to fill first."""
        return self.is_saturated and change.stores

    def _timely(
        self, changes: Sequence[tuple[Relaxation, "Scenario"]]
    ) -> list[tuple[Relaxation, "Scenario"]]:
        """The changes that there is time for: fewer of those that take longer runs, none if far longer."""
        long_runs = int(self._affordable() * self.messages / self._filled)
        if self._filled <= FAR_LONGER * self.messages:
            long_runs = max(1, long_runs)
        filling = [each.set for each, _ in changes if self._fills(each)]
        left_out = set(filling[long_runs:])
        return [(each, made) for each, made in changes if each.set not in left_out]

    def _ran(
        self, changes: Sequence[tuple[Relaxation, "Scenario"]]
    ) -> dict[tuple[str, ...], tuple[Ran, Ran]]:
        """The runs of each change, by its overrides: the short scenario with what it is `against`, and it.

        Where queues grow today, changes that give switches more room run longer: they have to fill the room
        to tell anything. Routes that lock up are left out: they relieve nothing, and tell nothing of what
        better ones would.
        """
        wanted: dict[tuple[str, ...], tuple[Scenario, Scenario]] = {}
        longer = [f"measure.messages={self._filled}"]
        for each, made in changes:
            length = longer if self._fills(each) else []
            before = self.short.with_overrides([*each.against, *length])
            wanted[each.set] = before, made.with_overrides(length)
        scenarios = {scenario.hash: scenario for pair in wanted.values() for scenario in pair}
        scenarios.pop(self.short.hash, None)
        runs = dict(zip(scenarios, simulated(list(scenarios.values()), self.progress), strict=True))
        runs[self.short.hash] = self.base
        return {
            key: ((today, runs[today.hash]), (other, runs[other.hash]))
            for key, (today, other) in wanted.items()
            if runs[other.hash].outcome != DEADLOCK
        }

    def _gained(self, change: Relaxation, today: Ran, after: Ran, *, of_bursts: bool) -> Gained:
        """What a change gains; where queues still grow with it, the room may only take longer to fill."""
        found = gained(today, after, is_saturated=self.is_saturated, of_bursts=of_bursts)
        if self.is_calm and change.mends and found.gain is not None and found.gain.low < WORTH_NAMING:
            found = gained_at_worst(today, after) or found
        is_filling = self._fills(change) and may_still_fill(after[1])
        return replace(found, is_filling=is_filling)


def _is_of_a_kind(change: Sequence[str]) -> bool:
    """Whether overrides make all links of a kind faster: that shortens every time, wherever messages wait."""
    return not {TIER, HOSTS, ALL}.isdisjoint(override.partition("=")[0] for override in change)


def _is_window_of_bursts(candidate: Candidate) -> bool:
    """Whether a cause is the window of bursts, which all of them have; others are of pairs of hosts."""
    return candidate["cause"] == Cause.WINDOW and not candidate["nodes"]


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


def _waits_for_nothing(why: Explanation) -> bool:
    """Whether hardly anybody waits: a busy resource is as it should be where its senders always have more."""
    waiting = why.page["waiting"]
    return why.data["outcome"] != SATURATED and waiting is not None and waiting < HARDLY_WAITING


def _is_full(why: Explanation) -> bool:
    """Whether the verdict is a resource with next to no time left, of a network whose queues grow."""
    if why.cause != Cause.RESOURCE or why.data["outcome"] != SATURATED:
        return False
    return any(root["resource"] == why.resource and root["pressure"] >= FULL for root in why.roots)


def _paced(why: Explanation, named: Sequence[Candidate], least: float = 0.0) -> list[Candidate]:
    """The rate control, where messages wait longest for the rate of their flow, unless it is named.

    In a lifetime that is mostly waiting that is its longest stage; with a `least` share it is the longest
    wait, and takes that share at least.
    """
    stages = why.data["shares"]["stages"]
    rows = [row for row in stages if row["kind"] == WAIT] if least else stages
    longest = max(rows, key=lambda row: row["share"], default=None)
    is_named = any(each["cause"] == Cause.RATE_CONTROL for each in named)
    if is_named or longest is None or longest["id"] != PACING or longest["share"] < least:
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

    @property
    def told(self) -> str:
        """The change, and whether it is a cure."""
        left = "the credit loop stays" if self.has_loop else "longer ones may lock up"
        cured = f"runs without deadlock here, {left}" if self.gain is None else "no deadlock"
        return f"{self.what}: {cured}"

    @property
    def how(self) -> str:
        """The options that make the change."""
        return options(self.set)


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
    waited = _waited_room(why)

    def order(row: tuple[Relaxation, "Scenario", bool]) -> tuple[bool, bool, bool, bool]:
        is_named = any(relieves(row[0], candidate) for candidate in named)
        return row[2], row[0].cause is Cause.BLOCKING, not row[0].speeds & waited, not is_named

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


def _waited_room(why: Explanation) -> set[str]:
    """The sorts of room, by their ids, that messages waited for: what they hold for ever, unlike a line."""
    waited = {row["id"] for row in why.data["shares"]["places"] if row["share"] > 0}
    rooms = {
        kind["id"] for kind in kinds.table()["resources"] if kind["nature"] == HELD and not kind["is_window"]
    }
    return waited & rooms


def _in_turn(changes: Sequence[Sequence[Relaxation]]) -> list[tuple[int, Relaxation]]:
    """The first change of each candidate, then the second of each, with the candidate's number."""
    order = sorted((nth, at) for at, each in enumerate(changes) for nth in range(len(each)))
    return [(at, changes[at][nth]) for nth, at in order]


def _changed(scenario: "Scenario", overrides: Sequence[str]) -> "Scenario | None":
    try:
        return scenario.with_overrides(list(overrides))
    except _core.ScenarioError:
        return None
