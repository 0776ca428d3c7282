"""Why a run was as slow as it was: the engine's explanation, with words for people."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from hopscope.numerals import duration, number, percent
from hopscope.visible import escaped

LEAST_SHARE = 0.01
LEAST_AMOUNT = 0.01


class WhatIf(Protocol):
    """Changes that were tried, ranked by their gain."""

    @property
    def goal(self) -> str:
        """What the gains are in."""
        ...

    @property
    def apply(self) -> str | None:
        """The options that make the best change."""
        ...

    @property
    def gains(self) -> Sequence[Any]:
        """What each gained, the largest gain first."""
        ...

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        ...

    def headers(self) -> tuple[str, ...]:
        """The columns of the table."""
        ...

    def rows(self) -> list[tuple[str, ...]]:
        """The gains as a table shows them."""
        ...

    def notes(self) -> list[str]:
        """What the table leaves out."""
        ...

    def curve_rows(self) -> list[tuple[str, str]]:
        """The gain of the best change by its size."""
        ...

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        ...


class Explanation:
    """The verdict on a run, the chain that leads to it, the symptoms, and where the time went.

    `data` is the decoded why.json; `what_if` is there where relaxations were tried.
    """

    FIELDS: ClassVar[Mapping[str, type]] = {
        "title": str,
        "verdict.found": str,
        "verdict.sentence": str,
        "chain": list,
        "roots": list,
        "holders": list,
        "congestion": dict,
        "lifetime.stages": list,
        "causes": dict,
        "symptoms": list,
        "shares.stages": list,
        "shares.resources": list,
        "shares.places": list,
    }
    """What every why.json holds, with its type."""

    def __init__(self, data: Mapping[str, Any], what_if: WhatIf | None = None) -> None:
        """Explanations are made by `RunResult.explain` and by `explain`."""
        self.data = data
        self.what_if = what_if

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, with its numbers."""
        return self.data["verdict"]["sentence"]

    @property
    def found(self) -> str:
        """What was found: "nothing", "resource", "window", "loss", "circle", "blocking" or "deadlock"."""
        return self.data["verdict"]["found"]

    @property
    def resource(self) -> str | None:
        """The resource behind it in words, such as "the line UCLA -> RAND"; None where there is none."""
        return self.data["verdict"]["resource"]

    @property
    def chain(self) -> Sequence[Mapping[str, Any]]:
        """From the resource waited for to the one behind it, each with what its holders do."""
        return self.data["chain"]

    @property
    def roots(self) -> Sequence[Mapping[str, Any]]:
        """The resources behind the waiting, the one with most of it first."""
        return self.data["roots"]

    @property
    def holders(self) -> Sequence[Mapping[str, Any]]:
        """Mean occupancy by holder of the resources that matter, and what each holder waits for."""
        return self.data["holders"]

    @property
    def back_pressure(self) -> Mapping[str, Any] | None:
        """The switch at which back-pressure begins; None where there is no switch or nothing to carry."""
        return self.data["congestion"]["back_pressure"]

    @property
    def symptoms(self) -> Sequence[Mapping[str, str]]:
        """The patterns recognised: name, evidence, source."""
        return self.data["symptoms"]

    def shares(self, by: str = "stages") -> list[Mapping[str, Any]]:
        """Where messages spend their time, with intervals: by "stages", "resources" or "places"."""
        return [row for row in self.data["shares"][by] if row["share"] >= LEAST_SHARE]

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {**self.data, **({} if self.what_if is None else {"what_if": self.what_if.to_data()})}

    def to_json(self) -> str:
        """Everything, as JSON."""
        return json.dumps(self.to_data(), indent=1, ensure_ascii=False)

    def chain_rows(self) -> list[tuple[str, str, str, str]]:
        """The chain as a table: resource, in use, waiting, held by."""
        return [
            (
                link["resource"],
                percent(link["utilisation"]),
                number(link["waiting"], 3),
                f"{link['held_by']} ({percent(link['held_share'])} of its occupancy)"
                if link["held_by"]
                else "",
            )
            for link in self.chain
        ]

    def holder_rows(self) -> list[tuple[str, str, str, str, str]]:
        """Holders as a table: resource, holder, mean amount held, time of each, what it waits for."""
        return [
            (
                holding["resource"] if at == 0 else "",
                part["cause"],
                f"{_amount(part['occupancy'])} ({percent(part['share'])})",
                "" if part["each_us"] is None else duration(part["each_us"]),
                ", ".join(wait_of(wait) for wait in part["waits_for"]),
            )
            for holding in self.holders
            for at, part in enumerate(holding["holders"])
        ]

    def share_rows(self, by: str) -> list[tuple[str, str, str]]:
        """Shares as a table: name, share, interval."""
        return [
            (row.get("name", row.get("place")), percent(row["share"]), _interval(row))
            for row in self.shares(by)
        ]

    def __repr__(self) -> str:
        """The verdict."""
        return f"<Explanation: {self.sentence}>"

    def _repr_html_(self) -> str:
        """The verdict with the symptoms, for notebooks."""
        lines = [f"<p><strong>{escaped(self.sentence)}</strong></p>"]
        lines += [
            f"<p>{escaped(symptom['name'])}: {escaped(symptom['evidence'])}</p>" for symptom in self.symptoms
        ]
        return "".join(lines)


def wait_of(wait: Mapping[str, Any]) -> str:
    """What a holder waits for: a stage with its mean time, or a scarce resource with its use."""
    if stage := wait.get("stage"):
        return f"{duration(stage['mean_us'])} {stage['meaning']}"
    resource = wait["resource"]
    return f"{resource['resource']} ({percent(resource['utilisation'])} in use)"


def _amount(held: float) -> str:
    """A mean amount, as far as it says anything."""
    return f"<{LEAST_AMOUNT}" if 0 < held < LEAST_AMOUNT else number(held, 2)


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row.get("low"), row.get("high")
    return "" if low is None or high is None or low == high else f"{percent(low)} to {percent(high)}"
