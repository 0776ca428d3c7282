"""Writes the large fabric that `check`, `diagnose` and `advise` are timed on, as `ibnetdiscover` prints it.

    .venv/bin/python benches/large_fabric.py DIR [PODS]

A three-level fat tree: pods of 50 leaves with 25 hosts each and 50 spines, all of a pod joined, and 2,000
core switches, 40 above each of the 50 places of a pod. 80 pods are 10,000 switches, 100,000 hosts and
460,000 cables. Beside it, before.txt and after.txt: its counters as `ibqueryerrors` prints them, 10 s apart.
Every port sends 3.2 Gbit/s; one host drains slowly, so that its leaf waits for it, and every spine of its
pod for the leaf. A fabric of this size has more nodes than LIDs: all LIDs are 0, and counters go by GUID.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

LEAVES, HOSTS, SPINES, CORES = 50, 25, 50, 40  # of a pod, of a leaf, of a pod, above each spine
PODS = 80
SECONDS = 10
TRAFFIC = 1_000_000_000  # words of 4 bytes a port sends between the readings: 3.2 Gbit/s
WAITING = 25_000_000_000  # ticks of 8 bytes that a port waits: 80 % of 200 Gbit/s
SLOW = (1, 1, 1)  # pod, leaf and host of the receiver that drains slowly

Cable = tuple[int, str, int, str]  # own port, far id, far port, far description


class Fabric:
    """The tree, its nodes numbered from 1."""

    def __init__(self, pods: int) -> None:
        """A tree of this number of pods."""
        self.pods = pods

    def switches(self) -> Iterator[tuple[int, str, int, list[Cable]]]:
        """Each switch: its GUID, description, ports, and its cables."""
        for pod in range(1, self.pods + 1):
            for leaf in range(1, LEAVES + 1):
                cables = list(self._of_leaf(pod, leaf))
                yield guid("a", pod, leaf), f"leaf{pod}.{leaf}", HOSTS + SPINES, cables
            for spine in range(1, SPINES + 1):
                cables = list(self._of_spine(pod, spine))
                yield guid("b", pod, spine), f"spine{pod}.{spine}", LEAVES + CORES, cables
        for place in range(1, SPINES + 1):
            for core in range(1, CORES + 1):
                cables = [self._far("b", pod, place, pod, LEAVES + core) for pod in range(1, self.pods + 1)]
                yield guid("c", place, core), f"core{place}.{core}", self.pods, cables

    def hosts(self) -> Iterator[tuple[int, int, int]]:
        """Each host by pod, leaf and number."""
        for pod in range(1, self.pods + 1):
            for leaf in range(1, LEAVES + 1):
                for host in range(1, HOSTS + 1):
                    yield pod, leaf, host

    def _of_leaf(self, pod: int, leaf: int) -> Iterator[Cable]:
        for host in range(1, HOSTS + 1):
            yield host, f"H-{host_guid(pod, leaf, host):016x}", 1, host_name(pod, leaf, host)
        for spine in range(1, SPINES + 1):
            yield self._far("b", pod, spine, HOSTS + spine, leaf)

    def _of_spine(self, pod: int, spine: int) -> Iterator[Cable]:
        for leaf in range(1, LEAVES + 1):
            yield self._far("a", pod, leaf, leaf, HOSTS + spine)
        for core in range(1, CORES + 1):
            yield self._far("c", spine, core, LEAVES + core, pod)

    @staticmethod
    def _far(level: str, first: int, second: int, port: int, far_port: int) -> Cable:
        role = {"a": "leaf", "b": "spine", "c": "core"}[level]
        return port, f"S-{guid(level, first, second):016x}", far_port, f"{role}{first}.{second}"


def guid(level: str, first: int, second: int) -> int:
    """The GUID of a switch by its level and its two numbers."""
    return 0x0002_0000_0000_0000 + (int(level, 16) << 32) + (first << 16) + second


def host_guid(pod: int, leaf: int, host: int) -> int:
    """The GUID of a host's adapter."""
    return 0x0002_0001_0000_0000 + (pod << 20) + (leaf << 12) + (host << 4)


def host_name(pod: int, leaf: int, host: int) -> str:
    """The description of a host's adapter."""
    return f"node{pod}-{leaf}-{host} mlx5_0"


def fabric(tree: Fabric) -> Iterator[str]:
    """The lines of the cable file."""
    yield "#\n# Topology file: generated on Tue Mar  3 09:12:45 2026\n#\n"
    for number, description, ports, cables in tree.switches():
        yield f"\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x{number:x}\nswitchguid=0x{number:x}({number:x})\n"
        yield f'Switch\t{ports} "S-{number:016x}"\t\t# "{description}" enhanced port 0 lid 0 lmc 0\n'
        for port, far, far_port, called in cables:
            yield f'[{port}]\t"{far}"[{far_port}]\t\t# "{called}" lid 0 4xHDR\n'
    for pod, leaf, host in tree.hosts():
        number, own = host_guid(pod, leaf, host), guid("a", pod, leaf)
        yield f"\nvendid=0x2c9\ndevid=0x101b\nsysimgguid=0x{number:x}\ncaguid=0x{number:x}\n"
        yield f'Ca\t1 "H-{number:016x}"\t\t# "{host_name(pod, leaf, host)}"\n'
        at = f'"leaf{pod}.{leaf}" lid 0 4xHDR'
        yield f'[1]({number + 1:x}) \t"S-{own:016x}"[{host}]\t\t# lid 0 lmc 0 {at}\n'


def counters(tree: Fabric, readings: int) -> Iterator[str]:
    """The lines of the counters after this number of intervals."""
    yield f"# Read at {readings * SECONDS} s\n"
    for number, description, _, cables in tree.switches():
        yield f'Errors for 0x{number:x} "{description}"\n'
        for port, far, *_ in cables:
            wait = WAITING if waits(number, port, far) else 0
            told = f"[PortXmitData == {readings * TRAFFIC}] [PortXmitWait == {readings * wait}]"
            yield f"   GUID 0x{number:x} port {port}: {told}\n"
    for pod, leaf, host in tree.hosts():
        number = host_guid(pod, leaf, host)
        yield f'Errors for 0x{number:x} "{host_name(pod, leaf, host)}"\n'
        yield f"   GUID 0x{number + 1:x} port 1: [PortXmitData == {readings * TRAFFIC}] [PortXmitWait == 0]\n"


def waits(number: int, port: int, far: str) -> bool:
    """Whether a switch's port waits: that to the slow host, and those down to its leaf."""
    pod, leaf, host = SLOW
    to_host = number == guid("a", pod, leaf) and port == host
    return to_host or (number >> 16 == guid("b", pod, 0) >> 16 and far == f"S-{guid('a', pod, leaf):016x}")


def main() -> None:
    """Writes the three files."""
    folder, pods = Path(sys.argv[1]), int("".join(sys.argv[2:]) or PODS)
    tree = Fabric(pods)
    for name, text in (
        ("large.ibnetdiscover", fabric(tree)),
        ("before.txt", counters(tree, 1)),
        ("after.txt", counters(tree, 2)),
    ):
        with (folder / name).open("w") as file:
            file.writelines(text)


if __name__ == "__main__":
    main()
