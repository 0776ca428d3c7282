"""What releases are made by: versions, the README of an index, the workflows and the container's recipe."""

import datetime
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conftest import PROJECT

sys.path.insert(0, str(PROJECT / "release"))
import crates
import source
import version

HOME = "https://example.org/hopscope"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the files that have a version."""
    for name in (*version.PLACES, "CHANGELOG.md"):
        shutil.copy(PROJECT / name, tmp_path)
    return tmp_path


def test_every_file_has_the_same_version():
    assert version.VERSION.fullmatch(version.the_one())


def test_a_version_is_set_everywhere(project: Path):
    version.set_to("7.8.9", datetime.date(2031, 2, 3), project)
    assert set(version.found(project).values()) == {"7.8.9"}
    assert "date-released: 2031-02-03\n" in (project / "CITATION.cff").read_text(encoding="utf-8")
    log = (project / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]\n\n## [7.8.9] - 2031-02-03\n" in log


@pytest.mark.parametrize("wrong", ["7.8", "v7.8.9", "next", ""])
def test_what_is_no_version_is_refused(project: Path, wrong: str):
    with pytest.raises(version.ReleaseError, match=r"write 1\.2\.3"):
        version.set_to(wrong, datetime.date(2031, 2, 3), project)


def test_a_release_of_nothing_is_refused(project: Path):
    version.set_to("7.8.9", datetime.date(2031, 2, 3), project)
    with pytest.raises(version.ReleaseError, match="nothing under"):
        version.set_to("7.9.0", datetime.date(2031, 2, 4), project)


def test_files_that_differ_are_named(project: Path):
    (project / "CITATION.cff").write_text("version: 9.9.9\n", encoding="utf-8")
    with pytest.raises(version.ReleaseError, match=r"CITATION\.cff has 9\.9\.9"):
        version.the_one(project)


def test_the_readme_of_an_index_has_no_relative_links():
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    shown = source.for_an_index(readme, HOME, "v1.2.3")
    assert re.findall(r"!\[[^\]]*\]\((?!https://)", shown) == []
    targets = [link["target"] for link in source.LINK.finditer(source.FENCE.sub("", shown))]
    assert all("://" in target or target.startswith("#") for target in targets)
    assert f"({HOME}/raw/v1.2.3/docs/images/slow-cable.svg)" in shown
    assert [block[0] for block in source.FENCE.finditer(shown)] == [
        block[0] for block in source.FENCE.finditer(readme)
    ]


def test_every_link_of_the_index_is_a_file_of_the_project():
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    shown = source.for_an_index(readme, HOME, "v1.2.3")
    names = re.findall(rf"\({HOME}/(?:raw|blob)/v1\.2\.3/([^)#]+)", shown)
    assert len(names) > 20
    assert [name for name in names if not (PROJECT / name).exists()] == []


def test_the_metadata_gets_the_addresses():
    text = source.with_urls((PROJECT / "pyproject.toml").read_text(encoding="utf-8"), HOME, "v1.2.3")
    assert f'[project.urls]\nHomepage = "{HOME}"\n' in text
    assert f'Changelog = "{HOME}/blob/v1.2.3/CHANGELOG.md"' in text


def tool(name: str) -> str:
    """A program of .tools or of the path."""
    found = shutil.which(name, path=f"{PROJECT / '.tools'}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_the_workflows_pass_their_linter():
    line = [tool("actionlint"), *map(str, sorted((PROJECT / ".github/workflows").glob("*.yml")))]
    done = subprocess.run(line, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_containers_recipe_passes_its_linter():
    # DL3008: Debian's stable release is pinned as a whole. DL3013: the wheel has just been built.
    line = [tool("hadolint"), "--ignore", "DL3008", "--ignore", "DL3013", str(PROJECT / "Containerfile")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_workflows_call_what_the_makefile_has():
    rules = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for workflow in (PROJECT / ".github/workflows").glob("*.yml"):
        called = re.findall(r"\bmake ([a-z-]+)", workflow.read_text(encoding="utf-8"))
        assert set(called) <= rules, workflow.name


MANIFESTS = sorted(PROJECT.glob("crates/*/Cargo.toml"))


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.parent.name)
def test_every_crate_says_what_it_is_and_documents_what_it_offers(manifest: Path):
    crate = tomllib.loads(manifest.read_text(encoding="utf-8"))
    assert len(crate["package"]["description"]) > 20
    assert crate["package"]["license"] == {"workspace": True}
    assert crate["lints"] == {"workspace": True}, "missing_docs is among the workspace's lints"
    is_kept = f"crates/{manifest.parent.name}" in crates.KEPT
    assert is_kept or (manifest.parent / "README.md").read_text(encoding="utf-8").startswith("# hopscope-")


def test_missing_documentation_is_an_error_of_make_lint():
    lints = tomllib.loads((PROJECT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["lints"]
    assert lints["rust"]["missing_docs"] == "warn"
    assert (
        "cargo clippy --workspace --all-targets --release -- -D warnings"
        in (PROJECT / "Makefile").read_text()
    )


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """The manifests and the carried files, as an exported tree has them."""
    for path in (*MANIFESTS, *(PROJECT / name / "Cargo.toml" for name in ("benches", "tests/tidy", "."))):
        target = tmp_path / path.relative_to(PROJECT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    shutil.copy(PROJECT / "CITATION.cff", tmp_path)
    for folder in crates.CARRIED:
        shutil.copytree(PROJECT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("runs"))
    return tmp_path


def test_crates_get_addresses_and_versions_and_parts_of_other_packages_stay(exported: Path):
    names = crates.prepare(exported, HOME + "/")
    root = tomllib.loads((exported / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert root["package"]["repository"] == HOME
    assert "publish" not in root["package"]
    house = {name: at for name, at in root["dependencies"].items() if name.startswith("hopscope-")}
    assert all(at["version"] == version.the_one() for at in house.values())
    assert set(house) == set(names), "who is used by another crate is published"
    for manifest in exported.glob("crates/*/Cargo.toml"):
        package = tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]
        is_kept = f"crates/{manifest.parent.name}" in crates.KEPT
        assert package.get("publish") == (False if is_kept else None)
        assert ("repository" in package) == (not is_kept)
    assert (exported / "crates/engine/carried/scenarios/queueing-mm1.toml").is_file()


@pytest.mark.long
def test_every_crate_is_packaged(tmp_path: Path):
    listed = subprocess.run(
        ["git", "ls-files"], cwd=PROJECT, check=True, capture_output=True, text=True
    ).stdout
    for file in listed.splitlines():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / file, tmp_path / file)
    line = [sys.executable, str(PROJECT / "release/crates.py"), str(tmp_path), HOME]
    known = os.environ | {"CARGO_TARGET_DIR": str(tmp_path / "target")}
    subprocess.run(line, check=True, env=known)
    packages = {path.name for path in (tmp_path / "target/package").glob("*.crate")}
    assert f"hopscope-engine-{version.the_one()}.crate" in packages
    assert len(packages) == len(MANIFESTS) - sum(name.startswith("crates/") for name in crates.KEPT)


@pytest.mark.skipif(not (PROJECT / source.BUILT / "page.js").is_file(), reason="the page has not been built")
def test_the_tree_of_a_release_has_the_page(tmp_path: Path):
    source.export(tmp_path / "tree", HOME)
    for name in ("page.js", "page.css"):
        carried = tmp_path / "tree" / source.BUILT / name
        assert carried.read_bytes() == (PROJECT / source.BUILT / name).read_bytes()
