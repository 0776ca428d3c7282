"""The reference page of the scenario language, from the schema that the program prints."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import hopscope
from hopscope.overrides import toml_text

Schema = Mapping[str, Any]

MOST_PATHS_IN_A_TITLE = 3
WIDTH = 120

HEADER = """# Scenario reference

Written by `docs/refresh.py` from `hopscope schema`: change the doc comments of the parameters in `crates/`,
not this page.

A scenario is a TOML file. `title`, `seed` and `[measure]` are the same for all models; the `model` determines
all other sections. hopscope refuses unknown fields and suggests the nearest known name. `--set` overrides any
field by its path: `--set traffic.load=0.3`, `--set 'network.torus={ width = 8, height = 8 }'`, and for the
second entry of a list `--set 'station[1].servers=2'`. Nothing behind the `=` takes a field, a section or an
entry of a list out of the scenario: `--set frames.dcqcn=`.

For a *choice*, write either the name (`fifo = "unbounded"`) or the name with its value
(`fifo = { bytes = "64 KiB" }`); `[network.torus]` is the same as `network = { torus = { … } }`.

A file that a scenario names lies in the scenario's own folder or below, symbolic links followed.
`--allow-files` lifts that for scenarios that you trust; files on the command line, `--set` included, may lie
anywhere ([SECURITY.md](../../SECURITY.md)).
"""

UNITS = """## Quantities

Quantities are texts with a unit, with or without a space before it: `"0.6 us"`, `".6us"`. In a file they
stand in quotes; `--set link.rate=100G` needs none. They are read exactly: hopscope refuses a value that would
need rounding.

| Quantity | Written as | Examples |
|---|---|---|
"""


@dataclass
class Page:
    """What has been described, and what is still to be."""

    definitions: Schema
    waiting: dict[str, list[str]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def described(
        self, title: str, path: str, schema: Schema, skip: frozenset[str] = frozenset()
    ) -> Iterator[str]:
        """A section of the page: what it is, and its fields or choices."""
        yield f"\n{title}\n\n{filled(words(schema))}\n"
        if "oneOf" in schema:
            yield from self._choices(path, schema["oneOf"])
        else:
            yield from self._fields(path, schema, skip)

    def below(self, level: str) -> Iterator[str]:
        """Every type that was named and has not been described, each followed by those that it names."""
        while self.waiting:
            named, self.waiting = self.waiting, {}
            for name, paths in named.items():
                self.done.add(name)
                places = ", ".join(f"`{path}`" for path in paths[:MOST_PATHS_IN_A_TITLE])
                places += " …" if len(paths) > MOST_PATHS_IN_A_TITLE else ""
                yield from self.described(f"{level} {places}", paths[0], self.definitions[name])
                yield from self.below(level)

    def _fields(self, path: str, schema: Schema, skip: frozenset[str]) -> Iterator[str]:
        required = schema.get("required", [])
        yield "\n| Field | Type | Default | Meaning |\n|---|---|---|---|\n"
        for name in _ordered(schema["properties"], required):
            if name in skip:
                continue
            value = schema["properties"][name]
            kind = self._kind(f"{path}.{name}".lstrip("."), value)
            default = "required" if name in required else self._default(value)
            meaning = _cell(words(value) or words(self._resolved(value)))
            meaning = meaning.removesuffix(f" Default {default.strip('`')}.")
            yield f"| `{name}` | {kind} | {default} | {meaning} |\n"

    def _choices(self, path: str, choices: list[Schema]) -> Iterator[str]:
        yield "\n| Choice | Value | Meaning |\n|---|---|---|\n"
        for choice in choices:
            if "const" in choice:
                yield f"| `{toml_text(choice['const'])}` | – | {_cell(words(choice))} |\n"
                continue
            (name, value) = next(iter(choice["properties"].items()))
            yield f"| `{name}` | {self._kind(f'{path}.{name}', value)} | {_cell(words(choice))} |\n"

    def _kind(self, path: str, value: Schema) -> str:
        """A type in a few words; what needs a section of its own is put in line."""
        if "anyOf" in value and "$ref" in value["anyOf"][0]:
            value = value["anyOf"][0]  # the other is null: the field may be left out
        if "$ref" in value:
            return self._named(path, value["$ref"].rpartition("/")[2])
        if "array" in (value.get("type") or ""):  # "array", or a list of types with it
            return f"list of {self._kind(path + '[]', value['items'])}s"
        kinds = value.get("type")
        kind = kinds if isinstance(kinds, str) else kinds[0]
        return {"string": "text", "boolean": "true or false"}.get(kind) or _number(kind, value)

    def _named(self, path: str, name: str) -> str:
        definition = self.definitions[name]
        if "oneOf" not in definition and definition.get("type") != "object":
            return f"[{_quantity(name)}](#quantities)"
        if name not in self.done:
            self.waiting.setdefault(name, []).append(path)
        return "choice" if "oneOf" in definition else "section"

    def _default(self, value: Schema) -> str:
        if value.get("default") in (None, {}):
            return "–"
        resolved = self._resolved(value)
        if resolved.get("type") == "object" and "properties" in resolved:
            return "see there"
        return f"`{_toml(value['default'])}`"

    def _resolved(self, value: Schema) -> Schema:
        return self.definitions[value["$ref"].rpartition("/")[2]] if "$ref" in value else value


def page() -> str:
    """The whole page."""
    schema = hopscope.schema()
    parts = [HEADER]
    first = schema["oneOf"][0]["properties"]
    shared = frozenset({"title", "model", "seed", "measure"})
    models = Page(schema["$defs"])
    of_all = {"properties": {name: first[name] for name in first if name in shared}, "required": ["model"]}
    of_all["description"] = (
        "The models are: " + ", ".join(f"`{each['title']}`" for each in schema["oneOf"]) + "."
    )
    parts += models.described("## Every scenario", "", of_all)
    parts += models.below("###")
    for model in schema["oneOf"]:
        parts += models.described(f"## Model `{model['title']}`", "", model, shared)
        parts += models.below("###")
    parts.append("\n" + UNITS)
    parts += [
        _quantity_row(name, schema["$defs"][name])
        for name in ("Span", "Rate", "Data", "Load", "Receivers", "Warmup", "Snapshots")
    ]
    return "".join(parts)


def _ordered(properties: Schema, required: list[str]) -> list[str]:
    """Required fields first, then the others, each in the schema's order."""
    return sorted(properties, key=lambda name: name not in required)


def _quantity(name: str) -> str:
    return {"Span": "time", "Data": "amount of data"}.get(name, name.lower())


def _quantity_row(name: str, definition: Schema) -> str:
    written = {
        "Span": "a number and `s`, `ms`, `us`, `ns`, `ps`, `min`, `h` or `d`; whole picoseconds",
        "Rate": "a number and `bit/s`, `kbit/s`, `Mbit/s`, `Gbit/s` or `Tbit/s`; also as ports and tools "
        "have them: `100G`, `25GbE`, `100Gbps`, `25gbps`, `25 Gb/s`; whole bit/s. Not bytes a second",
        "Data": "a number and `bit`, `B`, `kB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`; whole bits",
        "Load": 'a number above 0 and at most 1, or `"saturated"`',
        "Receivers": "the name of a host, or a list of names",
        "Warmup": '`"auto"` (MSER-5), `"none"`, or a time',
        "Snapshots": "a time between two, or a list of instants",
    }[name]
    few = {
        "Load": [0.5],
        "Receivers": ["h1", ["h1", "h2"]],
        "Warmup": ["auto", "10 ms"],
        "Snapshots": ["10 s", ["10 s", "12.5 s"]],
    }
    examples = definition.get("examples") or few[name]
    return f"| {_quantity(name)} | {written} | {', '.join(f'`{toml_text(each)}`' for each in examples)} |\n"


def _number(kind: str, value: Schema) -> str:
    words = "whole number" if kind == "integer" else "number"
    low, above = value.get("minimum"), value.get("exclusiveMinimum")
    high, below = value.get("maximum"), value.get("exclusiveMaximum")
    limits = [
        f"from {low}" if low else "",
        f"above {above:g}" if above is not None else "",
        f"at most {high:_}".replace("_", " ") if high is not None else "",
        f"below {below:g}" if below is not None else "",
    ]
    return " ".join([words, *filter(None, [", ".join(filter(None, limits))])])


def words(schema: Schema) -> str:
    """What a schema says of itself, a line a paragraph."""
    text = schema.get("description", "")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.replace("*", "\\*").split("\n\n"))


def filled(text: str) -> str:
    """Paragraphs in lines of the width that documents have."""
    paragraphs = (
        textwrap.fill(part, WIDTH, break_long_words=False, break_on_hyphens=False)
        for part in text.split("\n\n")
    )
    return "\n\n".join(paragraphs)


def _cell(text: str) -> str:
    return text.replace("\n\n", " ").replace("|", "\\|")


def _toml(value: Any) -> str:
    """A value as a person writes it: no quotes around plain keys."""
    return re.sub(r'"([\w-]+)" =', r"\1 =", toml_text(value))
