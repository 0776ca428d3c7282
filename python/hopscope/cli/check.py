"""`hopscope check`: the check of a fabric's forwarding tables."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hopscope.cli import options
from hopscope.cli.terminal import show

SHOWN = 5


@click.command("check", cls=options.FabricCommand, short_help="Check a fabric's forwarding tables.")
@options.fabric
@click.option("--routes", metavar="TABLES", help="Forwarding tables as OpenSM writes them.")
@click.option(
    "--engine",
    metavar="NAME",
    help="Check the tables of this routing engine instead; see `hopscope routes`.",
)
@options.roots
@click.option(
    "--path", nargs=2, metavar="HOST HOST", help="Also print the path between two hosts, by each LID."
)
@click.option(
    "--path-sl",
    metavar="FILE",
    help="Service levels of paths: lines GUID LID SL, or what `saquery` prints.",
)
@click.option(
    "--sl2vl",
    metavar="FILE",
    help="Lanes of service levels: opensm-sl2vl.dump, `smpquery sl2vl`, ibdiagnet2.sl2vl.",
)
@options.to_write(
    "--svg",
    words="File for the drawing of a credit loop, replaced if it exists.  "
    "[default: runs/NAME-credit-loop.svg, none with --json]",
)
@options.as_json
@options.quiet
def command(
    source: str,
    overrides: Sequence[str],
    allow_files: bool,
    svg: Path | None,
    as_json: bool,
    quiet: bool,
    **of: Any,
) -> int:
    """Test forwarding tables for lost and misdelivered packets, loops, credit loops and overloaded links.

    FABRIC is a fabric file (FORMATS) or a scenario. Without --routes, the scenario's own tables are checked,
    or, if it has none, those of `hopscope routes`: shortest paths if `routing.rule` is "shortest", otherwise
    up*/down*. With --path-sl or --sl2vl, credit loops are looked for lane by lane. Exit code 1 means that the
    tables are not safe.
    """
    from hopscope import atomic, engine, forwarding_tables
    from hopscope.cli.talk import say

    read = [source, *(of[option] for option in ("routes", "root_guids", "path_sl", "sl2vl"))]
    if svg is not None:
        atomic.check_replaceable(svg, "--svg", read)
    scenario = engine.load(source, overrides, allow_files=allow_files, network_alone=True)
    if svg is None and not as_json:
        svg = Path("runs") / f"{Path(source).stem}-credit-loop.svg"
    if svg is not None:
        atomic.check_replaceable(svg, "--svg", [*read, *engine.files_of(source, scenario)])
    found = forwarding_tables.check(scenario, **of)
    show(json.dumps(found.data, indent=1) if as_json else table(found.title, found.data))
    if svg is not None and (drawing := found.svg()) is not None:
        atomic.write_file(svg, drawing, "--svg")
        say(f"\ncredit loop drawn in {svg}", quiet)
    return 0 if found.safe else 1


def table(title: str, data: Mapping[str, Any]) -> str:
    """The findings as text."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned, bars, named

    verdict = "SAFE" if data["safe"] else "NOT SAFE"
    lines = [
        click.style(title, bold=True),
        f"{verdict}: forwarding tables ({data['tables']})",
        "",
        named(_rows(data)),
        *_paths(data),
    ]
    detours = _detours(data)
    if detours[1:]:
        lines += ["", aligned(("extra hops", "pairs", ""), bars(detours), right=(0, 1))]

    def lost(pair: Mapping[str, Any]) -> str:
        return _lost(pair, data["hosts"])

    for kind, pairs, rows in (
        ("misdelivered", data["misdelivered_pairs"], _misdelivered),
        ("unreachable", data["unreachable_pairs"], lambda found: _failing("unreachable", found, lost)),
        ("loops", data["looping_pairs"], lambda found: _failing("forwarding loop", found, _way)),
    ):
        shown = data[kind][:SHOWN]
        lines += rows(shown) + _more(pairs - sum(each.get("pairs", 1) for each in shown))
    if data["credit_loop"]:
        lines += ["", click.style("credit loop: each link waits for credit on the next", bold=True)]
        lines += [f"  {_channel(hop)}" for hop in data["credit_loop"]]
        if "lanes" not in data:
            lines.append("  (all packets are assumed on one virtual lane: --path-sl and --sl2vl set others)")
    turns = [(_channel(turn["down"]), _channel(turn["up"]), turn["to"]) for turn in data["turns"][:SHOWN]]
    if turns:
        lines += ["", aligned(("down", "then up", "towards"), turns)]
    lines += _busiest(data)
    lines += [f"note: {note}" for note in data.get("notes", ())]
    odd = facts.anomalies(data)
    lines += ["", *odd] if odd else []
    return "\n".join([*lines, *facts.legend(data.get("facts"), lines)])


def _busiest(data: Mapping[str, Any]) -> list[str]:
    """The links that most pairs of hosts use, or that all links are used equally."""
    from hopscope.cli.table import aligned
    from hopscope.numerals import count

    loads, mean = data["most_loaded"][:SHOWN], data["mean_load"] or 1.0
    if not loads:
        return []
    if loads[0]["pairs"] == mean:
        pairs = count(loads[0]["pairs"])
        return ["", f"in an all-to-all each link between switches carries {pairs} pairs in each direction"]
    rows = [(_channel(load["channel"]), str(load["pairs"]), f"{load['pairs'] / mean:.2f}") for load in loads]
    return ["", aligned(("busiest links, all-to-all", "pairs", "load / mean"), rows, right=(1, 2))]


def _more(pairs: int) -> list[str]:
    """The number of pairs affected by findings that the rows do not show."""
    from hopscope.numerals import amount

    return [f"and {amount(pairs, 'pair', 'pairs')} more: `--json` has them"] if pairs > 0 else []


def _failing(
    what: str, pairs: Sequence[Mapping[str, Any]], why: Callable[[Mapping[str, Any]], str]
) -> list[str]:
    """A pair for each reason to drop packets or each loop, with the number of affected pairs."""
    from hopscope.cli.table import aligned

    rows = [(pair["from"], _receiver(pair), str(pair.get("pairs", 1)), why(pair)) for pair in pairs]
    heading = (f"{what}: from", "to", "pairs", "path")
    return ["", aligned(heading, rows, right=(2,))] if rows else []


def _receiver(found: Mapping[str, Any]) -> str:
    """The destination host, with the LID by which packets do not reach it, if known."""
    from hopscope.numerals import count

    to = f"{found['to']} (LID {found['lid']})" if "lid" in found else found["to"]
    return f"{to} and {count(more)} more" if (more := found.get("also_to")) else to


def _lost(pair: Mapping[str, Any], hosts: int) -> str:
    """Why packets are lost: a port without a cable, or switches without an entry."""
    from hopscope.numerals import listed

    if "port" in pair:
        return f"{_way(pair)}:{pair['port']}, which has no cable"
    further = pair.get("also_at", ())
    if not further:
        return f"{_way(pair)}, which has no entry"
    if pair["pairs"] == hosts - 1:
        return "no switch that senders reach has an entry"
    return f"no entry at {listed([pair['way'][-1], *further], SHOWN)}"


def _misdelivered(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The entries of tables that lead to another host than their own."""
    from hopscope.cli.table import aligned

    rows = [
        (f"{entry['switch']}:{entry['port']}", _receiver(entry), entry["reached"], str(entry["pairs"]))
        for entry in entries
    ]
    heading = ("delivered to the wrong host by", "packets for", "reach", "pairs")
    return ["", aligned(heading, rows, right=(3,))] if rows else []


def _paths(data: Mapping[str, Any]) -> list[str]:
    """The path between two requested hosts, a line for each LID."""
    from hopscope.cli.table import aligned

    asked = data.get("path")
    if asked is None:
        return []
    ends = {
        "arrives": "",
        "lost": "; then lost",
        "wrong-host": "; the wrong host",
        "loops": "; a forwarding loop",
    }
    rows = [
        (
            _lid(path["lid"], number),
            ", ".join(_link(hop, _last(path, asked["to"])) for hop in path["hops"]) + ends[path["end"]],
        )
        for number, path in enumerate(asked["paths"], 1)
    ]
    return ["", aligned((f"path {asked['from']} -> {asked['to']}", "links"), rows)]


def _last(path: Mapping[str, Any], receiver: str) -> str:
    """The host that a path ends at, if it ends at one."""
    return path["hops"][-1]["to"] if path["end"] == "wrong-host" else receiver


def _link(hop: Mapping[str, Any], receiver: str) -> str:
    """A link of a path; a host has no port number."""
    return f"{hop['from']}:{hop['port']} -> {receiver}" if hop["to"] == receiver else _channel(hop)


def _lid(lid: int | None, number: int) -> str:
    return f"path {number}" if lid is None else f"LID {lid}"


def _pairs(data: Mapping[str, Any]) -> str:
    """The pairs of hosts, and the number of LIDs by which each is counted."""
    from hopscope.numerals import count

    paths = data.get("paths", 1)
    if paths == 1:
        return count(data["pairs"])
    return f"{count(data['pairs'] // paths)}, each with {paths} LIDs: numbers of pairs count every LID"


def _rows(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    from hopscope.numerals import amount, count

    detours = _detours(data)
    longer = sum(pairs for links, pairs in detours if links > 0)
    rows = [
        (
            "fabric",
            f"{amount(data['switches'], 'switch', 'switches')}, {amount(data['hosts'], 'host', 'hosts')}, "
            f"{amount(data['links'], 'link', 'links')}",
        ),
        ("pairs of hosts", _pairs(data)),
        ("unreachable", count(data["unreachable_pairs"])),
        ("to the wrong host", count(data["misdelivered_pairs"])),
        ("forwarding loops", count(data["looping_pairs"])),
        ("longest path", f"{amount(data['longest'], 'link', 'links')} between switches"),
        ("longer than minimal", _longer(longer, detours)),
        (
            "illegal down-up turns",
            f"{count(data['down_up_turns'])} ({_roots(data['roots'])})",
        ),
        ("credit loop", f"cycle of {len(data['credit_loop'])} links" if data["credit_loop"] else "none"),
        *_lanes(data.get("lanes")),
        ("idle links", _idle(data)),
    ]
    if worst := data["worst_permutation"]:
        sense = "the maximum" if worst["exact"] else "the largest found"
        flows = f"{amount(worst['flows'], 'flow', 'flows')} on {_channel(worst['channel'])} ({sense})"
        rows.append(("worst permutation", flows))
    return rows


def _idle(data: Mapping[str, Any]) -> str:
    """Links that no pair of hosts uses, and the switches that leave some of their uplinks idle."""
    from hopscope.numerals import amount, count, listed

    if not data["idle_channels"]:
        return "none"
    in_part = [
        f"{each['switch']} sends up by {count(each['used'])} of {amount(each['links'], 'link', 'links')}"
        for each in data["used_in_part"]
    ]
    counted = f"{count(data['idle_channels'])} of {count(2 * data['links'])}, each direction counted"
    return "; ".join([counted, *([listed(in_part, 2, "; ")] if in_part else [])])


def _roots(names: Sequence[str]) -> str:
    """The roots by which turns are judged; of many the first, and the number of others."""
    from hopscope.numerals import listed

    return f"{'root' if len(names) == 1 else 'roots'} {listed(names, SHOWN)}"


def _lanes(lanes: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """The effect of virtual lanes on credit loops, and the assumptions about lanes."""
    from hopscope.numerals import amount

    if lanes is None:
        return []
    used = f"{', '.join(map(str, lanes['lanes']))}; service levels {', '.join(map(str, lanes['levels']))}"
    links = lanes["loop_on_one_lane"]
    rows = [
        ("virtual lanes", used),
        ("on one lane", "no credit loop" if links is None else f"a credit loop of {links} links"),
    ]
    if lanes["discarded_pairs"]:
        pairs = amount(lanes["discarded_pairs"], "pair", "pairs")
        rows.append(("discarded", f"packets of {pairs}: their service level has no lane"))
    if lanes["unstated_pairs"]:
        pairs = amount(lanes["unstated_pairs"], "pair", "pairs")
        rows.append(("assumed", f"service level 0 for {pairs} without one"))
    if lanes["unstated_ports"]:
        ports = amount(lanes["unstated_ports"], "pair", "pairs")
        rows.append(("assumed", f"lane = service level between {ports} of ports without a map"))
    return rows


def _detours(data: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Pairs by their extra hops, the fewest first."""
    return sorted((int(links), pairs) for links, pairs in data["detours"].items())


def _longer(longer: int, detours: Sequence[tuple[int, int]]) -> str:
    from hopscope.numerals import amount

    if longer == 0:
        return "none"
    return f"{amount(longer, 'pair', 'pairs')}, by up to {amount(detours[-1][0], 'link', 'links')}"


def _channel(hop: Mapping[str, Any]) -> str:
    lane = f", lane {hop['lane']}" if "lane" in hop else ""
    return f"{hop['from']}:{hop['port']} -> {hop['to']}:{hop['to_port']}{lane}"


def _way(pair: Mapping[str, Any]) -> str:
    """The switches on a path, each with the port by which packets leave it."""
    names = pair["way"]
    hops = [f"{name}:{port}" for name, port in zip(names, pair.get("ports", ()), strict=False)]
    names = [*hops, *names[len(hops) :]]
    shown = names if len(names) <= 2 * SHOWN else [*names[:SHOWN], "...", *names[-SHOWN:]]
    return " - ".join(shown)
