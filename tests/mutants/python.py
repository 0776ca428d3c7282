"""Mutation testing of the Python that decides: a seeded sample of mutants, and which of them no test kills.

    make mutants-python [SAMPLE=N] [SEED=S]

Cosmic Ray changes one operator, number or branch at a time, in a copy of the tree. Each module is tested by
the files of tests that are about it. Sessions are kept in target/mutants/python, so that the same command
goes on where it was stopped; a module that has changed begins anew. A test that never ends is killed by its
processor time.
"""

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkItem
from run import HERE, KEPT, SEED, copied, ended

MODULES = {
    "atomic": ("atomic", "interrupts"),
    "estimate": ("estimate",),
    "experiments.compare": ("experiments",),
    "experiments.definition": ("experiments", "bad_experiments"),
    "experiments.driver": ("experiments",),
    "planning.capacity.capacity": ("planning",),
    "planning.trying.gain": ("what_if", "planning"),
    "planning.goals.goal": ("what_if", "planning"),
    "planning.capacity.saturation": ("planning",),
    "confirmation": ("explain",),
    "results.explanation": ("explain", "sentences"),
    "store.places": ("store", "crash_points"),
    "store.store": ("store", "experiments"),
    "studies.histogram": ("study",),
    "studies.verdict": ("verdict", "study"),
}
"""Modules whose mistakes are wrong or lost results, and the files of tests that are about them."""

PYTHON = HERE / ".venv" / "bin" / "python"
SAMPLE = 8
CPU_SECONDS = 300
WALL_SECONDS = 3600
WITHOUT = "core/ReplaceBinaryOperator_BitOr"
"""`|` stands in types here, which nothing reads when the program runs."""


def main() -> int:
    """Run the sample of each module; 1 where fewer than nine in ten are killed."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument(
        "--python", type=Path, default=HERE / ".venv" / "bin" / "python", help="which runs the tests"
    )
    asked.add_argument("--sample", type=int, default=SAMPLE, help="mutants a module")
    asked.add_argument("--seed", type=int, default=SEED)
    given = asked.parse_args()
    os.chdir(copy())
    os.environ["PYTHONPATH"] = str(Path("python").resolve())
    counts: dict[str, Counter[str]] = {}
    survivors: list[str] = []
    for module, files in MODULES.items():
        path = Path("python", "hopscope", *module.split(".")).with_suffix(".py")
        line = tests(given.python.absolute(), files)
        if not passes(line):
            print(f"{path}: its tests fail without any change", file=sys.stderr)
            return 2
        with session(path) as kept:
            chosen = sampled(kept, module, given.sample, given.seed)
            tried(kept, chosen, line)
            found = {job: result.test_outcome.value for job, result in kept.results if result.test_outcome}
        counts[module] = Counter(found[item.job_id] for item in chosen)
        survivors += [named(item) for item in chosen if found[item.job_id] == "survived"]
    return told(counts, survivors)


def copy() -> Path:
    """The copy of the tree, with the engine and the page as they are built."""
    tree = copied(KEPT / "python" / "tree")
    line = ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "python"]
    built = subprocess.run(line, cwd=HERE, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in built:
        if "__pycache__" not in name:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HERE / name, tree / name)
    return tree


def tests(python: Path, files: tuple[str, ...]) -> str:
    """The command that runs these files of tests until one fails."""
    names = " ".join(str(next(Path("tests/python").glob(f"*/test_{name}.py"))) for name in files)
    return f"prlimit --cpu={CPU_SECONDS} {python} -m pytest -q -x -p no:cacheprovider {names}"


def passes(line: str) -> bool:
    """Whether the tests pass as they are."""
    return subprocess.run(line.split(), check=False, stdout=subprocess.DEVNULL).returncode == 0


def session(path: Path) -> WorkDB:
    """What is known of a module as it is now; new where it has changed."""
    mark = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    kept = KEPT / "python" / f"{path.stem}-{mark}.sqlite"
    known = use_db(kept)
    with known as opened:
        if opened.num_work_items == 0:
            init([path], opened, {})
    return use_db(kept)


def sampled(kept: WorkDB, module: str, most: int, seed: int) -> list[WorkItem]:
    """A sample of a module's mutants, the same for a seed as long as the module is the same."""
    every = [item for item in kept.work_items if not item.mutations[0].operator_name.startswith(WITHOUT)]
    every.sort(key=lambda item: (item.mutations[0].operator_name, item.mutations[0].occurrence))
    return random.Random(f"{module} {seed}").sample(every, min(most, len(every)))


def tried(kept: WorkDB, chosen: list[WorkItem], line: str) -> None:
    """Test each mutant that has no outcome yet."""
    known = {job for job, _ in kept.results}
    for item in chosen:
        if item.job_id not in known:
            kept.set_result(item.job_id, mutate_and_test(item.mutations, line, WALL_SECONDS))


def named(item: WorkItem) -> str:
    """Where a mutant is and what it changes."""
    change = item.mutations[0]
    line, column = change.start_pos
    return f"{change.module_path}:{line}:{column + 1}: {change.operator_name} in {change.definition_name}"


def told(counts: dict[str, Counter[str]], survivors: list[str]) -> int:
    """Print a row for each module and every survivor."""
    print("| module | mutants | killed | survived |\n|---|---|---|---|")
    total: Counter[str] = Counter()
    for module, count in counts.items():
        total += count
        print(f"| {module} | {count.total()} | {count['killed']} | {count['survived']} |")
    return ended(total, survivors)


if __name__ == "__main__":
    sys.exit(main())
