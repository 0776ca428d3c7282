"""Neighbours as `lldpctl -f json` prints them, gathered from several machines under their names.

    {"leaf1": {"lldp": {"interface": [...]}}, "leaf2": {"lldp": ...}}

The output lists the neighbours of one machine without its name, which has to be added when outputs are
gathered. Often it is the name without the domain that the machine announces to its neighbours, or the
reverse.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.source import Source
from hopscope.numerals import amount, listed

# Capabilities of what forwards packets.
_FORWARDS = {"Bridge", "Router"}
MOST_NAMED = 4


def looks_like(text: str) -> bool:
    """Whether a text is JSON that speaks of LLDP."""
    return text.lstrip().startswith("{") and '"lldp"' in text


def read(source: Source) -> Cabling:
    """All cables that any machine has reported."""
    told = source.table(source.json(), "the file")
    if "lldp" in told:
        hint = 'write {"NAME": OUTPUT, ...} with the name of each machine'
        raise source.fault("the neighbours of one machine, without its name", "machines by name", 0, hint)
    cables: list[Cable] = []
    stations: set[str] = set()
    forwarders: set[str] = set()
    silent: list[str] = []
    for name, output in told.items():
        interfaces = list(_interfaces(source, name, output))
        if not interfaces:
            silent.append(name)
        for port, about in interfaces:
            at = max(0, source.text.find(f'"{port}"', source.text.find(f'"{name}"')))
            far, chassis = _chassis(source, about, port)
            far_port = _port(source.table(about.get("port"), f"the port of {port}", port))
            cables.append(Cable((End(name, port), End(far, far_port)), at))
            able = _capabilities(source, chassis, far)
            (forwarders if able & _FORWARDS else stations if "Station" in able else set()).add(far)
    machine, notes = _machines(told, [cable.ends[1].node for cable in cables])
    cables = [
        replace(each, ends=(near, End(machine.get(far.node, far.node), far.port)))
        for each in cables
        for near, far in [each.ends]
    ]
    stations, forwarders = ({machine.get(name, name) for name in names} for names in (stations, forwarders))
    notes += [] if not silent else [_of_silent(silent)]
    unasked = _unasked(cables, forwarders - set(told))
    notes += [] if not unasked else [_of_unasked(unasked)]
    return Cabling(cables, frozenset(stations - forwarders) or None, notes)


def _of_silent(machines: Sequence[str]) -> str:
    """A note on machines without neighbours: cables that only they know are missing."""
    tell = "tells" if len(machines) == 1 else "tell"
    return (
        f"{listed(machines, MOST_NAMED)} {tell} of no neighbours: cables that nobody else tells of, "
        "such as those of hosts, are missing; does lldpd run there?"
    )


def _unasked(cables: Iterable[Cable], candidates: Collection[str]) -> list[str]:
    """The switches among machines without output that several machines name.

    A host that forwards for its containers also announces itself as a bridge, and mostly has one neighbour.
    """
    named_by: dict[str, set[str]] = {}
    for near, far in (cable.ends for cable in cables):
        if far.node in candidates:
            named_by.setdefault(far.node, set()).add(near.node)
    return [name for name, neighbours in named_by.items() if len(neighbours) > 1]


def _of_unasked(switches: Sequence[str]) -> str:
    """A note on switches that are known by their neighbours alone."""
    one = len(switches) == 1
    return (
        f"{listed(switches, MOST_NAMED)} {'is' if one else 'are'} named by neighbours and gave no answer: "
        f"cables that nobody else tells of, such as those of hosts at {'it' if one else 'them'}, are missing"
    )


def _machines(keys: Iterable[str], told: Iterable[str]) -> tuple[Mapping[str, str], list[str]]:
    """The machine of the file that a neighbour is, if their names differ only by the domain; notes on it."""
    keys = set(keys)
    without_domain: dict[str, list[str]] = {}
    for key in keys:
        without_domain.setdefault(key.partition(".")[0], []).append(key)
    claims: dict[str, list[str]] = {}
    for name in dict.fromkeys(told):
        short = name.partition(".")[0]
        match without_domain.get(short, []):
            # One of the two names has a domain: two domains are two machines.
            case [key] if name not in keys and short in (name, key):
                claims.setdefault(key, []).append(name)
    notes = [
        f"{' and '.join(names)} may each be {key}: none of them is taken to be"
        for key, names in claims.items()
        if len(names) > 1
    ]
    machine = {names[0]: key for key, names in claims.items() if len(names) == 1}
    if machine:
        name, key = next(iter(machine.items()))
        more = amount(len(machine) - 1, "more name", "more names")
        notes.append(f"{name} is taken to be {key}{f', and {more} likewise' if len(machine) > 1 else ''}")
    return machine, notes


def _interfaces(source: Source, name: str, output: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The ports of a machine with their data."""
    lldp = source.table(output, f"what {name} prints", name).get("lldp")
    found = source.table(lldp, f"what {name} knows by LLDP", name).get("interface", [])
    for each in _list(found):
        for port, about in source.table(each, f"an interface of {name}", name).items():
            yield port, source.table(about, f"interface {port} of {name}", f'"{port}"')


def _chassis(source: Source, about: Mapping[str, Any], port: str) -> tuple[str, Mapping[str, Any]]:
    """The neighbour's name and its own data; its identifier if it has no name."""
    chassis = source.table(about.get("chassis"), f"the neighbour at {port}", f'"{port}"')
    if isinstance(chassis.get("id"), dict) and "type" in chassis["id"]:
        return str(chassis["id"].get("value", "")), chassis
    name, rest = next(iter(chassis.items()), ("", {}))
    if not name:
        raise source.fault(f"the neighbour at {port} has no name", "a chassis", port)
    return name, source.table(rest, f"the neighbour {name}", name)


def _capabilities(source: Source, chassis: Mapping[str, Any], name: str) -> set[str]:
    """The enabled capabilities that a neighbour announces."""
    told = [source.table(each, f"a capability of {name}", name) for each in _list(chassis.get("capability"))]
    return {str(each.get("type")) for each in told if each.get("enabled")}


def _port(port: Mapping[str, Any]) -> str:
    """The neighbour's port: its identifier if that is a name, else its description."""
    told = port.get("id")
    of: Mapping[str, Any] = told if isinstance(told, dict) else {}
    named = of.get("type") in ("ifname", "local")
    return str((of.get("value") if named else None) or port.get("descr") or of.get("value") or "")


def _list(value: Any) -> list[Any]:
    """A list, where a single entry stands for itself."""
    return value if isinstance(value, list) else [] if value is None else [value]
