"""What a type checker knows of hopscope: every public name, argument and result, in a user's own script."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hopscope
from conftest import PROJECT

SCRIPT = '''
from pathlib import Path

import hopscope
from hopscope import Estimate, RunResult, SweepResult


def latency(load: float) -> Estimate | None:
    """The mean latency of one run."""
    result: RunResult = hopscope.run("an1-mstage", set={"traffic.load": load}, seed=1, out=Path("here"))
    return result.metric("latency.mean")


swept: SweepResult = hopscope.sweep("an1-mstage", over={"traffic.load": [0.2, 0.4]}, seeds=2)
for setting, value in swept.curve("latency.mean"):
    print(setting, None if value is None else value.value)
print(hopscope.explain("queueing-mm1").data["verdict"], hopscope.__version__)


class Whole:
    """A whole number of another library, such as numpy's."""

    def __index__(self) -> int:
        return 3


two = {"model": "fabric", "network": {"ring": {"switches": 4}}}
hopscope.run(two, seed=Whole())
hopscope.compare(two, "an1-tandem", seed=Whole(), seeds=Whole())
print(hopscope.check(two).safe, hopscope.routes(two), hopscope.explain(two, confirm=False, messages=Whole()))
print(hopscope.capacity(two, seeds=Whole()), hopscope.advise(two, seed=Whole()))
print(hopscope.topology(two, seed=Whole()))
'''
WRONG = {
    'hopscope.run("queueing-mm1", sed=1)': "sed",
    'hopscope.run("queueing-mm1").metrik("latency.mean")': "metrik",
    'hopscope.runn("queueing-mm1")': "runn",
    'hopscope.sweep("queueing-mm1")': "over",
}


def checked(checker: str, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a type checker says of a script that lies outside of the project."""
    path = folder / "script.py"
    path.write_text(script, encoding="utf-8")
    strict = ["--strict"] if checker == "mypy" else ["--pythonpath", sys.executable]
    line = [sys.executable, "-m", checker, *strict, str(path)]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_users_script_passes_in_strict_mode(checker: str, tmp_path: Path):
    begins = subprocess.run([sys.executable, "-m", checker, "--version"], capture_output=True, check=False)
    if begins.returncode:
        pytest.skip(f"{checker} does not start here: pyright fetches itself from npm's registry")
    done = checked(checker, SCRIPT, tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_wrong_name_argument_or_call_is_found(tmp_path: Path):
    script = "import hopscope\n" + "\n".join(WRONG)
    complaints = checked("mypy", script, tmp_path).stdout.splitlines()
    for line, word in enumerate(WRONG.values(), start=2):
        assert any(f"script.py:{line}: error" in said and word in said for said in complaints), complaints


def test_checkers_are_told_of_every_public_name():
    init = hopscope.__file__
    assert init is not None
    tree = ast.parse(Path(init).read_text(encoding="utf-8"))
    told = {
        alias.asname: node.module
        for part in tree.body
        if isinstance(part, ast.If)
        for node in part.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told == {name: f"hopscope.{home}" for name, home in hopscope._HOME_OF.items()}


def test_the_reference_has_every_call_with_its_arguments():
    """The arguments and defaults in the table are the real ones; `...` stands for a default that is long."""
    text = (PROJECT / "docs/reference/python.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)(\(.*?\))` \|", text, re.MULTILINE))
    calls = {name: call for name in hopscope.__all__ if inspect.isfunction(call := getattr(hopscope, name))}
    assert rows.keys() == calls.keys()
    for name, call in calls.items():
        told = ast.parse(f"def f{rows[name]}: ...").body[0]
        assert isinstance(told, ast.FunctionDef)
        arguments = told.args
        positional, named = [arg.arg for arg in arguments.args], [arg.arg for arg in arguments.kwonlyargs]
        pairs = [
            *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
            *zip(named, arguments.kw_defaults, strict=True),
        ]
        real = inspect.signature(call).parameters.values()
        # It is stated once, below the table, for all calls that take it.
        assert positional + named == [each.name for each in real if each.name != "allow_files"], name
        defaults = {each.name: each.default for each in real}
        for argument, default in pairs:
            assert default is not None, f"{name}: {argument} has no default in the reference"
            value = ast.literal_eval(default)
            assert value is ... or value == defaults[argument], f"{name}: {argument}"
        with_default = {each.name for each in real if each.default is not each.empty} - {"allow_files"}
        assert {argument for argument, _ in pairs} == with_default, name
