"""Names and titles come from files that others may have written: what would move or hide text is shown.

One function for each kind of output: `visible` for plain text, `escaped` for HTML and SVG, `field` for CSV.
The terminal's is `hopscope.cli.terminal.show`.
"""

import html
import re
from functools import lru_cache
from typing import Any

# Controls (C0, DEL, C1), line and paragraph separators, and the marks that turn the direction of writing
# (Unicode Standard Annex 9, section 2).
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_UNSEEN_IN_LINES = re.compile(_UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))
# Beginnings that a spreadsheet interprets as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def visible(text: str) -> str:
    r"""The text with a word such as \u001b for each character that would not be seen."""
    return _UNSEEN.sub(_word, text)


def visible_lines(text: str) -> str:
    """The same for a text of several lines: line ends and tabs stay."""
    return _UNSEEN_IN_LINES.sub(_word, text)


def escaped(text: str) -> str:
    """A name or a sentence as text, or as the value of an attribute, in HTML and SVG."""
    return html.escape(visible(text))


@lru_cache(maxsize=1024)  # rows of a table have the same names again and again
def field(text: str) -> str:
    """A text as a field of CSV; with an apostrophe if a spreadsheet would interpret it as a formula."""
    return ("'" if text.lstrip("'").startswith(_FORMULA) else "") + visible(text)


def in_script(json_text: str) -> str:
    r"""JSON within a script of HTML: `<` as \u003c, so that neither a comment nor the script's end begins."""
    return json_text.replace("<", "\\u003c")


def visible_data(data: Any) -> Any:
    """Data of a chart with every text in it visible."""
    if isinstance(data, str):
        return visible(data)
    if isinstance(data, dict):
        return {visible(key): visible_data(value) for key, value in data.items()}
    if isinstance(data, list):
        return [visible_data(value) for value in data]
    return data


def _word(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
