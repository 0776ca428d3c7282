"""The options that several verbs share, worded once."""

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from hopscope.cli import completion
from hopscope.errors import UsageError
from hopscope.overrides import FEWEST_MESSAGES_ASKED, MOST_SEEDS_ASKED

# The largest integer of TOML.
LARGEST_SEED = (1 << 63) - 1

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class FabricCommand(click.Command):
    """A command that takes a fabric: its help lists the formats from the engine's own table."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Fill in the formats; the engine is loaded only for help."""
        from hopscope import forwarding_tables

        known = ", ".join(name for each in forwarding_tables.fabric_formats() for name in each["known_as"])
        self.help = (self.help or "").replace("FORMATS", known)
        super().format_help_text(ctx, formatter)


class WholeNumber(click.IntRange):
    """A whole number, within its limits if it has any."""

    name = "whole number"


overrides = click.option(
    "--set",
    "overrides",
    metavar="PATH=VALUE",
    multiple=True,
    shell_complete=completion.settings,
    help="Override a value of the scenario; repeatable.",
)


seed = click.option(
    "--seed",
    type=WholeNumber(0, LARGEST_SEED),
    help="Seed of the random streams.  [default: the scenario's]",
)


allow_files = click.option(
    "--allow-files", is_flag=True, help="Let the scenario name files outside its own folder."
)


class Duration(click.ParamType):
    """A duration or a time limit."""

    _MOST = 1e9  # what timers of the system can hold, and longer than anybody waits

    def __init__(self, unit: str = "seconds") -> None:
        """A number of this unit."""
        self.name = unit

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the text, or refuse it with what was expected."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not 0 < number <= self._MOST:
            most = f"{self._MOST:,.0f}"
            self.fail(f"`{value}`: expected a number of {self.name} above 0, at most {most}", param, ctx)
        return number


class Filled(click.ParamType):
    """A text that is not empty; that of an unset shell variable would be."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it is, or refuse it."""
        if not value:
            self.fail("it is empty: give a value, or leave it out", param, ctx)
        return value


class FilledPath(click.Path):
    """A path to write, not empty, which would be the working folder."""

    def __init__(self) -> None:
        """It arrives as a `Path`."""
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or refuse an empty text."""
        return super().convert(Filled().convert(value, param, ctx), param, ctx)


class Output(click.Option):
    """An option that names what to write: no two of a command name one place, or one within the other."""

    _SEEN = "hopscope.outputs"

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Read the option, and compare it with those that were read before."""
        value, rest = super().handle_parse_result(ctx, opts, args)
        # A missing value is None, or a sentinel of click.
        if isinstance(value, str | Path) and not ctx.resilient_parsing:
            seen: list[tuple[Output, str | Path]] = ctx.meta.setdefault(self._SEEN, [])
            for other, path in seen:
                other.compare(path, self, value)
            seen.append((self, value))
        return value, rest

    def compare(self, path: str | Path, other: "Output", other_path: str | Path) -> None:
        """Raise UsageError if this output and another one would collide."""
        from hopscope import atomic

        mine, its = (path, self.opts[0]), (other_path, other.opts[0])
        if isinstance(self, StoreOption):
            atomic.check_store(its, mine)
        elif isinstance(other, StoreOption):
            atomic.check_store(mine, its)
        else:
            atomic.check_outputs(mine, its)


class StoreOption(Output):
    """--store: it may hold the results of a command as well."""


def to_write(*names: str, words: str, metavar: str = "FILE") -> Decorator:
    """An option that names what to write: its name, its parameter's name if different, its help."""
    return click.option(*names, cls=Output, type=FilledPath(), metavar=metavar, help=words)


def seeds(default: int | None, words: str, least: int = 1, most: int | None = MOST_SEEDS_ASKED) -> Decorator:
    """--seeds: how many runs, with consecutive seeds."""
    return click.option(
        "--seeds", type=WholeNumber(least, most), default=default, show_default=True, help=words
    )


def messages(default: int | None, words: str) -> Decorator:
    """--messages: how long runs are."""
    least = WholeNumber(FEWEST_MESSAGES_ASKED)
    return click.option("--messages", type=least, default=default, show_default=True, help=words)


out = to_write("--out", metavar="DIR", words="Folder to write; must not exist yet.  [default: one in runs/]")


def scenario(command: Callable[..., Any]) -> Callable[..., Any]:
    """SCENARIO, --set, --seed and --allow-files: what to simulate."""
    decorators: list[Decorator] = [
        click.argument("source", metavar="SCENARIO", shell_complete=completion.scenarios),
        overrides,
        seed,
        allow_files,
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def fabric(command: Callable[..., Any]) -> Callable[..., Any]:
    """FABRIC, --set and --allow-files: the fabric whose tables are meant."""
    decorators: list[Decorator] = [
        click.argument("source", metavar="FABRIC"),
        overrides,
        allow_files,
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def roots(command: Callable[..., Any]) -> Callable[..., Any]:
    """--root and --root-guids: the roots to which "up" leads."""
    decorators: list[Decorator] = [
        click.option(
            "--root", "roots", metavar="SWITCH", multiple=True, help="Root switch by name; repeatable."
        ),
        click.option("--root-guids", metavar="FILE", help="File of root GUIDs, one per line."),
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def results(command: Callable[..., Any]) -> Callable[..., Any]:
    """--out, --report/--no-report, --json and --quiet: where the results go."""
    decorators: list[Decorator] = [
        out,
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
        seeds(6, "Runs per load, with consecutive seeds; at least 4 are run."),
        messages(40_000, "Messages of the longest runs, at least 20,000; more narrow the interval."),
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


PERMUTATIONS = ("transpose", "bit-complement", "tornado", "neighbour", "random")
PATTERNS = {
    "all-to-all": '"uniform"',
    "uniform": '"uniform"',
    "permutation": '{ permutation = "random" }',
} | {name: f'{{ permutation = "{name}" }}' for name in PERMUTATIONS}

traffic = click.option(
    "--traffic",
    metavar="PATTERN",
    help=f"Traffic pattern: {', '.join(PATTERNS)}, or a file of a traffic matrix or of flows, "
    "whose sizes make one (CSV, htsim .cm).",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
quiet = click.option("--quiet", is_flag=True, help="No progress or notes on stderr, only errors.")


def with_traffic(overrides: Sequence[str], traffic: str | None) -> list[str]:
    """The overrides, after the one that --traffic stands for."""
    if traffic is None:
        return list(overrides)
    pattern = PATTERNS.get(traffic)
    if pattern is None:
        if not os.path.exists(traffic):
            raise _no_traffic(traffic)
        pattern = f"{{ matrix = {{ path = {json.dumps(traffic)} }} }}"
    return [f"traffic.pattern={pattern}", *overrides]


# Patterns of jobs in [[flows]], each with an example.
_OF_FLOWS = {
    "incast": '{ incast = { senders = 8, size = "64 KiB" } }',
    "all-reduce": '{ all-reduce = { size = "1 MiB" } }',
    "allreduce": '{ all-reduce = { size = "1 MiB" } }',
}


def _no_traffic(name: str) -> UsageError:
    near = get_close_matches(name, PATTERNS, n=1)
    if (flows := _OF_FLOWS.get(name.lower())) is not None:
        hint = f"it is a pattern of [[flows]], instead of [traffic]: --set 'flows=[{{ pattern = {flows} }}]'"
    else:
        hint = f"did you mean {near[0]}?" if near else f"the patterns are {', '.join(PATTERNS)}"
    return UsageError(f"there is no traffic pattern and no file `{name}`", hint)
