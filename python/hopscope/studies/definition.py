"""study.toml: which cells a study has, and how each is measured.

The top has `title`, `source`, `published` (a file of published/) and one [[cell]] for each published cell,
with its `id`, its `reason` to print where it misses, and the quantity that it measures, by its `kind`:

- "metric" (when no kind is named): `metric`, or a figure of the network such as "topology.figures.switches"
  (of a figure that is a list: how many it names); with `per`, as a multiple of this much, such as 0.1 Gbit/s;
- "share": the share of a message's latency that goes into `resource`, waits for it included, for messages of
  one `class` ("all" unless named), by the ledger;
- "crossing": the value of `over` at which `metric` passes `threshold`, to `resolution`; saturation is above;
- "difference", "ratio": of the quantities `first` and `second`;
- "spread": the quantity `of` at every value of `over`: median, least and largest;
- "least", "greatest": the quantity `of` at every value of `over`: the smallest, the largest;
- "equal": `pairs` of `first` and `second`, which should agree;
- "order": names of the tables in `of`, joined by "<", "<<", "~" and "<~", as in "torus < floors ~ mstage";
- "noise": between what a `metric` that is a correlation coefficient lies where nothing is correlated;
- "constant": a `value` of the study's own, to compare with;
- "resource": a `figure` ("peak", "occupancy", "utilisation", "waiting", "acquisitions") of the `resource` at
  a `place`, or with `held_in` the mean amount that holders in this stage have of it;
- "events": that `events`, such as "RFNM arrives (i-4)", happened once each and in this order for every i in
  `messages`; the run must keep journeys;
- "replay": routing messages in the order of `steps` on the tables of `imps`, with `hold_down`; every `cell`
  that they leave behind as printed. A `misprint` is what the page says where it cannot be meant.

`over` is a table of one path with a list of values or a range "0.1..0.7:0.1". Every table may hold
`scenario`, `set` and `seeds`; inner tables inherit them from outer ones. [figure] names what to draw:
`title`, `metric`, `x_title`, `y_title`, `log`, the places on the x axis, either `over` as above or `at`,
a list of tables with `x` and `set` (also of one line alone), and one [[figure.series]] for each line: a
`label` and a quantity as in a cell, with the figure's metric (and `per`) unless it names another; a
place may name the metric, too; a line of kind "band" is a spread of which only the ends are shown. There
may be several figures, as [[figure]]. Published cells of plain metrics join the line and the place whose
scenario and values they share; `published` of a line adds others, each an id with its x. A figure of
`kind` "shares" draws instead where the time goes, by resource: `title`, `class`, and one [[figure.bar]]
with a `label` for each setting. A [histogram] is a figure of a `series` that runs keep, with titles and
[[histogram.lines]], a `label` and a setting each. [[diagram]] is in diagram.py: time and space. [[why]]
says in words what holds a run back: a `heading`, a setting, and `against`, a setting to compare with; a
`name` in either is what the sentences call it.
Under --quick the values of `[quick] set` replace all others.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from hopscope import carried, estimate
from hopscope.errors import UsageError
from hopscope.grid import parse_over
from hopscope.overrides import Value
from hopscope.results.trace import EventName
from hopscope.studies import occurrences, published, quantities
from hopscope.studies.diagram import Diagram
from hopscope.studies.evidence import ALL_CLASSES, Evidence, Setting
from hopscope.studies.histogram import Histogram
from hopscope.studies.published import PublishedCell
from hopscope.studies.quantities import Quantity
from hopscope.studies.why import Why

FILE = "study.toml"
DEFAULT_RESOLUTION = 0.005
DEFAULT_SLACK = 0.02


@dataclass(frozen=True, slots=True)
class StudyCell:
    """A published cell with the way to measure it; `reason` explains a miss."""

    published: PublishedCell
    quantity: Quantity
    reason: str


@dataclass(frozen=True, slots=True)
class FigureSeries:
    """One line of a figure: a quantity at each x, and the published values that belong to it."""

    label: str
    points: tuple[tuple[float, Quantity], ...]
    published: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """The study's figure in the axes of the paper."""

    title: str
    x_title: str
    y_title: str
    log: bool
    series: tuple[FigureSeries, ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What its points still need."""
        points = [quantity for series in self.series for _, quantity in series.points]
        return [setting for quantity in points for setting in quantity.missing(evidence)]


@dataclass(frozen=True, slots=True)
class ShareBars:
    """A figure of where the time of one class of messages goes, by resource: one bar a setting."""

    title: str
    of_class: str
    bars: tuple[tuple[str, Setting], ...]

    def missing(self, evidence: Evidence) -> list[Setting]:
        """What its bars still need."""
        return [setting for _, setting in self.bars if setting not in evidence]


@dataclass(frozen=True, slots=True)
class Definition:
    """A study, read and checked."""

    name: str
    title: str
    source: str
    readme: str
    cells: tuple[StudyCell, ...]
    figures: tuple[Figure | ShareBars, ...]
    histogram: Histogram | None
    diagrams: tuple[Diagram, ...]
    why: tuple[Why, ...]

    @property
    def figure(self) -> Figure | ShareBars | None:
        """The first figure, if any."""
        return self.figures[0] if self.figures else None


@dataclass(frozen=True, slots=True)
class _Context:
    """What inner tables inherit."""

    scenario: str | None
    set: Mapping[str, Value]
    seeds: int
    quick: Mapping[str, Value]

    def within(self, table: Mapping[str, Any]) -> "_Context":
        return replace(
            self,
            scenario=table.get("scenario", self.scenario),
            set={**self.set, **table.get("set", {})},
            seeds=table.get("seeds", self.seeds),
        )

    def with_values(self, more: Mapping[str, Value]) -> "_Context":
        return replace(self, set={**self.set, **more})

    def setting(self, more: Mapping[str, Value] | None = None) -> Setting:
        if self.scenario is None:
            raise UsageError("no `scenario` is named", "name one at the top of study.toml or in the cell")
        return Setting.of(self.scenario, {**self.set, **(more or {}), **self.quick}, self.seeds)


def study_names() -> list[str]:
    """The names of the studies that hopscope carries."""
    return sorted(
        str(PurePosixPath(path).parent)
        for path in carried.texts("studies")
        if PurePosixPath(path).name == FILE
    )


def load(name: str, quick: bool = False) -> Definition:
    """The study of this name, or in the folder of this path.

    Raises UsageError where it is missing or wrong.
    """
    folder = Path(name)
    named_by_path = (folder / FILE).exists()
    if named_by_path:
        text = (folder / FILE).read_text(encoding="utf-8")
        readme = (folder / "README.md").read_text(encoding="utf-8") if (folder / "README.md").exists() else ""
    else:
        files = carried.texts("studies")
        if f"{name}/{FILE}" not in files:
            raise UsageError(f"there is no study `{name}`", "there are: " + ", ".join(study_names()))
        text, readme = files[f"{name}/{FILE}"], files.get(f"{name}/README.md", "")
    try:
        return _definition(folder.name if named_by_path else name, tomllib.loads(text), readme, quick)
    except KeyError as missing:
        raise UsageError(f"study `{name}`: {missing} is missing", f"add it to {FILE}") from None
    except (tomllib.TOMLDecodeError, UsageError, TypeError) as wrong:
        raise UsageError(f"study `{name}`: {wrong}") from wrong


def _definition(name: str, table: Mapping[str, Any], readme: str, quick: bool) -> Definition:
    files = carried.texts("published")
    if table["published"] not in files:
        raise UsageError(
            f"there are no published figures `{table['published']}`", "there are: " + ", ".join(files)
        )
    cells = published.read(files[table["published"]])
    always = table.get("quick", {}).get("set", {}) if quick else {}
    context = _Context(None, {}, 1, always).within(table)
    read = tuple(_cell(entry, cells, context) for entry in table["cell"])
    drawn = table.get("figure", [])
    drawn = drawn if isinstance(drawn, list) else [drawn]
    return Definition(
        name,
        table["title"],
        table["source"],
        readme,
        read,
        tuple(_figure(entry, table["cell"], cells, context) for entry in drawn),
        _histogram(table["histogram"], context) if "histogram" in table else None,
        tuple(Diagram.of(entry, context.within(entry).setting()) for entry in table.get("diagram", ())),
        tuple(_why(entry, context) for entry in table.get("why", ())),
    )


def _histogram(table: Mapping[str, Any], outer: _Context) -> Histogram:
    lines = tuple((line["label"], outer.within(line).setting()) for line in table["lines"])
    return Histogram(
        table["title"], table["x_title"], table["y_title"], table["series"], table["until"], lines
    )


def _why(table: Mapping[str, Any], outer: _Context) -> Why:
    within = outer.within(table)
    against = table.get("against")
    other = None if against is None else within.within(against).setting()
    names = (table.get("name", ""), (against or {}).get("name", ""))
    return Why(table["heading"], within.setting(), other, names)


def _cell(entry: Mapping[str, Any], cells: Mapping[str, PublishedCell], context: _Context) -> StudyCell:
    if entry["id"] not in cells:
        raise UsageError(f"there is no published cell `{entry['id']}`", "see the ids in published/")
    return StudyCell(cells[entry["id"]], _quantity(entry, context), entry.get("reason", ""))


def _quantity(table: Mapping[str, Any], outer: _Context) -> Quantity:
    """The quantity that a table describes, by its `kind`; without one: a metric of one setting."""
    kind = table.get("kind", "metric")
    if kind not in _MAKERS:
        raise UsageError(f"`{kind}` is not a kind of quantity", "there are: " + ", ".join(_MAKERS))
    return _MAKERS[kind](table, outer.within(table))


def _metric(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.MetricAt(context.setting(), table["metric"], table.get("per", 1.0))


def _share(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.ShareAt(context.setting(), table["resource"], table.get("class", ALL_CLASSES))


def _crossing(table: Mapping[str, Any], context: _Context) -> Quantity:
    path, values = _swept(table["over"])
    resolution = table.get("resolution", DEFAULT_RESOLUTION)
    return quantities.Crossing(
        lambda value: context.setting({path: value}),
        tuple(values),
        table["metric"],
        table["threshold"],
        resolution,
    )


def _difference(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.Compared(
        _quantity(table["first"], context), _quantity(table["second"], context), estimate.difference
    )


def _ratio(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.Compared(
        _quantity(table["first"], context), _quantity(table["second"], context), estimate.ratio
    )


def _spread(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.Spread(_at_each(table, context))


def _band(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.Band(_at_each(table, context))


def _noise(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.Noise(context.setting(), table["metric"])


def _least(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.Extreme(_at_each(table, context), min)


def _greatest(table: Mapping[str, Any], context: _Context) -> Quantity:
    return quantities.Extreme(_at_each(table, context), max)


def _at_each(table: Mapping[str, Any], context: _Context) -> tuple[Quantity, ...]:
    """The quantity `of` at every value of `over`."""
    path, values = _swept(table["over"])
    return tuple(_quantity(table["of"], context.with_values({path: value})) for value in values)


def _equal(table: Mapping[str, Any], context: _Context) -> Quantity:
    inner = [context.within(pair) for pair in table["pairs"]]
    pairs = zip(table["pairs"], inner, strict=True)
    return quantities.Equal(
        tuple((_quantity(pair["first"], within), _quantity(pair["second"], within)) for pair, within in pairs)
    )


def _order(table: Mapping[str, Any], context: _Context) -> Quantity:
    words = table["order"].split()
    names, relations = tuple(words[::2]), tuple(words[1::2])
    parts = {name: _quantity(part, context) for name, part in table["of"].items()}
    wrong = [name for name in names if name not in parts] + [
        word for word in relations if word not in quantities.RELATIONS
    ]
    if wrong or len(names) != len(relations) + 1:
        raise UsageError(
            f"the order `{table['order']}` cannot be read",
            "write NAME < NAME ~ NAME << NAME with a table for each name",
        )
    return quantities.Order(names, relations, parts, table.get("slack", DEFAULT_SLACK))


def _constant(table: Mapping[str, Any], _: _Context) -> Quantity:
    return occurrences.Constant(float(table["value"]))


def _resource(table: Mapping[str, Any], context: _Context) -> Quantity:
    figure, held_in = table.get("figure", "occupancy"), table.get("held_in")
    if figure not in occurrences.RESOURCE_FIGURES:
        raise UsageError(
            f"`{figure}` is not a figure of a resource",
            "there are: " + ", ".join(occurrences.RESOURCE_FIGURES),
        )
    return occurrences.ResourceUse(context.setting(), table["resource"], table["place"], figure, held_in)


def _events(table: Mapping[str, Any], context: _Context) -> Quantity:
    names = tuple(EventName.parse(text) for text in table["events"])
    return occurrences.Events(context.setting(), tuple(table["messages"]), names)


def _replay(table: Mapping[str, Any], _: _Context) -> Quantity:
    return occurrences.Replay(table["hold_down"], tuple(table["imps"]), tuple(table["steps"]))


_MAKERS = {
    "metric": _metric,
    "share": _share,
    "crossing": _crossing,
    "difference": _difference,
    "ratio": _ratio,
    "spread": _spread,
    "band": _band,
    "noise": _noise,
    "least": _least,
    "greatest": _greatest,
    "equal": _equal,
    "order": _order,
    "constant": _constant,
    "resource": _resource,
    "events": _events,
    "replay": _replay,
}


def _swept(over: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """The one path of an `over` table with its values: a list, or a range "0.1..0.7:0.1"."""
    if len(over) != 1:
        raise UsageError(f"`over` names {len(over)} paths", "sweep over one")
    path, values = next(iter(over.items()))
    return parse_over(f"{path}={values}") if isinstance(values, str) else (path, list(values))


def _figure(
    table: Mapping[str, Any], entries: Any, cells: Mapping[str, PublishedCell], outer: _Context
) -> Figure | ShareBars:
    context = outer.within(table)
    if table.get("kind") == "shares":
        bars = tuple((bar["label"], context.within(bar).setting()) for bar in table["bar"])
        return ShareBars(table["title"], table.get("class", ALL_CLASSES), bars)
    common = _places(table)
    shared = {key: table[key] for key in ("metric", "per") if key in table}
    marks = [
        (entry["metric"], outer.within(entry), number)
        for entry in entries
        if entry.get("kind", "metric") == "metric" and (number := cells[entry["id"]].number) is not None
    ]
    series = []
    for line in table.get("series", [{"label": ""}]):
        quantity = {**shared, **line}
        own = context.within(line)
        places = _places(line) if "at" in line else common
        points = tuple(
            (x, _quantity({**quantity, **more}, own.with_values(values))) for x, values, more in places
        )
        joined = [
            (x, number)
            for x, values, _ in places
            for metric, chosen, number in marks
            if "kind" not in line
            and metric == quantity.get("metric")
            and chosen.scenario == own.scenario
            and _shares(chosen.set, {**line.get("set", {}), **values})
        ]
        added = [(float(x), _number_of(cells, name)) for name, x in line.get("published", {}).items()]
        series.append(FigureSeries(line.get("label", ""), points, (*joined, *added)))
    titles = (table["title"], table["x_title"], table["y_title"])
    return Figure(*titles, table.get("log", False), tuple(series))


def _places(table: Mapping[str, Any]) -> list[tuple[float, Mapping[str, Value], Mapping[str, str]]]:
    """The places on the x axis, each with the values to set there and the metric that it names, if any."""
    if "at" in table:
        return [
            (
                float(place["x"]),
                place.get("set", {}),
                {"metric": place["metric"]} if "metric" in place else {},
            )
            for place in table["at"]
        ]
    path, values = _swept(table["over"])
    return [(float(value), {path: value}, {}) for value in values]


def _shares(chosen: Mapping[str, Value], values: Mapping[str, Value]) -> bool:
    return all(path in chosen and chosen[path] == value for path, value in values.items())


def _number_of(cells: Mapping[str, PublishedCell], name: str) -> float:
    number = cells[name].number if name in cells else None
    if number is None:
        raise UsageError(f"there is no published number `{name}` to draw", "see the ids in published/")
    return number
