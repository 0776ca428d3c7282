"""Smaller windows of bursts: a burst's outstanding packets in full buffers stop the hosts of others."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hopscope.cause import Cause
from hopscope.planning.candidates.changes import Relaxation, share
from hopscope.planning.kinds import Sort

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation

# Causes that bursts can have for others: they arrive together, and fill buffers.
OF_BURSTS = (Cause.VARIABILITY, Cause.BLOCKING)
# The window of all bursts of a fabric.
WINDOW = "traffic.bursts.window"
# Windows this many times smaller are tried.
TIMES_SMALLER = (4.0, 8.0, 16.0)


def smaller_windows(canonical: Mapping[str, Any], why: "Explanation") -> Iterator[Relaxation]:
    """Smaller windows of bursts beside messages, judged by messages and by the burst time.

    If no burst delays others, its packets wait for one another, as they would in any window.
    """
    bursts = canonical.get("traffic", {}).get("bursts")
    if bursts is None or bursts["packet_share"] == 1.0 or why.cause not in OF_BURSTS:
        return
    for factor in TIMES_SMALLER:
        smaller = round(bursts["window"] / factor)
        if smaller >= 1:
            yield Relaxation(
                f"a window of bursts {share(factor)} as large",
                (f"{WINDOW}={smaller}",),
                "bursts that may take longer",
                Cause.VARIABILITY,
                None,
                also=frozenset({Cause.BLOCKING}),
                sort=Sort.BURSTS,
                is_smaller=True,
            )
