"""Overrides of a scenario by path: texts for the engine, values for tables and plots."""

import json
import math
import operator
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self, TypeAlias

from hopscope.errors import UsageError

Value: TypeAlias = bool | int | float | str | list | dict
_BARE = re.compile("[A-Za-z0-9_-]+")
MOST_NESTED = 64
"""The greatest depth of nested lists and sections that the engine reads."""
MOST_SEEDS_ASKED = 1_000
FEWEST_MESSAGES_ASKED = 1_000
"""The limits of `seeds` and `messages`, as arguments of a call and as options of a command."""
Overrides: TypeAlias = Mapping[str, Value | None] | Iterable[str]


def builtin(value: Any) -> Any:
    """The value of Python's own that a scalar of numpy stands for; anything else as it is."""
    return value.item() if getattr(value, "shape", None) == () else value


def true_or_false(name: str, value: Any) -> bool:
    """The argument `name` as a truth value, also of numpy. Raises UsageError for anything else."""
    truth = builtin(value)
    if not isinstance(truth, bool):
        raise UsageError(f"{name}: {value!r} is neither True nor False", "give one of the two")
    return truth


def whole_number(name: str, value: Any) -> int:
    """The argument `name` as a whole number, also of numpy. Raises UsageError for anything else."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise UsageError(f"{name}: {value!r} is no whole number", f"give one, as in {name}=7") from None


def whole_number_from(name: str, value: Any, least: int, example: int, most: int | None = None) -> int:
    """The argument `name` as a whole number from `least` to `most`. Raises UsageError for anything else."""
    number = whole_number(name, value)
    if number < least:
        raise UsageError(
            f"{name}: {value!r} is out of range", f"give {least} or more, as in {name}={example}"
        )
    if most is not None and number > most:
        raise UsageError(f"{name}: {value!r} is out of range", f"give at most {most}")
    return number


def real_number(name: str, value: Any, example: str) -> float:
    """The argument `name` as a number, also of numpy. Raises UsageError for anything else."""
    number = builtin(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or math.isnan(number):
        raise UsageError(f"{name}: {value!r} is no number", f"give one, as in {name}={example}")
    return number


def encodable(name: str, text: str) -> str:
    """The text of `name`. Raises UsageError for half of a surrogate pair, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"{name}: {text!r} is no text in UTF-8", "leave out what is half of a surrogate pair"
        ) from None
    return text


def refuse_nested(depth: int, name: str = "") -> None:
    """Raise UsageError for a value nested too deep in lists and sections; `name` is its owner."""
    if depth > MOST_NESTED:
        raise UsageError(
            f"{name and f'{name}: '}lists and sections are nested more than {MOST_NESTED} deep",
            "does a list or a dict contain itself?",
        )


def toml_text(value: Value, depth: int = 0) -> str:
    """`value` as a TOML value on one line; `depth` is its nesting. Raises UsageError if it is none."""
    value = builtin(value)
    refuse_nested(depth)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {toml_text(item, depth + 1)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_text(item, depth + 1) for item in value)}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return repr(value)
    raise UsageError(
        f"{value!r} is not a value for a scenario", "use a number, a text, true or false, a list or a dict"
    )


def _key(name: str) -> str:
    """A key as TOML has it: bare where it may be."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def options(overrides: Iterable[str]) -> str:
    """Overrides as options of the command line, quoted for a shell."""
    return " ".join(f"--set {shlex.quote(text)}" for text in overrides)


def at(data: Any, path: str) -> Any:
    """The value at a path of decoded JSON, such as `station[0].servers`; None if there is none."""
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(data, list):
            data = data[int(step)] if step.isdecimal() and int(step) < len(data) else None
        else:
            data = data.get(step) if isinstance(data, Mapping) else None
    return data


class Override(NamedTuple):
    """What "path=value" sets, both as they are written."""

    path: str
    value: str

    @classmethod
    def of(cls, text: str) -> Self:
        """The override of a text, which has an equals sign."""
        path, _, value = text.partition("=")
        return cls(path.strip(), value)

    def __str__(self) -> str:
        """As the engine takes it."""
        return f"{self.path}={self.value}"


def paths_of(texts: Iterable[str]) -> list[str]:
    """The paths that overrides set, as they are written."""
    return [Override.of(text).path for text in texts]


def as_texts(overrides: Overrides | None, name: str = "set") -> list[str]:
    """A mapping or a list of "path=value" as the list that the engine takes; None removes a field.

    `name` is that of the argument. Raises UsageError for an entry that sets nothing.
    """
    if overrides is None:
        return []
    if isinstance(overrides, str):
        overrides = [overrides]
    if isinstance(overrides, Mapping):
        return [
            encodable(name, f"{path}={'' if value is None else toml_text(value)}")
            for path, value in overrides.items()
        ]
    if not isinstance(overrides, Iterable):
        raise UsageError(
            f"{name}: {overrides!r} sets nothing",
            f'give values by path, as in {name}={{"traffic.load": 0.5}}',
        )
    texts = list(overrides)
    for text in texts:
        if not isinstance(text, str) or "=" not in text:
            raise UsageError(
                f"`{text}` is not an override", "write PATH=VALUE, for instance traffic.load=0.5"
            )
    return [encodable(name, text) for text in texts]
