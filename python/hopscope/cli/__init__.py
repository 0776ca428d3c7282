"""The command line: one file a verb. stdout is data, stderr is talk."""

from hopscope.cli.entry import main, program

__all__ = ["main", "program"]
