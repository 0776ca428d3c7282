"""The values of a scenario as a form: each field's schema and its present value."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hopscope import scenario_fields
from hopscope.numerals import count, number
from hopscope.overrides import toml_text

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

# Greater bounds are not shown: they are useless.
_MOST_NAMED = 1e12
_QUANTITY = re.compile(r"\d\S*\s+\S")


def fields(run: "RunResult") -> list[dict[str, Any]]:
    """Every single value of a run's scenario, in the order of its paths."""
    scenario = tomllib.loads(run.scenario_text)
    known = {field.path: field for field in scenario_fields.fields(scenario["model"])}
    found = []
    for path, value in leaves(scenario):
        field = known.get(path)
        if field is None or path in ("model", "title"):
            continue
        text = str(value) if isinstance(value, str) else toml_text(value)
        is_open = field.is_open or text not in field.choices
        found.append(
            {
                "path": path,
                "value": text,
                "expects": _expected(value, field, is_open),
                "meaning": _sentence(field.description),
                "choices": list(field.choices),
                "open": is_open,
                "least": field.least,
                "most": field.most,
            }
        )
    return found


def _expected(value: Any, field: scenario_fields.Field, is_open: bool) -> str:
    """The permitted input, as a sentence; empty for a choice of words."""
    if not is_open:
        return ""
    if value in field.choices:
        return f"{', '.join(field.choices)}, or another value."
    words = "".join(f", or {choice}" for choice in field.choices)
    if isinstance(value, str):
        return f"{'A quantity with its unit' if _QUANTITY.match(value) else 'Text'}{words}."
    kind = "A whole number" if isinstance(value, int) else "A number"
    bound = "" if field.most is None or field.most > _MOST_NAMED else f" of at most {_plain(field.most)}"
    return f"{kind}{bound}{words}."


def _plain(bound: float) -> str:
    return count(int(bound)) if bound == int(bound) else number(bound)


def _sentence(text: str) -> str:
    """The meaning as a sentence; empty for the description of a mere type."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""


def texts(scenario: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and value of every single value of a scenario, as a form shows them."""
    for path, value in leaves(scenario):
        yield path, value if isinstance(value, str) else toml_text(value)


def leaves(section: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value of everything in a section that is neither a section nor a list."""
    for name, value in section.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}.")
        elif isinstance(value, bool | int | float | str):
            yield path, value
