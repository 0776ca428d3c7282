"""`hopscope store`: what a store of runs holds, checked, cleaned, exported and merged."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from hopscope.cli import options, terminal
from hopscope.numerals import amount

_where = click.argument("where", metavar="STORE")


@click.group("store", short_help="Show, check, export and merge stores of runs.")
def command() -> None:
    """Show, check, export and merge what --store has kept. STORE is a folder or an object store's URL."""


@command.command("ls", short_help="List experiments and count runs.")
@_where
@options.as_json
def ls(where: str, as_json: bool) -> int:
    """List the experiments of a store and count its runs."""
    from hopscope.cli.table import aligned
    from hopscope.store.store import existing_store

    store = existing_store(where)
    runs = Counter(key.version for key in store.runs())
    there = Counter(key.hash for key in store.runs())
    failed = sum(1 for _ in store.failed())
    experiments: list[dict[str, Any]] = [
        {
            "experiment": name,
            "version": content["hopscope"],
            "scenarios": content["scenarios"],
            "points": len(content["settings"]),
            "seeds": content["seeds"],
            "runs": sum(there[each] for each in {row[2] for row in content["settings"]}),
        }
        for name, content in store.experiments()
    ]
    if as_json:
        terminal.show(json.dumps({"experiments": experiments, "runs": runs, "failed": failed}, indent=1))
        return 0
    titles = ["experiment", "scenarios", "points", "seeds", "runs kept"]
    rows = [
        [
            each["experiment"],
            ", ".join(each["scenarios"]),
            *(str(each[key]) for key in ("points", "seeds", "runs")),
        ]
        for each in experiments
    ]
    if rows:
        terminal.show(aligned(titles, rows, right=(2, 3, 4)) + "\n")
    listed = ", ".join(f"{count} of hopscope {version}" for version, count in sorted(runs.items()))
    terminal.show(f"runs: {listed or 'none'}; failed: {failed}")
    return 0


@command.command("show", short_help="Show an experiment's failures or one run.")
@_where
@click.argument("name", metavar="[HASH]-SEED|failed")
@options.as_json
def show(where: str, name: str, as_json: bool) -> int:
    """Show one run, named by the start of its scenario hash and its seed (a1b2-7), or what `failed`."""
    from hopscope.cli.failures import tell
    from hopscope.store.store import existing_store

    store = existing_store(where)
    if name == "failed":
        failures = [failure for _, failure in store.failed()]
        if as_json:
            terminal.show_json([asdict(failure) for failure in failures])
        elif failures:
            tell(failures)
        else:
            terminal.show("no run failed")
        return 0
    run = _one_run(where, name)
    if as_json:
        terminal.show(run.summary_json())
        return 0
    terminal.show(_run_table(run))
    return 0


@command.command("gc", short_help="Remove unneeded runs and files.")
@_where
@click.option("--versions", is_flag=True, help="Also runs of other versions of hopscope.")
@click.option("--unused", is_flag=True, help="Also runs of no experiment that is recorded.")
@click.option("--dry-run", is_flag=True, help="Only count.")
@options.as_json
def gc(where: str, versions: bool, unused: bool, dry_run: bool, as_json: bool) -> int:
    """Remove the remains of killed processes, damaged runs, and failures whose runs have succeeded since."""
    from hopscope.store.store import existing_store
    from hopscope.store.upkeep import clean

    gone = clean(existing_store(where), versions=versions, unused=unused, dry=dry_run)
    if as_json:
        terminal.show_json({"removed": not dry_run, **asdict(gone)})
        return 0
    verb = "would remove" if dry_run else "removed"
    terminal.show(
        f"{verb} {amount(gone.left_over, 'unfinished file', 'unfinished files')}, "
        f"{amount(gone.damaged, 'damaged run', 'damaged runs')}, "
        f"{amount(gone.failures, 'old failure', 'old failures')}, "
        f"{amount(gone.versions, 'run of another version', 'runs of other versions')}, "
        f"{amount(gone.unused, 'unused run', 'unused runs')}"
    )
    return 0


@command.command("verify", short_help="Find damaged runs by their hash.")
@_where
@options.as_json
@options.quiet
def verify(where: str, as_json: bool, quiet: bool) -> int:
    """Check every run against its hash and its name. Exit code 1: some are damaged.

    They will be run again when wanted. Damaged records of experiments are named as well.
    """
    from hopscope.cli.talk import progress
    from hopscope.store.store import existing_store
    from hopscope.store.upkeep import damaged

    store = existing_store(where)
    total = sum(1 for _ in store.runs())
    with progress("checking", quiet) as bar:

        def seen(count: int) -> None:
            if bar is not None:
                bar(count / total, f"{count} runs")

        found = damaged(store, seen)
    records = store.damaged_records()
    if as_json:
        names = [key.path for key in found]
        terminal.show_json({"runs": total, "damaged": names, "damaged_records": records})
        return 1 if found or records else 0
    for name in [*(key.path for key in found), *records]:
        terminal.show(f"damaged: {name}")
    of_records = f"; {amount(len(records), 'damaged record', 'damaged records')}" if records else ""
    terminal.show(f"{amount(total, 'run', 'runs')}, {len(found)} damaged{of_records}")
    return 1 if found or records else 0


@command.command("export", short_help="Write one table over all runs (Parquet).")
@_where
@click.option("--out", type=options.FilledPath(), metavar="DIR", required=True, help="Folder to write.")
@options.as_json
def export(where: str, out: Path, as_json: bool) -> int:
    """Write one table over all runs: a row per metric, as Parquet files by version and model.

    Damaged runs and records of experiments are named and left out; the exit code is then 1.
    """
    from hopscope.store.store import existing_store
    from hopscope.store.table import export as write

    count, left_out = write(existing_store(where), out)
    if as_json:
        terminal.show_json({"runs": count, "folder": str(out), "damaged": left_out})
    else:
        terminal.show(f"{amount(count, 'run', 'runs')} written to {out}")
    for name in left_out:
        terminal.show(f"damaged, left out: {name}", err=True)
    return 1 if left_out else 0


@command.command("merge", short_help="Copy the runs of other stores.")
@click.argument("into", metavar="INTO")
@click.argument("others", metavar="FROM...", nargs=-1, required=True)
@options.as_json
def merge(into: str, others: tuple[str, ...], as_json: bool) -> int:
    """Copy the runs of other stores that INTO does not have. Damaged runs are named and not copied."""
    from hopscope.store.store import existing_store, open_store
    from hopscope.store.upkeep import merge as take_over

    sources = [existing_store(other) for other in others]
    target = open_store(into)
    taken = [(other, *take_over(target, source)) for other, source in zip(others, sources, strict=True)]
    if as_json:
        terminal.show_json(
            [
                {"from": other, "runs": count, "damaged": [key.path for key in bad]}
                for other, count, bad in taken
            ]
        )
    else:
        for other, count, bad in taken:
            terminal.show(f"{amount(count, 'run', 'runs')} from {other}")
            for key in bad:
                terminal.show(f"damaged in {other}: {key.path}", err=True)
    return 1 if any(bad for _, _, bad in taken) else 0


def _one_run(where: str, name: str) -> Any:
    """The run of a hash's beginning and a seed. Raises UsageError for none or several."""
    from hopscope.errors import UsageError
    from hopscope.results.archived import DamagedError
    from hopscope.store.store import existing_store

    store = existing_store(where)
    start, dash, seed = name.rpartition("-")
    found = [key for key in store.runs() if dash and key.hash.startswith(start) and str(key.seed) == seed]
    if len(found) != 1:
        words = "no run" if not found else f"{len(found)} runs"
        raise UsageError(
            f"{words} of the name `{name}`", "give the beginning of a scenario hash and a seed: a1b2-7"
        )
    try:
        return store.get(found[0])
    except DamagedError:
        raise UsageError(f"the run `{name}` is damaged", "the next run that wants it replaces it") from None


def _run_table(run: Any) -> str:
    """A stored run as `hopscope run` prints it."""
    import tempfile

    from hopscope.cli.run import table
    from hopscope.results import folder
    from hopscope.results.run import RunResult

    with tempfile.TemporaryDirectory() as place:
        run.write(place)
        result = folder.read(place)
        assert isinstance(result, RunResult)
        return table(result)
