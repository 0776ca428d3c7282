"""Changes for a network that looks healthy: other routes, which are free, and its longest cables.

Messages may wait for links with spare time because routes bring them together. No share of waiting shows the
gain of other paths, nor the cost of a long cable.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.numerals import percent
from hopscope.planning.candidates.changes import Relaxation
from hopscope.planning.candidates.relaxations import relaxations_for
from hopscope.planning.candidates.reliefs import CHANGES
from hopscope.planning.candidates.repairs import far_cables
from hopscope.planning.candidates.settings import Causes
from hopscope.planning.candidates.suspects import relieved_by, suspect
from hopscope.planning.kinds import Model, Sort
from hopscope.thresholds import LEAST_WAIT, WAITS

if TYPE_CHECKING:
    from hopscope._core import Scenario
    from hopscope.results.explanation import Explanation

# The least gain reported: a busy network gains a little by many settings, and nothing is wrong with it.
LEAST_GAIN_OF_ROUTES = 0.2
# At most this many cables are tried.
FAR_CABLES = 3
ROUTING = "routing."
ALL_TO_ALL = "all-to-all"
# What has to end before the next stage, by the order of the flows.
STAGES = {"barrier": "all flows of the previous one have", "staged": "its own flow of the previous one has"}
OF_ROUTES = (Cause.ROUTE_CONCENTRATION, Cause.PATH_COLLISION)


def free_settings(scenario: "Scenario", why: "Explanation") -> Causes:
    """Other routes or load balancing, no stages of a job, and each cable far longer than most."""
    if scenario.model != Model.FABRIC:
        return []
    canonical = json.loads(scenario.canonical_json())
    far = [*far_cables(canonical)][:FAR_CABLES]
    found: Causes = [(relieved_by(each, words), [each]) for words, each in far]
    waiting = why.page["waiting"] or 0.0
    if waiting < LEAST_WAIT:
        found += _all_at_once(canonical)
    if waiting >= WAITS:
        routes = [
            each
            for each in relaxations_for(scenario, why)
            if each.cause in OF_ROUTES and all(f"{path}.".startswith(ROUTING) for path in each.paths)
        ]
        words = (
            f"Route concentration: messages wait {percent(waiting)} of their lifetime, much of it because of "
            "their routes: on other routes, or with another choice among next hops, they wait less."
        )
        candidate = suspect(Cause.ROUTE_CONCENTRATION, words, [], None, waiting)
        found += [(candidate, routes[:CHANGES])] if routes else []
    return found


def _all_at_once(canonical: Mapping[str, Any]) -> Causes:
    """Each all-to-all whose hosts wait for a stage to end, with all of its flows at once.

    A flow alone on its links waits for nothing, and they idle while the next stage has not begun. That is no
    wait of a message, so no share of waiting tells of it.
    """
    found: Causes = []
    for number, group in enumerate(canonical.get("flows", ())):
        stages = STAGES.get(group["pattern"].get(ALL_TO_ALL, {}).get("order"))
        if stages is None:
            continue
        change = Relaxation(
            "all flows of a round at once",
            (f'flows[{number}].pattern.{ALL_TO_ALL}.order="at-once"',),
            "longer queues",
            Cause.WINDOW,
            None,
            sort=Sort.STEPS,
        )
        name = f"`{group['name']}`" if "name" in group else "the all-to-all"
        words = (
            f"Stages: a host starts the next stage of {name} only when {stages} ended. Links idle in between."
        )
        found.append((suspect(Cause.WINDOW, words, [], None), [change]))
    return found
