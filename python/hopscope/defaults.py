"""Which default saturates a network: a value that nobody has given, and whose change relieves the verdict."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.overrides import at, toml_text
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.candidates.reliefs import reliefs
from hopscope.planning.trying.relief import LOADS
from hopscope.results.explanation import OVERLOAD

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.run import RunResult

SATURATED = "saturated"


@dataclass(frozen=True, slots=True)
class Default:
    """A value that nobody has given: its path, and what it is."""

    path: str
    value: Any

    def __str__(self) -> str:
        """In one line, with what to do next."""
        return (
            f"saturated at a default: nothing sets {self.path}, which is {toml_text(self.value)}; "
            "`hopscope explain` tries others"
        )


def saturating(scenario: "Scenario", run: "RunResult") -> list[Default]:
    """The defaults behind the verdict of a saturated run; none is usual.

    They are what the changes set that `hopscope explain` would try, which has not been tried here; of an
    overload, the load. A slow cable is no default's fault, whatever the load.
    """
    if run.outcome != SATURATED:
        return []
    why = run.explain()
    canonical = json.loads(scenario.canonical_json())
    for change in reliefs(relaxations_for(scenario, why), why.verdict):
        paths = dict.fromkeys(text.partition("=")[0] for text in change.set)
        # A change of what was given, such as other switches, needs more than another default beside it.
        found = [] if any(map(scenario.is_given, paths)) else list(_defaults(scenario, canonical, paths))
        if found:
            return found
    return list(_defaults(scenario, canonical, LOADS)) if why.cause == OVERLOAD else []


def _defaults(scenario: "Scenario", canonical: Any, paths: Iterable[str]) -> Iterator[Default]:
    for path in paths:
        value = at(canonical, path)
        if value is not None and not scenario.is_given(path):
            yield Default(path, value)
