"""Trees of switches with hosts, whose routes are the only ones there are: loads follow by adding up flows."""

from dataclasses import dataclass, field

from hopscope.planted.case import Draws

Link = tuple[str, str]


@dataclass(slots=True)
class Tree:
    """Switches, the tree's links, hosts with their switches, flows with what each sends (1: a link's rate).

    `rates` are those of links that differ, as a share of the common rate; of a host's link by its name.
    """

    switches: list[str]
    links: list[Link]
    hosts: dict[str, str]
    flows: list[tuple[str, str, float]] = field(default_factory=list)
    rates: dict[Link | str, float] = field(default_factory=dict)

    @classmethod
    def drawn(cls, draws: Draws, switches: int, hosts: int) -> "Tree":
        """A random tree."""
        names = draws.names(switches + hosts)
        inner, outer = names[:switches], names[switches:]
        links = [(inner[draws.whole(0, at - 1)], inner[at]) for at in range(1, switches)]
        return cls(inner, links, {host: draws.one_of(inner) for host in outer})

    def path(self, sender: str, receiver: str) -> list[Link]:
        """The directed hops from one host to another, those of the hosts included."""
        return [
            (sender, self.hosts[sender]),
            *self._between(self.hosts[sender], self.hosts[receiver], ""),
            (self.hosts[receiver], receiver),
        ]

    def _between(self, here: str, there: str, came_from: str) -> list[Link]:
        if here == there:
            return []
        near = [b if a == here else a for a, b in self.links if here in (a, b)]
        for next_switch in near:
            if next_switch != came_from:
                rest = self._between(next_switch, there, here)
                if rest or next_switch == there:
                    return [(here, next_switch), *rest]
        return []

    def loads(self) -> dict[Link, float]:
        """What every hop carries, as a share of the common rate."""
        found: dict[Link, float] = {}
        for sender, receiver, load in self.flows:
            for hop in self.path(sender, receiver):
                found[hop] = found.get(hop, 0.0) + load
        return found

    def scale(self, factor: float) -> None:
        """Scales all flows by a factor."""
        self.flows = [(sender, receiver, load * factor) for sender, receiver, load in self.flows]

    def text(self, rate_mbit_s: float, delay: str) -> str:
        """The section `network`."""

        def rated(key: Link | str) -> str:
            share = self.rates.get(key)
            return "" if share is None else f', rate = "{round(rate_mbit_s * share * 1000)} kbit/s"'

        switches = ", ".join(f'"{name}"' for name in self.switches)
        links = ", ".join(f'{{ between = ["{a}", "{b}"]{rated((a, b))} }}' for a, b in self.links)
        hosts = ", ".join(
            f'{{ name = "{name}", at = "{sw}"{rated(name)} }}' for name, sw in self.hosts.items()
        )
        return (
            f"[network.custom]\nswitches = [{switches}]\nlinks = [{links}]\nhosts = [{hosts}]\n"
            f'[link]\nrate = "{round(rate_mbit_s * 1000)} kbit/s"\ndelay = "{delay}"\n'
        )

    def pattern(self) -> str:
        """The field `pattern` of the traffic. A load is relative to the sender's own link."""
        listed = ", ".join(
            f'{{ from = "{a}", to = "{b}", load = {load / self.rates.get(a, 1.0):.5f} }}'
            for a, b, load in self.flows
        )
        return f"pattern = {{ flows = [{listed}] }}"


def with_random_flows(draws: Draws, most: float) -> Tree:
    """A tree with traffic across it, whose busiest hop carries `most` of the common rate."""
    tree = Tree.drawn(draws, draws.whole(3, 7), draws.whole(6, 12))
    hosts = draws.shuffled(list(tree.hosts))
    for at, sender in enumerate(hosts):
        tree.flows.append((sender, hosts[(at + 1) % len(hosts)], draws.between(0.5, 1.0)))
    tree.scale(most / max(tree.loads().values()))
    return tree


def with_slow_trunk(draws: Draws, calm: float, used: float) -> tuple[Tree, Link]:
    """A tree whose busiest trunk is slow, so that it is used `used`; all others at most `calm`."""
    while True:
        tree = with_random_flows(draws, calm)
        loads = tree.loads()
        trunks = [(loads.get(hop, 0.0), hop) for a, b in tree.links for hop in ((a, b), (b, a))]
        load, (a, b) = max(trunks)
        if load >= 0.5 * calm:
            key = (a, b) if (a, b) in tree.links else (b, a)
            tree.rates[key] = load / used
            return tree, (a, b)


def with_slow_receiver(draws: Draws, calm: float, used: float, senders: int) -> tuple[Tree, str]:
    """A tree in which several hosts send to one, whose own link is used `used`; all others at most `calm`."""
    tree = Tree.drawn(draws, draws.whole(2, 5), senders + draws.whole(3, 6))
    names = draws.shuffled(list(tree.hosts))
    hot, rest = names[0], names[1:]
    for sender in rest[:senders]:
        tree.flows.append((sender, hot, draws.between(0.7, 1.0)))
    others = rest[senders:]
    for at, sender in enumerate(others):
        tree.flows.append((sender, others[(at + 1) % len(others)], draws.between(0.3, 0.6)))
    tree.scale(calm / max(tree.loads().values()))
    tree.rates[hot] = tree.loads()[(tree.hosts[hot], hot)] / used
    return tree, hot
