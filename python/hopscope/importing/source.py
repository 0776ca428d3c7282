"""A file that is being read, and what is wrong with it: file, line, column, what was expected."""

import json
from dataclasses import dataclass
from typing import Any

from hopscope.errors import UsageError


@dataclass(frozen=True)
class Source:
    """The text of a file, and what the user calls the file."""

    name: str
    text: str

    def fault(
        self, problem: str, expected: str, at: int | str | None = None, hint: str | None = None
    ) -> UsageError:
        """What is wrong at a place of the text, or where this piece of it first stands."""
        place = self.text.find(at) if isinstance(at, str) else at
        before = self.text[: max(0, place or 0)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return UsageError(f"{self.name}:{line}:{column}: {problem}; expected {expected}", hint)

    def lines(self) -> list[tuple[int, str]]:
        """The lines with the places at which they begin, without what ends them."""
        found, place = [], 0
        for line in self.text.splitlines(keepends=True):
            found.append((place, line.rstrip("\r\n")))
            place += len(line)
        return found

    def json(self) -> Any:
        """The text as JSON."""
        try:
            return json.loads(self.text)
        except json.JSONDecodeError as wrong:
            raise self.fault(wrong.msg, "JSON", wrong.pos, "is the file cut short?") from wrong

    def table(self, value: Any, what: str, at: str | None = None) -> dict[str, Any]:
        """A value that has to be a table of names."""
        if not isinstance(value, dict):
            raise self.fault(f"{what} is no table", "names with their values in braces", at)
        return value
