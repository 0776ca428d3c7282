"""What `hopscope run` prints about flows, beside what it prints about any run."""

from typing import TYPE_CHECKING

from hopscope.cli.table import aligned
from hopscope.numerals import count, number, percent
from hopscope.results import flows
from hopscope.results.collectives import bus_bandwidths, rate_words

if TYPE_CHECKING:
    from hopscope.results.run import RunResult
    from hopscope.results.summary import Summary

MOST_PAUSED = 3


def figures(run: "RunResult") -> list[tuple[str, str]]:
    """Rounds, slowdown, rates of hosts, fairness, convergence and pauses, as names with their values."""
    summary, rows = run.summary, []
    bandwidths = bus_bandwidths(run)
    for key in flows.rounds(summary):
        name = key.replace("[", " of ").replace("]", "")
        rows += [
            (f"{name}, {statistic}", str(found))
            for statistic in ("mean", "max")
            if (found := summary.find(f"{key}.{statistic}")) is not None
        ]
        if (bandwidth := bandwidths.get(key)) is not None:
            rows.append((f"bus bandwidth{name.removeprefix('round')}", rate_words(bandwidth)))
    for name, key in (
        ("slowdown, mean", "slowdown.mean"),
        ("slowdown, p99", "slowdown.p99"),
        ("throughput per host", "host throughput.mean"),
        ("flow fairness", "flow fairness.index"),
    ):
        found = summary.as_told(key) if summary.has(key) else None
        if found is not None:
            rows.append((name, str(found)))
    return [*rows, *_convergence(summary), *_paused(summary), *_unfinished(summary)]


def by_size(summary: "Summary") -> str:
    """Slowdowns by size of flow as a table; empty if all are of one class."""
    rows = []
    for name in flows.size_classes(summary):
        found = [summary.find(f"slowdown[{name}].{statistic}") for statistic in ("mean", "p50", "p99", "max")]
        shown = ["none" if estimate is None else number(estimate.value, 3) for estimate in found]
        seen = max((estimate.n for estimate in found if estimate is not None), default=0)
        rows.append((name, count(seen), *shown))
    heads = ("slowdown by size", "flows", "mean", "median", "p99", "max")
    return aligned(heads, rows, right=(1, 2, 3, 4, 5)) if rows else ""


def _convergence(summary: "Summary") -> list[tuple[str, str]]:
    if not summary.has("convergence.mean"):
        return []
    mean, most = summary.find("convergence.mean"), summary.find("convergence.max")
    names = ("converged", "not converged", "too short")
    counts = [summary.find(f"{name}.count") for name in names]
    converged, not_converged, too_short = (0 if found is None else int(found.value) for found in counts)
    changes = converged + not_converged + too_short
    words = f"{count(converged)} of {count(changes)}"
    if too_short:
        words += f", {count(too_short)} too short to tell"
    rows = [("changes converged", words)]
    if mean is None or most is None:
        return [("convergence", "not converged"), *rows]
    return [("convergence, mean", str(mean)), ("convergence, max", str(most)), *rows]


def _paused(summary: "Summary") -> list[tuple[str, str]]:
    most = flows.most_paused(summary, MOST_PAUSED)
    if not most:
        return []
    links = ", ".join(f"{name} {percent(share)}" for name, share in most)
    share = summary.find("paused")
    mean = "" if share is None else f"{percent(share.value)} of link time; most: "
    return [(flows.held_back_by(summary), f"{mean}{links}")]


def _unfinished(summary: "Summary") -> list[tuple[str, str]]:
    begun, left = summary.find("flows.count"), summary.find("unfinished flows.count")
    if begun is None or left is None:
        return []
    words = f"{count(int(begun.value))}, {count(int(left.value))} unfinished"
    return [("flows", words if left.value else f"{count(int(begun.value))}, all finished")]
