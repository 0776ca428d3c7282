"""What is told first of a fabric's file: what is odd about it, and what was assumed."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from hopscope.visible import visible

NAMES_SHOWN = 12


def anomalies(data: Mapping[str, Any]) -> list[str]:
    """The anomalies in a fabric's file, for verbs that simulate nothing and so assume nothing."""
    return odd((data.get("facts") or {}).get("anomalies", []))


def odd(anomalies: Sequence[Mapping[str, str]]) -> list[str]:
    """The anomalies of a fabric, a line each; nothing where there is none."""
    if not anomalies:
        return []
    heading = click.style("odd about this fabric", bold=True)
    return [heading, *(f"  {visible(each['words'])}" for each in anomalies)]


def lines(data: Mapping[str, Any]) -> list[str]:
    """The anomalies of what a verb found, and its assumptions; nothing but for a fabric's file."""
    facts = data.get("facts")
    if facts is None:
        return []
    assumed = [] if facts["assumed"] is None else [facts["assumed"]]
    return [*anomalies(data), *assumed]


def names(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Short names of switches beside the file's own: the first few, and how many more there are."""
    facts = data.get("facts")
    if facts is None:
        return []
    rows = [(short, own) for short, own in facts["names"][:NAMES_SHOWN]]
    more = len(facts["names"]) - NAMES_SHOWN
    return [*rows, (f"and {more} more", "")] if more > 0 else rows
