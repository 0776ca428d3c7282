"""Run folders and sweep folders: the only interface between the engine and all displays."""

import json
import os
from pathlib import Path
from typing import TypeGuard

from hopscope import atomic, engine
from hopscope.errors import UsageError
from hopscope.paths import path_of
from hopscope.results import frames, shapes, stored
from hopscope.results.run import RunResult
from hopscope.results.summary import Summary
from hopscope.results.sweep import SweepPoint, SweepResult

HINT = "the folder should be as hopscope wrote it"


def is_folder(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether an argument given as a scenario is a folder: then that of a run."""
    return isinstance(source, str | os.PathLike) and os.path.isdir(source)


def scenario_file(run: str | os.PathLike[str]) -> Path:
    """The scenario that the run in a folder was of."""
    return Path(run) / "scenario.toml"


def read(folder: str | Path) -> RunResult | SweepResult:
    """Read the folder of a run or a sweep. Raises UsageError if it is neither."""
    place = path_of("folder", folder)
    if atomic.is_partial(place):
        raise UsageError(
            f"`{place}` is the incomplete output of a stopped process",
            "run it again; you may delete this folder",
        )
    if os.path.exists(place / "sweep.json"):
        return _read_sweep(place)
    if os.path.exists(place / "summary.json"):
        return _read_run(place)
    raise UsageError(
        f"`{place}` is neither a run folder nor a sweep folder", "it should hold summary.json or sweep.json"
    )


def write_sweep(sweep: SweepResult, folder: Path) -> None:
    """Write sweep.json, metrics.csv and one run folder per run into an existing empty folder."""
    points = []
    for number, point in enumerate(sweep.points, start=1):
        for run in point.runs:
            name = f"points/{number:03d}-seed-{run.seed}"
            (folder / name).mkdir(parents=True)
            run.write_into(folder / name)
            points.append(
                {
                    "folder": name,
                    "set": dict(point.set),
                    "seed": run.seed,
                    "outcome": run.outcome,
                    "scenario_hash": run.summary.fields["scenario_hash"],
                    "result_hash": run.summary.fields["result_hash"],
                }
            )
    content = {
        "hopscope": sweep.first.summary.fields["hopscope"],
        "name": sweep.name,
        "title": sweep.title,
        "over": sweep.over,
        "points": points,
    }
    (folder / "sweep.json").write_text(
        json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    frames.write_csv(*sweep.metric_rows(), folder / "metrics.csv")


def default_folder(name: str, seed: int, word: str | None = None) -> Path:
    """The default folder of results: runs/NAME-[WORD-]SEED, numbered if that exists."""
    parts = [name] + ([word] if word else []) + [str(seed)]
    return atomic.free_name(Path("runs") / "-".join(parts))


def _read_run(folder: Path, name: str | None = None) -> RunResult:
    scenario = engine.load_run(folder)
    summary = Summary(stored.read_summary(folder, HINT))
    return RunResult(scenario, summary, folder, name or folder.name)


def _read_sweep(folder: Path) -> SweepResult:
    file = folder / "sweep.json"
    content = stored.read_json(file, shapes.SWEEP, HINT)
    over = content["over"]
    points: dict[str, SweepPoint] = {}
    for at, entry in enumerate(content["points"]):
        set_to = entry["set"]
        if list(set_to) != list(over) or any(value not in over[path] for path, value in set_to.items()):
            raise UsageError(f"`{file}` is damaged: `points[{at}].set` is no point of `over`", HINT)
        run = _read_run(_within(folder, entry["folder"]), content["name"])
        point = points.setdefault(json.dumps(entry["set"], sort_keys=True), SweepPoint(entry["set"], []))
        point.runs.append(run)
    if not points:
        raise UsageError(f"`{file}` is damaged: `points` is empty", HINT)
    return SweepResult(content["name"], over, list(points.values()))


def _within(folder: Path, name: str) -> Path:
    """A run folder of a sweep, checked to lie in the sweep's own folder: it may come from others."""
    run = folder / name
    if not run.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"`{folder / 'sweep.json'}` names the folder `{name}`, which is not its own", HINT)
    if not (run / "summary.json").exists():
        raise UsageError(f"`{folder / 'sweep.json'}` names the folder `{name}`, which holds no run", HINT)
    return run
