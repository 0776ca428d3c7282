"""Causes that only trials find: those of symptoms, and changes elsewhere that surely help more."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.goal import Goal
from hopscope.numerals import percent
from hopscope.overrides import paths_of
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.reliefs import reliefs
from hopscope.planning.candidates.suspects import suspect
from hopscope.planning.kinds import Pattern, Routing
from hopscope.planning.trying.ranking import LEAST_RELATIVE_WEIGHT, value_of
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.trial import WORTH_NAMING, Trial

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The parameters for the number of lanes of a link, each with the word for one of them.
LANES_BY_NUMBER = {
    "frames.flow_control.credits.lanes": "lane",
    "frames.flow_control.pfc.priorities": "priority",
    "frames.flow_control.tail-drop.priorities": "priority",
}
PAIR = 2


def of_symptoms(
    why: Explanation, named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """The causes that symptoms of a run point to, each class once, unless named already.

    A congestion tree follows from any full link, and points to no further cause.
    """
    told = {each.cause for each in named}
    seen: dict[str, Candidate] = {}
    for symptom in why.symptoms:
        if symptom["cause"] not in told and symptom["name"] != Pattern.CONGESTION_TREE:
            name = symptom["name"]
            words = f"{name[0].upper()}{name[1:]}: {symptom['evidence']}."
            seen.setdefault(symptom["cause"], suspect(Cause(symptom["cause"]), words, [], None))
    causes = [(candidate, reliefs(listed, candidate)) for candidate in seen.values()]
    return [(candidate, changes) for candidate, changes in causes if changes]


def in_its_stead(why: Explanation, named: Trial, other: Trial, groups: Sequence[str] = ()) -> Trial | None:
    """Another change as the verdict, with its words; None if it stays a further row.

    The run points to the named cause. So the other one replaces it only if the relief of that surely gains
    nothing, or if messages also wait at the other one's place, and its relief surely gains more. Only a
    change at one place locates the waiting. A change everywhere that surely gains more than the relief of the
    named cause, which may gain nothing, is the better answer. For lanes the words say which of the `groups`
    of flows waits.
    """
    if other.is_wide or not other.is_sure or named.is_full:
        return None
    # A faster station shortens the waits there, which does not show that its services are too long.
    is_station = other.candidate.cause is Cause.SLOW_SERVICE and other.candidate.place is not None
    cause = Cause.RESOURCE if is_station else other.candidate.cause
    is_at = f" at {other.candidate.place}" if other.candidate.place else ""
    what = f"{'Bottleneck' if cause is Cause.RESOURCE else cause.capitalize()}{is_at}"
    lane = _lane(other)
    who = _who_shares(lane, why, groups, other)
    instead = named.candidate.resource or named.candidate.place or "the cause that the run points to"
    helps = f"The change that helps: {other.what}. Relief of {instead}"
    if named.is_none:
        begins = what if who is None else f"Shared {lane}: {who}"
        words = f"{begins}. {helps} gains nothing."
        return _as_cause(other, cause, words, 0.0)
    are_bursts = any(symptom["name"] == Pattern.SYNCHRONISED_BURSTS for symptom in why.symptoms)
    if named.gain is None and are_bursts and cause is Cause.LANES and other.of_class is not None:
        # Messages that come together wait for one another; a class in their lane is their victim.
        who = other.of_class
        words = f"Shared {lane}: `{who}` shares its {lane} with others, and a {lane} of its own helps."
        return _as_cause(other, cause, f"{words} {named.candidate.sentence}", 0.0)
    if other.candidate.place is None and not named.is_sure and _gains_more(other, named):
        words = f"{what}. {helps} has no significant gain."
        return _as_cause(other, cause, f"{words} {named.candidate.sentence}", 0.0)
    if _is_behind_a_window(other, named) and _gains_more(other, named):
        # A mean over a run that outlasts its messages does not show that lines were full while these came.
        return _as_cause(other, cause, f"{what}. {helps} has no significant gain.", 0.0)
    own, first = (_waiting_at(why, trial.candidate.place) for trial in (other, named))
    if not own or own < LEAST_RELATIVE_WEIGHT * first or not other.surely_exceeds(named):
        return None
    words = (
        f"{what}: {percent(own)} of all waiting is there. Its relief gains significantly more than that of "
        f"{instead}, where {percent(first)} of all waiting is."
    )
    return _as_cause(other, cause, words, own * (why.page["waiting"] or 0.0))


def _is_behind_a_window(other: Trial, named: Trial) -> bool:
    """Whether several lines carry more, and a larger window may not, from which messages wait for them."""
    is_window = named.candidate.cause is Cause.WINDOW and not named.is_sure
    are_lines = other.candidate.cause is Cause.RESOURCE and len(other.set) > 1
    return is_window and are_lines and other.goal == named.goal == Goal.THROUGHPUT


def _gains_more(other: Trial, named: Trial) -> bool:
    """Whether a change that surely helps gains more than one that may gain nothing is likely to gain."""
    is_alike = (other.goal, other.of_class) == (named.goal, named.of_class)
    is_clear = other.gain is not None and other.gain.low > WORTH_NAMING
    is_more = is_alike and not other.is_broad and value_of(other) >= value_of(named)
    return other.surely_exceeds(named) or (is_more and is_clear and named.gain is not None)


def by_routes(scenario: "Scenario", listed: Sequence[Relaxation], named: Trial) -> Trial:
    """Blocking as an effect of routes, if other routes relieve it best.

    Up*/down* routes turn at their root, so packets meet there and on their paths that could be separate. No
    other switch and no larger buffer gains more.
    """
    routing = json.loads(scenario.canonical_json()).get("routing", {})
    change = next((each for each in listed if each.set and each.set == named.set), None)
    is_of_routes = change is not None and change.cause is Cause.ROUTE_CONCENTRATION and named.is_sure
    is_by_a_root = routing.get("rule") == Routing.UP_DOWN and "tables" not in routing
    if named.candidate.cause is not Cause.BLOCKING or not is_of_routes or not is_by_a_root:
        return named
    bounds = json.loads(scenario.bounds_json() or "null") or {}
    root = routing.get("root") or (bounds.get("root") or {}).get("name")
    by = "up*/down* routes" if root is None else f"up*/down* routes by the root {root}"
    words = f"Route concentration: {by} lead packets over the same few links; other routes help."
    nodes = () if root is None else (root,)
    candidate = replace(
        named.candidate,
        cause=Cause.ROUTE_CONCENTRATION,
        sentence=f"{words} {named.candidate.sentence}",
        nodes=nodes,
        place=root,
        resource=root,
    )
    return replace(named, candidate=candidate)


def _lane(change: Trial) -> str:
    """The word for the lanes whose number a change sets; "lane" for another change."""
    return next((LANES_BY_NUMBER[path] for path in paths_of(change.set) if path in LANES_BY_NUMBER), "lane")


def _who_shares(lane: str, why: Explanation, groups: Sequence[str], other: Trial) -> str | None:
    """The one of two groups of flows that waits in a shared lane, if another lane surely helps."""
    if other.candidate.cause is not Cause.LANES or not _is_of_number(other.set) or len(groups) != PAIR:
        return None
    found = [each for each in why.page["hurt"] if each["who"] in groups and each["share"]]
    waits = max(found, key=lambda each: each["share"], default=None)
    if waits is None:
        return None
    (behind,) = (each for each in groups if each != waits["who"])
    share = percent(waits["share"])
    return f"`{waits['who']}` waits {share} of its lifetime, and shares its {lane} with `{behind}`"


def _is_of_number(change: Sequence[str]) -> bool:
    """Whether overrides change the number of lanes, or priorities."""
    return not LANES_BY_NUMBER.keys().isdisjoint(paths_of(change))


def _as_cause(trial: Trial, cause: Cause, words: str, weight: float) -> Trial:
    told = replace(
        trial.candidate, cause=cause, sentence=words, weight=weight, weight_stated=False, fault=None
    )
    return replace(trial, candidate=told)


def _waiting_at(why: Explanation, place: str | None) -> float:
    """The share of all waiting that is at a place."""
    return sum(row["share"] for row in why.data["shares"]["places"] if row["place"] == place)
