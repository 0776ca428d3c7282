"""Everything that the program prints on a terminal passes here: no name of a host drives the terminal."""

import re

import click

from hopscope.visible import visible_lines

# A line in bold, as `click.style` makes it: the only sequence for the terminal that the program prints.
_BOLD = re.compile("\x1b\\[1m(.*)\x1b\\[0m", re.DOTALL)


def show(text: str, *, err: bool = False) -> None:
    """Print a text on stdout, or on stderr with `err`."""
    click.echo("\n".join(_line(line) for line in text.split("\n")), err=err)


def _line(line: str) -> str:
    bold = _BOLD.fullmatch(line)
    return click.style(visible_lines(bold[1]), bold=True) if bold else visible_lines(line)
