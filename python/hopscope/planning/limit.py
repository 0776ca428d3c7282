"""Which switch holds a saturated network back, as the engine's explanation of a run tells."""

from dataclasses import dataclass

from hopscope.results.run import RunResult


@dataclass(frozen=True)
class Limit:
    """The switch at which back-pressure begins, and its busiest output.

    `stops` is the share of time for which the links into it are stopped, on average over those used;
    `is_stopped` that of its own output that is stopped most. Both are 0 where FIFOs are unbounded, and the
    switch is then the one with the fullest FIFO. `link_is_full` tells whether that output hardly ever rests.
    """

    switch: str
    link: str
    to_host: bool
    utilisation: float
    stops: float
    is_stopped: float
    link_is_full: bool
    load: float

    def data(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "switch": self.switch,
            "busiest_output": self.link,
            "to_host": self.to_host,
            "utilisation": self.utilisation,
            "links_into_it_stopped": self.stops,
            "its_links_stopped": self.is_stopped,
            "seen_at_load": self.load,
        }


def limit(run: RunResult, load: float) -> Limit | None:
    """Where a run's network is held back; None where nothing was carried."""
    found = run.explain().back_pressure
    if found is None:
        return None
    link = f"{found['switch']} - {found['to']}"
    measured = (found["utilisation"], found["stops"], found["is_stopped"], found["link_is_full"])
    return Limit(found["switch"], link, found["to_host"], *measured, load)
