"""Events of messages of model `arpanet`, and passages over its lines, by their names in a trace."""

from enum import StrEnum


class TraceEvent(StrEnum):
    """An event of a message, or of the REQALL that it sends, by the engine's name."""

    INPUT_BEGINS = "input begins"
    FIRST_PACKET_IN = "first packet in"
    NUMBER_TAKEN = "message number taken"
    TABLED = "table entry made"
    ALLOCATION_TAKEN = "allocation taken"
    REQUEST_SENT = "REQALL sent"
    SUPERFLUOUS_REQUEST_SENT = "superfluous REQALL sent"
    REQUEST_ARRIVES = "REQALL arrives"
    ALLOCATION_SENT = "ALL sent"
    ALLOCATION_ARRIVES = "ALL arrives"
    MESSAGE_SENT = "message sent"
    MESSAGE_SENT_AGAIN = "message sent again"
    INPUT_ENDS = "input ends"
    FIRST_PACKET_ARRIVES = "first packet arrives"
    MESSAGE_ARRIVES = "message arrives"
    MESSAGE_DISCARDED = "message discarded"
    FIRST_PACKET_DELIVERED = "first packet delivered"
    RFNM_SENT = "RFNM sent"
    RFNM_WITH_ALLOCATION_SENT = "RFNM with ALL sent"
    RFNM_ARRIVES = "RFNM arrives"
    GIVE_BACK_SENT = "GVB sent"
    INCOMPLETE_QUERY_SENT = "incomplete query sent"
    INCOMPLETE_SENT = "incomplete transmission sent"
    INCOMPLETE_ARRIVES = "incomplete transmission arrives"
    MESSAGE_BLOCKED = "message blocked"


DATA_PACKET = "data packet"
"""A passage of a packet of a message; all other passages are of replies and requests."""
REPLIES = frozenset({"RFNM", "RFNM with ALL"})
"""The passages of a message's reply."""
