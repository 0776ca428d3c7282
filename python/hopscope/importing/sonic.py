"""SONiC: `config_db.json`, and `minigraph.xml`.

A configuration lists the neighbours of its own switch (DEVICE_NEIGHBOR); one file may hold several, by the
names of their switches. A minigraph lists the cables of a whole cluster (DeviceInterfaceLinks).
"""

import re
from typing import Any
from xml.etree import ElementTree

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import rate
from hopscope.importing.source import Source

_FORWARDS = ("router", "switch", "leaf", "spine", "tor", "aggregat", "fabric")


def looks_like_config(text: str) -> bool:
    """Whether a text is JSON of SONiC's configuration."""
    return text.lstrip().startswith("{") and '"DEVICE_NEIGHBOR"' in text


def read_config(source: Source) -> Cabling:
    """The cables of one switch's configuration, or of several by name."""
    told = source.table(source.json(), "the file")
    configs = {"": told} if "DEVICE_NEIGHBOR" in told else told
    cables, hosts, known, section = [], set(), False, -1
    for key, told_of in configs.items():
        config = source.table(told_of, f"the configuration of {key}", key)
        name = key or _hostname(source, config)
        if "DEVICE_NEIGHBOR" in config:
            section = source.text.find('"DEVICE_NEIGHBOR"', section + 1)
        ports = source.table(config.get("PORT", {}), "PORT", "PORT")
        for port, about in source.table(config.get("DEVICE_NEIGHBOR", {}), "DEVICE_NEIGHBOR").items():
            far = source.table(about, f"the neighbour at {port}", port)
            if not isinstance(far.get("name"), str) or not far["name"]:
                raise source.fault(f"the neighbour at {port} has no name", 'a "name"', port)
            speed = str(source.table(ports.get(port, {}), f"the port {port}", port).get("speed", ""))
            at = max(0, source.text.find(f'"{port}"', max(0, section)))
            ends = End(name, port), End(far["name"], str(far.get("port", "")))
            cables.append(Cable(ends, at, rate(source, speed, speed, unit="Mbit/s")))
        metadata = "DEVICE_NEIGHBOR_METADATA"
        for name_of, told_of_it in source.table(config.get(metadata, {}), metadata, metadata).items():
            known = True
            kind = source.table(told_of_it, f"what is known of {name_of}", metadata)
            if not _forwards(str(kind.get("type", ""))):
                hosts.add(name_of)
    return Cabling(cables, frozenset(hosts) if known and hosts else None)


def looks_like_minigraph(text: str) -> bool:
    """Whether a text is a minigraph."""
    return text.lstrip().startswith("<") and "DeviceMiniGraph" in text


def read_minigraph(source: Source) -> Cabling:
    """The cables of a minigraph."""
    if "<!DOCTYPE" in source.text or "<!ENTITY" in source.text:
        raise source.fault("a document type", "a minigraph, which has none", "<!")
    root = _xml(source)
    # The parser does not give the places of elements.
    places = (begin.start() for begin in re.finditer(r"<(?:\w+:)?DeviceLinkBase\b", source.text))
    cables = []
    for link in root.iter():
        if _tag(link) != "DeviceLinkBase":
            continue
        place = next(places, 0)
        told = {_tag(each): (each.text or "").strip() for each in link}
        if told.get("ElementType", "DeviceInterfaceLink") != "DeviceInterfaceLink":
            continue
        start, end = told.get("StartDevice", ""), told.get("EndDevice", "")
        if not start or not end:
            what = start or end or "DeviceLinkBase"
            raise source.fault("a link without a device at one end", "StartDevice and EndDevice", what)
        ends = End(start, told.get("StartPort", "")), End(end, told.get("EndPort", ""))
        speed = told.get("Bandwidth", "")
        at = max(place, source.text.find(ends[0].port or start, place))
        cables.append(Cable(ends, at, rate(source, speed, at, unit="Mbit/s")))
    kinds = {_child(each, "Hostname"): _kind(each) for each in root.iter() if _tag(each) == "Device"}
    hosts = frozenset(name for name, kind in kinds.items() if name and kind and not _forwards(kind))
    return Cabling(cables, hosts or None)


def _xml(source: Source) -> ElementTree.Element:
    with source.parser("XML"):
        try:
            return ElementTree.fromstring(source.text)
        except ElementTree.ParseError as wrong:
            line, column = wrong.position
            place = sum(len(each) + 1 for each in source.text.split("\n")[: line - 1]) + column
            raise source.fault(str(wrong), "XML", place, "is the file cut short?") from wrong


def _hostname(source: Source, config: dict[str, Any]) -> str:
    about = source.table(config.get("DEVICE_METADATA", {}), "DEVICE_METADATA").get("localhost", {})
    if not isinstance(about, dict) or not about.get("hostname"):
        raise source.fault("the configuration does not name its switch", "DEVICE_METADATA with a hostname", 0)
    return str(about["hostname"])


def _forwards(kind: str) -> bool:
    return any(word in kind.lower() for word in _FORWARDS)


def _tag(element: ElementTree.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _child(element: ElementTree.Element, name: str) -> str:
    return next(((each.text or "").strip() for each in element if _tag(each) == name), "")


def _kind(element: ElementTree.Element) -> str:
    """What kind of device it is: an attribute of the schema's instance, or an element."""
    kinds = [value for key, value in element.attrib.items() if key.rpartition("}")[2] == "type"]
    return (kinds or [_child(element, "ElementType")])[0]
