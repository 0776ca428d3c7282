"""The options that several verbs share, worded once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

# What fits into the integers of TOML.
LARGEST_SEED = (1 << 63) - 1

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def scenario(command: Callable[..., Any]) -> Callable[..., Any]:
    """SCENARIO, --set and --seed: what to simulate."""
    decorators: list[Decorator] = [
        click.argument("source", metavar="SCENARIO"),
        click.option(
            "--set",
            "overrides",
            metavar="PATH=VALUE",
            multiple=True,
            help="Override a value of the scenario; repeatable.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(0, LARGEST_SEED),
            help="Seed of the random streams; else the scenario's.",
        ),
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def results(command: Callable[..., Any]) -> Callable[..., Any]:
    """--out, --report/--no-report, --json and --quiet: where the results go."""
    decorators: list[Decorator] = [
        click.option(
            "--out",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Folder to write; must not exist yet.  [default: one in runs/]",
        ),
        click.option(
            "--report/--no-report", default=True, help="Write report.html into the folder.", show_default=True
        ),
        as_json,
        quiet,
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def search(command: Callable[..., Any]) -> Callable[..., Any]:
    """--seeds and --messages: how thoroughly to look for the saturation load."""
    decorators: list[Decorator] = [
        click.option(
            "--seeds",
            type=click.IntRange(1, 1_000),
            default=2,
            show_default=True,
            help="Runs at each load, with consecutive seeds.",
        ),
        click.option(
            "--messages",
            type=click.IntRange(1_000),
            default=60_000,
            show_default=True,
            help="Messages a run: more find saturation nearer to its load.",
        ),
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
quiet = click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors.")
