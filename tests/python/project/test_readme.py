"""README.md and docs/ are true: every command and program that they show works and prints what is shown."""

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from conftest import PROJECT
from hopscope import schema
from hopscope.forwarding_tables import fabric_formats
from hopscope.importing.forms import NAMES
from hopscope.scenario_fields import fields

DOCS = PROJECT / "docs"
DICTIONARY = DOCS / "reference/dictionary.md"


def load(name: str):
    """A program of the folder docs, which is no package."""
    specification = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


load("scenario_reference")
load("study_reference")
load("own_program")
format_table = load("format_table")
refresh = load("refresh")


@pytest.mark.parametrize("document", refresh.DOCUMENTS, ids=lambda path: path.name)
def test_a_document_shows_what_is_true(document: Path, tmp_path: Path):
    hint = "refresh it with .venv/bin/python docs/refresh.py, and say in CHANGELOG.md why results changed"
    assert document.read_text(encoding="utf-8") == refresh.current(document, tmp_path), hint


def test_the_readme_shows_how_to_use_the_program():
    readme = refresh.DOCUMENTS[0].read_text(encoding="utf-8")
    assert "$ hopscope run " in readme
    assert "```python\n" in readme


def test_the_fabric_of_the_readme_is_what_its_script_writes():
    fabric = DOCS.parent / "scenarios/leaf-spine.ibnetdiscover"
    assert fabric.read_text(encoding="utf-8") == load("leaf_spine").text()


def test_the_traffic_of_1974_and_1975_is_as_its_program_writes_it():
    for name, text in load("arpanet_traffic").files():
        assert (DOCS.parent / "scenarios" / name).read_text(encoding="utf-8") == text


def test_links_between_documents_lead_somewhere():
    for document in refresh.DOCUMENTS:
        for target in refresh.links(document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_shown_output_is_renewed(tmp_path: Path):
    stale = "```console\n$ hopscope --version\nhopscope 0.0.0\n```\n\n```console\n$ make build\nkept\n```\n"
    fresh = refresh.refreshed(stale, tmp_path)
    assert "hopscope 0.0.0" not in fresh
    assert "$ hopscope --version\nhopscope " in fresh
    assert "$ make build\nkept\n" in fresh


def test_a_cut_stands_for_lines_of_the_output():
    output = ["title\n", "\n", "cause  new gain\n", "  how\n", "\n", "chain\n", "  link\n", "end 2\n"]
    shown = ["title\n", "...\n", "cause  old gain\n", "  how\n", "...\n", "end 1\n"]
    assert refresh._cut(output, shown) == [*output[:1], "...\n", *output[2:4], "...\n", output[-1]]
    # A piece that ends with an empty line goes to the next one, however many lines that are.
    paragraph = ["...\n", "cause  old gain\n", "\n", "...\n"]
    assert refresh._cut(output, paragraph) == ["...\n", *output[2:5], "...\n"]
    # The last piece begins with its first word although the output has grown, and else as far from the end.
    assert refresh._cut(output, ["...\n", "chain\n", "end 1\n"]) == ["...\n", *output[5:]]
    assert refresh._cut(output, ["...\n", "gone\n", "end 1\n"]) == ["...\n", *output[6:]]
    assert refresh._cut(output, ["stale\n"]) == output


@pytest.mark.parametrize(
    "shown",
    [
        ["...\n", "absent\n", "...\n"],
        ["a\n", "b\n", "...\n", "c\n"],
        ["a\n", "...\n", "...\n", "c\n"],
        ["...\n", "a\n", "...\n"],
    ],
    ids=["no such line", "nothing left out", "an empty piece", "nothing left out before it"],
)
def test_a_cut_that_is_not_one_is_found(shown: list[str]):
    with pytest.raises(refresh.StaleError):
        refresh._cut(["a\n", "b\n", "c\n"], shown)


def test_programs_share_their_names_and_files(tmp_path: Path):
    text = (
        "```toml a.toml\nseed = 3\n```\n\n```python\nfrom pathlib import Path\n```\n\n"
        "```python\nprint(Path('a.toml').read_text(), end='')\n```\n\n```text\n```\n"
    )
    assert refresh.refreshed(text, tmp_path).endswith("```text\nseed = 3\n```\n")


def test_a_command_that_fails_is_found(tmp_path: Path):
    with pytest.raises(refresh.StaleError):
        refresh.refreshed("```sh\nhopscope run no-such-scenario\n```\n", tmp_path)
    announced = "```console exit=2\n$ hopscope run no-such-scenario\n```\n"
    assert "no-such-scenario" in refresh.refreshed(announced, tmp_path)


def test_the_page_of_formats_lists_exactly_the_programs_table():
    page = refresh.FORMATS_PAGE.read_text(encoding="utf-8")
    fabrics, _, rest = page.partition("## Files to import")
    imported = rest.partition("## Forwarding tables")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", fabrics, re.MULTILINE) == [
        each["name"] for each in fabric_formats()
    ]
    rows = re.findall(r"^\| (`[^|]+) \|", imported, re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`([\w-]+)`", row)]
    assert sorted(listed) == sorted(NAMES)
    assert format_table.renewed(page) == page


def test_the_dictionary_names_fields_and_choices_that_exist():
    known = {field.path: field for field in fields()}
    patterns = {name for each in schema()["$defs"]["FlowPattern"]["oneOf"] for name in each["properties"]}
    named = re.findall(r"^\| .+? \| (.+?) \|", DICTIONARY.read_text(encoding="utf-8"), re.MULTILINE)
    paths = [
        path for cell in named for path in re.findall(r'`([a-z_]+(?:\.[\w-]+)+)(?: = "([\w-]+)")?`', cell)
    ]
    assert len(paths) > 50
    for path, value in paths:
        group, _, pattern = path.partition(".")
        assert path in known or (group == "pattern" and pattern in patterns), path
        assert not value or value in known[path].choices, f"{path} = {value}"


@pytest.mark.parametrize("verb", ["topology", "check", "run"])
def test_the_help_of_a_verb_lists_exactly_the_programs_formats(command: Callable[..., Result], verb: str):
    # Lines may end within a name, after its hyphen.
    shown = "".join(command(verb, "--help").stdout.split())
    assert f"({','.join(name for each in fabric_formats() for name in each['known_as'])})" in shown
