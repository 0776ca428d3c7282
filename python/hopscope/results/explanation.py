"""Why a run was as slow as it was: the engine's explanation, with words for people."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hopscope.errors import UsageError
from hopscope.estimate import Estimate, gain_words
from hopscope.numerals import amount, count, duration, number, percent
from hopscope.overrides import options
from hopscope.visible import escaped

LEAST_SHARE = 0.01
SHARED_BY = ("stages", "resources", "places")
LEAST_AMOUNT = 0.01
HEALTHY = "healthy"
OVERLOAD = "overload"
# Shares that add up to one only up to the last bits of floats.
ROUNDING = 1e-9
# What was counted at no more places than these is told place by place.
FEW_PLACES = 3


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


# The least gain that makes a cause worth naming.
WORTH_NAMING = 0.01


@dataclass(frozen=True, slots=True)
class Trial:
    """A cause with what its relief gained.

    `candidate` is as why.json has it; `what` and `set` are the change, None where no listed change relieves
    the cause; `gain` is a share of `goal`: of the mean delay taken off, or of throughput added. With
    `has_loop` the change's routes have a credit loop. `offer` are the overrides under which as much is
    offered as without the change. `repairs` marks a change of what the scenario says is broken. `beside` is
    the gain with the run without any change taken as exact: all gains are over that one run. `left` is the
    mean delay that is left where queues grow without the change and no more with it: then all that is offered
    is carried. `is_broad` marks a change that ends several mechanisms at once: its gain tells of none.
    `is_full` marks the first cause where it is a full resource of a network whose queues grow.
    """

    candidate: Mapping[str, Any]
    what: str | None
    set: tuple[str, ...]
    goal: str
    gain: Estimate | None
    has_loop: bool = False
    offer: tuple[str, ...] = ()
    repairs: bool = False
    beside: Estimate | None = None
    left: Estimate | None = None
    is_broad: bool = False
    is_full: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether the interval of the gain tells anything: too few messages leave an end without a bound."""
        return self.gain is not None and (self.gain.low > 0 or math.isfinite(self.gain.half_width))

    @property
    def is_sure(self) -> bool:
        """Whether the interval of the gain excludes none, and the gain is worth naming."""
        return self.gain is not None and self.gain.low > 0 and self.gain.value >= WORTH_NAMING

    @property
    def _made_by(self) -> tuple[str, ...]:
        """The overrides that make the change, after those of the offer, of which it may change a part."""
        return (*self.offer, *self.set)

    def surely_exceeds(self, other: "Trial") -> bool:
        """Whether the gain is surely more than that of another change, in the same measure.

        A cause that is seen in a run keeps its place unless the intervals that are shown lie apart. That
        something is broken is no inference: its repair is compared by the two changed runs. Where both carry
        all that is offered, the shorter delay decides. A broad change takes no place from a sure relief, nor
        from a repair: what is broken is known, and what other switches gain tells nothing of it.
        """
        if self.goal != other.goal or (self.is_broad and (other.is_sure or other.repairs)):
            return False
        if self.left is not None and other.left is not None:
            return self.left.high < other.left.low
        mine, others = self.gain, other.gain
        if self.repairs != other.repairs:
            mine, others = self.beside or mine, other.beside or others
        return mine is not None and others is not None and mine.low > others.high

    def beside_named(self, named: "Trial") -> str:
        """What it is beside the change of the cause that is named, in words."""
        if self.candidate["cause"] != named.candidate["cause"]:
            return "the one for another cause"
        is_there = set(self.candidate["nodes"]) == set(named.candidate["nodes"])
        return "another one there" if is_there else "one for the same cause at another place"

    def words(self) -> str:
        """The change and its gain with its interval, and how to make it."""
        if self.what is None or self.gain is None:
            return "not confirmed: no change could be judged"
        of = "throughput" if self.goal == "throughput" else f"less {self.goal}"
        loop = ", but with a credit loop, so packets may lock up" if self.has_loop else ""
        return f"{self.what}: {gain_words(self.gain)} {of}{loop} ({options(self._made_by)})"

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        gain = self.gain
        return {
            "cause": self.candidate["cause"],
            "nodes": self.candidate["nodes"],
            "what": self.what,
            "set": list(self._made_by),
            "goal": self.goal,
            "gain": None if gain is None else gain.to_data(),
            "credit_loop": self.has_loop,
        }


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The causes that were tried with one seed, the one that is named first; `messages` were in each run.

    `left_out` changes for these causes were not tried, because runs are long. `unlike` says in words how the
    short runs differ from the whole one, where they do.
    """

    seed: int
    trials: tuple[Trial, ...]
    messages: int = 0
    left_out: int = 0
    unlike: str | None = None

    @property
    def heading(self) -> str:
        """What the gains rest on, as the heading of their column."""
        return f"relieved, in runs of up to {count(self.messages)} messages, on the same random numbers"

    @property
    def is_confirmed(self) -> bool:
        """Whether the relief of the cause that is named helps."""
        return bool(self.trials) and self.trials[0].is_sure

    @property
    def doubt(self) -> str | None:
        """What speaks against the cause that is named or its gain, as lines; None where nothing does."""
        return "\n".join(line for line in (self._against, self.unlike) if line) or None

    @property
    def _against(self) -> str | None:
        """What speaks against the cause that is named; None where its relief surely helps."""
        first = self.trials[0] if self.trials else None
        if first is None or first.gain is None or first.is_sure:
            return None
        sure = next((trial for trial in self.trials[1:] if trial.is_sure), None)
        if sure is not None:
            return (
                "not confirmed: the change tried for the named cause gains nothing sure in short runs, "
                f"{sure.beside_named(first)} does; `--what-if` tries all changes"
            )
        if first.gain.value < WORTH_NAMING:
            of_all = "no change for a likely cause gains anything in short runs"
            if self.left_out:
                left_out = amount(self.left_out, "further one was", "further ones were")
                of_all = f"no change that was tried gains anything in short runs, and {left_out} not tried"
            return f"not confirmed: {of_all}; `--what-if` tries all changes"
        return "not confirmed: the interval of the first gain contains 0; use `--what-if --seeds 8`"


class Explanation:
    """The verdict on a run, the chain that leads to it, the symptoms, and where the time went.

    `data` is the decoded why.json; `what_if` is there where relaxations were tried.
    """

    def __init__(self, data: Mapping[str, Any], what_if: WhatIf | None = None) -> None:
        """Explanations are made by `RunResult.explain` and by `explain`."""
        self.data = data
        self.what_if = what_if
        self.confirmation: Confirmation | None = None

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, with its numbers."""
        return self.data["verdict"]["sentence"]

    @property
    def cause(self) -> str:
        """The class of the cause, such as "resource", "window" or "healthy" (docs/reference/causes.md)."""
        return self.data["verdict"]["cause"]

    @property
    def nodes(self) -> Sequence[str]:
        """The nodes where it is, by name: one, or the two that a link joins; none where it is everywhere."""
        return self.data["verdict"]["nodes"]

    @property
    def runners_up(self) -> Sequence[Mapping[str, Any]]:
        """What else it could be, likeliest first: cause, nodes, weight (share of a lifetime), sentence."""
        return self.data["verdict"]["runners_up"]

    @property
    def page(self) -> Mapping[str, Any]:
        """Since when, how much of the time, who is hurt, what was counted."""
        return self.data["page"]

    @property
    def is_deadlock(self) -> bool:
        """Whether messages waited for one another for ever."""
        return self.data["outcome"] == "deadlock"

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
        """Where messages spend their time, with intervals: by "stages", "resources" or "places".

        Raises UsageError for anything else.
        """
        if by not in SHARED_BY:
            raise UsageError(f"there are no shares by `{by}`", f"there are: {', '.join(SHARED_BY)}")
        return [row for row in self.data["shares"][by] if row["share"] >= LEAST_SHARE]

    def offered(self, load: float, most: float) -> "Explanation":
        """The same of a network that is offered this load, and by its bounds carries so much at most."""
        return Explanation({**self.data, "bound": {"load": load, "at_most": most}}, self.what_if)

    def confirmed(self, confirmation: Confirmation) -> "Explanation":
        """The same with causes tried: the verdict is the first of them, the runners-up are the others."""
        first, *others = [trial.candidate for trial in confirmation.trials]
        verdict = {
            **first,
            "runners_up": [{k: v for k, v in each.items() if k != "runners_up"} for each in others],
        }
        found = Explanation({**self.data, "verdict": verdict}, self.what_if)
        found.confirmation = confirmation
        return found

    @property
    def doubt(self) -> str | None:
        """What speaks against the cause that is named, as a line; None where nothing does."""
        if self.confirmation is None or self.cause == HEALTHY:
            return None
        return self.confirmation.doubt

    def confirmation_rows(self) -> list[tuple[str, str]]:
        """What was tried, as a table: the cause, and what its relief gained. Empty where nothing was."""
        if self.confirmation is None:
            return []
        return [(trial.candidate["cause"], trial.words()) for trial in self.confirmation.trials]

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        tried = [] if self.confirmation is None else [each.to_data() for each in self.confirmation.trials]
        return {
            **self.data,
            **({"confirmation": tried} if tried else {}),
            **({} if self.what_if is None else {"what_if": self.what_if.to_data()}),
        }

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
                f"{_amount_held(part['occupancy'])} ({percent(part['share'])})",
                "" if part["each_us"] is None else duration(part["each_us"]),
                ", ".join(wait_of(wait) for wait in part["waits_for"]),
            )
            for holding in self.holders
            for at, part in enumerate(holding["holders"])
        ]

    def evidence_rows(self) -> list[tuple[str, str]]:
        """What an operator asks next, as a table: what, and the answer."""
        page, verdict = self.page, self.data["verdict"]
        rows = []
        if (bound := self.data.get("bound")) is not None:
            load, most = (number(bound[key], 3) for key in ("load", "at_most"))
            rows.append(
                (
                    "offered",
                    f"a load of {load}; these links and routes carry at most {most}, however it is split",
                )
            )
        # Where packets lock up before the first of them arrives there is no lifetime.
        has_lifetime = not self.is_deadlock or self.data["lifetime"]["mean_us"] is not None
        if page["times_minimum"] is not None and has_lifetime:
            times = f"{number(page['times_minimum'], 3)} times its minimum"
            rows.append(("lifetime", f"{times}: {percent(page['waiting'])} of it is waiting"))
        if self.cause != HEALTHY:
            since = page["since_s"]
            begun = "the beginning" if since is None else f"{duration(1e6 * since)} of simulated time"
            share = page["time_share"]
            how_much = "" if share is None else f", {percent(share)} of the time"
            rows.append(("since", f"{begun}{how_much}"))
        for at, other in enumerate(self.runners_up):
            where = f" at {other['resource']}" if other["resource"] else ""
            first, second = percent(verdict["weight"]), percent(other["weight"])
            compared = first if verdict["weight"] else "a share that is not known"
            known = f"explains {second} of a lifetime, the verdict {compared}"
            weights = known if other["weight"] else "how much of a lifetime it explains is not known"
            rows.append(("runner-up" if at == 0 else "", f"{other['cause']}{where} ({weights})"))
        for at, hurt in enumerate(page["hurt"]):
            rows.append(("who waits" if at == 0 else "", _hurt(hurt)))
        for at, words in enumerate(_counted(page["counts"])):
            rows.append(("counted" if at == 0 else "", words))
        return rows

    def share_rows(self, by: str) -> list[tuple[str, str, str]]:
        """Shares as a table: name, share, interval."""
        told = [
            (row.get("name", row.get("place")), percent(row["share"]), _interval(row))
            for row in self.shares(by)
        ]
        rest = sum(row["share"] for row in self.data["shares"][by] if row["share"] < LEAST_SHARE)
        # Places are the greatest ones only: what is missing is at others.
        rest = 1.0 - sum(row["share"] for row in self.shares(by)) if by == "places" and told else rest
        return [*told, ("other", _amount_of(rest), "")] if rest > ROUNDING else told

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


def _counted(counts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What was counted, the most first: place by place, or together where it was counted at many."""
    for what in dict.fromkeys(each["what"] for each in counts):
        rows = [each for each in counts if each["what"] == what]
        if len(rows) > FEW_PLACES:
            least, most = count(rows[-1]["count"]), count(rows[0]["count"])
            yield f"{least} to {most} {what} at each of {len(rows)} places, the most at {rows[0]['place']}"
        else:
            yield from (f"{count(each['count'])} {what} at {each['place']}" for each in rows)


def _hurt(hurt: Mapping[str, Any]) -> str:
    """Who waits: how long, of how much of a lifetime, and how that compares with all messages."""
    wait = f"{percent(hurt['share'])} of a lifetime"
    if hurt["waits_us"] is not None:
        wait = f"{duration(hurt['waits_us'])}, {wait}"
    times = hurt["times_mean"]
    compared = "" if times is None or hurt["who"] == "all" else f", {number(times, 2)} times the mean wait"
    return f"{hurt['who']}: {wait}{compared}"


def _amount_of(share: float) -> str:
    """A share that may be very small."""
    return f"<{percent(LEAST_SHARE)}" if share < LEAST_SHARE / 2 else percent(share)


def wait_of(wait: Mapping[str, Any]) -> str:
    """What a holder waits for: a stage with its mean time, or a scarce resource with its use."""
    if stage := wait.get("stage"):
        return f"{duration(stage['mean_us'])} {stage['meaning']}"
    resource = wait["resource"]
    return f"{resource['resource']} ({percent(resource['utilisation'])} in use)"


def _amount_held(held: float) -> str:
    """A mean amount, as far as it says anything."""
    return f"<{LEAST_AMOUNT}" if 0 < held < LEAST_AMOUNT else number(held, 2)


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row.get("low"), row.get("high")
    return "" if low is None or high is None or low == high else f"{percent(low)} to {percent(high)}"
