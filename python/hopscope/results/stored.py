"""JSON files of run folders and sweep folders, which may be damaged or of other origin."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.results import shapes
from hopscope.results.shapes import Shape
from hopscope.results.summary import Summary


def read_json(path: Path, shape: Shape, hint: str) -> Any:
    """Read a file that holds data of this shape. Raises UsageError that names the key, with this hint."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as failure:
        raise UsageError(f"cannot read `{path}` ({failure})", hint) from failure
    except RecursionError as failure:
        raise UsageError(
            f"cannot read `{path}` (its lists or objects are nested too deep)", hint
        ) from failure
    check(path, data, shape, hint)
    return data


def check(path: Path, data: Any, shape: Shape, hint: str, key: str = "") -> None:
    """Raise UsageError, naming file and key, if data of a file (at `key`) have another shape."""
    if (fault := shapes.fault(data, shape, key)) is not None:
        raise UsageError(f"`{path}` is damaged: {fault}", hint)


# The name of the table of resources in place of their list in a summary, as the engine writes it. No text of
# a summary can contain this: quotation marks within a text have a backslash.
_TABLE = "resources.parquet"
_NAMED = f'"resources":"{_TABLE}"'


def read_summary(folder: Path, hint: str) -> dict[str, Any]:
    """The summary of a run folder, with the resources from their table.

    In folders of earlier versions they are in summary.json itself. Raises UsageError as `read_json`.
    """
    file = folder / "summary.json"
    data = read_json(file, shapes.SUMMARY, hint)
    if data.get("resources") == _TABLE:
        table = folder / _TABLE
        try:
            data["resources"] = json.loads(_core.resources_json(table.read_bytes()))
        except (OSError, ValueError) as failure:
            raise UsageError(f"cannot read `{table}` ({failure})", hint) from failure
    else:
        check(file, data.get("resources"), shapes.RESOURCES, hint, "resources")
    return data


def summary(text: bytes, read: Callable[[str], bytes]) -> Summary:
    """The summary of a run from its file; `read` returns the table of resources when needed."""
    fields = json.loads(text)
    named = fields["resources"] == _TABLE
    return Summary(fields, (lambda: json.loads(_core.resources_json(read(_TABLE)))) if named else None)


def whole_summary(text: str, read: Callable[[str], bytes]) -> str:
    """The text of a summary with the resources in it, from that of its file; `read` returns other files."""
    return (
        text.replace(_NAMED, f'"resources":{_core.resources_json(read(_TABLE))}', 1)
        if _NAMED in text
        else text
    )
