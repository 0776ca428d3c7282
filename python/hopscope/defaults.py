"""Which default saturates a network: a value that is not given, and whose change relieves the verdict."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.overrides import at, paths_of, toml_text
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.candidates.reliefs import reliefs
from hopscope.planning.trying.relief import LOADS
from hopscope.results.outcome import Outcome

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.run import RunResult


@dataclass(frozen=True, slots=True)
class Default:
    """A default value: its path, and the value."""

    path: str
    value: Any

    def __str__(self) -> str:
        """In one line, with what to do next."""
        return (
            f"{self.path} is {toml_text(self.value)} by default, and this run saturates with it; "
            f"try another value with --set {self.path}=..."
        )


def saturating(scenario: "Scenario", run: "RunResult") -> list[Default]:
    """The defaults behind the verdict of a saturated run; none is usual.

    They are the parameters of changes that `hopscope explain` would try, which are not tried here; for an
    overload, the load. A slow cable is not caused by a default, whatever the load.
    """
    if run.outcome is not Outcome.SATURATED:
        return []
    why = run.explain()
    canonical = json.loads(scenario.canonical_json())
    for change in reliefs(relaxations_for(scenario, why), why.verdict):
        paths = dict.fromkeys(paths_of(change.set))
        # A change of given values, such as other switches, needs more than another default.
        found = [] if any(map(scenario.is_given, paths)) else list(_defaults(scenario, canonical, paths))
        if found:
            return found
    return list(_defaults(scenario, canonical, LOADS)) if why.cause == Cause.OVERLOAD else []


def _defaults(scenario: "Scenario", canonical: Any, paths: Iterable[str]) -> Iterator[Default]:
    for path in paths:
        value = at(canonical, path)
        if value is not None and not scenario.is_given(path):
            yield Default(path, value)
