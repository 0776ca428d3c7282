"""What happened to messages on a row of IMPs, who owned what, and the diagram of it."""

import xml.etree.ElementTree as ET

import polars as pl
import pytest

import hopscope
from hopscope.drawing import time_space
from hopscope.drawing.time_space import Mark, Slice, TimeSpace
from hopscope.errors import UsageError
from hopscope.results import holders
from hopscope.results.holders import DESTINATION, NET, SOURCE, Holder, HolderKind
from hopscope.results.trace import EventName, Trace

ROW = "arpanet-row"
VERSION_3 = {"protocol.version": "3", "protocol.message_numbers": 8, "measure.journeys": 80}
PS_PER_MS = 10**9


@pytest.fixture(scope="module")
def single() -> Trace:
    """One message alone, as in Fig. 1."""
    values = {"flow[0].when": {"every": "1 s"}, "duration": "1.9 s", "measure.journeys": 10}
    return Trace(hopscope.run(ROW, set=values).trace)


@pytest.fixture(scope="module")
def phasing() -> Trace:
    """Version 3 over nine hops, as in Fig. 7."""
    return Trace(hopscope.run(ROW, set={**VERSION_3, "duration": "30 s"}).trace)


@pytest.mark.parametrize("text", ["RFNM arrives (i-4)", "message sent (i)", "GVB sent (i+1)"])
def test_a_name_is_read_as_it_is_written(text: str):
    assert str(EventName.parse(text)) == text


def test_a_name_without_brackets_is_of_message_i():
    assert EventName.parse("input begins") == EventName("input begins", 0)


def test_the_path_is_the_row(single: Trace):
    assert single.path() == ["source", *(str(imp) for imp in range(2, 10)), "destination"]


def test_a_request_is_found_with_its_answer(single: Trace):
    (request,) = single.requests
    assert request.message == 0
    times = [request.at(event) for event in ("REQALL sent", "REQALL arrives", "ALL sent", "ALL arrives")]
    assert None not in times
    assert times == sorted(times, key=lambda at: at or 0)


def test_events_out_of_order_are_told(single: Trace):
    names = [EventName.parse(text) for text in ("message sent", "first packet in")]
    assert single.in_order(names, 0) == names[::-1]
    with pytest.raises(UsageError, match="did not happen to message i = 7"):
        single.first(names[0], 7)


def test_the_owners_change_as_the_paper_tells(single: Trace):
    """Fig. 1: the REQALL takes the entry; then the message has both, then its RFNM."""

    def after(event: str, ms: float = 1.0) -> list[Holder]:
        row = single.first(EventName(event), 0)
        return holders.at(single, row["from_ps"] + round(ms * PS_PER_MS))

    assert after("REQALL sent") == [
        Holder(HolderKind.MESSAGE, 0, SOURCE, ()),
        Holder(HolderKind.REQALL, 0, NET, ("PLT",)),
    ]
    assert after("ALL sent")[1] == Holder(HolderKind.ALL, 0, NET, ("ALL", "PLT"))
    assert after("message sent") == [Holder(HolderKind.MESSAGE, 0, NET, ("ALL", "PLT"))]
    assert after("RFNM with ALL sent") == [Holder(HolderKind.RFNM, 0, NET, ("ALL", "PLT"))]
    assert after("RFNM arrives") == [Holder(HolderKind.ALL, None, SOURCE, ("ALL",))]
    assert after("GVB sent") == []


def test_tables_are_never_owned_beyond_their_size(phasing: Trace):
    """Six entries, and buffers for four messages: at any instant of the settled run."""
    for at_ms in range(10_000, 14_000, 57):
        owned = [name for holder in holders.at(phasing, at_ms * PS_PER_MS) for name in holder.owns]
        assert owned.count("PLT") <= 6
        assert owned.count("ALL") <= 4


def slice_of(trace: Trace, instant_ms: int) -> list[str]:
    """Who owns what just after the last message that is complete before this instant, one holder a line."""
    complete = [row["from_ps"] for row in trace.happened if row["event"] == "message arrives"]
    at = max(instant for instant in complete if instant < instant_ms * PS_PER_MS)
    return [
        " ".join([holder.kind, str(holder.message), holder.where, *holder.owns]).replace("None ", "")
        for holder in holders.at(trace, at)
    ]


def test_four_messages_own_all_that_they_need():
    """Fig. 2: four messages under way, each with its allocation and its entry; two entries are unused."""
    trace = Trace(hopscope.run(ROW, set={"duration": "30 s", "measure.journeys": 80}).trace)
    assert slice_of(trace, 14_000) == [
        "RFNM 60 on the way ALL PLT",
        "message 61 on the way ALL PLT",
        "message 62 on the way ALL PLT",
        "message 63 on the way ALL PLT",
    ]


def test_replies_own_the_entries_that_a_message_waits_for(phasing: Trace):
    """Fig. 7: entries with two messages and four RFNMs, allocations with three messages and a RFNM."""
    assert slice_of(phasing, 14_000) == [
        "RFNM 45 on the way ALL PLT",
        "RFNM 46 at the destination PLT",
        "RFNM 47 at the destination PLT",
        "RFNM 48 at the destination PLT",
        "message 49 on the way ALL PLT",
        "message 50 on the way ALL PLT",
        "message 51 at the source ALL",
    ]


def test_requests_and_replies_own_all_entries_where_one_message_fits():
    """Fig. 8, half a second before a RFNM has waited its second: RFNMs and REQALLs own all entries."""
    far = {"network.imp": [{"name": "destination", "very_distant_host": True}]}
    trace = Trace(hopscope.run(ROW, set={**VERSION_3, **far, "duration": "60 s"}).trace)
    at = trace.first(EventName.parse("RFNM sent (i-3)"), 20)["from_ps"] - 500 * PS_PER_MS
    owners = [
        " ".join([holder.kind, str(holder.message), holder.where, *holder.owns])
        for holder in holders.at(trace, at)
    ]
    assert owners == [
        "RFNM 17 at the destination PLT",
        "RFNM 18 at the destination PLT",
        "RFNM 19 at the destination PLT",
        "message 20 at the source ALL",
        "REQALL 18 at the destination PLT",
        "REQALL 19 at the destination PLT",
        "REQALL 20 at the destination PLT",
    ]


def test_what_is_lost_owns_nothing():
    """A silent host: its message is given up after 30 s, and so are the entry and the buffers."""
    host = {"name": "far", "imp": "destination", "silent": [{"from": "0 s", "length": "100 s"}]}
    hosts = [{"name": "PDP-11", "imp": "source"}, host]
    values = {"host": hosts, "flow[0].to": "far", "flow[0].when": {"every": "1 s"}, "duration": "1.9 s"}
    trace = Trace(hopscope.run(ROW, set={**values, "measure.journeys": 10}).trace)
    told = trace.first(EventName("incomplete transmission arrives"), 0)["from_ps"]
    assert [holder.kind for holder in holders.at(trace, told - 1)] == ["message"]
    assert holders.at(trace, told) == []


def test_replies_wait_behind_replies_while_phasing(phasing: Trace):
    """Fig. 7: with more than four messages outstanding, RFNMs wait that own an entry and no buffers."""
    waiting = [
        sum(holder.kind == "RFNM" and holder.where == DESTINATION for holder in holders.at(phasing, at))
        for at in range(10 * 10**12, 14 * 10**12, 10**11)
    ]
    assert max(waiting) >= 3


def test_a_diagram_shows_what_is_in_its_window(single: Trace):
    marks = [
        Mark("a", "REQALL sent", "source", 1_012 * PS_PER_MS),
        Mark("b", "ALL", "nowhere", 1_100 * PS_PER_MS),
    ]
    window = (1_000 * PS_PER_MS, 1_200 * PS_PER_MS)
    cut = Slice(1_020 * PS_PER_MS, holders.at(single, 1_020 * PS_PER_MS))
    drawn = time_space.draw(
        TimeSpace(
            "<Fig. 1>", "PDP-11", single.path(), single.passages, single.happened, 0, marks, cut, window
        )
    )
    root = ET.fromstring(drawn)
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "<Fig. 1>" in titles
    assert "PDP-11" in words
    assert "at the destination" in words
    assert titles.count("REQALL") == 9  # one a hop
    assert "RFNM with ALL of message i" not in titles  # after the window
    assert {time_space.LEVEL, time_space.SHAPES} <= set(words)


def test_a_run_without_journeys_has_no_trace():
    with pytest.raises(UsageError, match=r"measure\.journeys"):
        Trace(pl.DataFrame())
