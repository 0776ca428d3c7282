"""A newcomer's first steps: a ready scenario as text, a copy to start from, and what the shell completes."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import Result

import hopscope
from conftest import PROJECT
from hopscope import engine, ready_scenarios
from hopscope.cli import program
from hopscope.cli.terminal import wants_colour
from hopscope.scenario_fields import fields

Command = Callable[..., Result]


def test_a_ready_scenario_is_shown_as_it_is_written(command: Command):
    done = command("show", "an1-mstage")
    assert done.exit_code == 0
    assert done.stdout == (PROJECT / "scenarios/an1-mstage.toml").read_text(encoding="utf-8")


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
    ready_scenarios.write(here / "mine.toml", name)
    assert tomllib.loads((here / "mine.toml").read_text(encoding="utf-8")) == tomllib.loads(
        ready_scenarios.text(name)
    )
    assert engine.load(here / "mine.toml").canonical_json() == engine.load(name).canonical_json()


def test_a_copy_brings_the_files_that_it_names(command: Command):
    done = command("init", "backbone/mine.toml", "--from", "backbone")
    assert done.stdout.splitlines() == ["wrote backbone/mine.toml", "wrote backbone/backbone.graphml"]
    assert command("topology", "backbone/mine.toml").exit_code == 0


@pytest.mark.parametrize("name", ["leaf-spine.ibnetdiscover", "irregular-opensm.lfts", "arpanet-sites.csv"])
def test_a_file_of_ready_scenarios_is_no_scenario_to_start_from(command: Command, here: Path, name: str):
    done = command("init", "--from", name)
    assert done.exit_code == 2
    assert f"`{name}` is a file that ready scenarios name, not a scenario" in done.stderr
    assert f"`hopscope show {name} > {name}`" in done.stderr
    assert list(here.iterdir()) == []


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


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("load=0.5", 'did you mean "traffic.load"?'),
        ("messages=1000", 'did you mean "measure.messages"?'),
        ("traffic.load=0.1..0.9", "--over traffic.load=0.1..0.9:STEP"),
    ],
)
def test_a_slip_is_answered_with_the_right_form(command: Command, typed: str, meant: str):
    done = command("run", "an1-mstage", "--set", typed)
    assert done.exit_code == 2
    assert meant in done.stderr


def test_a_section_that_is_missing_in_a_file_is_offered(command: Command, here: Path):
    (here / "mine.toml").write_text('model = "fabric"\nload = 0.5\n[network.torus]\n', encoding="utf-8")
    assert 'did you mean "reconfiguration.load" or "traffic.load"?' in command("run", "mine.toml").stderr


def test_numbers_are_understood_as_people_type_them(command: Command):
    typed = ("--set", "arrivals.load=40%", "--set", "measure.messages=2k")
    plain = ("--set", "arrivals.load=0.4", "--set", "measure.messages=2000")
    told = [
        json.loads(command("run", "queueing-mm1", *words, "--no-report", "--json").stdout)
        for words in (typed, plain)
    ]
    assert told[0]["scenario_hash"] == told[1]["scenario_hash"]


TORUS = """model = "fabric"
[network.torus]
width = 4
height = 4
[traffic]
load = 0.9
"""
BY_DEFAULT = "by default, and this run saturates with it"
SHORT = ("--set", "measure.messages=20000", "--no-report")


def test_a_network_that_saturates_at_a_default_says_which(command: Command, here: Path):
    (here / "torus.toml").write_text(TORUS, encoding="utf-8")
    done = command("run", "torus.toml", *SHORT)
    line = next(line for line in done.stdout.splitlines() if BY_DEFAULT in line)
    assert line.startswith('routing.rule is "up-down" by default')
    assert line.endswith("try another value with --set routing.rule=...")


def test_what_somebody_has_set_is_no_default(command: Command, here: Path):
    (here / "torus.toml").write_text(TORUS, encoding="utf-8")
    given = command("run", "torus.toml", *SHORT, "--set", 'routing.rule="up-down"').stdout
    assert ", saturated:" in given
    assert BY_DEFAULT not in given


def test_a_change_of_what_somebody_has_set_blames_no_default_beside_it(command: Command, here: Path):
    # Other switches have pause frames and a shared buffer. The credits given here need no such buffer.
    with_credits = (
        TORUS
        + """sizes = { fixed = "1000 B" }
[routing]
rule = "dimension-order"
[frames]
mtu = "1000 B"
flow_control = { credits = { lanes = 2, buffer_per_lane = "4000 B" } }
"""
    )
    (here / "torus.toml").write_text(with_credits, encoding="utf-8")
    done = command("run", "torus.toml", *SHORT)
    assert ", saturated:" in done.stdout
    assert "frames.buffer" not in done.stdout


def test_a_slow_cable_is_no_defaults_fault(command: Command):
    fabric = str(PROJECT / "scenarios/leaf-spine.ibnetdiscover")
    done = command("run", fabric, *SHORT)
    assert ", saturated:" in done.stdout
    assert BY_DEFAULT not in done.stdout


def test_a_network_that_is_not_saturated_names_no_default(command: Command, here: Path):
    (here / "torus.toml").write_text(TORUS, encoding="utf-8")
    done = command("run", "torus.toml", *SHORT, "--set", "traffic.load=0.05", "--json")
    assert json.loads(done.stdout)["saturated_by_default"] == []


def leaves(group: click.Command, words: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    """Every verb that does something, with the words that call it."""
    if not isinstance(group, click.Group):
        return [(words, group)]
    context = click.Context(group)
    verbs = ((name, group.get_command(context, name)) for name in group.list_commands(context))
    return [leaf for name, verb in verbs if verb is not None for leaf in leaves(verb, (*words, name))]


@pytest.mark.parametrize("verb", [pytest.param(verb, id=" ".join(words)) for words, verb in leaves(program)])
def test_every_verb_takes_json(verb: click.Command):
    assert any("--json" in param.opts for param in verb.params)


def test_what_prints_json_prints_nothing_else(command: Command, here: Path):
    assert command("init", "mine.toml").exit_code == 0
    for words in (
        ("show", "queueing-mm1"),
        ("schema",),
        ("completion", "zsh"),
        ("init", "other.toml"),
        ("scenarios",),
        ("routes", "ib-torus-updn"),
        ("routes", "ib-torus-updn", "--out", "tables.lfts"),
    ):
        assert json.loads(command(*words, "--json").stdout), words


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR": "0"}, False),
        ({"CLICOLOR": "1"}, None),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, True),
    ],
)
def test_colours_follow_the_usual_variables(variables: dict[str, str], wanted: bool | None):
    assert wants_colour(variables) is wanted


def test_colours_are_forced_through_a_pipe(process):
    known = {"FORCE_COLOR": "1", "NO_COLOR": ""}
    assert "\x1b[1m" in process("scenarios", **known).stdout
    assert "\x1b[" not in process("scenarios", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_the_command_to_run_is_quoted(command: Callable[..., Result]):
    assert "run it: hopscope run 'my net.toml'\n" in command("init", "my net.toml").stderr
