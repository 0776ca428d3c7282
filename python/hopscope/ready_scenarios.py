"""The ready scenarios as texts: to print, and to start one's own from."""

import os
import shlex
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from hopscope import _core, atomic, engine
from hopscope.errors import UsageError

_FOLDER = "scenarios"
_SUFFIX = ".toml"
_STARTER = "fabric"


def text(name: str) -> str:
    """The text of a ready scenario, or of a file that one names. Raises UsageError if there is none."""
    known = _core.embedded_list(_FOLDER)
    file = name if name in known else f"{name}{_SUFFIX}"
    if file not in known:
        names = [each.removesuffix(_SUFFIX) for each in known]
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else "`hopscope scenarios` lists them"
        if os.path.isfile(name):
            raise UsageError(f"`{name}` is a file, and ready scenarios are printed by their names", hint)
        raise UsageError(f"there is no ready scenario `{name}`", hint)
    return _core.embedded(_FOLDER, file)


def is_companion(name: str) -> bool:
    """Whether this is a file that comes with the ready scenarios without being one, such as a fabric."""
    return not name.endswith(_SUFFIX) and name in _core.embedded_list(_FOLDER)


def command(name: str) -> str:
    """The command that writes such a file to the working folder."""
    return shlex.join(["hopscope", "show", name]) + f" > {shlex.quote(name)}"


def starter() -> str:
    """A commented scenario to start from: a leaf-spine fabric under RoCE."""
    return (files("hopscope") / "starters" / f"{_STARTER}{_SUFFIX}").read_text(encoding="utf-8")


def write(target: Path, name: str | None = None) -> list[Path]:
    """Write a ready scenario, or the commented starter, to `target`; the files that it names beside it.

    A `name` that is the path of a fabric's file stands for the scenario that the file means, with all that is
    assumed. Returns what was written, the scenario first. Raises UsageError if `name` is not a scenario, or
    if a file exists already or cannot be written; nothing is written then.
    """
    if name is not None and os.path.isfile(name):
        return _write_around(target, Path(name))
    if name is not None and is_companion(name):
        raise UsageError(
            f"`{name}` is a file that ready scenarios name, not a scenario", f"get it by `{command(name)}`"
        )
    scenario = starter() if name is None else text(name)
    named = sorted(set(_files_of(tomllib.loads(scenario))))
    if target.name in named:
        raise UsageError(
            f"`{target.name}` is the name of a file that the scenario needs beside it",
            "choose another FILE, such as scenario.toml",
        )
    texts = {target: scenario} | {target.parent / each: text(each) for each in named}
    return _written({path: content.encode() for path, content in texts.items()})


def _write_around(target: Path, fabric: Path) -> list[Path]:
    """Write the scenario of a fabric's file, and the file beside it if it is elsewhere."""
    scenario = engine.load(fabric).assumed_toml()
    if scenario is None:
        raise UsageError(f"`{fabric}` is a scenario, not a fabric's file", "copy it to start from it")
    contents = {target: scenario.encode()}
    if target.resolve().parent != fabric.resolve().parent:
        contents[target.parent / fabric.name] = fabric.read_bytes()
    return _written(contents)


def _written(contents: dict[Path, bytes]) -> list[Path]:
    """Write new files, the first one last. Raises UsageError before writing if one cannot be written."""
    for path in contents:
        atomic.check_file(path, "FILE")
    for path, content in reversed(contents.items()):
        with atomic.new_file(path, "FILE") as partial:
            partial.write_bytes(content)
    return list(contents)


def _files_of(value: Any) -> Iterator[str]:
    """The files that come with the ready scenarios and that a value of a scenario names."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _files_of(item)
    elif isinstance(value, str) and value in _core.embedded_list(_FOLDER):
        yield value
