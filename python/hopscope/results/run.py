"""The result of one run."""

import json
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import atomic
from hopscope.escaping import escaped
from hopscope.estimate import Estimate
from hopscope.extras import extra
from hopscope.paths import path_of
from hopscope.results import attached, frames, labelled, pairs, precision, shapes, shares, stored, tables
from hopscope.results.archived import ArchivedRun
from hopscope.results.explanation import Explanation
from hopscope.results.outcome import Outcome
from hopscope.results.summary import Summary
from hopscope.results.unset_rate import unset_rate

if TYPE_CHECKING:
    import pandas
    import polars as pl
    from altair.typing import ChartType

    from hopscope._core import Run, Scenario


REPORT_FILE = "report.html"
WHY_FILE = "why.json"
EXPLANATION_FILE = "explanation.json"


class RunResult:
    """The result of one simulation.

    Frames are built when asked for. A metric's key is NAME[CLASS].STATISTIC, as "latency.mean" or
    "latency[short].p99".
    """

    def __init__(
        self,
        scenario: "Scenario",
        summary: Summary,
        origin: "Run | ArchivedRun | Path",
        name: str | None = None,
        settings: Sequence[str] = (),
    ) -> None:
        """Results are made by `run`, `sweep` and `read`. `origin` can write, or is, the run folder."""
        self.name = name or scenario.name
        self._settings = settings
        self.summary = summary
        self._scenario = scenario
        self._origin = origin
        self._explanation: Explanation | None = None

    @classmethod
    def of(cls, scenario: "Scenario", run: "Run | ArchivedRun", settings: Sequence[str] = ()) -> "RunResult":
        """The result of a native run of `scenario`, with changed `settings` ("path=value")."""
        if isinstance(run, ArchivedRun):
            return cls(scenario, run.summary(), run, settings=settings)
        summary = Summary(json.loads(run.summary_file()), lambda: json.loads(run.resources_json()))
        return cls(scenario, summary, run, settings=settings)

    def counters(self) -> list[tuple[str, str]] | None:
        """The counters of the fabric's ports when the measurement began and when it ended.

        Pairs of a file's name and its text, as perfquery prints it. With `frames.counters_at` also at those
        of these instants that the run reached, with pause frames also as `ethtool -S` prints them. None if
        the model has no such counters, and for a result that was read from a folder.
        """
        read = getattr(self._origin, "counters", None)
        return None if read is None else read(self._scenario)

    def __getstate__(self) -> dict[str, Any]:
        """How it is pickled: its scenario, and the files of its run folder as one archive."""
        origin = self._origin
        held = ArchivedRun.of_folder(origin) if isinstance(origin, Path) else ArchivedRun(origin.archive())
        told = None if self._explanation is None else self._explanation.to_data()
        state = {"name": self.name, "settings": self._settings, "scenario": self._scenario, "origin": held}
        return {**state, "explanation": told}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """How it is unpickled, in any process."""
        origin = state["origin"]
        self.name = state["name"]
        self.summary = origin.summary()
        self._settings, self._scenario, self._origin = state["settings"], state["scenario"], origin
        told = state["explanation"]
        self._explanation = None if told is None else Explanation.of_data(told)

    @property
    def scenario_text(self) -> str:
        """The whole scenario as it was run, as TOML."""
        return self._scenario.toml()

    @property
    def lacks(self) -> Sequence[str]:
        """User-defined rules that this program lacks: without them the scenario can only be shown."""
        return self._scenario.lacks

    @property
    def scenario(self) -> "Scenario":
        """The scenario as it was run."""
        return self._scenario

    def parcel(self) -> tuple[str, list[str]]:
        """The scenario with its files as one text and its overrides, from which an engine restores it."""
        return self._scenario.parcel(), self._scenario.overrides()

    @cached_property
    def network(self) -> Mapping[str, Any] | None:
        """The network as the engine describes it (figures, nodes, links); None if the model has none."""
        text = self._scenario.topology_json()
        return None if text is None else json.loads(text)

    @property
    def title(self) -> str:
        """The scenario's title, or its name."""
        return self.summary.fields["title"] or self.name

    @property
    def settings(self) -> Sequence[str]:
        """The overrides of this run ("path=value"), if known."""
        return self._settings

    @property
    def changed(self) -> str:
        """The overrides of this run in words, which the title does not contain. Empty if none."""
        return f"with {', '.join(self._settings)}" if self._settings else ""

    @property
    def notes(self) -> list[str]:
        """Notes for a reader of the figures: the engine's notes, a missed precision, an assumed rate."""
        short, assumed = self.shortfall, unset_rate(self._scenario)
        more = [*([] if short is None else [str(short)]), *([] if assumed is None else [assumed])]
        return [*self.summary.fields["notes"], *more]

    @cached_property
    def shortfall(self) -> precision.Shortfall | None:
        """By how much the run missed `measure.precision`; None if it did not."""
        return precision.shortfall(self.summary, self.measure)

    @property
    def measure(self) -> Mapping[str, Any]:
        """The section `measure` of its scenario, with every default filled in."""
        return json.loads(self._scenario.canonical_json())["measure"]

    @property
    def outcome(self) -> Outcome:
        """How it ended: "complete", "saturated", "deadlock", "unsettled" or "interrupted"."""
        return self.summary.outcome

    @property
    def seed(self) -> int:
        """The seed of the random streams."""
        return self.summary.fields["seed"]

    def metric(self, key: str) -> Estimate | None:
        """The estimate of a metric; None if no such number exists, as the delay of a saturated network.

        If the run counts pairs, `pair[UCLA -> RAND].mean` is the mean delay of all messages from one to the
        other in ms, and `.rate` their number per minute.

        Raises UnknownMetricError (a LookupError) for a metric that the run did not measure.
        """
        return pairs.metric(self, key) if pairs.names(key) else self.summary.metric(key)

    @cached_property
    def metrics(self) -> "pl.DataFrame":
        """Every metric: metric, class, statistic, unit, value, low, high (95 % interval), n."""
        return frames.frame(frames.metric_rows(self.summary), frames.METRIC_COLUMNS)

    def ledger(self) -> "pl.DataFrame":
        """Where the time went: the mean time in each stage of a message's life and its share (0 to 1)."""
        return frames.frame(frames.ledger_rows(self.summary), frames.LEDGER_COLUMNS)

    @cached_property
    def resources(self) -> "pl.DataFrame":
        """The use of each resource: occupancy, utilisation (0 to 1), waiting, wait in us per message."""
        return frames.frame(frames.resource_rows(self.summary), frames.RESOURCE_COLUMNS)

    @cached_property
    def series(self) -> "pl.DataFrame":
        """Quantities over simulated time: time_s, series, value."""
        return self._table("series.parquet")

    @cached_property
    def timeline(self) -> "pl.DataFrame":
        """The use of every resource over time: kind, place, and bytes of used, waiting, held_back by bin.

        `held_in` names what its holders do, and `held` has bytes of what is held for each.
        docs/reference/run-folder.md defines the bytes. An empty frame from older versions.
        """
        return self._table("timeline.parquet")

    @cached_property
    def journeys(self) -> "pl.DataFrame":
        """Journeys of messages, stage by stage, if the scenario asked for them; else an empty frame."""
        return self._table("journeys.parquet")

    @cached_property
    def pairs(self) -> "pl.DataFrame":
        """Messages by source and destination, if the model counts them; else an empty frame.

        from, to, class, hops, messages, per_minute, delay_ms with its interval low to high, which is null if
        there were too few messages for one.
        """
        return self._table("pairs.parquet")

    @cached_property
    def flows(self) -> "pl.DataFrame":
        """The flows that ended, or a uniform sample, if the scenario has flows; else an empty frame.

        flow (its number), group, round, from, to, bytes, begun_ps, ended_ps, ideal_ps, slowdown.
        """
        return _with_slowdown(self._table("flows.parquet"))

    @cached_property
    def rounds(self) -> "pl.DataFrame":
        """The rounds of flows that ended (collectives, incasts, shuffles); else an empty frame.

        group, round, begun_ps, ended_ps, bytes.
        """
        return self._table("rounds.parquet")

    @cached_property
    def trace(self) -> "pl.DataFrame":
        """Events of messages and passages of packets, in runs that keep journeys (model arpanet)."""
        return self._table("trace.parquet")

    @cached_property
    def instants(self) -> "pl.DataFrame":
        """When each message kept reached T(1) to T(7) of RFC 619 (model arpanet); else an empty frame.

        message, class, from, to, and t1_ps to t7_ps in picoseconds of simulated time.
        """
        return self._table("instants.parquet")

    @cached_property
    def snapshots(self) -> "pl.DataFrame":
        """The state at the instants of `measure.snapshots` (model arpanet); else an empty frame.

        at_ps, place, quantity, value; of a "delay estimate" also destination, next (neighbour), held_down.
        """
        return self._table("snapshots.parquet")

    def to_pandas(self) -> "pandas.DataFrame":
        """`metrics` as a frame of pandas; for another table: `pandas.DataFrame(run.resources.to_dicts())`."""
        return labelled.frame(frames.METRIC_COLUMNS, frames.metric_rows(self.summary))

    @property
    def has_explanation(self) -> bool:
        """Whether the run says why it was as slow as it was; folders of earlier versions do not."""
        return not isinstance(self._origin, Path) or (self._origin / WHY_FILE).exists()

    def explain(self) -> Explanation:
        """Why it was as slow as it was: verdict, chain, symptoms, shares.

        Raises UsageError for a run folder without why.json, which older versions have written, or with a
        damaged one.
        """
        if not isinstance(self._origin, Path):
            return Explanation(json.loads(self._origin.why_json()))
        hint = "run the scenario again to have it written"
        return Explanation(stored.read_json(self._origin / WHY_FILE, shapes.WHY, hint))

    @cached_property
    def explanation(self) -> Explanation:
        """Why it was as slow as it was, with what was tried if `hopscope explain --out` wrote the folder.

        Otherwise that of `explain`. Raises UsageError as that does.
        """
        if self._explanation is not None:
            return self._explanation
        file = None if not isinstance(self._origin, Path) else self._origin / EXPLANATION_FILE
        if file is None or not file.exists():
            return self.explain()
        hint = "explain the run again to have it written"
        return Explanation.of_data(stored.read_json(file, shapes.EXPLANATION, hint))

    def explained(self, found: Explanation) -> "RunResult":
        """The same result with what was tried, which its folder and its page then include."""
        other = RunResult(self._scenario, self.summary, self._origin, self.name, self._settings)
        other._explanation = found
        return other

    def plot(self, what: str = "shares") -> "ChartType":
        """A chart: "shares" (where the time went), "delays", their "distribution" or "series" (over time).

        For a run of flows also "completion" (their times), "slowdown", "rounds" and "pauses".
        """
        from hopscope.charts import of_run

        return of_run.chart(self, what)

    def report(self, path: str | Path) -> Path:
        """Write one self-contained HTML page about the run; returns its path.

        Raises UsageError if that fails.
        """
        from hopscope.report import run_page

        target = path_of("path", path)
        atomic.write_file(target, run_page.page(self).html())
        return target

    def save(self, folder: str | Path, report: bool = True, *, or_next: bool = False) -> Path:
        """Write the run folder, completely or not at all, and then report.html; returns the folder's path.

        With `or_next` it becomes the first of FOLDER, FOLDER-2, FOLDER-3, ... that is not taken. A report
        that cannot be drawn is a warning: the run is kept. Raises UsageError if the folder exists or cannot
        be written.
        """
        kept = atomic.write_folder(path_of("folder", folder), self.write_into, or_next=or_next)
        if report:
            attached.warn(attached.drawn(lambda: self.report(kept / REPORT_FILE)))
        return kept

    def write_into(self, folder: Path) -> None:
        """Write the run's files into an existing empty folder."""
        if isinstance(self._origin, Path):
            shutil.copytree(self._origin, folder, dirs_exist_ok=True)
        else:
            self._origin.write(str(folder))
        if self._explanation is not None:
            text = self._explanation.to_json() + "\n"
            (folder / EXPLANATION_FILE).write_text(text, encoding="utf-8")

    def scan(self, file_name: str) -> "pl.LazyFrame | None":
        """A table of the run folder by its file, for partial reading; None if the run did not write it."""
        return tables.scan(self.folder / file_name)

    def _table(self, file_name: str) -> "pl.DataFrame":
        return tables.read(self.folder / file_name)

    @property
    def folder(self) -> Path:
        """The folder of the run's files; for a run in memory a temporary one, removed with it."""
        return self._origin if isinstance(self._origin, Path) else self._unpacked

    @cached_property
    def _unpacked(self) -> Path:
        """The files of a run in memory, written once for all tables; they are removed with the run."""
        assert not isinstance(self._origin, Path)
        folder = Path(tempfile.mkdtemp(prefix="hopscope-"))
        weakref.finalize(self, _remove, folder)
        self._origin.write(str(folder))
        return folder

    def __repr__(self) -> str:
        """One line: title, seed, outcome and where the time went."""
        return f"<RunResult {self.name} seed {self.seed}: {self.outcome}; {shares.in_words(self.summary)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any] | None:
        """The page's first views as a widget, with `hopscope[notebook]`; else None: the table."""
        if find_spec("anywidget") is None:
            return None
        from hopscope.report import widget

        return widget.bundle(self, self._repr_html_())

    def _repr_html_(self) -> str:
        """The metrics as a table, for notebooks."""
        words = f"{escaped(self.title)}, seed {self.seed}, {self.outcome}"
        spent = escaped(shares.in_words(self.summary))
        table = frames.html(frames.METRIC_COLUMNS, frames.metric_rows(self.summary))
        return f"<p><strong>{words}</strong><br>{spent}</p>{table}"


def _remove(folder: Path) -> None:
    """Remove the unpacked files. Python would print a traceback of whatever is raised in here."""
    with suppress(KeyboardInterrupt):
        shutil.rmtree(folder, ignore_errors=True)


def _with_slowdown(flows: "pl.DataFrame") -> "pl.DataFrame":
    """The table of flows with slowdowns against the idle network.

    The engine omits what follows from other columns; earlier versions wrote it.
    """
    if not flows.columns or "slowdown" in flows.columns:
        return flows
    with extra("frames"):
        import polars as pl

    took, ideal = pl.col("ended_ps") - pl.col("begun_ps"), pl.col("ideal_ps").clip(lower_bound=1)
    return flows.with_columns((took / ideal).alias("slowdown"))
