"""The fields of scenarios by path, read from the JSON Schema that the engine prints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hopscope import simulation

# The greatest depth of fields: a recursive section would have endless paths.
_DEEPEST = 8
_NUMBERS = frozenset({"number", "integer"})


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its path as `--set` takes it, the first line of its meaning, and its choices.

    `description` is the whole of what the schema says. With `is_open`, a number or a text other than the
    choices is a value as well. Numbers are from `least` to `most`, if the schema bounds them.
    """

    path: str
    meaning: str
    choices: tuple[str, ...]
    description: str = ""
    is_open: bool = True
    least: float | None = None
    most: float | None = None


def fields(model: str | None = None) -> Iterator[Field]:
    """Every field of the scenarios of a model, or of all models, sorted by path.

    A field that several models have is given once. Fields of lists have no path of their own.
    """
    found: dict[str, Field] = {}
    for branch in _schema()["oneOf"]:
        if model is None or branch["title"] == model:
            for field in _walk(branch, "", _DEEPEST):
                found.setdefault(field.path, field)
    yield from (found[path] for path in sorted(found))


@cache
def _schema() -> dict[str, Any]:
    return simulation.schema()


def _walk(section: Mapping[str, Any], prefix: str, depth: int) -> Iterator[Field]:
    """The fields of a section, and of the sections in it."""
    for name, described in section.get("properties", {}).items():
        path = f"{prefix}{name}"
        shapes = list(_shapes(described))
        choices = tuple(sorted({word for shape in shapes for word in _words(shape)}))
        # One of several forms of a section may be a single field, which the form then describes.
        meaning = _meaning(described) or section.get("description", "")
        is_open = not choices or any(_is_open(shape) for shape in shapes)
        ends = _ends(shapes)
        yield Field(path, meaning.partition("\n")[0], choices, " ".join(meaning.split()), is_open, *ends)
        if depth > 0:
            for shape in shapes:
                yield from _walk(shape, f"{path}.", depth - 1)


def _meaning(described: Mapping[str, Any]) -> str:
    """The description of a field, or of its type."""
    if "description" in described or "$ref" not in described:
        return described.get("description", "")
    return _meaning(_referred(described))


def _referred(described: Mapping[str, Any]) -> Mapping[str, Any]:
    return _schema()["$defs"][described["$ref"].rpartition("/")[2]]


def _shapes(described: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The forms of a value: references followed, alternatives one by one."""
    if "$ref" in described:
        yield from _shapes(_referred(described))
        return
    alternatives = described.get("anyOf") or described.get("oneOf") or described.get("allOf")
    if alternatives:
        for alternative in alternatives:
            yield from _shapes(alternative)
    else:
        yield described


def _is_open(shape: Mapping[str, Any]) -> bool:
    """Whether this shape accepts an arbitrary number or text."""
    is_fixed = bool({"enum", "const"} & shape.keys())
    return not is_fixed and bool({"string", *_NUMBERS} & set(_listed(shape.get("type", ()))))


def _ends(shapes: Sequence[Mapping[str, Any]]) -> tuple[float | None, float | None]:
    """The limits of a field's numbers, if the schema states them for all of its shapes."""
    numbers = [shape for shape in shapes if _NUMBERS & set(_listed(shape.get("type", ())))]
    least = [shape.get("minimum", shape.get("exclusiveMinimum")) for shape in numbers]
    most = [shape.get("maximum", shape.get("exclusiveMaximum")) for shape in numbers]
    known_least, known_most = ([end for end in ends if end is not None] for ends in (least, most))
    return (
        min(known_least) if known_least and len(known_least) == len(numbers) else None,
        max(known_most) if known_most and len(known_most) == len(numbers) else None,
    )


def _listed(kinds: Any) -> Sequence[str]:
    """One type or several."""
    return [kinds] if isinstance(kinds, str) else kinds


def _words(shape: Mapping[str, Any]) -> Iterator[str]:
    """The choices of a value."""
    for word in (*shape.get("enum", ()), shape.get("const")):
        if isinstance(word, str):
            yield word
    if shape.get("type") == "boolean":
        yield from ("true", "false")
