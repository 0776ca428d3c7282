"""Result hashes of every ready scenario and of settings of every study, pinned: a change shows in review.

    .venv/bin/python tests/python/fingerprints.py    renew tests/fingerprints/ (`make fingerprints`)

Hashes are those of `run.json`: BLAKE3 of every number that a run found out. They depend on no title or name.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hopscope
from hopscope import _core, engine

FOLDER = Path(__file__).resolve().parents[1] / "fingerprints"
# How many messages a short run measures.
FEW = 1_000
FEW_IN_STUDIES = 200
# How many settings of each study are run, evenly spread over all of them: some studies have hundreds.
MOST_SETTINGS = 4

QUICK, STUDIES = "scenarios-short", "studies-short"


def scenarios() -> dict[str, str]:
    """The result hash of each ready scenario in a short run."""
    names = [name for name, _, _ in hopscope.scenarios()]
    short = [f"measure.messages={FEW}"]
    return dict(zip(names, _hashes([engine.load(name, short) for name in names]), strict=True))


def studies() -> dict[str, str]:
    """For each study, SHA-256 of the result hashes of some of its settings in short runs."""
    found = {}
    for name in hopscope.study_names():
        settings = sorted(set(_settings(json.loads(_core.study_definition(name, True)))))
        settings = settings[:: -(-len(settings) // MOST_SETTINGS) or 1]
        short = [f"measure.messages={FEW_IN_STUDIES}"]
        hashes = _hashes([engine.load(scenario, [*texts, *short]) for scenario, texts in settings])
        found[name] = hashlib.sha256("\n".join(hashes).encode()).hexdigest()
    return found


def measured(kind: str) -> dict[str, str]:
    """The fingerprints of this kind as they are now."""
    return studies() if kind == STUDIES else scenarios()


def pinned(kind: str) -> tuple[str, dict[str, str]]:
    """The version that had these fingerprints, and they."""
    content = tomllib.loads((FOLDER / f"{kind}.toml").read_text(encoding="utf-8"))
    return content["version"], content["hashes"]


def renew(kind: str) -> None:
    """Write the fingerprints as they are now."""
    head = {
        QUICK: f"Result hashes of the ready scenarios, each measuring {FEW} messages.",
        STUDIES: f"SHA-256 of the result hashes of settings of each study at {FEW_IN_STUDIES} messages.",
    }[kind]
    lines = [
        f"# {head}",
        "# `make fingerprints` renews this file.",
        f'version = "{hopscope.__version__}"',
        "",
    ]
    lines += ["[hashes]", *(f'"{name}" = "{found}"' for name, found in sorted(measured(kind).items()))]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{kind}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _hashes(loaded: list[Any]) -> list[str]:
    return [json.loads(run.summary_json())["result_hash"] for run in engine.sweep(loaded)]


def _settings(definition: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every setting in a study's definition: a scenario with its overrides."""
    if isinstance(definition, dict):
        if {"scenario", "set", "seeds"} <= set(definition):
            yield definition["scenario"], tuple(f"{path}={value}" for path, value in definition["set"])
        for part in definition.values():
            yield from _settings(part)
    elif isinstance(definition, list):
        for part in definition:
            yield from _settings(part)


if __name__ == "__main__":
    for each in (QUICK, STUDIES):
        renew(each)
        print(f"renewed {FOLDER / each}.toml")
