"""Messages that wait around a credit loop of their routes, which is not in deadlock yet."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.numerals import amount
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.suspects import suspect
from hopscope.planning.candidates.variants import without_loop
from hopscope.planning.credit_loop import has_credit_loop
from hopscope.planning.kinds import Model, Routing
from hopscope.results.candidate import Candidate
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome

if TYPE_CHECKING:
    from hopscope._core import Scenario

# Routing rules without a loop, as changes, each with its cost.
_RULES = {
    Routing.DIMENSION_ORDER: ("dimension-order routes", "virtual channels"),
    Routing.UP_DOWN: ("up*/down* routes", "longer routes, a root"),
}


def looped(
    scenario: "Scenario", why: Explanation, named: Sequence[Candidate]
) -> list[tuple[Candidate, list[Relaxation]]]:
    """A credit loop of the current routes, if queues grow and the blocking chain goes around it.

    Each link of the loop waits for room that only the next one can make. So the chain has no end: its last
    resource is as full as the rest, and more of it only moves the queue around the loop.
    """
    if why.outcome != Outcome.SATURATED or scenario.model != Model.FABRIC or not has_credit_loop(scenario):
        return []
    loop = json.loads(scenario.topology_json() or "{}")["deadlock"]["cycle"]
    waits = {frozenset(each["ends"] or ()) for each in why.chain}
    if not loop or not waits.issuperset(frozenset((each["from"], each["to"])) for each in loop):
        return []
    words = (
        f"Circular wait: the routes have a credit loop of {amount(len(loop), 'link', 'links')}, and packets "
        "wait all around it, at each link for room at the next."
    )
    routes = [
        Relaxation(_RULES[rule][0], overrides, _RULES[rule][1], Cause.CIRCULAR_WAIT, None)
        for rule, overrides in without_loop(scenario)
    ]
    return [(suspect(Cause.CIRCULAR_WAIT, words, [], None, named[0].weight), routes)] if routes else []
