"""Cables as people keep them in a spreadsheet, and as NetBox exports them: CSV with `,`, `;` or tabs.

Columns are known by many names: see `ALIASES`. Fields may be quoted. NetBox's bulk form has `side_a_device`
and `side_a_name`; its table has "Device A" and "Termination A".
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import delay, rate
from hopscope.importing.source import Source
from hopscope.numerals import amount

# What columns mean, by their names in small letters without anything but letters and digits.
ALIASES = {
    "a": "from sidea source src sourcedevice sourcehost deva devicea adevice sideadevice asidedevice "
    "localdevice localhost nodea nodex hosta switcha aend aside fromdevice fromnode device local "
    "terminationadevice",
    "a_port": "fromport sourceport srcport sourceinterface porta aport sideaname sideaport interfacea "
    "ainterface localport localinterface terminationa aendport asideport fromdeviceport frominterface "
    "port interface",
    "b": "to sideb target dst destination dest destinationdevice devb deviceb bdevice sidebdevice "
    "bsidedevice remotedevice remotehost nodeb hostb switchb bend zend bside zside todevice tonode neighbor "
    "neighbour remote terminationbdevice peer",
    "b_port": "toport targetport dstport destinationport destport destinationinterface portb bport sidebname "
    "sidebport interfaceb binterface remoteport remoteinterface terminationb bendport zendport bsideport "
    "todeviceport tointerface neighborport neighbourport peerport",
    "rate": "rate speed bandwidth linkspeed capacity portspeed",
    "delay": "delay latency linkdelay propagationdelay",
    "a_role": "roleA fromrole devicerolea sidearole arole",
    "b_role": "roleB torole deviceroleb sidebrole brole",
    "status": "status",
    "type": "type",
    "a_type": "sideatype terminationatype",
    "b_type": "sidebtype terminationbtype",
}
_MEANING = {alias.lower(): meaning for meaning, known in ALIASES.items() for alias in known.split()}
_HOST_ROLES = re.compile(r"server|host|compute|storage|node|gpu", re.IGNORECASE)
# Cables that NetBox knows of and that carry nothing.
_NOT_THERE = {"planned", "decommissioning"}
# Types of cables, and of what they end in: `Power`, `dcim.poweroutlet`, `Console server port`.
_NO_NETWORK = re.compile(
    r"(?:dcim\.)?(?:power|console ?(?:server)?) ?(?:port|outlet|feed|cable)?", re.IGNORECASE
)


def looks_like(text: str) -> bool:
    """Whether the first line names both ends of a cable."""
    heading = _heading(text)
    return heading is not None and {"a", "b"} <= set(heading.values())


def read(source: Source) -> Cabling:
    """All cables of a table."""
    heading = _heading(source.text)
    assert heading is not None, "what is read looks like it"
    mark = _delimiter(source.text)
    reader = csv.reader(io.StringIO(source.text), delimiter=mark, strict=True)
    places = [place for place, _ in source.lines()]
    columns = {meaning: column for column, meaning in heading.items()}
    cables, hosts, roles, planned, off_network, at = [], set(), False, 0, 0, 0
    try:
        next(reader)
        at = reader.line_num
        for fields in reader:
            place, at = places[at], reader.line_num
            if not any(field.strip() for field in fields):
                continue
            row = _Row(source, fields, columns, place, mark)
            for end in ("a", "b"):
                if not row.text(end):
                    expected = "a device at both ends"
                    raise source.fault("a cable without a device at one end", expected, row.at(end))
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
    except csv.Error as wrong:
        place = places[min(at, len(places) - 1)]
        raise source.fault(str(wrong), "CSV with fields in quotation marks or without", place) from wrong
    notes = _left_out(planned, off_network)
    return Cabling(cables, frozenset(hosts) if roles else None, notes)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the table: its fields, and where they begin."""

    source: Source
    fields: Sequence[str]
    columns: Mapping[str, int]
    """The column of each meaning."""
    place: int
    mark: str
    """What parts the fields."""

    def text(self, meaning: str) -> str:
        """The field of this meaning; empty where the table, or the row, has none."""
        column = self.columns.get(meaning, len(self.fields))
        return self.fields[column].strip() if column < len(self.fields) else ""

    def at(self, meaning: str) -> int:
        """Where this field begins; the row, where it has none."""
        column, place = self.columns.get(meaning, len(self.fields)), self.place
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
    """What is said of cables that are not in the network."""
    counted = (
        (planned, "planned or decommissioned cable is", "planned or decommissioned cables are"),
        (off_network, "power or console cable is", "power or console cables are"),
    )
    return [f"{amount(count, one, many)} left out" for count, one, many in counted if count]


def _cable(source: Source, row: _Row) -> Cable:
    ends = End(row.text("a"), row.text("a_port")), End(row.text("b"), row.text("b_port"))
    lag = row.text("delay")
    speed = rate(source, row.text("rate"), row.at("rate"))
    return Cable(ends, row.place, speed, delay(source, lag, row.at("delay")) if lag else "")


def _delimiter(text: str) -> str:
    """What parts the fields: whatever stands most often in the first line."""
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _heading(text: str) -> Mapping[int, str] | None:
    """The meaning of each column; None where two columns mean the same or the first line is no table's."""
    first = text.split("\n", 1)[0].strip()
    if not any(mark in first for mark in ",;\t"):
        return None
    try:
        names = next(csv.reader([first], delimiter=_delimiter(text)))
    except (csv.Error, StopIteration):
        return None
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in names]
    found = {place: _MEANING[name] for place, name in enumerate(plain) if name in _MEANING}
    return found if len(set(found.values())) == len(found) else None
