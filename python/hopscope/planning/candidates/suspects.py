"""Causes to try beside those that a run points to: faults, held resources, rates of senders."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.ids import StageId
from hopscope.numerals import percent
from hopscope.planning.candidates import lanes, repairs
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.reliefs import reliefs
from hopscope.planning.candidates.rows import BOTH_ENDS
from hopscope.planning.goals.job import names
from hopscope.planning.kinds import Model, Pattern, Sort, StageKind
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome
from hopscope.thresholds import LEAST_WAIT, MOSTLY_WAITING, NEARLY_FULL, SCARCE

if TYPE_CHECKING:
    from hopscope._core import Scenario

# The rule by which a hash of its flow chooses the path of a frame.
HASH = "flow-hash"
# At most this many causes are tried.
CANDIDATES = 3
# A resource utilised at most this much is free for nine of ten random arrivals.
NEARLY_UNUSED = 0.1


def likeliest(why: Explanation) -> list[Candidate]:
    """The first causes that a run points to, and its losses whatever their rank.

    Losses are counted and not inferred: retransmissions may be all that fills the links before them.
    """
    every = why.candidates
    return [*every[:CANDIDATES], *(each for each in every[CANDIDATES:] if each.cause is Cause.LOSS)]


def broken(listed: Sequence[Relaxation]) -> list[tuple[Candidate, list[Relaxation]]]:
    """Defects that the scenario describes, as further causes, each with its repair."""
    found = [each for each in listed if each.mends][:CANDIDATES]
    return [(replace(relieved_by(each, each.mends or ""), fault=each.mends), [each]) for each in found]


def held(
    why: Explanation, named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """The first resource of the blocking chain, if hardly any is free and a change adds to it.

    Its holders wait for the resource that the run names, and more of it lets more of them wait at the same
    time.
    """
    first = next(iter(why.chain), None)
    if (
        first is None
        or first["utilisation"] < NEARLY_FULL
        or first["resource"] in [each.resource for each in named]
    ):
        return []
    words = f"Bottleneck: {first['resource']} ({percent(first['utilisation'])} utilised)."
    at = tuple(first["ends"] or [first["place"]])
    candidate = Candidate(Cause.RESOURCE, words, at, first["place"], first["resource"], first["id"])
    more = [each for each in reliefs(listed, candidate) if first["id"] in each.speeds]
    return [(candidate, more)] if more else []


def collided(
    scenario: "Scenario", why: Explanation, named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Path collisions at the named link, if a hash chose it and it is not full.

    A run shows how links share the load over time; only a trial shows whether a few long flows met on one of
    several equal links. It is judged by the class that the verdict is about.
    """
    first = named[0]
    ends = first.ends
    frames = json.loads(scenario.canonical_json()).get("frames", {})
    is_link = first.cause is Cause.RESOURCE and len(ends) == BOTH_ENDS and ends not in full_links(why)
    is_told = any(each.cause is Cause.PATH_COLLISION for each in named)
    if is_told or not is_link or frames.get("balancing") != HASH:
        return []
    if not repairs.Cables(scenario).are_between_switches(ends):
        return []
    who = "several flows" if first.of_class is None else f"several flows of `{first.of_class}`"
    used = next((root["pressure"] for root in why.roots if frozenset(root["ends"] or ()) == ends), None)
    how_much = "" if used is None else f" ({percent(used)} utilised)"
    words = (
        f"Path collisions: a hash puts {who} on {first.resource}{how_much}, "
        "while others to the same places have time to spare."
    )
    candidate = replace(
        first, cause=Cause.PATH_COLLISION, sentence=words, beyond=(), weight_stated=False, fault=None
    )
    return [(candidate, reliefs(listed, candidate))]


def hashed(
    scenario: "Scenario", named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Path collisions anywhere, if packets wait behind others and a hash chose the paths.

    A hash puts a random number of flows on each of several equal links. The packets behind these flows wait
    in buffers all over the network, so the run names one of these and not the link. If a cable is broken, its
    repair is tried instead: adaptive balancing would help only by avoiding it.
    """
    first = named[0]
    frames = json.loads(scenario.canonical_json()).get("frames", {})
    is_told = any(each.cause is Cause.PATH_COLLISION for each in named)
    is_by_hash = first.cause is Cause.BLOCKING and frames.get("balancing") == HASH
    if is_told or not is_by_hash or broken(listed):
        return []
    words = (
        "Path collisions: a hash puts more flows on some links than on others that lead to the same places, "
        "and packets wait behind those flows."
    )
    candidate = suspect(Cause.PATH_COLLISION, words, [], None)
    return [(candidate, changes)] if (changes := reliefs(listed, candidate)) else []


def in_turn(
    named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """A class that waits behind another one, with lanes in turn, which cost the other one least.

    The change with the greatest gain for the class may only exchange the two.
    """
    first = next((each for each in named if each.cause is Cause.LANES), None)
    own = [each for each in listed if each.set == lanes.SERVED_IN_TURN]
    return [] if first is None or not own else [(first, own)]


def lacking(
    named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """What the place of the first cause lacks beside similar ones, although a faster one may gain more."""
    own = [each for each in reliefs(listed, named[0], len(listed)) if each.is_lacking]
    return [(named[0], own)] if own else []


def filled(
    scenario: "Scenario", named: Sequence[Candidate], listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """The memory that output queues share, if the run names no blocking.

    Inputs are stopped while it is full, and then messages wait in their hosts for links with spare time.
    """
    own = [each for each in listed if each.sort is Sort.MEMORY]
    if not own or any(each.cause is Cause.BLOCKING for each in named):
        return []
    memory = json.loads(scenario.canonical_json())["switch"]["discipline"]["shared-output-buffer"]["memory"]
    words = f"Full memory: the output queues of a switch share {memory}, and inputs stop while it is full."
    return [(suspect(Cause.BLOCKING, words, [], None), own)]


def nodes_of(change: Relaxation) -> list[str]:
    """The nodes at which a change is made; none if it is made everywhere."""
    return sorted(change.joins) or ([] if change.place is None else [change.place])


def is_a_link_full(why: Explanation) -> bool:
    """Whether a link that causes the waiting is nearly full: then low rates keep its queue short."""
    return bool(full_links(why))


def full_links(why: Explanation) -> frozenset[frozenset[str]]:
    """The nearly full links that cause the waiting, each by its two nodes."""
    return frozenset(
        frozenset(root["ends"]) for root in why.roots if root["ends"] and root["pressure"] >= NEARLY_FULL
    )


def who_wait(why: Explanation) -> tuple[str, ...]:
    """The classes and pairs of hosts whose messages wait longest, by their names, in that order."""
    return tuple(each["who"] for each in why.page["hurt"])


def waits_for_nothing(why: Explanation) -> bool:
    """Whether hardly anything waits: a busy resource is normal if its senders always have more."""
    waiting = why.page["waiting"]
    return why.outcome != Outcome.SATURATED and waiting is not None and waiting < LEAST_WAIT


def is_idle(why: Explanation) -> bool:
    """Whether the verdict is contention for a hardly used resource, free for random arrivals.

    Messages then wait because several come at a time, like the packets of a burst.
    """
    used = max((root["pressure"] for root in why.roots), default=1.0)
    return why.cause == Cause.RESOURCE and why.outcome != Outcome.SATURATED and used <= NEARLY_UNUSED


def is_by_chance(canonical: Mapping[str, Any], why: Explanation) -> bool:
    """Whether messages wait as they do in any network with spare time, for others that come by chance.

    All messages come at random times, none in rounds or bursts. Then several meet now and then, each with all
    of its frames: the longer the messages, the longer the queue, and it grows with the load. Nothing is
    wrong below the share of waiting from which contention is a verdict, for all messages and for each class.
    """
    is_calm = why.outcome != Outcome.SATURATED and (why.page["waiting"] or 1.0) < MOSTLY_WAITING
    if not is_calm or not _are_random(canonical):
        return False
    groups = names(canonical)
    if any(each["share"] >= MOSTLY_WAITING for each in why.page["hurt"] if each["who"] in groups):
        return False
    if why.cause == Cause.VARIABILITY:
        return any(symptom["name"] == Pattern.SYNCHRONISED_BURSTS for symptom in why.symptoms)
    root = next((root for root in why.roots if root["resource"] == why.resource), None)
    is_slow = root is not None and root["times_slower"]
    return why.cause == Cause.RESOURCE and root is not None and root["pressure"] < SCARCE and not is_slow


def _are_random(canonical: Mapping[str, Any]) -> bool:
    """Whether all traffic of a fabric is messages at random times."""
    if canonical["model"] != Model.FABRIC:
        return False
    if groups := canonical.get("flows"):
        return all("poisson" in group["pattern"] for group in groups)
    traffic = canonical.get("traffic", {})
    flows = traffic["pattern"].get("flows", ()) if isinstance(traffic.get("pattern"), Mapping) else ()
    is_even = traffic.get("bursts") is None and not any(flow.get("bursts") for flow in flows)
    return traffic.get("arrivals") == "poisson" and is_even


def is_full(why: Explanation) -> bool:
    """Whether the verdict is a nearly full resource in a network whose queues grow."""
    if why.cause != Cause.RESOURCE or why.outcome != Outcome.SATURATED:
        return False
    return any(root["resource"] == why.resource and root["pressure"] >= NEARLY_FULL for root in why.roots)


def paced(why: Explanation, named: Sequence[Candidate], least: float = 0.0) -> list[Candidate]:
    """Rate control as a cause, if messages wait longest for their flow's rate, unless it is named.

    If a lifetime is mostly waiting, that is its longest stage; with a `least` share, it is the longest wait
    and has at least that share.
    """
    stages = why.data["shares"]["stages"]
    rows = [row for row in stages if row["kind"] == StageKind.WAIT] if least else stages
    longest = max(rows, key=lambda row: row["share"], default=None)
    is_named = any(each.cause is Cause.RATE_CONTROL for each in named)
    if is_named or longest is None or longest["id"] != StageId.PACING or longest["share"] < least:
        return []
    share = longest["share"]
    words = f"Rate control: messages wait for the rate of their flow for {percent(share)} of their lifetime."
    return [replace(suspect(Cause.RATE_CONTROL, words, [], None, share), weight_stated=True)]


def suspect(
    cause: Cause,
    sentence: str,
    nodes: Sequence[str],
    place: str | None,
    weight: float = 0.0,
    sort: str | None = None,
) -> Candidate:
    """A cause that no run points to; its place is also its name, `sort` the id of its resource."""
    return Candidate(cause, sentence, tuple(nodes), place, place, sort, weight)


def relieved_by(change: Relaxation, sentence: str) -> Candidate:
    """The cause that a change relieves, at its place; with one kind of resource, of that kind."""
    found = suspect(change.cause, sentence, nodes_of(change), change.place)
    return replace(found, id=next(iter(change.speeds))) if len(change.speeds) == 1 else found


def of_class_of(named: Candidate, candidate: Candidate) -> Candidate:
    """A cause with the class of another cause, and with the class that this one waits behind."""
    return replace(
        candidate, of_class=named.of_class, behind=named.behind, weight=named.weight, weight_stated=False
    )
