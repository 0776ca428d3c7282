"""`hopscope topology`: figures and a drawing of a scenario's network."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hopscope.cli import options
from hopscope.cli.terminal import show

NAMES_SHOWN = 6
WAYS = 2
"""The directions of a link."""
SWITCHES = {"switch": "switches"}
"""The plurals of what models call their switches, if they are irregular."""


@click.command(
    "topology",
    cls=options.FabricCommand,
    short_help="Print path lengths, link loads and deadlock freedom; draw.",
)
@options.scenario
@options.to_write(
    "--svg",
    words="File for the drawing, replaced if it exists.  [default: runs/NAME-network.svg, none with --json]",
)
@options.to_write(
    "--write",
    "file",
    words="Only write the network to FILE, for other tools: .ibnetdiscover, .net (ibsim) or .csv. "
    "FILE is replaced if it exists.",
)
@options.as_json
@options.quiet
def command(
    source: str,
    overrides: Sequence[str],
    seed: int | None,
    allow_files: bool,
    svg: Path | None,
    file: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Print path lengths and link loads of a network, test it for deadlock, and draw it.

    SCENARIO is a scenario file, the name of a ready scenario, or a fabric file (FORMATS).
    """
    from hopscope import atomic, engine, forwarding_tables
    from hopscope.cli.talk import say
    from hopscope.drawing.picture import can_be_read
    from hopscope.network import topology

    for given, option in ((svg, "--svg"), (file, "--write")):
        if given is not None:
            atomic.check_replaceable(given, option, [source])
    if file is not None:
        forwarding_tables.write_fabric(source, file, set=overrides, allow_files=allow_files)
        say(f"written to {file}", quiet)
        return 0
    scenario = engine.load(source, overrides, seed, allow_files=allow_files)
    if svg is not None:
        atomic.check_replaceable(svg, "--svg", engine.files_of(source, scenario))
    network = topology(scenario)
    show(json.dumps(network.data, indent=1) if as_json else table(network.title, network.data))
    target = svg
    if target is None and not as_json and not can_be_read(network.data):
        say("\nthe network is too large for a readable drawing; --svg FILE draws it anyway", quiet)
    elif target is None and not as_json:
        target = Path("runs") / f"{scenario.name}-network.svg"
        atomic.check_replaceable(target, "--svg", engine.files_of(source, scenario))
    if target is not None:
        atomic.write_file(target, network.svg(), "--svg")
        say(f"\ndrawn in {target}", quiet)
    return 0


def table(title: str, data: Mapping[str, Any]) -> str:
    """The figures as text, with a bar for each distance, and a possible cycle of waits."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned, bars, named

    figures = data["figures"]
    distances = {int(passed): pairs for passed, pairs in figures["hop_histogram"].items()}
    if figures["hosts"] == 0:
        # Without hosts paths lead from switch to switch, and one of length 0 is from a switch to itself.
        distances.pop(0, None)
    histogram = sorted(distances.items())
    rows = _rows(figures, data.get("called", "switch"))
    lines = [click.style(title, bold=True), "", named(_family(data) + rows)]
    if histogram:
        on_the_way = f"{_on_the_way(figures)} on the path"
        lines += ["", aligned((on_the_way, "pairs", ""), bars(histogram), right=(0, 1))]
    lines += _busiest(figures)
    lines += ["", *_deadlock(data["deadlock"])] if data.get("deadlock") else []
    about = facts.lines(data)
    lines += ["", *about] if about else []
    return "\n".join([*lines, *facts.names(data, lines)])


def _family(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a fabric's file was recognised as, and its routes."""
    facts = data.get("facts")
    return [] if facts is None else [("family", facts["family"]), ("routes", facts["routes"])]


def _busiest(figures: Mapping[str, Any]) -> list[str]:
    """The links that carry most messages, or that all of them carry as much."""
    from hopscope.cli.table import aligned
    from hopscope.numerals import count

    loads = figures.get("most_loaded_links", [])
    if not loads:
        return []
    most, ways = loads[0]["share"], WAYS * figures["links"]
    # A path has one link between switches less than switches, so the shares of all links add up to that.
    if math.isclose(most, (figures["mean_hops"] - 1) / ways, rel_tol=1e-9):
        each = f"each of the {count(ways)} directed links between switches"
        return ["", f"{each} carries {_share(most)} of the messages"]
    rows = [
        (f"{_end(figures, link, 'from')} -> {_end(figures, link, 'to')}", _share(link["share"]))
        for link in loads
    ]
    if len({share for _, share in rows}) == 1 < len(rows):
        first = f"{len(rows)} or more directed links, such as {rows[0][0]}"
        return ["", f"most loaded links: {first}, with {_share(most)} of the messages each"]
    return ["", aligned(("most loaded links", "share of messages"), rows, right=(1,))]


def _share(share: float) -> str:
    return f"{100 * share:.2f} %"


def _end(figures: Mapping[str, Any], link: Mapping[str, Any], end: str) -> str:
    """The end of a loaded link, with its port if another link joins the same switches."""
    ends = {link["from"], link["to"]}
    alike = {
        frozenset(((each["from"], each["from_port"]), (each["to"], each["to_port"])))
        for each in figures["most_loaded_links"]
        if {each["from"], each["to"]} == ends and "from_port" in each
    }
    return f"{link[end]}:{link[f'{end}_port']}" if len(alike) > 1 else link[end]


def _deadlock(found: Mapping[str, Any]) -> list[str]:
    """Whether the routes can deadlock, and a shortest cycle if so."""
    from hopscope.numerals import count

    looked = f"{count(found['channels'])} channels, {count(found['dependencies'])} dependencies"
    if not found["possible"]:
        return [f"deadlock-free: no cycle in the channel dependency graph ({looked})"]
    cycle = found["cycle"]
    lines = [
        f"can deadlock where FIFOs are finite: shortest cycle of {len(cycle)} channels "
        f"in the channel dependency graph ({looked})"
    ]
    for hop, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        held = f"{hop['from']} port {hop['from_port']} to {hop['to']} port {hop['to_port']}"
        lines.append(f"  a packet on {held} waits for {after['from']} port {after['from_port']}")
    return lines


def _diameter(figures: Mapping[str, Any]) -> str:
    """The longest of the shortest paths, in the unit of path length."""
    from hopscope.numerals import amount

    if "on_the_way" in figures:
        return f"{figures['diameter']} {figures['on_the_way']}"
    return amount(figures["diameter"] + 1, "switch", "switches")


def _on_the_way(figures: Mapping[str, Any]) -> str:
    """The unit of path length: switches, unless the model has another."""
    return figures.get("on_the_way", "switches")


def _rows(figures: Mapping[str, Any], called: str) -> list[tuple[str, str]]:
    """The figures by name; those of the root and of idle parts only where there are some.

    `called` is what the model calls a switch.
    """
    from hopscope.numerals import amount, count, listed, number, percent

    of = SWITCHES.get(called, f"{called}s")
    rows = [(name, count(figures[name])) for name in ("networks", "gateways") if name in figures]
    rows += [(of, count(figures["switches"]))] if "switches" in figures else []
    servers = f", {count(figures['servers'])} of them servers" if figures.get("servers") else ""
    # A model whose messages enter at its switches counts no hosts.
    rows += [("hosts", count(figures["hosts"]) + servers)] if figures["hosts"] or called in SWITCHES else []
    if "links" in figures:
        rows.append((f"links between {of}", count(figures["links"])))
    if figures["mean_hops"] is not None:
        rows.append(("diameter", _diameter(figures)))
        rows.append(("mean path", f"{number(figures['mean_hops'])} {_on_the_way(figures)}"))
    if figures.get("root") is not None:
        rows.append(("root", figures["root"]))
    if figures.get("talk_through_root") is not None:
        rows.append(("messages through the root", percent(figures["talk_through_root"])))
    if figures.get("idle_links"):
        idle = [" - ".join(ends) for ends in figures["idle_links"]]
        rows.append(("unused links", listed(idle, NAMES_SHOWN)))
    if figures.get("idle_switches"):
        rows.append(("unused switches", listed(figures["idle_switches"], NAMES_SHOWN)))
    if (single := figures.get("single_points_of_failure")) is not None:
        cut = (
            (single["nodes"], called, of),
            ([" - ".join(ends) for ends in single["links"]], "link", "links"),
        )
        told = [
            f"{amount(len(names), one, many)}: {listed(names, NAMES_SHOWN)}"
            for names, one, many in cut
            if names
        ]
        rows.append(("single points of failure", "; ".join(told) or "none"))
    return rows
