"""Names and titles of others drive no terminal, begin no script and compute nothing in a spreadsheet."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
import pages
from hopscope import escaping
from hopscope.cli import terminal

NAMES = (
    "<!--<script>",
    "</script>",
    '"onerror=',
    "\x1b[31m",
    "\u202e",
    "=1+1",
    "\x9b31m\x7f",
    "a\rb",
    "\x1b[1m",
    "[/]&",
)
# What none of our outputs holds, whatever it shows.
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def in_toml(text: str) -> str:
    return json.dumps(text).replace("\x7f", "\\u007f")


def scenario(folder: Path) -> str:
    """Two switches with hosts of these names."""
    hosts = ", ".join(f'{{ name = {in_toml(name)}, at = "{"ab"[n % 2]}" }}' for n, name in enumerate(NAMES))
    text = (
        f'title = {in_toml(" ".join(NAMES))}\nmodel = "fabric"\n'
        '[network.custom]\nswitches = ["a", "b"]\nlinks = [{ between = ["a", "b"] }]\n'
        f"hosts = [{hosts}]\n"
        '[link]\nrate = "100 Mbit/s"\ndelay = "1 us"\n[routing]\nrule = "up-down"\n[traffic]\n'
        'pattern = "uniform"\nload = 0.3\nsizes = { fixed = "500 B" }\n[measure]\nmessages = 2000\n'
    )
    path = folder / "odd.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with its report."""
    folder = tmp_path_factory.mktemp("odd")
    hopscope.run(scenario(folder), out=folder / "run")
    return folder


@pytest.mark.parametrize("verb", ["run", "explain", "topology", "check", "capacity", "sweep"])
def test_nothing_that_is_printed_drives_a_terminal(command: Callable[..., Result], here: Path, verb: str):
    more = {"capacity": ["--bounds"], "sweep": ["--over", "traffic.load=0.1,0.2"]}.get(verb, [])
    path = scenario(here)
    done = command(verb, path, *more)
    assert done.exit_code in (0, 1), done.stderr
    assert RAW.sub("", done.output) == done.output
    assert "\\u001b[31m" in done.stdout


def test_a_refusal_drives_no_terminal_either(command: Callable[..., Result], here: Path):
    path = Path(scenario(here))
    path.write_text(path.read_text(encoding="utf-8").replace('at = "a"', 'at = "\u202e"'), "utf-8")
    for done in (command("run", str(path)), command("run", "\x1b[31m"), command("\x1b[31m")):
        assert done.exit_code == 2
        assert RAW.sub("", done.output) == done.output


def test_a_terminal_gets_bold_lines_and_nothing_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    printed: list[str] = []
    monkeypatch.setattr(terminal.click, "echo", lambda text, err: printed.append(text))
    terminal.show("\x1b[1mtitle \x1b[31m\x1b[0m\nname \x1b[1mx\x1b[0m\n\u202ey\tz")
    assert printed == ["\x1b[1mtitle \\u001b[31m\x1b[0m\nname \\u001b[1mx\\u001b[0m\n\\u202ey\tz"]


class Reader(HTMLParser):
    """What a browser would run, and the attributes that it would obey."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.obeyed: list[str] = []
        self.comments: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.obeyed += [name for name, _ in attrs if name.startswith("on")]

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def test_the_page_has_its_own_scripts_and_no_other(odd: Path):
    page = (odd / "run/report.html").read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(page)
    blocks = page.count('<script type="text/plain"')
    assert (reader.scripts, reader.obeyed, reader.comments) == (2 + blocks, [], [])
    assert page.count("</script") == 2 + blocks
    ours = page.rpartition("<script>")[2]
    assert "<!--" not in ours
    assert RAW.search(page) is None
    assert not any(RAW.search(text) for text in pages.texts(pages.document(page)))


def test_a_drawing_is_xml_with_every_name_as_text(command: Callable[..., Result], here: Path):
    assert command("topology", scenario(here), "--svg", "net.svg").exit_code == 0
    text = (here / "net.svg").read_text(encoding="utf-8")
    assert RAW.search(text) is None
    tree = ET.fromstring(text)
    assert {element.tag.partition("}")[2] for element in tree.iter()} <= {
        "svg",
        "g",
        "title",
        "rect",
        "path",
        "circle",
        "text",
        "line",
        "polygon",
    }
    words = " ".join(element.text or "" for element in tree.iter())
    for name in NAMES:
        assert escaping.visible(name) in words


def test_a_spreadsheet_computes_nothing(here: Path):
    text = Path(scenario(here)).read_text(encoding="utf-8")
    classes = {"traffic.load": [0.1], "title": ["=1+1", "@SUM(A1)"]}
    hopscope.sweep(here / "odd.toml", classes, out="sweep")
    assert "=1+1" in text
    rows = list(csv.reader(io.StringIO((here / "sweep/metrics.csv").read_text(encoding="utf-8"))))
    fields = [cell for row in rows for cell in row]
    assert {"'=1+1", "'@SUM(A1)"} <= set(fields)
    numbers = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?")
    assert not [
        cell for cell in fields if cell.startswith(("=", "@", "+", "-")) and not numbers.fullmatch(cell)
    ]


def test_a_fabric_is_written_with_names_that_come_back_or_not_at_all(
    command: Callable[..., Result], here: Path
):
    path = Path(scenario(here))
    refused = command("topology", str(path), "--write", "net.csv")
    assert refused.exit_code == 2
    assert "cannot be written in this form" in refused.stderr
    for name in NAMES:
        if RAW.search(name):
            text = path.read_text(encoding="utf-8").replace(in_toml(name), in_toml(f"h{NAMES.index(name)}"))
            path.write_text(text, encoding="utf-8")
    assert command("topology", str(path), "--write", "net.csv").exit_code == 0
    assert "'=1+1," in (here / "net.csv").read_text()
    back = hopscope.topology("net.csv").data["nodes"]
    assert "=1+1" in {node["name"] for node in back}


def test_tables_hold_a_line_for_each_host_whatever_its_name(here: Path):
    text = Path(scenario(here)).read_text(encoding="utf-8")
    forged = "x'\n0x0001 007 # forged"
    (here / "odd.toml").write_text(text.replace(in_toml("a\rb"), in_toml(forged)), encoding="utf-8")
    tables = hopscope.routes(here / "odd.toml")
    assert RAW.search(tables) is None
    assert len(re.findall(r"^0x[0-9a-f]{4} ", tables, re.MULTILINE)) == 2 * (len(NAMES) + 2)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_made_visible_stays_so(name: str):
    shown = escaping.visible(name)
    assert escaping.visible(shown) == shown
    assert escaping.visible_lines(shown) == shown
    assert json.loads(f'"{shown}"' if '"' not in shown else '""') in (name, "")
