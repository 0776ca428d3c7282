"""The fabric of the README, written as `ibnetdiscover` prints one: a leaf-spine fabric with one slow cable.

    .venv/bin/python docs/leaf_spine.py > scenarios/leaf-spine.ibnetdiscover

Four leaves with 24 hosts each, two spines, six cables between each leaf and each spine. All links are 4xEDR
(100 Gbit/s) but one: a cable of leaf3 to spine2 trained at 4xDDR (16 Gbit/s), as a bad cable or a dirty
connector makes it. All names, GUIDs and LIDs are invented.
"""

from collections.abc import Iterator

LEAVES, SPINES, HOSTS_PER_LEAF, CABLES_PER_PAIR = 4, 2, 24, 6
PORTS = 36
BAD_CABLE = ("leaf3", "spine2", 4)  # the fourth of the six

HEAD = """\
#
# Topology file: generated on Tue Mar  3 09:12:45 2026
#
# Initiated from node 0200000000010010 port 0200000000010011
"""


def text() -> str:
    """The whole file."""
    switches = [("leaf", number) for number in range(1, LEAVES + 1)]
    switches += [("spine", number) for number in range(1, SPINES + 1)]
    records = [_switch(tier, number) for tier, number in switches]
    records += [_host(number) for number in range(1, LEAVES * HOSTS_PER_LEAF + 1)]
    return HEAD + "".join("\n" + "\n".join(record) + "\n" for record in records)


def _switch(tier: str, number: int) -> list[str]:
    """A switch's record: what it is, and a line for each cabled port."""
    guid = _guid(tier, number)
    lines = ["vendid=0x0", "devid=0x0", f"sysimgguid=0x{guid:x}", f"switchguid=0x{guid:x}({guid:x})"]
    about = f'"{tier}{number}" enhanced port 0 lid {_lid(tier, number)} lmc 0'
    lines.append(f'Switch\t{PORTS} "S-{guid:016x}"\t\t# {about}')
    return [*lines, *(_downlinks(number) if tier == "leaf" else ()), *_trunks(tier, number)]


def _downlinks(leaf: int) -> Iterator[str]:
    """A leaf's ports to its hosts."""
    for port in range(1, HOSTS_PER_LEAF + 1):
        host = (leaf - 1) * HOSTS_PER_LEAF + port
        guid = _guid("node", host)
        about = f'"node{host:02} mlx5_0" lid {_lid("node", host)} 4xEDR'
        yield f'[{port}]\t"H-{guid:016x}"[1]({guid + 1:x}) \t\t# {about}'


def _trunks(tier: str, number: int) -> Iterator[str]:
    """A switch's ports to those of the other tier."""
    far_tier, far_count = ("spine", SPINES) if tier == "leaf" else ("leaf", LEAVES)
    for far in range(1, far_count + 1):
        leaf, spine = (number, far) if tier == "leaf" else (far, number)
        for cable in range(1, CABLES_PER_PAIR + 1):
            leaf_port = HOSTS_PER_LEAF + (spine - 1) * CABLES_PER_PAIR + cable
            spine_port = (leaf - 1) * CABLES_PER_PAIR + cable
            port, far_port = (leaf_port, spine_port) if tier == "leaf" else (spine_port, leaf_port)
            rate = "4xDDR" if (f"leaf{leaf}", f"spine{spine}", cable) == BAD_CABLE else "4xEDR"
            about = f'"{far_tier}{far}" lid {_lid(far_tier, far)} {rate}'
            yield f'[{port}]\t"S-{_guid(far_tier, far):016x}"[{far_port}]\t\t# {about}'


def _host(number: int) -> list[str]:
    """A host's record: its adapter and the port of the leaf that it is cabled to."""
    guid = _guid("node", number)
    leaf, port = (number - 1) // HOSTS_PER_LEAF + 1, (number - 1) % HOSTS_PER_LEAF + 1
    about = f'lid {_lid("node", number)} lmc 0 "leaf{leaf}" lid {_lid("leaf", leaf)} 4xEDR'
    return [
        "vendid=0x0",
        "devid=0x0",
        f"sysimgguid=0x{guid:x}",
        f"caguid=0x{guid:x}",
        f'Ca\t1 "H-{guid:016x}"\t\t# "node{number:02} mlx5_0"',
        f'[1]({guid + 1:x}) \t"S-{_guid("leaf", leaf):016x}"[{port}]\t\t# {about}',
    ]


def _guid(kind: str, number: int) -> int:
    """An invented GUID: locally administered, so that no device has it."""
    return (
        0x0200_0000_0000_0000 + {"node": 0x1_0000, "leaf": 0xA_0000, "spine": 0xB_0000}[kind] + number * 0x10
    )


def _lid(kind: str, number: int) -> int:
    return {"spine": 0, "leaf": 10, "node": 100}[kind] + number


if __name__ == "__main__":
    print(text(), end="")
