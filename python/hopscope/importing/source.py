"""A file that is being read, and its errors: file, line, column, what was expected."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hopscope.errors import UsageError

_WORD = re.compile(r"\S+")
_MOST_DIGITS = 18  # of a whole number: more is no count of anything, and Python refuses to read 5000


def _hint_on_json(wrong: json.JSONDecodeError) -> str | None:
    """The likely reason why a file is not JSON: text after its end, or its end is missing."""
    if wrong.msg == "Extra data":
        return "are these several files in one?"
    return None if "control character" in wrong.msg else "is the file cut short?"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line, and its place in the text."""

    text: str
    at: int


@dataclass(frozen=True)
class Source:
    """The text of a file, and what the user calls the file."""

    name: str
    text: str

    def fault(
        self, problem: str, expected: str, at: int | str | None = None, hint: str | None = None
    ) -> UsageError:
        """The error at a place of the text, or at the first occurrence of this piece of it."""
        place = self.text.find(at) if isinstance(at, str) else at
        before = self.text[: max(0, place or 0)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return UsageError(f"{self.name}:{line}:{column}: {problem}; expected {expected}", hint)

    def line(self, at: int) -> int:
        """The number of the line in which a place is, counted from 1."""
        return self.text.count("\n", 0, at) + 1

    def lines(self) -> list[tuple[int, str]]:
        """The lines with the places at which they begin, without what ends them."""
        found, place = [], 0
        # Other characters that end a line elsewhere, such as a form feed, are part of one here.
        for line in io.StringIO(self.text):
            found.append((place, line.rstrip("\r\n")))
            place += len(line)
        return found

    def words(self) -> "list[list[Word]]":
        """The words of each line that has some."""
        lines = (
            [Word(each.group(), place + each.start()) for each in _WORD.finditer(line)]
            for place, line in self.lines()
        )
        return [words for words in lines if words]

    def json(self) -> Any:
        """The text as JSON."""
        with self.parser("JSON"):
            try:
                return json.loads(self.text)
            except json.JSONDecodeError as wrong:
                raise self.fault(wrong.msg, "JSON", wrong.pos, _hint_on_json(wrong)) from wrong

    @contextmanager
    def parser(self, form: str) -> Iterator[None]:
        """Call a parser of a library in this block: any exception means that the file is invalid."""
        try:
            yield
        except UsageError:
            raise
        except Exception as wrong:
            # Exceptions of a parser for bad input are not part of its library's contract.
            said = (str(wrong).strip() or type(wrong).__name__).splitlines()[0].partition(";")[0]
            why = "it is nested too deeply" if isinstance(wrong, RecursionError) else said
            raise UsageError(f"{self.name}: cannot be read as {form}: {why}") from wrong

    def whole(self, word: str, what: str, at: int) -> int:
        """A word that has to be a non-negative integer."""
        if not (word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS):
            shown = word if len(word) <= _MOST_DIGITS else f"{word[:_MOST_DIGITS]}..."
            raise self.fault(f'"{shown}"', what, at)
        return int(word)

    def entries(self, value: Any, what: str, at: str | None = None) -> list[Any]:
        """A value that has to be a list, or is missing."""
        if value is not None and not isinstance(value, list):
            raise self.fault(f"{what} is no list", "a list", at)
        return value or []

    def table(self, value: Any, what: str, at: str | None = None) -> dict[str, Any]:
        """A value that has to be a table of names."""
        if not isinstance(value, dict):
            raise self.fault(f"{what} is no table", "names with their values in braces", at)
        return value
