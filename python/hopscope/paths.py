"""Paths as arguments.

A name that may be too long for a file is looked up by `os.path`, which says that it does not exist, whereas a
`Path` raises.
"""

import os
from pathlib import Path
from typing import Any

from hopscope.errors import UsageError
from hopscope.overrides import encodable


def path_of(name: str, value: Any) -> Path:
    """The argument `name` as a path. Raises UsageError for another type and for an invalid path."""
    hint = f'give a text or a Path, as in {name}="results"'
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str):
        raise UsageError(f"{name}: {value!r} is no path", hint)
    if not text:
        raise UsageError(f"{name}: the path is empty", hint)
    encodable(name, text)
    if "\0" in text:
        raise UsageError(f"{name}: {text!r} is no path", "leave out the character \\0: no name has it")
    return Path(text)
