"""`ibnetdiscover -p`: a line a port, with both ends of its cable.

SW  3  1 0x0008f10400410015 4x SDR - CA  2  1 0x0008f10403960085 ( 'leaf 1' - 'node 7 HCA-1' )
"""

import re
from collections import Counter
from collections.abc import Sequence

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import LANES
from hopscope.importing.source import Source
from hopscope.numerals import count, listed

MOST_NAMED = 4

_END = r"(SW|CA|RT)\s+(\d+)\s+(\d+)\s+0x([0-9a-f]+)"
_LINE = re.compile(rf"^{_END}\s+(\d{{1,3}})x\s+(\S+)\s+-\s+{_END}\s+\(\s*'(.*)'\s+-\s+'(.*)'\s*\)\s*$")
_DOWN = re.compile(rf"^{_END}\s+\S+\s+\S+\s+'.*'\s*$")


def looks_like(text: str) -> bool:
    """Whether the first line is that of a port."""
    first = text.lstrip().split("\n", 1)[0].strip()
    return bool(_LINE.match(first) or _DOWN.match(first))


def read(source: Source) -> Cabling:
    """All cables; each is listed at both of its ends. Ports without a cable are skipped."""
    ends: list[tuple[int, tuple[str, ...]]] = []
    for place, line in source.lines():
        told = _LINE.match(line.strip())
        if told:
            ends.append((place, told.groups()))
        elif line.strip() and not line.startswith("#") and not _DOWN.match(line.strip()):
            raise source.fault(
                f'"{line.strip()[:40]}"', "a port with its cable, as ibnetdiscover -p prints", place
            )
    called = {each[at]: each[name] for _, each in ends for at, name in ((3, 10), (9, 11))}
    several = Counter(called.values())
    names = {
        guid: name if name and several[name] == 1 else f"{name} 0x{guid}".strip()
        for guid, name in called.items()
    }
    cables, hosts = [], set()
    for place, (kind, _, port, guid, width, speed, far_kind, _, far_port, far, *_) in ends:
        if speed not in LANES:
            line = source.text[place:].split("\n", 1)[0]
            at = re.search(r"(?<=\dx)\s+", line)
            assert at is not None, "a line of a port has its width and then its speed"
            raise source.fault(f'"{speed}"', f"a speed: {', '.join(LANES)}", place + at.end())
        cable = End(names[guid], port), End(names[far], far_port)
        cables.append(Cable(cable, place, f"{int(width) * LANES[speed]} Mbit/s"))
        hosts |= {end.node for end, each in zip(cable, (kind, far_kind), strict=True) if each != "SW"}
    return Cabling(cables, frozenset(hosts), _of_single_ends(cables))


def _of_single_ends(cables: Sequence[Cable]) -> list[str]:
    """A note on cables listed at one end only: the tool prints a line for each port."""
    told = {cable.ends for cable in cables}
    single = [(near, far) for near, far in told if (far, near) not in told]
    if not single:
        return []
    lines = [f"{far.node}:{far.port}" for _, far in sorted(single, key=str)]
    has = "the line of 1 port is" if len(lines) == 1 else f"the lines of {count(len(lines))} ports are"
    named = listed(lines, MOST_NAMED)
    return [f"{has} missing, though the other end of the cable is there: is the file cut short? {named}"]
