"""Forwarding tables of a routing engine instead of the current routes, to be tried in short runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.cause import Cause
from hopscope.planning.candidates import variants
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.kinds import NodeKind

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# Up to this many table entries, hosts times switches, all engines together take no longer than a short run.
MOST_ENTRIES = 20_000
# The causes that tables relieve if they separate flows that a hash puts on one link.
_PARTS_FLOWS = frozenset({Cause.BLOCKING, Cause.PATH_COLLISION})


def file_of(engine: str) -> str:
    """The file name of an engine's tables."""
    return f"{engine}.lfts"


def best_tables(rows: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The engine with safe tables whose links carry most, by the analysis.

    None if the current routes, the first of the rows, carry more. Equality is enough: the analysis assumes
    even shares of paths, but a hash picks paths unevenly, and tables with one port for each host do not.
    """
    today, *others = rows
    safe = [each for each in others if each.get("safe") and each["carries"]]
    best = max(safe, key=lambda each: each["carries"], default=None)
    if best is None or today["carries"] is None or best["carries"] < variants.ALMOST * today["carries"]:
        return None
    return best


@dataclass(frozen=True, slots=True)
class SafeTables:
    """Tables in a folder of their own while they are tried; `told` are the overrides without that folder."""

    change: Relaxation
    told: tuple[str, ...]

    def by_name(self, why: "Explanation") -> "Explanation":
        """An explanation whose trials name the file of these tables without its folder."""
        if why.confirmation is None:
            return why
        trials = tuple(
            replace(trial, set=self.told) if trial.set == self.change.set else trial
            for trial in why.confirmation.trials
        )
        return replace(why, confirmation=replace(why.confirmation, trials=trials))


def safe_tables(scenario: "Scenario", folder: Path) -> SafeTables | None:
    """The best safe tables of an engine, written into a folder; None if none are worth a try.

    For networks from a file, and for scenarios that already have tables: a network described in a scenario
    has its routes chosen there.
    """
    rows = _compared(scenario)
    best = None if rows is None else best_tables(rows)
    if rows is None or best is None:
        return None
    file = folder / file_of(best["engine"])
    with file.open("wb") as written:
        written.writelines(_core.routes(scenario, best["engine"], list(best["roots"])))
    carries_more = best["carries"] > variants.WORTH_A_LINK * rows[0]["carries"]
    canonical = json.loads(scenario.canonical_json())
    change = Relaxation(
        f"tables of `hopscope routes FABRIC --engine {best['engine']} --out {file.name}`",
        (variants.with_tables(canonical, str(file)),),
        "new tables",
        Cause.ROUTE_CONCENTRATION,
        None,
        also=_PARTS_FLOWS | {Cause.RESOURCE} if carries_more else _PARTS_FLOWS,
    )
    return SafeTables(change, (variants.with_tables(canonical, file.name),))


def entries_of(topology: Mapping[str, Any]) -> int:
    """The number of table entries of a network: hosts times switches."""
    hosts = sum(NodeKind(node["kind"]) is NodeKind.HOST for node in topology["nodes"])
    return hosts * (len(topology["nodes"]) - hosts)


def _compared(scenario: "Scenario") -> list[Mapping[str, Any]] | None:
    """The current routes and the tables of each engine, compared by analysis; None if none are tried."""
    told = json.loads(scenario.topology_json() or "{}")
    if not told.get("facts") and "tables" not in json.loads(scenario.canonical_json()).get("routing", {}):
        return None
    if entries_of(told) > MOST_ENTRIES:
        return None
    try:
        advised = json.loads(scenario.advice_json(False, None, True) or "null")
    except _core.ScenarioError:
        # Flows have no load to bound.
        return None
    return None if advised is None else advised["engines"]["rows"]
