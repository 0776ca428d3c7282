"""What lies behind a slow subnet besides waiting: superfluous requests, refusals and slow processors.

Each is told where it matters, by a rule that stands with its constant.
"""

from hopscope.numerals import count, number, percent
from hopscope.results import subnet_words as words
from hopscope.results.summary import Summary

LEAST_SUPERFLUOUS = 0.1  # of the requests of what is measured
LEAST_REFUSAL_SHARE = 0.05  # of a message's life, waited after refusals
LEAST_SLOW_MS = 1.0  # a packet's wait for a slow processor
LEAST_SLOWNESS = 2.0  # times the wait for a fast one
LEAST_REASON = 0.01  # of all refusals; rarer reasons are not told
MOST_IMPS = 3

LACKING = {
    "acknowledgment channels": "the queue of the next line was full",
    "store-and-forward buffers": "the IMP held as many packets for others as it may",
    "buffers": "too few buffers were free",
}
"""Why a packet was refused, by the resource that was lacking."""


def told(summary: Summary, against: Summary | None, there: str) -> list[str]:
    """A sentence for each cause that matters here, beside the other run's figure, which is named `there`."""
    return [
        *_superfluous(summary, against, there),
        *_refusals(summary, against, there),
        *_slow_processors(summary),
    ]


def _superfluous(summary: Summary, against: Summary | None, there: str) -> list[str]:
    sent, superfluous = _requests(summary)
    if superfluous < max(1, LEAST_SUPERFLUOUS * sent):
        return []
    before = None if against is None else _requests(against)
    beside = "" if before is None else f" (in {there} {count(before[1])} of {count(before[0])})"
    return [
        f"{count(superfluous)} of the {count(sent)} REQALLs for these messages were superfluous{beside}: one "
        "was under way already. They hold entries and numbers all the same."
    ]


def _requests(summary: Summary) -> tuple[int, int]:
    """The REQALLs of what is measured, and how many of them were superfluous."""
    sent, superfluous = (
        summary.find(f"{name}.count") for name in ("measured requests", "superfluous measured requests")
    )
    return (0, 0) if sent is None or superfluous is None else (round(sent.value), round(superfluous.value))


def _refusals(summary: Summary, against: Summary | None, there: str) -> list[str]:
    """Who refused packets and why, where messages spent a fair part of their life on it."""
    waited = [row["share"] for row in summary.ledger() if row["stage"] == "retransmission wait"]
    refused = [row for row in summary.data["resources"] if row.get("refused")]
    total = sum(row["refused"] for row in refused)
    rate = _refused_of_100(summary)
    if rate is None or sum(waited) < LEAST_REFUSAL_SHARE:
        return []
    by_imp: dict[str, int] = {}
    by_reason: dict[str, int] = {}
    for row in refused:
        imp = row["place"].split(" -> ")[0]
        by_imp[imp] = by_imp.get(imp, 0) + row["refused"]
        by_reason[row["name"]] = by_reason.get(row["name"], 0) + row["refused"]
    most = [f"{imp} ({percent(some / total)})" for imp, some in _largest(by_imp)[:MOST_IMPS]]
    reasons = [part for part in _largest(by_reason) if part[1] >= LEAST_REASON * total]
    why = [f"{percent(some / total)} because {LACKING[name]}" for name, some in reasons]
    because = f"because {LACKING[reasons[0][0]]}" if len(reasons) == 1 else words.listed(why)
    before = None if against is None else _refused_of_100(against)
    beside = "" if before is None else f" (in {there} {number(before, 2)})"
    return [
        f"Who refused packets: for every 100 passed from IMP to IMP, {number(rate, 2)} were refused{beside}, "
        f"{because}. Those that refused most: {words.listed(most)}."
    ]


def _refused_of_100(summary: Summary) -> float | None:
    """Refusals for every 100 packets that lines carried; None where there are none."""
    rows = summary.data["resources"]
    passed = sum(row["acquisitions"] for row in rows if row["kind"] == "line")
    refused = sum(row.get("refused", 0) for row in rows)
    return 100 * refused / passed if refused and passed else None


def _largest(parts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(parts.items(), key=lambda part: -part[1])


def _slow_processors(summary: Summary) -> list[str]:
    slow, fast = (summary.find(f"processor wait of {kind}.mean") for kind in ("316s", "516s"))
    if slow is None or slow.value < LEAST_SLOW_MS:
        return []
    if fast is not None and slow.value < LEAST_SLOWNESS * fast.value:
        return []
    other = "" if fast is None else f", {words.time(fast.value)} for that of a 516"
    return [
        f"Slow IMPs: a packet waits {words.time(slow.value)} for the processor of each Honeywell 316{other}."
    ]
