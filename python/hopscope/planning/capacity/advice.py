"""Which routes, which root and which one added link would carry more."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, SupportsIndex

from hopscope import _core, engine
from hopscope.engine import ScenarioSource
from hopscope.errors import other_model
from hopscope.overrides import Overrides, options, true_or_false, whole_number_from
from hopscope.planning.candidates import variants
from hopscope.planning.candidates.engine_tables import best_tables
from hopscope.planning.candidates.engine_tables import file_of as tables_file
from hopscope.planning.candidates.variants import without_loop
from hopscope.planning.capacity import html, words
from hopscope.planning.capacity.capacity import MESSAGES, SEEDS, bounds_of
from hopscope.planning.capacity.saturation import Saturation, find, search, seeds_of, thoroughness
from hopscope.planning.credit_loop import never_stops
from hopscope.planning.kinds import Routing
from hopscope.progress import Progress, Watch, callback, watched
from hopscope.progress_bar import with_bar

if TYPE_CHECKING:
    from hopscope._core import Scenario

# At most this many of the most promising of each kind are simulated.
SIMULATED = 4
# Tables of an engine are worth a simulation if their links carry this many times as much as the current ones.
WORTH_TRYING = 1.02
# Networks of more hosts than this are compared by analysis alone: a run would take longer than the analysis.
MOST_HOSTS_SIMULATED = 10_000


@dataclass(frozen=True)
class RouteOption:
    """Routes, perhaps with a link added: what the analysis expects, and where simulation saturates.

    Up*/down* has its `root`, tables their `engine` with its `roots`; `set` are the overrides that apply it.
    `saturation` is None if nothing was simulated.
    """

    routing: Routing
    root: str | None
    between: tuple[str, str] | None
    set: tuple[str, ...]
    expected: float
    saturation: Saturation | None
    engine: str | None = None
    roots: tuple[str, ...] = ()
    replaces_cables: bool = False

    @property
    def routes(self) -> str:
        """The routes in words."""
        return words.routes(self)

    @property
    def apply(self) -> str:
        """The options that apply it."""
        return options(self.set)

    @property
    def load(self) -> float:
        """The simulated saturation load, else the expected one."""
        return self.expected if self.saturation is None else self.saturation.load

    def is_better_than(self, other: "RouteOption") -> bool:
        """Whether it surely carries more; without a simulation, whether it is expected to."""
        if self.saturation is None or other.saturation is None:
            return self.expected > WORTH_TRYING * other.expected
        return self.saturation.surely_above(other.saturation)

    def data(self) -> dict[str, object]:
        """The same as in JSON."""
        return {
            "routing": str(self.routing),
            "root": self.root,
            "engine": self.engine,
            "roots": list(self.roots),
            "replaces_cables": self.replaces_cables,
            "set": list(self.set),
            "between": self.between,
            "expected": self.expected,
            "saturation": None if self.saturation is None else self.saturation.data(),
        }


@dataclass(frozen=True, repr=False)
class Advice:
    """The current root and the simulated candidates, with the number of all that were compared.

    `credit_loop` is the number of links in a credit loop of the current routes, a possible deadlock; None if
    there is none.
    """

    name: str
    title: str
    now: RouteOption
    candidates: Sequence[RouteOption]
    roots: int
    links: int
    possible_links: int
    analysed: Mapping[str, Any]
    add_link: bool
    has_tables: bool
    credit_loop: int | None = None

    @property
    def best(self) -> RouteOption:
        """The routes that carry most; the current ones if none surely carries more.

        If the current ones have a credit loop, the best ones without, whatever they carry.
        """
        others = [each for each in self.candidates if not each.replaces_cables and each is not self.now]
        if self.credit_loop is None:
            better = [each for each in others if each.is_better_than(self.now)]
        else:
            better = [each for each in others if each.routing is not Routing.AS_NOW]
        return max(better, key=lambda each: each.load, default=self.now)

    @property
    def replaced(self) -> RouteOption | None:
        """The current routes without the slow cables, if these surely limit the network."""
        found = (each for each in self.candidates if each.replaces_cables)
        return next((each for each in found if each.is_better_than(self.now)), None)

    @property
    def is_simulated(self) -> bool:
        """Whether candidates were simulated, and not only compared by analysis."""
        return self.now.saturation is not None

    @property
    def engines(self) -> Sequence[Mapping[str, Any]]:
        """Routing engines with the analysis of their tables; the current routes first."""
        return self.analysed["engines"]["rows"]

    @property
    def needs_tables(self) -> bool:
        """Whether an InfiniBand fabric has no tables, and no subnet manager computes the best routes.

        It computes up*/down* tables from a single root by itself.
        """
        is_told = self.best.engine is not None or self.best.root is not None or self.best.between is not None
        return self.analysed["guids"] is not None and not self.has_tables and not is_told

    @property
    def best_tables(self) -> Mapping[str, Any] | None:
        """The safe tables of an engine that carry most by the analysis; None if none are safe."""
        safe = [each for each in self.engines[1:] if each.get("safe")]
        return max(safe, key=lambda each: each["carries"] or 0.0, default=None)

    def guids(self, names: Sequence[str]) -> list[str]:
        """The GUIDs of switches, for OpenSM; none unless it is an InfiniBand fabric from a file."""
        known = self.analysed["guids"] or {}
        return [known[name] for name in names if name in known]

    def data(self) -> dict[str, Any]:
        """Everything found, as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "now": self.now.data(),
            "best": self.best.data(),
            "replaced": None if self.replaced is None else self.replaced.data(),
            "candidates": [each.data() for each in self.candidates],
            "credit_loop": self.credit_loop,
            "analysed": dict(self.analysed),
        }

    def to_json(self) -> str:
        """Everything found, as JSON."""
        return json.dumps(self.data(), indent=1, ensure_ascii=False)

    def __repr__(self) -> str:
        """One line: today's saturation load and the best one."""
        best = "" if self.best is self.now else f", at {self.best.load:.3g} with {self.best.routes}"
        return f"<Advice {self.name}: saturates at {self.now.load:.3g} now{best}>"

    def _repr_html_(self) -> str:
        return html.of_advice(self)


@with_bar
def advise(
    source: "ScenarioSource | Scenario",
    *,
    add_link: bool = False,
    ports: SupportsIndex | None = None,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: SupportsIndex | None = None,
    seeds: SupportsIndex = SEEDS,
    messages: SupportsIndex = MESSAGES,
    allow_files: bool = False,
    progress: Watch = None,
) -> Advice:
    """Search other routes, and with `add_link` one more link between switches with free ports.

    Switches have the ports that the network's file or family says, or `ports`. All candidates are compared by
    analysis, the best then by simulation with the same seeds, unless the network has more than 10,000 hosts.
    Errors are those of `capacity`.
    """
    progress = callback(progress)
    seeds, messages = thoroughness(seeds, messages)
    add_link = true_or_false("add_link", add_link)
    if ports is not None:
        ports = whole_number_from("ports", ports, 1, 36)
    scenario = engine.load(source, set, seed, allow_files=allow_files)
    with watched() as told:
        text = scenario.advice_json(add_link, ports, True, told)
    if text is None:
        raise other_model("advise", "`fabric`", scenario.name, scenario.model)
    analysed = json.loads(text)
    loop = _credit_loop(scenario, analysed)
    chosen = [
        {**analysed["now"], "today": True},
        *_without_slow_cables(analysed),
        *([] if loop is None else _dimension_order(scenario)),
        *_promising(scenario, analysed),
    ]
    if analysed["hosts"] <= MOST_HOSTS_SIMULATED:
        found = _saturations(scenario, chosen, seeds_of(scenario, seeds), messages, progress)
    else:
        found = [None] * len(chosen)
    now, *others = [_candidate(scenario, *each) for each in zip(chosen, found, strict=True)]
    others.sort(key=lambda each: -each.load)
    return Advice(
        scenario.name,
        scenario.title,
        now,
        [now, *others],
        len(analysed["roots"]),
        len(analysed["links"]),
        analysed["possible_links"],
        analysed,
        add_link,
        bool(json.loads(scenario.canonical_json())["routing"].get("tables")),
        loop,
    )


def _credit_loop(scenario: "Scenario", analysed: Mapping[str, Any]) -> int | None:
    """The number of links in a credit loop of the current routes; None if none, or if no buffer stops."""
    return None if never_stops(scenario) else analysed["engines"]["rows"][0]["credit_loop"]


def _dimension_order(scenario: "Scenario") -> list[dict[str, Any]]:
    """Routes in dimension order where they apply and have no credit loop."""
    rule = Routing.DIMENSION_ORDER
    for overrides in (found for each, found in without_loop(scenario) if each is rule):
        bounds = bounds_of(scenario.with_overrides(list(overrides)))
        loads = {"expected": bounds["expected"], "at_most": bounds["at_most"]}
        return [{"routing": rule, "root": None, "between": None, **loads}]
    return []


def _saturations(
    scenario: "Scenario",
    chosen: Sequence[Mapping[str, Any]],
    seeds: Sequence[int],
    messages: int,
    progress: Progress | None,
) -> list[Saturation | None]:
    """The saturation of each candidate. Tables of engines are in files while they are simulated."""
    with TemporaryDirectory(prefix="hopscope-") as folder:
        searches = []
        for each in chosen:
            changes = _overrides(scenario, each)
            if name := each.get("engine"):
                file = Path(folder) / tables_file(name)
                with file.open("wb") as written:
                    written.writelines(_core.routes(scenario, name, list(each["roots"])))
                changes = (_with_tables(scenario, str(file)),)
            searches.append(search(scenario.with_overrides(list(changes)), each, seeds))
        find(searches, messages, progress)
        return [each.result() for each in searches]


def _candidate(scenario: "Scenario", each: Mapping[str, Any], found: Saturation | None) -> RouteOption:
    """A candidate of the analysis with its simulated saturation."""
    return RouteOption(
        Routing(each["routing"]),
        each["root"],
        None if each["between"] is None else (each["between"][0], each["between"][1]),
        _overrides(scenario, each),
        each["expected"],
        found,
        each.get("engine"),
        tuple(each.get("roots", ())),
        each.get("replaces_cables", False),
    )


def _with_tables(scenario: "Scenario", file: str) -> str:
    """The override that gives a scenario the tables in a file."""
    return variants.with_tables(json.loads(scenario.canonical_json()), file)


def _without_slow_cables(analysed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The current routes without slow cables, if the analysis expects a gain."""
    slow, now = analysed["slow_cables"], analysed["now"]
    if slow is None or None in (slow["expected"], now["expected"]):
        return []
    gains = slow["expected"] > WORTH_TRYING * now["expected"]
    # The present bound may be a slow cable itself.
    without = {**now, "expected": slow["expected"], "at_most": None, "replaces_cables": True}
    return [without] if gains else []


def _promising(scenario: "Scenario", analysed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The best routes, engines and links, which must promise more than the current network.

    Routes instead of tables or another rule are always tried: the analysis does not include the cost of a
    deadlock or of an uneven choice among paths. A single root instead of those of the family does not avoid
    an uneven choice: it has to promise more as well.
    """
    today = analysed["now"]["expected"]
    routing = json.loads(scenario.canonical_json())["routing"]
    is_by_family = routing["rule"] == Routing.BY_FAMILY and "tables" not in routing
    is_other = analysed["now"]["routing"] == Routing.AS_NOW and not is_by_family
    better = [
        each for each in analysed["roots"] if is_other or (today is not None and each["expected"] > today)
    ]
    links = [each for each in analysed["links"] if today is not None and each["expected"] > today]
    return better[:SIMULATED] + _engines(analysed) + links[:SIMULATED]


def _engines(analysed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Engines with safe tables whose links carry more than with the current routes, the best first.

    For a fabric's file without such engines, the best tables that carry as much: each host has one path in
    them, whereas a hash picks paths unevenly, which the analysis does not include.
    """
    rows = analysed["engines"]["rows"]
    now, *others = rows
    if now["carries"] is None:
        return []
    better = [
        each
        for each in others
        if each.get("safe") and each["carries"] and each["carries"] > WORTH_TRYING * now["carries"]
    ]
    if not better and analysed.get("facts") and (as_good := best_tables(rows)):
        better = [as_good]
    better.sort(key=lambda each: -each["carries"])
    return [
        {
            "routing": Routing.TABLES,
            "root": None,
            "between": None,
            "engine": each["engine"],
            "roots": each["roots"],
            "expected": each["carries"],
            "at_most": each["carries"],
        }
        for each in better[:SIMULATED]
    ]


def _overrides(scenario: "Scenario", candidate: Mapping[str, Any]) -> tuple[str, ...]:
    """The overrides that give a scenario a candidate's routes and link; none for the current ones."""
    if candidate.get("replaces_cables"):
        return ("upgrade.replace_slow_cables=true",)
    if name := candidate.get("engine"):
        return (_with_tables(scenario, tables_file(name)),)
    canonical = json.loads(scenario.canonical_json())
    link = [] if candidate["between"] is None else [variants.added_link(canonical, candidate["between"])]
    today = candidate["between"] is None and candidate.get("today", False)
    return () if today else (*link, *variants.rerouted(canonical, candidate))
