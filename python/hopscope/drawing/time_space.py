"""A time-space diagram: IMPs from top to bottom, time from left to right, packets and replies as lines.

Below it are the labelled events with their times and, if a slice is marked, everything under way at that
instant with the resources that it owns: messages as rectangles, RFNMs as ovals, REQALLs as diamonds.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hopscope import palette
from hopscope.drawing.element import Attributes, element, title
from hopscope.drawing.svg import FONT
from hopscope.escaping import escaped
from hopscope.results.holders import DESTINATION, NET, SOURCE, Holder, HolderKind
from hopscope.results.trace import Row, relative
from hopscope.results.trace_event import DATA_PACKET, REPLIES, TraceEvent
from hopscope.units import PS

WIDTH = 960.0
LEFT, RIGHT, TOP = 92.0, 22.0, 34.0
ROW = 34.0
LABEL_ROW = 17.0
LABEL_COLUMNS = 3
LETTER_GAP = 13.0
SHAPE_WIDTH, SHAPE_HEIGHT, SHAPE_GAP = 60.0, 22.0, 8.0
SHAPES_IN_A_ROW = 4
SHAPES = (
    "Rectangle: a message; oval: an RFNM; diamond: a REQALL or an ALL. Inside: the message's "
    "place in the order; below: what it holds."
)
LEVEL = (
    "Horizontal segments: the packet waits in an IMP, for its line or for retransmission. "
    "A stem joins a letter to its dot."
)
PS_PER_MS = float(PS["ms"])
LONGEST_WAIT_PS = 10**12  # a message number comes again after it; then the packets are not the same
MOST_TICKS = 10

DATA, REPLY, REQUEST = palette.ACCENT, palette.SERIES[1], palette.SERIES[2]
PALE = {DATA: "#b9cde0", REPLY: "#eec4a8", REQUEST: "#a9d2c6"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A labelled event: its letter, what it is, where and when it happened."""

    letter: str
    words: str
    place: str
    at_ps: int


@dataclass(frozen=True, slots=True)
class Slice:
    """An instant and the messages under way at it."""

    at_ps: int
    holders: Sequence[Holder]


@dataclass(frozen=True, slots=True)
class TimeSpace:
    """Everything to draw. `path` are the IMPs from the source; `host` sends at the first of them."""

    heading: str
    host: str
    path: Sequence[str]
    passages: Sequence[Row]
    happened: Sequence[Row]
    message: int
    marks: Sequence[Mark]
    slice: Slice | None
    window_ps: tuple[int, int]


def draw(diagram: TimeSpace) -> str:
    """The diagram as a standalone SVG."""
    field = _Field(diagram)
    parts = [
        title(diagram.heading),
        element("rect", width="100%", height="100%", fill=palette.PAPER),
        *_axes(diagram, field),
        *_input(diagram, field),
        *_waits(diagram, field),
        *_packets(diagram, field),
        *_slice_line(diagram, field),
        *_marks(diagram, field),
        *_key(field),
    ]
    below = field.bottom + 112
    parts += _label_list(diagram, below)
    below += LABEL_ROW * math.ceil(len(diagram.marks) / LABEL_COLUMNS) + 14
    if diagram.slice is not None:
        strip, below = _strip(diagram, diagram.slice, below)
        parts += strip
    frame: Attributes = {
        "viewBox": f"0 0 {WIDTH:.0f} {below:.0f}",
        "width": round(WIDTH),
        "height": round(below),
    }
    look: Attributes = {"role": "img", "font_family": FONT, "font_size": 11}
    return element("svg", "\n".join(parts), xmlns="http://www.w3.org/2000/svg", **frame, **look) + "\n"


class _Field:
    """From times and places to pixels."""

    def __init__(self, diagram: TimeSpace) -> None:
        self.begin, self.end = diagram.window_ps
        self._rows = {name: TOP + ROW * (index + 1) for index, name in enumerate(diagram.path)}
        self.top = TOP
        self.bottom = TOP + ROW * len(diagram.path)

    def x(self, at_ps: float) -> float:
        share = (at_ps - self.begin) / (self.end - self.begin)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, place: str) -> float | None:
        return self._rows.get(place)

    def shows(self, from_ps: int, to_ps: int) -> bool:
        return to_ps >= self.begin and from_ps <= self.end

    def clipped(self, from_ps: int, to_ps: int, y1: float, y2: float) -> tuple[float, float, float, float]:
        """A line's two ends, cut at the window."""
        span = max(to_ps - from_ps, 1)
        first, last = max(from_ps, self.begin), min(to_ps, self.end)
        at = [y1 + (y2 - y1) * (instant - from_ps) / span for instant in (first, last)]
        return self.x(first), at[0], self.x(last), at[1]


def _axes(diagram: TimeSpace, field: _Field) -> Iterator[str]:
    for name, y in [(diagram.host, field.top), *((name, field.y(name) or 0.0) for name in diagram.path)]:
        yield element("line", x1=LEFT, y1=y, x2=WIDTH - RIGHT, y2=y, stroke=palette.RULE, stroke_width=1)
        yield element("text", escaped(name), x=LEFT - 8, y=y + 4, text_anchor="end", fill=palette.INK)
    step = _step((field.end - field.begin) / PS_PER_MS)
    tick = math.ceil(field.begin / PS_PER_MS / step) * step
    while tick * PS_PER_MS <= field.end:
        x = field.x(tick * PS_PER_MS)
        yield element(
            "line", x1=x, y1=field.bottom + 24, x2=x, y2=field.bottom + 28, stroke=palette.QUIET_INK
        )
        yield element(
            "text", f"{tick:g}", x=x, y=field.bottom + 40, text_anchor="middle", fill=palette.QUIET_INK
        )
        tick += step
    yield element("text", "ms", x=LEFT - 30, y=field.bottom + 40, text_anchor="end", fill=palette.QUIET_INK)


def _step(span_ms: float) -> float:
    """A round distance between ticks."""
    least = span_ms / MOST_TICKS
    power = 10 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)


_INPUTS = (
    (TraceEvent.INPUT_BEGINS, TraceEvent.FIRST_PACKET_IN),
    (TraceEvent.MESSAGE_SENT, TraceEvent.INPUT_ENDS),
)


def _input(diagram: TimeSpace, field: _Field) -> Iterator[str]:
    """The host's input.

    The first packet, and once the message may go, the others; between them the host waits.
    """
    times: dict[int, dict[str, int]] = {}
    for row in diagram.happened:
        times.setdefault(row["message"], {})[row["event"]] = row["from_ps"]
    for message, at in times.items():
        colour = DATA if message == diagram.message else PALE[DATA]
        for begin, end in _INPUTS:
            if begin in at and end in at and field.shows(at[begin], at[end]):
                x1, _, x2, _ = field.clipped(at[begin], at[end], 0.0, 0.0)
                words = f"message {relative(message - diagram.message)} comes in"
                bar = {"x": x1, "y": field.top - 5, "width": max(x2 - x1, 1.0), "height": 10}
                yield element("rect", title(words), **bar, fill=colour)


def _packets(diagram: TimeSpace, field: _Field) -> Iterator[str]:
    """The passages, those of message i on top."""
    rows = sorted(diagram.passages, key=lambda row: row["message"] == diagram.message)
    for row in rows:
        y1, y2 = field.y(row["place"]), field.y(row["to"])
        if y1 is None or y2 is None or not field.shows(row["from_ps"], row["to_ps"]):
            continue
        own = row["message"] == diagram.message
        colour = _colour(row["event"])
        x1, y1, x2, y2 = field.clipped(row["from_ps"], row["to_ps"], y1, y2)
        yield element(
            "line",
            title(_words(row, diagram.message)),
            x1=x1,
            y1=y1,
            x2=x2,
            y2=y2,
            stroke=colour if own or colour == REQUEST else PALE[colour],
            stroke_width=1.6 if own else 1.2,
        )


def _waits(diagram: TimeSpace, field: _Field) -> Iterator[str]:
    """Thin lines for the time that a packet spends in an IMP between two passages."""
    journeys: dict[tuple, Row] = {}
    for row in diagram.passages:
        kind = _colour(row["event"])
        packet = (kind, row["message"], row["number"], row["packet"])
        before = journeys.get(packet)
        journeys[packet] = row
        y = field.y(row["place"])
        if before is None or before["to"] != row["place"] or y is None:
            continue
        if (
            field.shows(before["to_ps"], row["from_ps"])
            and row["from_ps"] - before["to_ps"] < LONGEST_WAIT_PS
        ):
            x1, _, x2, _ = field.clipped(before["to_ps"], row["from_ps"], y, y)
            colour = kind if row["message"] == diagram.message or kind == REQUEST else PALE[kind]
            yield element("line", x1=x1, y1=y, x2=x2, y2=y, stroke=colour, stroke_width=1.0)


def _colour(event: str) -> str:
    if event == DATA_PACKET:
        return DATA
    return REPLY if event in REPLIES else REQUEST


def _words(row: Row, i: int) -> str:
    if row["event"] == DATA_PACKET:
        return f"packet {row['packet'] + 1} of message {relative(row['message'] - i)}"
    of = f" of message {relative(row['message'] - i)}" if row["message"] >= 0 else ""
    return row["event"] + of


def _slice_line(diagram: TimeSpace, field: _Field) -> Iterator[str]:
    if diagram.slice is not None:
        x = field.x(diagram.slice.at_ps)
        ends: Attributes = {"x1": x, "x2": x, "y1": field.top - 12, "y2": field.bottom + 6}
        yield element("line", **ends, stroke=palette.INK, stroke_width=1.2, stroke_dasharray="5 3")


def _marks(diagram: TimeSpace, field: _Field) -> Iterator[str]:
    """The letters next to their events: above the source's row, below the destination's."""
    taken: list[tuple[float, float]] = []
    for mark in sorted(diagram.marks, key=lambda mark: mark.at_ps):
        y = field.y(mark.place)
        if y is None:
            continue
        x = field.x(mark.at_ps)
        yield element("circle", cx=x, cy=y, r=2.4, fill=palette.INK)
        up = mark.place == diagram.path[0]
        spot_y = y - 13 if up else y + 13
        spot_x = x
        while any(abs(spot_x - other) < LETTER_GAP and spot_y == height for other, height in taken):
            spot_x += LETTER_GAP
        taken.append((spot_x, spot_y))
        if spot_x != x:
            stem: Attributes = {"stroke": palette.QUIET_INK, "stroke_width": 0.7}
            yield element("line", x1=x, y1=y, x2=spot_x, y2=spot_y, **stem)
        look: Attributes = {"fill": palette.PAPER, "stroke": palette.INK, "stroke_width": 0.9}
        yield element("circle", title(mark.words), cx=spot_x, cy=spot_y, r=6.5, **look)
        middle: Attributes = {
            "text_anchor": "middle",
            "font_size": 10,
            "font_style": "italic",
            "fill": palette.INK,
        }
        yield element("text", escaped(mark.letter), x=spot_x, y=spot_y + 3.5, **middle)


def _key(field: _Field) -> Iterator[str]:
    """What the colours mean."""
    y = field.bottom + 62
    entries = (
        (DATA, "packets of message i"),
        (PALE[DATA], "of other messages"),
        (REPLY, "RFNM of message i"),
        (PALE[REPLY], "other RFNMs"),
        (REQUEST, "REQALL, ALL, GVB"),
    )
    x = LEFT
    for colour, words in entries:
        yield element("line", x1=x, y1=y, x2=x + 18, y2=y, stroke=colour, stroke_width=2.4)
        yield element("text", words, x=x + 24, y=y + 4, fill=palette.QUIET_INK)
        x += 48 + 5.8 * len(words)
    yield element("text", LEVEL, x=LEFT, y=y + 22, fill=palette.QUIET_INK)


def _label_list(diagram: TimeSpace, y: float) -> Iterator[str]:
    """Letter, event and time of every mark, in columns."""
    marks = sorted(diagram.marks, key=lambda mark: mark.letter)
    rows = math.ceil(len(marks) / LABEL_COLUMNS)
    wide = (WIDTH - 32) / LABEL_COLUMNS
    for index, mark in enumerate(marks):
        words = f"{mark.letter}  {mark.words}, {mark.at_ps / PS_PER_MS:.1f} ms"
        place: Attributes = {"x": 16 + wide * (index // rows), "y": y + LABEL_ROW * (index % rows)}
        yield element("text", escaped(words), **place, fill=palette.INK)


def _strip(diagram: TimeSpace, shown: Slice, y: float) -> tuple[list[str], float]:
    """Everything under way at the slice, in three groups; also returns the height below it."""
    wide = (WIDTH - 32) / 3
    counts = {name: sum(name in holder.owns for holder in shown.holders) for name in ("PLT", "ALL")}
    words = (
        f"Held at {shown.at_ps / PS_PER_MS:.1f} ms (dashed): {counts['PLT']} PLT entries, "
        f"{counts['ALL']} ALL (eight reassembly buffers each)"
    )
    parts = [element("text", words, x=16, y=y + 4, fill=palette.INK, font_weight=600)]
    parts.append(element("text", SHAPES, x=16, y=y + 21, fill=palette.QUIET_INK))
    y += LABEL_ROW
    tallest = 0
    for column, where in enumerate((SOURCE, NET, DESTINATION)):
        group = [holder for holder in shown.holders if holder.where == where]
        tallest = max(tallest, math.ceil(len(group) / SHAPES_IN_A_ROW))
        x = 16 + wide * column
        parts.append(element("text", where, x=x, y=y + 24, fill=palette.QUIET_INK))
        for index, holder in enumerate(group):
            left = x + (SHAPE_WIDTH + SHAPE_GAP) * (index % SHAPES_IN_A_ROW)
            parts += _shape(holder, left, y + 34 + 46 * (index // SHAPES_IN_A_ROW), diagram.message)
    return parts, y + 40 + 46 * max(tallest, 1)


def _shape(holder: Holder, x: float, y: float, i: int) -> Iterator[str]:
    """A holder as the paper draws it, with its message in it and what it owns below."""
    middle = x + SHAPE_WIDTH / 2
    number = "" if holder.message is None else relative(holder.message - i)
    words = f"{holder.kind} {number}".strip()
    look: Mapping[str, str | float] = {"fill": palette.PAPER, "stroke": _outline(holder), "stroke_width": 1.4}
    box = {"width": SHAPE_WIDTH, "height": SHAPE_HEIGHT}
    if holder.kind is HolderKind.MESSAGE:
        yield element("rect", title(words), x=x, y=y, **box, **look)
    elif holder.kind is HolderKind.RFNM:
        yield element("rect", title(words), x=x, y=y, rx=SHAPE_HEIGHT / 2, **box, **look)
    else:
        points = ((x, y + 11), (middle, y - 3), (x + SHAPE_WIDTH, y + 11), (middle, y + SHAPE_HEIGHT + 3))
        yield element(
            "polygon", title(words), points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points), **look
        )
    inside = number or holder.kind
    yield element("text", inside, x=middle, y=y + 15, text_anchor="middle", fill=palette.INK)
    owned = " ".join(holder.owns) or "nothing"
    yield element(
        "text", owned, x=middle, y=y + 37, text_anchor="middle", font_size=9.5, fill=palette.QUIET_INK
    )


def _outline(holder: Holder) -> str:
    return {HolderKind.MESSAGE: DATA, HolderKind.RFNM: REPLY}.get(holder.kind, REQUEST)
