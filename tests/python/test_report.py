"""The pages are one file each, load nothing, and say what was found."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hopscope.results.run import RunResult
from hopscope.results.sweep import SweepResult

LARGEST_PAGE = 2_000_000


class Outline(HTMLParser):
    """The tags of a page with their attributes, and its text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self._inside):
            self.text += data


@pytest.fixture(scope="module")
def run_page(network_run: RunResult, tmp_path_factory: pytest.TempPathFactory) -> str:
    return network_run.report(tmp_path_factory.mktemp("run") / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sweep_page(network_sweep: SweepResult, tmp_path_factory: pytest.TempPathFactory) -> str:
    return network_sweep.report(tmp_path_factory.mktemp("sweep") / "report.html").read_text(encoding="utf-8")


@pytest.fixture(params=["run", "sweep"])
def page(request: pytest.FixtureRequest, run_page: str, sweep_page: str) -> str:
    return run_page if request.param == "run" else sweep_page


def test_a_page_loads_nothing(page: str):
    loads = [
        entry for entry in Outline(page).attributes if entry[1] in ("src", "href", "srcset", "data", "action")
    ]
    assert loads == []
    assert "default-src 'none'" in page
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert "url(" not in style
    assert "@import" not in style


def test_a_page_is_small_enough_to_mail(page: str):
    assert len(page.encode()) < LARGEST_PAGE


def test_the_charts_are_whole_specifications(page: str):
    specs = json.loads(re.search(r"<script>(\[\{.*?\}\])\.forEach", page, re.DOTALL)[1].replace("<\\/", "</"))
    assert len(specs) == page.count('class="chart"')
    assert all("vega-lite" in spec["$schema"] for spec in specs)


def test_a_page_of_a_run_says_what_was_found(run_page: str, network_run: RunResult):
    text = Outline(run_page).text
    mean = network_run.metric("latency.mean")
    assert mean is not None
    assert network_run.title in text
    assert f"{mean.value:.3g} µs" in text
    for heading in ("Where the time went", "Metrics", "The network", "Busiest resources", "Scenario"):
        assert heading in text
    assert network_run.summary.data["result_hash"] in text
    assert f"seed {network_run.seed}" in text


def test_a_page_of_a_sweep_says_where_saturation_begins(sweep_page: str, network_sweep: SweepResult):
    text = Outline(sweep_page).text
    assert "It saturates at load 1.0" in text
    for heading in ("Latency", "Throughput", "Where the time went", "All points", "The network"):
        assert heading in text
    assert network_sweep.first.summary.data["scenario_hash"] in text


def test_a_hostile_title_stays_text(tmp_path: Path, network_run: RunResult):
    data = network_run.summary.data | {"title": "</title><script>alert(1)</script>"}
    hostile = RunResult(network_run._scenario, data, network_run._origin)
    text = hostile.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in text


def test_a_model_without_a_network_has_a_page_too(tmp_path: Path, queue_run: RunResult):
    text = Outline(queue_run.report(tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "The network" not in text
    assert "Metrics" in text
