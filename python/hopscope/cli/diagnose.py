"""`hopscope diagnose`: the root of a fabric's waiting, from the counters of its ports."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli import options
from hopscope.cli.terminal import show

if TYPE_CHECKING:
    from hopscope.diagnosis import Diagnosis

READINGS = 2


@click.command("diagnose", cls=options.FabricCommand, short_help="Name the root of congestion from counters.")
@options.fabric
@click.option(
    "--counters",
    "readings",
    metavar="FILE",
    multiple=True,
    required=True,
    help="Port counters; give the option twice: the earlier reading, then the later one.",
)
@click.option("--routes", metavar="TABLES", help="Forwarding tables as OpenSM writes them.")
@click.option(
    "--interval", metavar="TIME", help="Time between the readings, such as 10s, where the files do not say."
)
@options.to_write(
    "--fit",
    words="Also write a scenario to FILE whose traffic reproduces the counters, replaced if it exists.",
)
@options.as_json
@options.quiet
def command(
    source: str,
    overrides: Sequence[str],
    allow_files: bool,
    readings: Sequence[str],
    routes: str | None,
    interval: str | None,
    fit: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find the port at which the waiting in a fabric begins, from two readings of the port counters.

    FABRIC is a fabric file (FORMATS) or a scenario. Counters are those of perfquery, ibqueryerrors,
    ibdiagnet, ethtool -S or a Prometheus exporter. Exit code 1 means that some port waits or some cable
    is bad.
    """
    from hopscope import atomic, diagnosis, engine
    from hopscope.cli.talk import say
    from hopscope.errors import UsageError
    from hopscope.numerals import amount

    if len(readings) != READINGS:
        raise UsageError(
            f"{amount(len(readings), 'reading', 'readings')} of counters given, two needed",
            "give --counters twice: before and after",
        )
    before, after = readings
    asked: dict[str, Any] = {
        "routes": routes,
        "interval_s": None if interval is None else _seconds(interval),
    }
    if fit is not None:
        atomic.check_replaceable(fit, "--fit", [source, *readings, routes])
    scenario = engine.load(source, overrides, allow_files=allow_files, network_alone=True)
    if fit is not None:
        atomic.check_replaceable(fit, "--fit", engine.files_of(source, scenario))
    found = diagnosis.diagnose(scenario, before, after, **asked)
    show(found.to_json() if as_json else table(found))
    if fit is not None:
        changed: dict[str, Any] = {"set": overrides, "allow_files": allow_files}
        for note in diagnosis.fit(source, before, after, fit, **changed, **asked):
            say(f"fit: {note}", quiet)
        say(f"scenario in {fit}", quiet)
    return 0 if found.is_healthy else 1


def _seconds(text: str) -> float:
    """The seconds of a time such as "10s" or "500 ms"."""
    from hopscope.errors import UsageError

    for unit, factor in (("ms", 1e-3), ("us", 1e-6), ("min", 60.0), ("s", 1.0), ("h", 3600.0)):
        number = text.strip().removesuffix(unit).strip()
        if number != text.strip():
            try:
                seconds = float(number) * factor
            except ValueError:
                break
            if seconds > 0:
                return seconds
    raise UsageError(f"`{text}` is no time", "give a number above 0 with its unit: 10s, 500ms, 5min, 1h")


def table(found: "Diagnosis") -> str:
    """The diagnosis as text: the answer first, then its evidence."""
    from hopscope.cli import facts
    from hopscope.cli.table import aligned, named
    from hopscope.numerals import percent

    data = found.data
    lines = [
        click.style(found.title, bold=True),
        *facts.anomalies(data),
        "",
        click.style(found.sentence, bold=True),
    ]
    lines += ["", named(_rows(data))]
    if data["chain"]:
        rows = [(link["place"], percent(link["used"]), percent(link["waits"])) for link in data["chain"]]
        headers = ("blocking chain, waiter to root cause", "in use", "waits")
        lines += ["", aligned(headers, rows, right=(1, 2))]
    if data["victims"]:
        victims = [(each["host"], percent(each["waits"])) for each in data["victims"]]
        lines += ["", aligned(("hosts that wait most", "waits"), victims, right=(1,))]
    lines += [f"note: {note}" for note in data["notes"]]
    return "\n".join([*lines, *facts.legend(data.get("facts"), lines)])


def _confidence(data: Mapping[str, Any]) -> str:
    """How sure the first root is."""
    from hopscope.numerals import percent

    if not data["sure"]:
        return "none: it is not known what is waited for"
    doubt = "" if data["is_sure"] else " (low confidence)"
    return f"{percent(data['sure'])} of the waiting upstream of this root is for it{doubt}"


def _rows(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the verdict rests on."""
    from hopscope.numerals import amount, count, duration, percent
    from hopscope.units import US_PER

    apart = duration(US_PER["s"] * data["interval_s"])
    rows = [
        ("counters", f"{amount(data['ports'], 'port', 'ports')} by {data['tool']}, readings {apart} apart")
    ]
    rows.append(("routes", data["routes"]))
    if data["wait_rules"]:
        rows.append(("all waiting", "PortXmitWait of the ports"))
        rows.append(("PortXmitWait tick", "; ".join(data["wait_rules"])))
    if data["roots"]:
        first = data["roots"][0]
        rows.append(("kind of root", f"{first['kind'].replace('-', ' ')} (class of cause: {first['cause']})"))
        rows.append(("confidence", _confidence(data)))
        waiting = data["hosts_waiting"]
        known = "not known (no counters of host ports)" if waiting is None else count(waiting)
        rows.append(("hosts that wait", known))
    rows += [
        ("other root", f"{other['sentence']} Confidence: {percent(other['sure'])}.")
        for other in data["roots"][1:]
    ]
    return rows
