#!/usr/bin/env python3
"""Hold two trees against each other: the result of every ready scenario and the measured value of every study
cell.

    tests/compare_trees.py record BEFORE/.venv/bin/hopscope before.json
    tests/compare_trees.py record AFTER/.venv/bin/hopscope after.json
    tests/compare_trees.py compare before.json after.json

For a change that must leave results alone. Of a scenario it keeps the hashes, the number of events and every
number of the metrics, the ledger and the resources in their order, so that names and words may differ; of a
study every cell's measured value with its interval. `--quick` runs the studies quickly and leaves out
scenarios that simulate days.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

DAYS = frozenset({"arpanet-1973-08", "arpanet-1973-12"})
OF_A_ROW = ("capacity", "occupancy", "utilisation", "peak", "waiting", "wait_us", "acquisitions", "refused")
EXIT_CELL_MISSED = 1


def recorded(hopscope: Path, quick: bool, jobs: int) -> dict[str, Any]:
    """Everything that a tree measures."""
    ready = [each["name"] for each in called(hopscope, "scenarios", "--json")]
    scenarios = [name for name in ready if not (quick and name in DAYS)]
    listed = "import json, hopscope; print(json.dumps(list(hopscope.study_names())))"
    python = hopscope.parent / "python"
    told = subprocess.run([python, "-c", listed], capture_output=True, text=True, check=True)
    studies: list[str] = json.loads(told.stdout)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = pool.map(lambda name: run(hopscope, name), scenarios)
        cells = pool.map(lambda name: study(hopscope, name, quick), studies)
        return {
            "scenarios": dict(zip(scenarios, runs, strict=True)),
            "studies": dict(zip(studies, cells, strict=True)),
        }


def run(hopscope: Path, name: str) -> dict[str, Any]:
    """What a ready scenario finds out."""
    found = called(hopscope, "run", name, "--json", "--no-report", "--quiet")
    hashes = {key: found[key] for key in ("scenario_hash", "result_hash", "events")}
    return hashes | {
        "metrics": [row["estimate"] for row in found["metrics"]],
        "ledger": [[row["share"], row["estimate"]] for row in found["ledger"]],
        "resources": [[row.get(key, 0) for key in OF_A_ROW] for row in found["resources"]],
        "holders": [[held["occupancy"] for held in row.get("held_in", [])] for row in found["resources"]],
    }


def study(hopscope: Path, name: str, quick: bool) -> dict[str, Any]:
    """The cells of a study."""
    options = ("--quick",) if quick else ()
    cells = called(hopscope, "study", name, "--json", "--quiet", *options)
    return {cell["id"]: [cell["measured"], cell["low"], cell["high"], cell["verdict"]] for cell in cells}


def called(hopscope: Path, *words: str) -> Any:
    """The JSON that a command prints; its folder is forgotten."""
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run([hopscope, *words], cwd=folder, capture_output=True, text=True, check=False)
    if told.returncode not in (0, EXIT_CELL_MISSED):
        sys.exit(f"hopscope {' '.join(words)} ended with {told.returncode}: {told.stderr}")
    return json.loads(told.stdout)


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """One line for everything that is not the same."""
    lines = []
    for kind in ("scenarios", "studies"):
        for name in sorted(before[kind].keys() | after[kind].keys()):
            one, other = before[kind].get(name), after[kind].get(name)
            if one is None or other is None:
                lines.append(f"{kind} {name}: only {'after' if one is None else 'before'}")
                continue
            for key in sorted(one.keys() | other.keys()):
                if one.get(key) != other.get(key):
                    lines.append(f"{kind} {name} {key}: {one.get(key)} | {other.get(key)}"[:400])
    return lines


def main() -> int:
    """The command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    verbs = parser.add_subparsers(dest="verb", required=True)
    record = verbs.add_parser("record")
    record.add_argument("hopscope", type=Path)
    record.add_argument("file", type=Path)
    record.add_argument("--quick", action="store_true")
    record.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    compare = verbs.add_parser("compare")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.verb == "record":
        found = recorded(given.hopscope.absolute(), given.quick, given.jobs)
        given.file.write_text(json.dumps(found, indent=1))
        return 0
    before, after = (json.loads(path.read_text()) for path in (given.before, given.after))
    lines = differences(before, after)
    held, studies = after["scenarios"], after["studies"]
    cells = sum(len(cells) for cells in studies.values())
    print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{len(held)} scenarios and {cells} cells of {len(studies)} studies: {len(lines)} differences")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
