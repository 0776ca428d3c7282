"""The fields of scenarios by path, read from the JSON Schema that the engine prints."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hopscope import experiment

# A field within itself (a section that may hold its like) would have no end of paths.
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its path as `--set` takes it, the first line of its meaning, and the words to choose from.

    `description` is the whole of what the schema says.
    """

    path: str
    meaning: str
    choices: tuple[str, ...]
    description: str = ""


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
    return experiment.schema()


def _walk(section: Mapping[str, Any], prefix: str, depth: int) -> Iterator[Field]:
    """The fields of a section, and of the sections in it."""
    for name, described in section.get("properties", {}).items():
        path = f"{prefix}{name}"
        shapes = list(_shapes(described))
        choices = tuple(sorted({word for shape in shapes for word in _words(shape)}))
        # One of several forms of a section may be a single field, which the form then describes.
        meaning = _meaning(described) or section.get("description", "")
        yield Field(path, meaning.partition("\n")[0], choices, " ".join(meaning.split()))
        if depth > 0:
            for shape in shapes:
                yield from _walk(shape, f"{path}.", depth - 1)


def _meaning(described: Mapping[str, Any]) -> str:
    """What a field says of itself, or what its type says."""
    if "description" in described or "$ref" not in described:
        return described.get("description", "")
    return _meaning(_referred(described))


def _referred(described: Mapping[str, Any]) -> Mapping[str, Any]:
    return _schema()["$defs"][described["$ref"].rpartition("/")[2]]


def _shapes(described: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a value may look like: references followed, alternatives one by one."""
    if "$ref" in described:
        yield from _shapes(_referred(described))
        return
    alternatives = described.get("anyOf") or described.get("oneOf") or described.get("allOf")
    if alternatives:
        for alternative in alternatives:
            yield from _shapes(alternative)
    else:
        yield described


def _words(shape: Mapping[str, Any]) -> Iterator[str]:
    """The words that a value is chosen from."""
    for word in (*shape.get("enum", ()), shape.get("const")):
        if isinstance(word, str):
            yield word
    if shape.get("type") == "boolean":
        yield from ("true", "false")
