"""A scenario's own parameters, each with more of what it gives: what could be bought or changed.

A relaxation names the resources that it concerns, and is worth a try where a run waited for one of them.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.overrides import Value, toml_text
from hopscope.planning import variants
from hopscope.planning.variants import AS_IS, Variant

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

Change = Callable[[Any], Any]

# A resource that takes less of a message's life than this is not worth relaxing.
LEAST_SHARE = 0.02
# AN1's switches have 12 ports.
PORTS = 12

_QUANTITY = re.compile(r"^([0-9.]+)( .+)$")


def times(factor: float) -> Change:
    """So many times as much: of a number, of a quantity such as "50 kbit/s", or of all within a section."""

    def scaled(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: scaled(inner) for key, inner in value.items()}
        if isinstance(value, str) and (parts := _QUANTITY.match(value)):
            return f"{float(parts[1]) * factor:.12g}{parts[2]}"
        return value * factor if isinstance(value, float) else value

    return scaled


def more(by: int) -> Change:
    """So many more."""
    return lambda value: value + by


def set_to(value: Value) -> Change:
    """Another setting."""
    return lambda _: value


@dataclass(frozen=True)
class Relaxation:
    """A parameter to change: where (`*` stands for every item of a list), how, and the resources it serves.

    `serves` are ids of what the engine charges time to. `words` may name the item by its fields, as
    "{between[0]}"; `joins` is the field with the two nodes that it joins: a line matters only where one of
    the resources that matter joins the same.
    """

    path: str
    words: str
    change: Change
    serves: tuple[str, ...]
    joins: str = ""


RELAXATIONS: Mapping[str, tuple[Relaxation, ...]] = {
    "queueing": (
        Relaxation(
            "station.*.servers", "one more server at station {number}", more(1), ("station {number}",)
        ),
        Relaxation("station.*.service", "station {number} twice as fast", times(0.5), ("station {number}",)),
    ),
    "arpanet": (
        Relaxation("protocol.message_numbers", "one more message number", more(1), ("MessageNumbers",)),
        Relaxation(
            "protocol.pending_leaders",
            "one more PLT entry",
            more(1),
            ("PendingLeaderTable", "MessageNumbers", "Allocation"),
        ),
        Relaxation(
            "protocol.pending_packets",
            "one more PPT entry",
            more(1),
            ("PendingPacketTable", "MessageNumbers", "Allocation"),
        ),
        Relaxation(
            "protocol.reassembly_buffers",
            "eight more reassembly buffers",
            more(8),
            ("ReassemblyBuffers", "Allocation", "PendingLeaderTable"),
        ),
        Relaxation(
            "protocol.store_and_forward",
            "four more store-and-forward buffers",
            more(4),
            ("StoreAndForwardBuffers", "Acknowledgment"),
        ),
        Relaxation(
            "protocol.phasing_fix",
            "no RFNM waits for buffers while others are to be sent",
            set_to(True),
            ("ReassemblyBuffers", "RfnmOrder"),
        ),
        Relaxation(
            "protocol.single_packets",
            "single packets are stored, not rejected",
            set_to("store"),
            ("Allocation",),
        ),
        Relaxation("network.errors", "lines without errors", set_to(0.0), ("Acknowledgment",)),
        Relaxation(
            "network.line.*.rate",
            "line {between[0]} - {between[1]} twice as fast",
            times(2),
            ("Line", "MessageNumbers"),
            joins="between",
        ),
        Relaxation("processor", "IMPs twice as fast", times(0.5), ("Processor",)),
        Relaxation(
            "host.*.rate",
            "host {name} on a line twice as fast",
            times(2),
            ("DestinationHost", "HostInterface"),
        ),
        Relaxation("host.*.per_message", "host {name} twice as fast", times(0.5), ("DestinationHost",)),
    ),
    "pup": (
        Relaxation("stream.window", "a window of one Pup more", more(1), ()),
        Relaxation("stream.turnaround", "a receiver twice as fast", times(0.5), ("Acknowledgment",)),
        Relaxation("processing.host", "hosts twice as fast", times(0.5), ("HostProcessor",)),
        Relaxation("processing.gateway.pup", "gateways twice as fast", times(0.5), ("GatewayProcessor",)),
        Relaxation(
            "network.*.medium.ethernet.rate", "Ethernet {name} twice as fast", times(2), ("Ethernet",)
        ),
        Relaxation("network.*.medium.line.rate", "line {name} twice as fast", times(2), ("Line",)),
        Relaxation(
            "network.*.medium.radio.interval",
            "radios of {name} that accept twice as many packets",
            times(0.5),
            ("RadioInterval",),
        ),
        Relaxation(
            "network.*.medium.radio.loss", "no losses on {name}", set_to(0.0), ("Stream", "RadioNetwork")
        ),
    ),
    "fabric": (
        Relaxation("switch.fifo", "FIFOs twice as large", times(2), ("DownstreamFifo", "HostLink")),
        Relaxation(
            "frames.flow_control.credits.buffer_per_lane",
            "buffers of lanes twice as large",
            times(2),
            ("DownstreamBuffer", "HostLink"),
        ),
        Relaxation("frames.flow_control.credits.lanes", "one more lane", more(1), ("HeadOfLane",)),
        Relaxation("link.rate", "all links twice as fast", times(2), ("Output", "LastLink", "HostLink")),
        Relaxation(
            "network.custom.links.*.rate",
            "link {between[0]} - {between[1]} twice as fast",
            times(2),
            ("Output", "HostLink", "DownstreamFifo"),
            joins="between",
        ),
    ),
}


def relaxations(scenario: "Scenario", why: "Explanation") -> list[Variant]:
    """What is worth trying on a scenario after a run of it: each a change of one of its parameters."""
    canonical = json.loads(scenario.canonical_json())
    if "frames" in canonical:
        # Switches of frames are described there; [switch] is that of the other machine.
        del canonical["switch"]
    shares = why.data["shares"]
    spent = {row["id"]: row["share"] for row in shares["resources"]}
    resources = [*why.chain, *why.roots, *shares["places"]]
    named = {row["id"] for row in resources}
    joined = {frozenset(row["ends"]) for row in resources if row["ends"]}
    found = []
    for relaxation in RELAXATIONS.get(scenario.model, ()):
        for path, value, item in _values(canonical, relaxation.path):
            serves = [resource.format(**item) for resource in relaxation.serves]
            wanted = not serves or any(
                spent.get(resource, 0.0) >= LEAST_SHARE or resource in named for resource in serves
            )
            changed = relaxation.change(value)
            matters = not relaxation.joins or frozenset(item[relaxation.joins]) in joined
            if wanted and changed != value and matters:
                override = f"{path}={toml_text(changed)}"
                found.append(Variant(relaxation.words.format(**item), AS_IS, (override,)))
    return [*found, *_of_fabric(scenario)]


def _of_fabric(scenario: "Scenario") -> list[Variant]:
    """The counterfactuals of `capacity`, and the best other root under up*/down*."""
    text = scenario.bounds_json()
    if text is None:
        return []
    bounds = json.loads(text)
    found = [each for each in variants.variants(scenario, bounds) if each.name != variants.SHORTEST]
    advice = scenario.advice_json(False, PORTS) if bounds["root"] is not None else None
    if advice is not None:
        today = bounds["root"]["name"]
        others = [each["root"] for each in json.loads(advice)["roots"] if each["root"] != today]
        found += [
            Variant(f"{root} as the root", AS_IS, (f"routing.root={toml_text(root)}",)) for root in others[:1]
        ]
    return [Variant(each.name, AS_IS, each.overrides) for each in found]


def _values(canonical: Any, path: str) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Every value at a path, with its own path and the list's item that it belongs to."""
    yield from _within(canonical, path.split("."), "", {})


def _within(
    value: Any, words: list[str], path: str, item: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    if not words:
        yield path, value, item
    elif words[0] == "*":
        for at, inner in enumerate(value if isinstance(value, list) else []):
            yield from _within(inner, words[1:], f"{path}[{at}]", {**inner, "number": at + 1})
    elif isinstance(value, Mapping) and words[0] in value:
        yield from _within(value[words[0]], words[1:], f"{path}.{words[0]}".lstrip("."), item)
