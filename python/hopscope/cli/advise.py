"""`hopscope advise`: the routes, the routing engine, or the link to add, that would carry more."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.execution import performing

if TYPE_CHECKING:
    from hopscope.planning.capacity.advice import Advice, RouteOption

MOST_ROOTS_SHOWN = 4
MOST_ROOTS_TYPED = 64


@click.command("advise", short_help="Find better routes, a better root or an added link.")
@options.scenario
@click.option("--add-link", is_flag=True, help="Also try to add one link between switches with free ports.")
@click.option(
    "--ports",
    type=options.WholeNumber(1, 65_000),
    help="Ports per switch.  [default: those of the file or the family]",
)
@options.to_write(
    "--write-roots", words="File for the GUIDs of the best roots, as OpenSM's --root_guid_file reads them."
)
@options.search
@performing
@options.as_json
@options.quiet
def command(write_roots: Path | None, **asked: Any) -> int:
    """Search for the routes, and with --add-link the extra link, of highest capacity.

    The candidates are all up*/down* roots, the tables of the routing engines that suit the fabric, and
    shortest paths if they cannot deadlock. The analysis compares all of them, and simulations compare the
    best. Networks of more than 10,000 hosts are not simulated.
    """
    from hopscope import atomic, engine
    from hopscope.cli.searching import search
    from hopscope.planning.capacity.advice import advise

    if write_roots is not None:
        atomic.check_replaceable(write_roots, "--write-roots", [asked["source"]])

    def told(result: "Advice") -> str:
        return table(result, asked["source"], write_roots)

    def found(source: str, *, allow_files: bool, **how: Any) -> "Advice":
        scenario = engine.load(source, how.pop("set"), how.pop("seed"), allow_files=allow_files)
        if write_roots is not None:
            atomic.check_replaceable(write_roots, "--write-roots", engine.files_of(source, scenario))
        result = advise(scenario, **how)
        if write_roots is not None:
            atomic.write_file(write_roots, root_guids(result), "--write-roots")
        return result

    return search("searching for better roots", found, told, **asked)


def root_guids(result: "Advice") -> str:
    """The GUIDs of the best roots, a line each."""
    from hopscope.errors import UsageError

    names = roots_of(result, result.best)
    guids = result.guids(names)
    if not guids:
        why = "up*/down* has none of its own here" if not names else "the fabric has no GUIDs"
        hint = "leave out --write-roots; GUIDs come with an InfiniBand fabric's file"
        raise UsageError(f"no roots to write: {why}", hint)
    return "".join(f"{guid}\n" for guid in guids)


def roots_of(result: "Advice", best: "RouteOption") -> list[str]:
    """The roots of a candidate; those of the current up*/down* tables if it has none."""
    if best.root is not None:
        return [best.root]
    today = [each.get("roots", []) for each in result.engines if each["engine"] == "up-down"]
    return list(best.roots) or [name for names in today for name in names]


def table(result: "Advice", source: str, roots_file: Path | None) -> str:
    """The advice first, then the candidates that were compared and how."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned
    from hopscope.planning.capacity import words

    compared = aligned(words.CANDIDATE_COLUMNS, words.candidates(result), right=(2, 4))
    engines = [aligned(words.ENGINE_COLUMNS, words.engines(result), right=(2, 3)), *words.refusals(result)]
    if result.analysed["engines"]["left_out"]:
        check = f"hopscope check {shlex.quote(source)} --engine NAME"
        engines.append(f"The tables of other engines are not compared at this size. To check one: {check}")
    about = facts.lines(result.analysed)
    rows = [
        click.style(result.title, bold=True),
        "",
        conclusion(result, source, roots_file),
        "",
        compared,
        "",
        *engines,
        "",
        _looked(result),
        *words.differences(result),
        *(["", *about] if about else []),
    ]
    return "\n".join(rows)


def _looked(result: "Advice") -> str:
    """What was compared, in sentences."""
    from hopscope.numerals import amount, count

    possible = result.analysed["possible_roots"]
    looked = f"The analysis compared {amount(result.roots, 'routing', 'routings')}"
    if result.roots == 0:
        why = f"with {count(possible)} switches that takes too long"
        looked = f"The analysis compared no other routing: {why}"
    elif result.roots < possible:
        looked += f", with the best connected of {count(possible)} switches as roots"
    if result.add_link:
        ports = result.analysed["ports"]
        size = (
            count(ports["most"])
            if ports["least"] == ports["most"]
            else f"{ports['least']} to {ports['most']}"
        )
        looked += f", and {count(result.links)} of {count(result.possible_links)} possible extra links"
        looked += f" between switches of {size} ports ({ports['known_from']})"
    if not result.is_simulated:
        return f"{looked}. A network of {count(result.analysed['hosts'])} hosts is not simulated."
    return f"{looked}. The current routes and the best others were simulated."


def conclusion(result: "Advice", source: str, roots_file: Path | None) -> str:
    """The advice: what to do, a paragraph each with the lines that apply it. Slow cables come first."""
    change = [*_change(result, source), *_for_opensm(result, source, roots_file)]
    steps = [*_missing(result), *_cables(result), *([change] if change else []), *_tables(result, source)]
    if result.add_link and result.possible_links == 0:
        free = result.analysed["switches_with_free_ports"]
        have = "only one switch has" if free == 1 else "no switch has"
        known_from = result.analysed["ports"]["known_from"]
        steps.append([f"No link can be added: {have} a free port ({known_from})."])
    if len(steps) > 1:
        steps = [_numbered(step, nth) for nth, step in enumerate(steps, 1)]
    return "\n".join(line for step in steps for line in step)


def _numbered(step: Sequence[str], number: int) -> list[str]:
    """A paragraph as one of several."""
    first, *more = step
    return [f"{number}. {first}", *(f"   {line}" for line in more)]


def _missing(result: "Advice") -> list[list[str]]:
    """The correction of cables that are missing or at a wrong switch, before any other change."""
    from hopscope.numerals import amount
    from hopscope.planning.candidates import cabling

    facts = result.analysed.get("facts") or {"anomalies": []}
    mended_by = dict.fromkeys(cabling.LACKING, cabling.MENDED) | dict.fromkeys(cabling.ABSENT, cabling.PLACED)
    found = [each for each in facts["anomalies"] if each["kind"] in mended_by]
    odd = [each["words"] for each in found]
    if not odd:
        return []
    changes = dict.fromkeys(f"--set {change}" for each in found for change in mended_by[each["kind"]])
    more = "" if len(odd) == 1 else f" (and {amount(len(odd) - 1, 'more anomaly', 'more anomalies')} below)"
    return [
        [
            f"Correct the cabling, then run this command again: {odd[0]}{more}.",
            f"To see the network after that: {' '.join(changes)}",
        ]
    ]


def _cables(result: "Advice") -> list[list[str]]:
    """The replacement of slow cables that limit the network, with its capacity without them."""
    from hopscope.planning.candidates import variants

    if result.replaced is None:
        return []
    slow = result.analysed["slow_cables"]["cables"]
    return [
        [
            f"Replace {variants.cables(slow)}: {_becomes(result, result.replaced)}.",
            f"To see the network after that: {result.replaced.apply}",
        ]
    ]


def _becomes(result: "Advice", other: "RouteOption") -> str:
    """The change of the saturation load, in words."""
    from hopscope.planning.capacity import words

    now = result.now
    if other.saturation is None or now.saturation is None:
        return f"expected saturation load {now.expected:.3g} becomes {other.expected:.3g}"
    gain = words.gain(other.saturation.gain_over(now.saturation))
    becomes = f"{now.saturation} becomes {other.saturation}"
    return f"saturation load {gain} ({becomes})" if gain else f"saturation load {becomes}"


def _change(result: "Advice", source: str) -> list[str]:
    """What to change in the routes, what it gains, and the options that apply it; or to keep them."""
    best, loop = result.best, ""
    if result.credit_loop is not None:
        links = f"a credit loop of {result.credit_loop} links"
        loop = f"The current routes have {links}, so packets may lock up. "
        if best is result.now:
            return [f"{loop}No candidate is without a credit loop."]
    elif best is result.now:
        return [_kept(result)]
    until = _is_until_the_repair(result)
    action = _action(best)
    what = f"Until then {action}" if until else f"{action[0].upper()}{action[1:]}"
    undone = "; undo this after the repair" if until else ""
    first = f"{loop}{what}: {_becomes(result, best)}{undone}."
    if best.engine is None:
        return [first, f"To apply it: {best.apply}"]
    return [first, f"To apply it: {_written_tables(source, best.engine, best.roots)}, then {best.apply}"]


def _action(best: "RouteOption") -> str:
    """What to do for these routes, in words."""
    from hopscope.planning.capacity import words
    from hopscope.planning.kinds import Routing

    link = f"add a link {' - '.join(best.between)}" if best.between else ""
    if best.root is not None:
        routes = f"make {best.root} the root"
    elif best.engine is not None:
        routes = f"load {words.tables_of(best.engine)}"
    else:
        routes = "" if link and best.routing is Routing.AS_NOW else f"use {best.routes}"
    return " and ".join(part for part in (link, routes) if part)


def _kept(result: "Advice") -> str:
    """A sentence that the current routes are the best; without tables yet, they are only assumed."""
    root = result.now.root
    how = "simulated" if result.is_simulated else "compared"
    if result.needs_tables and result.best_tables:
        return f"No {how} candidate has significantly more capacity than the assumed routes."
    kept = f"{root} as the root" if root else "the current routes"
    return f"Keep {kept}: no {how} candidate has significantly more capacity."


def _is_until_the_repair(result: "Advice") -> bool:
    """Whether advice holds until slow cables are replaced, since the repair carries more."""
    return result.replaced is not None and result.replaced.is_better_than(result.best)


def _written_tables(source: str, engine: str, roots: Sequence[str]) -> str:
    """The command that writes the tables of an engine."""
    from hopscope.planning.candidates.engine_tables import file_of as tables_file

    # More roots are those of the family, which the engine chooses by itself.
    named = roots if len(roots) <= MOST_ROOTS_TYPED else ()
    options = "".join(f" --root {shlex.quote(name)}" for name in named)
    file = shlex.quote(tables_file(engine))
    return f"hopscope routes {shlex.quote(source)} --engine {engine}{options} --out {file}"


def _tables(result: "Advice", source: str) -> list[list[str]]:
    """The best tables for a fabric that has none, or why none are proposed."""
    from hopscope.planning import opensm
    from hopscope.planning.candidates.engine_tables import file_of as tables_file
    from hopscope.planning.capacity import words

    lines = words.tables(result) if result.needs_tables else []
    if lines and (best := result.best_tables):
        lines.append(f"To write them: {_written_tables(source, best['engine'], best['roots'])}")
        lines.append(f"In the fabric: {opensm.with_tables(tables_file(best['engine']))}")
    return [lines] if lines else []


def _for_opensm(result: "Advice", source: str, roots_file: Path | None) -> list[str]:
    """The options of OpenSM that give an InfiniBand fabric the best routes."""
    from hopscope.planning import opensm
    from hopscope.planning.candidates.engine_tables import file_of as tables_file

    best = result.best
    if result.analysed["guids"] is None:
        return []
    if best.engine is not None:
        return [f"In the fabric: {opensm.with_tables(tables_file(best.engine))}"]
    roots = roots_of(result, best) if best.root is not None else []
    if not roots:
        return []
    if result.credit_loop is not None and result.has_tables:
        # OpenSM's engine for these routes may have made the tables that have the loop.
        written = _written_tables(source, "up-down", roots)
        return [
            f"To write them: {written}",
            f"In the fabric: {opensm.with_tables(tables_file('up-down'))}",
        ]
    check = f"Then check the tables that OpenSM computes: hopscope check {shlex.quote(source)} --routes FILE"
    if roots_file is None:
        hint = f"hopscope advise {shlex.quote(source)} --write-roots roots.guids"
        guids = ", ".join(result.guids(roots)[:MOST_ROOTS_SHOWN])
        return [f"In the fabric: {opensm.with_roots('FILE')} with {guids} ({hint})", check]
    return [f"In the fabric: {opensm.with_roots(str(roots_file))}", check]
