"""`hopscope storm`: whole experiments drawn from the scenario schema, and what must hold of each."""

import json
import time
from typing import Any

import click

from hopscope.cli import options
from hopscope.cli.terminal import show

_SECONDS_A_MINUTE = 60.0


@click.command("storm", short_help="Test the program with random experiments.")
@click.option(
    "--minutes", type=options.Duration("minutes"), default=2.0, show_default=True, help="Duration in minutes."
)
@click.option(
    "--seed",
    type=options.WholeNumber(0, options.LARGEST_SEED),
    default=1,
    show_default=True,
    help="Seed of the cases.",
)
@click.option(
    "--case", type=options.WholeNumber(0, options.LARGEST_SEED), help="Only the case of this number."
)
@click.option(
    "--cases",
    type=options.WholeNumber(1, options.LARGEST_SEED),
    help="Number of cases, however long they take.",
)
@click.option("--threads", type=options.WholeNumber(1, 1024), help="Threads.  [default: all cores]")
@options.as_json
@options.quiet
def command(
    minutes: float,
    seed: int,
    case: int | None,
    cases: int | None,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Draw experiments over all values that scenarios accept, and run them.

    Each is run twice, saved, reread, run again from its folder, renamed and explained. A failure is printed
    as the smallest scenario that shows it, with the command that repeats it; the exit code is then 1.
    """
    from hopscope import engine
    from hopscope.cli.talk import progress
    from hopscope.errors import Interrupted

    if case is not None:
        cases = 1
    seconds = None if cases is not None else minutes * _SECONDS_A_MINUTE
    began = time.process_time()
    interrupted = None
    with progress("storm", quiet) as bar:
        try:
            report = engine.storm(
                seed, first=case or 0, cases=cases, seconds=seconds, threads=threads, progress=bar
            )
        except Interrupted as stopped:
            if stopped.so_far is None:
                raise
            interrupted, report = stopped, stopped.so_far
    report = {"seed": seed, **report, "processor_s": time.process_time() - began}
    show(json.dumps(report, indent=1) if as_json else table(report))
    if interrupted is not None:
        raise interrupted
    return 1 if report["found"] else 0


def table(report: dict[str, Any]) -> str:
    """The result of a storm as text."""
    from hopscope.cli.table import aligned
    from hopscope.numerals import count, number, percent

    lines = []
    for found in report["found"]:
        lines += [
            click.style(f"failure: {found['failure']}", bold=True),
            f"in {count(found['times'])} case(s); the smallest scenario that fails so:",
            "",
            *(f"  {line}" for line in found["scenario"].splitlines()),
            "",
            f"to repeat: hopscope storm --seed {report['seed']} --case {found['case']}",
            "",
        ]
    rows = [
        (
            of["model"],
            count(of["cases"]),
            percent(of["accepted"]),
            count(of["ran"]),
            count(of["mended"]),
            count(of["refused"]),
            count(of["given_up"]),
            count(of["failed"]),
            count(of["events"]),
        )
        for of in report["models"]
    ]
    heads = ("model", "cases", "accepted", "at once", "mended", "refused", "given up", "failed", "events")
    lines.append(aligned(heads, rows, right=tuple(range(1, len(heads)))))
    lines += [
        "",
        f"{count(report['cases'])} cases of seed {report['seed']}, {count(report['events'])} events, "
        f"{number(report['processor_s'])} s of processor time; {_verdict(len(report['found']))}",
    ]
    return "\n".join(lines)


def _verdict(failures: int) -> str:
    return "no failure" if failures == 0 else f"{failures} failure(s)"
