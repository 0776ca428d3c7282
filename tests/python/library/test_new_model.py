"""`hopscope new-model`: a skeleton that passes every test of the house, and names that no model can have."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import Result

from conftest import PROJECT
from hopscope import new_model
from hopscope.errors import UsageError
from hopscope.new_model.skeleton import sorted_in

CHANGED = (
    "Cargo.toml",
    "crates/engine/Cargo.toml",
    "crates/engine/src/models/mod.rs",
    "crates/engine/src/registry.rs",
    "ARCHITECTURE.md",
)


def copied(files: Iterable[str], folder: Path) -> Path:
    """These files of the project in a folder of their own."""
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PROJECT / file, folder / file)
    return folder


@pytest.fixture
def checkout(here: Path) -> Path:
    """What of a checkout the skeleton changes, as the working folder."""
    crates = [str(path.relative_to(PROJECT)) for path in (PROJECT / "crates").glob("*/Cargo.toml")]
    return copied([*CHANGED, *crates], here)


def test_the_skeleton_stands_where_models_do(checkout: Path, command: Callable[..., Result]):
    made = command("new-model", "token_ring", "--json")
    assert made.exit_code == 0, made.output
    files = json.loads(made.stdout)["files"]
    assert set(files) >= {*CHANGED, "crates/token-ring/src/params.rs", "scenarios/token-ring.toml"}
    assert all("@" not in (checkout / file).read_text() for file in files if "token" in file)
    manifest = tomllib.loads((checkout / "Cargo.toml").read_text())
    assert manifest["workspace"]["dependencies"]["hopscope-token-ring"] == {"path": "crates/token-ring"}
    engine = tomllib.loads((checkout / "crates/engine/Cargo.toml").read_text())
    assert engine["dependencies"]["hopscope-token-ring"] == {"workspace": True}
    assert "Entry::<models::TokenRing>" in (checkout / "crates/engine/src/registry.rs").read_text()
    assert re.search("^models: .*, token-ring$", (checkout / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    used = re.findall("^mod (.*);$", (checkout / "crates/engine/src/models/mod.rs").read_text(), re.MULTILINE)
    assert used == sorted(used)
    again = command("new-model", "token-ring")
    assert again.exit_code == 2
    assert "the name `token-ring` is taken" in again.output


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("TokenRing", "cannot be the name"),
        ("token ring", "cannot be the name"),
        ("-ring", "cannot be the name"),
        ("ring-", "cannot be the name"),
        ("../ring", "cannot be the name"),
        ("4ring", "cannot be the name"),
        ("r" * 31, "cannot be the name"),
        ("loop", "Rust keeps for itself"),
        ("core", "Rust keeps for itself"),
        ("fabric", "is taken"),
        ("capacity", "is taken"),
        ("flow_files", "is taken"),
    ],
)
def test_other_names_are_refused_and_nothing_is_written(checkout: Path, name: str, told: str):
    before = sorted(checkout.rglob("*"))
    with pytest.raises(UsageError, match=told):
        new_model.write(name, checkout)
    assert sorted(checkout.rglob("*")) == before


def test_outside_of_a_checkout_it_says_so(command: Callable[..., Result]):
    refused = command("new-model", "ring")
    assert refused.exit_code == 2
    assert "no source checkout" in refused.output
    assert "hint: clone the project" in refused.output


def test_a_checkout_that_is_not_as_expected_is_left_as_it_is(checkout: Path):
    (checkout / "crates/engine/src/registry.rs").write_text("//! Others.\n")
    with pytest.raises(UsageError, match=r"registry\.rs` is not as expected"):
        new_model.write("ring", checkout)
    assert not (checkout / "crates/ring").exists()


def test_a_line_comes_in_order():
    assert (
        sorted_in("x\nmod a;\nmod c;\ny\nmod b;", "mod .;", "mod b;")
        == "x\nmod a;\nmod b;\nmod c;\ny\nmod b;"
    )
    assert sorted_in("x", "mod .;", "mod b;") == "x"


@pytest.mark.long
def test_the_skeleton_passes_every_test_of_the_house(tmp_path: Path):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    copy = copied((file for file in listed if (PROJECT / file).is_file()), tmp_path / "copy")
    new_model.write("token-ring", copy)
    # The house reads what git knows.
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=copy, check=True)
    known = os.environ | {"CARGO_TARGET_DIR": str(PROJECT / "target/new-model")}
    model = ("-p", "hopscope-token-ring")
    for line in (
        ("cargo", "fmt", "--all", "--check"),
        ("cargo", "test", "--release", *model, "-p", "hopscope-tidy"),
        (
            "cargo",
            "clippy",
            "--release",
            "--all-targets",
            *model,
            "-p",
            "hopscope-engine",
            "--",
            "-D",
            "warnings",
        ),
        (
            "cargo",
            "test",
            "--release",
            "-p",
            "hopscope-engine",
            "--lib",
            "--test",
            "bad_scenarios",
            "--test",
            "runs",
        ),
        ("cargo", "test", "--release", "-p", "hopscope-storm"),
    ):
        done = subprocess.run(line, cwd=copy, env=known, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
