"""A newcomer's first steps: a ready scenario as text, a copy to start from, and what the shell completes."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import Result

import hopscope
from hopscope import ready
from hopscope.cli import program
from hopscope.scenario_fields import fields

Command = Callable[..., Result]


def test_a_ready_scenario_is_shown_as_it_is_written(command: Command):
    done = command("show", "an1-mstage")
    assert done.exit_code == 0
    assert done.stdout == (Path(__file__).parents[2] / "scenarios/an1-mstage.toml").read_text(
        encoding="utf-8"
    )


def test_a_name_that_is_none_is_refused_with_the_nearest(command: Command):
    done = command("show", "an1-mstag")
    assert done.exit_code == 2
    assert "did you mean an1-mstage?" in done.stderr


def test_the_starter_runs_as_it_is(command: Command):
    done = command("init")
    assert done.stdout == "wrote scenario.toml\n"
    short = ("--set", "measure.messages=2000", "--no-report")
    assert command("run", "scenario.toml", *short).exit_code == 0


@pytest.mark.parametrize("name", [name for name, _, _ in hopscope.scenarios()])
def test_a_copy_of_a_ready_scenario_is_the_same_scenario(here: Path, name: str):
    ready.write(here / "mine.toml", name)
    topology = hopscope.topology(here / "mine.toml") if name.startswith("an1") else None
    assert tomllib.loads((here / "mine.toml").read_text(encoding="utf-8")) == tomllib.loads(ready.text(name))
    assert topology is None or topology.data == hopscope.topology(name).data


def test_a_copy_brings_the_files_that_it_names(command: Command):
    done = command("init", "backbone/mine.toml", "--from", "backbone")
    assert done.stdout.splitlines() == ["wrote backbone/mine.toml", "wrote backbone/backbone.graphml"]
    assert command("topology", "backbone/mine.toml").exit_code == 0


def test_nothing_is_overwritten(command: Command, here: Path):
    (here / "backbone.graphml").write_text("mine")
    done = command("init", "--from", "backbone")
    assert done.exit_code == 2
    assert "backbone.graphml` exists already" in done.stderr
    assert not (here / "scenario.toml").exists()


def offered(*typed: str) -> list[str]:
    """What a shell offers behind these words, of which the last is not finished."""
    found = ShellComplete(program, {}, "hopscope", "_HOPSCOPE_COMPLETE").get_completions(
        [*typed[:-1]], typed[-1]
    )
    return [item.value for item in found]


def test_verbs_scenarios_paths_and_values_are_completed():
    assert "explain" in offered("e")
    assert "an1-mstage" in offered("run", "an1-m")
    assert "traffic.load=" in offered("run", "an1-mstage", "--set", "traffic.l")
    assert offered("run", "queueing-mm1", "--set", "traffic.l") == []
    assert "routing.rule=shortest" in offered("run", "an1-mstage", "--set", "routing.rule=")
    assert offered("run", "an1-mstage", "--set", "no.such=") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(command: Command, shell: str):
    done = command("completion", shell)
    assert done.exit_code == 0
    assert "_HOPSCOPE_COMPLETE" in done.stdout


def test_every_field_of_a_scenario_has_a_meaning_and_a_path_that_the_engine_takes():
    found = list(fields())
    assert len(found) > 250
    assert all(field.meaning for field in found)
    assert json.dumps([field.path for field in found]) == json.dumps(sorted({field.path for field in found}))
