"""The reference page of study.toml, from the schema that the program prints."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from scenario_reference import Page, Schema, filled, words

from hopscope.studies.schema import study_schema

HEADER = """# Study reference

Written by `docs/refresh.py` from `hopscope schema --study`: change the doc comments in
`crates/engine/src/study/`, not this page.

A `study.toml` defines which published cells a study measures, and how. [Run a study](../how-to/study.md)
shows the result; [CONTRIBUTING.md](../../CONTRIBUTING.md) has the recipe for a new one. As in scenarios,
hopscope refuses unknown fields and suggests the nearest known name. It also refuses values that the
scenario does not have, ids that are not in `published/`, and unknown metrics.

`scenario`, `set` and `seeds` are allowed in every table, and the tables within it inherit them. `over` and
`set` hold values by their path in the scenario, as in `{ "traffic.load" = 0.5 }`; `over` holds one path
with a list of values or a range `"0.1..0.7:0.1"`. A metric is NAME[CLASS].STATISTIC, as in
`latency[short].p99`, or a figure of the network, as in `topology.figures.switches`. An event is written as
`RFNM arrives`, or, of another message, as `RFNM arrives (i-4)`.
"""

SHARED = frozenset({"scenario", "set", "seeds"})


@dataclass
class StudyPage(Page):
    """A page whose sections have kinds; `kinds` is where each set of them was described first."""

    kinds: dict[tuple[str, ...], tuple[str, Schema]] = field(default_factory=dict)

    def _choices(self, path: str, choices: list[Schema]) -> Iterator[str]:
        if not all("properties" in choice and "kind" in choice["properties"] for choice in choices):
            yield from super()._choices(path, choices)
            return
        titles = tuple(choice["title"] for choice in choices)
        if titles in self.kinds:
            yield from self._same_kinds(path, choices[0], *self.kinds[titles])
            return
        self.kinds[titles] = path, choices[0]["properties"]
        for nth, choice in enumerate(choices):
            first = " (without `kind`)" if nth == 0 else ""
            yield "\n" + filled(f'**`kind = "{choice["title"]}"`**{first}: {words(choice)}') + "\n"
            yield from self._fields(path, choice, SHARED | {"kind"})

    def _same_kinds(self, path: str, choice: Schema, first: str, known: Schema) -> Iterator[str]:
        """A section with kinds that have been described: what it has beside them, and what it lacks."""
        fields = choice["properties"]
        lacking = ", ".join(f"`{name}`" for name in known if name not in fields)
        yield f"\nThe kinds and their fields are those of `{first}`, without {lacking}.\n"
        own = {name: fields[name] for name in fields if name not in known}
        if own:
            yield "\nIn addition:\n"
            yield from self._fields(path, {**choice, "properties": own}, SHARED)

    def _kind(self, path: str, value: Schema) -> str:
        values = value.get("additionalProperties")
        if isinstance(values, dict) and "$ref" in values:
            return f"{self._kind(f'{path}.NAME', values)} by name"
        if "properties" not in value and value.get("type") == "object":
            return "values by name"
        if "anyOf" in value and "array" in str(value["anyOf"][-1].get("type")):
            return f"{self._kind(path, value['anyOf'][0])}, or a list of them"
        return super()._kind(path, value)

    def _named(self, path: str, name: str) -> str:
        definition = self.definitions[name]
        if definition.get("type") == "string":
            return "text"
        if "properties" not in definition and "oneOf" not in definition:
            return self._kind(path, definition)
        kind = super()._named(path, name)
        return "section" if any("properties" in choice for choice in definition.get("oneOf", ())) else kind


def page() -> str:
    """The whole page."""
    schema = study_schema()
    study = StudyPage(schema["$defs"])
    return "".join([HEADER, *study.described("## The file", "", schema), *study.below("###")])
