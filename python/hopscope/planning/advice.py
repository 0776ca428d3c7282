"""Which root, and which one added link, would carry more under up*/down*."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import engine
from hopscope.engine import Progress, ScenarioSource
from hopscope.errors import UsageError
from hopscope.overrides import Overrides, toml_text
from hopscope.planning import html, variants
from hopscope.planning.capacity import MESSAGES, SEEDS, no_network
from hopscope.planning.saturation import Saturation, find, search

if TYPE_CHECKING:
    from hopscope._core import Scenario

# So many of the most promising of each kind are simulated.
SIMULATED = 4
# AN1's switches have 12 ports.
PORTS = 12


@dataclass(frozen=True)
class Candidate:
    """A root, perhaps with a link added: what the analysis expects, and where simulation saturates."""

    root: str
    between: tuple[str, str] | None
    expected: float
    saturation: Saturation

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "root": self.root,
            "between": self.between,
            "expected": self.expected,
            "saturation": self.saturation.data(),
        }


@dataclass(frozen=True)
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

    def _repr_html_(self) -> str:
        return html.of_advice(self)


def advise(
    source: ScenarioSource,
    *,
    add_link: bool = False,
    ports: int = PORTS,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: int | None = None,
    seeds: int = SEEDS,
    messages: int = MESSAGES,
    allow_files: bool = False,
    progress: Progress | None = None,
) -> Advice:
    """Search roots, and with `add_link` one link more between switches with a free one of `ports` ports.

    All are compared by analysis, the best then by simulation with the same seeds. Errors are those of
    `capacity`; routes must be up*/down*.
    """
    scenario = engine.load(source, set, seed, allow_files=allow_files)
    if seeds < 1 or messages < 1:
        raise UsageError(f"{seeds} seeds of {messages} messages give no run", "ask for at least one of each")
    text = scenario.advice_json(add_link, ports)
    if text is None:
        raise no_network(scenario)
    analysed = json.loads(text)
    chosen = [analysed["now"], *_promising(analysed)]
    searches = [
        search(_scenario_of(scenario, each), each, range(scenario.seed, scenario.seed + seeds))
        for each in chosen
    ]
    find(searches, messages, progress)
    candidates = [
        Candidate(
            each["root"],
            None if each["between"] is None else (each["between"][0], each["between"][1]),
            each["expected"],
            found.result(),
        )
        for each, found in zip(chosen, searches, strict=True)
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
    )


def _promising(analysed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The best roots and the best links, which must promise more than today's network."""
    today = analysed["now"]["expected"]
    better = [each for each in analysed["roots"] if today is not None and each["expected"] > today]
    links = [each for each in analysed["links"] if today is not None and each["expected"] > today]
    return better[:SIMULATED] + links[:SIMULATED]


def _scenario_of(scenario: "Scenario", candidate: Mapping[str, Any]) -> "Scenario":
    """The scenario with a candidate's root and link."""
    if candidate["between"] is None:
        return scenario.with_overrides([f"routing.root={toml_text(candidate['root'])}"])
    return scenario.with_overrides(variants.with_link(scenario, candidate["between"], candidate["root"]))
