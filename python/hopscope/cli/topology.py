"""`hopscope topology`: figures and a drawing of a scenario's network."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hopscope.cli import options
from hopscope.cli.terminal import show

NAMES_SHOWN = 6


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
    lines = [click.style(title, bold=True), *facts.lines(data), "", named(_family(data) + _rows(figures))]
    if histogram:
        on_the_way = f"{_on_the_way(figures)} on the path"
        lines += ["", aligned((on_the_way, "pairs", ""), bars(histogram), right=(0, 1))]
    loaded = [
        (_end(figures, link, "from"), _end(figures, link, "to"), f"{100 * link['share']:.2f} %")
        for link in figures.get("most_loaded_links", [])
    ]
    if loaded:
        lines += ["", aligned(("most loaded link", "to", "share of messages"), loaded, right=(2,))]
    lines += ["", *_deadlock(data["deadlock"])] if data.get("deadlock") else []
    return "\n".join([*lines, *facts.names(data, lines)])


def _family(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a fabric's file was recognised as, and its routes."""
    facts = data.get("facts")
    return [] if facts is None else [("family", facts["family"]), ("routes", facts["routes"])]


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


def _on_the_way(figures: Mapping[str, Any]) -> str:
    """The unit of path length: switches, unless the model has another."""
    return figures.get("on_the_way", "switches")


def _rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The figures by name; those of the root and of idle parts only where there are some."""
    from hopscope.numerals import amount, count, listed, number, percent

    rows = [(name, count(figures[name])) for name in ("networks", "gateways", "switches") if name in figures]
    servers = f", {count(figures['servers'])} of them servers" if "servers" in figures else ""
    rows.append(("hosts", count(figures["hosts"]) + servers))
    if "links" in figures:
        rows.append(("links between switches", count(figures["links"])))
    if figures["mean_hops"] is not None:
        unit = "links" if "links" in figures else _on_the_way(figures)
        one = "link" if unit == "links" else unit
        rows.append(("diameter", amount(figures["diameter"], one, unit)))
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
            (single["nodes"], "switch", "switches"),
            ([" - ".join(ends) for ends in single["links"]], "link", "links"),
        )
        told = [
            f"{amount(len(names), one, many)}: {listed(names, NAMES_SHOWN)}"
            for names, one, many in cut
            if names
        ]
        rows.append(("single points of failure", "; ".join(told) or "none"))
    return rows
