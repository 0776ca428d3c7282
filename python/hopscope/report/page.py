"""The frame of a page: style, sections, tables, and charts drawn by one bundled copy of Vega."""

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from hopscope import palette
from hopscope.charts.style import FONT
from hopscope.visible import escaped, escaped_lines, in_script, visible_data

if TYPE_CHECKING:
    import altair as alt

# The page may run its own scripts and nothing else; Vega compiles its expressions, hence 'unsafe-eval'.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
)


class Page:
    """A page that grows section by section."""

    def __init__(self, kind: str, title: str, headline: str) -> None:
        """`kind` is the small line above the title; `headline` the sentence with the figures."""
        self._title = title
        self._body = [
            f'<header><p class="kind">{escaped(kind)}</p><h1>{escaped(title)}</h1>'
            f'<p class="headline">{escaped(headline)}</p></header>'
        ]
        self._specs: list[dict[str, Any]] = []

    def charts(self, entries: Sequence[tuple[str, str, "alt.Chart"]]) -> None:
        """Charts beside each other: heading, note, chart."""
        sections = "".join(
            self._section(heading, note, self._chart(chart)) for heading, note, chart in entries
        )
        self._body.append(f'<div class="pair">{sections}</div>')

    def drawing(self, heading: str, note: str, svg: str) -> None:
        """An SVG document, inlined."""
        self._body.append(self._section(heading, note, f'<div class="drawing">{svg}</div>'))

    def table(
        self, heading: str, note: str, columns: Sequence[str], rows: Sequence[Sequence["Cell"]]
    ) -> None:
        """A table; a cell is a text, or a pair of a text and its CSS classes."""
        numeric = [all("number" in _classes(row[index]) for row in rows) for index in range(len(columns))]
        head = "".join(
            f"<th{_class_attribute('number' if right else '')}>{escaped(name)}</th>"
            for name, right in zip(columns, numeric, strict=True)
        )
        lines = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
        content = (
            f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'
        )
        self._body.append(self._section(heading, note, content))

    def words(self, heading: str, lines: Sequence[str]) -> None:
        """Short paragraphs under a heading."""
        self._body.append(self._section(heading, "", "".join(f"<p>{escaped(line)}</p>" for line in lines)))

    def source(self, heading: str, text: str) -> None:
        """A text to unfold, such as the scenario."""
        self._body.append(
            f"<section><details><summary>{escaped(heading)}</summary><pre>{escaped_lines(text)}</pre></details></section>"
        )

    def html(self, footer: str) -> str:
        """The whole page."""
        charts = (
            "" if not self._specs else f"<script>{_vega()}</script><script>{self._drawing_script()}</script>"
        )
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escaped(self._title)} - hopscope</title>\n<style>{_style()}</style>\n</head>\n"
            f"<body>\n<main>\n{chr(10).join(self._body)}\n<footer>{escaped(footer)}</footer>\n</main>\n{charts}\n</body>\n</html>\n"
        )

    def _section(self, heading: str, note: str, content: str) -> str:
        words = f'<p class="note">{escaped(note)}</p>' if note else ""
        return f"<section><h2>{escaped(heading)}</h2>{words}{content}</section>"

    def _chart(self, chart: "alt.Chart") -> str:
        self._specs.append(_as_wide_as_its_box(chart.to_dict()))
        return f'<div class="chart" id="chart-{len(self._specs)}"></div>'

    def _drawing_script(self) -> str:
        specs = in_script(json.dumps(visible_data(self._specs), ensure_ascii=False, separators=(",", ":")))
        options = '{"actions":false,"renderer":"svg"}'
        return f'{specs}.forEach((spec, index) => vegaEmbed("#chart-" + (index + 1), spec, {options}));'


Cell = str | tuple[str, str]


@cache
def _style() -> str:
    """The style sheet, with the palette's colours."""
    names = {"ink": palette.INK, "quiet": palette.QUIET_INK, "rule": palette.RULE, "font": FONT}
    colours = "; ".join(f"--{name}: {value}" for name, value in names.items())
    sheet = resources.files("hopscope.report").joinpath("page.css").read_text(encoding="utf-8")
    return f":root {{ color-scheme: light; {colours} }}\n{sheet}"


@cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, from the copy within vl-convert."""
    import vl_convert

    return vl_convert.javascript_bundle().replace("</script", "<\\/script")


def _as_wide_as_its_box(spec: dict[str, Any]) -> dict[str, Any]:
    """Let a single view fill the page's column; panels keep the width that they were drawn for."""
    if "width" in spec:
        spec["width"] = "container"
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def _classes(cell: Cell) -> str:
    return "" if isinstance(cell, str) else cell[1]


def _class_attribute(classes: str) -> str:
    return f' class="{classes}"' if classes else ""


def _cell(cell: Cell) -> str:
    text = cell if isinstance(cell, str) else cell[0]
    unbroken = escaped(text).replace(" %", "\N{NO-BREAK SPACE}%")
    return f"<td{_class_attribute(_classes(cell))}>{unbroken}</td>"
