"""The parts of hopscope that need further libraries, and the error if one is not installed.

The plain install has the engine and the command line. Everything else is an extra of pyproject.toml, imported
where it is needed and nowhere else:

    with extra("frames"):
        import polars as pl
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from hopscope.errors import MissingExtraError

Name = Literal["charts", "frames", "graph", "data", "trace", "ray", "s3", "view", "yaml", "notebook"]


@dataclass(frozen=True, slots=True)
class Extra:
    """The users of an extra, in words with their verb, and the modules that it installs."""

    users: str
    modules: tuple[str, ...]


EXTRAS: dict[Name, Extra] = {
    "charts": Extra("charts need", ("altair", "vl_convert", "polars")),
    "frames": Extra("frames and the tables of a run need", ("polars",)),
    "graph": Extra("graphs need", ("networkx",)),
    "data": Extra("`to_pandas` and `to_xarray` need", ("pandas", "xarray", "numpy")),
    "trace": Extra("traces for the Perfetto UI need", ("perfetto", "polars")),
    "ray": Extra("--on ray needs", ("ray",)),
    "s3": Extra("a store in an object store needs", ("obstore",)),
    "view": Extra("`hopscope view` needs", ("starlette", "uvicorn", "polars")),
    "notebook": Extra("the map in a notebook needs", ("anywidget", "traitlets")),
    "yaml": Extra("containerlab's topologies need", ("yaml",)),
}


def require(name: Name) -> None:
    """Refuse before any work that needs this extra at its end. Raises MissingExtraError."""
    for module in EXTRAS[name].modules:
        if find_spec(module) is None:
            raise MissingExtraError(EXTRAS[name].users, module, name)


@contextmanager
def extra(name: Name) -> Iterator[None]:
    """Import modules of an extra within this.

    Raises MissingExtraError, with the command that installs it, if one of them is missing.
    """
    try:
        yield
    except ModuleNotFoundError as failure:
        module = (failure.name or "").partition(".")[0]
        if module not in EXTRAS[name].modules:
            raise
        raise MissingExtraError(EXTRAS[name].users, module, name) from failure
