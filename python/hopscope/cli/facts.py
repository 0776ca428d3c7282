"""The first output about a fabric's file: its anomalies, and the assumptions."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from hopscope.escaping import visible
from hopscope.numerals import listed

NAMES_SHOWN = 12
# A name in a line: text between spaces, commas and brackets, without the port after a colon.
_WORD = re.compile(r"[^\s,:;()]+")


def anomalies(data: Mapping[str, Any]) -> list[str]:
    """The anomalies in a fabric's file, for verbs that simulate nothing and so assume nothing."""
    return odd(data.get("facts") or {})


def odd(facts: Mapping[str, Any]) -> list[str]:
    """The anomalies of a fabric, a line each; empty if there are none.

    Below them are the file's own names of the switches that they mention, if these differ: an operator looks
    for these switches, and hopscope made the short names. `facts` as in `legend`.
    """
    lines = _under("anomalies in this fabric", facts.get("anomalies", []))
    names = [f"{short} = {visible(own)}" for short, own in _renamed(facts, lines)]
    return [*lines, f"  in the file: {listed(names, NAMES_SHOWN)}"] if names else lines


def odd_routes(found: Sequence[Mapping[str, str]]) -> list[str]:
    """The anomalies of routes, a line each; empty if there are none."""
    return _under("anomalies in these routes", found)


def _under(heading: str, found: Sequence[Mapping[str, str]]) -> list[str]:
    lines = [f"  {visible(each['words'])}" for each in found]
    return [click.style(heading, bold=True), *lines] if lines else []


def lines(data: Mapping[str, Any]) -> list[str]:
    """The anomalies in a verb's result, and its assumptions; empty unless it is a fabric's file."""
    facts = data.get("facts")
    if facts is None:
        return []
    assumed = [] if facts["assumed"] is None else [facts["assumed"]]
    found = anomalies(data)
    return [*found, *([""] if found and assumed else []), *assumed]


def of_explained(facts: Mapping[str, Any]) -> list[str]:
    """The anomalies of a run's fabric and routes, and its assumptions, each after an empty line."""
    assumed = [facts["assumed"]] if "assumed" in facts else []
    blocks = (odd(facts), odd_routes(facts.get("odd_routes", [])), assumed)
    return [line for block in blocks if block for line in ("", *block)]


def legend(facts: Mapping[str, Any] | None, lines: Sequence[str]) -> list[str]:
    """The file's own names of the switches in these lines of an answer, if they differ.

    `facts` are those of the fabric's file, for a run those in its explanation; None without such a file.
    Names that the lines contain already are omitted.
    """
    told = "\n".join(lines)
    return _table([each for each in _renamed(facts, lines) if each[1] not in told])


def _renamed(facts: Mapping[str, Any] | None, lines: Sequence[str]) -> list[tuple[str, str]]:
    """The switches that these lines name by hopscope's short names, with the file's own names."""
    named = _words(lines)
    return [(short, own) for short, own in _names(facts) if short in named and short not in own]


def names(data: Mapping[str, Any], lines: Sequence[str]) -> list[str]:
    """Short names of switches beside the file's own: the first few and those that these lines name."""
    named, every = _words(lines), _names(data.get("facts"))
    rows = [each for place, each in enumerate(every) if place < NAMES_SHOWN or each[0] in named]
    if more := len(every) - len(rows):
        rows.append((f"and {more} more", "--json lists all"))
    return _table(rows)


def _words(lines: Sequence[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(click.unstyle(line))}


def _table(rows: Sequence[tuple[str, str]]) -> list[str]:
    from hopscope.cli.table import aligned

    return ["", aligned(("switch", "in the file"), rows)] if rows else []


def _names(facts: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Each switch that has a short name, with the file's own; empty unless it is a fabric's file."""
    return [(short, own) for short, own in (facts or {}).get("names", [])]
