"""What would help: the scenario again with one thing relaxed at a time, on the same random numbers."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import engine
from hopscope.engine import Progress
from hopscope.errors import UsageError
from hopscope.estimate import Estimate, around
from hopscope.planning.relaxations import relaxations
from hopscope.planning.variants import Variant, changed
from hopscope.results.run import RunResult
from hopscope.source import messages_of

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

SEEDS = 5
MESSAGES = 20_000
FEWEST_SEEDS = 2
# Less is not worth buying, however sure it is.
WORTH = 0.01
THROUGHPUT = "throughput"
# Where scenarios have a load that is relative to what they can do.
LOADS = ("traffic.load", "arrivals.load")
# Rates of arrival that differ by less are one rate, seen in another window.
SAME_RATE = 0.01

# 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom; beyond, the normal one is as good.
_T = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_NORMAL = 1.960


@dataclass(frozen=True)
class Gain:
    """One relaxation: what it adds to throughput and takes off the mean delay, as shares of today's.

    A gain of 0.1 is 10 % more throughput, or 10 % less delay. None is a number that does not exist, as the
    delay of a saturated network; `refused` says why the change is not possible.
    """

    variant: Variant
    throughput: Estimate | None = None
    delay: Estimate | None = None
    refused: str | None = None

    def of(self, goal: str) -> Estimate | None:
        """The gain in throughput or in delay."""
        return self.throughput if goal == THROUGHPUT else self.delay

    def helps(self, goal: str) -> bool:
        """Whether the gain is surely above nothing, and worth having."""
        gain = self.of(goal)
        return gain is not None and gain.low > 0 and gain.value >= WORTH

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "what": self.variant.name,
            "set": list(self.variant.overrides),
            "throughput_gain": _data(self.throughput),
            "delay_gain": _data(self.delay),
            "refused": self.refused,
        }


@dataclass(frozen=True)
class WhatIf:
    """Relaxations, ranked by their gain: in "throughput" where anything surely adds to it, else in delay."""

    goal: str
    seeds: tuple[int, ...]
    messages: int
    gains: Sequence[Gain]

    @property
    def best(self) -> Gain | None:
        """What helps most; None where nothing single surely helps."""
        return next((gain for gain in self.gains if gain.helps(self.goal)), None)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.best is None:
            return "Nothing single helps: none of these changes surely gains 1 % or more."
        gain = self.best.of(self.goal)
        assert gain is not None, "what helps has a gain"
        what = "more throughput" if self.goal == THROUGHPUT else f"less {self.goal}"
        return f"What helps most: {self.best.variant.name}, {words(gain)} {what}."

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "goal": self.goal,
            "best": None if self.best is None else self.best.variant.name,
            "seeds": list(self.seeds),
            "messages": self.messages,
            "gains": [gain.to_data() for gain in self.gains],
        }

    def rows(self) -> list[tuple[str, str, str]]:
        """As a table: change, gain in throughput, gain in delay."""
        return [
            (gain.variant.name, f"not possible: {gain.refused}", "")
            if gain.refused is not None
            else (
                gain.variant.name,
                *("" if each is None else words(each) for each in (gain.throughput, gain.delay)),
            )
            for gain in self.gains
        ]


def what_if(
    scenario: "Scenario",
    why: "Explanation",
    *,
    seeds: int = SEEDS,
    messages: int = MESSAGES,
    progress: Progress | None = None,
) -> WhatIf:
    """Try every relaxation that serves a resource the run waited for, each with the scenario's own seeds.

    A run measures `messages` messages, or as many as the scenario asks for if those are fewer. Raises
    UsageError for fewer than two seeds, from which no interval could be told.
    """
    if seeds < FEWEST_SEEDS or messages < 1:
        raise UsageError(
            f"{seeds} seeds of {messages} messages give no interval", "ask for two seeds or more"
        )
    tried = relaxations(scenario, why)
    scenarios = [scenario, *(changed(scenario, variant) for variant in tried)]
    numbers = tuple(range(scenario.seed, scenario.seed + seeds))
    possible = [each for each in scenarios if not isinstance(each, str)]
    runs = iter(_simulated(_at_one_rate(possible, numbers[0], messages), numbers, messages, progress))
    base = next(runs)
    gains = [
        Gain(variant, refused=other) if isinstance(other, str) else _gain(variant, base, next(runs))
        for variant, other in zip(tried, scenarios[1:], strict=True)
    ]
    delay = base[0].summary.main_delay() or "delay"
    goal = THROUGHPUT if any(gain.helps(THROUGHPUT) for gain in gains) else delay
    if all(gain.delay is None for gain in gains):
        goal = THROUGHPUT
    return WhatIf(goal, numbers, messages, sorted(gains, key=lambda gain: _rank(gain, goal)))


def paired(base: Sequence[float], other: Sequence[float]) -> Estimate:
    """The mean relative difference of runs on the same random numbers, with its 95 % interval."""
    gains = [after / before - 1 for before, after in zip(base, other, strict=True)]
    count = len(gains)
    mean = sum(gains) / count
    deviation = math.sqrt(sum((gain - mean) ** 2 for gain in gains) / (count - 1))
    quantile = _T[count - 2] if count - 2 < len(_T) else _NORMAL
    return around(mean, quantile * deviation / math.sqrt(count), "fraction", count)


def words(gain: Estimate) -> str:
    """A gain in per cent with its interval: "+12.3 % [11.0, 13.6]"."""
    return f"{100 * gain.value:+.1f} % [{100 * gain.low:.1f}, {100 * gain.high:.1f}]"


def _at_one_rate(scenarios: Sequence["Scenario"], seed: int, messages: int) -> list["Scenario"]:
    """The scenarios, all offered what the first is, in messages a second.

    A load in the scenario is a share of what its links or stations can do: faster ones would be offered more.
    """
    canonical = json.loads(scenarios[0].canonical_json())
    paths = [path for path in LOADS if isinstance(_value(canonical, path), int | float)]
    if not paths:
        return list(scenarios)
    offered = [_offered(runs[0]) for runs in _simulated(scenarios, [seed], messages, None)]
    today, load = offered[0], _value(canonical, paths[0])
    ratios = [1.0 if today is None or not rate else today / rate for rate in offered]
    return [
        each if abs(ratio - 1) < SAME_RATE else each.with_overrides([f"{paths[0]}={load * ratio:.6g}"])
        for each, ratio in zip(scenarios, ratios, strict=True)
    ]


def _value(canonical: Any, path: str) -> Any:
    for word in path.split("."):
        canonical = canonical.get(word) if isinstance(canonical, dict) else None
    return canonical


def _offered(run: RunResult) -> float | None:
    found = run.summary.find("offered") or run.summary.find(THROUGHPUT)
    return None if found is None else found.value


def _simulated(
    scenarios: Sequence["Scenario"], seeds: Sequence[int], messages: int, progress: Progress | None
) -> list[list[RunResult]]:
    """Every scenario with every seed."""
    wanted = [
        each.with_overrides([f"seed={seed}", f"measure.messages={min(messages, messages_of(each))}"])
        for each in scenarios
        for seed in seeds
    ]
    runs = engine.sweep(wanted, progress)
    results = [RunResult.of(*pair) for pair in zip(wanted, runs, strict=True)]
    return [results[at : at + len(seeds)] for at in range(0, len(results), len(seeds))]


def _gain(variant: Variant, base: Sequence[RunResult], other: Sequence[RunResult]) -> Gain:
    delay = base[0].summary.main_delay()
    lower = None if delay is None else _paired(f"{delay}.mean", base, other)
    if lower is not None:
        lower = Estimate(-lower.value, -lower.high, -lower.low, lower.unit, lower.n)
    return Gain(variant, _paired(THROUGHPUT, base, other), lower)


def _paired(key: str, base: Sequence[RunResult], other: Sequence[RunResult]) -> Estimate | None:
    """The relative difference of a metric; None where a run has no such number, or today's is 0."""
    before, after = ([run.summary.find(key) for run in runs] for runs in (base, other))
    pairs = [
        (one.value, two.value) for one, two in zip(before, after, strict=True) if one and two and one.value
    ]
    return paired(*zip(*pairs, strict=True)) if len(pairs) == len(base) else None


def _rank(gain: Gain, goal: str) -> tuple[bool, float]:
    found = gain.of(goal)
    return (gain.refused is not None, -(found.value if found is not None else -math.inf))


def _data(gain: Estimate | None) -> dict[str, float] | None:
    return None if gain is None else {"value": gain.value, "low": gain.low, "high": gain.high}
