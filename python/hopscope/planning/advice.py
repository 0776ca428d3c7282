"""Which routes, which root and which one added link would carry more."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import engine
from hopscope.bars import with_bar
from hopscope.engine import ScenarioSource
from hopscope.errors import UsageError
from hopscope.overrides import Overrides, options
from hopscope.planning import html, variants
from hopscope.planning.capacity import MESSAGES, SEEDS, no_network
from hopscope.planning.saturation import Saturation, find, search, seeds_of
from hopscope.watching import Watch, callback

if TYPE_CHECKING:
    from hopscope._core import Scenario

# So many of the most promising of each kind are simulated.
SIMULATED = 4


@dataclass(frozen=True)
class Candidate:
    """Routes, perhaps with a link added: what the analysis expects, and where simulation saturates.

    `routing` is "as now", "up-down" with its `root`, or "shortest"; `set` are the overrides that apply it.
    """

    routing: str
    root: str | None
    between: tuple[str, str] | None
    set: tuple[str, ...]
    expected: float
    saturation: Saturation

    @property
    def routes(self) -> str:
        """The routes in words."""
        return {"as now": "as now", "shortest": "all shortest paths"}.get(self.routing, f"root {self.root}")

    @property
    def apply(self) -> str:
        """The options that apply it."""
        return options(self.set)

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "routing": self.routing,
            "root": self.root,
            "set": list(self.set),
            "between": self.between,
            "expected": self.expected,
            "saturation": self.saturation.data(),
        }


@dataclass(frozen=True, repr=False)
class Advice:
    """Today's root and the candidates that were simulated, with how many were looked at in all."""

    name: str
    title: str
    now: Candidate
    candidates: Sequence[Candidate]
    roots: int
    links: int
    possible_links: int
    analysed: Mapping[str, Any]
    add_link: bool

    @property
    def best(self) -> Candidate:
        """The candidate that carries most; today's where none surely carries more."""
        better = [each for each in self.candidates if each.saturation.surely_above(self.now.saturation)]
        return max(better, key=lambda each: each.saturation.load, default=self.now)

    def data(self) -> dict[str, Any]:
        """Everything found, as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "now": self.now.data(),
            "best": self.best.data(),
            "candidates": [each.data() for each in self.candidates],
            "analysed": dict(self.analysed),
        }

    def to_json(self) -> str:
        """Everything found, as JSON."""
        return json.dumps(self.data(), indent=1, ensure_ascii=False)

    def __repr__(self) -> str:
        """One line: today's saturation load and the best one."""
        now, best = self.now.saturation.load, self.best.saturation.load
        return f"<Advice {self.name}: saturates at {now:.3g} now, at {best:.3g} with {self.best.routes}>"

    def _repr_html_(self) -> str:
        return html.of_advice(self)


@with_bar
def advise(
    source: ScenarioSource,
    *,
    add_link: bool = False,
    ports: int | None = None,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: int | None = None,
    seeds: int = SEEDS,
    messages: int = MESSAGES,
    allow_files: bool = False,
    progress: Watch = None,
) -> Advice:
    """Search other routes, and with `add_link` one link more between switches with free ports.

    Switches have the ports that the network's file or family says, or `ports`. All candidates are compared by
    analysis, the best then by simulation with the same seeds. Errors are those of `capacity`.
    """
    progress = callback(progress)
    scenario = engine.load(source, set, seed, allow_files=allow_files)
    if seeds < 1 or messages < 1:
        raise UsageError(f"{seeds} seeds of {messages} messages give no run", "ask for at least one of each")
    text = scenario.advice_json(add_link, ports)
    if text is None:
        raise no_network(scenario)
    analysed = json.loads(text)
    chosen = [{**analysed["now"], "today": True}, *_promising(analysed)]
    overrides = [_overrides(scenario, each) for each in chosen]
    searches = [
        search(scenario.with_overrides(list(changes)), each, seeds_of(scenario, seeds))
        for each, changes in zip(chosen, overrides, strict=True)
    ]
    find(searches, messages, progress)
    candidates = [
        Candidate(
            each["routing"],
            each["root"],
            None if each["between"] is None else (each["between"][0], each["between"][1]),
            changes,
            each["expected"],
            found.result(),
        )
        for each, changes, found in zip(chosen, overrides, searches, strict=True)
    ]
    now, *others = candidates
    others.sort(key=lambda each: -each.saturation.load)
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
    )


def _promising(analysed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The best routes and the best links, which must promise more than today's network.

    Routes instead of tables or another rule are always tried: the analysis knows nothing of what a deadlock
    or an uneven choice among paths costs today's.
    """
    today = analysed["now"]["expected"]
    is_other = analysed["now"]["routing"] == "as now"
    better = [
        each for each in analysed["roots"] if is_other or (today is not None and each["expected"] > today)
    ]
    links = [each for each in analysed["links"] if today is not None and each["expected"] > today]
    return better[:SIMULATED] + links[:SIMULATED]


def _overrides(scenario: "Scenario", candidate: Mapping[str, Any]) -> tuple[str, ...]:
    """The overrides that give a scenario a candidate's routes and link; none for today's."""
    canonical = json.loads(scenario.canonical_json())
    link = [] if candidate["between"] is None else [variants.added_link(canonical, candidate["between"])]
    today = candidate["between"] is None and candidate.get("today", False)
    return () if today else (*link, *variants.rerouted(canonical, candidate))
