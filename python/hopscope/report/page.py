"""A page as data: sections in order, blocks for large data, and the one file that holds both.

The front end is built from `viewer/` into `built/`; the contents of sections are defined in
viewer/src/model/document.ts.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from hopscope.errors import UsageError
from hopscope.escaping import escaped, in_script, visible, visible_data, visible_lines

# Fast: a page is written beside every run.
COMPRESSION = 1
MOST_COMPRESSION = 9
_DOCUMENT = re.compile(r'<script type="application/json" id="document">(.*?)</script>', re.DOTALL)
_MICROSECONDS = re.compile(r"(?<=\d) us\b")
_WITHOUT_SCRIPT = (
    "JavaScript is switched off. The rest of this page needs it: all sections, figures and tables."
)
ENGINE = "engine"
"""The block with the engine."""


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that leads to the page of a result."""

    text: str
    run: str


Cell = str | tuple[str, str] | Link
"""A text; a text with its looks; or a link."""
Section = dict[str, Any]


class Page:
    """A page that grows section by section."""

    def __init__(self, kind: str, origin: str, title: str, headline: str) -> None:
        """`kind` is "run", "sweep", "study", "experiment", "comparison" or "runs".

        `origin` is the small line above the title.
        """
        self._head = visible_data({"kind": kind, "origin": origin, "title": title, "headline": headline})
        self._sections: list[Section] = []
        self.footer = ""
        self.blocks: dict[str, bytes] = {}
        self.effort: dict[str, int] = {}

    @classmethod
    def read_back(cls, html: str, kinds: Collection[str]) -> "Page":
        """The page in a file, as data, without its script.

        Sections of other kinds than these are omitted. Blocks are not read. Raises ValueError if the file
        holds no page.
        """
        found = _DOCUMENT.search(html)
        held = json.loads(found[1]) if found else None
        if not isinstance(held, dict) or not isinstance(held.get("sections"), list):
            raise ValueError("the file holds no page")
        page = cls(*(str(held.get(each, "")) for each in ("kind", "origin", "title", "headline")))
        page.footer = str(held.get("footer", ""))
        sections = [each for each in held["sections"] if isinstance(each, dict)]
        page._sections = [_made_visible(each) for each in sections if each.get("kind") in kinds]
        return page

    def add(self, kind: str, heading: str, note: str = "", **content: Any) -> None:
        """A section of one of the views. Every text in it is shown as it is, unseen characters as well.

        `link` is its word in the list of sections, if its heading is too long for that.
        """
        self._sections.append(visible_data({"kind": kind, "heading": heading, "note": note, **content}))

    def block(self, name: str, content: bytes, effort: int = COMPRESSION) -> str:
        """Add data that a view reads when it is shown; returns the block's name."""
        self.blocks[name] = content
        self.effort[name] = effort
        return name

    def figures(self, heading: str, note: str, figures: Sequence[Mapping[str, Any]]) -> None:
        """Figures beside each other; nothing if there are none."""
        if figures:
            self.add("figures", heading, note, figures=list(figures))

    def drawing(self, heading: str, note: str, svg: str) -> None:
        """An SVG document, shown as a picture."""
        self._sections.append(
            {**visible_data({"kind": "drawing", "heading": heading, "note": note}), "svg": svg}
        )

    def table(self, heading: str, note: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """A table."""
        numeric = [
            bool(rows) and all("number" in _looks(row[index]) for row in rows)
            for index in range(len(columns))
        ]
        heads = [{"name": name, "numeric": right} for name, right in zip(columns, numeric, strict=True)]
        self.add("table", heading, note, columns=heads, rows=[[_cell(cell) for cell in row] for row in rows])

    def words(self, heading: str, lines: Sequence[str], alert: bool = False) -> None:
        """Short paragraphs under a heading; `alert` for what went wrong."""
        self.add("words", heading, lines=list(lines), alert=alert)

    def source(self, heading: str, text: str, link: str = "") -> None:
        """A text to unfold, such as the scenario."""
        head = visible_data({"kind": "source", "heading": heading, "link": link or heading})
        self._sections.append({**head, "text": visible_lines(text)})

    def data(self) -> dict[str, Any]:
        """The document without its blocks."""
        return {**self._head, "footer": visible(self.footer), "sections": self._sections}

    def html(self) -> str:
        """The page as one file that needs nothing else."""
        blocks = "\n".join(
            f'<script type="text/plain" id="block-{name}">{_packed(content, self.effort[name])}</script>'
            for name, content in self.blocks.items()
        )
        document = in_script(json.dumps(self.data(), ensure_ascii=False, separators=(",", ":")))
        content = f'<script type="application/json" id="document">{document}</script>\n{blocks}'
        policy = offline_policy(with_engine=ENGINE in self.blocks)
        return frame(self._head["title"], self._head["headline"], content, policy)


def _made_visible(section: Section) -> Section:
    """A section of a file that others may have written. Pictures and sources keep their lines."""
    shown: Section = visible_data(section)
    if "svg" in section:
        shown["svg"] = str(section["svg"])
    if "text" in section:
        shown["text"] = visible_lines(str(section["text"]))
    return shown


def in_greek(sentence: str) -> str:
    """A sentence of the engine with microseconds as pages print them."""
    return _MICROSECONDS.sub(" µs", sentence)


def frame(title: str, headline: str, content: str, policy: str, token: str = "") -> str:
    """The HTML around a page; without scripts, it shows the title and the headline, and says so."""
    meta = f'<meta name="hopscope-token" content="{escaped(token)}">\n' if token else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{meta}<title>{escaped(title)} - hopscope</title>\n<style>{style()}</style>\n</head>\n"
        f'<body>\n<div id="page"><h1>{escaped(title)}</h1><p>{escaped(headline)}</p>'
        f"<noscript><p>{_WITHOUT_SCRIPT}</p></noscript></div>\n"
        f"{content}\n<script>{script()}</script>\n</body>\n</html>\n"
    )


def offline_policy(with_engine: bool = False) -> str:
    """The content security policy of a file: its own script and style by their hashes, and no connection.

    An engine is WebAssembly and runs in a worker, whose script is part of the page's.
    """
    if not with_engine:
        return f"{_policy()}; connect-src 'none'"
    policy = _policy("'wasm-unsafe-eval'")
    return f"{policy}; worker-src blob:; connect-src 'none'"


def served_policy() -> str:
    """The policy of a page from its server."""
    return f"{_policy()}; connect-src 'self'"


def _policy(scripts: str = "") -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script())}' {scripts}; style-src '{_hash(style())}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def script() -> str:
    """The page's script, escaped so that it neither ends an element nor begins a comment of HTML."""
    return _built("page.js").replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def style() -> str:
    """The page's style sheet."""
    return _built("page.css")


@cache
def engine() -> bytes:
    """The engine for pages, as WebAssembly."""
    try:
        return resources.files("hopscope.report").joinpath("built", "engine.wasm").read_bytes()
    except FileNotFoundError:
        raise UsageError("the engine for pages has not been built", "run `make web`") from None


def _built(name: str) -> str:
    try:
        return resources.files("hopscope.report").joinpath("built", name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(
            "the page has not been built", "install Node 20 or newer and run `make build`"
        ) from None


def _packed(content: bytes, effort: int) -> str:
    return base64.b64encode(gzip.compress(content, effort, mtime=0)).decode()


def _looks(cell: Cell) -> str:
    return cell[1] if isinstance(cell, tuple) else ""


def _cell(cell: Cell) -> str | dict[str, str]:
    if isinstance(cell, Link):
        return {"text": cell.text, "run": cell.run}
    text = cell if isinstance(cell, str) else cell[0]
    unbroken = text.replace(" %", "\N{NO-BREAK SPACE}%")
    looks = _looks(cell).replace("number", "").strip()
    return {"text": unbroken, "look": looks} if looks else unbroken
