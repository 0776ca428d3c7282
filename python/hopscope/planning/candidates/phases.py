"""Rounds of several groups of flows that start at the same instants: with a phase they do not meet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from hopscope.cause import Cause
from hopscope.ids import ResourceId
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.kinds import Sort
from hopscope.planning.quantities import in_ps, scaled, whole_ps
from hopscope.results.candidate import Candidate


def shifted(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """The later one of two groups in phase, shifted by half a period, the greatest distance."""
    for one, other in _in_phase(canonical.get("flows", ())):
        groups = canonical["flows"]
        half, start = whole_ps(scaled(groups[other]["every"], 0.5)), in_ps(groups[other]["start"])
        at = f"{start + in_ps(half):f} ps" if start else half
        yield Relaxation(
            f"rounds of {_name(groups, other)} half a period after those of {_name(groups, one)}",
            (f'flows[{other}].start="{at}"',),
            "another start",
            Cause.VARIABILITY,
            None,
            sort=Sort.PHASE,
        )


def spread(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Flows of the ARPANET whose messages leave at the same instants, spread evenly over their period."""
    flows = canonical["flow"]
    for every, starts in _at_once(flows):
        apart = scaled(every, 1 / len(starts))
        yield Relaxation(
            f"the {len(starts)} flows that send every {every} one after the other, {whole_ps(apart)} apart",
            tuple(
                f'flow[{at}].phase="{whole_ps(scaled(every, nth / len(starts)))}"'
                for nth, at in enumerate(starts, 1)
            ),
            "another start",
            Cause.VARIABILITY,
            None,
            sort=Sort.PHASE,
        )


def _at_once(flows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[int]]]:
    """Each period with the numbers of the flows that send at the same instants of it."""
    found: dict[tuple[Any, Any], list[int]] = {}
    for at, flow in enumerate(flows):
        every = flow["when"].get("every") if isinstance(flow["when"], Mapping) else None
        if every is not None:
            # Without a phase the first message is sent after one period.
            start = in_ps(flow.get("phase") or every) % in_ps(every)
            found.setdefault((in_ps(every), start), []).append(at)
    for starts in found.values():
        if len(starts) > 1:
            yield flows[starts[0]]["when"]["every"], starts


def in_phase(
    canonical: Mapping[str, Any], first: Candidate, listed: Sequence[Relaxation]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """Bursts at a link caused by groups in phase, each with the change that shifts one of two.

    Long bursts of many senders keep the link busy for much of the time, and a run then names the link. A
    phase costs nothing, and a faster link does.
    """
    shifts = [each for each in listed if each.sort is Sort.PHASE]
    is_of_link = first.cause is Cause.RESOURCE and first.id in (ResourceId.LINK, ResourceId.LINE)
    if not shifts or not (first.cause is Cause.VARIABILITY or is_of_link):
        return []
    if "flow" in canonical:
        every, starts = next(_at_once(canonical["flow"]))
        words = f"In phase: {len(starts)} flows send at the same instants, every {every}."
        return [(replace(first, cause=Cause.VARIABILITY, sentence=f"{words} {first.sentence}"), shifts)]
    groups = canonical["flows"]
    one, other = next(_in_phase(groups))
    names = f"`{_name(groups, one)}` and `{_name(groups, other)}`"
    words = f"In phase: rounds of {names} start at the same instants, every {groups[one]['every']}."
    return [(replace(first, cause=Cause.VARIABILITY, sentence=f"{words} {first.sentence}"), shifts)]


def _name(groups: Sequence[Mapping[str, Any]], at: int) -> str:
    return str(groups[at].get("name", f"group {at + 1}"))


def _in_phase(groups: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Pairs of group numbers whose rounds start at the same instants."""
    clocked = [(at, in_ps(group["every"]), group) for at, group in enumerate(groups) if group.get("every")]
    for (one, every, first), (other, also, second) in combinations(clocked, 2):
        starts = [in_ps(group["start"]) % every for group in (first, second)]
        if every == also and starts[0] == starts[1]:
            yield one, other
