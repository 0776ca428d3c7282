"""The language of study.toml."""

import json
from typing import Any

from hopscope import _core


def study_schema() -> dict[str, Any]:
    """The JSON Schema of study.toml."""
    return json.loads(_core.study_schema_json())
