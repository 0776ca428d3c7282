"""The section "Why": verdict, chain, symptoms, victims, and at every point of a sweep the verdict."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hopscope.estimate import Estimate, gain_words
from hopscope.numerals import percent
from hopscope.overrides import options, toml_text
from hopscope.report import answer
from hopscope.report.page import Cell, Page, in_greek

if TYPE_CHECKING:
    from hopscope.results.explanation import Explanation
    from hopscope.results.run import RunResult
    from hopscope.results.sweep import SweepResult

_MOST_SHOWN = 10.0
"""An unbounded gain is drawn up to this value."""


def of_run(page: Page, run: "RunResult", where: str = "") -> None:
    """Why this run was as slow as it was."""
    found = answer.explanation(run)
    if found is not None:
        _told(page, found, where, says_verdict=not _has_reasons(found))
        _holders(page, found)
        _places(page, found)


def of_sweep(page: Page, sweep: "SweepResult", shown: "RunResult", where: str) -> None:
    """The verdict at every point, and the chain at one of them."""
    rows: list[list[Cell]] = []
    for point in sweep.points:
        found = answer.explanation(point.runs[0])
        if found is None:
            return
        names = ", ".join(symptom["name"] for symptom in found.symptoms)
        settings = [toml_text(value).strip('"') for value in point.set.values()]
        rows.append([*settings, in_greek(found.sentence), names])
    told = answer.explanation(shown)
    if told is not None:
        _told(page, told, where, says_verdict=True)
    page.table(
        "Why, point by point",
        "The verdict on the first seed's run.",
        [*sweep.over, "verdict", "symptoms"],
        rows,
    )


def _told(page: Page, found: "Explanation", where: str, says_verdict: bool) -> None:
    """The basis of the verdict, with the verdict itself if this page has no answer section."""
    page.add(
        "why",
        f"Why{where}",
        link="Why",
        sentence=found.sentence if says_verdict else "",
        symptoms=[
            {"name": each["name"].capitalize(), "evidence": each["evidence"], "source": each["source"]}
            for each in found.further_symptoms
        ],
        chain=[_link(link) for link in found.chain],
        victims=_victims(found),
        tried=_tried(found),
        whatIf=_changes(found),
    )


def _has_reasons(found: "Explanation") -> bool:
    """Whether there is more than the verdict, which the answer section has already."""
    return bool(len(found.chain) > 1 or found.further_symptoms or _victims(found) or _changes(found))


def _link(link: Any) -> dict[str, Any]:
    return {
        "resource": link["resource"],
        "kind": link["kind"],
        "place": link["place"],
        "utilisation": link["utilisation"],
        "waiting": link["waiting"],
        "heldBy": link["held_by"] or "",
        "heldShare": link["held_share"] or 0.0,
    }


def _victims(found: "Explanation") -> list[str]:
    tree = found.data["congestion"].get("tree")
    if tree is None or not tree["victim_flows"]:
        return []
    example = "" if tree["example"] is None else f", such as {tree['example'][0]} -> {tree['example'][1]}"
    because = f"They wait because of {tree['root']}, which they do not pass."
    return [f"Victim flows: {tree['victim_flows']}{example}. {because}"]


def _changes(found: "Explanation") -> list[dict[str, Any]]:
    """The changes that were tried, ranked by their gain, each with the options that make it."""
    if (changes := found.changes) is not None:
        gains = [
            (each["what"], Estimate.of_data(each["gain"]), each["set"])
            for each in changes["gains"]
            if each["gain"]
        ]
        return [_change(what, gain, gain_words(gain), set_to) for what, gain, set_to in gains]
    trials = () if found.confirmation is None else found.confirmation.in_order
    return [
        _change(trial.what, trial.gain, trial.gained, trial.made_by)
        for trial in trials
        if trial.what is not None and trial.gain is not None
    ]


def _change(what: str, gain: Estimate, words: str, set_to: Sequence[str]) -> dict[str, Any]:
    return {
        "change": what,
        "gain": min(gain.value, _MOST_SHOWN),
        "low": max(gain.low, -_MOST_SHOWN),
        "high": min(gain.high, _MOST_SHOWN),
        "words": words,
        "set": options(set_to),
    }


def _tried(found: "Explanation") -> list[str]:
    """The basis of the gains, and the doubts."""
    if (changes := found.changes) is not None:
        return [changes["sentence"]]
    if found.confirmation is None:
        return []
    runs = found.confirmation.runs
    return [f"{runs[:1].upper()}{runs[1:]}.", *(found.doubt or "").splitlines()]


def _holders(page: Page, found: "Explanation") -> None:
    told = found.holder_rows()
    has_times = any(each for _, _, _, each, _ in told)
    rows: list[list[Cell]] = [
        [
            resource,
            holder,
            (mean, "number"),
            *([(in_greek(each), "number")] if has_times else []),
            in_greek(waits),
        ]
        for resource, holder, mean, each, waits in told
    ]
    if rows:
        times = ["mean time held"] if has_times else []
        columns = ("resource", "holder", "mean held (share)", *times, "waits for")
        long = " how long each holds it (by Little's law);" if has_times else ""
        note = (
            f"Mean amount held by each holder, with its share of what is held;{long} and what it waits for."
        )
        page.table("Mean occupancy by holder", note, columns, rows)


def _places(page: Page, found: "Explanation") -> None:
    rows: list[list[Cell]] = [
        [row["place"], (percent(row["share"]), "number")] for row in found.shares("places")
    ]
    if found.tells("places"):
        page.table("Waiting by place", "Shares of all waiting for resources.", ("place", "share"), rows)
