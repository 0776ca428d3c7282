"""What releases are made by: versions, the README of an index, the workflows and the container's recipe."""

import datetime
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "release"))
import source  # noqa: E402
import version  # noqa: E402

HOME = "https://example.org/hopscope"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the files that have a version."""
    for name in (*version.PLACES, "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
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
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = source.for_an_index(readme, HOME, "v1.2.3")
    assert re.findall(r"!\[[^\]]*\]\((?!https://)", shown) == []
    targets = [link["target"] for link in source.LINK.finditer(source.FENCE.sub("", shown))]
    assert all("://" in target or target.startswith("#") for target in targets)
    assert f"({HOME}/raw/v1.2.3/docs/images/slow-cable.svg)" in shown
    assert [block[0] for block in source.FENCE.finditer(shown)] == [
        block[0] for block in source.FENCE.finditer(readme)
    ]


def test_every_link_of_the_index_is_a_file_of_the_project():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = source.for_an_index(readme, HOME, "v1.2.3")
    names = re.findall(rf"\({HOME}/(?:raw|blob)/v1\.2\.3/([^)#]+)", shown)
    assert len(names) > 20
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_the_metadata_gets_the_addresses():
    text = source.with_urls((ROOT / "pyproject.toml").read_text(encoding="utf-8"), HOME, "v1.2.3")
    assert f'[project.urls]\nHomepage = "{HOME}"\n' in text
    assert f'Changelog = "{HOME}/blob/v1.2.3/CHANGELOG.md"' in text


def tool(name: str) -> str:
    """A program of .tools or of the path."""
    found = shutil.which(name, path=f"{ROOT / '.tools'}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_the_workflows_pass_their_linter():
    line = [tool("actionlint"), *map(str, sorted((ROOT / ".github/workflows").glob("*.yml")))]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_containers_recipe_passes_its_linter():
    # DL3008: Debian's stable release is pinned as a whole. DL3013: the wheel has just been built.
    line = [tool("hadolint"), "--ignore", "DL3008", "--ignore", "DL3013", str(ROOT / "Containerfile")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_workflows_call_what_the_makefile_has():
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for workflow in (ROOT / ".github/workflows").glob("*.yml"):
        called = re.findall(r"\bmake ([a-z-]+)", workflow.read_text(encoding="utf-8"))
        assert set(called) <= rules, workflow.name
