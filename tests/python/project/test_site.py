"""The documentation site has every page, and each place in its contents leads to one."""

import importlib.util
import re
from pathlib import Path

import hopscope
from conftest import PROJECT

SITE = PROJECT / "docs/site"
WRITTEN = {"docs/gallery.md", "docs/reference/python-names.md"}


def stage():
    """docs/site/stage.py, which is no package."""
    specification = importlib.util.spec_from_file_location("stage", SITE / "stage.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def contents() -> set[str]:
    """What the site's contents name."""
    text = (SITE / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    return set(re.findall(r": (\S+\.(?:md|ipynb))$", text, re.MULTILINE))


def test_every_document_is_in_the_contents():
    pages = {str(path.relative_to(PROJECT)) for path in (PROJECT / "docs").rglob("*.md")}
    notebooks = {str(path.relative_to(PROJECT)) for path in (PROJECT / "docs/notebooks").glob("*.ipynb")}
    assert pages | notebooks <= contents()


def test_the_readme_lists_every_document():
    readme = (PROJECT / "README.md").read_text(encoding="utf-8").partition("\n## Documents\n")[2]
    pages = {str(path.relative_to(PROJECT)) for path in (PROJECT / "docs").rglob("*.md")}
    assert pages == set(re.findall(r"\]\((docs/[^)#]+\.md)\)", readme))


def test_the_contents_name_what_there_is():
    assert {name for name in contents() if not (PROJECT / name).exists()} == WRITTEN


def test_the_gallery_has_every_ready_scenario_with_its_picture(tmp_path: Path):
    text = stage().gallery(tmp_path / "pictures", tmp_path / "live")
    live = {path.stem for path in (tmp_path / "live").glob("*.html")}
    assert live in (set(), set(stage().LIVE))
    drawn = {path.stem for path in (tmp_path / "pictures").glob("*.svg")}
    for name, model, title in hopscope.scenarios():
        assert f"[`{name}`](../scenarios/{name}.toml)" in text
        assert title in text
        assert (name in live) == (f"live/{name}.html" in text)
        assert (name in drawn) == (f"images/gallery/{name}.svg" in text)
        assert name in drawn or model != "fabric"


def test_the_reference_has_every_public_name():
    text = stage().names()
    for name in hopscope.__all__:
        assert name == "__version__" or re.search(rf"^::: hopscope\.\S*\b{name}$", text, re.MULTILINE), name


def test_a_block_with_a_file_is_titled_and_a_link_to_a_folder_leads_to_its_readme():
    class Page:
        class file:  # noqa: N801 - as mkdocs calls it
            abs_src_path = str(PROJECT / "docs/glossary.md")

    shown = stage().on_page_markdown(
        "[crate](../crates/lossless)\n\n```toml lab.toml\n[a](b)\n```\n\n```console exit=1\n$ x\n```\n", Page
    )
    assert "[crate](../crates/lossless/README.md)" in shown
    assert '```toml title="lab.toml"\n[a](b)\n```' in shown
    assert "```console\n$ x" in shown
