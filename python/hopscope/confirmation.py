"""Verdicts confirmed by trying: the likeliest causes are relieved one at a time, on the same randomness."""

import json
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope import _core, engine
from hopscope.engine import Progress
from hopscope.estimate import Estimate
from hopscope.numerals import percent
from hopscope.planning.changes import Cause, Relaxation
from hopscope.planning.credit_loop import has_credit_loop, knows_loops
from hopscope.planning.goal import (
    DEADLOCK,
    FILLED,
    SATURATED,
    Goal,
    are_rounds,
    is_closed,
    loses,
    may_still_fill,
)
from hopscope.planning.relaxations import mends_for, relaxations_for, relieves, unchanged_offer
from hopscope.results.explanation import HEALTHY, WORTH_NAMING, Confirmation, Explanation, Trial
from hopscope.results.run import RunResult
from hopscope.source import messages_of

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
# So many times as long, one after the other, until they settle.
LENGTHENED = (1, 2, 4, 8)
THROUGHPUT = "throughput"
ROUND = "round"
ROUND_TIME = "round time"
# The stage in which messages wait for the rate of their flow, by its id.
PACING = "Pacing"
# A run ends without a deadlock or it does not.
_SURE = Estimate(1.0, 1.0, 1.0, "fraction", 1)
# Where a load is relative to what links or stations can do, and how far offered rates may differ.
LOADS = ("traffic.load", "arrivals.load")
SAME_RATE = 0.01


def reliefs(
    listed: Sequence[Relaxation], candidate: Mapping[str, Any], most: int = CHANGES
) -> list[Relaxation]:
    """Of all changes that somebody could make, the first ones that relieve a candidate of an explanation.

    Those at its place come before those everywhere.
    A slow service takes ten times its usual length or more: it is relieved by as much as the list has.
    """
    found = [each for each in listed if relieves(each, candidate)]
    found = sorted(found, key=lambda each: each.place is None)[:most]
    return [_at_its_largest(each) for each in found] if candidate["cause"] == Cause.SERVICE else found


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
    cause that no listed change relieves keeps its place and stays unconfirmed. Of a deadlock the changes are
    tried that leave no credit loop, and larger buffers.
    """
    if why.cause == HEALTHY:
        return _mended(scenario, why, messages, progress)
    listed = relaxations_for(scenario, why)
    if why.is_deadlock:
        return _freed(scenario, why, listed, messages, progress)
    candidates = [why.data["verdict"], *why.runners_up][:CANDIDATES]
    candidates += _broken(listed, candidates)
    paced = _paced(why, candidates)
    tried = [*candidates, *paced]
    in_turn = _in_turn([reliefs(listed, candidate) for candidate in tried])
    if not in_turn:
        return why
    # What is offered stays as it is, whatever becomes faster.
    offer = unchanged_offer(scenario)
    short, base = _in_short(scenario.with_overrides(offer), why, messages, progress)
    trials = _trials(short, base, tried, in_turn, progress)
    if trials is None:
        return why
    trials = [replace(trial, offer=tuple(offer) if trial.set else ()) for trial in trials]
    ranked = _ranked(_apart(trials[: len(candidates)]))
    found = why.confirmed(Confirmation(short.seed, tuple(ranked)))
    # Where a link is full, rates that keep its queue short are tried as well, and never named in its stead.
    further = [trial for trial in trials[len(candidates) :] if trial.gain is not None]
    found.confirmation = Confirmation(short.seed, (*ranked, *further), messages_of(short))
    return found


def _mended(scenario: "Scenario", why: Explanation, messages: int, progress: Progress | None) -> Explanation:
    """A healthy network, unless mending what the scenario says is broken surely gains something.

    Work in rounds may wait for the slowest of its members while hardly anybody waits for another.
    """
    broken = mends_for(scenario)
    if not broken:
        return why
    candidates = _broken(broken, [])
    short, base = _in_short(scenario, why, messages, progress)
    in_turn = [(at, each) for at, each in enumerate(broken[: len(candidates)])]
    trials = _trials(short, base, candidates, in_turn, progress) or []
    sure = [trial for trial in trials if trial.gain is not None and trial.gain.low >= WORTH_NAMING]
    if not sure:
        return why
    sure.sort(key=_value_of, reverse=True)
    return why.confirmed(Confirmation(short.seed, tuple(_ranked(sure)), messages_of(short)))


def _trials(
    short: "Scenario",
    base: RunResult,
    candidates: Sequence[Candidate],
    in_turn: Sequence[tuple[int, Relaxation]],
    progress: Progress | None,
) -> list[Trial] | None:
    """The relief of each candidate that gains most; None where no change is possible."""
    possible = [
        (at, each, changed) for at, each in in_turn if (changed := _changed(short, each.set)) is not None
    ]
    if not possible:
        return None
    most = max(len(candidates), int(EVENTS / max(base.summary.fields["events"], 1)))
    # A change that relieves several candidates is made once.
    distinct = dict(list({each.set: changed for _, each, changed in possible}.items())[:most])
    runs = dict(zip(distinct, _simulated(list(distinct.values()), progress), strict=True))
    runs = _once_filled(base, distinct, runs, {each.set for _, each, _ in possible if each.stores}, progress)
    # Routes that lock up relieve nothing, and tell nothing of what better ones would.
    gains = {
        change: _gain(short, base, distinct[change], run)
        for change, run in runs.items()
        if run.outcome != DEADLOCK
    }
    loops = _closing_loops(short, [(each, changed) for _, each, changed in possible])
    tried: dict[int, list[Trial]] = {}
    for at, each, _ in possible:
        if each.set in gains:
            closes = each.set in loops
            trial = Trial(candidates[at], each.label, each.set, *gains[each.set], has_loop=closes)
            tried.setdefault(at, []).append(trial)
    return [
        max(tried[at], key=_worth) if at in tried else Trial(candidate, None, (), THROUGHPUT, None)
        for at, candidate in enumerate(candidates)
    ]


def _once_filled(
    base: RunResult,
    distinct: dict[tuple[str, ...], "Scenario"],
    runs: dict[tuple[str, ...], RunResult],
    storing: AbstractSet[tuple[str, ...]],
    progress: Progress | None,
) -> dict[tuple[str, ...], RunResult]:
    """The runs to judge changes by. Where queues grow today, those that give switches more room run longer.

    They have to fill the room to tell anything. Where their queues grow as well, it only takes longer to
    fill, and they are left out.
    """
    if base.outcome != SATURATED:
        return runs
    longer = [change for change in runs if change in storing]
    again = [distinct[change].with_overrides([f"measure.messages={FILLED}"]) for change in longer]
    filled = dict(zip(longer, _simulated(again, progress), strict=True))
    return {
        change: filled.get(change, run)
        for change, run in runs.items()
        if change not in filled or not may_still_fill(filled[change])
    }


def _closing_loops(
    short: "Scenario", possible: Sequence[tuple[Relaxation, "Scenario"]]
) -> set[tuple[str, ...]]:
    """The changes of routes, by their overrides, that have a credit loop where today's routes have none."""
    routes = {each.set: changed for each, changed in possible if each.cause is Cause.ROUTES}
    if not routes or has_credit_loop(short):
        return set()
    return {change for change, changed in routes.items() if has_credit_loop(changed)}


def _broken(listed: Sequence[Relaxation], candidates: Sequence[Candidate]) -> list[Candidate]:
    """What the scenario says is broken, as further causes: those that no candidate is about."""
    found = [each for each in listed if each.mends and not any(relieves(each, one) for one in candidates)]
    return [_candidate(each.cause, each.mends or "", _nodes(each), each.place) for each in found[:CANDIDATES]]


def _nodes(change: Relaxation) -> list[str]:
    """The nodes at which a change is made; none where it is made everywhere."""
    return sorted(change.joins) or ([] if change.place is None else [change.place])


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
        options = " ".join(f"--set '{text}'" for text in self.set)
        return f"{self.what}: {cured} ({options})"


def _freed(
    scenario: "Scenario",
    why: Explanation,
    listed: Sequence[Relaxation],
    messages: int,
    progress: Progress | None,
) -> Explanation:
    """A deadlock with the changes under which there is none, those first that leave no credit loop."""
    short, base = _in_short(scenario, why, messages, progress)
    if base.outcome != DEADLOCK:
        return why
    possible = [
        (each, other, has_credit_loop(other))
        for each in listed
        if not each.is_general and (other := _changed(short, each.set)) is not None
    ]
    # Of networks without routes nothing but their runs tells whether they lock up.
    has_routes = knows_loops(scenario)
    # Of changes that leave the loop, those that make room for what waits in it.
    worth = [row for row in possible if not row[2] or row[0].cause is Cause.BLOCKING]
    worth = sorted(worth, key=lambda row: (row[2], row[0].cause is Cause.BLOCKING))[:CHANGES]
    runs = _simulated([other for _, other, _ in worth], progress)
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


def _in_short(
    scenario: "Scenario", why: Explanation, messages: int, progress: Progress | None
) -> tuple["Scenario", RunResult]:
    """The scenario with so many messages, and its run; with more where that has not settled as the whole has.

    A run that has not settled has no delay to compare, and one that has not locked up yet shows no cure.
    """
    whole = messages_of(scenario)
    for times in LENGTHENED:
        short = scenario.with_overrides([f"measure.messages={min(times * messages, whole)}"])
        (base,) = _simulated([short], progress)
        is_unsettled = base.outcome == SATURATED and why.data["outcome"] != SATURATED
        is_early = why.is_deadlock and base.outcome != DEADLOCK
        if not (is_unsettled or is_early) or times * messages >= whole:
            break
    return short, base


def _in_turn(changes: Sequence[Sequence[Relaxation]]) -> list[tuple[int, Relaxation]]:
    """The first change of each candidate, then the second of each, with the candidate's number."""
    order = sorted((nth, at) for at, each in enumerate(changes) for nth in range(len(each)))
    return [(at, changes[at][nth]) for nth, at in order]


def _apart(trials: Sequence[Trial]) -> list[Trial]:
    """The trials without those of a change that has been tried already: both directions of a link, say."""
    found: dict[object, Trial] = {}
    for nth, trial in enumerate(trials):
        found.setdefault(trial.set or nth, trial)
    return list(found.values())


def _worth(trial: Trial) -> tuple[bool, bool, float]:
    """The order of changes that relieve one cause: what gains without a credit loop, then shorter delays."""
    is_safe = not trial.has_loop and _value_of(trial) >= WORTH_NAMING
    return is_safe, trial.goal != THROUGHPUT, _value_of(trial)


def _value_of(trial: Trial) -> float:
    return -math.inf if trial.gain is None else trial.gain.value


def _ranked(trials: Sequence[Trial]) -> list[Trial]:
    """Without those whose relief gains nothing; the one that surely gains more than the first in its stead.

    Two causes at one place are one resource with and without its mechanism, and both gain by its relief:
    the mechanism comes first, unless its relief may gain nothing.
    """
    kept = [trial for trial in trials if trial.gain is None or trial.gain.value >= WORTH_NAMING] or [
        trials[0]
    ]
    first = kept[0]
    if first.gain is None:
        return kept
    rivals = [
        trial
        for trial in kept[1:]
        if trial.gain is not None
        and trial.gain.low > first.gain.high
        and (first.gain.low <= 0 or trial.candidate["nodes"] != first.candidate["nodes"])
    ]
    best = max(rivals, key=_value_of, default=None)
    return kept if best is None else [best, *(trial for trial in kept if trial is not best)]


def _changed(scenario: "Scenario", overrides: Sequence[str]) -> "Scenario | None":
    try:
        return scenario.with_overrides(list(overrides))
    except _core.ScenarioError:
        return None


def _simulated(scenarios: Sequence["Scenario"], progress: Progress | None) -> list[RunResult]:
    runs = engine.sweep(scenarios, progress)
    return [RunResult.of(*pair) for pair in zip(scenarios, runs, strict=True)]


def _gain(
    short: "Scenario", base: RunResult, other: "Scenario", run: RunResult
) -> tuple[str, Estimate | None]:
    """What a relief takes off the mean delay, or adds to throughput where senders wait for the network.

    Those send as fast as the network lets them; and where there is no delay, or much never arrives,
    throughput is what is left.
    Both runs are offered the same: a load that is relative to what links can do is set anew where they can
    do more. The interval has the ends of both runs' intervals, so it is wider than that of pairs.
    """
    run = _at_one_rate(short, base, other, run)
    delay, canonical = None, json.loads(short.canonical_json())
    if are_rounds(canonical) and base.summary.find(f"{ROUND}.mean") is not None:
        delay = ROUND
    elif not (is_closed(short.model, canonical) or loses(base)):
        delay = base.summary.explained_delay() or base.summary.main_delay()
    if delay is not None:
        before, after = (each.summary.find(f"{delay}.mean") for each in (base, run))
        if before is not None and after is not None and before.value:
            least, most = _ratio(after, before)
            goal = ROUND_TIME if delay == ROUND else delay
            return goal, Estimate(1 - after.value / before.value, 1 - most, 1 - least, "fraction", 1)
    before, after = (each.summary.find(THROUGHPUT) for each in (base, run))
    if before is None or after is None or not before.value:
        return THROUGHPUT, None
    least, most = _ratio(after, before)
    return THROUGHPUT, Estimate(after.value / before.value - 1, least - 1, most - 1, "fraction", 1)


def _ratio(one: Estimate, other: Estimate) -> tuple[float, float]:
    """The least and the greatest ratio that two intervals of what is never negative leave open."""
    most = one.high / other.low if other.low > 0 else math.inf
    return max(one.low, 0.0) / other.high, most


def _at_one_rate(short: "Scenario", base: RunResult, other: "Scenario", run: RunResult) -> RunResult:
    """The changed run again, with as many messages a second as today, where its load had made them more."""
    offered = [each.summary.find("offered") for each in (base, run)]
    path = next((each for each in LOADS if isinstance(_value(short, each), int | float)), None)
    if path is None or offered[0] is None or offered[1] is None or not offered[1].value:
        return run
    ratio = offered[0].value / offered[1].value
    if abs(ratio - 1) < SAME_RATE:
        return run
    again = _changed(other, [f"{path}={float(_value(short, path)) * ratio:.6g}"])
    return run if again is None else _simulated([again], None)[0]


def _value(scenario: "Scenario", path: str) -> Any:
    value = json.loads(scenario.canonical_json())
    for word in path.split("."):
        value = value.get(word) if isinstance(value, dict) else None
    return value
