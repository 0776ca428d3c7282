"""JSON files of run folders and sweep folders, which may be damaged or somebody else's."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscope.errors import UsageError


def read_json(path: Path, kinds: Mapping[str, type], hint: str) -> dict[str, Any]:
    """Read a file that holds an object with these fields at least, of these types; "a.b" is b within a.

    Raises UsageError where it does not, with this hint.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as failure:
        raise UsageError(f"cannot read `{path}` ({failure})", hint) from failure
    except RecursionError as failure:
        raise UsageError(
            f"cannot read `{path}` (its lists or objects are nested too deep)", hint
        ) from failure
    if not isinstance(data, dict):
        raise UsageError(f"cannot read `{path}` (it holds no JSON object)", hint)
    for field, kind in kinds.items():
        value: Any = data
        for part in field.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if not isinstance(value, kind):
            raise UsageError(
                f"cannot read `{path}` (the field {field!r} is missing or of another type)", hint
            )
    return data
