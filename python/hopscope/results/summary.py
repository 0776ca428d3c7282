"""The engine's summary of one run, with the queries of tables, plots and studies."""

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from hopscope import metric_key
from hopscope.errors import UnknownMetricError
from hopscope.estimate import Estimate
from hopscope.kinds import follows_latency
from hopscope.metric_key import ALL_CLASSES, MetricKey
from hopscope.results.outcome import Outcome
from hopscope.units import US_PER

DELAY_UNITS = tuple(US_PER)
MESSAGE_RATE = "messages/s"
"""What people read for 1/s, the engine's unit of offered and carried messages."""
OFFERED_BEFORE = "all of it came before the measurement began"
"""Why there is no offered rate if `Summary.offers_any` is false."""


class Doubt(StrEnum):
    """The doubts about the figures of a run, in the order of reports."""

    TRANSIENT = "transient"
    """The start-up transient had not ended when the measurement began: means may be biased."""
    TOO_FEW = "too-few"
    """Too few messages were delivered for confidence intervals."""
    CORRELATED = "correlated"
    """The run is too short: delays in successive batches are correlated, and their intervals too narrow."""
    NO_UPPER_BOUND = "no-upper-bound"
    """Too few messages for an upper bound of a quantile: the longest observed delay is given instead."""
    GROWING_QUEUE = "growing-queue"
    """The queue for some host grows, and the mean latency with the length of the run."""


class Summary:
    """A run's metrics, ledger and resources, over the engine's JSON object (`data`)."""

    def __init__(self, fields: Mapping[str, Any], table: Callable[[], list[Any]] | None = None) -> None:
        """Keep `fields`, the decoded summary.json.

        If that names the table of the resources instead of their list, `table` reads it.
        """
        self.fields = fields
        self._table = table

    @cached_property
    def resources(self) -> list[Mapping[str, Any]]:
        """The resources, read when first needed, as they are most of a summary."""
        return self.fields["resources"] if self._table is None else self._table()

    @cached_property
    def data(self) -> dict[str, Any]:
        """The summary with the resources in it."""
        return {**self.fields, "resources": self.resources}

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        return Outcome(self.fields["outcome"])

    @cached_property
    def _doubts(self) -> list[tuple[Doubt, str | None]]:
        """Each doubt, with its metric. Earlier versions write none, later ones maybe others."""
        told = self.fields.get("doubts", [])
        known = set(Doubt)
        return [(Doubt(each["kind"]), each.get("metric")) for each in told if each["kind"] in known]

    @property
    def doubts(self) -> list[Doubt]:
        """The doubts about the figures, each kind once."""
        found = {doubt for doubt, _ in self._doubts}
        return [doubt for doubt in Doubt if doubt in found]

    def is_unbounded(self, key: str) -> bool:
        """Whether too few messages were measured for an upper bound of this quantile."""
        row = self._row(key)
        return row is not None and (Doubt.NO_UPPER_BOUND, _key_of(row)) in self._doubts

    def why_no_number(self) -> str:
        """Why the run has no number for a delay, or in a deadlock for a rate, in words."""
        if self.outcome is Outcome.SATURATED:
            return "saturated: no steady state"
        if self.outcome is Outcome.DEADLOCK:
            return "deadlock: no steady state"
        measured = self.fields["measured"]["messages"]
        return "too few messages for an interval" if measured else "no message was measured"

    def keys(self) -> list[str]:
        """Every metric's key as a user writes it, in the engine's order."""
        return [_key_of(row) for row in self.fields["metrics"]]

    def main_keys(self) -> list[str]:
        """The metrics in tables of many runs: rounds, throughput, the main delay's mean and 99th percentile.

        A job is judged by its rounds. A single round has no mean; its time is the greatest.
        """
        delay = self.main_delay()
        rounds = [str(metric_key.MetricKey("round", name, None)) for name in self.classes_of("round")]
        times = [f"{key}.mean" if self.find(f"{key}.mean") is not None else f"{key}.max" for key in rounds]
        keys = [*times, "throughput", *([f"{delay}.mean", f"{delay}.p99"] if delay else [])]
        return [key for key in keys if self.has(key)]

    def keys_main_first(self) -> list[str]:
        """The keys of all metrics, the main ones first."""
        rows = [self.metric_row(key) for key in self.main_keys()]
        rank = {id(row): nth for nth, row in enumerate(rows)}
        return sorted(self.keys(), key=lambda key: rank.get(id(self.metric_row(key)), len(rows)))

    def metric_row(self, key: str) -> Mapping[str, Any]:
        """The metric that `key` names. Raises UnknownMetricError with the nearest known key."""
        found = self._row(key)
        if found is None:
            raise self._unknown(key)
        return found

    @cached_property
    def _rows(self) -> Mapping[tuple[str, str], list[Mapping[str, Any]]]:
        """The metrics by name and class, in the engine's order."""
        rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in self.fields["metrics"]:
            rows.setdefault((row["name"], row["class"]), []).append(row)
        return rows

    def _row(self, key: str) -> Mapping[str, Any] | None:
        wanted = metric_key.parse(key)
        rows = self._rows.get((wanted.name, wanted.of_class), [])
        if wanted.statistic is None and len(rows) == 1:
            return rows[0]
        return next((row for row in rows if row["statistic"] == wanted.statistic), None)

    def metric(self, key: str) -> Estimate | None:
        """The estimate of a metric; None if no such number exists, as the delay of a saturated network."""
        row = self.metric_row(key)
        estimate = row["estimate"]
        if estimate is None:
            return None
        return Estimate(**estimate, unit=row["unit"], can_be_negative=row["name"] in metric_key.SIGNED)

    def as_told(self, key: str) -> Estimate | None:
        """As `metric`, for tables and pages: an unbounded end of an interval is infinite.

        That is the high end of a quantile of too few messages, and both ends of a mean of too few for an
        interval: `metric` returns neither.
        """
        found = self.metric(key)
        if found is None:
            return self._bare_mean(key)
        return replace(found, high=math.inf) if found is not None and self.is_unbounded(key) else found

    def _bare_mean(self, key: str) -> Estimate | None:
        """The mean of a delay of too few messages for an interval; None if there is none."""
        row, means = self.metric_row(key), self._bare_means
        value = None if means is None else means["delays"].get(_key_of(row))
        if means is None or value is None:
            return None
        return Estimate(value, -math.inf, math.inf, row["unit"], means["messages"], can_be_negative=False)

    @property
    def _bare_means(self) -> Mapping[str, Any] | None:
        """The means of too few messages for intervals; earlier versions have none."""
        return self.fields.get("bare_means")

    def stage_us(self, row: Mapping[str, Any]) -> float | None:
        """The mean time in a stage of the ledger, microseconds, also of too few messages for an interval.

        None if there is none, as in a saturated network, and if the row is of one class of too few messages.
        """
        if row["estimate"] is not None:
            return row["estimate"]["value"]
        if self._bare_means is None or row["class"] != ALL_CLASSES:
            return None
        return row["share"] * self._bare_means["life_us"]

    @property
    def offers_any(self) -> bool:
        """Whether anything was offered while it was measured: flows may all have begun before."""
        offered = self.find("offered")
        return offered is None or offered.n > 0 or offered.value > 0

    def has(self, key: str) -> bool:
        """Whether the run has this metric, even without a number."""
        return self._row(key) is not None

    def find(self, key: str) -> Estimate | None:
        """As `metric`, and also None if the run has no such metric."""
        return self.metric(key) if self.has(key) else None

    def main_delay(self) -> str | None:
        """The main delay: "latency" if there is one, else the model's first delay."""
        names = [
            row["name"]
            for row in self.fields["metrics"]
            if row["statistic"] == "mean" and row["class"] == ALL_CLASSES and row["unit"] in DELAY_UNITS
        ]
        return "latency" if "latency" in names else next(iter(names), None)

    def explained_delay(self) -> str | None:
        """The delay that the stages of the ledger add up to exactly.

        That is the main delay without stages that follow it (a message's body after its first byte), or the
        delay of a whole lifetime if the main one is only a part of it.
        """
        main = self.main_delay()
        rows = [row for row in self.ledger() if not follows_latency(row["stage"])]
        times = [time for row in rows if (time := self.stage_us(row)) is not None]
        if main is None or not rows or len(times) < len(rows):
            return main
        life_us = sum(times)
        return min(self._delays(), key=lambda name: abs(self._mean_us(name) - life_us), default=main)

    def _delays(self) -> list[str]:
        """The delays of all messages that have a mean, the main one first."""
        main = self.main_delay()
        names = [
            row["name"]
            for row in self.fields["metrics"]
            if row["statistic"] == "mean"
            and row["class"] == ALL_CLASSES
            and row["unit"] in US_PER
            and self.as_told(_key_of(row)) is not None
        ]
        return sorted(names, key=lambda name: name != main)

    def _mean_us(self, name: str) -> float:
        mean = self.as_told(f"{name}.mean")
        return math.inf if mean is None else mean.value * US_PER[mean.unit]

    def classes(self) -> list[str]:
        """The classes of messages that delays are measured for, "all" first."""
        seen = dict.fromkeys(row["class"] for row in self.fields["metrics"])
        return sorted(seen, key=lambda each: each != ALL_CLASSES)

    def classes_of(self, metric: str) -> list[str]:
        """The classes that one metric is measured for, in the order of the run."""
        return list(dict.fromkeys(row["class"] for row in self.fields["metrics"] if row["name"] == metric))

    def apart(self, metric: str) -> list[str]:
        """The single classes that one metric is measured for, without that of all messages."""
        return [each for each in self.classes_of(metric) if each != ALL_CLASSES]

    def ledger(self, of_class: str = ALL_CLASSES) -> list[Mapping[str, Any]]:
        """The stages of messages of one class, in order of occurrence."""
        return [row for row in self.fields["ledger"] if row["class"] == of_class]

    def busiest(self, limit: int) -> list[Mapping[str, Any]]:
        """The resources that messages waited for longest, then the most used."""
        rows = sorted(
            self.resources,
            key=lambda row: (-row["wait_us"], -row["utilisation"], row["name"], row["place"]),
        )
        return rows[:limit]

    def _unknown(self, key: str) -> UnknownMetricError:
        keys = self.keys()
        near = difflib.get_close_matches(key, keys, n=1, cutoff=0.5)
        hint = f"did you mean `{near[0]}`?" if near else "this run has: " + ", ".join(keys)
        return UnknownMetricError(f"the run has no metric `{key}`", hint)


def _key_of(row: Mapping[str, Any]) -> str:
    """The key of a metric as a user writes it."""
    return str(MetricKey(row["name"], row["class"], row["statistic"]))
