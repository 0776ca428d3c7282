"""The sections of a run's page that are about flows."""

from typing import TYPE_CHECKING

from hopscope.charts import of_flows
from hopscope.errors import UsageError
from hopscope.results import flows

if TYPE_CHECKING:
    import altair as alt

    from hopscope.report.page import Page
    from hopscope.results.run import RunResult

_CHARTS = (
    (
        of_flows.completion,
        "Completion times",
        "From the start of a flow to the arrival of its last byte.",
    ),
    (
        of_flows.slowdown,
        "Slowdown by size",
        "Completion time relative to an idle network, by flow size.",
    ),
    (of_flows.rounds, "Rounds", "From the start of a round to the end of its last flow."),
    (of_flows.pauses, "Stopped links", "By pause frames, or without credits."),
)


def add(page: "Page", run: "RunResult") -> None:
    """Charts of flows, where the run has any, two beside each other."""
    if not flows.has_flows(run.summary):
        return
    entries: list[tuple[str, str, alt.Chart]] = []
    for draw, heading, note in _CHARTS:
        try:
            entries.append((heading, note, draw(run)))
        except UsageError:
            continue
    for first in range(0, len(entries), 2):
        page.charts(entries[first : first + 2])
