"""Mutation testing: a seeded sample of each crate's mutants, and which of them the tests do not kill.

    tests/mutants/run.py [--crates kernel measure ...] [--sample N] [--seed S] [--minutes M]

cargo-mutants changes one expression or one function at a time and runs the crate's own tests; what survives
them meets the tests of the engine, which run whole scenarios. Outcomes are kept in target/mutants, one line
of JSON a mutant, so that the same command goes on where it was stopped.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
KEPT = HERE / "target" / "mutants"
CRATES = (
    "kernel",
    "measure",
    "topology",
    "explain",
    "fabric",
    "queueing",
    "an1",
    "lossless",
    "arpanet",
    "pup",
    "sna",
)
"""Kernel, measurement and what is built on them: the crates whose mistakes are wrong results."""

SAMPLE = 20
SEED = 1977
ENGINE = "hopscope-engine"
BATCH = 5
OUTCOMES = {"CaughtMutant": "killed", "MissedMutant": "survived", "Timeout": "killed", "Unviable": "unviable"}
MISSING = "cargo-mutants is missing: cargo install --locked cargo-mutants"
LEAST = 0.9


def main() -> int:
    """Run the sample of each crate; 1 where fewer than nine in ten of the viable mutants are killed."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--crates", nargs="+", choices=CRATES, default=CRATES)
    asked.add_argument("--sample", type=int, default=SAMPLE, help="mutants a crate")
    asked.add_argument("--seed", type=int, default=SEED)
    asked.add_argument("--minutes", type=float, default=float("inf"), help="begin no batch after so long")
    given = asked.parse_args()
    if shutil.which("cargo-mutants") is None:
        print(MISSING, file=sys.stderr)
        return 2
    until = time.monotonic() + 60 * given.minutes
    samples = {crate: sampled(crate, given.sample, given.seed) for crate in given.crates}
    for crate, names in samples.items():
        for batch in batches(crate, names):
            if time.monotonic() < until:
                tried(crate, batch)
    return told(samples)


def sampled(crate: str, most: int, seed: int) -> list[str]:
    """The names of a sample of a crate's mutants, the same for a seed as long as the crate is the same."""
    line = ["cargo", "mutants", "--list", "--json", "--package", f"hopscope-{crate}"]
    listed = subprocess.run(line, cwd=HERE, check=True, capture_output=True, text=True).stdout
    names = sorted({each["name"] for each in json.loads(listed)})
    return sorted(random.Random(f"{crate} {seed}").sample(names, min(most, len(names))))


def batches(crate: str, names: Sequence[str]) -> Iterator[list[str]]:
    """What has no outcome yet, a few at a time: what is stopped loses one batch."""
    known = outcomes(crate)
    left = [name for name in names if name not in known]
    for at in range(0, len(left), BATCH):
        yield left[at : at + BATCH]


def tried(crate: str, names: Sequence[str]) -> None:
    """Run mutants against the tests of their crate, and survivors against those of the engine."""
    found = run(crate, names, [f"hopscope-{crate}"])
    survivors = [name for name in names if found.get(name) == "survived"]
    if survivors:
        found |= run(crate, survivors, [ENGINE])
    with (KEPT / f"{crate}.jsonl").open("a", encoding="utf-8") as kept:
        for name in names:
            if name in found:
                kept.write(json.dumps({"mutant": name, "outcome": found[name]}) + "\n")


def run(crate: str, names: Sequence[str], tests: Sequence[str]) -> dict[str, str]:
    """The outcomes of some mutants under the tests of some packages."""
    KEPT.mkdir(parents=True, exist_ok=True)
    at = KEPT / crate
    shutil.rmtree(at, ignore_errors=True)
    exact = "|".join(re.escape(name) for name in names)
    line = ["cargo", "mutants", "--package", f"hopscope-{crate}", "--re", f"^({exact})$"]
    line += ["--output", str(at), "--profile", "release", "--no-times", "--baseline", "skip"]
    line += ["--timeout", "300", "--build-timeout", "1200", "--test-package", ",".join(tests)]
    subprocess.run(line, cwd=HERE, check=False, stdout=subprocess.DEVNULL)
    told = at / "mutants.out" / "outcomes.json"
    if not told.exists():
        return {}
    rows = json.loads(told.read_text(encoding="utf-8"))["outcomes"]
    mutants = [row for row in rows if isinstance(row["scenario"], dict)]
    return {row["scenario"]["Mutant"]["name"]: OUTCOMES[row["summary"]] for row in mutants}


def outcomes(crate: str) -> dict[str, str]:
    """What is known of a crate's mutants."""
    kept = KEPT / f"{crate}.jsonl"
    if not kept.exists():
        return {}
    rows = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    return {row["mutant"]: row["outcome"] for row in rows}


def told(samples: dict[str, list[str]]) -> int:
    """Print a row for each crate and every survivor."""
    print("| crate | mutants | unviable | killed | survived | not yet |\n|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    survivors = []
    for crate, names in samples.items():
        known = outcomes(crate)
        counts = Counter(known.get(name, "not yet") for name in names)
        total += counts
        survivors += [name for name in names if known.get(name) == "survived"]
        columns = (counts[each] for each in ("unviable", "killed", "survived", "not yet"))
        print(f"| {crate} | {len(names)} | " + " | ".join(map(str, columns)) + " |")
    viable = total["killed"] + total["survived"]
    share = total["killed"] / viable if viable else 1.0
    print(f"\n{total['killed']} of {viable} viable mutants killed ({100 * share:.0f} %)")
    for name in survivors:
        print(f"survived: {name}")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
