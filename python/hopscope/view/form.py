"""The values of a scenario as a form: what the schema says of each field, and what it is now."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hopscope import scenario_fields
from hopscope.overrides import toml_text

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

_TYPES: Mapping[type, str] = {
    bool: "True or false.",
    int: "A whole number.",
    float: "A number.",
    str: "Text; a quantity with its unit.",
}


def fields(run: "RunResult") -> list[dict[str, Any]]:
    """Every single value of a run's scenario, in the order of its paths."""
    scenario = tomllib.loads(run.scenario_text)
    known = {field.path: field for field in scenario_fields.fields(scenario["model"])}
    found = []
    for path, value in leaves(scenario):
        field = known.get(path)
        if field is None or path in ("model", "title"):
            continue
        choices = [] if isinstance(value, bool | int | float) or not field.choices else list(field.choices)
        text = str(value) if isinstance(value, str) else toml_text(value)
        found.append(
            {
                "path": path,
                "value": text,
                "expects": _TYPES[type(value)],
                "meaning": field.description,
                "choices": choices if text in choices else [],
            }
        )
    return found


def leaves(section: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value of everything in a section that is neither a section nor a list."""
    for name, value in section.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}.")
        elif isinstance(value, bool | int | float | str):
            yield path, value
