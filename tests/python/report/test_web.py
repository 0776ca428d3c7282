"""The engine as WebAssembly in a real browser: native results, and a page that runs its scenario."""

import gzip
import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from click.testing import Result

import fingerprints
import hopscope
import pages
from hopscope.view.pages import exported

ENGINE = resources.files("hopscope.report").joinpath("built", "engine.wasm")
LARGEST_ENGINE = 1_700_000
LARGEST_PAGE = 5_000_000
RUN = {"measure.messages": 3000, "traffic.load": 0.5}

needs_engine = pytest.mark.skipif(not ENGINE.is_file(), reason="the engine for pages is not built (make web)")
needs_browser = pytest.mark.skipif(pages.missing_browser() is not None, reason=str(pages.missing_browser()))


@needs_engine
def test_the_engine_is_small_enough_for_a_page():
    assert len(gzip.compress(ENGINE.read_bytes(), 9)) <= LARGEST_ENGINE


@needs_engine
@needs_browser
def test_the_engine_in_a_browser_finds_what_it_finds_natively(tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text(exported(hopscope.run("an1-mstage", set=RUN), with_engine=True), encoding="utf-8")
    assert page.stat().st_size <= LARGEST_PAGE
    short = tmp_path / "short.html"
    few = hopscope.run("pup-busy-ethernet", set={"measure.messages": 100})
    short.write_text(exported(few, with_engine=True), encoding="utf-8")
    _, hashes = fingerprints.pinned(fingerprints.QUICK)
    expected = tmp_path / "hashes.json"
    asked = {"set": [f"measure.messages={fingerprints.FEW}"], "hashes": hashes}
    expected.write_text(json.dumps(asked), encoding="utf-8")
    files = {"ENGINE": str(ENGINE), "HASHES": str(expected), "PAGE": str(page), "SHORT": str(short)}
    found = pages.node_tests("engine.test.mjs", **files)
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]


def test_a_page_that_is_served_takes_no_engine(command: Callable[..., Result]):
    refused = command("view", "--engine")
    assert refused.exit_code == 2
    assert "--engine belongs to --export" in refused.stderr
