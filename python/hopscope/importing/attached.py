"""Hosts that a file lacks, at the switches that the user names: where hosts do not speak LLDP, say."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import count, filterfalse, islice
from typing import TYPE_CHECKING

from hopscope.errors import UsageError
from hopscope.importing.quantities import size_of

if TYPE_CHECKING:
    from hopscope.importing.cabling import Cable

MOST_HOSTS = 10_000
"""The most hosts at a switch."""
EXAMPLE = "leaf*=8"


@dataclass(frozen=True)
class Attach:
    """This many hosts at each switch whose name fits the pattern."""

    pattern: str
    hosts: int

    @classmethod
    def of_text(cls, text: str) -> "Attach":
        """`leaf*=8`: raises UsageError for anything else."""
        pattern, _, number = text.rpartition("=")
        if not (pattern and number.isascii() and number.isdigit() and 0 < int(number[:6]) <= MOST_HOSTS):
            expected = f"a pattern of names and a number from 1 to {MOST_HOSTS}, as in `--hosts '{EXAMPLE}'`"
            raise UsageError(f"--hosts: `{text}` is not how many hosts to attach where", expected)
        return cls(pattern, int(number))


def rows(cables: Sequence["Cable"], switches: Collection[str], wanted: Sequence[Attach]) -> list[str]:
    """The lines of the cables of these hosts, each as fast as the fastest cable of its switch."""
    fastest = _fastest(cables)
    taken = {end.node for cable in cables for end in cable.ends}
    found: list[str] = []
    for each in wanted:
        fitting = sorted(name for name in switches if fnmatchcase(name, each.pattern))
        if not fitting:
            problem = f"--hosts: no switch of the file is called `{each.pattern}`"
            raise UsageError(problem, f"a pattern such as `{min(switches)}`")
        for switch in fitting:
            names = list(islice(filterfalse(taken.__contains__, _numbered(switch)), each.hosts))
            taken.update(names)
            found += [f"{name},{switch},,,{fastest.get(switch, '')},,host" for name in names]
    return found


def _numbered(switch: str) -> Iterator[str]:
    return (f"{switch}-h{number}" for number in count(1))


def _fastest(cables: Sequence["Cable"]) -> Mapping[str, str]:
    """The greatest rate of a cable of each node, where any is known."""
    found: dict[str, tuple[Fraction, str]] = {}
    for cable in cables:
        for end in cable.ends:
            if cable.rate and size_of(cable.rate) > found.get(end.node, (Fraction(0), ""))[0]:
                found[end.node] = size_of(cable.rate), cable.rate
    return {node: rate for node, (_, rate) in found.items()}
