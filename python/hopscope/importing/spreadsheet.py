"""Cables as people keep them in a spreadsheet, and as NetBox exports them: CSV with `,`, `;` or tabs.

Columns are known by many names: words for an end, its device and its port (`ENDS`, `DEVICES`, `PORTS`), and
`ALIASES`. That of a column of rates or delays may end in the unit of its
bare numbers: "Speed (Mbps)", "latency_ns". Fields may be quoted. NetBox's bulk form has `side_a_device` and
`side_a_name`; its table has "Device A" and "Termination A".
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopscope.errors import UsageError
from hopscope.importing.cabling import HEADING, Cable, Cabling, End
from hopscope.importing.quantities import delay, rate
from hopscope.importing.source import Source
from hopscope.numerals import amount, listed

MOST_NAMED = 4

# The words in names of columns: the end, its device or its port, and words without meaning.
ENDS = {
    "a": ("source", "src", "local", "from", "a"),
    "b": ("destination", "dest", "dst", "target", "remote", "neighbor", "neighbour", "peer", "to", "b", "z"),
}
DEVICES = ("device", "host", "hostname", "node", "switch", "system")
PORTS = ("port", "interface", "intf", "iface")
_NO_MEANING = {"side", "end", "name", "id", "termination"}
# A letter is an end if another word is beside it.
_LETTERS = {"a", "b", "z"}

# The meanings of further columns, by their names reduced to small letters and digits.
ALIASES = {
    "a": "sidea sourcedevice sourcehost deva devicea adevice sideadevice asidedevice localdevice localhost "
    "nodea nodex hosta switcha aend aside fromdevice fromnode terminationadevice leaf",
    "a_port": "fromport sourceport srcport sourceinterface porta aport sideaname sideaport interfacea "
    "ainterface localport localinterface terminationa aendport asideport fromdeviceport frominterface "
    "leafport",
    "b": "sideb destinationdevice devb deviceb bdevice sidebdevice bsidedevice remotedevice remotehost nodeb "
    "hostb switchb bend zend bside zside todevice tonode terminationbdevice spine",
    "b_port": "toport targetport dstport destinationport destport destinationinterface portb bport sidebname "
    "sidebport interfaceb binterface remoteport remoteinterface terminationb bendport zendport bsideport "
    "todeviceport tointerface neighborport neighbourport peerport spineport",
    "rate": "rate speed bandwidth linkspeed capacity portspeed",
    "delay": "delay latency linkdelay propagationdelay",
    "a_role": "roleA fromrole devicerolea sidearole arole",
    "b_role": "roleB torole deviceroleb sidebrole brole",
    "kind": "kind",
    "status": "status",
    "type": "type",
    "a_type": "sideatype terminationatype",
    "b_type": "sidebtype terminationbtype",
}
# The meaning of a column whose name has no end, if no other column has that meaning.
_BY_ITSELF = dict.fromkeys(DEVICES, "a") | dict.fromkeys(PORTS, "a_port")
_MEANING = {alias.lower(): meaning for meaning, known in ALIASES.items() for alias in known.split()}
_HOST_ROLES = re.compile(r"server|host|compute|storage|node|gpu", re.IGNORECASE)
# The unit at the end of a column's name; a single letter is one only in brackets.
_UNITS = {
    "rate": re.compile(
        r"(.*?)[\s_/-]*[(\[]?([kmgt]?i?b(?:e|its?|ytes?)?(?:/s|ps)?|[kmgt](?=[)\]]))[)\]]?\s*", re.IGNORECASE
    ),
    "delay": re.compile(r"(.*?)(?:[\s_/-]+|(?=[(\[]))[(\[]?([pnum\u00b5\u03bc]?s)[)\]]?\s*", re.IGNORECASE),
}
# The kinds of cable in hopscope's own lists: of a host, which comes first, or between two switches.
_HOST_KIND = "host"
_KINDS = (_HOST_KIND, "trunk")
# Cables that NetBox knows of and that carry nothing.
_NOT_THERE = {"planned", "decommissioning"}
_BARE = re.compile(r"[0-9.]+")
_HOW_TO_SAY = 'say what each node is in the columns "A Role" and "B Role", such as "server" or "switch"'
# Types of cables, and of what they end in: `Power`, `dcim.poweroutlet`, `Console server port`.
_NO_NETWORK = re.compile(
    r"(?:dcim\.)?(?:power|console ?(?:server)?) ?(?:port|outlet|feed|cable)?", re.IGNORECASE
)


def looks_like(text: str) -> bool:
    """Whether the first line names both ends of a cable."""
    heading = _heading(text)
    return heading is not None and {"a", "b"} <= set(heading.columns)


def read(source: Source) -> Cabling:
    """All cables of a table."""
    heading = _heading(source.text)
    assert heading is not None, "what is read looks like it"
    mark = _delimiter(source.text)
    reader = csv.reader(io.StringIO(source.text), delimiter=mark, strict=True)
    places = [place for place, _ in source.lines()]
    cables, hosts, roles, other_kinds, planned, off_network, at = [], set(), False, False, 0, 0, 0
    try:
        names = next(reader)
        at = reader.line_num
        for fields in reader:
            place, at = places[at], reader.line_num
            if not any(field.strip() for field in fields):
                continue
            if fields == names:
                raise source.fault("the heading again", "a cable", place, "are these two files in one?")
            row = _Row(source, fields, heading, place, mark)
            row.check()
            if row.text("status").lower() in _NOT_THERE:
                planned += 1
                continue
            if any(_NO_NETWORK.fullmatch(row.text(key)) for key in ("type", "a_type", "b_type")):
                off_network += 1
                continue
            cables.append(_cable(source, row))
            for end in ("a", "b"):
                roles = roles or bool(row.text(f"{end}_role"))
                if _HOST_ROLES.search(row.text(f"{end}_role")):
                    hosts.add(row.text(end))
            kind = row.text("kind")
            roles, other_kinds = roles or kind in _KINDS, other_kinds or (kind not in ("", *_KINDS))
            if kind == _HOST_KIND:
                hosts.add(row.text("a"))
    except csv.Error as wrong:
        place = places[min(at, len(places) - 1)]
        raise source.fault(str(wrong), "CSV with fields in quotation marks or without", place) from wrong
    notes = [*_left_out(planned, off_network), *_unread([*heading.unread, *["kind"] * other_kinds])]
    return Cabling(cables, frozenset(hosts) if roles else None, notes, how_to_say=_HOW_TO_SAY)


@dataclass(frozen=True, slots=True)
class _Heading:
    """The columns by the first line."""

    columns: Mapping[str, int]
    """The column of each meaning."""
    units: Mapping[str, str]
    """The unit of the bare numbers of a meaning, if the column's name has one."""
    unread: Sequence[str]
    """The names of columns without a known meaning."""
    fields: int
    """The number of columns."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the table: its fields, and where they begin."""

    source: Source
    fields: Sequence[str]
    heading: _Heading
    place: int
    mark: str
    """The separator of fields."""

    def check(self) -> None:
        """Raise UsageError for a row that is cut short, or has no device at one end."""
        if len(self.fields) < self.heading.fields:
            expected = f"{self.heading.fields}, as in the heading"
            found = amount(len(self.fields), "field", "fields")
            raise self.source.fault(found, expected, self.place, "is the row cut short?")
        for end in ("a", "b"):
            if not self.text(end):
                expected = "a device at both ends"
                raise self.source.fault("a cable without a device at one end", expected, self.at(end))

    def text(self, meaning: str) -> str:
        """The field of this meaning; empty if the table, or the row, has none."""
        column = self.heading.columns.get(meaning, len(self.fields))
        return self.fields[column].strip() if column < len(self.fields) else ""

    def quantity(self, meaning: str) -> str:
        """The field of this meaning, with the unit of its column if it is a bare number."""
        text, unit = self.text(meaning), self.heading.units.get(meaning)
        return f"{text} {unit}" if unit is not None and _BARE.fullmatch(text) else text

    def at(self, meaning: str) -> int:
        """Where this field begins; the row, if it has none."""
        column, place = self.heading.columns.get(meaning, len(self.fields)), self.place
        if column >= len(self.fields):
            return self.place
        # So the reader of CSV has parted the fields, which keeps no places.
        field = re.compile(rf'(?:"(?:[^"]|"")*"|[^{self.mark}]*){self.mark}')
        for _ in range(column):
            passed = field.match(self.source.text, place)
            assert passed is not None, "each field but the last has a mark behind it"
            place = passed.end()
        return place + len(self.fields[column]) - len(self.fields[column].lstrip())


def _left_out(planned: int, off_network: int) -> list[str]:
    """A note on cables that are not in the network."""
    counted = (
        (planned, "planned or decommissioned cable is", "planned or decommissioned cables are"),
        (off_network, "power or console cable is", "power or console cables are"),
    )
    return [f"{amount(count, one, many)} left out" for count, one, many in counted if count]


def _cable(source: Source, row: _Row) -> Cable:
    ends = End(row.text("a"), row.text("a_port")), End(row.text("b"), row.text("b_port"))
    lag = row.quantity("delay")
    speed = rate(source, row.quantity("rate"), row.at("rate"))
    return Cable(ends, row.place, speed, delay(source, lag, row.at("delay")) if lag else "")


def not_cables(source: Source) -> UsageError | None:
    """The error for a table whose columns are not those of cables; None for a text that is no table."""
    names, twice = _names(source.text), _twice(source.text)
    rows = source.text.split("\n", 2)[1:2]
    if not names or not rows or rows[0].count(_delimiter(source.text)) + 1 != len(names):
        return None
    found = listed([f'"{name.strip()}"' for name in names], MOST_NAMED * 2)
    problem = (
        f"the columns {found} do not name both ends of a cable"
        if twice is None
        else f'the columns "{twice[0]}" and "{twice[1]}" mean the same'
    )
    first, second = (", ".join(word for word in ENDS[end] if word not in _LETTERS) for end in ("a", "b"))
    expected = (
        f"a column for each end: one of {first}, side A; one of {second}, side B; "
        f"alone or with {', '.join(DEVICES)}, and for ports with {', '.join(PORTS[:2])}"
    )
    return source.fault(problem, expected, 0, f"a first line that does: `{HEADING.strip()}`")


def _delimiter(text: str) -> str:
    """The separator of fields: the most frequent one in the first line."""
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _heading(text: str) -> _Heading | None:
    """The columns; None if two have names of the same meaning or the first line is not of a table."""
    names = _names(text)
    if not names or _twice(text) is not None:
        return None
    meanings = [_meaning(name) for name in names]
    columns = {meaning: place for place, meaning in enumerate(meanings) if meaning is not None}
    units: dict[str, str] = {}
    unread: list[str] = []
    for place in (place for place, meaning in enumerate(meanings) if meaning is None):
        meaning, unit = _with_unit(names[place])
        by_itself = _BY_ITSELF.get(_letters(names[place]))
        if meaning is not None and columns.setdefault(meaning, place) == place:
            units[meaning] = unit
        elif by_itself is not None and columns.setdefault(by_itself, place) == place:
            continue
        elif names[place].strip():
            unread.append(names[place].strip())
    return _Heading(columns, units, unread, len(names))


def _names(text: str) -> list[str]:
    """The names of the columns; empty if the first line is not of a table."""
    first = text.split("\n", 1)[0].strip()
    if not any(mark in first for mark in ",;\t"):
        return []
    try:
        return next(csv.reader([first], delimiter=_delimiter(text)))
    except (csv.Error, StopIteration):
        return []


def _twice(text: str) -> tuple[str, str] | None:
    """Two columns whose names have the same meaning, if any."""
    seen: dict[str, str] = {}
    for name in _names(text):
        meaning = _meaning(name)
        if meaning is not None and seen.setdefault(meaning, name) != name:
            return seen[meaning], name
    return None


def _meaning(name: str) -> str | None:
    return _MEANING.get(_letters(name)) or _by_words(name)


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _by_words(name: str) -> str | None:
    """The meaning of a column by the words of its name, such as "Dest Hostname"; None if unknown."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    ends = [end for end, known in ENDS.items() for word in words if word in known]
    known = {*_NO_MEANING, *DEVICES, *PORTS, *ENDS["a"], *ENDS["b"]}
    if len(ends) != 1 or not known.issuperset(words) or (len(words) == 1 and words[0] in _LETTERS):
        return None
    return f"{ends[0]}_port" if any(word in PORTS for word in words) else ends[0]


def _with_unit(name: str) -> tuple[str | None, str]:
    """The meaning of a column whose name ends in a unit, and that unit as in fields."""
    for meaning, pattern in _UNITS.items():
        told = pattern.fullmatch(name.strip())
        if told and _meaning(told.group(1)) == meaning:
            return meaning, re.sub("[\u00b5\u03bc]", "u", told.group(2))
    return None, ""


def _unread(columns: Sequence[str]) -> list[str]:
    """A note on columns without a known meaning: one of them may have been intended."""
    if not columns:
        return []
    names = listed([f'"{name}"' for name in columns], MOST_NAMED)
    return [f"not read: the {'column' if len(columns) == 1 else 'columns'} {names}"]
