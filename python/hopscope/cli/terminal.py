"""All output to a terminal: names of hosts cannot send control sequences to it."""

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

import click

from hopscope.escaping import visible_lines

_OFF = ("0", "false")

# A line in bold, as `click.style` makes it: the only control sequence that the program prints.
_BOLD = re.compile("\x1b\\[1m(.*)\x1b\\[0m", re.DOTALL)


def show(text: str, *, err: bool = False) -> None:
    """Print a text on stdout, or on stderr with `err`."""
    click.echo("\n".join(_line(line) for line in text.split("\n")), err=err)


def bold(text: str) -> list[str]:
    """A long text wrapped as by `wrapped`, in bold lines."""
    return [click.style(line, bold=True) for line in wrapped(text)]


def wrapped(text: str, begins: str = "") -> list[str]:
    """Text wrapped to the terminal if stdout is one; else a single line, which is searchable.

    Lines but the first are indented as far as what the text `begins` with.
    """
    if not sys.stdout.isatty():
        return [begins + text]
    columns, indent = shutil.get_terminal_size().columns, " " * len(begins)
    return textwrap.wrap(
        text,
        columns,
        initial_indent=begins,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def show_json(data: Any) -> None:
    """Print data as JSON."""
    show(json.dumps(data, indent=1, ensure_ascii=False))


def wants_colour(environment: Mapping[str, str] = os.environ) -> bool | None:
    """Whether colours and bold lines are wanted, by the usual variables; None to follow the terminal.

    NO_COLOR overrides FORCE_COLOR, which overrides CLICOLOR_FORCE and CLICOLOR (https://no-color.org,
    https://force-color.org, https://bixense.com/clicolors).
    """
    if environment.get("NO_COLOR"):
        return False
    for forced in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if environment.get(forced):
            return environment[forced] not in _OFF
    return False if environment.get("CLICOLOR") in _OFF else None


def _line(line: str) -> str:
    bold = _BOLD.fullmatch(line)
    return click.style(visible_lines(bold[1]), bold=True) if bold else visible_lines(line)
