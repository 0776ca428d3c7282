"""Changes of an ARPANET besides its parameters: lines that are too long or too slow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from statistics import median_high
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.overrides import toml_text
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.repairs import TIMES_AS_LONG, are_joined
from hopscope.planning.candidates.rows import BOTH_ENDS, at_once, in_words
from hopscope.planning.kinds import Sort
from hopscope.planning.quantities import in_bit_s, in_ps, scaled, whole_ps
from hopscope.thresholds import TIMES_SLOWER

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation

# The computer of an IMP unless a scenario says otherwise.
USUAL_PROCESSOR = "516"
VERY_DISTANT = ("vdh_buffers", "vdh_reassembly_buffers")
# The line between a host and its IMP, unless a scenario says otherwise.
HOST_RATE = "100 kbit/s"
# Message numbers outstanding are counted in three bits.
MOST_NUMBERS = 8
# The default number of message numbers of each version of the IMP program.
NUMBERS = {"2": 4, "3": MOST_NUMBERS}


def of_machine(canonical: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario without parameters of IMPs that it does not have."""
    imps = canonical["network"]["imp"]
    without = set() if any(imp["very_distant_host"] for imp in imps) else set(VERY_DISTANT)
    protocol = {key: value for key, value in canonical["protocol"].items() if key not in without}
    kinds = {"h516"} | ({"h316"} if any(imp["processor"] == "316" for imp in imps) else set())
    processor = {key: value for key, value in canonical["processor"].items() if key in kinds}
    return {**canonical, "protocol": protocol, "processor": processor}


def shorter_ways(canonical: Mapping[str, Any], why: "Explanation") -> Iterator[Relaxation]:
    """Shorter lines, only if the verdict or a runner-up needs them: a long line has its reason.

    Lines that are far longer than most become as long as these. If all possible message numbers are in use,
    only a shorter round trip helps: all lines become half as long.
    """
    causes = {each.cause for each in why.candidates}
    lines = canonical["network"]["line"]
    if Cause.SLOW_SERVICE in causes:
        yield from _like_most(lines)
    if Cause.WINDOW in causes and _numbers(canonical["protocol"]) == MOST_NUMBERS:
        yield Relaxation(
            "all lines half as long",
            tuple(_delay(nth, whole_ps(scaled(line["delay"], 0.5))) for nth, line in enumerate(lines)),
            "shorter ways",
            Cause.WINDOW,
            None,
        )


def without_slow_lines(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """The network without each line that is slower than most, if another path joins its ends.

    Routing prefers paths of few lines and short queues, and a message of eight packets waits for the one on
    the slowest line: a slow line may cost more than it carries.
    """
    lines = canonical["network"]["line"]
    # Lines of a file cannot be left out by the scenario.
    most = median_high([in_bit_s(line["rate"]) for line in lines] or [Decimal(0)])
    for nth, line in enumerate(lines):
        kept = [*lines[:nth], *lines[nth + 1 :]]
        if in_bit_s(line["rate"]) * TIMES_SLOWER > most or not _is_spare(line, kept):
            continue
        name = " - ".join(line["between"])
        yield Relaxation(
            f"no line {name}",
            (f"network.line={toml_text(kept)}",),
            "one line less",
            Cause.RESOURCE,
            name,
            joins=frozenset(line["between"]),
        )


def along_the_way(
    changes: Sequence[Relaxation], canonical: Mapping[str, Any], why: "Explanation"
) -> Iterator[Relaxation]:
    """The lines on the shortest path between the ends of a full window, twice as fast, together.

    Messages hold their numbers while they wait for these lines, which other traffic may fill. One faster line
    alone moves the queue to the next.
    """
    lines = [frozenset(line["between"]) for line in canonical["network"]["line"]]
    faster = {each.joins: each for each in changes if each.sort is Sort.LINE and each.joins}
    for candidate in why.candidates:
        ends = candidate.nodes
        if candidate.cause is not Cause.WINDOW or len(ends) != BOTH_ENDS:
            continue
        parts = [faster[line] for line in _shortest(ends[0], ends[1], lines) if line in faster]
        if len(parts) > 1:
            together = at_once(parts, f"lines {in_words([each.place or '' for each in parts])}")
            yield replace(together, joins=frozenset(), row=frozenset(), place=together.place)
            return


def _shortest(begin: str, end: str, lines: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """The lines of a path of fewest lines from one IMP to another; none if there is no path."""
    paths: dict[str, list[frozenset[str]]] = {begin: []}
    front = [begin]
    while front and end not in paths:
        reached = [(near, line) for near in front for line in lines if near in line]
        front = []
        for near, line in reached:
            for far in sorted(line - {near} - paths.keys()):
                paths[far] = [*paths[near], line]
                front.append(far)
    return paths.get(end, [])


def at_its_imp(change: Relaxation, canonical: Mapping[str, Any]) -> Relaxation:
    """A repair of the times of a kind of processor, at the only IMP with such a processor."""
    section, _, rest = change.paths[0].partition(".")
    if section != "processor" or change.mends is None:
        return change
    kinds = {imp["name"]: imp["processor"] for imp in canonical["network"]["imp"]}
    imps = {end for line in canonical["network"]["line"] for end in line["between"]} | set(kinds)
    own = [name for name in sorted(imps) if f"h{kinds.get(name, USUAL_PROCESSOR)}" == rest.partition(".")[0]]
    return replace(change, place=own[0]) if len(own) == 1 else change


def usual_host_lines(canonical: Mapping[str, Any]) -> Iterator[Relaxation]:
    """Each host on a slower line than usual, moved to a usual line."""
    for nth, host in enumerate(canonical.get("host", ())):
        if in_bit_s(host["rate"]) * TIMES_SLOWER <= in_bit_s(HOST_RATE):
            yield Relaxation(
                f"host {host['name']} on a line of {HOST_RATE}, as is usual",
                (f"host[{nth}].rate={toml_text(HOST_RATE)}",),
                f"{HOST_RATE} instead of {host['rate']}",
                Cause.RESOURCE,
                host["name"],
            )


def _is_spare(line: Mapping[str, Any], kept: Sequence[Mapping[str, Any]]) -> bool:
    """Whether other lines join the ends of a line."""
    return are_joined(line["between"], [each["between"] for each in kept])


def _like_most(lines: Sequence[Mapping[str, Any]]) -> Iterator[Relaxation]:
    """All lines that are far longer than most made as long as these, together."""
    longest_last = sorted((line["delay"] for line in lines), key=in_ps)
    # The longest one is compared with the others.
    others = longest_last[:-1]
    if not others:
        return
    most = others[len(others) // 2]
    far = [(nth, line) for nth, line in enumerate(lines) if _is_far_longer(line["delay"], most)]
    if not far:
        return
    names = [" - ".join(line["between"]) for _, line in far]
    words = f"line {names[0]}" if len(far) == 1 else f"lines {', '.join(names[:-1])} and {names[-1]}"
    way = "a way that takes" if len(far) == 1 else "ways that take"
    yield Relaxation(
        f"{words} on {way} {most}",
        tuple(_delay(nth, most) for nth, _ in far),
        f"a shorter way than one of {far[0][1]['delay']}",
        Cause.SLOW_SERVICE,
        None,
        row=frozenset(frozenset(line["between"]) for _, line in far),
    )


def _is_far_longer(delay: str, most: str) -> bool:
    return in_ps(delay) > in_ps(most) and in_ps(delay) >= TIMES_AS_LONG * in_ps(most)


def _delay(nth: int, delay: str) -> str:
    return f'network.line[{nth}].delay="{delay}"'


def _numbers(protocol: Mapping[str, Any]) -> int:
    return protocol.get("message_numbers") or NUMBERS[protocol["version"]]
