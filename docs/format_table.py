"""The table of the formats of fabrics in docs/reference/formats.md, from the program's own table."""

import re

from hopscope.forwarding_tables import fabric_formats

HEADS = ("format", "known as", "endings", "what is read", "what is ignored")
_TABLE = re.compile(r"(?<=^## Fabrics\n\n)(?:\|[^\n]*\n)+", re.MULTILINE)


def table() -> str:
    """A row for each format, in the program's order."""
    rows = [
        (
            f"`{each['name']}`",
            ", ".join(each["known_as"]),
            ", ".join(f"`.{ending}`" for ending in each["endings"]),
            each["about"],
            each["left_aside"],
        )
        for each in fabric_formats()
    ]
    head, *lines = (f"| {' | '.join(row)} |\n" for row in (HEADS, *rows))
    return "".join([head, "|---" * len(HEADS) + "|\n", *lines])


def renewed(text: str) -> str:
    """The text of the page with the table as it is now."""
    assert _TABLE.search(text), "the page has a table below its heading Fabrics"
    return _TABLE.sub(lambda _: table(), text)
