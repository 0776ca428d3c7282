"""Settings that get a row of their own: constants of rate control, a long timeout, rerouting, steps."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.numerals import amount, count, joined
from hopscope.numerals import listed as first_of
from hopscope.overrides import paths_of, toml_text
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.relaxations import GO_BACK_N, relieves
from hopscope.planning.candidates.suspects import of_class_of, suspect
from hopscope.planning.candidates.variants import changed
from hopscope.planning.goals.job import endless
from hopscope.planning.kinds import Sort
from hopscope.planning.quantities import in_ps, of_ps, readable
from hopscope.results.candidate import Candidate
from hopscope.thresholds import LEAST_WAIT, LONG_TIMEOUT
from hopscope.units import PS

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation
    from hopscope.results.run import RunResult
    from hopscope.results.trial import Trial

Causes = list[tuple[Candidate, Sequence[Relaxation]]]
"""Causes, each with what relieves it."""

DCQCN = "frames.dcqcn"
RATE_CONTROL = "frames.rate_control"
# The names of laws; a user-defined law has constants that only its own program knows.
LAWS = {
    "dctcp": "DCTCP",
    "timely": "TIMELY",
    "hpcc": "HPCC",
    "swift": "Swift",
    "nscc": "NSCC",
    "pull": "the receiver's pulls",
}
# The causes of waiting at senders under such a law: rates or windows.
OF_SENDERS = (Cause.RATE_CONTROL, Cause.WINDOW)
# At most this many constants are named, then the number of others.
CONSTANTS_NAMED = 4
# The constants of a law are judged by at most this many jobs.
JOBS_TRIED = 2
RECOVERY = "frames.recovery"
TIMEOUT = f"{RECOVERY}.timeout"
RULE = f"{RECOVERY}.rule"
RETRIES = f"{RECOVERY}.retries"
REORDERING = f"{RECOVERY}.reordering"
# Frames that were sent again, and those that arrived twice.
SENT_AGAIN, REPEATED = "frames sent again.count", "frames repeated.count"
# Frames are sent again in vain if at least this share of them had arrived.
MOSTLY_IN_VAIN = 0.5
# This many times as many retries are tried if messages were given up.
TIMES_THE_RETRIES = 4
GIVEN_UP = "messages given up.count"
REROUTE = "frames.reroute"
# The causes that a fault is reported as: losses until routes avoid it, or the outage itself.
OF_FAULTS = (Cause.LOSS, Cause.INTERRUPTION)
# A shorter timeout is this many times the lifetime without waits: that leaves room for queueing delays.
TIMEOUT_OF_LIFETIMES = 10
ALL_REDUCE = "all-reduce"
# The algorithms of collectives, in words.
ALGORITHMS = {"ring": "a ring", "halving-doubling": "halving and doubling"}
# The stages, by their ids, that no faster link shortens.
OF_WAYS = frozenset({"Propagation", "Switching"})
# A job that hardly waits is bound by latency if these stages have at least this share of the lifetime.
BOUND_BY_LATENCY = 0.5


@dataclass(frozen=True, slots=True)
class _Law:
    """A law of rates or windows in a scenario: its name, its section, and the constants there."""

    name: str
    section: str
    constants: Mapping[str, Any]


def with_settings(
    scenario: "Scenario",
    why: "Explanation",
    causes: Sequence[tuple[Candidate, Sequence[Relaxation]]],
    listed: Sequence[Relaxation],
) -> Causes:
    """The causes, each followed by those of its settings that are to be tried separately.

    The best change of a cause would hide them: no rate control at all gains more than a good one, and longer
    queues may gain more than a shorter timeout.
    """
    canonical = json.loads(scenario.canonical_json())
    usual = _usual_constants(scenario, canonical)
    timeout = _shorter_timeout(canonical, why)
    again = _sent_again(scenario, canonical, why)
    faster = [each for each in listed if each.paths == [REROUTE]]
    found: Causes = []
    of_jobs = _of_endless_jobs(canonical, usual)
    told_faster = not faster
    rejects = [each for each in listed if each.sort is Sort.REJECT]
    for candidate, every in causes:
        own: Causes = []
        others = [each for each in every if each not in faster]
        cause = candidate.cause
        if usual is not None and cause in OF_SENDERS:
            made, words = usual
            unlike = f"{words[0].upper()}{words[1:]}"
            told = f"{candidate.sentence} {unlike}"
            own = [(replace(candidate, sentence=told, constants=unlike), made[:1])]
            others = [replace(each, is_broad=_is_without(each) or each.is_broad) for each in others]
            usual = None
        if timeout is not None and cause is Cause.LOSS:
            own, timeout = [(candidate, [timeout])], None
        if cause is Cause.LOSS and (own_rejects := [each for each in rejects if relieves(each, candidate)]):
            # A better line leaves nothing to retransmit: it hides the gain of selective retransmission.
            own, rejects = [*own, (candidate, own_rejects)], []
        if not told_faster and cause in OF_FAULTS:
            own, told_faster = [*own, (candidate, faster)], True
        if again is not None and cause in OF_FAULTS:
            own, again = [*own, (candidate, [again])], None
        found += [(candidate, others), *own]
    if usual is not None:
        made, words = usual
        candidate = replace(suspect(Cause.RATE_CONTROL, f"Rate control: {words}", [], None), constants=words)
        of_class = next((each for each, _ in causes if each.behind is not None), None)
        # For the waiting class one constant may be enough, and cost the other class less.
        one = (of_class_of(of_class, candidate), made) if of_class else (candidate, made[:1])
        found.append(one)
    return [*found, *of_jobs]


def _of_endless_jobs(canonical: Mapping[str, Any], usual: tuple[list[Relaxation], str] | None) -> Causes:
    """The constants of a law as the cause of slow jobs that always have more to send.

    A law that recovers too slowly leaves links idle. That delays the job whose senders it slows down, and
    nobody else: a class of short messages that waits longest gains nothing by other constants. So they are
    judged by the job, all of them together and each by itself.
    """
    if usual is None:
        return []
    made, words = usual
    candidate = suspect(Cause.RATE_CONTROL, f"Rate control: {words}", [], None)
    return [
        (replace(candidate, of_class=job, constants=words), made[: CONSTANTS_NAMED + 1])
        for job in endless(canonical)[:JOBS_TRIED]
    ]


def _is_without(change: Relaxation) -> bool:
    """Whether a change removes a law of rates: its gain is no evidence about the law's constants."""
    return change.set == (f"{DCQCN}=",)


def _usual_constants(
    scenario: "Scenario", canonical: Mapping[str, Any]
) -> tuple[list[Relaxation], str] | None:
    """The default constants of the law of rates or windows, with a sentence on what differs.

    All of them first, then one by one if there are several. If a user has a reason for others, the trial
    shows that the defaults gain nothing.
    """
    for law in _laws(canonical.get("frames", {})):
        made = (f"{law.section}={{}}",)
        other = changed(scenario, made)
        if isinstance(other, str):
            continue
        default = _at(json.loads(other.canonical_json()), law.section)
        names = [name for name, value in law.constants.items() if value != default.get(name)]
        if not names:
            continue
        of_law = law.section.rpartition(".")[2]
        told = [
            f"`{of_law}.{name}` is {readable(law.constants[name])}{_by_default(default.get(name))}"
            for name in names
        ]
        sets = [made, *((f"{law.section}.{name}=",) for name in names if len(names) > 1)]
        labels = [
            _named([f"`{name}`" for name in names]),
            *(f"`{name}`" for name in names),
        ]
        also = frozenset({Cause.WINDOW, Cause.LOSS})
        changes = [
            Relaxation(
                f"the default {label} of {law.name}", each, "none", Cause.RATE_CONTROL, None, also=also
            )
            for label, each in zip(labels, sets, strict=False)
        ]
        return changes, f"{_named(told)}."
    return None


def constants_beside(trials: Sequence["Trial"]) -> list[str]:
    """A sentence on constants that differ from the defaults, if the defaults gain beside a change."""
    first = trials[0].candidate
    beside = [
        trial.candidate.constants
        for trial in trials[1:]
        if trial.is_sure and trial.candidate.constants and trial.candidate.is_same(first)
    ]
    return beside[:1]


def _named(constants: list[str]) -> str:
    """All of a few constants, of more the first."""
    few = len(constants) <= CONSTANTS_NAMED
    return joined(constants) if few else first_of(constants, CONSTANTS_NAMED)


def _by_default(value: Any) -> str:
    """The default of a constant, in brackets; some follow from other settings."""
    return "" if value is None else f" (the default is {readable(value)})"


def _laws(frames: Mapping[str, Any]) -> Iterator[_Law]:
    """The laws that a scenario has: DCQCN, or another one with its name."""
    if frames.get("dcqcn"):
        yield _Law("DCQCN", DCQCN, frames["dcqcn"])
    for name, constants in (frames.get("rate_control") or {}).items():
        if name in LAWS:
            yield _Law(LAWS[name], f"{RATE_CONTROL}.{name}", constants)


def _at(canonical: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    for word in path.split("."):
        canonical = canonical[word]
    return canonical


def _shorter_timeout(canonical: Mapping[str, Any], why: "Explanation") -> Relaxation | None:
    """A timeout from the lifetime without waits, if the current one is a hundred times that."""
    recovery = canonical.get("frames", {}).get("recovery")
    mean, times = why.data["lifetime"]["mean_us"], why.page["times_minimum"]
    if recovery is None or not mean or not times:
        return None
    least = Decimal(repr(mean / times * PS["us"]))
    if in_ps(recovery["timeout"]) < LONG_TIMEOUT * least:
        return None
    # Two digits: it is no exact figure.
    made = of_ps(Decimal(f"{TIMEOUT_OF_LIFETIMES * least:.1e}"))
    cost = "frames sent again that were only late"
    return Relaxation(f"a timeout of {made}", (f'{TIMEOUT}="{made}"',), cost, Cause.LOSS, None)


def more_retries(
    scenario: "Scenario", explained: "RunResult | None", named: Sequence[Candidate]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Four times the retries, if senders gave up messages, which are in no mean delay."""
    recovery = json.loads(scenario.canonical_json()).get("frames", {}).get("recovery")
    lost = next((each for each in named if each.cause in OF_FAULTS), None)
    given_up = None if explained is None else explained.summary.find(GIVEN_UP)
    if recovery is None or lost is None or given_up is None or given_up.value == 0:
        return []
    made = TIMES_THE_RETRIES * recovery["retries"]
    cost = "senders that give up later"
    change = Relaxation(f"{made} retries", (f"{RETRIES}={made}",), cost, Cause.LOSS, None)
    return [(lost, [change])]


def sent_in_vain(
    scenario: "Scenario",
    explained: "RunResult | None",
    named: Sequence[Candidate],
    listed: Sequence[Relaxation],
) -> list[tuple[Candidate, list[Relaxation]]]:
    """A larger reordering threshold, if most of what was sent again had only been overtaken.

    Frames of a flow that take several paths overtake one another. A receiver that takes a late frame for a
    lost one after few later frames has it sent again, and its sender slows down. That was counted, so it may
    explain as much as the cause that the run names.
    """
    recovery = json.loads(scenario.canonical_json()).get("frames", {}).get("recovery")
    own = [each for each in listed if each.paths == [REORDERING]]
    if recovery is None or explained is None or not own:
        return []
    again, repeated = (explained.summary.find(key) for key in (SENT_AGAIN, REPEATED))
    if again is None or repeated is None or repeated.value < max(1, MOSTLY_IN_VAIN * again.value):
        return []
    words = (
        f"Retransmission: {count(int(repeated.value))} frames arrived twice. A frame is sent again once "
        f"{amount(recovery['reordering'], 'later one has', 'later ones have')} overtaken it "
        "(`recovery.reordering`)."
    )
    return [(suspect(Cause.LOSS, words, [], None, named[0].weight), own)]


def for_adapters(scenario: "Scenario", causes: Causes, listed: Sequence[Relaxation]) -> Causes:
    """The causes, and after losses, where adapters send all from a lost frame on again: others, and pauses.

    One lost frame costs such an adapter all that it has under way, so it is made for networks without losses.
    """
    frames = json.loads(scenario.canonical_json()).get("frames", {})
    drops = frames.get("flow_control", {}).get("tail-drop")
    lost = next((at for at, (each, _) in enumerate(causes) if each.cause is Cause.LOSS), None)
    if drops is None or lost is None or (frames.get("recovery") or {}).get("rule") != GO_BACK_N:
        return causes
    made = (f"frames.flow_control={toml_text({'pfc': {'priorities': drops['priorities']}})}",)
    change = Relaxation("PFC pauses instead of losses", made, "headroom at every input", Cause.LOSS, None)
    rules = [each for each in listed if each.paths == [RULE]]
    own: Causes = [(causes[lost][0], [each]) for each in (*rules, change)]
    return [*causes[: lost + 1], *own, *causes[lost + 1 :]]


def _sent_again(scenario: "Scenario", canonical: Mapping[str, Any], why: "Explanation") -> Relaxation | None:
    """Retransmission by hosts, if there is none and packets are lost."""
    made = (f"{RECOVERY}={{}}",)
    frames = canonical.get("frames")
    is_lost = frames is not None and RECOVERY.partition(".")[2] not in frames and why.page["lost_for_good"]
    if not is_lost or isinstance(changed(scenario, made), str):
        return None
    return Relaxation("lost frames sent again", made, "timers and buffers in hosts", Cause.LOSS, None)


def rerouting(scenario: "Scenario", changes: Sequence[Sequence[str]]) -> list[str]:
    """A sentence on the time of rerouting, if a faster one surely helps."""
    if not any(REROUTE in paths_of(change) for change in changes):
        return []
    return [f"Rerouting takes {json.loads(scenario.canonical_json())['frames']['reroute']}."]


def begins(scenario: "Scenario", changes: Sequence[Relaxation], made: Sequence[str]) -> float | None:
    """When the first event that a change undoes happens, seconds; None if it is there from the start."""
    if not any(each.happens and each.set == made for each in changes):
        return None
    canonical = json.loads(scenario.canonical_json())
    happen = [*canonical.get("faults", ()), *canonical.get("frames", {}).get("new_tables", ())]
    return min((float(in_ps(each["at"]) / PS["s"]) for each in happen), default=None)


def of_steps(scenario: "Scenario", why: "Explanation") -> Causes:
    """The steps of a job that is bound by latency, with the same collective in other steps."""
    waiting, stages = why.page["waiting"], why.data["shares"]["stages"]
    share = sum(row["share"] for row in stages if row["id"] in OF_WAYS)
    if waiting is None or waiting >= LEAST_WAIT or share < BOUND_BY_LATENCY:
        return []
    return [
        (replace(why.verdict, cause=Cause.SLOW_SERVICE, sentence=change.label), [change])
        for change in _other_steps(json.loads(scenario.canonical_json()))
    ]


def _other_steps(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each all-reduce by another algorithm: a ring has about two steps per host, the other one few."""
    for number, group in enumerate(canonical.get("flows", ())):
        today = group["pattern"].get(ALL_REDUCE, {}).get("algorithm")
        for algorithm, words in ALGORITHMS.items() if today is not None else ():
            if algorithm == today:
                continue
            made = (f'flows[{number}].pattern.{ALL_REDUCE}.algorithm="{algorithm}"',)
            label = f"{words} instead of {ALGORITHMS[today]}"
            cost = "another library, or another setting of it"
            yield Relaxation(label, made, cost, Cause.SLOW_SERVICE, None, sort=Sort.STEPS)
