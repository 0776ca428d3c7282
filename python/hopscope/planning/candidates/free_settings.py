"""Changes for a network that looks healthy: other routes, which are free, and its longest cables.

Messages may wait for links with spare time because routes bring them together. No share of waiting shows the
gain of other paths, nor the cost of a long cable.
"""

import json
from typing import TYPE_CHECKING

from hopscope.cause import Cause
from hopscope.numerals import percent
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.candidates.reliefs import CHANGES
from hopscope.planning.candidates.repairs import far_cables
from hopscope.planning.candidates.settings import Causes
from hopscope.planning.candidates.suspects import relieved_by, suspect
from hopscope.planning.kinds import Model
from hopscope.thresholds import WAITS

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# The least gain reported: a busy network gains a little by many settings, and nothing is wrong with it.
LEAST_GAIN_OF_ROUTES = 0.2
# At most this many cables are tried.
FAR_CABLES = 3
ROUTING = "routing."
OF_ROUTES = (Cause.ROUTE_CONCENTRATION, Cause.PATH_COLLISION)


def free_settings(scenario: "Scenario", why: "Explanation") -> Causes:
    """Other routes or load balancing, and each cable that is far longer than most."""
    if scenario.model != Model.FABRIC:
        return []
    far = [*far_cables(json.loads(scenario.canonical_json()))][:FAR_CABLES]
    found: Causes = [(relieved_by(each, words), [each]) for words, each in far]
    waiting = why.page["waiting"] or 0.0
    if waiting >= WAITS:
        routes = [
            each
            for each in relaxations_for(scenario, why)
            if each.cause in OF_ROUTES and all(f"{path}.".startswith(ROUTING) for path in each.paths)
        ]
        words = (
            f"Route concentration: messages wait {percent(waiting)} of their lifetime, much of it because of "
            "their routes: on other ways, or with another choice among next hops, they surely wait less."
        )
        candidate = suspect(Cause.ROUTE_CONCENTRATION, words, [], None, waiting)
        found += [(candidate, routes[:CHANGES])] if routes else []
    return found
