"""The time-space diagram's data: where each recorded message was in which stage."""

import json
import struct
from array import array
from typing import TYPE_CHECKING

from hopscope.escaping import visible
from hopscope.extras import extra
from hopscope.units import PS

if TYPE_CHECKING:
    import polars as pl

    from hopscope.report.page import Page
    from hopscope.results.run import RunResult

# Segments in a page that is one file; a server sends many more.
MOST_IN_FILE = 60_000
MOST_SERVED = 1_000_000
_PS_IN_S = float(PS["s"])


def add(page: "Page", run: "RunResult", most: int = MOST_IN_FILE) -> None:
    """The section with its block; nothing if the run has kept no journeys."""
    with extra("frames"):
        import polars as pl

    lives = run.scan("journeys.parquet")
    if lives is None:
        return
    lives = lives.filter(pl.col("to_ps") > pl.col("from_ps"))
    messages = lives.select("message").collect()["message"]
    if messages.is_empty():
        return
    page.add(
        "time-space",
        "Time and space",
        "Recorded messages: places from top to bottom, time from left to right. Select one to follow it.",
        journeys=page.block("journeys", _block(lives, messages, most)),
    )


def _block(lives: "pl.LazyFrame", message_of: "pl.Series", most: int) -> bytes:
    """The segments in order of time, of whole messages: a uniform sample if there are too many.

    `message_of` has the message of each segment. Only the rows of the shown messages are read.
    """
    with extra("frames"):
        import polars as pl

    messages = message_of.unique().sort()
    recorded = len(messages)
    if len(message_of) > most:
        messages = messages.gather_every(-(-len(message_of) // most))
        lives = lives.filter(pl.col("message").is_in(messages.implode()))
    frame = lives.collect().sort("from_ps", "message", maintain_order=True)
    begin = int(frame["from_ps"][0])
    places = frame["place"].unique(maintain_order=True).to_list()
    stages = frame.select("stage", "kind", "resource").unique(maintain_order=True)
    place_of = {place: number for number, place in enumerate(places)}
    stage_of = {row: number for number, row in enumerate(stages.iter_rows())}
    head = {
        "places": [visible(place) for place in places],
        "stages": [
            {"name": name, "kind": kind, "resource": visible(resource)}
            for name, kind, resource in stages.iter_rows()
        ],
        "segments": len(frame),
        "messages": len(messages),
        "left_out": recorded - len(messages),
        "begin_s": begin / _PS_IN_S,
    }
    columns = (
        array("d", ((frame["from_ps"] - begin) / _PS_IN_S).to_list()),
        array("d", ((frame["to_ps"] - frame["from_ps"]) / _PS_IN_S).to_list()),
        array("I", frame["message"].to_list()),
        array("H", [place_of[place] for place in frame["place"].to_list()]),
        array("H", [stage_of[row] for row in frame.select("stage", "kind", "resource").iter_rows()]),
    )
    text = json.dumps(head, ensure_ascii=False).encode()
    return struct.pack("<I", len(text)) + text + b"".join(column.tobytes() for column in columns)
