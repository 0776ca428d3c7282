"""The commands that README.md and docs/ show work as they are shown."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
DOCUMENTS = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown_commands(text: str) -> list[str]:
    """The `hopscope` commands of a document: behind a prompt in console blocks, bare in sh blocks."""
    commands = []
    for kind, block in BLOCK.findall(text):
        lines = block.replace("\\\n", " ").splitlines()
        typed = [line.removeprefix("$ ") for line in lines if kind == "sh" or line.startswith("$ ")]
        commands += [line.strip().removeprefix(".venv/bin/") for line in typed]
    return [line for line in commands if line.startswith("hopscope ")]


def test_the_readme_shows_how_to_use_the_program():
    assert shown_commands(DOCUMENTS[0].read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_is_shown_works(document: Path, tmp_path: Path):
    shell = 'hopscope() { "$PYTHON" -m hopscope "$@"; }; set -o pipefail; '
    known = os.environ | {"PYTHON": sys.executable}
    for command in shown_commands(document.read_text(encoding="utf-8")):
        line = ["bash", "-c", shell + command]
        done = subprocess.run(line, cwd=tmp_path, env=known, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), f"{command}\n{done.stderr}"


def test_commands_are_found_in_both_kinds_of_blocks():
    console = "```console\n$ hopscope run a \\\n    --seed 1\nload 0.5\n```\n"
    text = console + "\n```sh\nmake build\nhopscope scenarios\n```\n"
    assert [" ".join(command.split()) for command in shown_commands(text)] == [
        "hopscope run a --seed 1",
        "hopscope scenarios",
    ]
